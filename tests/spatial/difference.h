// The largest difference between the elements of two things, for EXPECT_LE(difference(a, b), tolerance).
// A difference that is not a number compares false, so the expectation fails.
#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "sestina/spatial/mat6.h"
#include "sestina/spatial/spatial.h"

namespace sestina::testing_support {

inline double largest(std::initializer_list<double> values) {
  double most = 0.0;
  for (double v : values) {
    if (!(std::abs(v) <= most)) most = std::abs(v);
    if (std::isnan(most)) return most;
  }
  return most;
}

inline double largest_of(const Vec6<double>& a) { return largest({a[0], a[1], a[2], a[3], a[4], a[5]}); }

inline double difference(const Vec3<double>& a, const Vec3<double>& b) {
  return largest({a.x - b.x, a.y - b.y, a.z - b.z});
}
inline double difference(const Mat3<double>& a, const Mat3<double>& b) {
  return largest({difference(a.column(0), b.column(0)), difference(a.column(1), b.column(1)),
                  difference(a.column(2), b.column(2))});
}
inline double difference(const SymMat3<double>& a, const SymMat3<double>& b) {
  return difference(full(a), full(b));
}
inline double difference(const SpatialMotion<double>& a, const SpatialMotion<double>& b) {
  return largest({difference(a.w, b.w), difference(a.v, b.v)});
}
inline double difference(const SpatialForce<double>& a, const SpatialForce<double>& b) {
  return largest({difference(a.torque, b.torque), difference(a.force, b.force)});
}
inline double difference(const Pose<double>& a, const Pose<double>& b) {
  return largest({difference(a.R, b.R), difference(a.p, b.p)});
}

}  // namespace sestina::testing_support
