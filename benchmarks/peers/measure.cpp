#include "measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>

namespace peers {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr const char* kOurs = "Sestina";

double seconds_of(const Routine& routine, int first, int count) {
  const auto start = Clock::now();
  routine.evaluate(first, count);
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Largest difference over the largest number of `reference`; infinite where a number is not finite.
double relative_difference(const std::vector<double>& x, const std::vector<double>& reference) {
  if (x.size() != reference.size()) return kInfinity;
  double difference = 0.0, size = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double d = std::abs(x[i] - reference[i]);
    if (!std::isfinite(d)) return kInfinity;
    difference = std::max(difference, d);
    size = std::max(size, std::abs(reference[i]));
  }
  return difference == 0.0 ? 0.0 : difference / size;
}

// Mass matrices of long chains are ill-conditioned (1e10 for 1000 links), so that two solutions with one
// differ; results without a solution agree to round-off. Difference quotients have additional errors.
double tolerance_of(const Mechanism& mechanism, Kernel kernel, bool is_checked_by_slow_result) {
  if (is_checked_by_slow_result) return 1e-5;
  const bool is_solved = of_one_state(kernel) == Kernel::kForwardDynamics || kernel == Kernel::kDerivatives;
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
  if (kernel == Kernel::kDerivatives) return !is_wrong(*ours());  // difference quotients confirm it
  std::map<std::string, bool> peers;  // by name, whether one of its methods agrees
  for (const Measurement& m : measurements) {
    if (m.engine != kOurs) peers[m.engine] = peers[m.engine] || !is_wrong(m);
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
  double best = kInfinity;
  for (const Measurement& m : measurements) {
    if (m.engine != kOurs) best = std::min(best, m.minimum);
  }
  return ours() && best_peer() ? ours()->minimum / best : kNaN;
}

namespace {

// The largest errors of all routines, against the reference or, without one, our slow result.
std::vector<double> calc_errors(const Mechanism& mechanism, Kernel kernel,
                                const std::vector<Routine>& routines, const Routine* reference, Engine& ours,
                                int num_states) {
  // Some evaluations of a peer, and all slow results, take tens of milliseconds.
  const bool is_slow = mechanism.nu > kLargestMatrix || !reference;
  std::vector<double> errors(routines.size(), 0.0);
  for (int k = 0; k < (is_slow ? std::min(4, num_states) : num_states); ++k) {
    const std::vector<double> right = reference ? reference->result(k) : ours.slow_result(kernel, k);
    if (right.empty()) return std::vector<double>(routines.size(), kNaN);
    for (std::size_t i = 0; i < routines.size(); ++i) {
      errors[i] = std::max(errors[i], relative_difference(routines[i].result(k), right));
    }
  }
  return errors;
}

}  // namespace

std::vector<Measurement> time_in_turn(const std::vector<Routine>& routines, int num_states,
                                      const MeasureOptions& options) {
  std::vector<Measurement> measurements;
  for (const Routine& routine : routines) {
    measurements.push_back({routine.engine, routine.method, kNaN, {}, 0.0, 0.0});
  }
  const std::size_t n = routines.size();
  std::vector<int> counts, next(n, 0);
  for (const Routine& routine : routines) {
    counts.push_back(calibrate(routine, num_states, options.round_seconds));
  }
  for (int round = 0; round < options.rounds; ++round) {
    for (std::size_t turn = 0; turn < n; ++turn) {
      const std::size_t i = (turn + static_cast<std::size_t>(round)) % n;
      measurements[i].rounds.push_back(seconds_of(routines[i], next[i], counts[i]) / counts[i]);
      next[i] = (next[i] + counts[i]) % num_states;
    }
  }
  for (Measurement& m : measurements) {
    m.median = median(m.rounds);
    m.minimum = *std::min_element(m.rounds.begin(), m.rounds.end());
  }
  return measurements;
}

Comparison compare(const Mechanism& mechanism, Kernel kernel, const std::vector<Routine>& routines,
                   Engine& ours, const States& states, const MeasureOptions& options) {
  const auto found = std::find_if(routines.begin(), routines.end(),
                                  [](const Routine& routine) { return routine.engine == kOurs; });
  // For derivatives there is at most one peer to compare with: both are checked separately.
  const Routine* reference = found == routines.end() || kernel == Kernel::kDerivatives ? nullptr : &*found;
  Comparison comparison;
  comparison.mechanism = mechanism.name;
  comparison.links = static_cast<int>(mechanism.links.size());
  comparison.nu = mechanism.nu;
  comparison.kernel = kernel;
  comparison.tolerance = tolerance_of(mechanism, kernel, !reference);
  const int num_states = static_cast<int>(states.size());
  const std::vector<double> errors = calc_errors(mechanism, kernel, routines, reference, ours, num_states);
  comparison.measurements = time_in_turn(routines, num_states, options);
  for (std::size_t i = 0; i < routines.size(); ++i) comparison.measurements[i].error = errors[i];
  return comparison;
}

}  // namespace peers
