// Which registers hold the values of a segment of machine code.
//
// Straight-line code tells for every value where it is used next, so that the register to give up is the one
// whose value is wanted last (Belady 1966). A value that is given up goes to a row of memory, once, and is
// read from there: as the second operand of an instruction, or loaded where it must be the first one.
#pragma once

#include <cstdint>
#include <vector>

#include "sestina/expression/call_schedule.h"
#include "sestina/expression/instruction_encoder.h"

namespace sestina {

struct MachineInstruction {
  // kLoad from a register copies. kLess, kLessEqual: a condition to `to`. kBlend: b where the condition
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
  Code code;
  std::uint8_t to = 0, a = 0;  // registers; of kStore the source is a
  Where where = Where::kRegister;
  std::uint32_t b = 0;                     // second operand of arithmetic, source of kLoad, target of kStore
  InstructionEncoder::MultiplyAdd kind{};  // of kMultiplyAdd
  InstructionEncoder::Form form{};         // of kMultiplyAdd
  std::uint8_t condition = 0;              // of kBlend: the register
};

struct AllocatedCode {
  std::vector<MachineInstruction> instructions;
  std::vector<std::uint32_t> segment_ends;
  std::uint32_t row_count = 0;
};

struct RegisterSet {
  unsigned count;  // at most 32
  bool
      has_uniform_operands;  // whether a uniform can be the second operand of arithmetic, or is loaded before
  bool is_in_place = false;  // whether arithmetic leaves its result where the first operand was
};

AllocatedCode allocate_registers(const CompiledProgram& program, const CallSchedule& schedule,
                                 const RegisterSet& registers);

}  // namespace sestina
