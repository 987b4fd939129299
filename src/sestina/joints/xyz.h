// XYZ: M's origin moves freely along the axes of F, without turning.
//
// q: x, y, z (m). u: their rates (m/s). H = [0; 1]. No singularity.
#pragma once

#include "sestina/joints/joint.h"

namespace sestina {

template <class T>
struct Xyz : PlainCoordinates<T, 3> {
  static constexpr std::string_view kKeyword = "xyz";
  static constexpr std::array<std::string_view, 3> kQUnits{"m", "m", "m"};
  static constexpr std::array<std::string_view, 3> kUUnits{"m/s", "m/s", "m/s"};

  Pose<T> pose(const T* q) const { return {Rotation<T>::identity(), {q[0], q[1], q[2]}}; }
  JointColumns<T, 3> H(const T*) const {
    return {{{{}, {T(1), T(0), T(0)}}, {{}, {T(0), T(1), T(0)}}, {{}, {T(0), T(0), T(1)}}}};
  }
};

}  // namespace sestina
