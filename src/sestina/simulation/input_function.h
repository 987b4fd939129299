// An input of a symbolic system computed by code or tabulated over time, instead of an expression.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "sestina/numerics/time_switches.h"

namespace sestina::symbolic {

struct InputFunction {
  // Function of t (s), coordinates and speeds. It must depend on nothing else, since steps are tried and
  // repeated. A ComputationError that it throws ends the run.
  std::function<double(double t, std::span<const double> q, std::span<const double> u)> value;
  // s, rising: instants at which the value or its slope jumps. Steps of variable length end there.
  std::vector<double> knots = {};
};

// The knots of several inputs as instants at which steps end, in addition to those of conditions on time
// (null: none).
class InputKnots final : public TimeSwitches {
 public:
  InputKnots(std::vector<double> knots, std::unique_ptr<TimeSwitches> others);

  void start(double t, double t_end, std::span<const double> d) override;
  TimeSwitch find_next(double after, double horizon) override;

 private:
  std::vector<double> knots_;  // s, rising
  std::unique_ptr<TimeSwitches> others_;
};

// Interpolates linearly between values at rising times (s); constant before the first and after the last.
// Throws InputError if the numbers of both differ, they are not finite, or the times do not rise.
InputFunction make_input_table(std::vector<double> times, std::vector<double> values);

}  // namespace sestina::symbolic
