// Orders instructions so that few values are live at the same time.
//
// The instructions of each output come just before it, deepest first. But an instruction whose operands are
// all available and which is the last user of one of them comes at once: it needs no additional register,
// since its result can replace that operand. Thus terms are added to their sums as soon as they are known and
// not when the sum is needed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sestina/expression/compiled_program.h"

namespace sestina {

// Returns the instructions that outputs need, from `code` in any order. If `is_fused`, products that only one
// sum uses become one instruction with it, also in `code`.
std::vector<CompiledProgram::Instruction> order_for_few_values(std::span<CompiledProgram::Instruction> code,
                                                               std::uint32_t value_count, bool is_fused);

}  // namespace sestina
