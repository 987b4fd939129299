#include "sestina/dynamics/compiled_force_expressions.h"

#include <algorithm>
#include <string>

#include "sestina/model/properties.h"
#include "sestina/model/tape_inputs.h"

namespace sestina {

// The variables and parameters that occur in a model's force expressions, and their places among all.
struct ForceSymbols {
  std::vector<Expr> variables, parameters;
  std::vector<std::size_t> inputs_used, parameters_used;
};

namespace {

ForceSymbols find_symbols(const Model& model) {
  const std::vector<Expr> free = model.graph().free_symbols(model.force_expressions());
  const auto find = [&](const std::vector<std::string>& names, std::vector<Expr>& symbols,
                        std::vector<std::size_t>& indices) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      const Expr symbol = model.graph().find_symbol(names[i]);
      if (!symbol.is_valid() || std::find(free.begin(), free.end(), symbol) == free.end()) continue;
      symbols.push_back(symbol);
      indices.push_back(i);
    }
  };
  std::vector<std::string> inputs = {"t"}, parameters;
  for (const VariableInfo& variable : model.variables()) inputs.push_back(variable.name);
  inputs.insert(inputs.end(), model.q_names().begin(), model.q_names().end());
  inputs.insert(inputs.end(), model.u_names().begin(), model.u_names().end());
  for (const ParameterInfo& parameter : model.parameters()) parameters.push_back(parameter.name);

  ForceSymbols symbols;
  find(inputs, symbols.variables, symbols.inputs_used);
  find(parameters, symbols.parameters, symbols.parameters_used);
  return symbols;
}

}  // namespace

CompiledForceExpressions::CompiledForceExpressions(const Model& model, const Properties<double>& properties)
    : CompiledForceExpressions(model, properties, find_symbols(model)) {}

CompiledForceExpressions::CompiledForceExpressions(const Model& model, const Properties<double>& properties,
                                                   const ForceSymbols& symbols)
    : function_(model.graph(), model.force_expressions(), symbols.variables, symbols.parameters),
      scratch_(function_.scratch_size()),
      inputs_(static_cast<std::size_t>(1 + model.nd() + model.nq() + model.nu())),
      variables_(function_.variable_count()),
      inputs_used_(symbols.inputs_used) {
  std::vector<double> parameters;
  for (const std::size_t i : symbols.parameters_used) parameters.push_back(properties.parameters[i]);
  bound_ = function_.bind(parameters);
}

void CompiledForceExpressions::evaluate(const State<double>& state, std::span<double> values) {
  fill_tape_inputs<double>(state, {}, {}, inputs_);
  for (std::size_t i = 0; i < variables_.size(); ++i) variables_[i] = inputs_[inputs_used_[i]];
  function_.evaluate(bound_, variables_, values, scratch_);
}

}  // namespace sestina
