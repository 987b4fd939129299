// Constraints on points and bodies: distances, points on lines, planes, curves and beams, rolling discs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sestina/base/error.h"
#include "sestina/constraints/point_on_beam.h"
#include "sestina/model/freezer.h"

namespace sestina {

bool Freezer::are_on_different_bodies(PointIndex first, PointIndex second, const Mark& mark,
                                      const std::string& path) {
  if (!first.is_valid() || !second.is_valid()) return false;
  const BodyIndex body = data_.points[first].body;
  if (body != data_.points[second].body) return true;
  fail(mark, path,
       fmt::format("is on {}, as the point is: nothing can move between them", data_.bodies[body].name));
  return false;
}

Slot Freezer::collect_direction(const std::optional<Triple>& direction, const Mark& mark,
                                const std::string& path) {
  const Slot slot = numbers_.next();
  if (direction) {
    numbers_.add_list(*direction, path);
    hold({ValueRule::Kind::kDirection, slot, {(*direction)[0].mark, path}, ""});
  } else {
    fail(mark, path, "is missing");
    for (const double x : {0.0, 0.0, 1.0}) numbers_.add_constant(x);
  }
  return slot;
}

void Freezer::collect_distance(const ConstraintSpec& spec, ConstraintInfo& info, const std::string& path) {
  DistancePlan plan{};
  plan.from = find_point(spec.from, path + ".from");
  plan.to = find_point(spec.to, path + ".to");
  if (plan.from.is_valid() && plan.to.is_valid()) {
    const BodyIndex a = data_.points[plan.from].body, b = data_.points[plan.to].body;
    if (a == b) {
      fail(spec.to.mark, path + ".to",
           fmt::format("is a point of {}, as the one in 'from' is: their distance never changes",
                       data_.bodies[a].name));
    }
  }
  plan.expression = static_cast<int>(data_.constraint_expressions.exprs.size());
  plan.row = info.first_row;
  info.rows = 1;
  Expr length = graph_->number(1.0);
  if (spec.length) {
    length = collect_of_time(*spec.length, path + ".length");
    if (!spec.length->is_expression()) {
      const double value = spec.length->value();
      if (!(value > 0.0)) {
        fail(spec.length->mark, path + ".length",
             describe(*spec.length, value) +
                 " is not positive: two points that coincide are joined by a spherical joint");
      }
    }
  } else {
    fail(spec.mark, path + ".length", "is missing");
  }
  const Expr t = graph_->symbol("t");
  const Expr rate = graph_->diff(length, t);
  for (const Expr expr : {length, rate, graph_->diff(rate, t)}) add_constraint_expression(expr);
  data_.plan.distances.push_back(plan);
}

void Freezer::collect_point_on(const ConstraintSpec& spec, ConstraintInfo& info, const std::string& path) {
  PointOnPlan plan{};
  plan.is_line = spec.type == "point_on_line";
  const std::string surface_path = path + (plan.is_line ? ".line" : ".plane");
  const Name& surface = plan.is_line ? spec.line : spec.plane;
  plan.point = find_point(spec.point, path + ".point");
  plan.surface = find_frame(surface, surface_path);
  are_on_different_bodies(plan.point, plan.surface, surface.mark, surface_path);
  plan.direction = collect_direction(plan.is_line ? spec.axis : spec.normal, spec.mark,
                                     path + (plan.is_line ? ".axis" : ".normal"));
  plan.first_row = info.first_row;
  info.rows = plan.is_line ? 2 : 1;
  data_.plan.points_on.push_back(plan);
}

void Freezer::collect_tangent(const ConstraintSpec& spec, ConstraintInfo& info, const std::string& path) {
  TangentPlan plan;
  const std::optional<SlopePlace> slope =
      find_slope(find_point(spec.point, path + ".point"), spec.point.mark, path + ".point");
  if (slope) plan.q = slope->q, plan.u = slope->u;
  plan.line = find_frame(spec.line, path + ".line");
  plan.direction = collect_direction(spec.axis.value_or(Triple{1, 0, 0}), spec.mark, path + ".axis");
  plan.first_row = info.first_row, plan.first_term = data_.constraint_terms;
  data_.constraint_terms += 6;
  info.rows = 2;
  info.force_unit = "N m", info.error_unit = "1";
  data_.plan.tangents.push_back(plan);
}

void Freezer::collect_rolling(const ConstraintSpec& spec, ConstraintInfo& info, const std::string& path) {
  RollingPlan plan{};
  plan.center = find_frame(spec.body, path + ".body");
  plan.plane = find_frame(spec.plane, path + ".plane");
  are_on_different_bodies(plan.center, plan.plane, spec.plane.mark, path + ".plane");
  plan.axis = collect_direction(spec.axis, spec.mark, path + ".axis");
  plan.normal = collect_direction(spec.normal, spec.mark, path + ".normal");
  plan.radius = numbers_.next();
  if (spec.radius) {
    numbers_.add(*spec.radius, path + ".radius");
    hold(ValueRule::Kind::kPositive, plan.radius, *spec.radius, path + ".radius");
  } else {
    fail(spec.mark, path + ".radius", "is missing");
    numbers_.add_constant(1.0);
  }
  plan.first_row = info.first_row;
  info.rows = 3, info.rows_on_speeds = 2;
  info.speed_unit = "m/s";
  data_.plan.rollings.push_back(plan);
}

void Freezer::collect_point_on_beam(const ConstraintSpec& spec, ConstraintInfo& info,
                                    const std::string& path) {
  PointOnBeamPlan plan;
  plan.point = find_point(spec.point, path + ".point");
  if (spec.start) plan.start = numbers_.next(), numbers_.add(*spec.start, path + ".start");
  plan.beam = find_beam(spec.beam, spec.mark, path + ".beam");
  if (plan.beam < 0) return;
  const BeamInfo& beam = data_.beams[static_cast<std::size_t>(plan.beam)];
  const auto is_own = [&](BodyIndex node) {
    return plan.point.is_valid() && node == data_.points[plan.point].body;
  };
  if (std::ranges::any_of(beam.nodes, is_own)) {
    fail(spec.point.mark, path + ".point",
         fmt::format("is a point of {}, along which it is to slide", beam.name));
  }
  const int nodes = static_cast<int>(beam.nodes.size()) - (beam.is_closed ? 1 : 0);
  info.rows = PointOnBeam<double>::kRows;
  plan.first_row = info.first_row;
  plan.first_pair = data_.constraint_pairs, plan.first_term = data_.constraint_terms;
  data_.constraint_pairs += info.rows * nodes;
  if (beam.is_cable) data_.constraint_terms += 3 * info.rows * nodes;
  info.on_beam = static_cast<int>(data_.plan.points_on_beams.size());
  data_.plan.points_on_beams.push_back(plan);
}

// ---- curves -----------------------------------------------------------------------------------------------

void Freezer::collect_point_on_curve(const ConstraintSpec& spec, ConstraintInfo& info,
                                     const std::string& path) {
  const std::size_t faults = faults_.size();
  PointOnCurvePlan plan{};
  plan.point = find_point(spec.point, path + ".point");
  plan.curve = find_frame(spec.curve, path + ".curve");
  are_on_different_bodies(plan.point, plan.curve, spec.curve.mark, path + ".curve");
  CurveInfo curve;
  curve.constraint = static_cast<int>(data_.constraints.size());
  curve.exprs = spec.table ? collect_curve_table(spec, path) : collect_curve(spec, path);
  plan.range = collect_curve_range(spec, path);
  plan.is_open = plan.range.is_given() && !spec.periodic;
  if (spec.start) {
    plan.start = numbers_.next();
    numbers_.add(*spec.start, path + ".start");
  }
  if (faults_.size() > faults || curve.exprs.size() != 3) return;
  const Expr s = graph_->symbol(kCurveParameter);
  for (std::size_t i = 0; i < 6; ++i) curve.exprs.push_back(graph_->diff(curve.exprs[i], s));
  plan.up = find_up(curve, plan.range);
  plan.first_row = info.first_row;
  info.rows = 2;
  info.curve = static_cast<int>(data_.curves.size());
  data_.curves.push_back(std::move(curve));
  data_.plan.points_on_curves.push_back(plan);
}

// Returns c(s), or fewer than three expressions after a fault.
std::vector<Expr> Freezer::collect_curve(const ConstraintSpec& spec, const std::string& path) {
  std::vector<Expr> curve;
  if (spec.position.size() != 3) {
    fail(spec.position_mark.line > 0 ? spec.position_mark : spec.mark, path + ".position",
         spec.position.empty() ? "is missing: expected three expressions of s, or a table"
                               : fmt::format("has {} values; expected 3", spec.position.size()));
    return curve;
  }
  for (const ParameterSpec& parameter : system_.parameters) {
    if (parameter.name == "s") {
      fail(spec.position[0].mark, path + ".position",
           "s is the curve's parameter, and the model has a parameter s: give that another name");
      return curve;
    }
  }
  const Expr s = graph_->symbol(kCurveParameter);
  for (std::size_t i = 0; i < 3; ++i) {
    curve.push_back(numbers_.parse_text(
        spec.position[i], fmt::format("{}.position[{}]", path, i),
        [&](std::string_view name) -> std::variant<Expr, std::string> {
          if (name == "s") return s;
          return fmt::format("'{}' is not known here: expected an expression of s and parameters", name);
        }));
  }
  const std::vector<Expr> symbols = graph_->free_symbols(curve);
  if (std::find(symbols.begin(), symbols.end(), s) == symbols.end()) {
    fail(spec.position[0].mark, path + ".position", "does not depend on s: it is a point and no curve");
  }
  if (spec.periodic) {
    fail(spec.mark, path + ".periodic",
         "is for tables: expressions of s repeat by themselves, and s counts turns");
  }
  return curve;
}

std::vector<Expr> Freezer::collect_curve_table(const ConstraintSpec& spec, const std::string& path) {
  const TableSpec& table = *spec.table;
  std::vector<Expr> curve;
  const bool was_not_read = table.values.empty() && table.mark.line > 0;  // already reported
  if (was_not_read) return curve;
  if (table.values.size() != 3) {
    fail(table.mark, path + ".position.columns",
         fmt::format("names {} columns; expected 3", table.values.size()));
    return curve;
  }
  const auto interpolation = spec.periodic ? Interpolation::kPeriodicSpline : Interpolation::kSpline;
  for (std::size_t i = 0; i < 3; ++i) {
    try {
      const TableId id = graph_->add_table(fmt::format("{}_curve{}", spec.name.text, i),
                                           Table(table.time, table.values[i], interpolation));
      curve.push_back(graph_->table(id, graph_->symbol(kCurveParameter)));
    } catch (const InputError& error) {
      fail(table.mark, path + ".position", error.what());
    }
  }
  if (!spec.range.empty()) {
    fail(spec.range_mark, path + ".range", "is for expressions: a table begins and ends with its rows");
  }
  return curve;
}

// Returns s at the ends of an open curve or of a period; no slot if there is neither.
Slot Freezer::collect_curve_range(const ConstraintSpec& spec, const std::string& path) {
  if (spec.table) {
    if (spec.table->time.size() < 2) return {};
    const Slot slot = numbers_.next();
    numbers_.add_constant(spec.table->time.front());
    numbers_.add_constant(spec.table->time.back());
    return slot;
  }
  if (spec.range.empty()) return {};
  if (spec.range.size() != 2) {
    fail(spec.range_mark, path + ".range", fmt::format("has {} values; expected 2", spec.range.size()));
    return {};
  }
  std::vector<double> ends;
  const Slot slot = numbers_.add_list(spec.range, path + ".range", &ends);
  if (ends[0] >= ends[1]) {
    fail(spec.range_mark, path + ".range",
         fmt::format("[{}, {}] is not a range: the second number has to be larger", ends[0], ends[1]));
  }
  return slot;
}

// Returns the axis of the curve's frame that is farthest from its tangents; without ends, from those near s =
// 0.
int Freezer::find_up(const CurveInfo& curve, Slot range) const {
  constexpr int kPlaces = 64;
  const std::vector<double>& values = numbers_.values();
  const auto at = static_cast<std::size_t>(std::max(range.first, 0));
  const double first = range.is_given() ? values[at] : -1.0, last = range.is_given() ? values[at + 1] : 1.0;
  std::vector<Expr> inputs{graph_->symbol(kCurveParameter)};
  inputs.insert(inputs.end(), numbers_.free_symbols().begin(), numbers_.free_symbols().end());
  const Tape tape(*graph_, curve.exprs, inputs);
  std::vector<double> in(inputs.size()), out(CurveInfo::kNumbers), scratch(tape.scratch_size());
  for (std::size_t i = 1; i < in.size(); ++i) in[i] = numbers_.free_parameters()[i - 1].value;
  double largest[3] = {};
  for (int k = 0; k <= kPlaces; ++k) {
    in[0] = first + (last - first) * k / kPlaces;
    tape.evaluate<double>(in, out, scratch);
    const double length = std::hypot(out[3], out[4], out[5]);
    for (std::size_t i = 0; i < 3 && length > 0.0; ++i) {
      largest[i] = std::max(largest[i], std::abs(out[3 + i]) / length);
    }
  }
  return find_up_axis(largest);
}

}  // namespace sestina
