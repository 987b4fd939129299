// The order in which machine code executes a program: segments of arithmetic between groups of calls.
//
// A call of a C++ function (sine and cosine, a power, a table, ...) clobbers all registers. Therefore calls
// are grouped: group g contains the calls at depth g, segment g computes the arguments of group g, and the
// last segment computes the rest. Values pass between segments and calls in rows of memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sestina/expression/compiled_program.h"

namespace sestina {

inline constexpr std::uint32_t kNowhere = 0xffffffffu;

// Calls whose operands and results are rows. Sines and cosines of angles that no other call uses are computed
// together in SIMD lanes: the angles are in consecutive rows from `angles`, followed by the rows of the sines
// and then those of the cosines.
struct CallGroup {
  std::uint32_t angles = 0, angle_count = 0;
  std::vector<CompiledProgram::Instruction> others;
};

struct CallSchedule {
  std::vector<std::uint32_t> order;         // indices of the instructions that are not calls
  std::vector<std::uint32_t> segment_ends;  // in `order`
  std::vector<CallGroup> groups;            // group g follows segment g
  std::vector<std::uint32_t> row_of_value;  // its row if it is needed in memory, or kNowhere
  std::uint32_t row_count = 0;
};

bool is_call(const CompiledProgram::Instruction& instruction);
CallSchedule schedule_calls(const CompiledProgram& program);

}  // namespace sestina
