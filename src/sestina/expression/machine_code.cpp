#include "sestina/expression/machine_code.h"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "sestina/expression/instruction_encoder.h"
#include "sestina/expression/interpreter.h"
#include "sestina/expression/scratch_memory.h"

namespace sestina {
namespace {

using Pointer = InstructionEncoder::Pointer;
using Memory = InstructionEncoder::Memory;
using Encoding = InstructionEncoder::Encoding;
using Where = MachineInstruction::Where;

// Rows and uniforms are addressed from the middle of the first 256 of them, so that offsets of one byte reach
// them in both directions.
constexpr std::int32_t kMiddle = 128;

// Arguments of a segment by the calling convention of the System V ABI: rows in rdi, uniforms in rsi, outputs
// in rdx, bytes between outputs or variables in rcx, variables in r8. rax and r9 point to the last output and
// the last variable used.
using Segment = void(double* rows, const double* uniforms, double* out, std::size_t stride,
                     const double* variables);

struct Shape {
  int lanes, streams;
  Encoding encoding;
};

class SegmentWriter {
 public:
  // Outputs in `left_out` are not stored. The rows of the second stream follow those of the first; its
  // registers are those from 16 on.
  SegmentWriter(CodeBytes& code, const AllocatedCode& allocated, Shape shape,
                const std::vector<bool>& left_out)
      : code_(code),
        encoder_(code, shape.lanes, shape.encoding),
        lanes_(shape.lanes),
        streams_(shape.streams),
        row_count_(static_cast<std::int32_t>(allocated.row_count)),
        left_out_(left_out) {}

  std::size_t write(std::span<const MachineInstruction> instructions) {
    const std::size_t begin = code_.size();
    output_ = variable_ = kNowhere;
    for (const MachineInstruction& i : instructions) {
      for (stream_ = 0; stream_ < streams_; ++stream_) write(of_stream(i));
    }
    encoder_.return_from_function();
    return begin;
  }

 private:
  MachineInstruction of_stream(MachineInstruction i) const {
    if (stream_ == 0) return i;
    constexpr std::uint8_t kHalf = 16;
    i.to += kHalf;
    i.a += kHalf;
    i.condition += kHalf;
    if (i.where == Where::kRegister) i.b += kHalf;
    return i;
  }

  void write(const MachineInstruction& i) {
    switch (i.code) {
      case MachineInstruction::Code::kLoad:
        if (i.where == Where::kRegister) return encoder_.copy(i.to, i.b);
        return encoder_.load(i.to, memory(i));
      case MachineInstruction::Code::kStore:
        if (i.where == Where::kOutput && !left_out_.empty() && left_out_[i.b]) return;
        return encoder_.store(i.a, memory(i));
      case MachineInstruction::Code::kMultiplyAdd:
        if (i.where == Where::kRegister) return encoder_.multiply_add(i.kind, i.form, i.to, i.a, i.b);
        return encoder_.multiply_add(i.kind, i.form, i.to, i.a, memory(i));
      case MachineInstruction::Code::kLess:
      case MachineInstruction::Code::kLessEqual:
        return encoder_.compare(i.code == MachineInstruction::Code::kLessEqual, i.to, i.a, i.b);
      case MachineInstruction::Code::kBlend:
        return encoder_.blend(i.to, i.a, i.b, i.condition);
      default:
        break;
    }
    if (i.where == Where::kRegister) return encoder_.calculate(operation(i.code), i.to, i.a, i.b);
    encoder_.calculate(operation(i.code), i.to, i.a, memory(i));
  }

  static InstructionEncoder::Operation operation(MachineInstruction::Code code) {
    using Operation = InstructionEncoder::Operation;
    switch (code) {
      case MachineInstruction::Code::kAdd:
        return Operation::kAdd;
      case MachineInstruction::Code::kSubtract:
        return Operation::kSubtract;
      case MachineInstruction::Code::kMultiply:
        return Operation::kMultiply;
      case MachineInstruction::Code::kDivide:
        return Operation::kDivide;
      case MachineInstruction::Code::kAnd:
        return Operation::kAnd;
      default:
        return Operation::kSqrt;
    }
  }

  Memory memory(const MachineInstruction& i) {
    const auto index = static_cast<std::int32_t>(i.b);
    switch (i.where) {
      case Where::kRow:
        return {.base = Pointer::kRdi,
                .offset = (index + stream_ * row_count_ - kMiddle) * 8 * lanes_,
                .is_aligned = true};
      case Where::kUniform:
        return {Pointer::kRsi, (index - kMiddle) * 8, true};
      case Where::kVariable:
        if (lanes_ == 1) return {Pointer::kR8, index * 8};
        point(Pointer::kR9, Pointer::kR8, variable_, i.b);
        return {Pointer::kR9, 8 * lanes_ * stream_};
      default:
        if (lanes_ == 1) return {Pointer::kRdx, index * 8};
        point(Pointer::kRax, Pointer::kRdx, output_, i.b);
        return {Pointer::kRax, 8 * lanes_ * stream_};
    }
  }

  // pointer = base + index*stride; it pointed to `before` until now.
  void point(Pointer pointer, Pointer base, std::uint32_t& before, std::uint32_t index) {
    const std::uint32_t step = index - before;
    if (before == index) return;
    if (index == 0) {
      encoder_.move(pointer, base);
    } else if (before == kNowhere || (step > 2 && step != 4 && step != 8 && step != kNowhere)) {
      encoder_.multiply(pointer, Pointer::kRcx, static_cast<std::int32_t>(index));
      encoder_.add(pointer, base);
    } else if (step == 1) {
      encoder_.add(pointer, Pointer::kRcx);
    } else if (step == kNowhere) {
      encoder_.subtract(pointer, Pointer::kRcx);
    } else {
      encoder_.add_multiple(pointer, Pointer::kRcx, static_cast<int>(step));
    }
    before = index;
  }

  CodeBytes& code_;
  InstructionEncoder encoder_;
  int lanes_, streams_;
  std::int32_t row_count_;
  const std::vector<bool>& left_out_;
  int stream_ = 0;
  std::uint32_t output_ = kNowhere, variable_ = kNowhere;
};

std::vector<std::size_t> write_segments(const AllocatedCode& allocated, Shape shape,
                                        const std::vector<bool>& left_out, CodeBytes& code) {
  const auto streams = static_cast<std::size_t>(shape.streams);
  code.reserve(12 * streams * allocated.instructions.size() + 256);  // most instructions take up to 11 bytes
  SegmentWriter writer(code, allocated, shape, left_out);
  std::vector<std::size_t> begins;
  std::size_t begin = 0;
  for (const std::uint32_t end : allocated.segment_ends) {
    begins.push_back(writer.write(std::span(allocated.instructions).subspan(begin, end - begin)));
    begin = end;
  }
  return begins;
}

// Number of states whose mirrors are copied together: their outputs are then still in a near cache.
constexpr std::size_t kChunk = 64;
// Limit on the instructions for which two streams run side by side: code of twice the size still fits in the
// nearest cache.
constexpr std::size_t kMostInStreams = 2500;
constexpr std::size_t kLine = 64;  // bytes of a cache line

// Number of doubles from here to the next beginning of a cache line.
std::size_t doubles_before_line(const double* from) {
  const auto address = reinterpret_cast<std::uintptr_t>(from);
  return ((kLine - address % kLine) % kLine) / sizeof(double);
}

// Aligns the rows to cache lines.
double* align(double* scratch) { return scratch + doubles_before_line(scratch); }

Encoding encoding_of(CompiledFunction::Backend backend) {
  using Backend = CompiledFunction::Backend;
  return backend == Backend::kAvx512 ? Encoding::kEvex
         : backend == Backend::kAvx2 ? Encoding::kVex
                                     : Encoding::kSse2;
}

// Returns the registers for a single state or for several.
RegisterSet registers_for(Encoding encoding, bool is_single) {
  switch (encoding) {
    case Encoding::kEvex:
      return {32, true};
    case Encoding::kVex:
      return {16, is_single};
    default:
      return {15, is_single, true};
  }
}

}  // namespace

MachineCode::MachineCode(const CompiledProgram& program, CompiledFunction::Backend backend)
    : encoding_(encoding_of(backend)),
      tables_(program.tables().begin(), program.tables().end()),
      variable_count_(program.variable_count()),
      output_count_(program.output_count()) {
  CallSchedule schedule = schedule_calls(program);
  AllocatedCode allocated = allocate_registers(program, schedule, registers_for(encoding_, true));
  ScratchMemory memory;
  CodeBytes bytes(memory);
  one_.segments = write_segments(allocated, {1, 1, encoding_}, {}, bytes);
  one_.memory = ExecutableMemory(bytes.all());
  one_.row_count = allocated.row_count;
  if (encoding_ != Encoding::kEvex) {
    allocated = allocate_registers(program, schedule, registers_for(encoding_, false));
  } else if (allocated.instructions.size() <= kMostInStreams) {
    allocated = allocate_registers(program, schedule, {16, true});
    many_->code.streams = 2;
  }
  many_->code.row_count = allocated.row_count;
  many_->code.lanes = encoding_ == Encoding::kEvex ? 8 : encoding_ == Encoding::kVex ? 4 : 2;
  many_->allocated = std::move(allocated);
  groups_ = std::move(schedule.groups);
  find_mirrors(program);
}

// If several outputs are the same value, the code stores the one nearest to the previous store: symmetric
// matrices are then written along their rows, which touch fewer pages and cache lines than columns.
void MachineCode::find_mirrors(const CompiledProgram& program) {
  ScratchMemory memory;
  ScratchVector<std::uint32_t> first(program.value_count(), kNowhere, &memory);  // by value
  ScratchVector<std::uint32_t> next(output_count_, kNowhere, &memory),
      original_of(next, &memory);  // by output
  for (const CompiledProgram::Instruction& i : program.code()) {
    if (i.code != CompiledProgram::Code::kStore) continue;
    next[i.to] = std::exchange(first[i.a], i.to);
  }
  std::uint32_t before = 0;
  for (const CompiledProgram::Instruction& i : program.code()) {
    if (i.code != CompiledProgram::Code::kStore || first[i.a] == kNowhere) continue;
    const std::uint32_t some = std::exchange(first[i.a], kNowhere);
    const auto distance = [before](std::uint32_t output) {
      return output > before ? output - before : before - output;
    };
    std::uint32_t original = some;
    for (std::uint32_t o = some; o != kNowhere; o = next[o]) {
      if (distance(o) < distance(original)) original = o;
    }
    for (std::uint32_t o = some; o != kNowhere; o = next[o]) {
      if (o != original) original_of[o] = original;
    }
    before = original;
  }
  for (std::uint32_t o = 0; o < output_count_; ++o) {
    if (original_of[o] != kNowhere) mirrors_.push_back({o, original_of[o]});
  }
}

void MachineCode::write_many() const {
  CodeBytes bytes;
  std::vector<bool> left_out(output_count_, false);
  for (const Mirror& m : mirrors_) left_out[m.output] = true;
  const Shape shape{many_->code.lanes, many_->code.streams, encoding_};
  many_->code.segments = write_segments(many_->allocated, shape, left_out, bytes);
  many_->code.memory = ExecutableMemory(bytes.all());
  many_->allocated = {};
}

std::size_t MachineCode::scratch_size() const {
  const auto lanes = static_cast<std::size_t>(many_->code.lanes * many_->code.streams);
  const std::size_t line = 8, border = variable_count_ + output_count_;
  return line + std::max(one_.row_count + border, lanes * (many_->code.row_count + border));
}

template <int kLanes>
void MachineCode::run(const Code& code, const double* bound, const double* in, double* out,
                      std::size_t stride, double* rows) const {
  for (std::size_t g = 0; g < code.segments.size(); ++g) {
    const auto segment = reinterpret_cast<Segment*>(code.memory.at(code.segments[g]));
    segment(rows + kMiddle * kLanes, bound + kMiddle, out, stride * sizeof(double), in);
    if (g == groups_.size()) return;
    const CallGroup& group = groups_[g];
    const std::size_t angles = std::size_t{group.angle_count} * kLanes;
    for (int s = 0; s < code.streams; ++s) {
      double* const own = rows + static_cast<std::size_t>(s) * code.row_count * kLanes;
      double* const first = own + std::size_t{group.angles} * kLanes;
      if (angles > 0) calc_many_sincos(first, angles, first + angles, first + 2 * angles);
      for (const CompiledProgram::Instruction& call : group.others) run_call<kLanes>(call, own, tables_);
    }
  }
}

void MachineCode::run_one(const double* bound, const double* in, double* out, double* scratch) const {
  run<1>(one_, bound, in, out, 1, align(scratch));
}

// Copying rows for many states is faster than lines of one register width, each of which is on another
// page.
void MachineCode::copy_mirrors(double* out, std::size_t stride, std::size_t count) const {
  for (const Mirror& m : mirrors_) {
    std::copy_n(out + m.original * stride, count, out + m.output * stride);
  }
}

// The last block begins earlier if it would not be full. If there are fewer states than lanes, the last state
// is copied to the other lanes.
template <int kLanes>
void MachineCode::run_blocks(const double* bound, const double* in, double* out, std::size_t count,
                             double* scratch) const {
  double* const rows = align(scratch);
  const std::size_t width = std::size_t{kLanes} * static_cast<std::size_t>(many_->code.streams);
  for (std::size_t begin = 0; count >= width && begin < count; begin += kChunk) {
    const std::size_t end = std::min(begin + kChunk, count);
    for (std::size_t at = begin; at < end; at += width) {
      const std::size_t k = std::min(at, count - width);
      run<kLanes>(many_->code, bound, in + k, out + k, count, rows);
    }
    copy_mirrors(out + begin, count, end - begin);
  }
  if (count >= width) return;
  double* const variables = rows + many_->code.row_count * width;
  double* const outputs = variables + variable_count_ * width;
  for (std::size_t i = 0; i < variable_count_; ++i) {
    for (std::size_t lane = 0; lane < width; ++lane) {
      variables[i * width + lane] = in[i * count + std::min(lane, count - 1)];
    }
  }
  run<kLanes>(many_->code, bound, variables, outputs, width, rows);
  for (std::size_t j = 0; j < output_count_; ++j) {
    std::copy_n(outputs + j * width, count, out + j * count);
  }
  copy_mirrors(out, count, count);
}

void MachineCode::run_one_by_one(const double* bound, const double* in, double* out, std::size_t count,
                                 double* scratch) const {
  double* const rows = align(scratch);
  double* const variables = rows + one_.row_count;
  double* const outputs = variables + variable_count_;
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t i = 0; i < variable_count_; ++i) variables[i] = in[i * count + k];
    run<1>(one_, bound, variables, outputs, 1, rows);
    for (std::size_t j = 0; j < output_count_; ++j) out[j * count + k] = outputs[j];
  }
}

void MachineCode::run_many(const double* bound, const double* in, double* out, std::size_t count,
                           double* scratch) const {
  std::call_once(many_->written, [this] { write_many(); });
  if (many_->code.memory.empty()) return run_one_by_one(bound, in, out, count, scratch);
  if (many_->code.lanes == 8) return run_blocks<8>(bound, in, out, count, scratch);
  if (many_->code.lanes == 4) return run_blocks<4>(bound, in, out, count, scratch);
  run_blocks<2>(bound, in, out, count, scratch);
}

}  // namespace sestina
