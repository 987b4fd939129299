// Positions, velocities and velocity-dependent accelerations of all bodies, from the root outward.
//
// Every quantity of body B is in ground axes about Mo, the origin of B's joint frame. With P the parent,
// F the joint's frame on P, s the vector from P's Mo to B's Mo, and r the velocity of M in F:
//   R_WM = R_WP R_PF R_FM                                                        (1)
//   s    = R_WP p_PF + R_WF p_FM                                                 (2)
//   H_W  = R_WF H_FM                                (columns in ground axes)     (3)
//   r    = H_W u
//   w    = w_P + r.w,   v = v_P + w_P x s + r.v                                  (4)
//   A    = shift(A_P, s) + H_W udot + c
//   c    = R_WF bias + [w_P x r.w ; w_P x (w_P x s) + 2 w_P x r.v]               (5)
// Only (1)-(5) depend on joint types; all later computations use the columns H.
// Source: Roberson and Schwertassek, Dynamics of Multibody Systems (1988), ch. 8, in monogram notation.
#pragma once

#include <vector>

#include "sestina/dynamics/tree_layout.h"

namespace sestina {

template <class T>
struct Kinematics {
  explicit Kinematics(const Model& model);

  // By BodyIndex: pose and velocity of the joint frame; then those of the interfaces of reduced bodies.
  std::vector<BodyMotion<T>> motion;
  std::vector<Vec3<T>> s;                // by BodyIndex: from the parent's Mo to the body's (m)
  std::vector<SpatialMotion<T>> bias;    // by BodyIndex: c of (5)
  std::vector<SpatialMotion<T>> H;       // (nu): the columns of all joints, ground axes about Mo
  std::vector<RigidInertia<T>> inertia;  // by BodyIndex: about Mo, ground axes

  TreeLayout tree;
  std::vector<SinCos<T>> sin_cos;  // (nq): of the angles of revolute joints
};

// Fills `kinematics` from the state. O(n), no allocation.
template <class T>
void update_kinematics(const Model& model, const Properties<T>& properties, const State<T>& state,
                       Kinematics<T>& kinematics);

// For solvers that work piece by piece: first the sines and cosines of all angles, then the kinematics of the
// bodies of a walk, from the motion of its base.
template <class T>
void update_sin_cos(std::span<const TreeLayout::Angles> angles, const State<T>& state,
                    Kinematics<T>& kinematics);
template <class T>
void update_kinematics_of(const Walk& walk, const BodyMotion<T>& base, const Properties<T>& properties,
                          const State<T>& state, Kinematics<T>& kinematics);

// Returns the motion of the last body of a path in which each body is a child of the one before, as if the
// parent of the first were at rest in the ground. Call update_sin_cos() first.
template <class T>
BodyMotion<T> calc_motion_along(std::span<const BodyIndex> path, const Properties<T>& properties,
                                const State<T>& state, const Kinematics<T>& kinematics);

// Pose of the body's own frame in the ground frame.
template <class T>
Pose<T> calc_body_pose(const Properties<T>& properties, const Kinematics<T>& kinematics, BodyIndex body);

// Angular velocity of the body, and velocity of its own frame's origin, ground axes.
template <class T>
SpatialMotion<T> calc_body_velocity(const Properties<T>& properties, const Kinematics<T>& kinematics,
                                    BodyIndex body);

// Position (m, from the ground's origin) of a point.
template <class T>
Vec3<T> calc_point_position(const Properties<T>& properties, const Kinematics<T>& kinematics,
                            PointIndex point);

}  // namespace sestina
