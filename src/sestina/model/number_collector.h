// Collects every number of a System as an output of one tape over the free parameters.
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

  // Call this first: defines the parameters, which may use each other. Faults: syntax, unknown names,
  // circles, values that are not finite.
  void define_parameters(const std::vector<ParameterSpec>& parameters);

  // Adds a number as the next output and returns its value for the present parameters. A faulty number is
  // reported and counts as NaN.
  double add(const Number& number, const std::string& path);
  // The same for a number that is not a property: it becomes an output only if it depends on parameters.
  double add_if_it_varies(const Number& number, const std::string& path);
  // Adds consecutive outputs; `values`, if not null, receives their values. Paths are path[0], path[1], ...
  Slot add_list(std::span<const Number> numbers, const std::string& path,
                std::vector<double>* values = nullptr);
  // Adds an output that the user did not give.
  void add_constant(double value) { add_output(graph_.number(value), value); }
  // Adds outputs for the parameters that are expressions of others; call it last.
  void add_dependent_parameters();
  // Returns the place of the next output.
  Slot next() const { return {static_cast<int>(outputs_.size())}; }

  // Parses an expression that may contain names other than parameters, which `resolve` finds. Reports faults;
  // then returns the number zero.
  Expr parse_text(const Number& number, const std::string& path, const Resolver& resolve);
  // Explains why the constant part of the expression is not finite, as written; empty if it is finite.
  std::string explain_constant(const Number& number, Expr expr) const;

  const std::vector<ParameterInfo>& free_parameters() const { return free_parameters_; }
  const std::vector<std::string>& parameter_names() const { return names_; }
  bool is_parameter(const std::string& name) const { return resolved_.contains(name); }
  const std::vector<Expr>& free_symbols() const { return free_symbols_; }
  const std::vector<Expr>& outputs() const { return outputs_; }
  const std::vector<double>& values() const { return values_of_outputs_; }  // for the present parameters
  // True if one of `count` outputs depends on parameters.
  bool varies(Slot first, int count) const;
  // Returns the places in the description of the outputs that depend on parameters.
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
  // Returns the value for the present parameters; NaN, and adds a fault, if it is not finite.
  double evaluate_finite(const Number& number, const std::string& path, Expr expr);

  Graph& graph_;
  FaultList& faults_;
  std::vector<ParameterInfo> free_parameters_;
  std::vector<Expr> free_symbols_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, Expr> resolved_;  // name -> expression of free parameters
  Evaluator values_;                                // for the present parameters
  std::vector<Expr> outputs_;
  std::vector<double> values_of_outputs_;
  std::vector<NumberSource> sources_;
  std::vector<std::pair<const ParameterSpec*, Expr>> dependent_parameters_;
};

// Describes a value in messages: "-0.5", or "m1 - 2 = -0.5" for an expression.
inline std::string describe(const Number& number, double value) {
  return describe_value(number.expression(), value);
}

}  // namespace sestina
