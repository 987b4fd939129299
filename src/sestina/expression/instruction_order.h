// An order of instructions in which few values wait to be used.
//
// What each output needs is computed just before it, deepest first. But as soon as an instruction has all its
// operands and is the last to use one of them, it comes at once: it takes no room, since its result may have
// that of the operand. So terms go into the sums that they belong to when they are known, and not when the
// sum is wanted.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sestina/expression/compiled_program.h"

namespace sestina {

// The instructions that outputs need, of those given in any order. If `is_fused`, products that serve one sum
// alone become one instruction with it, also in `code`.
std::vector<CompiledProgram::Instruction> order_for_few_values(std::span<CompiledProgram::Instruction> code,
                                                               std::uint32_t value_count, bool is_fused);

}  // namespace sestina
