// Two points at a given distance, which may depend on time: a massless rod between ball joints.
//
// With d = p_B - p_A, L = |d|, e = d / L and the given length l(t):
//   g   = l - L                                                         (m)                             (1)
//   g'  = l' - e . v,                v = v_B - v_A                                                       (2)
//   g'' = l'' - e . (a_B - a_A) - (|v|^2 - (e . v)^2) / L                                                (3)
// The multiplier is the tension of the rod (N): positive pulls the points together.
#pragma once

#include "sestina/constraints/constraint_row.h"

namespace sestina {

template <class T>
struct Distance {
  Marker<T> from, to;  // A, B
  int expression = 0;  // of l, l' and l''
  int first_row = 0;
};

// `length`: l, l', l''.
template <class T>
void update_distance(const Distance<T>& distance, const FrameMotion<T>* frames, const T* length,
                     ConstraintRow<T>& row) {
  const MarkerMotion<T> A = marker_motion(frames, distance.from), B = marker_motion(frames, distance.to);
  const Vec3<T>&w_A = frames[distance.from.frame.value()].V_WB.w,
        &w_B = frames[distance.to.frame.value()].V_WB.w;
  const Vec3<T> d = B.position - A.position, v = B.velocity - A.velocity;
  const T L = norm(d);
  const Vec3<T> e = (T(1) / L) * d;
  const T along = dot(e, v);
  row.a = distance.from.frame, row.b = distance.to.frame;
  row.force = {{}, -e};
  row.arm_a = A.arm + d, row.arm_b = B.arm;
  row.error = length[0] - L;         // (1)
  row.velocity = length[1] - along;  // (2)
  const Vec3<T> centripetal = cross(w_B, cross(w_B, B.arm)) - cross(w_A, cross(w_A, A.arm));
  row.bias = length[2] - dot(e, centripetal) - (dot(v, v) - along * along) / L;  // (3)
}

}  // namespace sestina
