// The code of a compiled function: one part for each set of parameters, one for each state.
//
// Operations on parameters are in the part that runs once; instructions for each state refer to their results
// as uniform operands, which need no register. Every value has its own number; the interpreter
// (interpreter.h) and the machine code (machine_code.h) assign registers or rows of memory to values.
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
    kAndUniform,       // absolute value: uniform b has all bits but that of the sign
    kMultiplyAdd,      // a*b + c, rounded once; `order` holds some of the bits below
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
    Op op = Op::kNumber;     // for kUnary
    std::uint8_t order = 0;  // for kTable and kMultiplyAdd
    std::uint32_t to = 0;
    std::uint32_t a = 0, b = 0, c = 0, d = 0;  // values, unless Code says otherwise; b of kTable: the table
  };

  // Bits of kMultiplyAdd: at most one of the first two; b or c is a uniform.
  static constexpr std::uint8_t kMinusProduct = 1, kMinusAddend = 2, kUniformFactor = 4, kUniformAddend = 8;

  // The last `parameter_count` inputs are parameters, the others variables. kMultiplyAdd occurs only if
  // `is_fused`.
  CompiledProgram(const Graph& graph, std::span<const Expr> outputs, std::span<const Expr> inputs,
                  std::size_t parameter_count, bool is_fused);

  std::vector<double> bind(std::span<const double> parameters) const;
  std::size_t variable_count() const { return variable_count_; }
  std::size_t parameter_count() const { return parameter_count_; }
  std::size_t output_count() const { return output_count_; }
  std::uint32_t value_count() const { return value_count_; }
  std::size_t hoisted_count() const { return hoisted_.instruction_count(); }
  const std::vector<Instruction>& code() const { return code_; }
  std::span<const std::shared_ptr<const Table>> tables() const { return tables_; }

  // Visit the values that an Instruction, const or not, reads and writes.
  template <class I, class Visit>
  static void visit_operands(I& instruction, Visit visit);
  template <class I, class Visit>
  static void visit_results(I& instruction, Visit visit);

 private:
  friend class ProgramCompiler;

  std::size_t variable_count_ = 0, parameter_count_ = 0, output_count_ = 0;
  std::uint32_t value_count_ = 0;
  Tape hoisted_;  // of the parameters; bind() returns its scratch
  std::vector<Instruction> code_;
  std::vector<std::shared_ptr<const Table>> tables_;
};

template <class I, class Visit>
void CompiledProgram::visit_operands(I& instruction, Visit visit) {
  switch (instruction.code) {
    case Code::kLoad:
    case Code::kBroadcast:
    case Code::kStoreUniform:
      return;
    case Code::kMultiplyAdd:
      if ((instruction.order & kUniformAddend) == 0) visit(instruction.c);
      if ((instruction.order & kUniformFactor) == 0) visit(instruction.b);
      return visit(instruction.a);
    case Code::kIfLess:
    case Code::kIfLessEqual:
      visit(instruction.c);
      visit(instruction.d);
      [[fallthrough]];
    case Code::kAdd:
    case Code::kSubtract:
    case Code::kMultiply:
    case Code::kDivide:
    case Code::kPower:
    case Code::kAtan2:
      visit(instruction.b);
      [[fallthrough]];
    default:
      visit(instruction.a);
  }
}

template <class I, class Visit>
void CompiledProgram::visit_results(I& instruction, Visit visit) {
  if (instruction.code == Code::kStore || instruction.code == Code::kStoreUniform) return;
  visit(instruction.to);
  if (instruction.code == Code::kSinCos) visit(instruction.b);
}

}  // namespace sestina
