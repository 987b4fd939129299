// A thin disc that rolls without slip on a plane, which may move: one condition on positions (the disc
// touches the plane) and two on speeds.
//
// With C the disc's centre and a its axis (unit) on body b, K a point of the plane and n its normal on body a
// (unit, towards the disc), r the radius:
//   c = n.a,   m = n - c a,   s = |m|,   d = -m/s           d: from C to the contact point, in its plane
//   P = C + r d
//   e1 = (a x n)/s,   e2 = n x e1                           along and across the track
// and V = v_b(P) - v_a(P) the velocity of the disc's material point at P relative to the plane's:
//   g   = n.(p_C - p_K) - r s                                                                        (1)
//   g'  = n.V          (n.(w x r d) = -r s', with w the disc's angular velocity in the plane)        (2)
//   h_i = e_i.V                                                                                      (3)
// All three are rates of the form e.V. With p' = p_C' + r d' the velocity of P, the derivative at udot = 0 is
//   e'.V + e.(w_b x (p' - v_b) - w_a x (p' - v_a)) + the terms of a_b, a_a and angular accelerations  (4)
// v_a, v_b: velocities of the origins of the bodies' frames. With n' = w_a x n and a' = w_b x a:
//   c' = n'.a + n.a',   m' = n' - c' a - c a',   s' = -c c'/s,   d' = -(m' + s' d)/s
//   e1' = (a' x n + a x n' - s' e1)/s,   e2' = n' x e1 + n x e1'
//
// The multipliers are the force on the disc at P (N): along n, e1 and e2. A disc that turns in the positive
// sense about its axis rolls along e1.
//
// Singular if the disc lies flat on the plane, s = 0: it touches everywhere. Below kFlat the rows are NaN,
// which ends a run with an error that names the constraint.
#pragma once

#include <limits>

#include "sestina/constraints/constraint_row.h"

namespace sestina {

template <class T>
struct Rolling {
  Marker<T> center, plane;  // C, K
  Vec3<T> axis, normal;     // a in the axes of C, n in those of K; unit
  T radius{};               // m
  int first_row = 0;

  static constexpr int kRows = 3;
  static constexpr double kFlat = 1e-7;  // of s, the sine of the angle between the disc and the plane
};

// The contact point, the directions of the rows, and their rates.
template <class T>
struct RollingContact {
  T sine{};                    // s
  Vec3<T> to_contact;          // r d, m, ground axes
  Vec3<T> directions[3];       // n, e1, e2, ground axes
  Vec3<T> direction_rates[3];  // 1/s
  Vec3<T> rate_of_to_contact;  // r d', m/s
};

template <class T>
RollingContact<T> calc_rolling_contact(const Rolling<T>& rolling, const FrameMotion<T>* frames) {
  const FrameMotion<T>&A = frames[rolling.plane.frame.value()], &B = frames[rolling.center.frame.value()];
  const Vec3<T> n = A.X_WB.R * (rolling.plane.X_BK.R * rolling.normal);
  const Vec3<T> a = B.X_WB.R * (rolling.center.X_BK.R * rolling.axis);
  const Vec3<T> n_rate = cross(A.V_WB.w, n), a_rate = cross(B.V_WB.w, a);
  const T c = dot(n, a), c_rate = dot(n_rate, a) + dot(n, a_rate);
  const Vec3<T> m = n - c * a, m_rate = n_rate - c_rate * a - c * a_rate;
  RollingContact<T> contact;
  const T s = norm(m);
  contact.sine = s;
  const T inverse = T(1) / s, s_rate = -c * c_rate * inverse;
  const Vec3<T> d = -inverse * m;
  contact.to_contact = rolling.radius * d;
  contact.rate_of_to_contact = (-rolling.radius * inverse) * (m_rate + s_rate * d);
  const Vec3<T> e1 = inverse * cross(a, n);
  const Vec3<T> e1_rate = inverse * (cross(a_rate, n) + cross(a, n_rate) - s_rate * e1);
  contact.directions[0] = n, contact.direction_rates[0] = n_rate;
  contact.directions[1] = e1, contact.direction_rates[1] = e1_rate;
  contact.directions[2] = cross(n, e1), contact.direction_rates[2] = cross(n_rate, e1) + cross(n, e1_rate);
  return contact;
}

template <class T>
void update_rolling(const Rolling<T>& rolling, const FrameMotion<T>* frames, ConstraintRow<T>* rows) {
  const FrameMotion<T>&A = frames[rolling.plane.frame.value()], &B = frames[rolling.center.frame.value()];
  const MarkerMotion<T> C = marker_motion(frames, rolling.center), K = marker_motion(frames, rolling.plane);
  RollingContact<T> contact = calc_rolling_contact(rolling, frames);
  if (!(value_of(contact.sine) > Rolling<T>::kFlat)) {
    contact.to_contact = T(std::numeric_limits<double>::quiet_NaN()) * contact.directions[0];
  }
  const Vec3<T> arm_b = C.arm + contact.to_contact;
  const Vec3<T> arm_a = C.position + contact.to_contact - A.X_WB.p;
  const Vec3<T> V = B.V_WB.v + cross(B.V_WB.w, arm_b) - A.V_WB.v - cross(A.V_WB.w, arm_a);
  const Vec3<T> moving = C.velocity + contact.rate_of_to_contact;  // p'
  const Vec3<T> centripetal = cross(B.V_WB.w, moving - B.V_WB.v) - cross(A.V_WB.w, moving - A.V_WB.v);
  for (int i = 0; i < Rolling<T>::kRows; ++i) {
    ConstraintRow<T>& row = rows[i];
    const Vec3<T>& e = contact.directions[i];
    row.a = rolling.plane.frame, row.b = rolling.center.frame;
    row.force = {{}, e};
    row.arm_a = arm_a, row.arm_b = arm_b;
    row.is_on_position = i == 0;
    row.error = T(0);
    row.velocity = dot(e, V);                                             // (2), (3)
    row.bias = dot(contact.direction_rates[i], V) + dot(e, centripetal);  // (4)
  }
  rows[0].error = dot(contact.directions[0], C.position + contact.to_contact - K.position);  // (1)
}

}  // namespace sestina
