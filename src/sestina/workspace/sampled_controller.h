// A controller that samples the state once in each period, holds its output until the next sample, and may
// act with a delay.
//
//   sample k        at   t_k = t_0 + k period
//   acts from       t_k + delay   to   t_k+1 + delay                                              (1)
//
// t_0 is the start. Until the first sample acts, the output is zero. The memory of the law, and outputs
// that do not act yet, are part of what a simulator saves and restores: a restored run continues bit for
// bit.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "sestina/numerics/state.h"

namespace sestina {

// Computes tau (nu; N m, N), zero before, for the state of a sample. `memory` belongs to the controller,
// which may change it: it must hold all internal state, so that restored states continue identically.
using ControlLaw =
    std::function<void(const State<double>& state, std::span<double> memory, std::span<double> tau)>;

struct SamplingOptions {
  double period = 0.0;  // s between samples
  // Delay between a sample and its effect: whole periods, or a time (s) of any length; only one of them.
  int delay_samples = 0;
  double delay = 0.0;
  std::vector<double> memory = {};  // initial value of the memory
};

class SampledController {
 public:
  // Throws InputError with the name of the option.
  SampledController(ControlLaw law, SamplingOptions options, int nu);

  // The data that change during a run, as a value.
  struct Memory {
    double t_start = 0.0;  // s
    long samples = 0;      // number of samples taken
    long acted = 0;        // number of samples whose output has begun to act
    std::vector<double> own;
    std::vector<double> ring;  // (places x nu) sample k at index k modulo their number
    std::vector<double> tau;   // (nu) the present output
    friend bool operator==(const Memory&, const Memory&) = default;
  };

  // Restarts at t (s), with the memory of the options.
  void start(double t);
  // At state.t: takes the sample that is due, and applies outputs that are due. Throws ComputationError if
  // the output of the law is not finite, and the exceptions of the law.
  void update(const State<double>& state);
  // After update(): the time of the next sample or effect (s), after t.
  double next_change() const;
  // Two such times that differ by less are the same (s).
  double same_time() const { return kSameTime * options_.period; }
  std::span<const double> tau() const { return memory_.tau; }  // (nu) the present output

  const Memory& memory() const { return memory_; }
  // Throws InputError if the memory does not fit a controller with these options.
  void check(const Memory& memory) const;
  void restore(const Memory& memory) { memory_ = memory; }
  const SamplingOptions& options() const { return options_; }

 private:
  static constexpr double kSameTime = 1e-9;  // relative to the period

  double sample_time(long k) const;
  double effect_time(long k) const;
  std::span<double> place(long k);
  void take_sample(const State<double>& state);

  ControlLaw law_;
  SamplingOptions options_;
  std::size_t nu_;
  long whole_ = 0;     // whole periods in the delay
  double rest_ = 0.0;  // s, the rest of the delay, less than a period
  long places_ = 1;    // samples that can wait for their effect, plus the one being taken
  Memory memory_;
};

}  // namespace sestina
