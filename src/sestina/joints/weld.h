// Weld: F and M always coincide. It has no coordinates.
#pragma once

#include "sestina/joints/joint.h"

namespace sestina {

template <class T>
struct Weld : PlainCoordinates<T, 0> {
  static constexpr std::string_view kKeyword = "weld";
  static constexpr std::array<std::string_view, 0> kQUnits{};
  static constexpr std::array<std::string_view, 0> kUUnits{};

  Pose<T> pose(const T*) const { return {}; }
  JointColumns<T, 0> H(const T*) const { return {}; }
};

}  // namespace sestina
