// Gathers every number of a System into the outputs of one tape over the free parameters.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "sestina/base/error.h"
#include "sestina/expression/evaluate.h"
#include "sestina/expression/parse.h"
#include "sestina/model/model.h"
#include "sestina/model/number.h"
#include "sestina/model/property_plan.h"
#include "sestina/model/value_rules.h"

namespace sestina {

class NumberCollector {
 public:
  NumberCollector(Graph& graph, FaultList& faults) : graph_(graph), faults_(faults), values_(graph) {}

  // First of all: the parameters, which may use each other. Faults: syntax, unknown names, circles, values
  // that are not finite.
  void define_parameters(const std::vector<ParameterSpec>& parameters);

  // A number, as the next output, and its value for the parameters' own values. A faulty number has been
  // reported and counts as NaN.
  double add(const Number& number, const std::string& path);
  // The same for a number of which no property is made: an output only where it depends on parameters.
  double add_if_it_varies(const Number& number, const std::string& path);
  // Consecutive outputs; `values`, if given, receives their values. Paths are path[0], path[1], ...
  Slot add_list(std::span<const Number> numbers, const std::string& path,
                std::vector<double>* values = nullptr);
  // An output that the user did not give.
  void add_constant(double value) { add_output(graph_.number(value), value); }
  // Outputs for the parameters that are expressions of others: after all else.
  void add_dependent_parameters();
  // Where the next output will stand.
  Slot next() const { return {static_cast<int>(outputs_.size())}; }

  // An expression that may use more than parameters: other names go to `resolve`. Reports faults; then the
  // result is the number zero.
  Expr parse_text(const Number& number, const std::string& path, const Resolver& resolve);
  // Why the constant part of the number's expression is not finite, as it is written; empty where it is.
  std::string explain_constant(const Number& number, Expr expr) const;

  const std::vector<ParameterInfo>& free_parameters() const { return free_parameters_; }
  const std::vector<std::string>& parameter_names() const { return names_; }
  bool is_parameter(const std::string& name) const { return resolved_.contains(name); }
  const std::vector<Expr>& free_symbols() const { return free_symbols_; }
  const std::vector<Expr>& outputs() const { return outputs_; }
  const std::vector<double>& values() const { return values_of_outputs_; }  // for the parameters' own values
  // Whether one of `count` outputs depends on parameters.
  bool varies(Slot first, int count) const;
  // Where the outputs that depend on parameters stand in the description.
  std::vector<NumberSource> take_sources() { return std::move(sources_); }

 private:
  struct Parameter;
  struct Evaluated {
    Expr expr;
    double value;
  };
  Evaluated evaluate(const Number& number, const std::string& path);
  void add_output(Expr expr, double value);
  void add_source(Expr expr, const Number& number, const std::string& path);
  void parse_parameters(std::vector<Parameter>& parameters);
  void resolve(Parameter& parameter, Expr expr);
  void resolve_in_order(std::vector<Parameter>& parameters);
  void report_circle(const std::vector<Parameter>& parameters);
  // The value for the parameters' own values; NaN, and a fault, when it is not finite.
  double evaluate_finite(const Number& number, const std::string& path, Expr expr);

  Graph& graph_;
  FaultList& faults_;
  std::vector<ParameterInfo> free_parameters_;
  std::vector<Expr> free_symbols_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, Expr> resolved_;  // name -> expression of free parameters
  Evaluator values_;                                // for the parameters' own values
  std::vector<Expr> outputs_;
  std::vector<double> values_of_outputs_;
  std::vector<NumberSource> sources_;
  std::vector<std::pair<const ParameterSpec*, Expr>> dependent_parameters_;
};

// "-0.5", or "m1 - 2 = -0.5" for an expression: how a message speaks of a value.
inline std::string describe(const Number& number, double value) {
  return describe_value(number.expression(), value);
}

}  // namespace sestina
