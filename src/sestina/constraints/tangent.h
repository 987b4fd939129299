// Keeps the slope of a cable at a node along a direction that is fixed in a body.
//
// With e = dr/ds the slope (flexible/cable_element.h), n_1 and n_2 directions fixed in a frame on body b,
// perpendicular to each other and to the direction of the tangent, and dots for rates:
//   g_i = n_i . e,   g_i' = n_i . edot + w_b . (n_i x e)                                                  (1)
//   g_i'' = n_i . eddot + alpha_b . (n_i x e) + 2 (w_b x n_i) . edot + e . (w_b x (w_b x n_i))            (2)
// The multipliers are moments divided by |e| (N m).
#pragma once

#include "sestina/constraints/point_on.h"

namespace sestina {

template <class T>
struct Tangent {
  int q = 0, u = 0;   // speed of the slope's x component; y and z follow
  Marker<T> line;     // on b
  Vec3<T> direction;  // unit, its axes
  int first_row = 0, first_term = 0;
};

// Fills two rows and their six terms.
template <class T>
void update_tangent(const Tangent<T>& constraint, const T* q, const T* u, const FrameMotion<T>* frames,
                    ConstraintRow<T>* rows, SpeedTerm<T>* terms) {
  const FrameMotion<T>& b = frames[constraint.line.frame.value()];
  const Vec3<T> slope{q[constraint.q], q[constraint.q + 1], q[constraint.q + 2]};
  const Vec3<T> rate{u[constraint.u], u[constraint.u + 1], u[constraint.u + 2]};
  Vec3<T> directions[2];
  find_perpendiculars(constraint.direction, directions[0], directions[1]);
  for (int i = 0; i < 2; ++i) {
    ConstraintRow<T>& row = rows[i];
    const Vec3<T> n = b.X_WB.R * (constraint.line.X_BK.R * directions[i]);
    const Vec3<T> turning = cross(b.V_WB.w, n);
    row.a = FrameIndex(0), row.b = constraint.line.frame;
    row.force = {cross(n, slope), {}};
    row.arm_a = row.arm_b = {};
    row.error = dot(n, slope);
    row.velocity = dot(n, rate) + dot(turning, slope);
    row.bias = T(2) * dot(turning, rate) + dot(slope, cross(b.V_WB.w, turning));
    row.first_term = constraint.first_term + 3 * i, row.terms = 3;
    for (int k = 0; k < 3; ++k) terms[3 * i + k] = {constraint.u + k, n[k]};
  }
}

}  // namespace sestina
