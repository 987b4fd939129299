// The lengths of the steps of a run, for a driver or for the lanes of many runs at once.
#pragma once

#include "sestina/integrate/error_tolerances.h"
#include "sestina/integrate/step_control.h"
#include "sestina/integrate/switch_stops.h"

namespace sestina {

// Step k ends at t_start + k dt, or, with `land_every`, at equal parts of its intervals.
class FixedStepLength {
 public:
  FixedStepLength(double dt, double land_every) : dt_(dt), land_every_(land_every) {}

  // The end of the step that begins at t.
  double calc_step_end(double t_start, double t, double t_end) const;

 private:
  double dt_, land_every_;  // s
};

// The length follows from the estimated errors of the steps before by the formulas of variable_step_driver.h.
class VariableStepLength {
 public:
  enum class Control { kPI, kPID };

  // `error_order` is that of the rule; t_start and t_end in s.
  VariableStepLength(const ErrorTolerances& tolerances, Control control, double land_every)
      : tolerances_(tolerances), kind_(control), land_every_(land_every) {}
  void start(int error_order, double t_start, double t_end);

  // One step, from its first attempt to the one that is accepted.
  struct Attempt {
    double t = 0.0, t_next = 0.0;  // s, where it begins and ends
    double stop = 0.0;             // s, the latest end of the step
    double wanted = 0.0;           // s, the length that the error permits
    double h = 0.0;                // s, length of this attempt
    bool is_first = true;
  };
  Attempt begin_step(double t, const StepControl& control, SwitchStops& switches) const;
  // The attempt had this error, relative to the tolerance, which is at most 1.
  // `keep_up_to`: IntegrationRule::keeps_step_up_to().
  void accept(const Attempt& attempt, double error, StepControl& control, double keep_up_to = 1.0) const;
  // The error was larger than 1, or infinite: makes the attempt a shorter one. Returns false if that is too
  // short to advance the time.
  bool shorten(Attempt& attempt, double error, StepControl& control) const;

  // The value of last_error before the first step.
  double initial_error() const;
  // The latest end of a step from t that is not longer than `longest`: at a switch, at a time where steps
  // land, or at the end of the run.
  double calc_next_stop(double t, double longest, SwitchStops& switches) const;
  // Sixteen spacings of t, or, near t = 0, of a millionth of the run.
  double smallest_step(double t) const;

 private:
  void set_end(Attempt& attempt) const;
  double calc_landing(double t) const;
  double calc_factor(double error, const StepControl& control) const;
  double alpha() const;  // exponent of the PI controller, also for rejected steps
  double beta() const;

  ErrorTolerances tolerances_;
  Control kind_;
  double land_every_;  // s
  int error_order_ = 0;
  double t_start_ = 0.0, t_end_ = 0.0;  // s
};

}  // namespace sestina
