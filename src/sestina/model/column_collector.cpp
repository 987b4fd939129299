#include "sestina/model/column_collector.h"

#include <fmt/format.h>

#include <algorithm>

#include "sestina/base/suggest.h"
#include "sestina/expression/substitution.h"
#include "sestina/flexible/reduced_body.h"
#include "sestina/model/names.h"

namespace sestina {
namespace {

constexpr std::string_view kAxes = "xyz";

std::string first_part(const std::string& name) { return name.substr(0, name.find('.')); }

// True if the part after the first dot is `q`, `q[1]`, `u` or `u[0]`.
bool looks_like_coordinate(const std::string& name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos || dot + 1 == name.size()) return false;
  const char letter = name[dot + 1];
  return (letter == 'q' || letter == 'u') && (dot + 2 == name.size() || name[dot + 2] == '[');
}

std::string find_fault_of_unit(const std::string& unit) {
  const bool has_control =
      std::ranges::any_of(unit, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (!has_control && unit.find_first_of(",\"") == std::string::npos && !unit.starts_with('#')) return {};
  return fmt::format("'{}' is not a unit: it has a comma, a quote, a line break or begins with #", unit);
}

}  // namespace

std::string find_fault_of_column_name(const std::string& name) {
  std::string_view rest = name;
  for (;;) {
    const std::size_t dot = rest.find('.');
    if (!is_identifier(rest.substr(0, dot))) {
      return fmt::format(
          "'{}' is not the name of a column: letters, digits and _ are allowed, no digit at the start, and "
          "dots between such names",
          name);
    }
    if (dot == std::string_view::npos) break;
    rest.remove_prefix(dot + 1);
  }
  if (is_reserved_name(first_part(name))) return fmt::format("'{}' is reserved", first_part(name));
  return {};
}

struct ColumnCollector::Draft {
  const ColumnSpec* spec;
  std::string path;
  Expr symbol;
  Expr expr;  // for an integral its rate; may contain symbols of other columns at first
  std::string constant_fault;
  std::vector<std::size_t> uses;  // indices of the columns in expr that are not integrals
  bool is_resolved = false;
};

ColumnCollector::ColumnCollector(Graph& graph, FaultList& faults, NumberCollector& numbers,
                                 const ModelData& data, Lookup lookup)
    : graph_(graph),
      faults_(faults),
      numbers_(numbers),
      data_(data),
      lookup_(std::move(lookup)),
      row_(row_columns(data, true)),
      reactions_(row_layout(data).reactions),
      columns_(std::make_shared<OutputColumns>()) {
  for (std::size_t i = 0; i < row_.size(); ++i) place_in_row_.emplace(row_[i].name, static_cast<int>(i));
}

ColumnCollector::~ColumnCollector() = default;

void ColumnCollector::fail(const Draft& draft, std::string message) {
  const Mark& mark = draft.spec->value ? draft.spec->value->mark : draft.spec->mark;
  faults_.add({mark, draft.path}, std::move(message));
}

std::shared_ptr<OutputColumns> ColumnCollector::collect(const std::vector<ColumnSpec>& specs) {
  for (const ColumnSpec& spec : specs) {
    const std::string& name = spec.name.text;
    draft_of_name_.emplace(name, drafts_.size());
    drafts_.push_back(
        {&spec, "output.columns." + name, graph_.symbol(name), graph_.number(0.0), "", {}, false});
    DefinedColumn column{name, spec.unit.text, "", -1};
    if (spec.value) {
      column.value =
          spec.value->is_expression() ? spec.value->expression() : fmt::format("{}", spec.value->value());
    }
    if (spec.integrate) {
      column.integral = columns_->num_integrals();
      columns_->integrals.push_back(static_cast<int>(columns_->columns.size()));
    }
    columns_->columns.push_back(std::move(column));
  }
  for (Draft& draft : drafts_) {
    check(draft);
    parse(draft);
  }
  put_in_order();
  report_circles();
  for (const Draft& draft : drafts_) {
    if (!draft.spec->integrate) {
      columns_->values.add(draft.expr, draft.constant_fault);
      continue;
    }
    check_rate(draft);
    columns_->values.add(draft.symbol);
    columns_->rates.add(draft.expr, draft.constant_fault);
  }
  list_inputs();
  return std::move(columns_);
}

void ColumnCollector::check(const Draft& draft) {
  const ColumnSpec& spec = *draft.spec;
  // Names without dots are compared with all names of the model elsewhere.
  const bool has_dot = spec.name.text.find('.') != std::string::npos;
  if (has_dot && place_in_row_.contains(spec.name.text)) {
    faults_.add({spec.name.mark, draft.path},
                fmt::format("results have a column '{}' already", spec.name.text));
  }
  if (const std::string fault = find_fault_of_unit(spec.unit.text); !fault.empty()) {
    faults_.add({spec.unit.mark, draft.path + ".unit"}, fault);
  }
}

void ColumnCollector::parse(Draft& draft) {
  if (!draft.spec->value) {
    fail(draft, "has no value: expected an expression");
    return;
  }
  const Number& value = *draft.spec->value;
  draft.expr = numbers_.parse_text(value, draft.path,
                                   [&](std::string_view name) { return resolve(draft, std::string(name)); });
  draft.constant_fault = numbers_.explain_constant(value, draft.expr);
}

std::variant<Expr, std::string> ColumnCollector::resolve(Draft& draft, const std::string& name) {
  if (const auto found = draft_of_name_.find(name); found != draft_of_name_.end()) {
    const Draft& other = drafts_[found->second];
    if (!other.spec->integrate) draft.uses.push_back(found->second);
    return other.symbol;
  }
  if (const auto found = place_in_row_.find(name); found != place_in_row_.end()) {
    columns_->use_reactions |= found->second >= reactions_;
    return graph_.symbol(name);
  }
  if (const Expr component = find_point(name); component.is_valid()) return component;
  if (auto value = lookup_.find_force_value(name)) return *value;
  if (lookup_.is_joint(first_part(name)) && looks_like_coordinate(name)) return lookup_.find_coordinate(name);
  if (lookup_.is_left_out(first_part(name))) return graph_.number(1.0);  // a consequence of that fault
  return explain_unknown(name);
}

// Returns the symbol of BODY.POINT.x, .y or .z; invalid if there is no such point.
Expr ColumnCollector::find_point(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos || dot + 2 != name.size()) return {};
  const std::size_t axis = kAxes.find(name.back());
  if (axis == std::string_view::npos) return {};
  const std::string point_name = name.substr(0, dot);
  const PointIndex point = lookup_.find_point(point_name);
  if (!point.is_valid()) return {};
  const auto found = std::ranges::find(columns_->points, point);
  const auto first = 3 * static_cast<std::size_t>(found - columns_->points.begin());
  if (found == columns_->points.end()) {
    columns_->points.push_back(point);
    for (const char letter : kAxes) point_symbols_.push_back(graph_.symbol(point_name + '.' + letter));
  }
  return point_symbols_[first + axis];
}

std::string ColumnCollector::explain_unknown(const std::string& name) const {
  for (const BeamPlan& plan : data_.plan.connectors.beams) {
    const BeamInfo& beam = data_.beams[static_cast<std::size_t>(plan.beam)];
    if (plan.has_outline() || !name.starts_with(beam.name + ".section[") ||
        name.find("].stress") == std::string::npos) {
      continue;
    }
    return fmt::format(
        "'{}': {} has no stresses, since its section is given by stiffnesses; expected a section by shape, "
        "{}",
        name, beam.name,
        beam.is_cable ? "{circle: radius} or {tube: [inner, outer]}"
                      : "{rectangle: [width, height]}, {circle: radius} or {tube: [inner, outer]}");
  }
  for (const ReducedBodyInfo& body : data_.reduced_bodies) {
    if (!body.modes->stress_nodes.empty() || !name.starts_with(body.name + ".stress")) continue;
    return fmt::format(
        "'{}': the file of {} has no stresses; expected one that reduce(.., stresses=True) wrote", name,
        body.name);
  }
  std::vector<std::string> known =
      names_to_suggest(drafts_, [](const Draft& d) { return d.spec->name.text; });
  known = names_to_suggest(
      numbers_.parameter_names(), [](const std::string& text) { return text; }, known);
  const std::string owner = first_part(name) + '.';
  // Points of the same body or joint come first, since not all names of a large model are compared.
  for (const PointInfo& point : data_.points) {
    if (!point.name.starts_with(owner)) continue;
    for (const char letter : kAxes) known.push_back(point.name + '.' + letter);
  }
  for (const RowColumn& column : row_) {
    if (column.name.starts_with(owner)) known.push_back(column.name);
  }
  known = names_to_suggest(
      row_, [](const RowColumn& column) { return column.name; }, std::move(known));
  return fmt::format("there is no column, point or parameter '{}'{}", name, suggestion(name, known));
}

// Orders each column after those that it uses (Kahn's algorithm). Columns in a circle, or after one, remain.
void ColumnCollector::put_in_order() {
  Substitution substitution(graph_, {});
  std::vector<std::vector<std::size_t>> users(drafts_.size());
  std::vector<std::size_t> missing(drafts_.size(), 0), ready;
  for (std::size_t i = 0; i < drafts_.size(); ++i) {
    for (const std::size_t used : drafts_[i].uses) {
      users[used].push_back(i);
      ++missing[i];
    }
    if (missing[i] == 0) ready.push_back(i);
  }
  while (!ready.empty()) {
    Draft& draft = drafts_[ready.back()];
    const std::vector<std::size_t>& waiting = users[ready.back()];
    ready.pop_back();
    draft.expr = substitution(draft.expr);
    draft.is_resolved = true;
    if (!draft.spec->integrate) substitution.replace(draft.symbol, draft.expr);
    for (const std::size_t user : waiting) {
      if (--missing[user] == 0) ready.push_back(user);
    }
  }
}

void ColumnCollector::report_circles() {
  const auto unresolved_use = [&](std::size_t i) {
    for (const std::size_t used : drafts_[i].uses) {
      if (!drafts_[used].is_resolved) return used;
    }
    return i;
  };
  const auto name = [&](std::size_t i) { return drafts_[i].spec->name.text; };
  std::vector<int> seen(drafts_.size(), -1);
  for (std::size_t start = 0; start < drafts_.size(); ++start) {
    if (drafts_[start].is_resolved || seen[start] >= 0) continue;
    std::size_t i = start;
    while (seen[i] < 0) {
      seen[i] = static_cast<int>(start);
      i = unresolved_use(i);
    }
    if (seen[i] != static_cast<int>(start)) continue;  // leads to a circle that has been reported
    std::string circle = name(i);
    for (std::size_t k = unresolved_use(i); k != i; k = unresolved_use(k)) circle += " -> " + name(k);
    fail(drafts_[i], fmt::format("the columns have a circular definition: {} -> {}", circle, name(i)));
  }
}

// An integral is a quadrature: its rate depends on the state only, not on other quadratures.
void ColumnCollector::check_rate(const Draft& draft) {
  if (!draft.is_resolved) return;  // reported
  const RowLayout layout = row_layout(data_);
  OutputColumns& columns = *columns_;
  for (const Expr symbol : graph_.free_symbols(draft.expr)) {
    const std::string& name = graph_.name_of(symbol);
    if (draft_of_name_.contains(name) || name == "energy.supplied" || name == "energy.dissipated") {
      fail(draft, fmt::format("'{}' is an integral over the time, and an integral cannot be integrated again",
                              name));
      continue;
    }
    columns.rates_use_points |= std::ranges::find(point_symbols_, symbol) != point_symbols_.end();
    const auto found = place_in_row_.find(name);
    if (found == place_in_row_.end()) continue;
    const int place = found->second;
    if (place >= reactions_) {
      fail(draft, fmt::format("'{}' is a reaction, and reactions cannot be integrated", name));
    } else if (place == layout.event && !data_.events.empty()) {
      fail(draft, "'event' belongs to rows alone and cannot be integrated");
    }
    columns.rates_use_origins |= place >= layout.origins && place < layout.energy;
    columns.rates_use_energy |= place >= layout.energy && place < layout.momentum;
    columns.rates_use_momentum |= place >= layout.momentum && place < reactions_;
  }
}

void ColumnCollector::list_inputs() {
  std::vector<Expr>& inputs = columns_->inputs;
  inputs = point_symbols_;
  inputs.insert(inputs.end(), numbers_.free_symbols().begin(), numbers_.free_symbols().end());
  for (int i = 0; i < reactions_; ++i) {
    inputs.push_back(graph_.symbol(row_[static_cast<std::size_t>(i)].name));
  }
  for (const Draft& draft : drafts_) inputs.push_back(draft.symbol);
  if (!columns_->use_reactions) return;
  for (auto i = static_cast<std::size_t>(reactions_); i < row_.size(); ++i) {
    inputs.push_back(graph_.symbol(row_[i].name));
  }
}

void ColumnCollector::compile(const Graph& graph, OutputColumns& columns) {
  columns.value_tape = Tape(graph, columns.values.exprs, columns.inputs);
  columns.rate_tape = Tape(graph, columns.rates.exprs, columns.inputs);
}

}  // namespace sestina
