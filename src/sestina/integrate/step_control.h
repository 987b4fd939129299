// What a driver carries from step to step, besides the rule's own.
#pragma once

namespace sestina {

struct StepStatistics {
  long steps = 0;              // accepted
  long rejected = 0;           // for their error, or because they could not be completed
  long evaluations = 0;        // of the accelerations, those of the instants in between included
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
  double next_step = 0.0;     // s, variable: the length to try next; 0: not known yet
  double last_error = 0.0;    // variable: of the last accepted step, relative to the tolerance
  double error_before = 0.0;  // variable, PID: of the one before; 0: not known
  StepStatistics statistics;
};

}  // namespace sestina
