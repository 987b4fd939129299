#include "sestina/run/pacer.h"

#include <fmt/format.h>
#include <time.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <algorithm>
#include <cmath>

#include "sestina/base/error.h"

namespace sestina {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;       // ns
constexpr std::int64_t kLongestSleep = kSecond / 10;  // the longest delay of an interrupt

std::int64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * kSecond + time.tv_nsec;
}

void sleep_until(std::int64_t instant) {
  const timespec time{instant / kSecond, instant % kSecond};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr);
}

}  // namespace

Pacer::Pacer(double factor) : factor_(factor) {
  if (!(factor > 0.0) || !std::isfinite(factor)) {
    throw InputError(
        fmt::format("a run cannot go at {} times real time: the factor is positive, 1 is real time", factor));
  }
}

void Pacer::start(double t) {
  t_start_ = t;
#ifdef __linux__
  former_slack_ = prctl(PR_GET_TIMERSLACK);
  if (former_slack_ >= 0) prctl(PR_SET_TIMERSLACK, 1UL);
#endif
  start_ = now();
}

Pacer::~Pacer() {
#ifdef __linux__
  if (former_slack_ >= 0) prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(former_slack_));
#endif
}

void Pacer::wait_until(double t, const std::atomic<bool>* interrupt) {
  const double wait = (t - t_start_) / factor_ * static_cast<double>(kSecond);
  // Limits the wait to three hundred years.
  const std::int64_t deadline = start_ + std::llround(std::min(wait, 9e18));
  std::int64_t time = now();
  const bool is_missed = time > deadline;
  while (time < deadline) {
    if (interrupt != nullptr && interrupt->load(std::memory_order_relaxed)) return;
    sleep_until(std::min(deadline, time + kLongestSleep));
    time = now();
  }
  count(time - deadline, is_missed);
}

void Pacer::count(std::int64_t lateness, bool is_missed) {
  const double ns = static_cast<double>(std::max<std::int64_t>(lateness, 1));
  const int bin = static_cast<int>(kParts * std::log2(ns));
  ++bins_[static_cast<std::size_t>(std::min(bin, kBins - 1))];
  ++report_.deadlines;
  if (is_missed) ++report_.missed;
  const double seconds = ns / static_cast<double>(kSecond);
  report_.mean_lateness += (seconds - report_.mean_lateness) / static_cast<double>(report_.deadlines);
  report_.largest_lateness = std::max(report_.largest_lateness, seconds);
}

RealTimeReport Pacer::report() const {
  RealTimeReport report = report_;
  long rest = report.deadlines - report.deadlines / 100;
  for (int bin = 0; bin < kBins && rest > 0; ++bin) {
    rest -= bins_[static_cast<std::size_t>(bin)];
    const double upper = std::exp2(static_cast<double>(bin + 1) / kParts) / static_cast<double>(kSecond);
    report.lateness_99 = std::min(upper, report.largest_lateness);
  }
  return report;
}

}  // namespace sestina
