// Derivatives and replacements, as loops over the nodes, operands first.
#include <algorithm>

#include "sestina/expression/graph.h"
#include "sestina/expression/partial.h"
#include "sestina/expression/substitution.h"

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
  std::vector<Expr> rates;
  for (const Expr next : missing) {
    rates.clear();
    for (const Expr operand : operands(next)) rates.push_back(derivatives_.at(key(operand)));
    const auto is_zero = [this](Expr rate) { return rate == zero_; };
    if (std::all_of(rates.begin(), rates.end(), is_zero)) continue;
    derivatives_[key(next)] = calc_rate(*this, next, rates);
  }
  return derivatives_.at(key(expr));
}

Expr Graph::substitute(Expr expr, std::span<const std::pair<Expr, Expr>> replacements) {
  return Substitution(*this, replacements)(expr);
}

}  // namespace sestina
