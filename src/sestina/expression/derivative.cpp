// Derivatives and replacements: loops over the nodes, operands first.
#include <algorithm>
#include <array>

#include "sestina/expression/graph.h"

namespace sestina {

Expr Graph::diff(Expr expr, Expr symbol) {
  const auto key = [symbol](Expr e) { return (std::uint64_t{symbol.id} << 32) | e.id; };
  derivatives_.try_emplace(key(symbol), one_);
  std::vector<Expr> missing, pending = {expr};
  while (!pending.empty()) {
    const Expr next = pending.back();
    pending.pop_back();
    if (!derivatives_.try_emplace(key(next), zero_).second) continue;
    missing.push_back(next);
    pending.insert(pending.end(), operands(next).begin(), operands(next).end());
  }
  std::sort(missing.begin(), missing.end());
  std::vector<Expr> below, rates;
  for (const Expr next : missing) {
    below.assign(operands(next).begin(), operands(next).end());
    rates.clear();
    for (const Expr operand : below) rates.push_back(derivatives_.at(key(operand)));
    const auto is_zero = [this](Expr rate) { return rate == zero_; };
    if (std::all_of(rates.begin(), rates.end(), is_zero)) continue;
    derivatives_[key(next)] = diff_node(next, below, rates);
  }
  return derivatives_.at(key(expr));
}

Expr Graph::diff_node(Expr expr, std::span<const Expr> of, std::span<const Expr> rates) {
  switch (op(expr)) {
    case Op::kSum:
      return sum(rates);
    case Op::kProduct:
      return diff_product(of, rates);
    case Op::kPower:
      return diff_power(expr, of[0], of[1], rates[0], rates[1]);
    case Op::kAtan2: {  // (x y' - y x') / (x^2 + y^2)
      const Expr square = add(multiply(of[0], of[0]), multiply(of[1], of[1]));
      return divide(subtract(multiply(of[1], rates[0]), multiply(of[0], rates[1])), square);
    }
    case Op::kMin:
      return if_less_equal(of[0], of[1], rates[0], rates[1]);
    case Op::kMax:
      return if_less_equal(of[1], of[0], rates[0], rates[1]);
    case Op::kIfLess:
      return if_less(of[0], of[1], rates[2], rates[3]);
    case Op::kIfLessEqual:
      return if_less_equal(of[0], of[1], rates[2], rates[3]);
    case Op::kTable:
      return multiply(table({nodes_[expr.id].payload}, of[0], table_order_of(expr) + 1), rates[0]);
    default:
      return multiply(diff_unary(expr, of[0]), rates[0]);
  }
}

Expr Graph::diff_product(std::span<const Expr> of, std::span<const Expr> rates) {
  std::vector<Expr> terms;
  for (std::size_t i = 0; i < of.size(); ++i) {
    if (rates[i] == zero_) continue;
    std::vector<Expr> factors(of.begin(), of.end());
    factors[i] = rates[i];
    terms.push_back(product(factors));
  }
  return sum(terms);
}

// (b^e)' = e b^(e-1) b' + b^e log(b) e'
Expr Graph::diff_power(Expr expr, Expr base, Expr exponent, Expr base_rate, Expr exponent_rate) {
  std::vector<Expr> terms;
  if (base_rate != zero_) {
    const Expr lowered = power(base, subtract(exponent, one_));
    terms.push_back(product(std::array{exponent, lowered, base_rate}));
  }
  if (exponent_rate != zero_) {
    terms.push_back(product(std::array{expr, unary(Op::kLog, base), exponent_rate}));
  }
  return sum(terms);
}

Expr Graph::diff_unary(Expr expr, Expr a) {
  const Expr two = fraction(2);
  const auto one_minus_square = [&](Expr e) { return subtract(one_, power(e, two)); };
  switch (op(expr)) {
    case Op::kSin:
      return unary(Op::kCos, a);
    case Op::kCos:
      return negate(unary(Op::kSin, a));
    case Op::kTan:
      return add(one_, power(expr, two));
    case Op::kAsin:
      return divide(one_, unary(Op::kSqrt, one_minus_square(a)));
    case Op::kAcos:
      return divide(minus_one_, unary(Op::kSqrt, one_minus_square(a)));
    case Op::kAtan:
      return divide(one_, add(one_, power(a, two)));
    case Op::kSinh:
      return unary(Op::kCosh, a);
    case Op::kCosh:
      return unary(Op::kSinh, a);
    case Op::kTanh:
      return one_minus_square(expr);
    case Op::kExp:
      return expr;
    case Op::kLog:
      return power(a, minus_one_);
    case Op::kSqrt:
      return divide(half_, expr);
    case Op::kAbs:
      return unary(Op::kSign, a);
    default:  // sign and step, flat but for the jump
      return zero_;
  }
}

Expr Graph::substitute(Expr expr, std::span<const std::pair<Expr, Expr>> replacements) {
  std::unordered_map<std::uint32_t, Expr> image;
  for (const auto& [from, to] : replacements) image.emplace(from.id, to);
  std::vector<Expr> to;
  for (const Expr next : reachable(std::span(&expr, 1))) {
    if (image.contains(next.id)) continue;
    to.clear();
    for (const Expr operand : operands(next)) to.push_back(image.at(operand.id));
    const bool is_same = std::equal(to.begin(), to.end(), operands(next).begin());
    const Expr rebuilt = is_same ? next : rebuild(next, to);
    image.emplace(next.id, rebuilt);
  }
  return image.at(expr.id);
}

}  // namespace sestina
