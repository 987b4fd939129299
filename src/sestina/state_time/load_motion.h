// Conversion of the motion and the loads of the state-time equations to those of the recursions, for plain
// and for dual numbers.
#pragma once

#include "sestina/dynamics/kinematics.h"
#include "sestina/model/properties.h"
#include "sestina/state_time/joint_conditions.h"
#include "sestina/state_time/relative_motion.h"

namespace sestina {

// A body's motion as 18 numbers: v, w, the columns of C, x, in the order of BodyVector.
template <class T>
struct BodyNumbers {
  Vec3<T> v, w, C[3], x;

  explicit BodyNumbers(const BodyInstant& body)
      : v(convert(body.v)),
        w(convert(body.w)),
        C{convert(body.C.column(0)), convert(body.C.column(1)), convert(body.C.column(2))},
        x(convert(body.x)) {}
  Vec3<T>& vector(int i) { return i == 0 ? v : i == 1 ? w : i == 5 ? x : C[i - 2]; }

 private:
  static Vec3<T> convert(const Vec3<double>& a) { return {T(a.x), T(a.y), T(a.z)}; }
};
inline constexpr int kBodyNumbers = 18;

// Returns the motion of the joint frame M; c is the mass centre in it.
template <class T>
BodyMotion<T> frame_motion(const BodyNumbers<T>& at, const Vec3<T>& c) {
  const Rotation<T> C = Rotation<T>::from_columns(at.C[0], at.C[1], at.C[2]);
  return {{C, at.x - C * c}, {C * at.w, at.v - C * cross(at.w, c)}};
}

// Returns the relative motion of the joint of b; the parent is the ground or another body.
template <class T>
RelativeMotion<T> relative_motion(const Properties<T>& properties, const Kinematics<T>& kinematics,
                                  BodyIndex parent, BodyIndex b) {
  const BodyMotion<T>& P = kinematics.motion[static_cast<std::size_t>(parent.value())];
  const BodyMotion<T>& B = kinematics.motion[static_cast<std::size_t>(b.value())];
  return calc_relative_motion<T>(P.X_WB, P.V_WB, properties.bodies[b].X_PF, B.X_WB, B.V_WB);
}

// Load about the mass centre: force in ground axes, torque in the body's own axes.
template <class T>
struct CenterLoad {
  Vec3<T> force, torque;
};
// Converts a force about Mo, ground axes.
template <class T>
CenterLoad<T> load_of(const SpatialForce<T>& force, const Rotation<T>& C, const Vec3<T>& c) {
  return {force.force, transpose_times(C, force.torque - cross(C * c, force.force))};
}

}  // namespace sestina
