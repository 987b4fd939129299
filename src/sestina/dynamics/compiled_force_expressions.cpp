#include "sestina/dynamics/compiled_force_expressions.h"

#include <algorithm>
#include <string>

#include "sestina/model/tape_inputs.h"

namespace sestina {
namespace {

// Those symbols of `names` that occur in the model's force expressions, and which they are.
struct Used {
  std::vector<Expr> symbols;
  std::vector<std::size_t> indices;
};
Used find_used(const Model& model, const std::vector<std::string>& names) {
  const std::vector<Expr> free = model.graph().free_symbols(model.force_expressions());
  Used used;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Expr symbol = model.graph().find_symbol(names[i]);
    if (!symbol.is_valid() || std::find(free.begin(), free.end(), symbol) == free.end()) continue;
    used.symbols.push_back(symbol);
    used.indices.push_back(i);
  }
  return used;
}

Used find_variables(const Model& model) {
  std::vector<std::string> names = {"t"};
  for (const VariableInfo& variable : model.variables()) names.push_back(variable.name);
  names.insert(names.end(), model.q_names().begin(), model.q_names().end());
  names.insert(names.end(), model.u_names().begin(), model.u_names().end());
  return find_used(model, names);
}

Used find_parameters(const Model& model) {
  std::vector<std::string> names;
  for (const ParameterInfo& parameter : model.parameters()) names.push_back(parameter.name);
  return find_used(model, names);
}

}  // namespace

CompiledForceExpressions::CompiledForceExpressions(const Model& model, const Properties<double>& properties)
    : function_(model.graph(), model.force_expressions(), find_variables(model).symbols,
                find_parameters(model).symbols),
      scratch_(function_.scratch_size()),
      inputs_(static_cast<std::size_t>(1 + model.nd() + model.nq() + model.nu())),
      variables_(function_.variable_count()),
      inputs_used_(find_variables(model).indices) {
  std::vector<double> parameters;
  for (const std::size_t i : find_parameters(model).indices) parameters.push_back(properties.parameters[i]);
  bound_ = function_.bind(parameters);
}

void CompiledForceExpressions::evaluate(const State<double>& state, std::span<double> values) {
  fill_tape_inputs<double>(state, {}, inputs_);
  for (std::size_t i = 0; i < variables_.size(); ++i) variables_[i] = inputs_[inputs_used_[i]];
  function_.evaluate(bound_, variables_, values, scratch_);
}

}  // namespace sestina
