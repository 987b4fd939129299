// Detects coordinates that are so large that a step does not change them: their rounding unit is larger than
// the displacement, q + h u == q, and the motion is lost.
#pragma once

#include <vector>

#include "sestina/integrate/equations_of_motion.h"
#include "sestina/model/model.h"

namespace sestina {

class StuckCoordinates {
 public:
  explicit StuckCoordinates(const Model& model);

  // Call after each accepted step. Throws ComputationError with the name of the coordinate.
  void check(const State<double>& state);

 private:
  // Above these a coordinate is large: its rounding unit is about 1e-3 rad, or 1 m. Distances in space are
  // smaller, and a drift that is below their rounding unit is not a fault.
  static constexpr double kLargeAngle = 0x1p43, kLarge = 0x1p53;
  static constexpr double kLost = 1e-9;  // rad or m, of a step

  struct Coordinate {
    int q, u;
    double large;
    double before = 0.0;  // of the last step
  };
  const Model& model_;
  std::vector<Coordinate> coordinates_;  // whose rates are speeds
  double t_before_ = 0.0;                // s
  bool has_before_ = false;
};

}  // namespace sestina
