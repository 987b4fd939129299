// A controller that looks at the state once in each period, holds what it says until it says something else,
// and may be slow to act.
//
//   sample k        at   t_k = t_0 + k period
//   acts from       t_k + delay   to   t_k+1 + delay                                              (1)
//
// t_0 is where it starts. Until its first sample acts it drives with nothing. What it remembers, and what it
// has said that does not act yet, is part of what a simulator saves and restores: continued there, it goes on
// bit for bit.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "sestina/numerics/state.h"

namespace sestina {

// Fills tau (nu; N m, N), zero before, for the state of a sample. `memory` is the controller's own, which it
// may change: whatever it remembers has to be there if saved states are to go on alike.
using ControlLaw =
    std::function<void(const State<double>& state, std::span<double> memory, std::span<double> tau)>;

struct SamplingOptions {
  double period = 0.0;  // s between samples
  // What lies between a sample and its effect: whole periods, or a time (s) of any length. One of the two.
  int delay_samples = 0;
  double delay = 0.0;
  std::vector<double> memory = {};  // as it is at the start
};

class SampledController {
 public:
  // Throws InputError, which names the option.
  SampledController(ControlLaw law, SamplingOptions options, int nu);

  // What changes as it runs: a value.
  struct Memory {
    double t_start = 0.0;  // s
    long samples = 0;      // taken
    long acted = 0;        // samples that have begun to act
    std::vector<double> own;
    std::vector<double> ring;  // (places x nu) sample k at place k modulo their number
    std::vector<double> tau;   // (nu) what acts
    friend bool operator==(const Memory&, const Memory&) = default;
  };

  // Begins anew at t (s), with the memory of the options.
  void start(double t);
  // At state.t: takes the sample that is due, and lets what is due act. Throws ComputationError where what
  // the law says is not finite, and what the law throws.
  void update(const State<double>& state);
  // After update(): the instant of the next sample or effect (s), after t.
  double next_change() const;
  // How near to such an instant another one is the same (s).
  double same_time() const { return kSameTime * options_.period; }
  std::span<const double> tau() const { return memory_.tau; }  // (nu) what acts, from now on

  const Memory& memory() const { return memory_; }
  // Throws InputError where the memory is not one of a controller with these options.
  void check(const Memory& memory) const;
  void restore(const Memory& memory) { memory_ = memory; }
  const SamplingOptions& options() const { return options_; }

 private:
  static constexpr double kSameTime = 1e-9;  // of the period

  double sample_time(long k) const;
  double effect_time(long k) const;
  std::span<double> place(long k);
  void take_sample(const State<double>& state);

  ControlLaw law_;
  SamplingOptions options_;
  std::size_t nu_;
  long whole_ = 0;     // the delay: whole periods, and
  double rest_ = 0.0;  // s, less than a period
  long places_ = 1;    // samples that can be under way, and the one that is taken
  Memory memory_;
};

}  // namespace sestina
