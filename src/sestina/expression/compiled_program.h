// The code of a compiled function: one part for each set of parameters, one for each state.
//
// Made from a tape by following which of its registers hold values that vary from state to state. Operations
// on others go to the part that is run once; instructions for each state name their results as uniform
// operands, which need no register.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sestina/expression/tape.h"

namespace sestina {

class CompiledProgram {
 public:
  enum class Code : std::uint8_t {
    kLoad,       // variable a
    kBroadcast,  // uniform a
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kAddUniform,           // a + uniform b
    kSubtractUniform,      // a - uniform b
    kSubtractFromUniform,  // uniform b - a
    kMultiplyUniform,
    kDivideByUniform,  // a / uniform b
    kDivideUniform,    // uniform b / a
    kNegate,
    kPower,
    kUnary,
    kSinCos,  // sine to `to`, cosine to b
    kAtan2,
    kIfLess,
    kIfLessEqual,
    kTable,
    kStore,         // to output `to`
    kStoreUniform,  // uniform a
  };
  struct Instruction {
    Code code;
    Op op = Op::kNumber;     // of kUnary
    std::uint8_t order = 0;  // of kTable
    std::uint32_t to = 0;
    std::uint32_t a = 0, b = 0, c = 0, d = 0;  // registers, but for what Code says; b of kTable: the table
  };

  CompiledProgram(const Tape& tape, std::size_t variable_count);

  std::vector<double> bind(std::span<const double> parameters) const;
  // `lanes` states (at most kLanes) from `in`, each variable `stride` after the one before, as outputs are.
  // kLanes is 1 or CompiledFunction::kBlock.
  template <int kLanes>
  void run(const double* bound, const double* in, double* out, std::size_t stride, int lanes,
           double* registers) const;

  std::size_t variable_count() const { return variable_count_; }
  std::size_t parameter_count() const { return parameter_count_; }
  std::size_t output_count() const { return output_count_; }
  std::size_t register_count() const { return register_count_; }
  std::size_t hoisted_count() const { return hoisted_.instruction_count(); }
  const std::vector<Instruction>& code() const { return code_; }

 private:
  friend class ProgramBuilder;

  std::size_t variable_count_ = 0, parameter_count_ = 0, output_count_ = 0, register_count_ = 0;
  Tape hoisted_;  // of the parameters; its scratch is what bind() returns
  std::vector<Instruction> code_;
  std::vector<std::shared_ptr<const Table>> tables_;
};

}  // namespace sestina
