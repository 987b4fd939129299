// A marker: a frame on anything that moves. What acts in a system acts between markers and knows nothing
// else.
//
// What moves as a rigid frame carries markers: the ground, every rigid body (by its BodyIndex), and after
// them whatever else there may be, such as the cross-sections of a beam. All of these have one array of
// motions and one array of forces, by FrameIndex, so that a force element is the same code, and costs the
// same, whatever its markers ride on. What a carrier's frame feels becomes generalised forces by its own J^T:
// for rigid bodies in the recursions, where no Jacobian is ever formed.
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
  Pose<T> X_BK;      // the marker K in it
};

// Where a marker is and how it moves, ground axes.
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
