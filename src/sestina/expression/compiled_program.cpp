#include "sestina/expression/compiled_program.h"

#include <algorithm>

namespace sestina {

class ProgramBuilder {
 public:
  ProgramBuilder(const Tape& tape, std::size_t variable_count, CompiledProgram& program)
      : tape_(tape), variable_count_(variable_count), program_(program), hoisted_(program.hoisted_) {}

  void build() {
    program_.variable_count_ = variable_count_;
    program_.parameter_count_ = tape_.input_count_ - variable_count_;
    program_.output_count_ = tape_.output_count_;
    program_.tables_ = tape_.tables_;
    hoisted_.input_count_ = program_.parameter_count_;
    hoisted_.tables_ = tape_.tables_;
    now_.resize(tape_.scratch_size_);
    for (const auto& [to, value] : tape_.constants_) {
      hoisted_.constants_.push_back({new_uniform(to), value});
    }
    for (const auto& [to, input] : tape_.loads_) {
      if (input >= variable_count_) {
        const auto parameter = static_cast<std::uint32_t>(input - variable_count_);
        hoisted_.loads_.push_back({new_uniform(to), parameter});
      } else {
        now_[to] = {Kind::kVariable, input};
      }
    }
    for (const Tape::Instruction& instruction : tape_.instructions_) translate(instruction);
    hoisted_.scratch_size_ = uniform_count_;
    assign_registers();
  }

 private:
  using From = Tape::Code;
  using Code = CompiledProgram::Code;
  using Instruction = CompiledProgram::Instruction;

  enum class Kind : std::uint8_t { kUniform, kVariable, kVarying };
  // What a register of the tape holds at present: the index of a uniform, of a variable that has not been
  // loaded, or of a value of code_.
  struct Value {
    Kind kind = Kind::kUniform;
    std::uint32_t index = 0;
  };

  std::uint32_t new_uniform(std::uint32_t tape_register) {
    now_[tape_register] = {Kind::kUniform, uniform_count_};
    return uniform_count_++;
  }

  std::uint32_t emit(Instruction instruction) {
    instruction.to = value_count_++;
    if (instruction.code == Code::kSinCos) instruction.b = value_count_++;
    program_.code_.push_back(instruction);
    return instruction.to;
  }

  bool is_uniform(std::uint32_t tape_register) const { return now_[tape_register].kind == Kind::kUniform; }

  // A value of code_. Variables are loaded where they are first wanted.
  std::uint32_t varying(std::uint32_t tape_register) {
    Value& value = now_[tape_register];
    if (value.kind == Kind::kVariable) {
      value = {Kind::kVarying, emit({Code::kLoad, Op::kNumber, 0, 0, value.index})};
    }
    if (value.kind == Kind::kVarying) return value.index;
    return emit({Code::kBroadcast, Op::kNumber, 0, 0, value.index});
  }

  void translate(const Tape::Instruction& given) {
    if (given.code == From::kStore) {
      Instruction store{is_uniform(given.a) ? Code::kStoreUniform : Code::kStore};
      store.a = is_uniform(given.a) ? now_[given.a].index : varying(given.a);
      store.to = given.to;
      program_.code_.push_back(store);
      return;
    }
    const int count = Tape::operand_count(given.code);
    const std::array<std::uint32_t, 4> operands = {given.a, given.b, given.c, given.d};
    if (std::all_of(operands.begin(), operands.begin() + count, [&](auto at) { return is_uniform(at); })) {
      hoist(given, operands, count);
    } else if (count == 2 && given.code != From::kPower && given.code != From::kAtan2) {
      now_[given.to] = {Kind::kVarying, translate_arithmetic(given)};
    } else {
      translate_call(given, operands, count);
    }
  }

  void hoist(Tape::Instruction instruction, std::array<std::uint32_t, 4> operands, int count) {
    const std::uint32_t to = instruction.to, cosine = instruction.b;
    for (int i = 0; i < count; ++i)
      operands[static_cast<std::size_t>(i)] = now_[operands[static_cast<std::size_t>(i)]].index;
    instruction.a = operands[0];
    if (count > 1) instruction.b = operands[1];
    instruction.c = operands[2];
    instruction.d = operands[3];
    instruction.to = new_uniform(to);
    if (instruction.code == From::kSinCos) instruction.b = new_uniform(cosine);
    hoisted_.instructions_.push_back(instruction);
  }

  std::uint32_t translate_arithmetic(const Tape::Instruction& given) {
    struct Forms {
      Code plain, right_uniform, left_uniform;
    };
    const Forms forms = given.code == From::kAdd ? Forms{Code::kAdd, Code::kAddUniform, Code::kAddUniform}
                        : given.code == From::kSubtract
                            ? Forms{Code::kSubtract, Code::kSubtractUniform, Code::kSubtractFromUniform}
                        : given.code == From::kMultiply
                            ? Forms{Code::kMultiply, Code::kMultiplyUniform, Code::kMultiplyUniform}
                            : Forms{Code::kDivide, Code::kDivideByUniform, Code::kDivideUniform};
    Instruction instruction{forms.plain};
    if (is_uniform(given.a)) {
      instruction.code = forms.left_uniform;
      instruction.a = varying(given.b);
      instruction.b = now_[given.a].index;
    } else if (is_uniform(given.b)) {
      instruction.code = forms.right_uniform;
      instruction.a = varying(given.a);
      instruction.b = now_[given.b].index;
    } else {
      instruction.a = varying(given.a);
      instruction.b = varying(given.b);
    }
    return emit(instruction);
  }

  void translate_call(const Tape::Instruction& given, const std::array<std::uint32_t, 4>& operands,
                      int count) {
    std::array<std::uint32_t, 4> values{};
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) values[i] = varying(operands[i]);
    Instruction instruction{Code::kUnary, given.op,  given.order, 0,
                            values[0],    values[1], values[2],   values[3]};
    const bool is_sine = given.code == From::kUnary && given.op == Op::kSin;
    const bool is_cosine = given.code == From::kUnary && given.op == Op::kCos;
    switch (given.code) {
      case From::kNegate:
        instruction.code = Code::kNegate;
        break;
      case From::kPower:
        instruction.code = Code::kPower;
        break;
      case From::kAtan2:
        instruction.code = Code::kAtan2;
        break;
      case From::kIfLess:
        instruction.code = Code::kIfLess;
        break;
      case From::kIfLessEqual:
        instruction.code = Code::kIfLessEqual;
        break;
      case From::kTable:
        instruction.code = Code::kTable;
        instruction.b = given.b;
        break;
      default:
        if (is_sine || is_cosine || given.code == From::kSinCos) instruction.code = Code::kSinCos;
        break;
    }
    const std::uint32_t result = emit(instruction);
    now_[given.to] = {Kind::kVarying, is_cosine ? result + 1 : result};
    if (given.code == From::kSinCos) now_[given.b] = {Kind::kVarying, result + 1};
  }

  template <class Visit>
  static void visit_operands(Instruction& instruction, Visit visit) {
    switch (instruction.code) {
      case Code::kLoad:
      case Code::kBroadcast:
      case Code::kStoreUniform:
        return;
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

  // A register is free again after the last use of its value.
  void assign_registers() {
    std::vector<std::size_t> last_use(value_count_, 0);
    for (std::size_t k = 0; k < program_.code_.size(); ++k) {
      visit_operands(program_.code_[k], [&](std::uint32_t& value) { last_use[value] = k; });
    }
    std::vector<std::uint32_t> assigned(value_count_), free;
    std::uint32_t count = 0;
    const auto assign = [&](std::uint32_t& value) {
      if (free.empty()) free.push_back(count++);
      value = assigned[value] = free.back();
      free.pop_back();
    };
    for (std::size_t k = 0; k < program_.code_.size(); ++k) {
      Instruction& instruction = program_.code_[k];
      visit_operands(instruction, [&](std::uint32_t& operand) {
        const std::uint32_t value = operand;
        operand = assigned[value];
        if (last_use[value] != k) return;
        free.push_back(operand);
        last_use[value] = program_.code_.size();  // an operand that occurs twice is released once
      });
      if (instruction.code == Code::kStore || instruction.code == Code::kStoreUniform) continue;
      const std::uint32_t result = instruction.to;
      assign(instruction.to);
      if (instruction.code != Code::kSinCos) continue;
      const std::uint32_t cosine = instruction.b;
      assign(instruction.b);
      // Of a lone sine the cosine goes nowhere, and the other way round.
      if (last_use[result] == 0) free.push_back(instruction.to);
      if (last_use[cosine] == 0) free.push_back(instruction.b);
    }
    program_.register_count_ = count;
  }

  const Tape& tape_;
  std::size_t variable_count_;
  CompiledProgram& program_;
  Tape& hoisted_;
  std::vector<Value> now_;  // by register of the tape
  std::uint32_t uniform_count_ = 0, value_count_ = 0;
};

CompiledProgram::CompiledProgram(const Tape& tape, std::size_t variable_count) {
  ProgramBuilder(tape, variable_count, *this).build();
}

std::vector<double> CompiledProgram::bind(std::span<const double> parameters) const {
  std::vector<double> bound(hoisted_.scratch_size());
  hoisted_.evaluate<double>(parameters, {}, bound);
  return bound;
}

}  // namespace sestina
