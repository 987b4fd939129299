// Connectors: the points they act on, and their constants.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sestina/base/suggest.h"
#include "sestina/forces/belt_contact.h"
#include "sestina/forces/coordinate_friction.h"
#include "sestina/forces/gravity_between.h"
#include "sestina/forces/lugre_friction.h"
#include "sestina/forces/rope.h"
#include "sestina/forces/sliding_force.h"
#include "sestina/model/collect_numbers.h"

namespace sestina {
namespace {

constexpr int kMostSegments = 1000;

}  // namespace

ForceIndex ConnectorPlan::first() const {
  ForceIndex least;
  const auto look_at = [&](const auto& list) {
    for (const auto& plan : list) {
      if (!least.is_valid() || plan.index.value() < least.value()) least = plan.index;
    }
  };
  look_at(bushings), look_at(cartesian_springs), look_at(torsional_spring_dampers);
  look_at(coordinate_frictions), look_at(lugre_frictions), look_at(ropes), look_at(gravities);
  look_at(second_orders), look_at(beams), look_at(contacts), look_at(line_forces);
  look_at(sliding_forces);
  return least;
}

bool Freezer::collect_connector(const ForceSpec& spec, ForceIndex index, const std::string& path) {
  if (spec.type == "bushing") {
    collect_bushing(spec, index, path);
  } else if (spec.type == "cartesian_spring") {
    collect_cartesian_spring(spec, index, path);
  } else if (spec.type == "torsional_spring_damper") {
    collect_torsional_spring_damper(spec, index, path);
  } else if (spec.type == "coordinate_friction") {
    collect_coordinate_friction(spec, index, path);
  } else if (spec.type == "lugre_friction") {
    collect_lugre_friction(spec, index, path);
  } else if (spec.type == "rope") {
    collect_rope(spec, index, path);
  } else if (spec.type == "gravity_between") {
    collect_gravity_between(spec, index, path);
  } else if (spec.type == "belt_contact") {
    collect_belt_contact(spec, index, path);
  } else if (spec.type == "line_force") {
    collect_line_force(spec, index, path);
  } else if (spec.type == "sliding_force") {
    collect_sliding_force(spec, index, path);
  } else if (spec.type == "hydraulic_actuator") {
    collect_hydraulic_actuator(spec, index, path);
  } else if (spec.type == "second_order") {
    collect_second_order(spec, index, path);
  } else {
    return false;
  }
  return true;
}

void Freezer::find_ends(const ForceSpec& spec, const std::string& path, PointIndex& from, PointIndex& to) {
  from = find_point(spec.from, path + ".from");
  to = find_point(spec.to, path + ".to");
  check_ends(spec, path, from, to);
}

void Freezer::find_frames(const ForceSpec& spec, const std::string& path, PointIndex& from, PointIndex& to) {
  from = find_frame(spec.from, path + ".from");
  to = find_frame(spec.to, path + ".to");
  check_ends(spec, path, from, to);
}

void Freezer::check_ends(const ForceSpec& spec, const std::string& path, PointIndex from, PointIndex to) {
  if (!from.is_valid() || !to.is_valid() || data_.points[from].body != data_.points[to].body) return;
  fail(spec.to.mark, path + ".to",
       fmt::format("is on {}, as 'from' is: nothing moves between them",
                   data_.bodies[data_.points[from].body].name));
}

Slot Freezer::collect_one(const Numbers& given, const Mark& mark, const std::string& path) {
  if (given.empty()) return {};
  if (given.size() > 1) fail(mark, path, "expected one number");
  const Slot slot = numbers_.next();
  numbers_.add(given[0], path);
  return slot;
}

Slot Freezer::collect_three(const Numbers& given, const Mark& mark, const std::string& path) {
  if (given.empty()) return {};
  if (given.size() != 1 && given.size() != 3) {
    fail(mark, path, fmt::format("has {} numbers; expected one for all axes, or three", given.size()));
    return {};
  }
  const Slot slot = numbers_.next();
  for (std::size_t i = 0; i < 3; ++i) {
    numbers_.add(given[given.size() == 1 ? 0 : i], given.size() == 1 ? path : fmt::format("{}[{}]", path, i));
  }
  return slot;
}

Slot Freezer::collect_matrix(const Numbers& given, int rows, bool is_symmetric, const Mark& mark,
                             const std::string& path, std::vector<double>* values) {
  if (given.empty()) return {};
  const auto size = static_cast<std::size_t>(rows);
  if (given.size() != size * size) {
    fail(mark, path,
         fmt::format("has {0} numbers; expected {1}, the rows of a {2} x {2} matrix", given.size(),
                     size * size, size));
    return {};
  }
  std::vector<double> elements;
  const Slot slot = numbers_.add_list(given, path, &elements);
  if (values != nullptr) *values = elements;
  for (std::size_t i = 0; i < size && is_symmetric; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double a = elements[size * i + j], b = elements[size * j + i];
      if (std::abs(a - b) <= 1e-9 * (std::abs(a) + std::abs(b))) continue;
      fail(mark, path, fmt::format("is not symmetric: [{}][{}] is {}, [{}][{}] is {}", i, j, a, j, i, b));
      return slot;
    }
  }
  return slot;
}

void Freezer::collect_bushing(const ForceSpec& spec, ForceIndex index, const std::string& path) {
  BushingPlan plan;
  plan.index = index;
  find_frames(spec, path, plan.from, plan.to);
  const auto check = [&](const Numbers& matrix, const Numbers& first, const Numbers& second, const Mark& mark,
                         const char* key) {
    if (matrix.empty() || (first.empty() && second.empty())) return;
    fail(mark, path + "." + key + "_matrix",
         fmt::format("replaces {0} and rotational_{0}: give either it or these", key));
  };
  check(spec.stiffness_matrix, spec.stiffness, spec.rotational_stiffness, spec.stiffness_matrix_mark,
        "stiffness");
  check(spec.damping_matrix, spec.damping, spec.rotational_damping, spec.damping_matrix_mark, "damping");
  plan.stiffness = collect_three(spec.stiffness, spec.stiffness_mark, path + ".stiffness");
  plan.rotational_stiffness = collect_three(spec.rotational_stiffness, spec.rotational_stiffness_mark,
                                            path + ".rotational_stiffness");
  plan.stiffness_matrix =
      collect_matrix(spec.stiffness_matrix, 6, true, spec.stiffness_matrix_mark, path + ".stiffness_matrix");
  plan.damping = collect_three(spec.damping, spec.damping_mark, path + ".damping");
  plan.rotational_damping =
      collect_three(spec.rotational_damping, spec.rotational_damping_mark, path + ".rotational_damping");
  plan.damping_matrix =
      collect_matrix(spec.damping_matrix, 6, true, spec.damping_matrix_mark, path + ".damping_matrix");
  data_.plan.connectors.bushings.push_back(plan);
}

void Freezer::collect_cartesian_spring(const ForceSpec& spec, ForceIndex index, const std::string& path) {
  CartesianSpringPlan plan;
  plan.index = index;
  find_frames(spec, path, plan.from, plan.to);
  plan.stiffness = collect_three(spec.stiffness, spec.stiffness_mark, path + ".stiffness");
  plan.damping = collect_three(spec.damping, spec.damping_mark, path + ".damping");
  plan.reference = collect_three(spec.reference, spec.reference_mark, path + ".reference");
  data_.plan.connectors.cartesian_springs.push_back(plan);
}

void Freezer::collect_torsional_spring_damper(const ForceSpec& spec, ForceIndex index,
                                              const std::string& path) {
  TorsionalSpringDamperPlan plan;
  plan.index = index;
  find_frames(spec, path, plan.from, plan.to);
  plan.axis = collect_direction(spec.axis, spec.mark, path + ".axis");
  plan.stiffness = collect_one(spec.stiffness, spec.stiffness_mark, path + ".stiffness");
  plan.damping = collect_one(spec.damping, spec.damping_mark, path + ".damping");
  plan.reference = collect_one(spec.reference, spec.reference_mark, path + ".reference");
  data_.plan.connectors.torsional_spring_dampers.push_back(plan);
}

std::optional<Freezer::FoundJoint> Freezer::find_joint_of_friction(const ForceSpec& spec,
                                                                   const std::string& path) {
  std::optional<FoundJoint> joint = find_joint(spec.joint, path + ".joint");
  if (joint && (joint->nq != joint->nu || joint->nu == 0)) {
    fail(spec.joint.mark, path + ".joint",
         fmt::format("'{}' is {}: friction and stops are for joints whose u is the rate of q",
                     joint->joint_name, joint_info(joint->joint_type).keyword));
    return {};
  }
  return joint;
}

void Freezer::collect_coordinate_friction(const ForceSpec& spec, ForceIndex index, const std::string& path) {
  const std::optional<FoundJoint> joint = find_joint_of_friction(spec, path);
  const ForceNumbers<Slot> numbers = collect_numbers<CoordinateFriction>(spec, path);
  if (!joint) return;
  if (spec.friction && !spec.creep_speed && joint->cut >= 0) {
    fail(spec.mark, path + ".creep_speed",
         is_cartesian()
             ? "is missing: friction cannot stick in cartesian coordinates"
             : fmt::format(
                   "is missing: {} closes a loop, where friction cannot stick: cut another joint of the "
                   "loop (cut: true)",
                   joint->joint_name));
  }
  const bool has_stops = collect_stops(spec, numbers, path);
  for (int i = 0; i < joint->nu; ++i) {
    data_.plan.connectors.coordinate_frictions.push_back(
        {index, joint->q_start + i, joint->u_start + i, has_stops, numbers});
  }
}

// Stops need all of their numbers, and a lower one that is smaller than the upper one.
bool Freezer::collect_stops(const ForceSpec& spec, const ForceNumbers<Slot>& numbers,
                            const std::string& path) {
  const bool has_stops = spec.lower || spec.upper || spec.stop_stiffness;
  if (has_stops && !(spec.lower && spec.upper && spec.stop_stiffness)) {
    fail(spec.mark, path, "has not all of lower, upper and stop_stiffness, which stops need");
  }
  if (numbers.lower.is_given() && numbers.upper.is_given()) {
    const auto value = [&](Slot slot) { return numbers_.values()[static_cast<std::size_t>(slot.first)]; };
    if (value(numbers.lower) >= value(numbers.upper)) {
      fail(spec.upper->mark, path + ".upper",
           fmt::format("{} is not larger than lower, {}", value(numbers.upper), value(numbers.lower)));
    }
  }
  return has_stops;
}

void Freezer::collect_sliding_force(const ForceSpec& spec, ForceIndex index, const std::string& path) {
  SlidingForcePlan plan;
  plan.index = index;
  plan.numbers = collect_numbers<SlidingForce>(spec, path);
  plan.has_stops = collect_stops(spec, plan.numbers, path);
  plan.damping = collect_one(spec.damping, spec.damping_mark, path + ".damping");
  if (spec.friction && !spec.creep_speed) {
    fail(spec.mark, path + ".creep_speed", "is missing: friction along a beam cannot stick");
  }
  if (!spec.value.empty() || spec.table) plan.expression = collect_values(spec, index, 1, path);
  std::vector<std::string> known;
  for (const ConstraintSpec& constraint : system_.constraints) {
    if (constraint.type == "point_on_beam") known.push_back(constraint.name.text);
  }
  const auto found = std::ranges::find(known, spec.constraint.text);
  if (found == known.end()) {
    fail(spec.constraint.empty() ? spec.mark : spec.constraint.mark, path + ".constraint",
         spec.constraint.empty()
             ? std::string("is missing: expected a constraint of type point_on_beam")
             : fmt::format("there is no constraint '{}' of type point_on_beam{}", spec.constraint.text,
                           suggestion(spec.constraint.text, known)));
    return;
  }
  plan.on_beam = static_cast<int>(found - known.begin());
  data_.plan.connectors.sliding_forces.push_back(plan);
}

void Freezer::collect_lugre_friction(const ForceSpec& spec, ForceIndex index, const std::string& path) {
  const std::optional<FoundJoint> joint = find_joint_of_friction(spec, path);
  const ForceNumbers<Slot> numbers = collect_numbers<LugreFriction>(spec, path);
  const auto require = [&](const std::optional<Number>& number, const char* key) {
    if (!number) fail(spec.mark, fmt::format("{}.{}", path, key), "is missing: expected a positive number");
  };
  require(spec.sigma0, "sigma0"), require(spec.coulomb_friction, "coulomb_friction");
  require(spec.static_friction, "static_friction"), require(spec.stribeck_speed, "stribeck_speed");
  if (numbers.coulomb_friction.is_given() && numbers.static_friction.is_given()) {
    const auto value = [&](Slot slot) { return numbers_.values()[static_cast<std::size_t>(slot.first)]; };
    const double sliding = value(numbers.coulomb_friction), at_rest = value(numbers.static_friction);
    if (at_rest < sliding) {
      fail(spec.static_friction->mark, path + ".static_friction",
           fmt::format("{} is smaller than coulomb_friction, {}", at_rest, sliding));
    }
  }
  const auto layout = std::ranges::find(lugres_, index.value(), &LugreLayout::force);
  if (!joint || layout == lugres_.end()) return;
  for (int i = 0; i < joint->nu; ++i) {
    data_.plan.connectors.lugre_frictions.push_back({index, joint->u_start + i, layout->state + i, numbers});
  }
}

void Freezer::collect_rope(const ForceSpec& spec, ForceIndex index, const std::string& path) {
  RopePlan plan;
  plan.index = index;
  if (spec.points.size() < 2) {
    fail(spec.mark, path + ".points", fmt::format("has {} points; a rope needs two", spec.points.size()));
  }
  for (std::size_t i = 0; i < spec.points.size(); ++i) {
    const std::string place = fmt::format("{}.points[{}]", path, i);
    plan.points.push_back(find_point(spec.points[i], place));
    if (i > 0 && plan.points[i].is_valid() && plan.points[i] == plan.points[i - 1]) {
      fail(spec.points[i].mark, place, "is the point before it: the rope has no direction there");
    }
  }
  plan.stiffness = collect_one(spec.stiffness, spec.stiffness_mark, path + ".stiffness");
  plan.damping = collect_one(spec.damping, spec.damping_mark, path + ".damping");
  plan.numbers = collect_numbers<Rope>(spec, path);
  data_.plan.connectors.ropes.push_back(std::move(plan));
}

void Freezer::collect_gravity_between(const ForceSpec& spec, ForceIndex index, const std::string& path) {
  GravityBetweenPlan plan;
  plan.index = index;
  find_ends(spec, path, plan.from, plan.to);
  plan.numbers = collect_numbers<GravityBetween>(spec, path);
  if (!spec.strength) fail(spec.mark, path + ".strength", "is missing");
  data_.plan.connectors.gravities.push_back(plan);
}

void Freezer::collect_belt_contact(const ForceSpec& spec, ForceIndex index, const std::string& path) {
  BeltPlan plan;
  plan.index = index;
  const auto beam = std::ranges::find_if(
      data_.beams, [&](const BeamInfo& info) { return info.is_cable && info.name == spec.cable.text; });
  if (beam == data_.beams.end()) {
    const std::vector<std::string> known =
        names_to_suggest(data_.beams, [](const BeamInfo& info) { return info.name; });
    fail(spec.cable.text.empty() ? spec.mark : spec.cable.mark, path + ".cable",
         spec.cable.text.empty()
             ? "is missing: expected the name of a cable"
             : fmt::format("there is no cable '{}'{}", spec.cable.text, suggestion(spec.cable.text, known)));
  } else {
    plan.beam = static_cast<int>(beam - data_.beams.begin());
  }
  plan.at = find_frame(spec.at, path + ".at");
  const auto is_pulley = [&](const ReducedBodyInfo& body) {
    return plan.at.is_valid() && body.body == data_.points[plan.at].body;
  };
  if (std::ranges::any_of(data_.reduced_bodies, is_pulley)) {
    fail(spec.at.mark, path + ".at", "is on a reduced body: expected a point of the ground or a rigid body");
  }
  plan.axis = collect_direction(spec.axis, spec.mark, path + ".axis");
  if (spec.stiffness.empty()) fail(spec.mark, path + ".stiffness", "is missing");
  if (spec.stiffness.size() == 1) {
    plan.stiffness = collect_held(spec.stiffness[0], ValueRule::Kind::kPositive, path + ".stiffness");
  } else {
    plan.stiffness = collect_one(spec.stiffness, spec.stiffness_mark, path + ".stiffness");
  }
  if (spec.damping.size() == 1) {
    plan.damping = collect_held(spec.damping[0], ValueRule::Kind::kNotNegative, path + ".damping");
  } else {
    plan.damping = collect_one(spec.damping, spec.damping_mark, path + ".damping");
  }
  plan.numbers = collect_numbers<BeltContact>(spec, path);
  if (!spec.radius) fail(spec.mark, path + ".radius", "is missing");
  const bool has_friction = spec.friction_coefficient.has_value();
  if (has_friction != spec.bristle_stiffness.has_value() ||
      has_friction != spec.bristle_damping.has_value()) {
    fail(spec.mark, path,
         "has not all of friction_coefficient, bristle_stiffness and bristle_damping, which friction needs");
  }
  plan.segments = collect_count(spec.segments, path + ".segments", kMostSegments, "");
  const auto layout = std::ranges::find(belts_, index.value(), &BeltLayout::force);
  if (has_friction && layout != belts_.end()) plan.first_bristle = layout->state;
  data_.plan.connectors.belts.push_back(plan);
  data_.belts.push_back({spec.name.text});
}

}  // namespace sestina
