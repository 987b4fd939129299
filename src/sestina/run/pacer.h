// Keeps a run at the pace of the wall clock, and tells how well that went.
//
// Instant t of the run is due at (t - t_start) / factor seconds of wall time after the start. Deadlines are
// absolute, so that lateness does not add up and a run that fell behind catches up as it can.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace sestina {

// Lateness: how long after its deadline the wait for a row ended (s).
struct RealTimeReport {
  long deadlines = 0;
  long missed = 0;  // had passed before the row was ready: nothing was left to wait for
  double mean_lateness = 0.0;
  double lateness_99 = 0.0;  // 99 of 100 were not later, to 10 %
  double largest_lateness = 0.0;
};

class Pacer {
 public:
  // `factor`: seconds of the run in a second of wall time; InputError unless it is positive and finite.
  explicit Pacer(double factor);
  // Takes the kernel's leave to wake this thread late (50 us by default on Linux) back to the least.
  void start(double t);
  ~Pacer();
  Pacer(const Pacer&) = delete;
  Pacer& operator=(const Pacer&) = delete;

  // Returns when t is due, or soon after `interrupt` (which may be null) becomes true.
  void wait_until(double t, const std::atomic<bool>* interrupt);

  RealTimeReport report() const;

 private:
  void count(std::int64_t lateness, bool is_missed);

  // Lateness by powers of two in nanoseconds, each divided in eight.
  static constexpr int kParts = 8, kBins = 40 * kParts;

  double factor_;
  double t_start_ = 0.0;
  std::int64_t start_ = 0;  // ns, CLOCK_MONOTONIC
  int former_slack_ = -1;   // ns; -1: nothing was changed
  std::array<long, kBins> bins_{};
  RealTimeReport report_;
};

}  // namespace sestina
