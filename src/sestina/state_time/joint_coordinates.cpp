#include "sestina/state_time/joint_coordinates.h"

#include <cmath>

namespace sestina {

bool find_coordinates(const AnyJoint<double>& joint, const Pose<double>& X_FM, double* q) {
  // Newton's method from a near start rarely needs five iterations. Round-off leaves about 1e-16 of a turn.
  constexpr int kMostRepetitions = 100;
  constexpr double kSmall = 1e-13;  // rad, or relative to the lengths of X_FM
  const double size = 1.0 + norm(X_FM.p);
  for (int i = 0; i < kMostRepetitions; ++i) {
    const double square =
        visit_joint(joint, [&](const auto& j) { return improve_coordinates<double>(j, X_FM, q); });
    if (std::sqrt(square) <= kSmall * size) return true;
    if (!std::isfinite(square)) return false;
  }
  return false;
}

}  // namespace sestina
