// Checks routines against each other and times them in turn.
#pragma once

#include <string>
#include <vector>

#include "engine.h"

namespace peers {

struct Measurement {
  std::string engine, method;
  double error = 0.0;          // largest relative difference to ours over the states; NaN where not checked
  std::vector<double> rounds;  // s per evaluation
  double median = 0.0, minimum = 0.0;  // s
};

// One mechanism, one kernel.
struct Comparison {
  std::string mechanism;
  int links = 0, nu = 0;
  Kernel kernel{};
  double tolerance = 0.0;  // of the errors
  std::vector<Measurement> measurements;

  // Not so where nothing was there to check with.
  bool is_wrong(const Measurement& m) const { return m.error > tolerance; }
  // Whether at least half of the other engines agree with our routine, or there is none.
  bool is_confirmed() const;
  const Measurement* ours() const;       // the fastest of Sestina
  const Measurement* best_peer() const;  // the fastest of the others
  // Ours over the best peer's, NaN where one is missing: the median over the rounds, and of the minima.
  double ratio() const;
  double ratio_of_minima() const;
};

struct MeasureOptions {
  int rounds = 61;
  double round_seconds = 5e-4;  // of each routine in each round, at least one evaluation
};

// Routines of one kernel, and the engine that is ours. The routines are timed in turn, beginning with another
// one in each round, so that other work on the machine hits all of them.
Comparison compare(const Mechanism& mechanism, Kernel kernel, const std::vector<Routine>& routines,
                   Engine& ours, const States& states, const MeasureOptions& options);

// The times of the routines in turn, without a check: their errors are NaN.
std::vector<Measurement> time_in_turn(const std::vector<Routine>& routines, int num_states,
                                      const MeasureOptions& options);

double median(std::vector<double> values);

}  // namespace peers
