#include "sestina/expression/time_variables.h"

#include <fmt/format.h>

#include <algorithm>

#include "sestina/base/error.h"
#include "sestina/expression/partial.h"

namespace sestina {

TimeVariables::TimeVariables(Graph& graph) : graph_(graph), time_(graph.symbol("t")) {}

Expr TimeVariables::variable(std::string_view name, int order) {
  if (name.empty() || name.back() == '\'' || name == "t") {
    throw InputError(fmt::format("'{}' cannot be the name of a variable", name));
  }
  Expr variable = graph_.symbol(name);
  // Expressions that contain the symbol as a constant now have another derivative.
  if (known_.try_emplace(variable.id, Known{variable, 0, {}}).second) rates_.clear();
  for (int i = 0; i < order; ++i) variable = rate_of_symbol(variable);
  return variable;
}

Expr TimeVariables::rate_of_symbol(Expr symbol) {
  if (symbol == time_) return graph_.fraction(1);
  const auto found = known_.find(symbol.id);
  if (found == known_.end()) return graph_.fraction(0);
  if (!found->second.rate.is_valid()) {
    const auto [base, order, rate] = found->second;
    const Expr next = graph_.symbol(graph_.name_of(symbol) + "'");
    found->second.rate = next;
    known_.emplace(next.id, Known{base, order + 1, {}});
  }
  return known_.at(symbol.id).rate;
}

Expr TimeVariables::rate(Expr root) {
  std::vector<Expr> pending = {root}, of, rates;
  const Expr zero = graph_.fraction(0);
  while (!pending.empty()) {
    if (rates_.size() < graph_.size()) rates_.resize(graph_.size());
    const Expr next = pending.back();
    const std::size_t before = pending.size();
    of.assign(graph_.operands(next).begin(), graph_.operands(next).end());
    if (!rates_[next.id].is_valid()) {
      for (const Expr operand : of) {
        if (!rates_[operand.id].is_valid()) pending.push_back(operand);
      }
    }
    if (pending.size() > before) continue;
    pending.pop_back();
    if (rates_[next.id].is_valid()) continue;
    rates.clear();
    for (const Expr operand : of) rates.push_back(rates_[operand.id]);
    const bool is_constant = std::all_of(rates.begin(), rates.end(), [&](Expr e) { return e == zero; });
    const Expr rate = graph_.op(next) == Op::kSymbol ? rate_of_symbol(next)
                      : is_constant                  ? zero
                                                     : calc_rate(graph_, next, rates);
    if (rates_.size() < graph_.size()) rates_.resize(graph_.size());
    rates_[next.id] = rate;
  }
  return rates_[root.id];
}

}  // namespace sestina
