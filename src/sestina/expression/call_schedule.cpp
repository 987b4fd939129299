#include "sestina/expression/call_schedule.h"

#include <algorithm>
#include <numeric>

#include "sestina/expression/scratch_memory.h"

namespace sestina {
namespace {

using Code = CompiledProgram::Code;
using Instruction = CompiledProgram::Instruction;

class Scheduler {
 public:
  explicit Scheduler(const CompiledProgram& program) : program_(program), code_(program.code()) {}

  CallSchedule make() {
    schedule_.row_of_value.assign(program_.value_count(), kNowhere);
    for (std::uint32_t k = 0; k < code_.size(); ++k) {
      if (is_call(code_[k])) calls_.push_back({k});
    }
    if (calls_.empty()) {
      schedule_.order.resize(code_.size());
      std::iota(schedule_.order.begin(), schedule_.order.end(), 0u);
      schedule_.segment_ends.push_back(static_cast<std::uint32_t>(code_.size()));
    } else {
      find_groups();
      find_segments();
      place_angles();
      place_other_calls();
      put_in_order();
    }
    return std::move(schedule_);
  }

 private:
  struct Call {
    std::uint32_t instruction;
    std::uint32_t group = 0;
    bool is_angle = false;  // sine and cosine of an angle, computed together with others
  };

  // Finds the group of each call: the largest number of calls that depend on each other below its operands.
  void find_groups() {
    ScratchVector<std::uint32_t> depth(program_.value_count(), 0, &memory_);
    auto call = calls_.begin();
    for (std::uint32_t k = 0; k < code_.size(); ++k) {
      const Instruction& i = code_[k];
      std::uint32_t below = 0;
      CompiledProgram::visit_operands(i, [&](std::uint32_t v) { below = std::max(below, depth[v]); });
      if (call != calls_.end() && call->instruction == k) {
        (call++)->group = below++;
        schedule_.groups.resize(std::max<std::size_t>(schedule_.groups.size(), below));
      }
      CompiledProgram::visit_results(i, [&](std::uint32_t v) { depth[v] = below; });
    }
  }

  // Finds the first segment that needs each instruction; kNowhere for calls.
  void find_segments() {
    const auto last = static_cast<std::uint32_t>(schedule_.groups.size());
    segment_of_.resize(code_.size());
    // By value: the segment that needs it first, then, after its instruction, the one that makes it.
    segment_of_value_.assign(program_.value_count(), last);
    auto call = calls_.rbegin();
    for (auto k = static_cast<std::uint32_t>(code_.size()); k-- > 0;) {
      const Instruction& i = code_[k];
      const bool is_next_call = call != calls_.rend() && call->instruction == k;
      std::uint32_t segment = last;
      CompiledProgram::visit_results(
          i, [&](std::uint32_t v) { segment = std::min(segment, segment_of_value_[v]); });
      if (is_next_call) {
        segment = (call++)->group;
        CompiledProgram::visit_results(i, [&](std::uint32_t v) { segment_of_value_[v] = segment; });
      }
      segment_of_[k] = is_next_call ? kNowhere : segment;
      CompiledProgram::visit_operands(
          i, [&](std::uint32_t v) { segment_of_value_[v] = std::min(segment_of_value_[v], segment); });
    }
  }

  std::uint32_t row_of(std::uint32_t value) {
    std::uint32_t& row = schedule_.row_of_value[value];
    if (row == kNowhere) row = schedule_.row_count++;
    return row;
  }

  void place_angles() {
    std::vector<bool> has_row(program_.value_count(), false);  // results of calls, and angles
    for (const Call& call : calls_) {
      CompiledProgram::visit_results(code_[call.instruction], [&](std::uint32_t v) { has_row[v] = true; });
    }
    std::vector<std::vector<std::uint32_t>> angles(schedule_.groups.size());  // instructions
    for (Call& call : calls_) {
      const Instruction& i = code_[call.instruction];
      if (i.code != Code::kSinCos || has_row[i.a]) continue;
      call.is_angle = has_row[i.a] = true;
      angles[call.group].push_back(call.instruction);
    }
    for (std::size_t g = 0; g < angles.size(); ++g) {
      const auto count = static_cast<std::uint32_t>(angles[g].size());
      schedule_.groups[g].angles = schedule_.row_count;
      schedule_.groups[g].angle_count = count;
      for (const std::uint32_t k : angles[g]) {
        const std::uint32_t row = schedule_.row_count++;
        schedule_.row_of_value[code_[k].a] = row;
        schedule_.row_of_value[code_[k].to] = row + count;
        schedule_.row_of_value[code_[k].b] = row + 2 * count;
      }
      schedule_.row_count += 2 * count;
    }
  }

  void place_other_calls() {
    for (const Call& call : calls_) {
      if (call.is_angle) continue;
      Instruction placed = code_[call.instruction];
      CompiledProgram::visit_operands(placed, [&](std::uint32_t& v) { v = row_of(v); });
      CompiledProgram::visit_results(placed, [&](std::uint32_t& v) { v = row_of(v); });
      schedule_.groups[call.group].others.push_back(placed);
    }
  }

  // Orders the instructions by segment. Values pass between segments in rows, not in registers.
  void put_in_order() {
    std::vector<std::uint32_t> next(schedule_.groups.size() + 2, 0);
    for (std::size_t k = 0; k < code_.size(); ++k) {
      const std::uint32_t segment = segment_of_[k];
      if (segment == kNowhere) continue;
      ++next[segment + 1];
      CompiledProgram::visit_operands(code_[k], [&](std::uint32_t v) {
        if (segment_of_value_[v] < segment) row_of(v);
      });
    }
    std::partial_sum(next.begin(), next.end(), next.begin());
    schedule_.segment_ends.assign(next.begin() + 1, next.end());
    schedule_.order.resize(next.back());
    for (std::size_t k = 0; k < code_.size(); ++k) {
      if (segment_of_[k] != kNowhere) {
        schedule_.order[next[segment_of_[k]]++] = static_cast<std::uint32_t>(k);
      }
    }
  }

  const CompiledProgram& program_;
  const std::vector<Instruction>& code_;
  CallSchedule schedule_;
  ScratchMemory memory_;
  ScratchVector<Call> calls_{&memory_};
  ScratchVector<std::uint32_t> segment_of_{&memory_};        // by instruction
  ScratchVector<std::uint32_t> segment_of_value_{&memory_};  // the segment that makes it
};

}  // namespace

bool is_call(const Instruction& instruction) {
  switch (instruction.code) {
    case Code::kUnary:
      return instruction.op != Op::kSqrt && instruction.op != Op::kAbs;
    case Code::kPower:
    case Code::kSinCos:
    case Code::kAtan2:
    case Code::kTable:
      return true;
    default:
      return false;
  }
}

CallSchedule schedule_calls(const CompiledProgram& program) { return Scheduler(program).make(); }

}  // namespace sestina
