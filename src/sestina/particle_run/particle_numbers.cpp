#include "sestina/particle_run/particle_numbers.h"

#include <fmt/format.h>

#include <cmath>

#include "sestina/base/suggest.h"
#include "sestina/expression/evaluate.h"
#include "sestina/expression/parse.h"

namespace sestina {

ParticleNumbers::ParticleNumbers(ReadContext& context, const YamlNode& root) : context_(context) {
  const YamlEntry* entry = root.find("parameters");
  if (entry == nullptr) return;
  const NodePath top, path = top / "parameters";
  if (!entry->value->is_map()) {
    context_.fault(*entry->value, path,
                   "expected a map of names to numbers, found " + describe(*entry->value));
    return;
  }
  for (const YamlEntry& parameter : entry->value->entries) {
    read_number(context_, *parameter.value, path / parameter.key, parameters_[parameter.key].value);
  }
  for (auto& [name, parameter] : parameters_) {
    parameter.is_open = true;
    parameter.known = evaluate(parameter.value, path / name);
    parameter.is_open = false;
  }
}

std::variant<Expr, std::string> ParticleNumbers::resolve(std::string_view name) {
  const auto found = parameters_.find(name);
  if (found == parameters_.end()) {
    std::vector<std::string> names;
    for (const auto& [known, value] : parameters_) names.push_back(known);
    return fmt::format("unknown name '{}'{}", name, suggestion(name, names));
  }
  Parameter& parameter = found->second;
  if (parameter.known) return graph_.number(*parameter.known);
  if (parameter.is_open) return fmt::format("the parameter '{}' depends on itself", name);
  if (!parameter.value.is_expression()) return graph_.number(parameter.value.value());
  parameter.is_open = true;
  const Expr expr =
      parse(graph_, parameter.value.expression(), [&](std::string_view n) { return resolve(n); });
  parameter.is_open = false;
  return expr;
}

std::optional<double> ParticleNumbers::evaluate(const Number& number, const NodePath& path) {
  if (!number.is_expression()) return number.value();
  double value = std::nan("");
  try {
    const Expr expr = parse(graph_, number.expression(), [&](std::string_view n) { return resolve(n); });
    value = sestina::evaluate(graph_, expr, {});
  } catch (const ExpressionError& error) {
    context_.fault(number.mark, path, fmt::format("'{}': {}", number.expression(), error.what()));
    return std::nullopt;
  }
  if (std::isfinite(value)) return value;
  context_.fault(number.mark, path, fmt::format("'{}' is not finite", number.expression()));
  return std::nullopt;
}

void ParticleNumbers::read(const MapReader& map, std::string_view key, double& out) {
  const YamlNode* node = map.find(key);
  Number number;
  if (node == nullptr || !read_number(context_, *node, map.path_of(key), number)) return;
  if (const auto value = evaluate(number, map.path_of(key))) out = *value;
}

void ParticleNumbers::read(const MapReader& map, std::string_view key, int& out) {
  double value = out;
  read(map, key, value);
  if (value != std::floor(value) || std::fabs(value) > 2e9) {
    context_.fault(map.mark_of(key), map.path_of(key), fmt::format("{} is not a whole number", value));
  } else {
    out = static_cast<int>(value);
  }
}

bool ParticleNumbers::read_numbers(const YamlNode& node, const NodePath& path, std::size_t count,
                                   std::vector<double>& out) {
  std::vector<Number> numbers;
  if (!sestina::read_numbers(context_, node, path, count, numbers)) return false;
  out.clear();
  for (std::size_t i = 0; i < count; ++i) {
    if (const auto value = evaluate(numbers[i], path / static_cast<int>(i))) out.push_back(*value);
  }
  return out.size() == count;
}

void ParticleNumbers::read(const MapReader& map, std::string_view key, std::array<double, 3>& out) {
  const YamlNode* node = map.find(key);
  std::vector<double> values;
  if (node == nullptr || !read_numbers(*node, map.path_of(key), 3, values)) return;
  std::copy(values.begin(), values.end(), out.begin());
}

}  // namespace sestina
