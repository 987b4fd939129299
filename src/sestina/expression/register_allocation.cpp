#include "sestina/expression/register_allocation.h"

#include <array>
#include <bit>

#include "sestina/expression/scratch_memory.h"

namespace sestina {
namespace {

using Code = CompiledProgram::Code;
using Instruction = CompiledProgram::Instruction;
using MachineCode = MachineInstruction::Code;
using Where = MachineInstruction::Where;

constexpr std::uint32_t kNever = 0xffffffffu;
constexpr std::uint8_t kNoRegister = 0xff;

class Allocator {
 public:
  Allocator(const CompiledProgram& program, const CallSchedule& schedule, const RegisterSet& registers)
      : code_(program.code()),
        schedule_(schedule),
        all_registers_(registers.count == 32 ? kNever : (1u << registers.count) - 1),
        has_uniform_operands_(registers.has_uniform_operands),
        is_in_place_(registers.is_in_place),
        keeps_factors_(registers.keeps_factors),
        register_of_(program.value_count(), kNoRegister, &memory_),
        row_of_(schedule.row_of_value.begin(), schedule.row_of_value.end(), &memory_),
        next_use_(program.value_count(), 0, &memory_) {
    made_.row_count = schedule.row_count;
  }

  AllocatedCode run() {
    find_uses(static_cast<std::uint32_t>(register_of_.size()));
    made_.instructions.reserve(schedule_.order.size() * 3 / 2 + 16);
    std::uint32_t k = 0;
    for (const std::uint32_t end : schedule_.segment_ends) {
      segment_end_ = end;
      free_ = all_registers_;
      for (; k < end; ++k) {
        translate(code_[schedule_.order[k]]);
        free_rows_.insert(free_rows_.end(), released_rows_.begin(), released_rows_.end());
        released_rows_.clear();
      }
      for (std::uint32_t held = all_registers_ & ~free_; held != 0; held &= held - 1) {
        register_of_[value_in_[static_cast<unsigned>(std::countr_zero(held))]] = kNoRegister;
      }
      made_.segment_ends.push_back(static_cast<std::uint32_t>(made_.instructions.size()));
    }
    return std::move(made_);
  }

 private:
  // uses_ holds the places in the order at which each value is read, value after value; each list ends with
  // kNever.
  void find_uses(std::uint32_t value_count) {
    ScratchVector<std::uint32_t> begin(value_count + 1, 0, &memory_);
    for (const std::uint32_t k : schedule_.order) {
      CompiledProgram::visit_operands(code_[k], [&](std::uint32_t v) { ++begin[v + 1]; });
    }
    for (std::uint32_t v = 0; v < value_count; ++v) begin[v + 1] += begin[v] + 1;
    uses_.assign(begin[value_count], kNever);
    for (std::uint32_t v = 0; v < value_count; ++v) next_use_[v] = begin[v];
    for (std::uint32_t at = 0; at < schedule_.order.size(); ++at) {
      CompiledProgram::visit_operands(code_[schedule_.order[at]],
                                      [&](std::uint32_t v) { uses_[begin[v]++] = at; });
    }
  }

  // Returns the next use within the segment, else kNever.
  std::uint32_t next_use(std::uint32_t value) const {
    const std::uint32_t use = uses_[next_use_[value]];
    return use < segment_end_ ? use : kNever;
  }

  void put(MachineCode code, std::uint8_t to, std::uint8_t a, Where where, std::uint32_t b) {
    made_.instructions.push_back({.code = code, .to = to, .a = a, .where = where, .b = b});
  }

  // Frees the register whose value is needed last, except those in `keep`.
  std::uint8_t take_register(std::uint32_t keep) {
    if (free_ == 0) {
      std::uint32_t last_use = 0;
      unsigned last = 0;
      for (std::uint32_t held = all_registers_ & ~keep; held != 0; held &= held - 1) {
        const auto r = static_cast<unsigned>(std::countr_zero(held));
        if (use_of_[r] < last_use) continue;
        last_use = use_of_[r];
        last = r;
      }
      give_up(static_cast<std::uint8_t>(last));
    }
    const auto taken = static_cast<std::uint8_t>(std::countr_zero(free_));
    free_ &= free_ - 1;
    use_of_[taken] = 0;
    return taken;
  }

  void give_up(std::uint8_t r) {
    const std::uint32_t value = value_in_[r];
    if (row_of_[value] == kNowhere) {
      row_of_[value] = new_row();
      put(MachineCode::kStore, 0, r, Where::kRow, row_of_[value]);
    }
    release(r);
  }

  void release(std::uint8_t r) {
    register_of_[value_in_[r]] = kNoRegister;
    free_ |= 1u << r;
  }

  std::uint32_t new_row() {
    if (free_rows_.empty()) return made_.row_count++;
    const std::uint32_t row = free_rows_.back();
    free_rows_.pop_back();
    return row;
  }

  void bind(std::uint32_t value, std::uint8_t r) {
    register_of_[value] = r;
    value_in_[r] = value;
    use_of_[r] = next_use(value);
  }

  std::uint32_t mask_of(std::uint32_t value) const {
    return register_of_[value] == kNoRegister ? 0 : 1u << register_of_[value];
  }

  std::uint8_t in_register(std::uint32_t value, std::uint32_t keep) {
    if (register_of_[value] == kNoRegister) {
      const std::uint8_t r = take_register(keep);
      put(MachineCode::kLoad, r, 0, Where::kRow, row_of_[value]);
      bind(value, r);
    }
    return register_of_[value];
  }

  // Call this after a use of the value.
  void advance(std::uint32_t value) {
    const std::uint32_t use = uses_[++next_use_[value]];
    const std::uint8_t r = register_of_[value];
    if (r != kNoRegister) {
      use_of_[r] = use < segment_end_ ? use : kNever;
      if (use_of_[r] == kNever) release(r);
    }
    if (use == kNever && row_of_[value] != schedule_.row_of_value[value]) {
      released_rows_.push_back(row_of_[value]);
      row_of_[value] = kNowhere;
    }
  }

  void define(std::uint32_t value, std::uint8_t r) {
    bind(value, r);
    if (row_of_[value] != kNowhere) put(MachineCode::kStore, 0, r, Where::kRow, row_of_[value]);
    if (use_of_[r] == kNever) release(r);
  }

  void translate(const Instruction& i) {
    switch (i.code) {
      case Code::kLoad:
      case Code::kBroadcast: {
        const std::uint8_t r = take_register(0);
        put(MachineCode::kLoad, r, 0, i.code == Code::kLoad ? Where::kVariable : Where::kUniform, i.a);
        return define(i.to, r);
      }
      case Code::kStore: {
        const std::uint8_t r = in_register(i.a, 0);
        put(MachineCode::kStore, 0, r, Where::kOutput, i.to);
        return advance(i.a);
      }
      case Code::kStoreUniform: {
        const std::uint8_t r = take_register(0);
        put(MachineCode::kLoad, r, 0, Where::kUniform, i.a);
        put(MachineCode::kStore, 0, r, Where::kOutput, i.to);
        free_ |= 1u << r;
        return;
      }
      case Code::kUnary: {  // kSqrt; kAbs has become kAndUniform
        const std::uint8_t r = in_register(i.a, 0);
        advance(i.a);
        const std::uint8_t to = take_register(0);
        put(MachineCode::kSqrt, to, r, Where::kRegister, r);
        return define(i.to, to);
      }
      case Code::kAdd:
      case Code::kSubtract:
      case Code::kMultiply:
      case Code::kDivide:
        return calculate(i);
      case Code::kMultiplyAdd:
        return multiply_and_add(i);
      case Code::kIfLess:
      case Code::kIfLessEqual:
        return choose(i);
      default:
        return calculate_with_uniform(i);
    }
  }

  static MachineCode code_of(Code code) {
    switch (code) {
      case Code::kAdd:
      case Code::kAddUniform:
        return MachineCode::kAdd;
      case Code::kSubtract:
      case Code::kSubtractUniform:
      case Code::kSubtractFromUniform:
        return MachineCode::kSubtract;
      case Code::kMultiply:
      case Code::kMultiplyUniform:
        return MachineCode::kMultiply;
      case Code::kAndUniform:
        return MachineCode::kAnd;
      default:
        return MachineCode::kDivide;
    }
  }

  void calculate(const Instruction& i) {
    std::uint32_t a = i.a, b = i.b;
    const bool commutes = i.code == Code::kAdd || i.code == Code::kMultiply;
    const bool has_a = register_of_[a] != kNoRegister, has_b = register_of_[b] != kNoRegister;
    // The operand from memory is the second one; if both are in memory, the one that is needed again later.
    if (commutes && !has_a && (has_b || use_after(b) < use_after(a))) std::swap(a, b);
    const std::uint8_t first = in_register(a, mask_of(b));
    const bool is_second_held = register_of_[b] != kNoRegister;
    const std::uint32_t second = is_second_held ? register_of_[b] : row_of_[b];
    advance(a);
    advance(b);
    put_calculation(i, first, is_second_held ? Where::kRegister : Where::kRow, second);
  }

  std::uint32_t use_after(std::uint32_t value) const { return uses_[next_use_[value] + 1]; }

  void calculate_with_uniform(const Instruction& i) {
    if (i.code == Code::kSubtractFromUniform || i.code == Code::kDivideUniform) {
      const std::uint8_t first = load_uniform(i.b, mask_of(i.a));
      const bool is_held = register_of_[i.a] != kNoRegister;
      const std::uint32_t second = is_held ? register_of_[i.a] : row_of_[i.a];
      advance(i.a);
      put(code_of(i.code), first, first, is_held ? Where::kRegister : Where::kRow, second);
      return define(i.to, first);
    }
    const std::uint8_t first = in_register(i.a, 0);
    // kAnd would read a scalar operand as a pair.
    const bool is_loaded = !has_uniform_operands_ || i.code == Code::kAndUniform;
    const std::uint32_t second = is_loaded ? load_uniform(i.b, 1u << first) : i.b;
    if (is_loaded) free_ |= 1u << second;
    advance(i.a);
    put_calculation(i, first, is_loaded ? Where::kRegister : Where::kUniform, second);
  }

  // Assigns the result after its operands have been used. An in-place result goes to an operand that is no
  // longer needed: the first one, or the second one if they commute; otherwise to any register but the second
  // one, which would have to be saved from the copy of the first.
  void put_calculation(const Instruction& i, std::uint8_t first, Where where, std::uint32_t second) {
    const MachineCode code = code_of(i.code);
    const std::uint32_t first_bit = 1u << first, second_bit = where == Where::kRegister ? 1u << second : 0;
    const bool commutes = code != MachineCode::kSubtract && code != MachineCode::kDivide;
    std::uint32_t hidden = 0;
    if (is_in_place_) {
      const std::uint32_t preferred = (free_ & first_bit) != 0                ? first_bit
                                      : commutes && (free_ & second_bit) != 0 ? second_bit
                                                                              : ~second_bit;
      if ((free_ & preferred) != 0) hidden = free_ & ~preferred;
    }
    free_ &= ~hidden;
    const std::uint8_t to = take_register(0);
    free_ |= hidden;
    put(code, to, first, where, second);
    define(i.to, to);
  }

  // An operand of a multiply-add: a register or memory.
  struct Operand {
    std::uint32_t index;  // value or uniform
    bool is_uniform;
    bool is_in_memory = false;
    std::uint8_t r = 0;
    Where where = Where::kRegister;
    std::uint32_t place = 0;  // in memory
  };

  // The instruction overwrites one of its operands: one that is no longer needed, else a copy.
  void multiply_and_add(const Instruction& i) {
    std::array<Operand, 3> operands = {{{i.a, false},
                                        {i.b, (i.order & CompiledProgram::kUniformFactor) != 0},
                                        {i.c, (i.order & CompiledProgram::kUniformAddend) != 0}}};
    const std::uint32_t keep = fetch(operands);
    for (const Operand& o : operands) {
      if (!o.is_uniform) advance(o.index);
    }
    const std::size_t overwritten = find_overwritten(operands, keep);
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const Operand& o = operands[k];
      if (o.is_uniform && !o.is_in_memory && k != overwritten) free_ |= 1u << o.r;
    }
    put_multiply_add(i, operands, overwritten);
    define(i.to, operands[overwritten].r);
  }

  // Loads all operands but one into registers and returns these registers as bits.
  std::uint32_t fetch(std::array<Operand, 3>& operands) {
    std::uint32_t keep = 0;
    Operand* in_memory = nullptr;
    for (Operand& o : operands) {
      if (!o.is_uniform) keep |= mask_of(o.index);
      if (o.is_uniform ? !has_uniform_operands_ : register_of_[o.index] != kNoRegister) continue;
      if (!in_memory || (o.is_uniform && !in_memory->is_uniform) ||
          (!o.is_uniform && !in_memory->is_uniform && use_after(o.index) > use_after(in_memory->index))) {
        in_memory = &o;
      }
    }
    for (Operand& o : operands) {
      if (&o == in_memory) continue;
      o.r = o.is_uniform ? load_uniform(o.index, keep) : in_register(o.index, keep);
      keep |= 1u << o.r;
    }
    if (!in_memory) return keep;
    // The other factor of a square is the same value and already in a register.
    if (!in_memory->is_uniform && register_of_[in_memory->index] != kNoRegister) {
      in_memory->r = register_of_[in_memory->index];
      return keep;
    }
    in_memory->is_in_memory = true;
    in_memory->where = in_memory->is_uniform ? Where::kUniform : Where::kRow;
    in_memory->place = in_memory->is_uniform ? in_memory->index : row_of_[in_memory->index];
    return keep;
  }

  std::size_t find_overwritten(std::array<Operand, 3>& operands, std::uint32_t keep) {
    for (const std::size_t k : {std::size_t{2}, std::size_t{0}, std::size_t{1}}) {
      const Operand& o = operands[k];
      if (keeps_factors_ && k != 2) continue;
      if (o.is_in_memory || (!o.is_uniform && register_of_[o.index] != kNoRegister)) continue;
      free_ &= ~(1u << o.r);
      use_of_[o.r] = 0;
      return k;
    }
    std::size_t copied = 2;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      if (operands[k].is_in_memory && !keeps_factors_) copied = k;
    }
    Operand& o = operands[copied];
    // A factor that is no longer needed has a free register, but is still read.
    const std::uint32_t hidden = free_ & keep;
    free_ &= ~hidden;
    const std::uint8_t to = take_register(keep);
    free_ |= hidden;
    put(MachineCode::kLoad, to, 0, o.where, o.is_in_memory ? o.place : o.r);
    o.r = to;
    o.is_in_memory = false;
    o.where = Where::kRegister;
    return copied;
  }

  void put_multiply_add(const Instruction& i, const std::array<Operand, 3>& operands,
                        std::size_t overwritten) {
    using Form = MachineInstruction::Form;
    using Kind = MachineInstruction::MultiplyAdd;
    Form form = Form::kATimesBPlusTo;
    std::size_t a = 0, b = 1;
    if (overwritten < 2) {
      const bool is_addend_in_memory = operands[2].is_in_memory;
      form = is_addend_in_memory ? Form::kATimesToPlusB : Form::kToTimesBPlusA;
      a = is_addend_in_memory ? 1 - overwritten : 2;
      b = is_addend_in_memory ? 2 : 1 - overwritten;
    } else if (operands[0].is_in_memory) {
      std::swap(a, b);
    }
    const Operand& second = operands[b];
    const Kind kind = (i.order & CompiledProgram::kMinusProduct) != 0  ? Kind::kMinusProduct
                      : (i.order & CompiledProgram::kMinusAddend) != 0 ? Kind::kMinusAddend
                                                                       : Kind::kPlus;
    made_.instructions.push_back({.code = MachineCode::kMultiplyAdd,
                                  .to = operands[overwritten].r,
                                  .a = operands[a].r,
                                  .where = second.where,
                                  .b = second.is_in_memory ? second.place : second.r,
                                  .kind = kind,
                                  .form = form});
  }

  // Adds the compared values, which gives nan if either is nan, and blends both results over this sum.
  void choose(const Instruction& i) {
    const std::array values = {i.a, i.b, i.c, i.d};
    std::uint32_t keep = 0;
    for (const std::uint32_t v : values) keep |= mask_of(v);
    std::array<std::uint8_t, 4> r{};
    for (std::size_t k = 0; k < values.size(); ++k) {
      r[k] = in_register(values[k], keep);
      keep |= 1u << r[k];
    }
    const auto [a, b, yes, no] = r;
    const std::uint8_t to = take_register(keep);
    const std::uint8_t condition = take_register(keep | 1u << to);
    const bool or_equal = i.code == Code::kIfLessEqual;
    const auto blend = [&](std::uint8_t chosen) {
      made_.instructions.push_back(
          {.code = MachineCode::kBlend, .to = to, .a = to, .b = chosen, .condition = condition});
    };
    put(MachineCode::kAdd, to, a, Where::kRegister, b);
    put(or_equal ? MachineCode::kLess : MachineCode::kLessEqual, condition, b, Where::kRegister, a);
    blend(no);
    put(or_equal ? MachineCode::kLessEqual : MachineCode::kLess, condition, a, Where::kRegister, b);
    blend(yes);
    free_ |= 1u << condition;
    for (const std::uint32_t v : values) advance(v);
    define(i.to, to);
  }

  std::uint8_t load_uniform(std::uint32_t uniform, std::uint32_t keep) {
    const std::uint8_t r = take_register(keep);
    put(MachineCode::kLoad, r, 0, Where::kUniform, uniform);
    return r;
  }

  const std::vector<Instruction>& code_;
  const CallSchedule& schedule_;
  std::uint32_t all_registers_;
  bool has_uniform_operands_;
  bool is_in_place_;
  bool keeps_factors_;
  AllocatedCode made_;

  ScratchMemory memory_;
  ScratchVector<std::uint8_t> register_of_;  // by value
  ScratchVector<std::uint32_t> row_of_;      // by value
  ScratchVector<std::uint32_t> next_use_;    // by value: an index into uses_
  ScratchVector<std::uint32_t> uses_{&memory_};
  ScratchVector<std::uint32_t> free_rows_{&memory_};
  ScratchVector<std::uint32_t> released_rows_{
      &memory_};                                         // by the current instruction, which still reads them
  std::array<std::uint32_t, 32> value_in_{}, use_of_{};  // by register
  std::uint32_t free_ = 0;                               // a bit for each register
  std::uint32_t segment_end_ = 0;
};

}  // namespace

AllocatedCode allocate_registers(const CompiledProgram& program, const CallSchedule& schedule,
                                 const RegisterSet& registers) {
  return Allocator(program, schedule, registers).run();
}

}  // namespace sestina
