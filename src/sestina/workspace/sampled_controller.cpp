#include "sestina/workspace/sampled_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sestina/base/error.h"
#include "sestina/integrate/integration_rule.h"

namespace sestina {
namespace {

constexpr double kMostPlaces = 1e6;  // samples that have not acted yet

void check_options(const SamplingOptions& options) {
  FaultList faults;
  if (!(options.period > 0.0) || !std::isfinite(options.period)) {
    faults.add({{}, "period"},
               fmt::format("{} s is not a period: allowed is a positive number", options.period));
  }
  if (options.delay_samples < 0) {
    faults.add({{}, "delay_samples"}, fmt::format("{} is negative", options.delay_samples));
  }
  if (!(options.delay >= 0.0) || !std::isfinite(options.delay)) {
    faults.add({{}, "delay"},
               fmt::format("{} s is not a delay: allowed is a number from zero", options.delay));
  } else if (options.delay > 0.0 && options.delay_samples > 0) {
    faults.add({{}, "delay"},
               fmt::format("{} s is given together with delay_samples = {}: only one of the two is allowed",
                           options.delay, options.delay_samples));
  } else if (options.delay > kMostPlaces * options.period || options.delay_samples > kMostPlaces) {
    faults.add({{}, "delay"}, fmt::format("a delay is at most {:.0f} periods", kMostPlaces));
  }
  if (const int bad = first_not_finite(options.memory); bad >= 0) {
    faults.add({{}, fmt::format("memory[{}]", bad)},
               fmt::format("{} is not finite", options.memory[static_cast<std::size_t>(bad)]));
  }
  faults.throw_if_any();
}

}  // namespace

SampledController::SampledController(ControlLaw law, SamplingOptions options, int nu)
    : law_(std::move(law)), options_(std::move(options)), nu_(static_cast<std::size_t>(nu)) {
  check_options(options_);
  if (options_.delay > 0.0) {
    const double periods = options_.delay / options_.period;
    whole_ = std::lround(std::floor(periods + kSameTime));
    rest_ = std::max(0.0, options_.delay - static_cast<double>(whole_) * options_.period);
    if (rest_ <= same_time()) rest_ = 0.0;  // effects coincide with samples, to the bit
  } else {
    whole_ = options_.delay_samples;
  }
  places_ = whole_ + 2;
  start(0.0);
}

void SampledController::start(double t) {
  memory_.t_start = t;
  memory_.samples = memory_.acted = 0;
  memory_.own = options_.memory;
  memory_.ring.assign(static_cast<std::size_t>(places_) * nu_, 0.0);
  memory_.tau.assign(nu_, 0.0);
}

double SampledController::sample_time(long k) const {
  return memory_.t_start + static_cast<double>(k) * options_.period;
}

double SampledController::effect_time(long k) const { return sample_time(k + whole_) + rest_; }  // (1)

double SampledController::next_change() const {
  const double sample = sample_time(memory_.samples);
  return memory_.acted < memory_.samples ? std::min(sample, effect_time(memory_.acted)) : sample;
}

std::span<double> SampledController::place(long k) {
  return std::span(memory_.ring).subspan(static_cast<std::size_t>(k % places_) * nu_, nu_);
}

void SampledController::update(const State<double>& state) {
  const double now = state.t + same_time();
  // A simulator ends its steps at these times, so that no sample is late by more than a rounding.
  if (sample_time(memory_.samples) <= now) take_sample(state);
  while (memory_.acted < memory_.samples && effect_time(memory_.acted) <= now) {
    std::ranges::copy(place(memory_.acted), memory_.tau.begin());
    ++memory_.acted;
  }
}

void SampledController::take_sample(const State<double>& state) {
  const std::span<double> tau = place(memory_.samples);
  std::ranges::fill(tau, 0.0);
  law_(state, memory_.own, tau);
  if (const int bad = first_not_finite(tau); bad >= 0) {
    throw ComputationError(
        state.t, fmt::format("tau[{}] of the controller is {}", bad, tau[static_cast<std::size_t>(bad)]));
  }
  ++memory_.samples;
}

void SampledController::check(const Memory& memory) const {
  const auto fits = [](const std::vector<double>& given, const std::vector<double>& own) {
    return given.size() == own.size();
  };
  if (fits(memory.own, memory_.own) && fits(memory.ring, memory_.ring) && fits(memory.tau, memory_.tau) &&
      memory.samples >= memory.acted && memory.acted >= 0) {
    return;
  }
  throw InputError(
      "the saved state belongs to another controller: its memory, its delay, or its model differs");
}

}  // namespace sestina
