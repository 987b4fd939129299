// Three bodies in arbitrary motion for force elements to act on: no joints, no dynamics, only kinematics.
#pragma once

#include <array>
#include <cmath>

#include "sestina/forces/force.h"
#include "sestina/numerics/dual.h"
#include "spatial/random.h"

namespace sestina::testing_support {

// The ground and two bodies; six coordinates of joints that are not there, with u the rate of q; six values
// of expressions.
template <class T>
struct ForceRig {
  static constexpr int kBodies = 3, kCoordinates = 6, kExpressions = 6;

  T t{};
  std::array<T, kCoordinates> q{}, u{};
  std::array<BodyMotion<T>, kBodies> bodies{};
  std::array<T, kExpressions> expressions{};

  ForceInput<T> input() const { return {t, q.data(), u.data(), bodies.data(), expressions.data()}; }
};

// The sums to which an element adds.
template <class T>
struct ForceSums {
  std::array<T, ForceRig<T>::kCoordinates> tau{};
  std::array<SpatialForce<T>, ForceRig<T>::kBodies> frame_forces{};
};

template <class Element, class T>
ForceSums<T> force_of(const Element& element, const ForceRig<T>& rig) {
  ForceSums<T> sums;
  ForceOutput<T> out{sums.tau.data(), sums.frame_forces.data()};
  element.add_force(rig.input(), out);
  return sums;
}

// How the speeds change; the positions change by the speeds.
struct ForceRigAcceleration {
  std::array<double, ForceRig<double>::kCoordinates> u{};
  std::array<SpatialMotion<double>, ForceRig<double>::kBodies> bodies{};
};

inline ForceRig<double> random_rig(Random& random) {
  ForceRig<double> rig;
  rig.t = random.uniform(0, 10);
  for (double& x : rig.q) x = random.uniform(-2, 2);
  for (double& x : rig.u) x = random.uniform(-2, 2);
  for (double& x : rig.expressions) x = random.uniform(-2, 2);
  // The ground, body 0, rests at the identity. The bodies stand apart, so that no two points coincide.
  for (std::size_t b = 1; b < rig.bodies.size(); ++b) {
    rig.bodies[b] = {random.pose(), random.motion()};
    rig.bodies[b].X_WB.p += {4.0 * static_cast<double>(b), 0, 0};
  }
  return rig;
}

inline ForceRigAcceleration random_acceleration(Random& random) {
  ForceRigAcceleration a;
  for (double& x : a.u) x = random.uniform(-2, 2);
  for (std::size_t b = 1; b < a.bodies.size(); ++b) a.bodies[b] = random.motion();
  return a;
}

// The rig a time h later: turned by the exponential map, so that R stays a rotation. With h = Dual(0, 1) it
// carries the derivatives by time. The expressions keep their values.
template <class T>
ForceRig<T> moved(const ForceRig<double>& rig, const ForceRigAcceleration& acceleration, const T& h) {
  const auto cast = [](const Vec3<double>& v) { return Vec3<T>{T(v.x), T(v.y), T(v.z)}; };
  const T one[4] = {T(1), T(0), T(0), T(0)};
  ForceRig<T> result;
  result.t = T(rig.t) + h;
  for (std::size_t i = 0; i < rig.q.size(); ++i) {
    result.q[i] = T(rig.q[i]) + h * T(rig.u[i]);
    result.u[i] = T(rig.u[i]) + h * T(acceleration.u[i]);
  }
  for (std::size_t i = 0; i < rig.expressions.size(); ++i) result.expressions[i] = T(rig.expressions[i]);
  for (std::size_t b = 0; b < rig.bodies.size(); ++b) {
    const BodyMotion<double>& from = rig.bodies[b];
    const SpatialMotion<double>& A = acceleration.bodies[b];
    const Rotation<double>& R = from.X_WB.R;
    T turn[4];
    turn_euler_parameters(one, h * cast(from.V_WB.w), turn);
    BodyMotion<T>& to = result.bodies[b];
    to.X_WB.R = euler_parameter_rotation(turn) *
                Rotation<T>::from_columns(cast(R.column(0)), cast(R.column(1)), cast(R.column(2)));
    to.X_WB.p = cast(from.X_WB.p) + h * cast(from.V_WB.v);
    to.V_WB = {cast(from.V_WB.w) + h * cast(A.w), cast(from.V_WB.v) + h * cast(A.v)};
  }
  return result;
}

}  // namespace sestina::testing_support
