#include "sestina/batch/joint_axes.h"

#include <cmath>

namespace sestina {
namespace {

// Three rotations one after the other leave less (rad).
constexpr double kRoundOff = 1e-15;

// To zero, one and minus one where nothing but round-off keeps it from there: the rotations that people mean.
double snapped(double x) {
  const double nearest = std::round(x);
  return std::abs(x - nearest) < kRoundOff ? nearest + 0.0 : x;
}

struct CosSin {
  double cos = 1.0, sin = 0.0;
};
CosSin direction(double x, double y) {
  const double length = std::hypot(x, y);
  return {snapped(x / length), snapped(y / length)};
}

Rotation<double> about_z(const CosSin& a) { return {a.cos, -a.sin, 0, a.sin, a.cos, 0, 0, 0, 1}; }

// C = Rz(yaw) Rx(twist) Rz(offset). Where the two axes are parallel, all is offset.
struct EulerAngles {
  CosSin yaw, twist, offset;

  explicit EulerAngles(const Rotation<double>& C) {
    const bool is_parallel = std::hypot(C.zx, C.zy) < kRoundOff;
    if (is_parallel) {
      offset = C.zz > 0 ? direction(C.xx, C.yx) : direction(C.xx, -C.yx);
      twist = {C.zz > 0 ? 1.0 : -1.0, 0.0};
      return;
    }
    offset = direction(C.zy, C.zx);
    // What is left has errors of round-off only, however small the twist.
    const Rotation<double> rest = C * about_z({offset.cos, -offset.sin});
    yaw = direction(rest.xx, rest.yx);
    twist = direction(rest.zz, rest.zy);
  }
};

// Axes with the joint's as z, in M: coordinate axes where it is one.
Rotation<double> axes_along(const Vec3<double>& z) {
  int smallest = 0;
  for (int k = 1; k < 3; ++k) {
    if (std::abs(z[k]) < std::abs(z[smallest])) smallest = k;
  }
  Vec3<double> x;
  x[smallest] = 1.0;
  x = x - dot(x, z) * z;
  x = (1.0 / norm(x)) * x;
  return Rotation<double>::from_columns(x, cross(z, x), z);
}

const Revolute<double>* as_revolute(const BodyProperties<double>& body) {
  return std::get_if<Revolute<double>>(&body.joint);
}

// By BodyIndex: the first child on a revolute joint, or zero.
std::vector<int> find_turning_children(const Model& model, const Properties<double>& properties) {
  std::vector<int> child(static_cast<std::size_t>(model.bodies().size()), 0);
  for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) {
    int& first = child[static_cast<std::size_t>(model.bodies()[b].parent.value())];
    if (first == 0 && as_revolute(properties.bodies[b]) != nullptr) first = b.value();
  }
  return child;
}

// R_MK of a body (the ground included) whose first child on a revolute joint is `child`.
Rotation<double> choose_axes(const Properties<double>& properties, BodyIndex body, BodyIndex child) {
  const Revolute<double>* own = body == kGround ? nullptr : as_revolute(properties.bodies[body]);
  const Rotation<double> along = own == nullptr ? Rotation<double>::identity() : axes_along(own->axis);
  if (child == kGround) return along;
  const BodyProperties<double>& outer = properties.bodies[child];
  const Rotation<double> to_child = outer.X_PF.R * axes_along(as_revolute(outer)->axis);
  if (own == nullptr) return to_child;
  return along * about_z(EulerAngles(along.transpose() * to_child).yaw);
}

Twist kind_of(const CosSin& twist) {
  if (twist.cos == 1.0 && twist.sin == 0.0) return Twist::kNone;
  return twist.cos == 0.0 && twist.sin == 1.0 ? Twist::kQuarter : Twist::kAny;
}

}  // namespace

JointAxesStructure JointAxesStructure::operator&(const JointAxesStructure& b) const {
  return {is_turn && b.is_turn, twist == b.twist ? twist : Twist::kAny, has_yaw || b.has_yaw,
          has_armature || b.has_armature};
}

JointAxes::JointAxes(const Model& model, const Properties<double>& properties)
    : structure(static_cast<std::size_t>(model.bodies().size())) {
  numbers.bodies.resize(structure.size());
  const std::vector<int> child = find_turning_children(model, properties);
  for (std::size_t i = 0; i < structure.size(); ++i) {
    const BodyIndex b(static_cast<int>(i));
    BodyInAxes<double>& body = numbers.bodies[i];
    body.R_MK = choose_axes(properties, b, BodyIndex(child[i]));
    if (b == kGround) continue;
    const BodyProperties<double>& given = properties.bodies[b];
    const Rotation<double> R_KM = body.R_MK.transpose();
    body.mass = given.M.mass;
    body.h = body.mass * (R_KM * given.M.c);
    body.J = rotate(R_KM, given.M.J);
    body.armature = given.armature;
    const Rotation<double> R_KP =
        numbers.bodies[static_cast<std::size_t>(model.bodies()[b].parent.value())].R_MK.transpose();
    body.s = R_KP * given.X_PF.p;
    body.R_PF = R_KP * given.X_PF.R;
    if (as_revolute(given) == nullptr) continue;
    const EulerAngles angles(body.R_PF * body.R_MK);
    body.offset = std::atan2(angles.offset.sin, angles.offset.cos);
    body.cos_twist = angles.twist.cos, body.sin_twist = angles.twist.sin;
    body.cos_yaw = angles.yaw.cos, body.sin_yaw = angles.yaw.sin;
    structure[i] = {true, kind_of(angles.twist), body.cos_yaw != 1.0 || body.sin_yaw != 0.0,
                    body.armature != 0.0};
  }
  numbers.gravity = numbers.bodies[0].R_MK.transpose() * properties.gravity;
}

}  // namespace sestina
