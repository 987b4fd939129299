// The force expressions of a model as a compiled function, for one set of parameters.
#pragma once

#include <span>
#include <vector>

#include "sestina/expression/compiled_function.h"
#include "sestina/model/model.h"

namespace sestina {

struct ForceSymbols;

class CompiledForceExpressions {
 public:
  CompiledForceExpressions(const Model& model, const Properties<double>& properties);

  // Evaluates in the order of Model::force_expressions; equals Model::calc_force_expressions to round-off.
  // Allocates nothing and never throws: a division by zero gives inf or nan.
  void evaluate(const State<double>& state, std::span<double> values);

 private:
  CompiledForceExpressions(const Model& model, const Properties<double>& properties,
                           const ForceSymbols& symbols);

  CompiledFunction function_;
  std::vector<double> bound_, scratch_;
  std::vector<double> inputs_, variables_;  // t, d, q, u; and those that occur in the expressions
  std::vector<std::size_t> inputs_used_;
};

}  // namespace sestina
