// The data that a driver stores from step to step, besides the memory of the rule.
#pragma once

namespace sestina {

struct StepStatistics {
  long steps = 0;              // accepted
  long rejected = 0;           // rejected for their error, or because they could not be completed
  long evaluations = 0;        // of the accelerations, those for interpolation included
  double smallest_step = 0.0;  // s, accepted; the last one, cut to end at t_end, counts too
  double largest_step = 0.0;   // s

  void count_step(double h) {
    smallest_step = steps == 0 || h < smallest_step ? h : smallest_step;
    largest_step = h > largest_step ? h : largest_step;
    ++steps;
  }
};

struct StepControl {
  double t_start = 0.0;       // s, of the whole run
  double next_step = 0.0;     // s, variable: the length to try next; 0: unknown
  double last_error = 0.0;    // variable: error of the last accepted step, relative to the tolerance
  double error_before = 0.0;  // variable, PID: error of the step before; 0: unknown
  StepStatistics statistics;
};

}  // namespace sestina
