// Planar: M moves in the x-y plane of F and turns about F's z.
//
// q: x (m), y (m), angle about z (rad). u: their rates. H = [0, 0, z; x, y, 0]. No singularity.
#pragma once

#include "sestina/joints/joint.h"

namespace sestina {

template <class T>
struct Planar : PlainCoordinates<T, 3> {
  static constexpr std::string_view kKeyword = "planar";
  static constexpr std::array<std::string_view, 3> kQUnits{"m", "m", "rad"};
  static constexpr std::array<std::string_view, 3> kUUnits{"m/s", "m/s", "rad/s"};

  Pose<T> pose(const T* q) const {
    const auto [s, c] = sincos(q[2]);
    return {{c, -s, T(0), s, c, T(0), T(0), T(0), T(1)}, {q[0], q[1], T(0)}};
  }
  JointColumns<T, 3> H(const T*) const {
    return {{{{}, {T(1), T(0), T(0)}}, {{}, {T(0), T(1), T(0)}}, {{T(0), T(0), T(1)}, {}}}};
  }
};

}  // namespace sestina
