#include "sestina/expression/substitution.h"

#include <algorithm>

namespace sestina {

Substitution::Substitution(Graph& graph, std::span<const std::pair<Expr, Expr>> replacements)
    : graph_(graph), image_(graph.size()) {
  for (const auto& [from, to] : replacements) replace(from, to);
}

void Substitution::replace(Expr from, Expr to) {
  if (image_.size() < graph_.size()) image_.resize(graph_.size());
  if (!image_[from.id].is_valid()) image_[from.id] = to;
}

Expr Substitution::operator()(Expr root) {
  if (image_.size() < graph_.size()) image_.resize(graph_.size());
  std::vector<Expr> pending = {root}, from, to;
  while (!pending.empty()) {
    const Expr next = pending.back();
    if (image_[next.id].is_valid()) {
      pending.pop_back();
      continue;
    }
    const std::size_t before = pending.size();
    from.assign(graph_.operands(next).begin(), graph_.operands(next).end());
    for (const Expr operand : from) {
      if (!image_[operand.id].is_valid()) pending.push_back(operand);
    }
    if (pending.size() > before) continue;
    pending.pop_back();
    to.clear();
    for (const Expr operand : from) to.push_back(image_[operand.id]);
    image_[next.id] = to == from ? next : graph_.rebuild(next, to);
  }
  return image_[root.id];
}

std::vector<Expr> Substitution::operator()(std::span<const Expr> exprs) {
  std::vector<Expr> images;
  images.reserve(exprs.size());
  for (const Expr expr : exprs) images.push_back((*this)(expr));
  return images;
}

}  // namespace sestina
