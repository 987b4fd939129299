// A stopwatch for the phases of a computation, which is in exactly one phase at any instant.
//
//   Trace::Scope scope(trace, Phase::kSolve);   // trace may be null: then this costs a branch
//
// Reading the processor's cycle counter costs 5 to 10 ns; the total of cycles is calibrated against the wall
// clock once, at the end.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace sestina {

enum class Phase {
  kIntegrate,   // everything else: the arithmetic of rule and driver
  kKinematics,  // poses, velocities and joint axes
  kForces,      // the force expressions and elements
  kSolve,       // accelerations by the formulation of choice
  kRecord,      // rows: interpolating, evaluating, writing
  kCheckpoint,
  kWait,  // for the wall clock, in real time
};
inline constexpr int kPhases = 7;

struct PhaseTime {
  std::string name;
  double seconds = 0.0;  // wall time
  long entries = 0;      // how often the phase began; 0 for kIntegrate, the rest
};

class Trace {
 public:
  // Time until the end of the scope counts for the phase. Phases begin only within kIntegrate: the
  // evaluations for a row or a checkpoint count for the row or the checkpoint.
  class Scope {
   public:
    Scope(Trace* trace, Phase phase)
        : trace_(trace != nullptr && trace->current_ == Phase::kIntegrate ? trace : nullptr) {
      if (trace_ != nullptr) trace_->enter(phase);
    }
    ~Scope() {
      if (trace_ != nullptr) trace_->enter(Phase::kIntegrate);
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    // Ends this phase and begins another, for one reading of the counter.
    void next(Phase phase) {
      if (trace_ != nullptr) trace_->enter(phase);
    }

   private:
    Trace* trace_;
  };

  // Sets all times to zero and begins with kIntegrate.
  void start();
  // The times since start(), by phase.
  std::vector<PhaseTime> times();

 private:
  struct Total {
    std::uint64_t cycles = 0;
    long entries = 0;
  };

  static std::uint64_t cycles() {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();  // as __rdtsc() of <x86intrin.h>, a long header
#else
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
  }

  void enter(Phase phase) {
    const std::uint64_t now = cycles();
    totals_[static_cast<std::size_t>(current_)].cycles += now - since_;
    ++totals_[static_cast<std::size_t>(phase)].entries;
    since_ = now;
    current_ = phase;
  }

  Phase current_ = Phase::kIntegrate;
  std::uint64_t since_ = 0;  // cycles, when the current phase began
  std::array<Total, kPhases> totals_{};
  std::chrono::steady_clock::time_point start_;
};

}  // namespace sestina
