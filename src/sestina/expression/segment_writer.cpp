#include "sestina/expression/segment_writer.h"

#include <asmjit/core.h>

#include <cassert>
#include <span>

#include "sestina/expression/a64_writer.h"
#include "sestina/expression/x86_writer.h"

namespace sestina {
namespace {

using Backend = CompiledFunction::Backend;

// The assembler reports failures here: only that there is no memory.
class Failures : public asmjit::ErrorHandler {
 public:
  void handleError(asmjit::Error error, const char* /*message*/, asmjit::BaseEmitter* /*origin*/) override {
    assert(error == asmjit::kErrorOutOfMemory);
    has_failed_ = error != asmjit::kErrorOk;
  }
  bool has_failed() const { return has_failed_; }

 private:
  bool has_failed_ = false;
};

template <class Writer>
std::vector<std::size_t> write_by(Writer writer, const AllocatedCode& allocated, int streams,
                                  const std::vector<bool>& left_out) {
  using Code = MachineInstruction::Code;
  using Where = MachineInstruction::Where;
  std::vector<std::size_t> begins;
  std::size_t begin = 0;
  for (const std::uint32_t end : allocated.segment_ends) {
    begins.push_back(writer.begin_segment());
    for (const MachineInstruction& i : std::span(allocated.instructions).subspan(begin, end - begin)) {
      if (i.code == Code::kStore && i.where == Where::kOutput && !left_out.empty() && left_out[i.b]) continue;
      for (int stream = 0; stream < streams; ++stream) writer.write(i, stream);
    }
    writer.end_segment();
    begin = end;
  }
  return begins;
}

}  // namespace

CodeShape shape_of_code(Backend backend, bool is_single) {
  const int lanes = backend == Backend::kAvx512 ? 8 : backend == Backend::kAvx2 ? 4 : 2;
  // Offsets of x86-64 in one byte reach 128 rows in both directions (EVEX); those of AArch64 are positive.
  const std::int32_t middle = backend == Backend::kNeon ? 0 : 128;
  return {.backend = backend, .lanes = is_single ? 1 : lanes, .middle = middle};
}

RegisterSet registers_for(Backend backend, bool is_single) {
  switch (backend) {
    case Backend::kAvx512:
      return {32, true};
    case Backend::kAvx2:
      return {16, is_single};
    case Backend::kNeon:
      return {.count = A64Writer::kRegisterCount, .has_uniform_operands = true, .keeps_factors = !is_single};
    default:
      return {15, is_single, true};
  }
}

SegmentCode write_segments(const AllocatedCode& allocated, const CodeShape& shape,
                           const std::vector<bool>& left_out) {
  asmjit::CodeHolder code;
  Failures failures;
  code.setErrorHandler(&failures);
  const bool is_a64 = shape.backend == Backend::kNeon;
  const asmjit::Environment environment(is_a64 ? asmjit::Arch::kAArch64 : asmjit::Arch::kX64);
  if (code.init(environment) != asmjit::kErrorOk) return {};
  asmjit::CodeBuffer& buffer = code.textSection()->buffer();
  // Most instructions take up to 11 bytes.
  const std::size_t size = 12 * static_cast<std::size_t>(shape.streams) * allocated.instructions.size() + 256;
  if (code.reserveBuffer(&buffer, size) != asmjit::kErrorOk) return {};
  SegmentCode made;
  made.segments =
      is_a64 ? write_by(A64Writer(code, shape), allocated, shape.streams, left_out)
             : write_by(X86Writer(code, shape, allocated.row_count), allocated, shape.streams, left_out);
  if (!failures.has_failed()) made.memory = ExecutableMemory({buffer.data(), buffer.size()});
  return made;
}

}  // namespace sestina
