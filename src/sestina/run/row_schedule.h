// The instants of a run's rows, and its end.
#pragma once

#include <vector>

namespace sestina {

// Two rows closer than this fraction of the interval between rows are one.
inline constexpr double kSameRow = 1e-6;

class RowSchedule {
 public:
  // Rows at start + k every, and at the end (all in s). every = 0: only at the start and the end.
  RowSchedule(double start, double end, double every) : start_(start), end_(end), every_(every) {}
  // Rows at rising times from the start to the end, which may or may not include these.
  RowSchedule(double start, double end, std::vector<double> times)
      : start_(start), end_(end), times_(std::move(times)) {}

  double end() const { return end_; }

  struct Stop {
    double t = 0.0;      // s
    bool is_row = true;  // false: the end, without a row
    bool is_last = false;
  };
  // Returns the k-th stop; k = 0 is the start.
  Stop stop(long k) const {
    if (k == 0) return {start_, times_.empty() || times_.front() == start_, start_ == end_};
    if (!times_.empty()) {
      const auto i = static_cast<std::size_t>(times_.front() == start_ ? k : k - 1);
      if (i >= times_.size()) return {end_, false, true};
      return {times_[i], true, times_[i] == end_};
    }
    if (!(every_ > 0.0)) return {end_, true, true};
    const double t = start_ + static_cast<double>(k) * every_;
    if (t >= end_ - kSameRow * every_) return {end_, true, true};
    return {t, true, false};
  }

 private:
  double start_, end_;
  double every_ = 0.0;
  std::vector<double> times_ = {};
};

}  // namespace sestina
