#include "sestina/derivation/model_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "sestina/base/error.h"
#include "sestina/symbolic/frame.h"

namespace sestina {

namespace {

// True for joints whose frames and points are laid out below.
bool has_layout(JointType type) {
  switch (type) {
    case JointType::kWeld:
    case JointType::kRevolute:
    case JointType::kPrismatic:
    case JointType::kScrew:
    case JointType::kCylindrical:
    case JointType::kUniversal:
    case JointType::kPlanar:
    case JointType::kXyz:
    case JointType::kSpherical:
    case JointType::kFree:
      return true;
    default:
      return false;
  }
}

bool turns(JointType type) {
  return type != JointType::kWeld && type != JointType::kPrismatic && type != JointType::kXyz;
}

// Makes q_hip of "hip.q", q_base3 of "base.q[3]"; appends an underscore if the name is taken.
std::string coordinate_name(const std::string& name) {
  const std::size_t dot = name.find('.');
  std::string plain = fmt::format("{}_{}", name[dot + 1], name.substr(0, dot));
  for (const char c : name.substr(dot + 2)) {
    if (c >= '0' && c <= '9') plain += c;
  }
  return plain;
}

}  // namespace

ModelLayout::ModelLayout(const Model& model, symbolic::Mechanics& mechanics)
    : model_(model),
      mechanics_(mechanics),
      copy_(model.graph(), mechanics.graph(), [this](const std::string& name) { return symbol_of(name); }) {
  model.refuse_states("a derivation");
  if (!model.user_forces().empty()) {
    throw InputError(fmt::format("force {}: a user force has no expression to derive from",
                                 model.forces()[model.user_forces()[0].index].name));
  }
  if (!model.plan().connectors.empty()) {
    const ForceInfo& force = model.forces()[model.plan().connectors.first()];
    throw InputError(fmt::format("force {}: a {} is not derived with symbols", force.name, force.type));
  }
  if (!model.reduced_bodies().empty()) {
    throw InputError(fmt::format("body {}: a reduced body is not derived with symbols",
                                 model.reduced_bodies().front().name));
  }
  if (model_.is_cartesian()) {
    throw InputError("analysis.coordinates: the symbolic equations need relative coordinates");
  }
  if (model_.forces_use_cut_joints()) {
    throw InputError(
        "the symbolic equations do not support the coordinates of joints that close loops, and a force "
        "reads or drives one: cut another joint of the loop (cut: true)");
  }
  name_symbols();
  joint_forces.resize(u.size());
  armatures.resize(u.size());
  const Frame N = mechanics.frame(model.bodies()[BodyIndex{0}].name);
  const Place O = mechanics.point("origin");
  O.set_vel(N, Vector());
  frames_.push_back(N);
  joints_.push_back(O);
  for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) add_body(b);
  loads = symbolic::gravity(vector(N, model.plan().gravity), bodies);
  add_joint_forces();
  add_spring_dampers();
  add_given_forces();
  add_conditions();
}

// Parameters are named first, so that they come first in products.
void ModelLayout::name_symbols() {
  for (const ParameterInfo& parameter : model_.parameters()) {
    parameters.push_back(mechanics_.symbol(parameter.name));
  }
  for (const VariableInfo& variable : model_.variables()) {
    parameters.push_back(mechanics_.symbol(variable.name));
  }
  std::unordered_set<std::string> taken;
  for (const Expression& parameter : parameters) taken.insert(to_text(parameter));
  const auto add = [&](const std::vector<std::string>& names, std::vector<Expression>& symbols) {
    for (const std::string& name : names) {
      std::string plain = coordinate_name(name);
      while (!taken.insert(plain).second) plain += '_';
      symbols.push_back(mechanics_.dynamicsymbol(plain));
    }
  };
  add(model_.q_names(), q);
  add(model_.u_names(), u);
}

Expr ModelLayout::symbol_of(const std::string& name) {
  Graph& graph = mechanics_.graph();
  if (name == "t") return mechanics_.variables().time();
  const auto find = [&](const std::vector<std::string>& names, const std::vector<Expression>& symbols) {
    const auto at = std::find(names.begin(), names.end(), name);
    return at == names.end() ? Expr{} : symbols[static_cast<std::size_t>(at - names.begin())].in(graph);
  };
  if (name.find('.') == std::string::npos) return graph.symbol(name);
  const Expr coordinate = find(model_.q_names(), q);
  return coordinate.is_valid() ? coordinate : find(model_.u_names(), u);
}

Expression ModelLayout::number(Slot slot, int i) {
  if (!slot.is_given()) return 0;
  return mechanics_.wrap(copy_(model_.numbers()[static_cast<std::size_t>(slot.first + i)]));
}

ModelLayout::Components ModelLayout::triple(Slot slot) {
  // Numbers are kept outside the graph, so that zeros and ones are recognised.
  Components components;
  for (int i = 0; i < 3; ++i) {
    const Expression e = number(slot, i);
    Graph& graph = mechanics_.graph();
    const bool is_number = e.graph() && graph.is_number(e.in(graph));
    components[static_cast<std::size_t>(i)] = is_number ? Expression(graph.number_of(e.in(graph))) : e;
  }
  return components;
}

ModelLayout::Vector ModelLayout::direction(const Frame& frame, Slot slot, const std::string& of) {
  Components v = triple(slot);
  const auto filled = std::count_if(v.begin(), v.end(), [](const Expression& e) { return !e.is_zero(); });
  if (filled == 1) {
    Expression& only = *std::find_if(v.begin(), v.end(), [](const Expression& e) { return !e.is_zero(); });
    if (only.graph()) {
      throw InputError(fmt::format("{}: the sign of the axis depends on {}", of, to_text(only)));
    }
    only = only.number().is_negative() ? -1 : 1;
    return {frame, v};
  }
  Graph& graph = mechanics_.graph();
  return Vector(frame, symbolic::scale(v, 1 / sqrt(mechanics_.wrap(symbolic::dot(v, v).in(graph)))));
}

const Expression& ModelLayout::q_of(BodyIndex b, int i) const {
  return q[static_cast<std::size_t>(model_.bodies()[b].q_start + i)];
}
const Expression& ModelLayout::u_of(BodyIndex b, int i) const {
  return u[static_cast<std::size_t>(model_.bodies()[b].u_start + i)];
}

void ModelLayout::add_body(BodyIndex b) {
  const BodyInfo& info = model_.bodies()[b];
  if (!has_layout(info.joint_type)) {
    throw InputError(fmt::format("{}: the symbolic equations do not support {} joints", info.joint_name,
                                 joint_info(info.joint_type).keyword));
  }
  const PosePlan& own_point = model_.plan().points[info.child_point].pose;
  const Frame F = frame_of(info.parent_point);
  const Place origin = place_of(info.parent_point);
  const bool has_axes = own_point.rotation.is_given();
  // M is the body's frame, unless the point has axes of its own.
  const Frame M = turns(info.joint_type) ? turn_joint(b, F, has_axes ? info.joint_name : info.name) : F;
  if (has_axes) {
    const Frame B = mechanics_.frame(info.name);
    turn(M, B, own_point, info.name);
    frames_.push_back(B);
  } else {
    frames_.push_back(M);
  }
  joints_.push_back(slide_joint(b, F, origin));
  for (int i = 0; i < info.nu; ++i) {
    if (info.nq == info.nu) kinematic_equations.push_back(mechanics_.rate(q_of(b, i)) - u_of(b, i));
  }
  if (info.nu == 1) {
    armatures[static_cast<std::size_t>(info.u_start)] = number(model_.plan().bodies[b].armature);
  }
  add_mass(b);
}

void ModelLayout::turn(const Frame& frame, const Frame& body, const PosePlan& pose, const std::string& of) {
  Graph& graph = mechanics_.graph();
  const auto x = [&](int i) { return number(pose.rotation, i); };
  const auto unit = [&](const Components& v) {
    return symbolic::scale(v, 1 / sqrt(mechanics_.wrap(symbolic::dot(v, v).in(graph))));
  };
  switch (pose.kind) {
    case RotationSpec::Kind::kEulerParameters: {
      const Expression norm = sqrt(x(0) * x(0) + x(1) * x(1) + x(2) * x(2) + x(3) * x(3));
      frame.orient_quaternion(body, {x(0) / norm, x(1) / norm, x(2) / norm, x(3) / norm});
      break;
    }
    case RotationSpec::Kind::kAxisAngle:
      frame.orient_axis(body, direction(body, pose.rotation, of), x(3));
      break;
    case RotationSpec::Kind::kRpy:
      frame.orient_body_fixed(body, {x(2), x(1), x(0)}, "321");
      break;
    case RotationSpec::Kind::kMatrix: {
      // Makes the axes orthonormal to round-off, as for the numbers of a model.
      const Components first = unit({x(0), x(3), x(6)}), b = {x(1), x(4), x(7)};
      const Components second = unit(symbolic::add(b, symbolic::scale(first, -symbolic::dot(first, b))));
      frame.orient_explicit(body, symbolic::transpose({first, second, symbolic::cross(first, second)}));
      break;
    }
  }
}

ModelLayout::Frame ModelLayout::frame_of(PointIndex p) {
  const PointPlan& plan = model_.plan().points[p];
  const Frame body = frames_[static_cast<std::size_t>(plan.body.value())];
  if (!plan.pose.rotation.is_given()) return body;
  const std::string& name = model_.points()[p].name;
  if (const auto known = mechanics_.find_frame(name)) return *known;
  const Frame frame = mechanics_.frame(name);
  turn(frame, body, plan.pose, name);
  return frame;
}

ModelLayout::Place ModelLayout::place_of(PointIndex p) {
  const PointPlan& plan = model_.plan().points[p];
  return place_at(plan.body, model_.points()[p].name, triple(plan.pose.position));
}

ModelLayout::Place ModelLayout::place_at(BodyIndex b, const std::string& name, const Components& position) {
  Components from_joint = position;
  if (b.value() > 0) {
    const Components joint = triple(model_.plan().points[model_.bodies()[b].child_point].pose.position);
    from_joint = symbolic::add(position, symbolic::scale(joint, -1));
  }
  const Place& joint = joints_[static_cast<std::size_t>(b.value())];
  if (symbolic::is_zero(from_joint)) return joint;
  const Frame& frame = frames_[static_cast<std::size_t>(b.value())];
  const Place place = joint.locatenew(name, Vector(frame, from_joint));
  place.v2pt_theory(joint, inertial(), frame);
  return place;
}

ModelLayout::Frame ModelLayout::turn_joint(BodyIndex b, const Frame& F, const std::string& name) {
  const BodyInfo& info = model_.bodies()[b];
  const BodyPlan& plan = model_.plan().bodies[b];
  if (info.joint_type == JointType::kSpherical) return turn_freely(F, name, info.q_start, info.u_start);
  if (info.joint_type == JointType::kFree) return turn_freely(F, name, info.q_start + 3, info.u_start);
  const Frame M = mechanics_.frame(name);
  const auto turn_about = [&](const Frame& frame, const Frame& from, const Vector& axis, int i) {
    frame.orient_axis(from, axis, q_of(b, i));
    frame.set_ang_vel(from, u_of(b, i) * axis);
  };
  if (info.joint_type == JointType::kPlanar) {
    turn_about(M, F, F.z(), 2);
  } else if (info.joint_type == JointType::kUniversal) {
    const Frame cross = mechanics_.frame(info.joint_name + ".cross");
    turn_about(cross, F, direction(F, plan.axis, info.joint_name), 0);
    turn_about(M, cross, direction(cross, plan.second_axis, info.joint_name), 1);
  } else {
    turn_about(M, F, direction(F, plan.axis, info.joint_name), 0);
  }
  return M;
}

// Euler parameters e from the angular velocity w in the axes of F: e0' = -v.w/2, v' = (e0 w + w x v)/2.
ModelLayout::Frame ModelLayout::turn_freely(const Frame& F, const std::string& name, int q_start,
                                            int u_start) {
  const auto e = [&](int i) { return q[static_cast<std::size_t>(q_start + i)]; };
  const auto w_i = [&](int i) { return u[static_cast<std::size_t>(u_start + i)]; };
  const Frame M = mechanics_.frame(name);
  M.orient_quaternion(F, {e(0), e(1), e(2), e(3)});
  const Components w = {w_i(0), w_i(1), w_i(2)}, v = {e(1), e(2), e(3)};
  M.set_ang_vel(F, Vector(F, w));
  const Components v_rate = symbolic::add(symbolic::scale(w, e(0)), symbolic::cross(w, v));
  kinematic_equations.push_back(mechanics_.rate(e(0)) + symbolic::dot(v, w) / 2);
  for (int i = 0; i < 3; ++i) {
    kinematic_equations.push_back(mechanics_.rate(e(1 + i)) - v_rate[static_cast<std::size_t>(i)] / 2);
  }
  return M;
}

ModelLayout::Place ModelLayout::slide_joint(BodyIndex b, const Frame& F, const Place& origin) {
  const BodyInfo& info = model_.bodies()[b];
  const BodyPlan& plan = model_.plan().bodies[b];
  Vector displacement, speed;
  switch (info.joint_type) {
    case JointType::kPrismatic:
    case JointType::kCylindrical: {
      const Vector axis = direction(F, plan.axis, info.joint_name);
      const int i = info.nu - 1;
      displacement = q_of(b, i) * axis;
      speed = u_of(b, i) * axis;
      break;
    }
    case JointType::kScrew: {
      const Vector axis = number(plan.numbers.pitch) * direction(F, plan.axis, info.joint_name);
      displacement = q_of(b, 0) * axis;
      speed = u_of(b, 0) * axis;
      break;
    }
    case JointType::kPlanar:
      displacement = q_of(b, 0) * F.x() + q_of(b, 1) * F.y();
      speed = u_of(b, 0) * F.x() + u_of(b, 1) * F.y();
      break;
    case JointType::kXyz:
      displacement = q_of(b, 0) * F.x() + q_of(b, 1) * F.y() + q_of(b, 2) * F.z();
      speed = u_of(b, 0) * F.x() + u_of(b, 1) * F.y() + u_of(b, 2) * F.z();
      break;
    case JointType::kFree:
      displacement = q_of(b, 0) * F.x() + q_of(b, 1) * F.y() + q_of(b, 2) * F.z();
      speed = u_of(b, 3) * F.x() + u_of(b, 4) * F.y() + u_of(b, 5) * F.z();
      for (int i = 0; i < 3; ++i) {
        kinematic_equations.push_back(mechanics_.rate(q_of(b, i)) - u_of(b, 3 + i));
      }
      break;
    default:
      return origin;
  }
  const Place place = origin.locatenew(info.joint_name, displacement);
  place.set_vel(inertial(), origin.vel(inertial()) + speed + cross(F.ang_vel_in(inertial()), displacement));
  return place;
}

void ModelLayout::add_mass(BodyIndex b) {
  const BodyInfo& info = model_.bodies()[b];
  const BodyPlan& plan = model_.plan().bodies[b];
  const Expression mass = number(plan.mass);
  const Frame& B = frames_.back();
  const Place centre = place_at(b, info.name + ".center_of_mass", triple(plan.center_of_mass));
  symbolic::Dyadic inertia;
  if (plan.inertia.is_given() && !(B == inertial())) {
    Components moments = triple(plan.inertia), products = triple({plan.inertia.first + 3});
    inertia = symbolic::inertia(B, moments[0], moments[1], moments[2], products[0], products[2], products[1]);
  }
  if (inertia.is_zero()) {
    bodies.emplace_back(symbolic::Particle{info.name, centre, mass});
  } else {
    bodies.emplace_back(symbolic::RigidBody{info.name, centre, B, mass, inertia, centre});
  }
}

// Rejects given numbers of a force element other than `known`.
void ModelLayout::refuse_unknown(const ForceNumbers<Slot>& numbers, ForceIndex force,
                                 std::string_view known) const {
  for_each_force_number([&](const NumberInfo& number, auto of) {
    if (!of(numbers).is_given() || number.name == known) return;
    throw InputError(fmt::format("{}: the symbolic equations do not support `{}`",
                                 model_.forces()[force].name, number.name));
  });
}

void ModelLayout::add_joint_forces() {
  const PropertyPlan& plan = model_.plan();
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  for (const JointSpringPlan& p : plan.joint_springs) {
    refuse_unknown(p.numbers, p.index, "");
    joint_forces[at(p.u)] -= number(p.stiffness) * (q[at(p.q)] - number(p.reference));
  }
  for (const JointDamperPlan& p : plan.joint_dampers) {
    refuse_unknown(p.numbers, p.index, "");
    joint_forces[at(p.u)] -= number(p.damping) * u[at(p.u)];
  }
  for (const JointForcePlan& p : plan.joint_forces) {
    joint_forces[at(p.u)] += mechanics_.wrap(copy_(model_.force_expressions()[at(p.expression)]));
  }
}

void ModelLayout::add_spring_dampers() {
  for (const SpringDamperPlan& p : model_.plan().spring_dampers) {
    refuse_unknown(p.numbers, p.index, "free_length");
    const Place from = place_of(p.from), to = place_of(p.to);
    const Vector line = to.pos_from(from);
    const Expression length = line.magnitude();
    const Vector direction = line / length;
    Expression tension = number(p.stiffness) * (length - number(p.numbers.free_length));
    const Expression damping = number(p.damping);
    if (!damping.is_zero()) {
      tension += damping * dot(direction, to.vel(inertial()) - from.vel(inertial()));
    }
    loads.emplace_back(symbolic::Force{from, tension * direction});
    loads.emplace_back(symbolic::Force{to, -tension * direction});
  }
}

void ModelLayout::add_given_forces() {
  for (const PointForcePlan& p : model_.plan().point_forces) {
    const auto body = static_cast<std::size_t>(model_.plan().points[p.at].body.value());
    Components value;
    for (std::size_t i = 0; i < 3; ++i) {
      value[i] =
          mechanics_.wrap(copy_(model_.force_expressions()[static_cast<std::size_t>(p.expression) + i]));
    }
    const Vector given(p.in_body_axes ? frames_[body] : inertial(), value);
    if (p.is_torque) {
      loads.emplace_back(symbolic::Torque{frames_[body], given});
    } else {
      loads.emplace_back(symbolic::Force{place_of(p.at), given});
    }
  }
}

}  // namespace sestina
