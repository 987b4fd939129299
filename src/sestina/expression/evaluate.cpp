#include "sestina/expression/evaluate.h"

#include <fmt/format.h>

#include <unordered_map>

#include "sestina/expression/print.h"

namespace sestina {
namespace {

using Values = std::unordered_map<std::uint32_t, double>;

class FaultFinder {
 public:
  FaultFinder(const Graph& graph, const Values& values) : graph_(graph), values_(values) {}

  // Descends from the root while an operand that takes effect is not finite.
  Expr find(Expr expr) const {
    for (;;) {
      const Expr below = operand_at_fault(expr);
      const bool is_divisor = graph_.op(expr) == Op::kProduct && below.is_valid() &&
                              graph_.integer_exponent(below).value_or(0) < 0;
      if (!below.is_valid()) return expr;
      if (is_divisor && !operand_at_fault(below).is_valid()) return expr;
      expr = below;
    }
  }

  std::string describe(Expr expr) const {
    const std::string text = to_text(graph_, expr, kMostCharacters);
    switch (graph_.op(expr)) {
      case Op::kSymbol:
        return fmt::format("{} is {}", text, value(expr));
      case Op::kProduct:
      case Op::kPower:
        return fmt::format("{} in {}", describe_power_or_product(expr), text);
      case Op::kLog:
        return fmt::format("logarithm of {} in {}",
                           value(operand(expr, 0)) < 0.0 ? "a negative number" : "zero", text);
      case Op::kSqrt:
        return fmt::format("square root of a negative number in {}", text);
      case Op::kAsin:
      case Op::kAcos:
        return fmt::format("argument outside [-1, 1] in {}", text);
      default:
        return fmt::format("overflow in {}", text);
    }
  }

 private:
  static constexpr std::size_t kMostCharacters = 100;

  Expr operand(Expr expr, std::size_t i) const { return graph_.operands(expr)[i]; }
  double value(Expr expr) const { return values_.at(expr.id); }

  Expr operand_at_fault(Expr expr) const {
    const Op op = graph_.op(expr);
    std::span<const Expr> counting = graph_.operands(expr);
    if (op == Op::kIfLess || op == Op::kIfLessEqual) {
      const double a = value(counting[0]), b = value(counting[1]);
      const bool is_yes = op == Op::kIfLess ? a < b : a <= b;
      const bool is_known = !std::isnan(a) && !std::isnan(b);
      counting = is_known ? counting.subspan(is_yes ? 2 : 3, 1) : counting.first(2);
    }
    for (const Expr below : counting) {
      if (!std::isfinite(value(below))) return below;
    }
    return {};
  }

  bool divides_by_zero(Expr power) const {
    return graph_.op(power) == Op::kPower && value(operand(power, 0)) == 0.0 &&
           value(operand(power, 1)) < 0.0;
  }

  std::string_view describe_power_or_product(Expr expr) const {
    if (divides_by_zero(expr)) return "division by zero";
    if (graph_.op(expr) == Op::kPower) {
      return std::isnan(value(expr)) ? "fractional power of a negative number" : "overflow";
    }
    for (const Expr factor : graph_.operands(expr)) {
      if (divides_by_zero(factor)) return "division by zero";
    }
    return "overflow";
  }

  const Graph& graph_;
  const Values& values_;
};

}  // namespace

double Evaluator::operator()(Expr root) {
  pending_.assign(1, root);
  while (!pending_.empty()) {
    const Expr next = pending_.back();
    if (values_.contains(next.id)) {
      pending_.pop_back();
      continue;
    }
    const std::size_t before = pending_.size();
    for (const Expr operand : graph_.operands(next)) {
      if (!values_.contains(operand.id)) pending_.push_back(operand);
    }
    if (pending_.size() > before) continue;
    pending_.pop_back();
    values_[next.id] = calc_node(graph_, next, [this](Expr e) { return values_.at(e.id); });
    ++evaluated_nodes_;
  }
  return values_.at(root.id);
}

std::optional<NonFinite> Evaluator::find_non_finite(Expr expr) {
  if (std::isfinite((*this)(expr))) return std::nullopt;
  const FaultFinder finder(graph_, values_);
  const Expr where = finder.find(expr);
  return NonFinite{where, values_.at(where.id), finder.describe(where)};
}

double evaluate(const Graph& graph, Expr expr, std::span<const Binding> bindings) {
  return Evaluator(graph, bindings)(expr);
}

std::optional<NonFinite> find_non_finite(const Graph& graph, Expr expr, std::span<const Binding> bindings) {
  return Evaluator(graph, bindings).find_non_finite(expr);
}

}  // namespace sestina
