// Compiled expressions of one derivation, with the values of their parameters and memory to evaluate them.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sestina/expression/compiled_function.h"
#include "sestina/symbolic/matrix.h"
#include "sestina/symbolic/mechanics.h"

namespace sestina::symbolic {

using ParameterValues = std::vector<std::pair<Expression, double>>;

class CompiledExpressions {
 public:
  CompiledExpressions() = default;  // no expressions
  // Throws InputError that names every symbol which is neither a variable nor has a value; `what` describes
  // the expressions in the message.
  CompiledExpressions(Mechanics& mechanics, const std::vector<Expression>& outputs,
                      const std::vector<Expression>& variables, const ParameterValues& parameters,
                      const std::string& what);

  std::size_t size() const { return outputs_.size(); }
  // Evaluates; the result is valid until the next call. No allocation.
  std::span<const double> operator()(std::span<const double> variables);

 private:
  std::vector<CompiledFunction> function_;  // one, or none
  std::vector<double> bound_, outputs_, scratch_;
};

}  // namespace sestina::symbolic
