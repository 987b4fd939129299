// Instructions of compiled functions for AArch64: arithmetic on doubles in the registers of Advanced SIMD
// (NEON), for one double or for two.
//
// Arithmetic reads registers only: an operand in memory is first loaded into a scratch register.
// Multiply-adds of one double have four operands. Those of two overwrite the addend, so that register
// allocation must choose Form::kATimesBPlusTo.
#pragma once

#include <asmjit/arm.h>
#include <asmjit/arm/a64assembler.h>

#include <array>
#include <cstdint>

#include "sestina/expression/segment_writer.h"

namespace sestina {

class A64Writer {
 public:
  // Registers for values: those that a function need not preserve, without two scratch registers.
  static constexpr unsigned kRegisterCount = 22;

  A64Writer(asmjit::CodeHolder& code, const CodeShape& shape);

  // Returns the offset in the code at which the segment begins.
  std::size_t begin_segment();
  void write(const MachineInstruction& i, int stream);  // only stream 0
  void end_segment();

 private:
  using Vec = asmjit::a64::Vec;
  using Gp = asmjit::a64::Gp;

  bool is_one() const { return shape_.lanes == 1; }
  // The register with all lanes.
  const Vec& vector(unsigned number) const { return vectors_[number]; }
  // The second operand, which is loaded if it is in memory.
  const Vec& second(const MachineInstruction& i);
  asmjit::a64::Mem address_of(const MachineInstruction& i);
  asmjit::a64::Mem at(const Gp& base, std::uint32_t offset, std::uint32_t size);
  void put_number(const Gp& to, std::uint32_t number);

  void calculate(const MachineInstruction& i);
  void multiply_add(const MachineInstruction& i);
  void accumulate(const MachineInstruction& i);
  void compare(const MachineInstruction& i);
  void blend(const MachineInstruction& i);
  void copy(const Vec& to, const Vec& from);
  void load(const Vec& to, const MachineInstruction& from);
  void store(const MachineInstruction& i);
  void point(const Gp& pointer, const Gp& base, std::uint32_t& before, std::uint32_t index);

  asmjit::a64::Assembler assembler_;
  CodeShape shape_;
  std::array<Vec, kRegisterCount> vectors_;
  Vec loaded_, negated_;  // scratch registers
  // Indices of the last output and the last variable, to which pointers point.
  std::uint32_t output_ = kNowhere, variable_ = kNowhere;
};

}  // namespace sestina
