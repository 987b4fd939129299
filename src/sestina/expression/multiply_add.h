// A product and the sum that it goes into as one instruction, which rounds once.
//
// Processors have it for the price of either, and what both take is most of all work. Programs for processors
// that do not have it are left as they are: std::fma() in its place takes far longer than both.
#pragma once

#include <algorithm>

#include "sestina/expression/compiled_program.h"

namespace sestina {

// Makes `sum` one that multiplies too, if it is a sum or difference of which a term is a product that serves
// nothing else, and returns that product, whose work is done then; else null. `instruction_of(value)`: the
// one that makes a value that is used once, null for other values.
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
  // Of two products the one that is known later, as what it is made of was numbered later: the other one has
  // been multiplied by then.
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
