#include "sestina/symbolic/compiled_expressions.h"

#include <fmt/format.h>

#include <algorithm>

#include "sestina/base/error.h"
#include "sestina/base/suggest.h"

namespace sestina::symbolic {
namespace {

[[noreturn]] void fail(Mechanics& mechanics, const std::vector<Expr>& without, const std::string& what) {
  std::vector<std::string> constants, functions;
  for (const Expr symbol : without) {
    const bool varies = mechanics.variables().is_variable(symbol);
    (varies ? functions : constants).push_back(mechanics.graph().name_of(symbol));
  }
  std::string message;
  if (!constants.empty()) message = "no value is given for " + join_words(constants, " and ");
  if (!functions.empty()) {
    message +=
        fmt::format("{}{} coordinate, speed or given function of time", message.empty() ? "" : "; ",
                    join_words(functions, " and ") + (functions.size() == 1 ? " is not a" : " are not a"));
  }
  throw InputError(fmt::format("{}: {}", what, message));
}

}  // namespace

CompiledExpressions::CompiledExpressions(Mechanics& mechanics, const std::vector<Expression>& outputs,
                                         const std::vector<Expression>& variables,
                                         const ParameterValues& parameters, const std::string& what) {
  if (outputs.empty()) return;
  Graph& graph = mechanics.graph();
  std::vector<Expr> outs, ins, constants, without;
  std::vector<double> values;
  for (const Expression& e : outputs) outs.push_back(e.in(graph));
  for (const Expression& e : variables) ins.push_back(e.in(graph));
  for (const auto& [symbol, value] : parameters) {
    constants.push_back(symbol.in(graph));
    values.push_back(value);
  }
  const auto is_in = [](const std::vector<Expr>& all, Expr e) {
    return std::find(all.begin(), all.end(), e) != all.end();
  };
  for (const Expr symbol : graph.free_symbols(outs)) {
    if (!is_in(ins, symbol) && !is_in(constants, symbol)) without.push_back(symbol);
  }
  if (!without.empty()) fail(mechanics, without, what);
  function_.emplace_back(graph, outs, ins, constants);
  bound_ = function_.front().bind(values);
  outputs_.assign(outs.size(), 0.0);
  scratch_.assign(function_.front().scratch_size(), 0.0);
}

std::span<const double> CompiledExpressions::operator()(std::span<const double> variables) {
  if (!function_.empty()) function_.front().evaluate(bound_, variables, outputs_, scratch_);
  return outputs_;
}

}  // namespace sestina::symbolic
