#include "sestina/expression/program_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "sestina/expression/evaluate.h"
#include "sestina/expression/parse.h"

namespace sestina {
namespace {

constexpr std::uint32_t kNone = 0xffffffffu;

constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t part) {
  hash = (hash ^ part) * 0x9e3779b97f4a7c15ull;
  return hash ^ hash >> 32;
}

// Only the first factors of a longer product are searched for pairs, whose number is n(n - 1)/2.
constexpr std::uint32_t kMostPaired = 32;

// Counts of pairs of factors, by a key for each pair.
class PairCounts {
 public:
  PairCounts(std::size_t most, ScratchMemory& memory) : slots_(std::bit_ceil(most + most / 4 + 1), &memory) {}

  // Increments the count of a key and returns its slot.
  std::uint32_t count_up(std::uint64_t key) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = mix(0, key) & mask;
    while (slots_[slot].count != 0 && slots_[slot].key != key) slot = (slot + 1) & mask;
    slots_[slot].key = key;
    ++slots_[slot].count;
    return static_cast<std::uint32_t>(slot);
  }
  std::uint32_t at(std::uint32_t place) const { return slots_[place].count; }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t count = 0;
  };
  ScratchVector<Slot> slots_;  // open addressing; count 0 where free
};

}  // namespace

template <class Code>
bool KnownInstructions<Code>::are_alike(const Instruction& a, const Instruction& b) {
  // The second result of a sine and cosine is not an operand.
  const bool same_b = a.b == b.b || a.code == decltype(a.code)::kSinCos;
  return a.code == b.code && a.op == b.op && a.order == b.order && a.a == b.a && same_b && a.c == b.c &&
         a.d == b.d;
}

template <class Code>
std::uint64_t KnownInstructions<Code>::hash_of(const Instruction& i) {
  const std::uint32_t b = i.code == decltype(i.code)::kSinCos ? 0 : i.b;
  const std::uint64_t what =
      static_cast<std::uint64_t>(i.code) << 16 | static_cast<std::uint64_t>(i.op) << 8 | i.order;
  std::uint64_t hash = hash_of(what, i.a, b);
  if ((i.c | i.d) != 0) hash = mix(hash, std::uint64_t{i.c} << 32 | i.d);
  return hash;
}

template <class Code>
std::uint64_t KnownInstructions<Code>::hash_of(std::uint64_t what, std::uint32_t a, std::uint32_t b) {
  return mix(what, std::uint64_t{a} << 32 | b);
}

template <class Code>
auto KnownInstructions<Code>::find(Operation operation, std::uint32_t a, std::uint32_t b)
    -> const Instruction* {
  const std::size_t mask = slots_.size() - 1;
  slot_ = hash_of(static_cast<std::uint64_t>(operation) << 16, a, b) & mask;
  for (; slots_[slot_] != 0; slot_ = (slot_ + 1) & mask) {
    const Instruction& known = code_[slots_[slot_] - 1];
    if (known.code == operation && known.a == a && known.b == b) return &known;
  }
  return nullptr;
}

template <class Code>
auto KnownInstructions<Code>::find(const Instruction& instruction) -> const Instruction* {
  const std::size_t mask = slots_.size() - 1;
  for (slot_ = hash_of(instruction) & mask; slots_[slot_] != 0; slot_ = (slot_ + 1) & mask) {
    const Instruction& known = code_[slots_[slot_] - 1];
    if (are_alike(known, instruction)) return &known;
  }
  return nullptr;
}

template <class Code>
void KnownInstructions<Code>::add(const Instruction& instruction) {
  code_.push_back(instruction);
  slots_[slot_] = static_cast<std::uint32_t>(code_.size());
  if (2 * code_.size() < slots_.size()) return;
  ScratchVector<std::uint32_t> old(4 * slots_.size(), 0, slots_.get_allocator());
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const std::uint32_t entry : old) {
    if (entry == 0) continue;
    std::size_t slot = hash_of(code_[entry - 1]) & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = entry;
  }
}

template <class Code>
void KnownInstructions<Code>::reserve(std::size_t count) {
  code_.reserve(count);
  slots_.assign(std::bit_ceil(2 * count + 256), 0);
}

ProgramCompiler::ProgramCompiler(const Graph& graph, CompiledProgram& program)
    : graph_(graph),
      program_(program),
      hoisted_(program.hoisted_),
      known_(code_, memory_),
      known_hoisted_(hoisted_.instructions_, memory_) {}

void ProgramCompiler::compile(std::span<const Expr> outputs, std::span<const Expr> inputs,
                              std::size_t parameter_count) {
  program_.variable_count_ = inputs.size() - parameter_count;
  program_.parameter_count_ = hoisted_.input_count_ = parameter_count;
  program_.output_count_ = outputs.size();
  const std::size_t live = find_live(outputs);
  known_.reserve(live - live / 4);
  makers_.reserve(live);
  known_hoisted_.reserve(live / 2);
  one_ = constant(1.0);
  values_.assign(graph_.size(), {kNone});
  for (std::size_t i = 0; i < inputs.size(); ++i) values_[inputs[i].id] = {static_cast<std::uint32_t>(i)};
  for (std::uint32_t id = 0; id < is_live_.size(); ++id) {
    if (is_live_[id] != 0) values_[id] = lower(Expr{id});
  }
  for (std::size_t k = 0; k < outputs.size(); ++k) store(outputs[k], static_cast<std::uint32_t>(k));
  order_long_products();
  program_.value_count_ = static_cast<std::uint32_t>(makers_.size());
  hoisted_.scratch_size_ = uniform_count_;
  program_.tables_ = hoisted_.tables_;
}

// Marks the expressions that must be computed and returns their number. Constant parts are single numbers; of
// a divisor that only one product uses, only the base is marked.
std::size_t ProgramCompiler::find_live(std::span<const Expr> outputs) {
  std::size_t count = 0;
  constexpr std::uint8_t kIsDivisor = 2;
  is_live_.assign(graph_.size(), 0);
  ScratchVector<std::uint8_t> is_divisor(graph_.size(), 0, &memory_);
  ScratchVector<Expr> pending(outputs.begin(), outputs.end(), &memory_);
  while (!pending.empty()) {
    const Expr expr = pending.back();
    pending.pop_back();
    if (is_live_[expr.id] != 0) continue;
    is_live_[expr.id] = 1;
    ++count;
    if (graph_.constant_value(expr)) continue;
    const bool is_product = graph_.op(expr) == Op::kProduct;
    for (const Expr below : graph_.operands(expr)) {
      if (is_live_[below.id] != 0) continue;
      if (is_product && divisor_exponent(graph_, below) > 0 && ++is_divisor[below.id] < kIsDivisor) {
        pending.push_back(graph_.operands(below)[0]);
      } else {
        pending.push_back(below);
      }
    }
  }
  return count;
}

ProgramCompiler::Value ProgramCompiler::lower(Expr expr) {
  if (const auto value = graph_.constant_value(expr)) return constant(*value);
  const Op op = graph_.op(expr);
  const auto operands = graph_.operands(expr);
  if (is_unary(op)) return lower_unary(op, value_of(operands[0]));
  const auto at = [&](std::size_t i) { return value_of(operands[i]); };
  switch (op) {
    case Op::kSymbol:
      return lower_symbol(expr);
    case Op::kSum:
      return lower_sum(operands);
    case Op::kProduct:
      return lower_product(operands);
    case Op::kPower:
      return lower_power(expr);
    case Op::kAtan2:
      return call({Tape::Code::kAtan2}, std::array{at(0), at(1)});
    case Op::kMin:
      return call({Tape::Code::kIfLessEqual}, std::array{at(0), at(1), at(0), at(1)});
    case Op::kMax:
      return call({Tape::Code::kIfLessEqual}, std::array{at(1), at(0), at(0), at(1)});
    case Op::kIfLess:
      return call({Tape::Code::kIfLess}, std::array{at(0), at(1), at(2), at(3)});
    case Op::kIfLessEqual:
      return call({Tape::Code::kIfLessEqual}, std::array{at(0), at(1), at(2), at(3)});
    default:
      return lower_table(expr);
  }
}

ProgramCompiler::Value ProgramCompiler::lower_symbol(Expr symbol) {
  const std::uint32_t input = value_of(symbol).index;
  if (input == kNone) {
    throw ExpressionError(0, fmt::format("'{}' has no value here", graph_.name_of(symbol)));
  }
  const auto variables = static_cast<std::uint32_t>(program_.variable_count_);
  if (input < variables) return emit({Code::kLoad, Op::kNumber, 0, 0, input});
  const Value value = new_uniform();
  hoisted_.loads_.push_back({value.index, input - variables});
  return value;
}

// Adds the uniform terms separately and last, so that they take one addition for each state.
ProgramCompiler::Value ProgramCompiler::lower_sum(std::span<const Expr> terms) {
  Value sum, uniform;
  bool has_sum = false, has_uniform = false;
  for (const Expr term : terms) {
    const Value value = value_of(term);
    Value& part = value.is_uniform ? uniform : sum;
    bool& has_part = value.is_uniform ? has_uniform : has_sum;
    part = has_part ? add(part, value) : value;
    has_part = true;
  }
  if (!has_uniform) return sum;
  return has_sum ? add(sum, uniform) : uniform;
}

ProgramCompiler::Value ProgramCompiler::lower_product(std::span<const Expr> factors) {
  std::optional<Value> uniform, uniform_divisor;
  const auto times = [this](Value a, Value b) { return multiply(a, b); };
  factors_.clear();
  divisors_.clear();
  for (const Expr factor : factors) {
    const bool is_divisor = is_live_[factor.id] == 0;
    Value value = is_divisor ? value_of(graph_.operands(factor)[0]) : value_of(factor);
    if (is_divisor) value = calc_small_power(value, divisor_exponent(graph_, factor), times);
    if (value.is_uniform) {
      std::optional<Value>& product = is_divisor ? uniform_divisor : uniform;
      product = product ? multiply(*product, value) : value;
    } else {
      (is_divisor ? divisors_ : factors_).push_back(value);
    }
  }
  if (uniform_divisor) uniform = divide(uniform.value_or(one_), *uniform_divisor);
  const bool is_sign_alone = uniform && uniform->index == one_.index;
  if (is_sign_alone && !factors_.empty()) {
    factors_.front().is_negative ^= uniform->is_negative;
  } else if (uniform || factors_.empty()) {
    factors_.insert(factors_.begin(), uniform.value_or(one_));
  }
  const Value numerator = multiply_all(factors_);
  return divisors_.empty() ? numerator : divide(numerator, multiply_all(divisors_));
}

ProgramCompiler::Value ProgramCompiler::lower_power(Expr expr) {
  const auto operands = graph_.operands(expr);
  const auto exponent = graph_.integer_exponent(expr);
  if (!exponent || std::abs(*exponent) > kMostFactors) {
    return call({Tape::Code::kPower}, std::array{value_of(operands[0]), value_of(operands[1])});
  }
  const Value power = calc_small_power(value_of(operands[0]), std::abs(*exponent),
                                       [this](Value a, Value b) { return multiply(a, b); });
  return *exponent > 0 ? power : divide(one_, power);
}

ProgramCompiler::Value ProgramCompiler::lower_unary(Op op, Value argument) {
  if (op == Op::kSin || op == Op::kCos) {
    const bool is_negative = argument.is_negative && op == Op::kSin;
    argument.is_negative = false;
    Value value = call({Tape::Code::kSinCos}, std::array{argument});
    if (op == Op::kCos) ++value.index;
    value.is_negative = is_negative;
    return value;
  }
  if (op == Op::kAbs && !argument.is_uniform) {
    const Value mask = constant(std::bit_cast<double>(~std::uint64_t{0} >> 1));
    return emit({Code::kAndUniform, Op::kNumber, 0, 0, argument.index, mask.index});
  }
  return call({Tape::Code::kUnary, op}, std::array{argument});
}

ProgramCompiler::Value ProgramCompiler::lower_table(Expr expr) {
  const auto [entry, is_new] = tables_.try_emplace(&graph_.table_of(expr));
  if (is_new) {
    entry->second = static_cast<std::uint32_t>(hoisted_.tables_.size());
    hoisted_.tables_.push_back(graph_.shared_table_of(expr));
  }
  Tape::Instruction instruction{Tape::Code::kTable};
  instruction.order = static_cast<std::uint8_t>(graph_.table_order_of(expr));
  instruction.b = entry->second;
  return call(instruction, std::array{value_of(graph_.operands(expr)[0])});
}

// --- Values ---

// Returns a constant; a negative number is the magnitude with the flag is_negative.
ProgramCompiler::Value ProgramCompiler::constant(double value) {
  const bool is_negative = value < 0.0;
  if (is_negative) value = -value;
  const auto [entry, is_new] = constants_.try_emplace(std::bit_cast<std::uint64_t>(value), uniform_count_);
  if (is_new) hoisted_.constants_.push_back({uniform_count_++, value});
  return {entry->second, true, is_negative};
}

// Emits an operation on magnitudes.
template <Tape::Code code>
ProgramCompiler::Value ProgramCompiler::arithmetic(Value a, Value b) {
  constexpr bool kCommutes = code == Tape::Code::kAdd || code == Tape::Code::kMultiply;
  if (kCommutes && a.is_uniform == b.is_uniform && b.index < a.index) std::swap(a, b);
  if (a.is_uniform && b.is_uniform) return emit_hoisted(code, a.index, b.index);
  struct Forms {
    Code plain, right_uniform, left_uniform;
  };
  constexpr Forms kForms = code == Tape::Code::kAdd ? Forms{Code::kAdd, Code::kAddUniform, Code::kAddUniform}
                           : code == Tape::Code::kSubtract
                               ? Forms{Code::kSubtract, Code::kSubtractUniform, Code::kSubtractFromUniform}
                           : code == Tape::Code::kMultiply
                               ? Forms{Code::kMultiply, Code::kMultiplyUniform, Code::kMultiplyUniform}
                               : Forms{Code::kDivide, Code::kDivideByUniform, Code::kDivideUniform};
  if (a.is_uniform) return emit(kForms.left_uniform, b.index, a.index);
  return emit(b.is_uniform ? kForms.right_uniform : kForms.plain, a.index, b.index);
}

ProgramCompiler::Value ProgramCompiler::add(Value a, Value b) {
  const bool is_difference = a.is_negative != b.is_negative;
  Value sum = is_difference ? arithmetic<Tape::Code::kSubtract>(a, b) : arithmetic<Tape::Code::kAdd>(a, b);
  sum.is_negative = a.is_negative;
  return sum;
}

ProgramCompiler::Value ProgramCompiler::multiply(Value a, Value b) {
  Value product = arithmetic<Tape::Code::kMultiply>(a, b);
  product.is_negative = a.is_negative != b.is_negative;
  return product;
}

ProgramCompiler::Value ProgramCompiler::divide(Value a, Value b) {
  Value quotient = arithmetic<Tape::Code::kDivide>(a, b);
  quotient.is_negative = a.is_negative != b.is_negative;
  return quotient;
}

ProgramCompiler::Value ProgramCompiler::multiply_all(std::span<const Value> factors) {
  if (factors.size() == 1) return factors[0];
  if (factors.size() == 2) return multiply(factors[0], factors[1]);
  LongProduct product{static_cast<std::uint32_t>(code_.size()),
                      static_cast<std::uint32_t>(long_factors_.size()),
                      static_cast<std::uint32_t>(factors.size())};
  bool is_negative = false;
  for (Value factor : factors) {
    is_negative ^= factor.is_negative;
    factor.is_negative = false;
    long_factors_.push_back(factor);
  }
  long_products_.push_back(product);
  // Its operands are not known yet, which makes it different from all other instructions.
  Value value =
      emit({Code::kMultiply, Op::kNumber, 0, 0, kNone, static_cast<std::uint32_t>(long_products_.size())});
  value.is_negative = is_negative;
  return value;
}

ProgramCompiler::Value ProgramCompiler::plain(Value value) {
  if (!value.is_negative) return value;
  value.is_negative = false;
  if (value.is_uniform) return emit_hoisted({Tape::Code::kNegate, Op::kNumber, 0, 0, value.index});
  const Instruction& maker = code_[makers_[value.index]];
  if (maker.code == Code::kSubtract) return emit({Code::kSubtract, Op::kNumber, 0, 0, maker.b, maker.a});
  if (maker.code == Code::kSubtractUniform || maker.code == Code::kSubtractFromUniform) {
    const bool is_from = maker.code == Code::kSubtractFromUniform;
    return emit(
        {is_from ? Code::kSubtractUniform : Code::kSubtractFromUniform, Op::kNumber, 0, 0, maker.a, maker.b});
  }
  // Negates the bits by an instruction that exists anyway.
  const Value minus_one = plain({one_.index, true, true});
  return emit({Code::kMultiplyUniform, Op::kNumber, 0, 0, value.index, minus_one.index});
}

std::uint32_t ProgramCompiler::varying(Value value) {
  value = plain(value);
  return value.is_uniform ? emit({Code::kBroadcast, Op::kNumber, 0, 0, value.index}).index : value.index;
}

// Emits the same instruction to the uniform part or to the part for each state.
ProgramCompiler::Value ProgramCompiler::call(Tape::Instruction instruction, std::span<const Value> operands) {
  const bool is_uniform = std::all_of(operands.begin(), operands.end(), [](Value v) { return v.is_uniform; });
  std::array<std::uint32_t, 4> at{};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    at[i] = is_uniform ? plain(operands[i]).index : varying(operands[i]);
  }
  instruction.a = at[0];
  if (operands.size() > 1) instruction.b = at[1];
  instruction.c = at[2];
  instruction.d = at[3];
  if (is_uniform) return emit_hoisted(instruction);
  const Code code = instruction.code == Tape::Code::kSinCos        ? Code::kSinCos
                    : instruction.code == Tape::Code::kPower       ? Code::kPower
                    : instruction.code == Tape::Code::kAtan2       ? Code::kAtan2
                    : instruction.code == Tape::Code::kIfLess      ? Code::kIfLess
                    : instruction.code == Tape::Code::kIfLessEqual ? Code::kIfLessEqual
                    : instruction.code == Tape::Code::kTable       ? Code::kTable
                                                                   : Code::kUnary;
  return emit({code, instruction.op, instruction.order, 0, instruction.a, instruction.b, instruction.c,
               instruction.d});
}

ProgramCompiler::Value ProgramCompiler::emit(Instruction instruction) {
  if (const Instruction* known = known_.find(instruction)) return {known->to};
  const auto index = static_cast<std::uint32_t>(code_.size());
  CompiledProgram::visit_results(instruction, [&](std::uint32_t& result) {
    result = static_cast<std::uint32_t>(makers_.size());
    makers_.push_back(index);
  });
  known_.add(instruction);
  return {instruction.to};
}

ProgramCompiler::Value ProgramCompiler::emit(Code code, std::uint32_t a, std::uint32_t b) {
  if (const Instruction* known = known_.find(code, a, b)) return {known->to};
  const auto to = static_cast<std::uint32_t>(makers_.size());
  makers_.push_back(static_cast<std::uint32_t>(code_.size()));
  known_.add({code, Op::kNumber, 0, to, a, b});
  return {to};
}

ProgramCompiler::Value ProgramCompiler::emit_hoisted(Tape::Code code, std::uint32_t a, std::uint32_t b) {
  if (const Tape::Instruction* known = known_hoisted_.find(code, a, b)) return {known->to, true};
  const std::uint32_t to = uniform_count_++;
  known_hoisted_.add({code, Op::kNumber, 0, to, a, b});
  return {to, true};
}

ProgramCompiler::Value ProgramCompiler::emit_hoisted(Tape::Instruction instruction) {
  if (const Tape::Instruction* known = known_hoisted_.find(instruction)) return {known->to, true};
  instruction.to = uniform_count_++;
  if (instruction.code == Tape::Code::kSinCos) instruction.b = uniform_count_++;  // the place after `to`
  known_hoisted_.add(instruction);
  return {instruction.to, true};
}

void ProgramCompiler::store(Expr output, std::uint32_t index) {
  const Value value = plain(value_of(output));
  code_.push_back(
      {value.is_uniform ? Code::kStoreUniform : Code::kStore, Op::kNumber, 0, index, value.index});
}

// --- Long products ---

// Multiplies factors from left to right, but first the pair that most products share, if several share one.
void ProgramCompiler::order_long_products() {
  const auto pairs_of = [this](const LongProduct& product) {
    return std::span(long_factors_).subspan(product.first, std::min(product.count, kMostPaired));
  };
  const auto key_of = [](Value a, Value b) {
    const auto part = [](Value v) { return std::uint64_t{v.index} << 1 | (v.is_uniform ? 1u : 0u); };
    return std::max(part(a), part(b)) << 32 | std::min(part(a), part(b));
  };
  std::size_t pair_count = 0;
  for (const LongProduct& product : long_products_) {
    const std::size_t n = pairs_of(product).size();
    pair_count += n * (n - 1) / 2;
  }
  PairCounts counts(pair_count, memory_);
  ScratchVector<std::uint32_t> places(&memory_);  // pair after pair
  places.reserve(pair_count);
  for (const LongProduct& product : long_products_) {
    const auto factors = pairs_of(product);
    for (std::size_t i = 1; i < factors.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) places.push_back(counts.count_up(key_of(factors[i], factors[j])));
    }
  }
  const std::uint32_t* place = places.data();
  for (const LongProduct& product : long_products_) {
    std::size_t best_i = 1, best_j = 0;
    std::uint32_t best = 0;
    for (std::size_t i = 1; i < pairs_of(product).size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const std::uint32_t count = counts.at(*place++);
        if (count <= best) continue;
        best = count;
        best_i = i;
        best_j = j;
      }
    }
    multiply_pair_first(product, best_i, best_j);
  }
}

void ProgramCompiler::multiply_pair_first(const LongProduct& product, std::size_t i, std::size_t j) {
  const auto factors = std::span(long_factors_).subspan(product.first, product.count);
  std::swap(factors[0], factors[j]);
  std::swap(factors[1], factors[i]);
  Value value = factors[0];
  for (std::size_t k = 1; k + 1 < factors.size(); ++k) value = multiply(value, factors[k]);
  const Value last = factors.back();
  // A uniform times uniforms is already one uniform.
  Instruction& made = code_[product.instruction];
  made.code = value.is_uniform || last.is_uniform ? Code::kMultiplyUniform : Code::kMultiply;
  made.a = value.is_uniform ? last.index : value.index;
  made.b = value.is_uniform ? value.index : last.index;
}

}  // namespace sestina
