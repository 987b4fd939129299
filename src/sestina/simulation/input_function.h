// An input of a symbolic system that code computes, or that is tabulated over time, instead of an expression.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "sestina/numerics/time_switches.h"

namespace sestina::symbolic {

struct InputFunction {
  // Of t (s), the coordinates and the speeds. It depends on nothing else, as steps are tried and repeated. A
  // ComputationError that it throws ends the run.
  std::function<double(double t, std::span<const double> q, std::span<const double> u)> value;
  // s, rising: where it or its slope jumps. Steps of variable length end there.
  std::vector<double> knots = {};
};

// The knots of several inputs as instants where steps end, beside those of conditions in the time (null:
// none).
class InputKnots final : public TimeSwitches {
 public:
  InputKnots(std::vector<double> knots, std::unique_ptr<TimeSwitches> others);

  void start(double t, double t_end, std::span<const double> d) override;
  TimeSwitch find_next(double after, double horizon) override;

 private:
  std::vector<double> knots_;  // s, rising
  std::unique_ptr<TimeSwitches> others_;
};

// Straight lines between values at rising times (s), held before the first and after the last. InputError
// where their numbers differ, where they are not finite, and where the times do not rise.
InputFunction make_input_table(std::vector<double> times, std::vector<double> values);

}  // namespace sestina::symbolic
