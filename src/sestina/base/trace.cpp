#include "sestina/base/trace.h"

namespace sestina {
namespace {

constexpr std::array<const char*, kPhases> kNames = {"integrate", "kinematics", "forces", "solve",
                                                     "record",    "checkpoint", "wait"};

}  // namespace

void Trace::start() {
  totals_ = {};
  current_ = Phase::kIntegrate;
  start_ = std::chrono::steady_clock::now();
  since_ = cycles();
}

std::vector<PhaseTime> Trace::times() {
  enter(current_);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  double sum = 0.0;
  for (const Total& total : totals_) sum += static_cast<double>(total.cycles);
  std::vector<PhaseTime> times;
  for (std::size_t i = 0; i < kPhases; ++i) {
    const double cycles_of_phase = static_cast<double>(totals_[i].cycles);
    const bool is_rest = i == static_cast<std::size_t>(Phase::kIntegrate);
    times.push_back(
        {kNames[i], sum > 0.0 ? seconds * cycles_of_phase / sum : 0.0, is_rest ? 0 : totals_[i].entries});
  }
  return times;
}

}  // namespace sestina
