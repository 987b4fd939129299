// Instructions of compiled functions for x86-64: arithmetic on doubles in SIMD registers, for one double, two
// (SSE2), four (AVX2) or eight (AVX-512).
//
// An instruction with three operands, to = a op b, where b may be in memory, has the VEX form (registers 0 to
// 15) or the EVEX form (0 to 31; offsets count in units of the operand, b may be one double for all lanes),
// the shorter of those that can express it. SSE2 has two operands and overwrites the first: a is copied to
// the register of the result first, if it is not there. Register 15 is then reserved for this writer.
#pragma once

#include <asmjit/x86.h>

#include <array>
#include <cstdint>

#include "sestina/expression/segment_writer.h"

namespace sestina {

class X86Writer {
 public:
  X86Writer(asmjit::CodeHolder& code, const CodeShape& shape, std::uint32_t row_count);

  // Returns the offset in the code at which the segment begins.
  std::size_t begin_segment();
  void write(const MachineInstruction& instruction, int stream);
  void end_segment();

 private:
  using InstructionId = asmjit::InstId;

  bool is_sse2() const { return shape_.backend == CompiledFunction::Backend::kSse2; }
  bool is_evex() const { return shape_.backend == CompiledFunction::Backend::kAvx512; }
  // Selects the form for one lane or for several, with three operands or two (SSE2).
  InstructionId choose(const std::array<InstructionId, 4>& forms) const { return forms[form_]; }
  const asmjit::x86::Vec& vector(unsigned number) const { return vectors_[number]; }
  asmjit::x86::Mem address_of(const MachineInstruction& i, int stream);
  // The second operand: a register or memory.
  void emit_with_second(InstructionId id, const MachineInstruction& i, int stream);
  // Failures are reported to the code's error handler.
  template <class... Operands>
  void emit(InstructionId id, const Operands&... operands) {
    assembler_.emit(id, operands...);
  }

  void calculate(const MachineInstruction& i, int stream);
  void calculate_in_place(const MachineInstruction& i, InstructionId id, int stream);
  void multiply_add(const MachineInstruction& i, int stream);
  void compare(const MachineInstruction& i);
  void blend(const MachineInstruction& i);
  void blend_by_bits(const MachineInstruction& i);
  void copy(unsigned to, unsigned from);
  void load(const MachineInstruction& i, int stream);
  void store(const MachineInstruction& i, int stream);
  void point(const asmjit::x86::Gp& pointer, const asmjit::x86::Gp& base, std::uint32_t& before,
             std::uint32_t index);

  asmjit::x86::Assembler assembler_;
  CodeShape shape_;
  std::int32_t row_count_;
  int lane_shift_;                            // log2 of the lanes
  std::size_t form_;                          // what choose() selects
  std::array<asmjit::x86::Vec, 32> vectors_;  // registers with all lanes
  // Indices of the last output and the last variable, to which rax and r9 point.
  std::uint32_t output_ = kNowhere, variable_ = kNowhere;
};

}  // namespace sestina
