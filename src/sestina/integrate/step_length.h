// How long the steps of a run are, apart from who takes them: a driver, or the lanes of many runs at once.
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

// By the estimated errors of the steps before: see variable_step_driver.h, which states the formulas.
class VariableStepLength {
 public:
  enum class Control { kPI, kPID };

  // `error_order` of the rule, and the span of the run (s).
  VariableStepLength(const ErrorTolerances& tolerances, Control control, double land_every)
      : tolerances_(tolerances), kind_(control), land_every_(land_every) {}
  void start(int error_order, double t_start, double t_end);

  // One step, from its first attempt to the one that is accepted.
  struct Attempt {
    double t = 0.0, t_next = 0.0;  // s, where it begins and ends
    double stop = 0.0;             // s, where it has to end at the latest
    double wanted = 0.0;           // s, the length that the error permits
    double h = 0.0;                // s, this attempt's
    bool is_first = true;
  };
  Attempt begin_step(double t, const StepControl& control, SwitchStops& switches) const;
  // The attempt had this error, relative to the tolerance, and that is no more than 1.
  // `keep_up_to`: IntegrationRule::keeps_step_up_to().
  void accept(const Attempt& attempt, double error, StepControl& control, double keep_up_to = 1.0) const;
  // It was more, or infinite: the attempt becomes a shorter one. False where that is too short to advance
  // the time.
  bool shorten(Attempt& attempt, double error, StepControl& control) const;

  // What last_error is before the first step.
  double initial_error() const;
  // Where a step from t has to end at the latest, as long as it is not longer than `longest`: at a switch, at
  // an instant where steps land, or at the end of the run.
  double calc_next_stop(double t, double longest, SwitchStops& switches) const;
  // Sixteen spacings of t; near t = 0, of a millionth of the run.
  double smallest_step(double t) const;

 private:
  void set_end(Attempt& attempt) const;
  double calc_landing(double t) const;
  double calc_factor(double error, const StepControl& control) const;
  double alpha() const;  // of the PI controller; a rejected step shrinks with the same
  double beta() const;

  ErrorTolerances tolerances_;
  Control kind_;
  double land_every_;  // s
  int error_order_ = 0;
  double t_start_ = 0.0, t_end_ = 0.0;  // s
};

}  // namespace sestina
