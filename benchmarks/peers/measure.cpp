#include "measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>

namespace peers {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr const char* kOurs = "Sestina";

double seconds_of(const Routine& routine, int first, int count) {
  const auto start = Clock::now();
  routine.evaluate(first, count);
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Largest difference over the largest number of `reference`.
double relative_difference(const std::vector<double>& x, const std::vector<double>& reference) {
  double difference = x.size() == reference.size() ? 0.0 : kNaN, size = 0.0;
  for (std::size_t i = 0; i < std::min(x.size(), reference.size()); ++i) {
    const double d = std::abs(x[i] - reference[i]);
    if (!(d <= difference)) difference = d;  // a NaN too
    size = std::max(size, std::abs(reference[i]));
  }
  return difference / size;
}

// Mass matrices of long chains are ill-conditioned (1e10 for 1000 links), so that two ways to solve with one
// differ; what needs no solution agrees to round-off.
double tolerance_of(const Mechanism& mechanism, Kernel kernel) {
  const bool is_solved = kernel == Kernel::kForwardDynamics || kernel == Kernel::kDerivatives;
  if (!is_solved) return 1e-10;
  return mechanism.nu > kLargestMatrix ? 1e-5 : 1e-8;
}

// How many evaluations a round takes: whole turns through the states where they are short.
int calibrate(const Routine& routine, int num_states, double round_seconds) {
  const double one = std::max(seconds_of(routine, 0, 1), 1e-9);
  if (one * num_states > round_seconds) return std::max(1, static_cast<int>(round_seconds / one));
  const double turn = std::max(seconds_of(routine, 0, num_states), 1e-9);
  return num_states * std::max(1, static_cast<int>(round_seconds / turn));
}

}  // namespace

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

bool Comparison::is_confirmed() const {
  if (!ours()) return true;
  std::map<std::string, bool> peers;  // by name, whether one of its methods agrees
  for (const Measurement& m : measurements) {
    if (m.engine != kOurs) peers[m.engine] = peers[m.engine] || agrees(m);
  }
  const auto agreeing = std::count_if(peers.begin(), peers.end(), [](const auto& p) { return p.second; });
  return 2 * static_cast<std::size_t>(agreeing) >= peers.size();
}

const Measurement* Comparison::ours() const {
  const Measurement* best = nullptr;
  for (const Measurement& m : measurements) {
    if (m.engine == kOurs && (!best || m.median < best->median)) best = &m;
  }
  return best;
}

const Measurement* Comparison::best_peer() const {
  const Measurement* best = nullptr;
  for (const Measurement& m : measurements) {
    if (m.engine != kOurs && (!best || m.median < best->median)) best = &m;
  }
  return best;
}

double Comparison::ratio() const {
  if (!ours() || !best_peer()) return kNaN;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < ours()->rounds.size(); ++i) {
    ratios.push_back(ours()->rounds[i] / best_peer()->rounds[i]);
  }
  return median(ratios);
}

double Comparison::ratio_of_minima() const {
  double best = std::numeric_limits<double>::infinity();
  for (const Measurement& m : measurements) {
    if (m.engine != kOurs) best = std::min(best, m.minimum);
  }
  return ours() && best_peer() ? ours()->minimum / best : kNaN;
}

Comparison compare(const Mechanism& mechanism, Kernel kernel, const std::vector<Routine>& routines,
                   const States& states, const MeasureOptions& options) {
  Comparison comparison{mechanism.name, static_cast<int>(mechanism.links.size()), mechanism.nu,
                        kernel,         tolerance_of(mechanism, kernel),          {}};
  const auto reference = std::find_if(routines.begin(), routines.end(),
                                      [](const Routine& routine) { return routine.engine == kOurs; });
  const int num_states = static_cast<int>(states.size());
  // Some evaluations of a peer take tens of milliseconds.
  const int num_checked = mechanism.nu > kLargestMatrix ? std::min(4, num_states) : num_states;
  std::vector<int> counts, next(routines.size(), 0);
  for (const Routine& routine : routines) {
    Measurement measurement{
        routine.engine, routine.method, reference == routines.end() ? kNaN : 0.0, {}, 0, 0};
    for (int k = 0; k < num_checked && reference != routines.end(); ++k) {
      const double error = relative_difference(routine.result(k), reference->result(k));
      if (!(error <= measurement.error)) measurement.error = error;
    }
    comparison.measurements.push_back(measurement);
    counts.push_back(calibrate(routine, num_states, options.round_seconds));
  }
  const std::size_t n = routines.size();
  for (int round = 0; round < options.rounds; ++round) {
    for (std::size_t turn = 0; turn < n; ++turn) {
      const std::size_t i = (turn + static_cast<std::size_t>(round)) % n;
      comparison.measurements[i].rounds.push_back(seconds_of(routines[i], next[i], counts[i]) / counts[i]);
      next[i] = (next[i] + counts[i]) % num_states;
    }
  }
  for (Measurement& m : comparison.measurements) {
    m.median = median(m.rounds);
    m.minimum = *std::min_element(m.rounds.begin(), m.rounds.end());
  }
  return comparison;
}

}  // namespace peers
