// One scalar condition on a mechanism, in the form for the equations of motion.
//
// A condition on position is g(t, q) = 0; with C = dg/d(displacement) its rates are
//   g'  = C u + dg/dt at fixed q                                                                    (1)
//   g'' = C udot + bias                                                                              (2)
// and the generalised forces C^T lambda enforce it. A condition on speeds has no g and begins with (1).
//
// C is never stored. A unit multiplier exerts `force` on frame b at a point p and the opposite force on frame
// a at the same place. With V the velocities of the material points of the frames at p, ground axes,
//   C u = force . (V_b - V_a)   + the sum of coefficient * u[speed] over the row's terms             (3)
// and C^T lambda is the same force and the same coefficients, times lambda. A row may act between further
// pairs of frames in the same way, as a coupling of several cut joints does; (3) is then a sum over them.
//
// A row may represent an inertia instead of a condition: a rotor of inertia m with the speed C0 u, whose
// force -m (C0 udot + bias0) is that of the row C = sqrt(m) C0 with
//   C udot + bias = -lambda                                                                          (4)
// It has neither error nor velocity, and is never redundant.
#pragma once

#include "sestina/base/index.h"
#include "sestina/forces/marker.h"

namespace sestina {

template <class T>
struct SpeedTerm {
  int speed = 0;  // index in u
  T coefficient{};
};

// Two frames between which a unit multiplier acts; if both are the same frame, nothing acts.
template <class T>
struct FramePair {
  FrameIndex a{0}, b{0};
  SpatialForce<T> force;  // on b, at p, ground axes
  Vec3<T> arm_a, arm_b;   // m, from the origins of the frames to p
};

template <class T>
struct ConstraintRow : FramePair<T> {
  int first_term = 0, terms = 0;  // position of its first SpeedTerm in the list of all rows' terms
  int first_pair = 0, pairs = 0;  // further pairs, in the list of all rows' further pairs
  bool is_on_position = true;     // otherwise a condition on speeds
  bool is_inertia = false;        // (4) holds instead of (2)
  T error{};                      // g; zero for a condition on speeds
  T velocity{};                   // g' of (1)
  T bias{};                       // bias of (2), less the part due to the frames' accelerations at udot = 0
};

// Motion of a frame M on body b relative to a frame F on body a, ground axes, at M's origin.
template <class T>
struct RelativeMarkerMotion {
  Pose<T> X_FM;               // axes of F
  Rotation<T> R_WF;           // F's axes in the ground
  Vec3<T> arm_a, arm_b;       // m, from the origins of the bodies' frames to M's origin
  SpatialMotion<T> velocity;  // of M relative to F
  // Bias of M's acceleration relative to F: A_FM = A_b - A_a + bias, both shifted to p.
  SpatialMotion<T> bias;
};

// calc_relative_marker_motion omits the bias if it is not needed, and the products with the axes of F or M if
// these are the axes of their bodies.
struct RelativeMotionNeeds {
  bool bias = true, turns_F = true, turns_M = true;
};

// With r = arm_a, s = arm_b, and v = v_b + w_b x s - v_a - w_a x r the velocity of p in F:
//   A_FM.w = alpha_b - alpha_a - w_a x (w_b - w_a)
//   A_FM.v = (a_b + alpha_b x s) - (a_a + alpha_a x r) + w_b x (w_b x s) - w_a x (w_a x r) - 2 w_a x v
template <class T>
RelativeMarkerMotion<T> calc_relative_marker_motion(const FrameMotion<T>* frames, const Marker<T>& F,
                                                    const Marker<T>& M,
                                                    const RelativeMotionNeeds& needs = {}) {
  const FrameMotion<T>& a = frames[F.frame.value()];
  const FrameMotion<T>& b = frames[M.frame.value()];
  RelativeMarkerMotion<T> relative;
  relative.arm_b = b.X_WB.R * M.X_BK.p;
  const Vec3<T> p = b.X_WB.p + relative.arm_b;
  relative.arm_a = p - a.X_WB.p;
  relative.R_WF = needs.turns_F ? a.X_WB.R * F.X_BK.R : a.X_WB.R;
  const Rotation<T> R_FW = relative.R_WF.transpose();
  relative.X_FM = {R_FW * (needs.turns_M ? b.X_WB.R * M.X_BK.R : b.X_WB.R),
                   R_FW * (relative.arm_a - a.X_WB.R * F.X_BK.p)};
  const Vec3<T>&w_a = a.V_WB.w, &w_b = b.V_WB.w;
  const Vec3<T> turning_a = cross(w_a, relative.arm_a), turning_b = cross(w_b, relative.arm_b);
  const Vec3<T> v = b.V_WB.v + turning_b - a.V_WB.v - turning_a;
  relative.velocity = {w_b - w_a, v};
  if (needs.bias)
    relative.bias = {cross(w_b, w_a), cross(w_b, turning_b) - cross(w_a, turning_a) - T(2) * cross(w_a, v)};
  return relative;
}

}  // namespace sestina
