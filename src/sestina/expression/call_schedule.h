// The order in which machine code does the work of a program: segments of arithmetic between groups of calls.
//
// A call of a C++ function (sine and cosine, a power, a table, ...) empties all registers. So calls are put
// together: group g are those that stand g calls deep, segment g computes what the arguments of group g want
// and the last segment the rest. What passes between segments and calls lies in rows of memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sestina/expression/compiled_program.h"

namespace sestina {

inline constexpr std::uint32_t kNowhere = 0xffffffffu;

// Calls whose operands and results are rows. Sines and cosines of angles that serve no other call are
// computed together, in SIMD lanes: the angles stand in successive rows from `angles`, the sines in as many
// rows after them, and the cosines after those.
struct CallGroup {
  std::uint32_t angles = 0, angle_count = 0;
  std::vector<CompiledProgram::Instruction> others;
};

struct CallSchedule {
  std::vector<std::uint32_t> order;         // of the instructions that are no calls, by index
  std::vector<std::uint32_t> segment_ends;  // in `order`
  std::vector<CallGroup> groups;            // group g follows segment g
  std::vector<std::uint32_t> row_of_value;  // where it is wanted in memory, or kNowhere
  std::uint32_t row_count = 0;
};

bool is_call(const CompiledProgram::Instruction& instruction);
CallSchedule schedule_calls(const CompiledProgram& program);

}  // namespace sestina
