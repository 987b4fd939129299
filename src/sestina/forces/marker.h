// A marker: a frame on a body or anything else that moves. Forces, constraints and sensors act between
// markers and need no other information.
//
// Every rigid frame that moves carries markers: the ground, every rigid body (by its BodyIndex), and after
// them further frames such as the cross-sections of a beam. All of them share one array of motions and one
// array of forces, by FrameIndex, so that the code and the cost of a force element do not depend on the
// carriers of its markers. The forces on a carrier's frame become generalised forces by its own J^T; for
// rigid bodies the recursions do this without forming a Jacobian.
//
//   p_WK = p_WB + arm,   arm = R_WB p_BK,   v_K = v_B + w_B x arm
//   a force F at K is [arm x F; F] about the origin of B                                             (1)
#pragma once

#include "sestina/base/index.h"
#include "sestina/spatial/spatial.h"

namespace sestina {

// Motion of a frame that carries markers, ground axes. In the recursions the frame B of a body is its joint
// frame M; for a UserForce it is the body's own frame.
template <class T>
struct FrameMotion {
  Pose<T> X_WB;           // pose in the ground frame; p in m
  SpatialMotion<T> V_WB;  // angular velocity, and velocity of the frame's origin
};

template <class T>
using BodyMotion = FrameMotion<T>;

template <class T>
struct Marker {
  FrameIndex frame;  // B
  Pose<T> X_BK;      // pose of the marker K in B
};

// Position and velocity of a marker, ground axes.
template <class T>
struct MarkerMotion {
  Vec3<T> arm;       // m, from the origin of the frame that carries it
  Vec3<T> position;  // m
  Vec3<T> velocity;  // m/s
};

template <class T>
MarkerMotion<T> marker_motion(const FrameMotion<T>* frames, const Marker<T>& marker) {
  const FrameMotion<T>& B = frames[marker.frame.value()];
  const Vec3<T> arm = B.X_WB.R * marker.X_BK.p;
  return {arm, B.X_WB.p + arm, B.V_WB.v + cross(B.V_WB.w, arm)};
}

template <class T>
Pose<T> marker_pose(const FrameMotion<T>* frames, const Marker<T>& marker) {
  return frames[marker.frame.value()].X_WB * marker.X_BK;
}

}  // namespace sestina
