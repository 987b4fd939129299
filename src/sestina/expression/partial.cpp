#include "sestina/expression/partial.h"

#include <array>
#include <vector>

namespace sestina {
namespace {

Expr one_minus_square(Graph& graph, Expr a) {
  return graph.subtract(graph.fraction(1), graph.power(a, graph.fraction(2)));
}

// Returns f'(a) for node = f(a).
Expr calc_unary_partial(Graph& graph, Expr node, Expr a) {
  const Expr one = graph.fraction(1), two = graph.fraction(2);
  switch (graph.op(node)) {
    case Op::kSin:
      return graph.unary(Op::kCos, a);
    case Op::kCos:
      return graph.negate(graph.unary(Op::kSin, a));
    case Op::kTan:
      return graph.add(one, graph.power(node, two));
    case Op::kAsin:
      return graph.divide(one, graph.unary(Op::kSqrt, one_minus_square(graph, a)));
    case Op::kAcos:
      return graph.divide(graph.fraction(-1), graph.unary(Op::kSqrt, one_minus_square(graph, a)));
    case Op::kAtan:
      return graph.divide(one, graph.add(one, graph.power(a, two)));
    case Op::kSinh:
      return graph.unary(Op::kCosh, a);
    case Op::kCosh:
      return graph.unary(Op::kSinh, a);
    case Op::kTanh:
      return one_minus_square(graph, node);
    case Op::kExp:
      return node;
    case Op::kLog:
      return graph.power(a, graph.fraction(-1));
    case Op::kSqrt:
      return graph.divide(graph.fraction(1, 2), node);
    case Op::kAbs:
      return graph.unary(Op::kSign, a);
    default:  // sign and step, whose derivative is zero except at the jump
      return graph.fraction(0);
  }
}

Expr calc_product_rate(Graph& graph, std::span<const Expr> of, std::span<const Expr> rates) {
  const Expr zero = graph.fraction(0);
  std::vector<Expr> terms;
  for (std::size_t i = 0; i < of.size(); ++i) {
    if (rates[i] == zero) continue;
    std::vector<Expr> factors(of.begin(), of.end());
    factors[i] = rates[i];
    terms.push_back(graph.product(factors));
  }
  return graph.sum(terms);
}

}  // namespace

Expr calc_partial(Graph& graph, Expr node, std::size_t i) {
  const std::vector<Expr> of(graph.operands(node).begin(), graph.operands(node).end());
  const Expr zero = graph.fraction(0), one = graph.fraction(1);
  const auto first = [&](std::size_t k) { return k == i ? one : zero; };
  switch (graph.op(node)) {
    case Op::kPower:  // e b^(e-1) and b^e log(b)
      if (i == 0) return graph.multiply(of[1], graph.power(of[0], graph.subtract(of[1], one)));
      return graph.multiply(node, graph.unary(Op::kLog, of[0]));
    case Op::kAtan2: {
      const Expr square = graph.add(graph.multiply(of[0], of[0]), graph.multiply(of[1], of[1]));
      return graph.divide(i == 0 ? of[1] : graph.negate(of[0]), square);
    }
    case Op::kMin:
      return graph.if_less_equal(of[0], of[1], first(0), first(1));
    case Op::kMax:
      return graph.if_less_equal(of[1], of[0], first(0), first(1));
    case Op::kIfLess:
      return i < 2 ? zero : graph.if_less(of[0], of[1], first(2), first(3));
    case Op::kIfLessEqual:
      return i < 2 ? zero : graph.if_less_equal(of[0], of[1], first(2), first(3));
    case Op::kTable:
      return graph.table(*graph.find_table(graph.table_name_of(node)), of[0], graph.table_order_of(node) + 1);
    default:
      return calc_unary_partial(graph, node, of[0]);
  }
}

Expr calc_rate(Graph& graph, Expr node, std::span<const Expr> rates) {
  const std::vector<Expr> of(graph.operands(node).begin(), graph.operands(node).end());
  const Expr zero = graph.fraction(0);
  switch (graph.op(node)) {
    case Op::kSum:
      return graph.sum(rates);
    case Op::kProduct:
      return calc_product_rate(graph, of, rates);
    case Op::kAtan2: {  // (x y' - y x') / (x^2 + y^2), one division
      const Expr square = graph.add(graph.multiply(of[0], of[0]), graph.multiply(of[1], of[1]));
      return graph.divide(graph.subtract(graph.multiply(of[1], rates[0]), graph.multiply(of[0], rates[1])),
                          square);
    }
    case Op::kMin:
      return graph.if_less_equal(of[0], of[1], rates[0], rates[1]);
    case Op::kMax:
      return graph.if_less_equal(of[1], of[0], rates[0], rates[1]);
    case Op::kIfLess:
      return graph.if_less(of[0], of[1], rates[2], rates[3]);
    case Op::kIfLessEqual:
      return graph.if_less_equal(of[0], of[1], rates[2], rates[3]);
    default: {
      std::vector<Expr> terms;
      for (std::size_t i = 0; i < of.size(); ++i) {
        if (rates[i] != zero) terms.push_back(graph.multiply(calc_partial(graph, node, i), rates[i]));
      }
      return graph.sum(terms);
    }
  }
}

}  // namespace sestina
