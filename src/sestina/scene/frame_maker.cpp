#include <algorithm>
#include <cmath>

#include "sestina/model/properties.h"
#include "sestina/scene/scene.h"

namespace sestina {

// The largest of the four is found from the diagonal, so that no small number is divided by (Shepperd 1978).
std::array<double, 4> quaternion_of(const Rotation<double>& R) {
  const auto m = [&R](int i, int j) { return R.column(j)[i]; };
  const double trace = m(0, 0) + m(1, 1) + m(2, 2);
  std::array<double, 4> e{};
  int largest = 0;
  for (int i = 1; i < 3; ++i) {
    if (m(i, i) > m(largest, largest)) largest = i;
  }
  if (trace > m(largest, largest)) {
    const double root = std::sqrt(std::max(0.0, 1.0 + trace)), factor = 0.5 / root;
    return {factor * (m(2, 1) - m(1, 2)), factor * (m(0, 2) - m(2, 0)), factor * (m(1, 0) - m(0, 1)),
            0.5 * root};
  }
  const int i = largest, j = (i + 1) % 3, k = (i + 2) % 3;
  const double root = std::sqrt(std::max(0.0, 1.0 + m(i, i) - m(j, j) - m(k, k))), factor = 0.5 / root;
  e[i] = 0.5 * root;
  e[j] = factor * (m(j, i) + m(i, j));
  e[k] = factor * (m(k, i) + m(i, k));
  e[3] = factor * (m(k, j) - m(j, k));
  return e;
}

FrameMaker::FrameMaker(const Model& model, const Properties<double>& properties)
    : model_(model),
      properties_(properties),
      bodies_(static_cast<int>(model.bodies().size()) - 1),
      kinematics_(model) {
  state_.q.resize(static_cast<std::size_t>(model.nq()));
  state_.u.resize(static_cast<std::size_t>(model.nu()));
}

void FrameMaker::fill(std::span<const double> q, std::span<float> poses) {
  std::copy(q.begin(), q.end(), state_.q.begin());
  update_kinematics(model_, properties_, state_, kinematics_);
  float* to = poses.data();
  for (BodyIndex b{1}; b.value() <= bodies_; ++b) {
    const Pose<double> X_WB = calc_body_pose(properties_, kinematics_, b);
    for (int i = 0; i < 3; ++i) *to++ = static_cast<float>(X_WB.p[i]);
    for (const double e : quaternion_of(X_WB.R)) *to++ = static_cast<float>(e);
  }
}

}  // namespace sestina
