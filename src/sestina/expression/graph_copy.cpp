#include "sestina/expression/graph_copy.h"

namespace sestina {

Expr GraphCopy::operator()(Expr expr) {
  image_.resize(from_.size());
  for (const Expr node : from_.reachable(std::span(&expr, 1))) {
    if (!image_[node.id].is_valid()) image_[node.id] = copy(node);
  }
  return image_[expr.id];
}

Expr GraphCopy::copy(Expr expr) {
  std::vector<Expr> of;
  for (const Expr operand : from_.operands(expr)) of.push_back(image_[operand.id]);
  const Op op = from_.op(expr);
  if (is_unary(op)) return to_.unary(op, of[0]);
  switch (op) {
    case Op::kNumber:
      return to_.number(from_.number_of(expr));
    case Op::kPi:
      return to_.pi();
    case Op::kSymbol:
      return symbol_(from_.name_of(expr));
    case Op::kSum:
      return to_.sum(of);
    case Op::kProduct:
      return to_.product(of);
    case Op::kPower:
      return to_.power(of[0], of[1]);
    case Op::kAtan2:
      return to_.atan2(of[0], of[1]);
    case Op::kMin:
      return to_.min(of[0], of[1]);
    case Op::kMax:
      return to_.max(of[0], of[1]);
    case Op::kIfLess:
      return to_.if_less(of[0], of[1], of[2], of[3]);
    case Op::kIfLessEqual:
      return to_.if_less_equal(of[0], of[1], of[2], of[3]);
    default:
      return copy_table(expr, of[0]);
  }
}

Expr GraphCopy::copy_table(Expr expr, Expr argument) {
  const std::string& name = from_.table_name_of(expr);
  const auto known = to_.find_table(name);
  const TableId id = known ? *known : to_.add_table(name, from_.table_of(expr));
  return to_.table(id, argument, from_.table_order_of(expr));
}

}  // namespace sestina
