// Time stepping with an integration rule: chooses the length of a step, decides whether it is accepted, and
// gives the state at times in between. The only properties of a rule that a driver uses are its orders.
//
// Steps of variable length end at the times at which forces switch (EquationsOfMotion::time_switches). If the
// forces may jump there, the rule restarts.
//
// A run is a sequence of accepted steps that depends only on the rule, the equations, the initial state, the
// options and t_end: the times that are passed to advance_to are interpolated and do not change the steps,
// bit for bit.
#pragma once

#include <memory>
#include <vector>

#include "sestina/integrate/integration_rule.h"
#include "sestina/integrate/step_control.h"
#include "sestina/integrate/switch_stops.h"

namespace sestina {

// A run at the beginning of its last accepted step. A resumed run repeats this step and continues bit for
// bit, and it can still interpolate within this step.
struct StepCheckpoint {
  State<double> state;
  std::vector<double> rule_memory;
  StepControl control;
};

class StepDriver {
 public:
  StepDriver();
  virtual ~StepDriver();
  StepDriver(const StepDriver&) = delete;
  StepDriver& operator=(const StepDriver&) = delete;

  // Only for rules that choose their steps and, if the errors of steps are controlled, for rules that solve
  // implicit equations.
  void set_tolerances(const ErrorTolerances& tolerances) { tolerances_ = tolerances; }
  // Throws InputError if rule, options and times (s) do not fit together. `start` and `resume` check this
  // too; this function allows to check before any file is written.
  void check(const IntegrationRule& rule, double t_start, double t_end) const;
  // Begins a run. The rule and the equations must outlive it. All memory is allocated here.
  void start(IntegrationRule& rule, EquationsOfMotion& equations, const State<double>& initial, double t_end);
  void resume(IntegrationRule& rule, EquationsOfMotion& equations, const StepCheckpoint& checkpoint,
              double t_end);
  // After `start`: begins a run of the same rule and equations from this state, at any time, to another end.
  // The rule restarts. Steps of variable length begin with the length that was proposed last; statistics
  // continue. Allocates no memory.
  void start_again(const State<double>& from, double t_end);
  // For consecutive runs: sets the known step lengths and the statistics.
  void set_step_control(const StepControl& control) { control_ = control_before_step_ = control; }

  // Returns the state at exactly t, which must be between the beginning of the last accepted step and t_end;
  // takes as many steps as needed. The reference is valid until the next call. Throws ComputationError; then
  // state() is the last accepted state.
  const State<double>& advance_to(double t);
  // Takes one step of any length and returns the state at its end. Not after done().
  const State<double>& step();

  // For events within the last accepted step, which began at step_begin(): try_end takes the step back (the
  // first time) and returns the state of a step that ends at t, with the full accuracy of the rule;
  // end_step_at accepts that step and must follow. Both throw ComputationError. The length to try next
  // remains what the whole step proposed. For a rule that chooses its steps, both return dense output.
  double step_begin() const { return earliest_; }
  const State<double>& try_end(double t);
  const State<double>& end_step_at(double t);
  // Continues from another state at the same time. The rule discards its memory of former steps.
  void restart(const State<double>& state);
  bool has_dense_output() const { return rule_->has_dense_output(); }
  // Whether the solution within a step is dense output, in which coordinates and speeds are consistent only
  // to the tolerances.
  bool is_solution_interpolated() const { return rule_->chooses_its_steps(); }

  bool done() const { return state().t == t_end_; }
  const State<double>& state() const { return rule_->state(); }  // the last accepted
  double t_end() const { return t_end_; }                        // s
  const StepStatistics& statistics() const { return control_.statistics; }
  const StepControl& step_control() const { return control_; }
  StepCheckpoint checkpoint() const;
  // The time at which forces were evaluated for the time t of the last accepted step: not t at a jump.
  double evaluation_time(double t) const { return switch_stops_.keep_within(t); }

 protected:
  // For the drivers: the rule, the equations (which count their evaluations) and the stored control data.
  IntegrationRule& rule() const { return *rule_; }
  EquationsOfMotion& equations() const;
  StepControl& control() { return control_; }
  const StepControl& control() const { return control_; }
  void accept_step();  // the rule's candidate
  SwitchStops& switch_stops() { return switch_stops_; }

 private:
  class CountedEquations;

  void take_back_statistics();
  void count_step();  // the last one

  virtual void check_fit(const IntegrationRule& rule, double t_start, double t_end) const = 0;
  virtual void do_start() = 0;
  virtual void do_step() = 0;  // accepts one step
  virtual bool ends_steps_at_switches() const { return false; }
  virtual bool controls_errors() const { return false; }
  TimeSwitches* switches() const;
  void begin_anew(const State<double>& from);
  void begin(IntegrationRule& rule, EquationsOfMotion& equations, const State<double>& from,
             std::span<const double> memory, double t_end);
  void begin_steps(const State<double>& from);

  IntegrationRule* rule_ = nullptr;
  std::unique_ptr<CountedEquations> equations_;
  double t_end_ = 0.0;
  ErrorTolerances tolerances_;
  StepControl control_;
  StepControl control_before_step_;
  SwitchStops switch_stops_;
  double earliest_ = 0.0;  // s, the earliest time for advance_to
  bool is_taken_back_ = false;
  State<double> between_;  // what advance_to returns
  State<double> begin_;    // beginning of the step that is taken back, and the rule's memory there
  std::vector<double> begin_memory_;
};

}  // namespace sestina
