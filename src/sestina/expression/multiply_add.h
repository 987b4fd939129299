// Joins a product and the sum that uses it to one instruction, which rounds once.
//
// Processors execute it at the price of either operation, and the two make up most of the work. Programs for
// processors without it are not changed: std::fma() would take far longer than both.
#pragma once

#include <algorithm>

#include "sestina/expression/compiled_program.h"

namespace sestina {

// If a term of the sum or difference `sum` is a product that nothing else uses, makes `sum` a multiply-add
// and returns that product, which is then no longer needed; else null. `instruction_of(value)` returns the
// instruction of a value that is used once, and null for other values.
template <class InstructionOf>
const CompiledProgram::Instruction* join_with_product(CompiledProgram::Instruction& sum,
                                                      InstructionOf instruction_of) {
  using Program = CompiledProgram;
  using Code = Program::Code;
  const bool is_of_two = sum.code == Code::kAdd || sum.code == Code::kSubtract;
  const bool has_uniform = sum.code == Code::kAddUniform || sum.code == Code::kSubtractUniform ||
                           sum.code == Code::kSubtractFromUniform;
  if (!is_of_two && !has_uniform) return nullptr;
  const auto product_of = [&](std::uint32_t value) {
    const Program::Instruction* made = instruction_of(value);
    return made && (made->code == Code::kMultiply || made->code == Code::kMultiplyUniform) ? made : nullptr;
  };
  const Program::Instruction* const first = product_of(sum.a);
  const Program::Instruction* const second = is_of_two ? product_of(sum.b) : nullptr;
  // Takes the one of two products that is known later, since its operands have higher numbers: the other one
  // has been multiplied by then.
  const auto number_of = [](const Program::Instruction& i) {
    return i.code == Code::kMultiply ? std::max(i.a, i.b) : i.a;
  };
  const bool is_second = second && (!first || number_of(*second) > number_of(*first));
  const Program::Instruction* const product = is_second ? second : first;
  if (!product) return nullptr;
  std::uint8_t form = has_uniform ? Program::kUniformAddend : 0;
  if (product->code == Code::kMultiplyUniform) form |= Program::kUniformFactor;
  if (sum.code == Code::kSubtractFromUniform || (sum.code == Code::kSubtract && is_second)) {
    form |= Program::kMinusProduct;
  } else if (sum.code == Code::kSubtract || sum.code == Code::kSubtractUniform) {
    form |= Program::kMinusAddend;
  }
  const std::uint32_t addend = is_second ? sum.a : sum.b;
  sum = {Code::kMultiplyAdd, Op::kNumber, form, sum.to, product->a, product->b, addend};
  return product;
}

}  // namespace sestina
