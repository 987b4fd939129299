// Collects the columns that a model defines, and resolves the names in their expressions.
#include <fmt/format.h>

#include "sestina/model/column_collector.h"
#include "sestina/model/freezer.h"

namespace sestina {

void Freezer::collect_columns() {
  std::vector<ColumnSpec> specs = system_.output.columns;
  if (faults_.size() > 0)
    specs.resize(described_columns_);  // missing states of faulty force elements are no further faults
  if (specs.empty()) return;
  ColumnCollector::Lookup lookup;
  lookup.find_point = [this](const std::string& name) {
    const auto found = point_index_.find(name);
    return found == point_index_.end() ? PointIndex() : found->second;
  };
  lookup.find_coordinate = [this](const std::string& name) { return resolve_coordinate(name); };
  lookup.find_force_value = [this](const std::string& name) { return find_force_value(name); };
  lookup.is_joint = [this](const std::string& name) {
    return joint_index_.contains(name) || is_left_out(name);
  };
  lookup.is_left_out = [this](const std::string& name) { return is_left_out(name); };
  columns_ = ColumnCollector(*graph_, faults_, numbers_, data_, lookup).collect(specs);
}

std::optional<std::variant<Expr, std::string>> Freezer::find_force_value(const std::string& name) const {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return std::nullopt;
  const std::string force = name.substr(0, dot), rest = name.substr(dot + 1);
  const bool has_component =
      rest.size() > 7 && rest.size() < 12 && rest.starts_with("value[") && rest.back() == ']';
  if (rest != "value" && !has_component) return std::nullopt;
  std::optional<ForceIndex> index;
  for (ForceIndex i{0}; i.value() < data_.forces.size(); ++i) {
    if (data_.forces[i].name == force) index = i;
  }
  if (!index) return std::nullopt;
  const auto& owners = data_.force_of_expression;
  const auto first = std::find(owners.begin(), owners.end(), *index);
  const auto count = std::count(owners.begin(), owners.end(), *index);
  if (count == 0) {
    return fmt::format("force '{}' is a {} and has no value", force, data_.forces[*index].type);
  }
  if (!has_component && count > 1) {
    return fmt::format("force '{}' has {} values: say {}.value[i]", force, count, force);
  }
  const std::ptrdiff_t component = has_component ? std::atoi(rest.c_str() + 6) : 0;
  if (component >= count)
    return fmt::format("'{}' is out of range: force '{}' has {} values", name, force, count);
  return data_.force_expressions.exprs[static_cast<std::size_t>(first - owners.begin() + component)];
}

}  // namespace sestina
