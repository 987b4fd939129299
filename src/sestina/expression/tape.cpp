#include "sestina/expression/tape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <map>
#include <unordered_map>
#include <utility>

#include "sestina/expression/evaluate.h"
#include "sestina/expression/parse.h"

namespace sestina {

// Works in two steps: first every value has its own place, and equal operations are found by their key; then
// places are reused after the last use of their value.
class TapeCompiler {
 public:
  TapeCompiler(const Graph& graph, Tape& tape) : graph_(graph), tape_(tape) {}

  void compile(std::span<const Expr> outputs, std::span<const Expr> inputs) {
    tape_.input_count_ = inputs.size();
    tape_.output_count_ = outputs.size();
    for (std::size_t i = 0; i < inputs.size(); ++i) input_of_[inputs[i].id] = static_cast<std::uint32_t>(i);
    const std::vector<Expr> live = live_nodes(outputs);
    for (const Expr expr : live) {
      if (graph_.op(expr) == Op::kSin) sines_.emplace(graph_.operands(expr)[0].id, false);
    }
    for (const Expr expr : live) {
      const auto sine = graph_.op(expr) == Op::kCos ? sines_.find(graph_.operands(expr)[0].id) : sines_.end();
      if (sine != sines_.end()) sine->second = true;
    }
    for (const Expr expr : live) place_[expr.id] = lower(expr);
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      code_.push_back(
          {Code::kStore, Op::kNumber, 0, static_cast<std::uint32_t>(k), place_.at(outputs[k].id)});
    }
    sink_stores();
    assign_registers();
  }

 private:
  using Code = Tape::Code;
  using Instruction = Tape::Instruction;
  using Place = std::uint32_t;

  // Returns the expressions that must be computed, operands first. Constant parts are single numbers; of a
  // divisor only the base is computed.
  std::vector<Expr> live_nodes(std::span<const Expr> outputs) const {
    std::vector<Expr> pending(outputs.begin(), outputs.end());
    std::map<Expr, bool> seen;
    while (!pending.empty()) {
      const Expr expr = pending.back();
      pending.pop_back();
      if (!seen.emplace(expr, true).second || graph_.constant_value(expr)) continue;
      for (Expr below : graph_.operands(expr)) {
        if (graph_.op(expr) == Op::kProduct && divisor_exponent(graph_, below) > 0) {
          below = graph_.operands(below)[0];
        }
        pending.push_back(below);
      }
    }
    std::vector<Expr> live;
    for (const auto& [expr, is_seen] : seen) live.push_back(expr);
    return live;
  }

  Place new_place() { return place_count_++; }

  Place constant(double value) {
    const auto [entry, is_new] = constants_.try_emplace(std::bit_cast<std::uint64_t>(value));
    if (is_new) {
      entry->second = new_place();
      tape_.constants_.push_back({entry->second, value});
    }
    return entry->second;
  }

  Place emit(Instruction instruction) {
    const std::array<std::uint32_t, 5> key = {static_cast<std::uint32_t>(instruction.code) << 16 |
                                                  static_cast<std::uint32_t>(instruction.op) << 8 |
                                                  instruction.order,
                                              instruction.a, instruction.b, instruction.c, instruction.d};
    const auto [entry, is_new] = known_.try_emplace(key);
    if (!is_new) return entry->second;
    instruction.to = entry->second = new_place();
    if (instruction.code == Code::kSinCos) instruction.b = new_place();  // the place after `to`
    code_.push_back(instruction);
    return entry->second;
  }

  Place emit(Code code, Place a, Place b = 0, Place c = 0, Place d = 0) {
    return emit({code, Op::kNumber, 0, 0, a, b, c, d});
  }

  Place place(Expr expr) const { return place_.at(expr.id); }

  Place lower(Expr expr) {
    if (const auto value = graph_.constant_value(expr)) return constant(*value);
    const Op op = graph_.op(expr);
    const auto operands = graph_.operands(expr);
    if (op == Op::kSin || op == Op::kCos) return lower_sine(op, operands[0]);
    if (is_unary(op)) return emit({Code::kUnary, op, 0, 0, place(operands[0])});
    const auto at = [&](std::size_t i) { return place(operands[i]); };
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
        return emit(Code::kAtan2, at(0), at(1));
      case Op::kMin:
        return emit(Code::kIfLessEqual, at(0), at(1), at(0), at(1));
      case Op::kMax:
        return emit(Code::kIfLessEqual, at(1), at(0), at(0), at(1));
      case Op::kIfLess:
        return emit(Code::kIfLess, at(0), at(1), at(2), at(3));
      case Op::kIfLessEqual:
        return emit(Code::kIfLessEqual, at(0), at(1), at(2), at(3));
      default:
        return lower_table(expr);
    }
  }

  Place lower_symbol(Expr symbol) {
    const auto input = input_of_.find(symbol.id);
    if (input == input_of_.end()) {
      throw ExpressionError(0, fmt::format("'{}' has no value here", graph_.name_of(symbol)));
    }
    tape_.loads_.push_back({new_place(), input->second});
    return tape_.loads_.back().to;
  }

  Place lower_sine(Op op, Expr argument) {
    const auto sine = sines_.find(argument.id);
    if (sine == sines_.end() || !sine->second) return emit({Code::kUnary, op, 0, 0, place(argument)});
    const Place both = emit(Code::kSinCos, place(argument));
    return op == Op::kSin ? both : both + 1;
  }

  Place lower_table(Expr expr) {
    const auto [entry, is_new] = tables_.try_emplace(&graph_.table_of(expr));
    if (is_new) {
      entry->second = static_cast<std::uint32_t>(tape_.tables_.size());
      tape_.tables_.push_back(graph_.shared_table_of(expr));
    }
    const auto order = static_cast<std::uint8_t>(graph_.table_order_of(expr));
    return emit({Code::kTable, Op::kTable, order, 0, place(graph_.operands(expr)[0]), entry->second});
  }

  // A term, and true if it is to be subtracted.
  std::pair<Place, bool> lower_term(Expr term) {
    if (graph_.constant_value(term)) return {place(term), false};
    if (graph_.op(term) == Op::kProduct) {
      const auto factors = graph_.operands(term);
      if (graph_.is_number(factors[0]) && graph_.number_of(factors[0]).is_negative()) {
        return {lower_product(factors, true), true};
      }
    }
    return {place(term), false};
  }

  Place lower_sum(std::span<const Expr> terms) {
    const std::size_t first = graph_.is_number(terms[0]) ? 1 : 0;
    auto [sum, is_negative] = lower_term(terms[first]);
    for (std::size_t i = first + 1; i < terms.size() + first; ++i) {
      const auto [term, is_subtracted] = lower_term(terms[i % terms.size()]);  // the number comes last
      if (is_negative && !is_subtracted) {
        sum = emit(Code::kSubtract, term, sum);
      } else {
        if (is_negative) sum = emit(Code::kNegate, sum);
        sum = emit(is_subtracted ? Code::kSubtract : Code::kAdd, sum, term);
      }
      is_negative = false;
    }
    return is_negative ? emit(Code::kNegate, sum) : sum;
  }

  Place lower_product(std::span<const Expr> factors, bool without_sign = false) {
    std::optional<Place> numerator, denominator;
    const auto multiply = [this](std::optional<Place>& product, Place factor) {
      product = product ? emit(Code::kMultiply, *product, factor) : factor;
    };
    const bool has_number = graph_.is_number(factors[0]);
    for (const Expr factor : factors.subspan(has_number ? 1 : 0)) {
      if (const std::int64_t n = divisor_exponent(graph_, factor)) {
        multiply(denominator, small_power(place(graph_.operands(factor)[0]), n));
      } else {
        multiply(numerator, place(factor));
      }
    }
    const Coefficient number = has_number ? graph_.number_of(factors[0]) : Coefficient::fraction(1, 1);
    const Coefficient coefficient = without_sign && number.is_negative() ? -number : number;
    if (!numerator) return emit(Code::kDivide, constant(coefficient.value()), *denominator);
    if (denominator) numerator = emit(Code::kDivide, *numerator, *denominator);
    return scale(*numerator, coefficient);
  }

  Place scale(Place rest, const Coefficient& coefficient) {
    if (coefficient.is_one()) return rest;
    if (!coefficient.is_exact() || std::abs(coefficient.numerator()) != 1) {
      return emit(Code::kMultiply, rest, constant(coefficient.value()));
    }
    if (coefficient.is_integer()) return emit(Code::kNegate, rest);
    const auto divisor = static_cast<double>(coefficient.numerator() * coefficient.denominator());
    return emit(Code::kDivide, rest, constant(divisor));
  }

  Place small_power(Place base, std::int64_t exponent) {
    return calc_small_power(base, exponent, [this](Place a, Place b) { return emit(Code::kMultiply, a, b); });
  }

  Place lower_power(Expr expr) {
    const auto operands = graph_.operands(expr);
    const auto exponent = graph_.integer_exponent(expr);
    if (!exponent || std::abs(*exponent) > kMostFactors) {
      return emit(Code::kPower, place(operands[0]), place(operands[1]));
    }
    const Place power = small_power(place(operands[0]), std::abs(*exponent));
    return *exponent > 0 ? power : emit(Code::kDivide, constant(1.0), power);
  }

  template <class Visit>
  static void visit_operands(Instruction& instruction, Visit visit) {
    const std::size_t count = Tape::operand_count(instruction.code);
    visit(instruction.a);
    if (count >= 2) visit(instruction.b);
    if (count == 4) {
      visit(instruction.c);
      visit(instruction.d);
    }
  }

  // Moves stores to where the outputs are known, so that they do not hold registers until the end.
  void sink_stores() {
    std::unordered_map<Place, std::vector<Instruction>> stores;
    std::vector<Instruction> ordered, others;
    for (const Instruction& instruction : code_) {
      if (instruction.code == Code::kStore) {
        stores[instruction.a].push_back(instruction);
      } else {
        others.push_back(instruction);
      }
    }
    const auto store = [&](Place place) {
      const auto found = stores.find(place);
      if (found == stores.end()) return;
      ordered.insert(ordered.end(), found->second.begin(), found->second.end());
    };
    for (const auto& constant : tape_.constants_) store(constant.to);
    for (const auto& load : tape_.loads_) store(load.to);
    for (const Instruction& instruction : others) {
      ordered.push_back(instruction);
      store(instruction.to);
      if (instruction.code == Code::kSinCos) store(instruction.b);
    }
    code_ = std::move(ordered);
  }

  void drop_unused() {
    std::vector<bool> is_used(place_count_, false);
    std::vector<Instruction> kept;
    for (auto i = code_.rbegin(); i != code_.rend(); ++i) {
      const bool is_needed =
          i->code == Code::kStore || is_used[i->to] || (i->code == Code::kSinCos && is_used[i->b]);
      if (!is_needed) continue;
      visit_operands(*i, [&](Place& operand) { is_used[operand] = true; });
      kept.push_back(*i);
    }
    code_.assign(kept.rbegin(), kept.rend());
    std::erase_if(tape_.constants_, [&](const auto& constant) { return !is_used[constant.to]; });
    std::erase_if(tape_.loads_, [&](const auto& load) { return !is_used[load.to]; });
  }

  void assign_registers() {
    drop_unused();
    std::vector<std::size_t> last_use(place_count_, 0);
    for (std::size_t k = 0; k < code_.size(); ++k) {
      visit_operands(code_[k], [&](Place& operand) { last_use[operand] = k; });
    }
    std::vector<Place> assigned(place_count_), free;
    Place count = 0;
    const auto assign = [&](Place& place) {
      Place result = count;
      if (free.empty()) {
        ++count;
      } else {
        result = free.back();
        free.pop_back();
      }
      assigned[place] = result;
      place = result;
    };
    for (auto& constant : tape_.constants_) assign(constant.to);
    for (auto& load : tape_.loads_) assign(load.to);
    for (std::size_t k = 0; k < code_.size(); ++k) {
      Instruction& instruction = code_[k];
      visit_operands(instruction, [&](Place& operand) {
        const Place place = operand;
        operand = assigned[place];
        if (last_use[place] != k) return;
        free.push_back(operand);
        last_use[place] = code_.size();  // an operand that occurs twice is released once
      });
      if (instruction.code == Code::kStore) continue;
      assign(instruction.to);
      if (instruction.code == Code::kSinCos) assign(instruction.b);
    }
    tape_.scratch_size_ = count;
    tape_.instructions_ = std::move(code_);
  }

  const Graph& graph_;
  Tape& tape_;
  std::unordered_map<std::uint32_t, std::uint32_t> input_of_;
  std::unordered_map<std::uint32_t, bool> sines_;  // arguments of sines: whether the cosine is needed too
  std::unordered_map<std::uint32_t, Place> place_;
  std::map<std::uint64_t, Place> constants_;  // by bits
  std::map<std::array<std::uint32_t, 5>, Place> known_;
  std::map<const Table*, std::uint32_t> tables_;
  std::vector<Instruction> code_;
  Place place_count_ = 0;
};

std::size_t Tape::operand_count(Code code) {
  switch (code) {
    case Code::kIfLess:
    case Code::kIfLessEqual:
      return 4;
    case Code::kAdd:
    case Code::kSubtract:
    case Code::kMultiply:
    case Code::kDivide:
    case Code::kPower:
    case Code::kAtan2:
      return 2;
    default:
      return 1;
  }
}

// Goes back from the instruction that stores the output through those that write the operands of later ones.
Tape Tape::for_output(std::size_t output) const {
  Tape tape;
  tape.input_count_ = input_count_;
  tape.output_count_ = 1;
  tape.scratch_size_ = scratch_size_;
  std::vector<char> is_read(scratch_size_, 0);
  const auto take = [&](std::uint32_t place) { return std::exchange(is_read[place], 0) != 0; };
  for (auto i = instructions_.rbegin(); i != instructions_.rend(); ++i) {
    Instruction instruction = *i;
    if (i->code == Code::kStore) {
      if (i->to != output) continue;
      instruction.to = 0;
    } else {
      const bool is_needed = take(i->to), is_cosine_needed = i->code == Code::kSinCos && take(i->b);
      if (!is_needed && !is_cosine_needed) continue;
    }
    const std::uint32_t operands[] = {i->a, i->b, i->c, i->d};
    for (const std::uint32_t place : std::span(operands).first(operand_count(i->code))) is_read[place] = 1;
    if (i->code == Code::kTable) {
      instruction.b = static_cast<std::uint32_t>(tape.tables_.size());
      tape.tables_.push_back(tables_[i->b]);
    }
    tape.instructions_.push_back(instruction);
  }
  std::ranges::reverse(tape.instructions_);
  std::ranges::copy_if(constants_, std::back_inserter(tape.constants_),
                       [&](const Constant& constant) { return is_read[constant.to] != 0; });
  std::ranges::copy_if(loads_, std::back_inserter(tape.loads_),
                       [&](const Load& load) { return is_read[load.to] != 0; });
  return tape;
}

std::string Tape::signature() const {
  std::string text;
  const auto add = [&text](const auto& number) {
    text.append(reinterpret_cast<const char*>(&number), sizeof number);
  };
  for (const std::size_t size : {input_count_, output_count_, scratch_size_, constants_.size(), loads_.size(),
                                 instructions_.size(), tables_.size()}) {
    add(size);
  }
  for (const Constant& constant : constants_) add(constant.to), add(constant.value);
  for (const Load& load : loads_) add(load.to), add(load.input);
  for (const Instruction& i : instructions_) {
    add(i.code), add(i.op), add(i.order);
    for (const std::uint32_t place : {i.to, i.a, i.b, i.c, i.d}) add(place);
  }
  for (const auto& table : tables_) {
    add(table->interpolation()), add(table->x().size());
    for (const double x : table->x()) add(x);
    for (const double y : table->y()) add(y);
  }
  return text;
}

Tape::Tape(const Graph& graph, std::span<const Expr> outputs, std::span<const Expr> inputs) {
  TapeCompiler(graph, *this).compile(outputs, inputs);
}

}  // namespace sestina
