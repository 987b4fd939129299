#include "sestina/symbolic/shared_parts.h"

#include <unordered_map>
#include <unordered_set>

#include "sestina/symbolic/mechanics.h"

namespace sestina::symbolic {
namespace {

std::vector<Expr> elements_of(Graph& graph, const std::vector<Matrix>& matrices) {
  std::vector<Expr> all;
  for (const Matrix& matrix : matrices) {
    for (const Expression& e : matrix.elements()) all.push_back(e.in(graph));
  }
  return all;
}

// Returns the operations of a node without its operands.
double own_size(const Graph& graph, Expr expr) {
  const auto count = static_cast<double>(graph.operands(expr).size());
  const bool is_chain = graph.op(expr) == Op::kSum || graph.op(expr) == Op::kProduct;
  return is_chain ? count - 1.0 : count > 0.0 ? 1.0 : 0.0;
}

}  // namespace

double written_size(Mechanics& mechanics, const std::vector<Matrix>& matrices) {
  Graph& graph = mechanics.graph();
  const std::vector<Expr> roots = elements_of(graph, matrices);
  std::unordered_map<std::uint32_t, double> sizes;  // may exceed the range of integers
  for (const Expr expr : graph.reachable(roots)) {
    double size = own_size(graph, expr);
    for (const Expr operand : graph.operands(expr)) size += sizes.at(operand.id);
    sizes[expr.id] = size;
  }
  double total = 0.0;
  for (const Expr root : roots) total += sizes.at(root.id);
  return total;
}

SharedParts share_parts(Mechanics& mechanics, const std::vector<Matrix>& matrices, std::size_t least,
                        std::size_t most) {
  Graph& graph = mechanics.graph();
  const std::vector<Expr> roots = elements_of(graph, matrices);
  const std::vector<Expr> nodes = graph.reachable(roots);
  std::unordered_map<std::uint32_t, int> uses;
  std::unordered_set<std::uint32_t> inner_sums;  // except those that are terms
  for (const Expr expr : nodes) {
    for (const Expr operand : graph.operands(expr)) {
      ++uses[operand.id];
      if (graph.op(expr) != Op::kSum && graph.op(operand) == Op::kSum) inner_sums.insert(operand.id);
    }
  }
  for (const Expr root : roots) ++uses[root.id];

  SharedParts shared;
  std::unordered_map<std::uint32_t, Expr> image;
  std::unordered_map<std::uint32_t, double> sizes;  // in their present form
  for (const Expr expr : nodes) {
    std::vector<Expr> operands;
    double size = own_size(graph, expr);
    for (const Expr operand : graph.operands(expr)) {
      operands.push_back(image.at(operand.id));
      size += sizes.at(operand.id);
    }
    image[expr.id] = operands.empty() ? expr : graph.rebuild(expr, operands);
    sizes[expr.id] = size;
    const bool is_shared = uses.at(expr.id) > 1 && size >= static_cast<double>(least);
    const bool is_wide = inner_sums.contains(expr.id) && size > static_cast<double>(most);
    if (!is_shared && !is_wide) continue;
    const Expression symbol = mechanics.part_symbol(shared.definitions.size());
    shared.definitions.emplace_back(symbol, mechanics.wrap(image.at(expr.id)));
    image[expr.id] = symbol.in(graph);
    sizes[expr.id] = 0.0;
  }
  std::size_t next = 0;
  for (Matrix matrix : matrices) {
    for (std::size_t i = 0; i < matrix.elements().size(); ++i) {
      matrix[i] = mechanics.wrap(image.at(roots[next++].id));
    }
    shared.matrices.push_back(std::move(matrix));
  }
  return shared;
}

}  // namespace sestina::symbolic
