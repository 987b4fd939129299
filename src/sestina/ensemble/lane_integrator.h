// Explicit Runge-Kutta rules with a separate run in each lane of SIMD registers.
//
// The runs have models with the same lane signature and use the same rule; everything else belongs to a run:
// the model's numbers, the initial state, time, step length, tolerances and end. One call of step() tries a
// step in every lane. A lane whose step is rejected tries a shorter one the next time, while the others
// continue; a lane whose run has ended or failed is idle until another run starts in it.
//
// A step ends at each instant at which inputs switch (switch_stops.h).
//
// The result of a run does not depend, bit for bit, on its lane, on the other lanes, or on when it started.
// It takes the steps of the drivers of single runs (step_length.h) up to rounding.
//
// Notation as in butcher_tableau.h; an array in lanes holds number i of lane l at [i * lanes + l].
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "sestina/batch/batch_kernel.h"
#include "sestina/ensemble/lane_array.h"
#include "sestina/integrate/butcher_tableau.h"
#include "sestina/integrate/integration_rule.h"
#include "sestina/integrate/step_length.h"

namespace sestina {

// The data of a run that starts in a lane.
struct LaneStart {
  const Properties<double>& properties;
  const State<double>& initial;  // z: the work supplied and the work dissipated
  double t_end = 0.0;            // s, after initial.t
  // The driver's choice of steps and its state: for a variable step the length of the first one.
  std::variant<FixedStepLength, VariableStepLength> length;
  ErrorTolerances tolerances;
  StepControl control;
  TimeSwitches* switches = nullptr;  // for a variable step; must outlive the run
};

class LaneIntegrator {
 public:
  // `model` and `properties` determine the structure of all runs.
  LaneIntegrator(std::shared_ptr<const Model> model, const Properties<double>& properties,
                 ButcherTableau tableau, InstructionSet instruction_set);

  int lanes() const { return lanes_; }
  // Number of integrated variables: q, u, and two works.
  int size() const { return size_; }

  // Starts a run; allocates.
  void start(int lane, const LaneStart& run);
  void stop(int lane) { set_idle(lane); }
  bool is_idle(int lane) const { return !is_set(under_way_, lane); }

  // Tries a step in every lane that is not idle. No allocation. Returns bit l if the run in lane l has taken
  // its step.
  unsigned step();
  // Returns the lanes that became idle in the last step() because their runs cannot continue: the step became
  // too short or a number was not finite. A separate run finds the reason.
  unsigned failed() const { return failed_; }

  double t(int lane) const { return runs_[static_cast<std::size_t>(lane)].t; }  // s
  bool is_done(int lane) const { return t(lane) == runs_[static_cast<std::size_t>(lane)].t_end; }
  const double* states() const { return x_.data(); }  // (size x lanes)
  const StepStatistics& statistics(int lane) const {
    return runs_[static_cast<std::size_t>(lane)].control.statistics;
  }

  // Returns the states (size x lanes) at t (lanes) for the lanes whose bit is set, within their last accepted
  // step, which the last step() took: by dense output, or by a step of the same rule. Lanes in which the
  // latter fails are added to failed() and become idle.
  const double* interpolate(unsigned lanes, const double* t);

  BatchKernel& kernel() { return *kernel_; }
  const double* variables() const { return d_.data(); }  // (nd x lanes) discrete variables

 private:
  struct Run {
    std::variant<FixedStepLength, VariableStepLength> length = FixedStepLength(1.0, 0.0);
    StepControl control;
    double t = 0.0, t_before = 0.0, t_end = 0.0;  // s
    VariableStepLength::Attempt attempt;
    bool is_retry = false;
    SwitchStops stops;
  };

  static bool is_set(unsigned lanes, int lane) { return (lanes >> lane & 1U) != 0; }
  void set_idle(int lane);
  double* stage(int i) { return k_.data() + static_cast<std::ptrdiff_t>(i) * size_ * lanes_; }
  LaneStates states_at(const double* t, const double* x) const;
  void choose_ends();
  void set_stage_times(double c, const double* t);
  void update_first_stage();
  // Computes the state at t_next_ from x and its first stage; adds lanes with infinite or NaN rates to bad_.
  void calc_end(const double* t, const double* x, double* end);
  void calc_errors();
  unsigned judge();
  bool accepts(int lane);
  void interpolate_dense(unsigned lanes, const double* t);
  void interpolate_by_step(unsigned lanes, const double* t);
  void count_evaluations(unsigned lanes, int evaluations);

  std::shared_ptr<const Model> model_;
  ButcherTableau tableau_;
  std::vector<double> error_weights_;  // b - b^
  std::unique_ptr<BatchKernel> kernel_;
  int lanes_, nq_, size_;
  bool has_rotations_;
  std::vector<Run> runs_;

  unsigned under_way_ = 0;
  unsigned failed_ = 0;
  unsigned accepted_ = 0;  // in the last step
  unsigned starting_ = 0;  // their first stage is not known
  unsigned bad_ = 0;       // not finite in this attempt
  bool has_bump_ = false;  // of the last step

  LaneArray t_, t_next_, h_, t_stage_, ones_;   // (lanes)
  LaneArray rtol_, atol_, ratio_;               // (lanes)
  LaneArray d_;                                 // (nd x lanes)
  LaneArray x_, before_, candidate_, stage_x_;  // (size x lanes)
  LaneArray error_, bump_, between_;            // (size x lanes)
  LaneArray k_;                                 // (stages x size x lanes)
};

}  // namespace sestina
