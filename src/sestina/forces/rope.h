// A rope that runs over points, such as sheaves without radius or eyes: one tension all along.
//
//   L = sum of the distances between consecutive points,   L' its rate
//   tension = max(0, stiffness (L - free_length) + damping L') where L > free_length, otherwise zero   (1)
// A rope does not push. The work of the tension in excess of the energy of its spring is dissipated.
// If two consecutive points coincide, the direction between them is undefined and the force is NaN.
#pragma once

#include <vector>

#include "sestina/forces/force.h"

namespace sestina {

template <class T>
struct Rope : ForceElement<T> {
  std::vector<Marker<T>> points;  // two or more
  T stiffness{};                  // N/m
  T damping{};                    // N s/m
  T free_length{};                // m

  void add_force(const ForceInput<T>& in, ForceOutput<T>& out) const {
    const T tension = tension_of(measure(in));
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
      const Piece piece = measure(in, i);
      const Vec3<T> pull = tension * piece.direction;
      out.add_force_at(points[i], piece.from.arm, pull);
      out.add_force_at(points[i + 1], piece.to.arm, -pull);
    }
  }
  T potential_energy(const ForceInput<T>& in) const {
    const T x = measure(in).length - free_length;
    return value_of(x) > 0.0 ? T(0.5) * stiffness * x * x : T(0);
  }
  T dissipated_power(const ForceInput<T>& in) const {
    const Whole rope = measure(in);
    const T x = rope.length - free_length;
    if (!(value_of(x) > 0.0)) return T(0);
    return (tension_of(rope) - stiffness * x) * rope.rate;
  }

 private:
  struct Whole {
    T length, rate;  // m, m/s
  };
  struct Piece {
    MarkerMotion<T> from, to;
    Vec3<T> direction;  // unit
    T length, rate;
  };
  Piece measure(const ForceInput<T>& in, std::size_t i) const {
    const MarkerMotion<T> a = marker_motion(in.frames, points[i]),
                          b = marker_motion(in.frames, points[i + 1]);
    const Vec3<T> d = b.position - a.position;
    const T length = norm(d);
    const Vec3<T> direction = (T(1) / length) * d;
    return {a, b, direction, length, dot(direction, b.velocity - a.velocity)};
  }
  Whole measure(const ForceInput<T>& in) const {
    Whole rope{T(0), T(0)};
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
      const Piece piece = measure(in, i);
      rope.length += piece.length, rope.rate += piece.rate;
    }
    return rope;
  }
  T tension_of(const Whole& rope) const {  // (1)
    const T x = rope.length - free_length;
    if (!(value_of(x) > 0.0)) return T(0);
    const T tension = stiffness * x + damping * rope.rate;
    return value_of(tension) > 0.0 ? tension : T(0);
  }
};

}  // namespace sestina
