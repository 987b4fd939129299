// Collects and checks the numbers of bodies, points, joints and the initial state.
#include <fmt/format.h>

#include "sestina/model/freezer.h"

namespace sestina {

using Kind = ValueRule::Kind;

void Freezer::collect_bodies() {
  data_.plan.bodies.push_back({});  // the ground
  for (BodyIndex b{1}; b.value() < data_.bodies.size(); ++b) {
    const BodyInfo& info = data_.bodies[b];
    const int position = position_of_index_[static_cast<std::size_t>(b.value())];
    const BodySpec& spec = system_.bodies[static_cast<std::size_t>(position)];
    BodyPlan plan;
    plan.parent_point = info.parent_point;
    plan.child_point = info.child_point;
    plan.joint_type = info.joint_type;
    if (!is_node(position)) collect_mass_properties(plan, spec, fmt::format("bodies[{}]", position));
    const Link& link = links_[static_cast<std::size_t>(position)];
    const int joint = info.hangs_on_cut ? -1 : link.joint;
    if (info.hangs_on_cut) plan.carried_at = point_index_.at(info.name + "." + link.child_point);
    if (joint >= 0) {
      collect_joint(plan, system_.joints[static_cast<std::size_t>(joint)], fmt::format("joints[{}]", joint));
    }
    data_.plan.bodies.push_back(plan);
  }
}

void Freezer::collect_mass_properties(BodyPlan& plan, const BodySpec& spec, const std::string& path) {
  const bool is_reduced = spec.reduced && spec.reduced->modes;
  if (spec.type.text != "rigid" && spec.type.text != "particle" && !is_reduced) {
    const bool is_bare_beam = spec.type == "beam", is_bare_reduced = spec.type == "reduced";
    fail(spec.type.mark, path + ".type",
         is_bare_beam ? "a beam needs its centerline and section"
         : is_bare_reduced
             ? "a reduced body needs its modes: the file that sestina.reduce() wrote"
             : fmt::format("there is no body type '{}'; allowed: rigid, particle, beam or reduced",
                           spec.type.text));
    if (is_bare_beam || is_bare_reduced) return;
  }
  if (!spec.mass) {
    fail(spec.mark, path + ".mass", "is missing");
    return;
  }
  plan.mass = numbers_.next();
  numbers_.add(*spec.mass, path + ".mass");
  hold(Kind::kNotNegative, plan.mass, *spec.mass, path + ".mass");

  plan.center_of_mass = numbers_.add_list(spec.center_of_mass, path + ".center_of_mass");
  const InertiaSpec& I = spec.inertia;
  plan.inertia = numbers_.next();
  const std::pair<const char*, const Number*> elements[] = {{"xx", &I.xx}, {"yy", &I.yy}, {"zz", &I.zz},
                                                            {"xy", &I.xy}, {"xz", &I.xz}, {"yz", &I.yz}};
  for (const auto& [key, number] : elements) numbers_.add(*number, path + ".inertia." + key);
  if (spec.type == "particle") {
    hold({Kind::kNoInertia, plan.inertia, {I.mark, path + ".inertia"}, ""});
    hold({Kind::kNoOffset, plan.center_of_mass, {spec.center_of_mass[0].mark, path + ".center_of_mass"}, ""});
  } else if (spec.inertia_check) {
    hold({Kind::kInertia, plan.inertia, {I.mark.line > 0 ? I.mark : spec.mark, path + ".inertia"}, ""});
  }
  check_shapes(spec, path);
}

// Paths have the form in a model file: one shape is a map, several are a list.
void Freezer::check_shapes(const BodySpec& spec, const std::string& path) {
  for (std::size_t i = 0; i < spec.shapes.size(); ++i) {
    check_shape(spec.shapes[i],
                spec.shapes.size() == 1 ? path + ".shape" : fmt::format("{}.shape[{}]", path, i));
  }
}

void Freezer::check_shape(const ShapeSpec& shape, const std::string& path) {
  const auto check_list = [&](Kind kind, const Triple& numbers, const char* key) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      check_unused(kind, numbers[i], fmt::format("{}.{}[{}]", path, key, i));
    }
  };
  static const std::vector<std::string> types{"box",       "cylinder", "sphere", "capsule",
                                              "ellipsoid", "plane",    "mesh",   "height_field"};
  check_word(shape.type, path + ".type", types);
  // A shape of size zero may be invisible, but is not an error.
  const bool is_long = shape.type == "cylinder" || shape.type == "capsule";
  if (is_long || shape.type == "sphere") check_unused(Kind::kNotNegative, shape.radius, path + ".radius");
  if (is_long) check_unused(Kind::kNotNegative, shape.length, path + ".length");
  if (shape.type == "box" || shape.type == "ellipsoid") check_list(Kind::kNotNegative, shape.size, "size");
  if (shape.type == "mesh") check_list(Kind::kNotZero, shape.scale, "scale");
  if (shape.type == "height_field") check_list(Kind::kPositive, shape.scale, "scale");
  check_list(Kind::kFinite, shape.position, "position");
  if (!shape.axes) return;
  const Slot axes = numbers_.add_list(shape.axes->numbers, path + ".axes");
  check_rotation(shape.axes->kind, axes, shape.axes->mark, path + ".axes");
}

PosePlan Freezer::collect_pose(const PointSpec& spec, const std::string& path) {
  PosePlan plan;
  plan.position = numbers_.add_list(spec.position, path + (spec.axes ? ".position" : ""));
  if (spec.axes) {
    plan.kind = spec.axes->kind;
    plan.rotation = numbers_.add_list(spec.axes->numbers, path + ".axes");
    check_rotation(plan.kind, plan.rotation, spec.axes->mark, path + ".axes");
  }
  return plan;
}

void Freezer::check_rotation(RotationSpec::Kind kind, Slot slot, const Mark& mark, const std::string& path) {
  switch (kind) {
    case RotationSpec::Kind::kEulerParameters:
      return hold({Kind::kEulerParameters, slot, {mark, path}, ""});
    case RotationSpec::Kind::kAxisAngle:
      return hold({Kind::kDirection, slot, {mark, path}, ""});
    case RotationSpec::Kind::kRpy:
      return;
    case RotationSpec::Kind::kMatrix:
      return hold({Kind::kRotationMatrix, slot, {mark, path}, ""});
  }
}

void Freezer::collect_points() {
  const auto add = [&](BodyIndex body, const std::vector<PointSpec>& points, const std::string& path) {
    PointPlan origin;
    origin.body = body;
    data_.plan.points.push_back(origin);
    for (const PointSpec& point : points) {
      data_.plan.points.push_back({body, collect_pose(point, path + ".points." + point.name.text)});
    }
  };
  add(kGround, system_.ground_points, "ground");
  for (BodyIndex b{1}; b.value() < data_.bodies.size(); ++b) {
    const int position = position_of_index_[static_cast<std::size_t>(b.value())];
    add(b, system_.bodies[static_cast<std::size_t>(position)].points, fmt::format("bodies[{}]", position));
  }
}

Slot Freezer::collect_axis(const std::optional<Triple>& axis, bool has_axis, const JointSpec& spec,
                           const std::string& path) {
  if (!has_axis) {
    if (axis) fail((*axis)[0].mark, path, fmt::format("a {} joint has none", spec.type.text));
    return {};
  }
  if (!axis) {
    fail(spec.mark, path, fmt::format("is missing: a {} joint needs it", spec.type.text));
    return {};
  }
  const Slot slot = numbers_.add_list(*axis, path);
  hold({Kind::kDirection, slot, {(*axis)[0].mark, path}, ""});
  return slot;
}

void Freezer::check_limits(const LimitsSpec& limits, const std::string& path) {
  const Slot slot = numbers_.next();
  if (limits.lower) numbers_.add(*limits.lower, path + ".lower");
  if (limits.upper) numbers_.add(*limits.upper, path + ".upper");
  if (limits.lower && limits.upper) {
    hold({Kind::kFromOther,
          {slot.first + 1},
          {limits.upper->mark, path + ".upper"},
          limits.upper->expression(),
          slot});
  }
  if (limits.enforced && !limits.lower && !limits.upper) {
    fail(limits.mark, path + ".enforced", "needs a limit that can be a stop: lower or upper");
  }
  if (limits.velocity) check_unused(Kind::kNotNegative, *limits.velocity, path + ".velocity");
  if (limits.effort) check_unused(Kind::kNotNegative, *limits.effort, path + ".effort");
}

void Freezer::collect_joint(BodyPlan& plan, const JointSpec& spec, const std::string& path) {
  const JointInfo& info = joint_info(plan.joint_type);
  plan.axis = collect_axis(spec.axis, info.has_axis, spec, path + ".axis");
  plan.second_axis = collect_axis(spec.second_axis, info.has_second_axis, spec, path + ".second_axis");
  if (plan.axis.is_given() && plan.second_axis.is_given()) {
    hold({Kind::kNotParallel,
          plan.second_axis,
          {(*spec.second_axis)[0].mark, path + ".second_axis"},
          "",
          plan.axis});
  }
  for_each_joint_number([&](const NumberInfo& number, auto of) {
    const std::optional<Number>& given = of(spec);
    if (!given) return;
    const std::string place = fmt::format("{}.{}", path, number.name);
    if (of(info.numbers)) {
      of(plan.numbers) = collect_number(*given, number, place);
    } else {
      fail(given->mark, place, fmt::format("a {} joint has none", spec.type.text));
    }
  });
  if (spec.armature && info.nu != 1) {
    fail(spec.armature->mark, path + ".armature",
         fmt::format("only a joint with one speed takes it; {} has {}", spec.type.text, info.nu));
  } else if (spec.armature) {
    plan.armature = numbers_.next();
    numbers_.add(*spec.armature, path + ".armature");
    hold(Kind::kNotNegative, plan.armature, *spec.armature, path + ".armature");
  }
  if (spec.limits) check_limits(*spec.limits, path + ".limits");
}

void Freezer::check_left_out_joints() {
  for (const int j : left_out_joints_) {
    const JointSpec& spec = system_.joints[static_cast<std::size_t>(j)];
    const auto type = joint_type_from_keyword(spec.type.text);
    if (!type) continue;
    const JointInfo& info = joint_info(*type);
    const std::string path = fmt::format("joints[{}]", j);
    BodyPlan plan;
    plan.joint_type = *type;
    collect_joint(plan, spec, path);
    collect_initial_values(spec.q, info.nq, info.euler_parameters_start, spec.q_mark, path + ".q");
    collect_initial_values(spec.u, info.nu, -1, spec.u_mark, path + ".u");
  }
}

// Collects the numbers of cut joints.
void Freezer::collect_cut_joints() {
  for (const CutJointInfo& info : data_.cut_joints) {
    const JointSpec& spec = system_.joints[static_cast<std::size_t>(info.position)];
    const std::string path = fmt::format("joints[{}]", info.position);
    BodyPlan joint;
    joint.joint_type = info.type;
    collect_joint(joint, spec, path);
    CutJointPlan plan;
    plan.parent_point = info.parent_point, plan.child_point = info.child_point;
    plan.type = info.type;
    plan.axis = joint.axis, plan.second_axis = joint.second_axis, plan.armature = joint.armature;
    plan.numbers = joint.numbers;
    plan.q_start = info.q_start, plan.u_start = info.u_start, plan.first_row = info.first_row;
    plan.armature_row = info.armature_row;
    data_.plan.cut_joints.push_back(plan);
  }
}

// Collects all q, then all u, in the order of the model; then those of cut joints.
void Freezer::collect_initial_state() {
  static const JointSpec floating;
  // Nodes of beams start on the beam's axis, reduced bodies at their pose.
  static const JointSpec node = [] {
    JointSpec spec;
    spec.q = {0, 0, 0, 1, 0, 0, 0};
    return spec;
  }();
  static const JointSpec node_of_cable = [] {
    JointSpec spec;
    spec.q = {0, 0, 0};
    return spec;
  }();
  const auto for_each_joint = [&](auto&& collect) {
    for (BodyIndex b{1}; b.value() < data_.bodies.size(); ++b) {
      const int position = position_of_index_[static_cast<std::size_t>(b.value())];
      const int joint = data_.bodies[b].hangs_on_cut ? -1 : links_[static_cast<std::size_t>(position)].joint;
      const bool is_placed = is_node(position) || has_given_pose(position);
      collect(is_placed   ? data_.bodies[b].joint_type == JointType::kXyz ? node_of_cable : node
              : joint < 0 ? floating
                          : system_.joints[static_cast<std::size_t>(joint)],
              joint_info(data_.bodies[b].joint_type), fmt::format("joints[{}]", joint));
    }
  };
  data_.initial_q = numbers_.next();
  for_each_joint([&](const JointSpec& spec, const JointInfo& info, const std::string& path) {
    collect_initial_values(spec.q, info.nq, info.euler_parameters_start, spec.q_mark, path + ".q");
  });
  data_.initial_u = numbers_.next();
  for_each_joint([&](const JointSpec& spec, const JointInfo& info, const std::string& path) {
    collect_initial_values(spec.u, info.nu, -1, spec.u_mark, path + ".u");
    for (int k = 0; k < info.nu; ++k) {
      data_.is_q_given.push_back(!spec.q.empty());
      data_.is_u_given.push_back(!spec.u.empty());
      data_.is_held.push_back(spec.hold);
    }
  });
  const auto spec_of = [&](const CutJointInfo& cut) -> const JointSpec& {
    return system_.joints[static_cast<std::size_t>(cut.position)];
  };
  data_.initial_cut_q = numbers_.next();
  for (const CutJointInfo& cut : data_.cut_joints) {
    const JointSpec& spec = spec_of(cut);
    collect_initial_values(spec.q, cut.nq, joint_info(cut.type).euler_parameters_start, spec.q_mark,
                           fmt::format("joints[{}].q", cut.position));
  }
  data_.initial_cut_u = numbers_.next();
  for (const CutJointInfo& cut : data_.cut_joints) {
    const JointSpec& spec = spec_of(cut);
    collect_initial_values(spec.u, cut.nu, -1, spec.u_mark, fmt::format("joints[{}].u", cut.position));
  }
}

void Freezer::collect_initial_values(const std::vector<Number>& given, int wanted, int euler_start,
                                     const Mark& mark, const std::string& path) {
  if (given.empty()) {
    for (int k = 0; k < wanted; ++k) numbers_.add_constant(k == euler_start ? 1.0 : 0.0);
    return;
  }
  const Mark& place = mark.line > 0 ? mark : given[0].mark;
  if (static_cast<int>(given.size()) != wanted) {
    fail(place, path, fmt::format("has {} numbers; the joint has {}", given.size(), wanted));
    for (int k = 0; k < wanted; ++k) numbers_.add_constant(0.0);
    return;
  }
  const Slot slot = numbers_.next();
  if (wanted == 1) {
    numbers_.add(given[0], path);
  } else {
    numbers_.add_list(given, path);
  }
  if (euler_start >= 0) hold({Kind::kEulerParameters, {slot.first + euler_start}, {place, path}, ""});
}

}  // namespace sestina
