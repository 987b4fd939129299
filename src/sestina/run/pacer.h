// Keeps a run at the pace of the wall clock and reports how well it does.
//
// Instant t of the run is due at (t - t_start) / factor seconds of wall time after the start. Deadlines are
// absolute, so that delays do not accumulate and a run that is late catches up if it can.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace sestina {

// Lateness: time (s) from the deadline to the end of the wait for a row.
struct RealTimeReport {
  long deadlines = 0;
  long missed = 0;  // had passed before the row was ready
  double mean_lateness = 0.0;
  double lateness_99 = 0.0;  // 99 of 100 rows were not later, to 10 %
  double largest_lateness = 0.0;
};

class Pacer {
 public:
  // `factor`: seconds of the run per second of wall time; throws InputError unless positive and finite.
  explicit Pacer(double factor);
  // Reduces the delay that the kernel allows for waking this thread (50 us by default on Linux).
  void start(double t);
  ~Pacer();
  Pacer(const Pacer&) = delete;
  Pacer& operator=(const Pacer&) = delete;

  // Returns when t is due, or soon after `interrupt` (which may be null) becomes true.
  void wait_until(double t, const std::atomic<bool>* interrupt);

  RealTimeReport report() const;

 private:
  void count(std::int64_t lateness, bool is_missed);

  // Counts lateness by powers of two in nanoseconds, each divided into eight.
  static constexpr int kParts = 8, kBins = 40 * kParts;

  double factor_;
  double t_start_ = 0.0;
  std::int64_t start_ = 0;  // ns, CLOCK_MONOTONIC
  int former_slack_ = -1;   // ns; -1: not changed
  std::array<long, kBins> bins_{};
  RealTimeReport report_;
};

}  // namespace sestina
