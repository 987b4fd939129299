#include "sestina/simulation/input_function.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sestina/base/error.h"

namespace sestina::symbolic {
namespace {

double interpolate(const std::vector<double>& times, const std::vector<double>& values, double t) {
  if (t <= times.front()) return values.front();
  if (t >= times.back()) return values.back();
  const auto after =
      static_cast<std::size_t>(std::upper_bound(times.begin(), times.end(), t) - times.begin());
  const double share = (t - times[after - 1]) / (times[after] - times[after - 1]);
  return (1.0 - share) * values[after - 1] + share * values[after];
}

}  // namespace

InputKnots::InputKnots(std::vector<double> knots, std::unique_ptr<TimeSwitches> others)
    : knots_(std::move(knots)), others_(std::move(others)) {
  std::ranges::sort(knots_);
}

void InputKnots::start(double t, double t_end, std::span<const double> d) {
  if (others_) others_->start(t, t_end, d);
}

TimeSwitch InputKnots::find_next(double after, double horizon) {
  const auto knot = std::ranges::upper_bound(knots_, after);
  TimeSwitch next;
  if (knot != knots_.end() && *knot <= horizon) next = {.t = *knot, .is_jump = true, .is_knot = true};
  if (!others_) return next;
  TimeSwitch other = others_->find_next(after, std::min(horizon, next.t));
  if (!(other.t < next.t)) return next;
  if (next.t - other.t <= shortest_time(other.t, 0.0)) {  // the same instant
    other.is_jump = true;
    other.is_knot = false;
  }
  return other;
}

InputFunction make_input_table(std::vector<double> times, std::vector<double> values) {
  if (times.empty() || times.size() != values.size()) {
    throw InputError(
        fmt::format("a table of {} times and {} values; allowed are as many of each, at least one",
                    times.size(), values.size()));
  }
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!std::isfinite(times[i]) || !std::isfinite(values[i])) {
      throw InputError(
          fmt::format("a table with the value {} at {} s, which is not finite", values[i], times[i]));
    }
    if (i > 0 && !(times[i] > times[i - 1])) {
      throw InputError(
          fmt::format("a table with {} s after {} s; allowed are times that rise", times[i], times[i - 1]));
    }
  }
  InputFunction table;
  table.knots = times;
  table.value = [times = std::move(times), values = std::move(values)](double t, std::span<const double>,
                                                                       std::span<const double>) {
    return interpolate(times, values, t);
  };
  return table;
}

}  // namespace sestina::symbolic
