// The motion of a joint's frame M in its frame F.
#pragma once

#include "sestina/spatial/spatial.h"

namespace sestina {

// Motion of M in F.
template <class T>
struct RelativeMotion {
  Pose<T> X_FM;
  SpatialMotion<T> V_FM;  // axes of F
};

// Computes it from the motions of the parent's and the child's joint frames; X_PF: pose of F on the parent.
template <class T>
RelativeMotion<T> calc_relative_motion(const Pose<T>& X_WP, const SpatialMotion<T>& V_WP, const Pose<T>& X_PF,
                                       const Pose<T>& X_WM, const SpatialMotion<T>& V_WM) {
  const Pose<T> X_WF = X_WP * X_PF;
  const Vec3<T> to_M = X_WM.p - X_WP.p;
  return {{X_WF.R.transpose() * X_WM.R, transpose_times(X_WF.R, X_WM.p - X_WF.p)},
          {transpose_times(X_WF.R, V_WM.w - V_WP.w),
           transpose_times(X_WF.R, V_WM.v - V_WP.v - cross(V_WP.w, to_M))}};
}

}  // namespace sestina
