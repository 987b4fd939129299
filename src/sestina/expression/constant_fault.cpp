#include "sestina/expression/constant_fault.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "sestina/expression/evaluate.h"
#include "sestina/expression/print.h"

namespace sestina {
namespace {

constexpr std::string_view kDivision = "division by zero";
constexpr std::size_t kMostCharacters = 100;

// A graph in which every number of the text is a symbol of its own, so that nothing is folded.
class UnfoldedText {
 public:
  UnfoldedText(const Graph& folded, std::string_view text, const Resolver& resolve) {
    const LiteralReader literal = [&](std::string_view name, const Coefficient& number) {
      return bind(name, number.value());
    };
    const Resolver name = [&](std::string_view reference) -> std::variant<Expr, std::string> {
      const auto found = resolve(reference);
      const Expr* meant = std::get_if<Expr>(&found);
      const bool is_constant = meant != nullptr && folded.free_symbols(*meant).empty();
      return is_constant ? bind(reference, evaluate(folded, *meant, {})) : graph_.symbol(reference);
    };
    root_ = parse(graph_, text, name, &literal);
  }

  // Names the innermost constant part that is not finite; a divisor together with its dividend, 0/0.
  std::string explain() {
    const std::vector<Expr> parts = graph_.reachable(std::span(&root_, 1));
    std::unordered_set<std::uint32_t> divisors;
    for (const Expr expr : parts) {
      if (graph_.op(expr) != Op::kProduct) continue;
      for (const Expr factor : graph_.operands(expr)) {
        if (graph_.integer_exponent(factor).value_or(1) < 0) divisors.insert(factor.id);
      }
    }
    for (const Expr expr : parts) {
      if (divisors.contains(expr.id)) continue;
      if (is_constant(expr)) {
        if (const auto fault = find_non_finite(graph_, expr, bindings_)) return fault->message;
      } else if (graph_.op(expr) == Op::kSum || graph_.op(expr) == Op::kProduct) {
        const auto fault = find_non_finite(graph_, constant_part(expr), bindings_);
        if (fault && fault->message.starts_with(kDivision)) {  // the dividend may not be constant
          return fmt::format("{} in {}", kDivision, to_text(graph_, expr, kMostCharacters));
        }
        if (fault) return fault->message;
      }
    }
    return "";
  }

 private:
  Expr bind(std::string_view name, double value) {
    const Expr symbol = graph_.symbol(name);
    bindings_.emplace_back(symbol, value);
    return symbol;
  }

  bool is_constant(Expr expr) const {
    for (const Expr symbol : graph_.free_symbols(expr)) {
      if (std::none_of(bindings_.begin(), bindings_.end(),
                       [&](const Binding& binding) { return binding.first == symbol; })) {
        return false;
      }
    }
    return true;
  }

  // Returns the constant part: 1e308*10 of 1e308*x*10.
  Expr constant_part(Expr expr) {
    std::vector<Expr> parts;
    for (const Expr operand : graph_.operands(expr)) {
      if (is_constant(operand)) parts.push_back(operand);
    }
    return graph_.op(expr) == Op::kSum ? graph_.sum(parts) : graph_.product(parts);
  }

  Graph graph_;
  std::vector<Binding> bindings_;
  Expr root_;
};

}  // namespace

std::string explain_constant_fault(const Graph& graph, std::string_view text, const Resolver& resolve) {
  try {
    return UnfoldedText(graph, text, resolve).explain();
  } catch (const ExpressionError&) {
    return "";  // a call of a table, which only `graph` contains
  }
}

}  // namespace sestina
