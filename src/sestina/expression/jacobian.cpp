#include "sestina/expression/jacobian.h"

#include <algorithm>
#include <unordered_map>

#include "sestina/expression/partial.h"

namespace sestina {

SparseDifferentiator::SparseDifferentiator(Graph& graph, std::span<const Expr> symbols) : graph_(graph) {
  row_of_.resize(graph.size(), 0);
  const Expr one = graph.fraction(1);
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    rows_.push_back({{i, one}});
    row_of_[symbols[i].id] = static_cast<std::uint32_t>(rows_.size());
  }
}

const SparseDifferentiator::Row& SparseDifferentiator::row(Expr root) {
  if (row_of_.size() < graph_.size()) row_of_.resize(graph_.size(), 0);
  std::vector<Expr> pending = {root};
  while (!pending.empty()) {
    const Expr next = pending.back();
    const std::size_t before = pending.size();
    if (row_of_[next.id] == 0) {
      for (const Expr operand : graph_.operands(next)) {
        if (row_of_[operand.id] == 0) pending.push_back(operand);
      }
    }
    if (pending.size() > before) continue;
    pending.pop_back();
    if (row_of_[next.id] != 0) continue;
    rows_.push_back(calc_row(next));
    row_of_[next.id] = static_cast<std::uint32_t>(rows_.size());
  }
  return rows_[row_of_[root.id] - 1];
}

SparseDifferentiator::Row SparseDifferentiator::calc_row(Expr expr) {
  const std::vector<Expr> operands(graph_.operands(expr).begin(), graph_.operands(expr).end());
  std::vector<const Row*> rows;
  std::vector<std::size_t> columns;
  for (const Expr operand : operands) {
    rows.push_back(&rows_[row_of_[operand.id] - 1]);
    for (const Entry& entry : *rows.back()) columns.push_back(entry.column);
  }
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  const Expr zero = graph_.fraction(0);
  std::vector<std::size_t> next(rows.size(), 0);
  std::vector<Expr> rates(rows.size());
  Row row;
  for (const std::size_t column : columns) {
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const bool has_entry = next[k] < rows[k]->size() && (*rows[k])[next[k]].column == column;
      rates[k] = has_entry ? (*rows[k])[next[k]++].value : zero;
    }
    const Expr value = calc_rate(graph_, expr, rates);
    if (value != zero) row.push_back({column, value});
  }
  return row;
}

SparseJacobian calc_jacobian(Graph& graph, std::span<const Expr> exprs, std::span<const Expr> symbols) {
  SparseDifferentiator differentiator(graph, symbols);
  SparseJacobian jacobian;
  jacobian.reserve(exprs.size());
  for (const Expr expr : exprs) jacobian.push_back(differentiator.row(expr));
  return jacobian;
}

namespace {

// Derivative of a sum or product with respect to its operand at place i; otherwise calc_partial().
Expr calc_weight(Graph& graph, Expr node, std::size_t i) {
  const Op op = graph.op(node);
  if (op == Op::kSum) return graph.fraction(1);
  if (op != Op::kProduct) return calc_partial(graph, node, i);
  std::vector<Expr> others(graph.operands(node).begin(), graph.operands(node).end());
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
  return graph.product(others);
}

}  // namespace

std::vector<Expr> calc_gradient(Graph& graph, Expr root, std::span<const Expr> symbols) {
  const Expr zero = graph.fraction(0);
  const std::vector<Expr> nodes = graph.reachable(std::span(&root, 1));
  std::unordered_map<std::uint32_t, bool> depends;  // on one of the symbols
  for (const Expr symbol : symbols) depends[symbol.id] = true;
  for (const Expr node : nodes) {
    const auto of = graph.operands(node);
    const bool is_symbol = depends.contains(node.id);
    depends[node.id] = is_symbol || std::any_of(of.begin(), of.end(), [&](Expr e) { return depends[e.id]; });
  }
  std::unordered_map<std::uint32_t, std::vector<Expr>> adjoint_terms;
  adjoint_terms[root.id].push_back(graph.fraction(1));
  std::unordered_map<std::uint32_t, Expr> adjoints;
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    if (!depends[node->id]) continue;
    const Expr adjoint = graph.sum(adjoint_terms[node->id]);
    adjoints[node->id] = adjoint;
    if (adjoint == zero) continue;
    const std::vector<Expr> of(graph.operands(*node).begin(), graph.operands(*node).end());
    for (std::size_t i = 0; i < of.size(); ++i) {
      if (!depends[of[i].id]) continue;
      adjoint_terms[of[i].id].push_back(graph.multiply(adjoint, calc_weight(graph, *node, i)));
    }
  }
  std::vector<Expr> gradient;
  gradient.reserve(symbols.size());
  for (const Expr symbol : symbols) {
    const auto found = adjoints.find(symbol.id);
    gradient.push_back(found == adjoints.end() ? zero : found->second);
  }
  return gradient;
}

}  // namespace sestina
