#include "sestina/model/number_collector.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sestina/base/quotation.h"
#include "sestina/base/suggest.h"
#include "sestina/expression/constant_fault.h"
#include "sestina/expression/substitution.h"

namespace sestina {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

struct NumberCollector::Parameter {
  const ParameterSpec* spec;
  std::string path;
  Expr symbol;
  Expr expr;                      // as given; invalid after a fault
  std::vector<std::size_t> uses;  // indices of the parameters in expr
  bool is_resolved = false;
};

void NumberCollector::define_parameters(const std::vector<ParameterSpec>& specs) {
  std::vector<Parameter> parameters;
  for (const ParameterSpec& spec : specs) {
    names_.push_back(spec.name.text);
    parameters.push_back(
        {&spec, "parameters." + spec.name.text, graph_.symbol(spec.name.text), {}, {}, false});
  }
  parse_parameters(parameters);
  resolve_in_order(parameters);
  report_circle(parameters);
}

void NumberCollector::parse_parameters(std::vector<Parameter>& parameters) {
  std::unordered_map<std::string, std::size_t> positions;
  for (std::size_t i = 0; i < parameters.size(); ++i) positions.emplace(names_[i], i);
  for (Parameter& parameter : parameters) {
    const Number& value = parameter.spec->value;
    if (!value.is_expression()) {
      free_parameters_.push_back({parameter.spec->name.text, value.value()});
      free_symbols_.push_back(parameter.symbol);
      values_.bind(parameter.symbol, value.value());
      resolve(parameter, parameter.symbol);
      continue;
    }
    try {
      parameter.expr =
          parse(graph_, value.expression(), [&](std::string_view name) -> std::variant<Expr, std::string> {
            const auto found = positions.find(std::string(name));
            if (found == positions.end()) {
              return fmt::format("there is no parameter '{}'{}", name, suggestion(name, names_));
            }
            parameter.uses.push_back(found->second);
            return parameters[found->second].symbol;
          });
    } catch (const ExpressionError& error) {
      faults_.add({value.mark, parameter.path},
                  fmt::format("{} in '{}'", error.what(), shortened(value.expression())));
      parameter.is_resolved = true;                                      // as regards circular references
      parameter.uses.clear();                                            // it depends on nothing
      resolved_.emplace(parameter.spec->name.text, graph_.number(1.0));  // its users report no fault
    }
  }
}

// A parameter that is not finite has been reported and counts as one, to avoid further faults.
void NumberCollector::resolve(Parameter& parameter, Expr expr) {
  const double value = evaluate_finite(parameter.spec->value, parameter.path, expr);
  resolved_.emplace(parameter.spec->name.text, std::isfinite(value) ? expr : graph_.number(1.0));
  parameter.is_resolved = true;
}

// Orders each parameter after those that it uses (Kahn's algorithm). Those in a circle, or after one, remain.
void NumberCollector::resolve_in_order(std::vector<Parameter>& parameters) {
  Substitution substitution(graph_, {});
  const auto replace = [&](const Parameter& parameter) {
    substitution.replace(parameter.symbol, resolved_.at(parameter.spec->name.text));
  };
  std::vector<std::vector<std::size_t>> users(parameters.size());
  std::vector<std::size_t> missing(parameters.size(), 0), ready;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].is_resolved) replace(parameters[i]);
    for (const std::size_t used : parameters[i].uses) {
      if (parameters[used].is_resolved) continue;
      users[used].push_back(i);
      ++missing[i];
    }
    if (missing[i] == 0 && !parameters[i].is_resolved) ready.push_back(i);
  }
  while (!ready.empty()) {
    const std::size_t i = ready.back();
    ready.pop_back();
    Parameter& parameter = parameters[i];
    const Expr expr = substitution(parameter.expr);
    resolve(parameter, expr);
    replace(parameter);
    if (!graph_.constant_value(expr)) dependent_parameters_.emplace_back(parameter.spec, expr);
    for (const std::size_t user : users[i]) {
      if (--missing[user] == 0) ready.push_back(user);
    }
  }
}

void NumberCollector::report_circle(const std::vector<Parameter>& parameters) {
  const auto unresolved_use = [&](std::size_t i) {
    for (const std::size_t used : parameters[i].uses) {
      if (!parameters[used].is_resolved) return used;
    }
    return i;
  };
  std::vector<int> seen(parameters.size(), -1);
  for (std::size_t start = 0; start < parameters.size(); ++start) {
    if (parameters[start].is_resolved || seen[start] >= 0) continue;
    std::size_t i = start;
    while (seen[i] < 0) {
      seen[i] = static_cast<int>(start);
      i = unresolved_use(i);
    }
    if (seen[i] != static_cast<int>(start)) continue;  // leads to a circle that has been reported
    std::string circle = names_[i];
    for (std::size_t k = unresolved_use(i); k != i; k = unresolved_use(k)) circle += " -> " + names_[k];
    faults_.add({parameters[i].spec->value.mark, parameters[i].path},
                fmt::format("the parameters have a circular definition: {} -> {}", circle, names_[i]));
  }
  for (const std::string& name : names_) resolved_.emplace(name, graph_.number(1.0));
}

double NumberCollector::evaluate_finite(const Number& number, const std::string& path, Expr expr) {
  const std::optional<double> constant = graph_.constant_value(expr);
  const double value = constant ? *constant : values_(expr);
  if (std::isfinite(value)) return value;
  std::string message = describe(number, value) + " is not finite";
  if (number.is_expression()) {
    const auto reason = values_.find_non_finite(expr);
    const std::string as_written = explain_constant(number, reason ? reason->where : expr);
    if (reason) message += ": " + (as_written.empty() ? reason->message : as_written);
  }
  faults_.add({number.mark, path}, message);
  return kNaN;
}

Expr NumberCollector::parse_text(const Number& number, const std::string& path, const Resolver& resolve) {
  if (!number.is_expression()) {
    if (std::isfinite(number.value())) return graph_.number(number.value());
    faults_.add({number.mark, path}, fmt::format("{} is not finite", number.value()));
    return graph_.number(0.0);
  }
  try {
    return parse(graph_, number.expression(), [&](std::string_view name) -> std::variant<Expr, std::string> {
      const auto found = resolved_.find(std::string(name));
      if (found != resolved_.end()) return found->second;
      return resolve(name);
    });
  } catch (const ExpressionError& error) {
    faults_.add({number.mark, path}, fmt::format("{} in '{}'", error.what(), shortened(number.expression())));
    return graph_.number(0.0);
  }
}

std::string NumberCollector::explain_constant(const Number& number, Expr expr) const {
  if (!number.is_expression() || !graph_.has_constant_fault(expr)) return "";
  return explain_constant_fault(graph_, number.expression(),
                                [&](std::string_view name) -> std::variant<Expr, std::string> {
                                  const auto found = resolved_.find(std::string(name));
                                  if (found != resolved_.end()) return found->second;
                                  return "changes with time";
                                });
}

NumberCollector::Evaluated NumberCollector::evaluate(const Number& number, const std::string& path) {
  if (!number.is_expression()) {
    const Expr expr = graph_.number(number.value());
    if (std::isfinite(number.value())) return {expr, number.value()};
    faults_.add({number.mark, path}, fmt::format("{} is not finite", number.value()));
    return {expr, kNaN};
  }
  const std::size_t faults_before = faults_.size();
  const Expr expr = parse_text(number, path, [&](std::string_view name) -> std::variant<Expr, std::string> {
    if (name == "t" || name.find('.') != std::string_view::npos) {
      return fmt::format("'{}' changes with time: only parameters are allowed here", name);
    }
    return fmt::format("there is no parameter '{}'{}", name, suggestion(name, names_));
  });
  return {expr, faults_.size() > faults_before ? kNaN : evaluate_finite(number, path, expr)};
}

void NumberCollector::add_output(Expr expr, double value) {
  outputs_.push_back(expr);
  values_of_outputs_.push_back(value);
}

void NumberCollector::add_source(Expr expr, const Number& number, const std::string& path) {
  if (graph_.constant_value(expr)) return;
  sources_.push_back({next(), {number.mark, path}, number.expression()});
}

double NumberCollector::add(const Number& number, const std::string& path) {
  const auto [expr, value] = evaluate(number, path);
  add_source(expr, number, path);
  add_output(expr, value);
  return value;
}

double NumberCollector::add_if_it_varies(const Number& number, const std::string& path) {
  const auto [expr, value] = evaluate(number, path);
  if (graph_.constant_value(expr)) return value;
  add_source(expr, number, path);
  add_output(expr, value);
  return value;
}

void NumberCollector::add_dependent_parameters() {
  const auto first = static_cast<std::ptrdiff_t>(sources_.size());
  for (const auto& [spec, expr] : dependent_parameters_) {
    add_source(expr, spec->value, "parameters." + spec->name.text);
    add_output(expr, values_(expr));
  }
  std::rotate(sources_.begin(), sources_.begin() + first, sources_.end());
}

bool NumberCollector::varies(Slot first, int count) const {
  for (int i = first.first; i < first.first + count; ++i) {
    if (!graph_.constant_value(outputs_[static_cast<std::size_t>(i)])) return true;
  }
  return false;
}

Slot NumberCollector::add_list(std::span<const Number> numbers, const std::string& path,
                               std::vector<double>* values) {
  const Slot first = next();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double value = add(numbers[i], fmt::format("{}[{}]", path, i));
    if (values != nullptr) values->push_back(value);
  }
  return first;
}

}  // namespace sestina
