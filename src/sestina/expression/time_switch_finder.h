// Finds the instants at which conditions on time switch, one after the other, as a run approaches them.
//
// A condition switches where its argument g(t) passes a threshold. An interval of time is searched by bounds
// of g and of its rate (interval.h): it contains no switch if g stays between two thresholds; if g is
// monotonic, its ends decide; otherwise it is halved. A switch can be missed only if the bounds stay too wide
// down to 1e-9 of the interval (1e-3 if they are too wide throughout) and g crosses a threshold and returns
// within this time.
//
// The intervals are [k 2^m, (k + 1) 2^m], so that the instant of a switch, which is subject to rounding, does
// not depend on the start of the search.
//
// A start at a later instant, such as after an event, keeps what is known of the conditions whose constants
// are the same: each of many conditions is searched once, however many events take place.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "sestina/expression/interval.h"
#include "sestina/expression/time_conditions.h"
#include "sestina/numerics/time_switches.h"

namespace sestina {

class TimeSwitchFinder final : public TimeSwitches {
 public:
  // `parameters`: values of the first constants of the conditions; start() takes those of the others, d.
  TimeSwitchFinder(std::shared_ptr<const TimeConditions> conditions, std::span<const double> parameters);

  void start(double t, double t_end, std::span<const double> d) override;
  TimeSwitch find_next(double after, double horizon) override;

 private:
  // There is no switch from `clear` to `searched`, and `next` is the first one beyond.
  struct Known {
    double clear = std::numeric_limits<double>::infinity();  // s
    double searched = clear;                                 // s
    std::optional<double> next = {};                         // s
  };
  // Index of the thresholds between which g is, or of the one that it equals; -1 for an unknown value.
  using Side = std::ptrdiff_t;

  void search(std::size_t i, double from, double to);
  // Finds the first switch in (from, b], which is part of [a, b].
  std::optional<double> find_first(const TimeCondition& condition, double from, double a, double b);
  double find_change(const TimeCondition& condition, double a, double b);
  Side side_of(const TimeCondition& condition, double value) const;
  double calc_value(const TimeCondition& condition, double t);
  TimeRange calc_range_of(const TimeCondition& condition, double from, double to);
  bool set_constants(std::size_t first, std::span<const double> values);

  std::shared_ptr<const TimeConditions> conditions_;
  std::size_t parameters_;
  double t_end_ = 0.0;                              // s
  std::vector<Known> known_;                        // by condition
  std::vector<char> has_variables_;                 // by condition: depends on d
  std::vector<double> values_;                      // by id
  std::vector<TimeRange> ranges_;                   // by id
  std::vector<std::pair<double, double>> pending_;  // intervals to search, the first one last
};

}  // namespace sestina
