// Random numbers for tests: the same on every platform, which the distributions of <random> are not.
#pragma once

#include <cmath>
#include <random>

#include "sestina/spatial/spatial.h"

namespace sestina::testing_support {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}

  double uniform(double low, double high) { return low + (high - low) * (engine_() / 4294967296.0); }
  Vec3<double> vector(double size = 1.0) {
    const double x = uniform(-size, size), y = uniform(-size, size), z = uniform(-size, size);
    return {x, y, z};
  }
  Vec3<double> unit_vector() {
    for (;;) {
      const Vec3<double> v = vector();
      if (norm(v) > 0.1 && norm(v) < 1.0) return (1.0 / norm(v)) * v;
    }
  }
  Rotation<double> rotation() {
    const Vec3<double> axis = unit_vector();
    return axis_rotation(axis, uniform(-3.1, 3.1));
  }
  Pose<double> pose() {
    const Rotation<double> R = rotation();
    return {R, vector()};
  }
  SpatialMotion<double> motion() {
    const Vec3<double> w = vector();
    return {w, vector()};
  }
  SpatialForce<double> force() {
    const Vec3<double> torque = vector();
    return {torque, vector()};
  }

 private:
  std::mt19937 engine_;
};

}  // namespace sestina::testing_support
