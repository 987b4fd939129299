// Collects and checks the beams of a description.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "sestina/base/suggest.h"
#include "sestina/forces/line_force.h"
#include "sestina/model/beam_meshes.h"
#include "sestina/model/collect_numbers.h"
#include "sestina/model/freezer.h"
#include "sestina/model/names.h"

namespace sestina {
namespace {

using Kind = ValueRule::Kind;

constexpr int kMostBeamElements = 1'000'000;
// Arc length over length as a symbol of the graph, in which a variable may be named `at`.
constexpr const char* kBeamPlace = "beam.at";

const std::vector<std::string>& formulations() {
  static const std::vector<std::string> names{"geometrically_exact", kCableFormulation};
  return names;
}

std::string path_of(const BeamLayout& beam) { return fmt::format("bodies[{}]", beam.position); }

}  // namespace

int Freezer::described_position(int position) const {
  const auto mode = described_of_mode_.find(position);
  if (mode != described_of_mode_.end()) return mode->second;
  const auto beam = beam_of_node_.find(position);
  return beam == beam_of_node_.end() ? position : beam->second->position;
}

// "boom.mid" is a point of a node.
void Freezer::index_beam_points() {
  for (const BeamLayout& beam : beams_) {
    BeamInfo info;
    info.name = beam.name;
    for (const int node : beam.nodes)
      info.nodes.push_back(index_of_position_[static_cast<std::size_t>(node)]);
    for (const auto& [name, node] : beam.points) {
      const PointIndex point = point_index_.at(name_of_node(beam.name, node) + "." + name);
      const std::string own_name = beam.name + "." + name;
      data_.points[point].name = own_name;
      point_index_.emplace(own_name, point);
      info.points.push_back({own_name, info.nodes[static_cast<std::size_t>(node)]});
    }
    info.is_cable = beam.is_cable, info.is_closed = beam.is_closed;
    for (const int slope : beam.slopes) {
      const BodyInfo& x = data_.bodies[index_of_position_[static_cast<std::size_t>(slope)]];
      info.slope_q.push_back(x.q_start), info.slope_u.push_back(x.u_start);
    }
    for (const BeamInfo& before : data_.beams) {
      if (before.is_cable == info.is_cable) info.first_element += before.element_count();
    }
    data_.beams.push_back(std::move(info));
  }
}

void Freezer::collect_beams() {
  for (const BeamLayout& beam : beams_) collect_beam(beam);
}

void Freezer::collect_beam(const BeamLayout& beam) {
  const BeamSpec& spec = *beam.body.beam;
  const std::string path = path_of(beam);
  check_word(spec.formulation, path + ".formulation", formulations());
  collect_count(spec.elements, path + ".elements", kMostBeamElements, "");
  check_beam_points(beam, path);
  BeamPlan plan;
  plan.index = data_.forces.push_back({beam.name, "beam"});
  plan.beam = static_cast<int>(data_.plan.connectors.beams.size());
  plan.stations = beam.stations;
  collect_centerline(spec, plan, path);
  plan.up = numbers_.add_list(spec.up, path + ".up");
  hold({Kind::kDirection, plan.up, {spec.up[0].mark, path + ".up"}, ""});
  if (spec.velocity) plan.velocity = numbers_.add_list(*spec.velocity, path + ".velocity");
  if (spec.angular_velocity) {
    plan.angular_velocity = numbers_.add_list(*spec.angular_velocity, path + ".angular_velocity");
  }
  if (beam.is_cable) {
    collect_cable(beam, plan, path);
  } else {
    collect_twist(spec, plan, path);
    collect_section(spec, plan, path);
    collect_material(spec, plan, path);
    const bool has_pretension = spec.pretension.is_expression() || spec.pretension.value() != 0.0;
    if (has_pretension) fail(spec.pretension.mark, path + ".pretension", "belongs to a cable");
    if (spec.precurved) fail(beam.body.mark, path + ".precurved", "belongs to a cable");
    if (spec.closed) fail(beam.body.mark, path + ".closed", "belongs to a cable");
    if (spec.section.EI) {
      fail(spec.section.EI->mark, path + ".section.EI", "belongs to a cable: expected EIy, EIz");
    }
  }
  data_.plan.connectors.beams.push_back(std::move(plan));
}

int Freezer::find_beam(const Name& name, const Mark& mark, const std::string& path) {
  const auto beam = std::ranges::find(data_.beams, name.text, &BeamInfo::name);
  if (beam != data_.beams.end()) return static_cast<int>(beam - data_.beams.begin());
  const std::vector<std::string> known =
      names_to_suggest(data_.beams, [](const BeamInfo& info) { return info.name; });
  fail(name.empty() ? mark : name.mark, path,
       name.empty()
           ? "is missing: expected the name of a beam or cable"
           : fmt::format("there is no beam or cable '{}'{}", name.text, suggestion(name.text, known)));
  return -1;
}

// The expressions are those of the value at the points of each element, where `at` is a number.
void Freezer::collect_line_force(const ForceSpec& spec, ForceIndex index, const std::string& path) {
  LineForcePlan plan;
  plan.index = index;
  plan.beam = find_beam(spec.beam, spec.mark, path + ".beam");
  collect_numbers<LineForce>(spec, path);
  plan.in_section_axes = spec.axes == "section";
  check_word(spec.axes, path + ".axes", {"ground", "section"});
  if (spec.table) fail(spec.table->mark, path + ".value", "cannot be a table: expected three expressions");
  if (spec.value.size() != 3 && !spec.table) {
    fail(spec.value_mark.line > 0 ? spec.value_mark : spec.mark, path + ".value",
         spec.value.empty() ? std::string("is missing: expected 3")
                            : fmt::format("has {} values; expected 3", spec.value.size()));
  }
  if (plan.beam < 0 || spec.value.size() != 3) return;
  if (plan.in_section_axes && data_.beams[static_cast<std::size_t>(plan.beam)].is_cable) {
    fail(spec.axes.mark, path + ".axes",
         fmt::format("'section' belongs to a beam: the sections of the cable {} have no axes",
                     spec.beam.text));
  }
  const Expr place = graph_->symbol(kBeamPlace);
  std::vector<Expr> value;
  for (std::size_t i = 0; i < 3; ++i) {
    value.push_back(numbers_.parse_text(spec.value[i], fmt::format("{}.value[{}]", path, i),
                                        [&](std::string_view name) -> std::variant<Expr, std::string> {
                                          if (name == "at") return place;
                                          return resolve_coordinate(std::string(name));
                                        }));
  }
  plan.expression = static_cast<int>(data_.force_expressions.exprs.size());
  const std::vector<double>& stations = beams_[static_cast<std::size_t>(plan.beam)].stations;
  for (std::size_t k = 0; k + 1 < stations.size(); ++k) {
    for (const auto& point : cable_element::gauss_points()) {
      const double at = stations[k] + point.x * (stations[k + 1] - stations[k]);
      const std::pair<Expr, Expr> here[] = {{place, graph_->number(at)}};
      for (const Expr component : value) {
        data_.force_expressions.add(graph_->substitute(component, here));
        data_.force_of_expression.push_back(index);
      }
    }
  }
  data_.plan.connectors.line_forces.push_back(plan);
}

// ---- cables -----------------------------------------------------------------------------------------------

void Freezer::collect_cable(const BeamLayout& beam, BeamPlan& plan, const std::string& path) {
  const BeamSpec& spec = *beam.body.beam;
  plan.is_cable = true, plan.is_precurved = spec.precurved, plan.is_closed = beam.is_closed;
  if (spec.closed && !beam.is_closed) {
    fail(spec.elements.mark, path + ".elements", "a closed cable needs two elements at least");
  }
  if (spec.twist.is_expression() || spec.twist.value() != 0.0) {
    fail(spec.twist.mark, path + ".twist", "belongs to a beam: the sections of a cable have no axes");
  }
  plan.pretension = collect_held(spec.pretension, Kind::kFinite, path + ".pretension");
  collect_cable_section(spec, plan, path + ".section");
  const BeamMaterialSpec& material = spec.material;
  const std::string material_path = path + ".material";
  plan.damping = collect_held(material.damping, Kind::kNotNegative, material_path + ".damping");
  if (!material.shear.empty()) {
    fail(material.mark, material_path + ".shear",
         "belongs to a beam: the sections of a cable stay perpendicular");
  }
  if (plan.section != BeamPlan::Section::kPerLength) {
    plan.material = numbers_.next();
    const auto collect = [&](const std::optional<Number>& number, const char* key) {
      if (number) {
        collect_held(*number, Kind::kPositive, material_path + "." + key);
      } else {
        fail(material.mark, material_path + "." + key, "is missing");
        numbers_.add_constant(1.0);
      }
    };
    collect(material.E, "E");
    numbers_.add_constant(0.0);  // Poisson's ratio, which does not matter
    collect(material.density, "density");
  }
  BeamInfo& info = data_.beams[static_cast<std::size_t>(plan.beam)];
  info.first_row = data_.constraint_rows, info.first_term = data_.constraint_terms;
  data_.constraint_rows += BeamInfo::kRowsOfElement * info.element_count();
  data_.constraint_terms += BeamInfo::kTermsOfElement * info.element_count();
  check_joints_of_cable(beam);
}

void Freezer::check_joints_of_cable(const BeamLayout& cable) {
  const auto is_on_cable = [&](const Name& reference) {
    const std::string body = reference.text.substr(0, reference.text.find('.'));
    const auto is_node = [&](int position) {
      return system_.bodies[static_cast<std::size_t>(position)].name.text == body;
    };
    return body == cable.name || std::ranges::any_of(cable.nodes, is_node);
  };
  for (std::size_t j = 0; j < system_.joints.size(); ++j) {
    const JointSpec& joint = system_.joints[j];
    if (joint.type == "spherical" || (!is_on_cable(joint.parent) && !is_on_cable(joint.child))) continue;
    fail(joint.type.mark, fmt::format("joints[{}].type", j),
         fmt::format("a point of the cable {} has no axes: expected spherical, or weld with a body",
                     cable.name));
  }
}

std::optional<Freezer::SlopePlace> Freezer::find_slope(PointIndex point, const Mark& mark,
                                                       const std::string& path) {
  if (!point.is_valid()) return std::nullopt;
  for (const BeamInfo& beam : data_.beams) {
    const auto node = std::ranges::find(beam.nodes, data_.points[point].body);
    if (!beam.is_cable || node == beam.nodes.end()) continue;
    const auto k = static_cast<std::size_t>(node - beam.nodes.begin());
    return SlopePlace{beam.slope_q[k], beam.slope_u[k]};
  }
  fail(mark, path, fmt::format("'{}' is not a point of a cable", data_.points[point].name));
  return std::nullopt;
}

PointIndex Freezer::find_frame(const Name& reference, const std::string& path) {
  const PointIndex point = find_point(reference, path);
  if (!point.is_valid()) return point;
  for (const BeamInfo& beam : data_.beams) {
    if (!beam.is_cable || std::ranges::find(beam.nodes, data_.points[point].body) == beam.nodes.end())
      continue;
    fail(reference.mark, path, fmt::format("is on the cable {}, whose points have no axes", beam.name));
    return {};
  }
  return point;
}

// ---- axes and points of beams ----------------------------------------------------------------------------

void Freezer::check_beam_points(const BeamLayout& beam, const std::string& path) {
  std::set<std::string> taken{"start", "end"};
  for (const PointSpec& point : beam.body.points) {
    const std::string& name = point.name.text;
    const std::string point_path = path + ".points." + name;
    if (!is_identifier(name) || name == "origin") {
      fail(point.name.mark, point_path, fmt::format("'{}' is not the name of a point of a beam", name));
    } else if (!taken.insert(name).second) {
      fail(point.name.mark, point_path, fmt::format("the point '{}' already exists", name));
    }
    if (!point.at) {
      fail(point.name.mark, point_path,
           "expected {at: ...}: the arc length over the beam's length, from 0 to 1");
      continue;
    }
    const double at = collect_setting(*point.at, point_path + ".at");
    if (std::isfinite(at) && (at < 0.0 || at > 1.0)) {
      fail(point.at->mark, point_path + ".at", describe(*point.at, at) + " is not from 0 to 1");
    }
  }
}

void Freezer::collect_centerline(const BeamSpec& spec, BeamPlan& plan, const std::string& beam_path) {
  const CenterlineSpec& line = spec.centerline;
  const std::string path = beam_path + ".centerline";
  const int kinds =
      (line.from || line.to ? 1 : 0) + (line.points.empty() ? 0 : 1) + (line.curve.empty() ? 0 : 1);
  if (kinds != 1) {
    fail(line.mark, path,
         kinds == 0 ? "is missing: expected {from, to}, {points} or {curve, length}"
                    : "has more than one of {from, to}, {points} and {curve, length}");
    return;
  }
  if (!line.curve.empty()) {
    collect_beam_curve(line, plan, path);
    return;
  }
  if (line.length) fail(line.length->mark, path + ".length", "belongs to a curve");
  plan.points = numbers_.next();
  if (line.points.empty()) {
    if (!line.from || !line.to) {
      fail(line.mark, path + (line.from ? ".to" : ".from"), "is missing");
      return;
    }
    numbers_.add_list(*line.from, path + ".from");
    numbers_.add_list(*line.to, path + ".to");
    plan.point_count = 2;
    return;
  }
  if (line.points.size() < 2) {
    fail(line.mark, path + ".points", "has one point; a beam needs two at least");
    return;
  }
  plan.axis = BeamPlan::Axis::kPoints;
  for (std::size_t i = 0; i < line.points.size(); ++i) {
    numbers_.add_list(line.points[i], fmt::format("{}.points[{}]", path, i));
  }
  plan.point_count = static_cast<int>(line.points.size());
}

void Freezer::collect_beam_curve(const CenterlineSpec& line, BeamPlan& plan, const std::string& path) {
  plan.axis = BeamPlan::Axis::kCurve;
  if (line.length) {
    plan.length = collect_held(*line.length, Kind::kPositive, path + ".length");
  } else {
    fail(line.mark, path + ".length", "is missing: a curve needs its length");
  }
  if (line.curve.size() != 3) {
    fail(line.mark, path + ".curve",
         fmt::format("has {} values; expected three expressions of the arc length s", line.curve.size()));
    return;
  }
  BeamCurve curve;
  for (std::size_t i = 0; i < 3; ++i) {
    curve.exprs.push_back(parse_along(line.curve[i], fmt::format("{}.curve[{}]", path, i)));
  }
  const Expr s = graph_->symbol(kCurveParameter);
  for (std::size_t i = 0; i < 3; ++i) curve.exprs.push_back(graph_->diff(curve.exprs[i], s));
  plan.curve = static_cast<int>(data_.beam_curves.size());
  data_.beam_curves.push_back(std::move(curve));
}

// The mesh itself may be impossible: an axis parallel to `up`, or a curve whose s is not the arc length.
void Freezer::check_beam_mesh(const Model& model) const {
  const std::vector<double>& numbers = numbers_.values();
  std::vector<double> parameters;
  for (const ParameterInfo& parameter : model.parameters()) parameters.push_back(parameter.value);
  FaultList faults;
  for (std::size_t i = 0; i < beams_.size(); ++i) {
    const BeamPlan& plan = model.plan().connectors.beams[i];
    try {
      if (plan.is_cable) {
        static_cast<void>(calc_cable_mesh(model, plan, numbers, parameters));
      } else {
        static_cast<void>(calc_beam_mesh(model, plan, numbers, parameters));
      }
    } catch (const InputError& error) {
      const BodySpec& body = beams_[i].body;
      if (!error.faults().empty() && !error.faults().front().place.path.empty()) {
        faults.add(error.faults());
        continue;
      }
      faults.add(
          {body.beam->centerline.mark.line > 0 ? body.beam->centerline.mark : body.mark, path_of(beams_[i])},
          error.what());
    }
  }
  faults.throw_if_any();
}

}  // namespace sestina
