// The simulation box: a cuboid with sides along the axes, periodic or open along each.
#pragma once

#include <array>
#include <cmath>

namespace sestina {

using Vector3d = std::array<double, 3>;

inline double dot(const Vector3d& a, const Vector3d& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Vector3d cross(const Vector3d& a, const Vector3d& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

struct Box {
  Vector3d lower{};                                // m, the corner with the smallest coordinates
  Vector3d length{};                               // m; along an open direction used only for densities
  std::array<bool, 3> periodic{true, true, true};  // otherwise open: particles may leave the box

  bool is_periodic() const { return periodic[0] && periodic[1] && periodic[2]; }  // along all axes
  bool is_cube() const {
    const double most = 1e-12 * length[0];
    return std::abs(length[1] - length[0]) <= most && std::abs(length[2] - length[0]) <= most;
  }
  double volume() const { return length[0] * length[1] * length[2]; }  // m^3

  // The number of box lengths to subtract to bring a coordinate into the box; 0 along an open direction.
  double calc_image(int axis, double x) const {
    return periodic[axis] ? std::floor((x - lower[axis]) / length[axis]) : 0.0;
  }
  // A difference of two coordinates as the difference of their nearest images.
  double nearest(int axis, double dx) const {
    return periodic[axis] ? dx - length[axis] * std::floor(dx / length[axis] + 0.5) : dx;
  }
};

}  // namespace sestina
