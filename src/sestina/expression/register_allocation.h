// The assignment of registers to the values of a segment of machine code.
//
// In straight-line code the next use of every value is known, so that the register to free is the one whose
// value is needed last (Belady 1966). That value is stored to a row of memory, once, and read from there: as
// the second operand of an instruction, or loaded if it must be the first one.
#pragma once

#include <cstdint>
#include <vector>

#include "sestina/expression/call_schedule.h"

namespace sestina {

struct MachineInstruction {
  // kLoad from a register copies. kLess, kLessEqual: a condition in `to`. kBlend: b where the condition
  // holds, a elsewhere.
  enum class Code : std::uint8_t {
    kLoad,
    kStore,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kAnd,
    kSqrt,
    kMultiplyAdd,
    kLess,
    kLessEqual,
    kBlend
  };
  enum class Where : std::uint8_t { kRegister, kRow, kUniform, kVariable, kOutput };
  // a*b + c, a*b - c, c - a*b
  enum class MultiplyAdd : std::uint8_t { kPlus, kMinusAddend, kMinusProduct };
  // The roles of `to`, `a` and `b` as factors and addend.
  enum class Form : std::uint8_t { kToTimesBPlusA, kATimesToPlusB, kATimesBPlusTo };
  Code code;
  std::uint8_t to = 0, a = 0;  // registers; for kStore the source is a
  Where where = Where::kRegister;
  std::uint32_t b = 0;         // second operand of arithmetic, source of kLoad, target of kStore
  MultiplyAdd kind{};          // for kMultiplyAdd
  Form form{};                 // for kMultiplyAdd
  std::uint8_t condition = 0;  // for kBlend: the register
};

struct AllocatedCode {
  std::vector<MachineInstruction> instructions;
  std::vector<std::uint32_t> segment_ends;
  std::uint32_t row_count = 0;
};

struct RegisterSet {
  unsigned count;              // at most 32
  bool has_uniform_operands;   // a uniform can be the second operand of arithmetic, or else is loaded first
  bool is_in_place = false;    // arithmetic overwrites the first operand with the result
  bool keeps_factors = false;  // a multiply-add overwrites the addend, not a factor
};

AllocatedCode allocate_registers(const CompiledProgram& program, const CallSchedule& schedule,
                                 const RegisterSet& registers);

}  // namespace sestina
