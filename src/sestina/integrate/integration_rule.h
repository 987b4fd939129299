// One step of time integration. A rule turns an accepted state into a candidate for the next one and,
// where it can, says how far off the candidate is. How long a step is and whether a candidate is accepted
// are the affair of a driver (step_driver.h), of which a rule knows nothing.
//
//   start -> { try_step -> (accept | try_step again, shorter) } ...
//
// A rule that chooses_its_steps() controls the error by itself, to the tolerances it is given: for it a
// driver may call try_own_step in the place of try_step.
//
// After `start` nothing allocates memory.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sestina/integrate/equations_of_motion.h"
#include "sestina/integrate/error_tolerances.h"

namespace sestina {

enum class StepStatus {
  kComplete,
  kNotFinite,     // a derivative or a coordinate overflowed or is not a number
  kNotConverged,  // an implicit relation of the rule was not solved
};

struct StepReport {
  StepStatus status = StepStatus::kComplete;
  int coordinate = -1;  // the one at fault, counted through [q, u, x, z]
  bool complete() const { return status == StepStatus::kComplete; }
};

// What is wrong with a rule that does not project(), after its name, for a system with constraints.
inline constexpr const char* kDoesNotProject =
    " does not keep loops closed and constraints: take dormand_prince_54 or another explicit rule";

// Of the i-th of [q, u, x, z]: "knee.u".
std::string name_of_integrated(const EquationsOfMotion& equations, int i);
// "knee.u does not stay finite"
std::string describe(const StepReport& report, const EquationsOfMotion& equations);

class IntegrationRule {
 public:
  virtual ~IntegrationRule() = default;

  virtual const std::string& name() const = 0;
  virtual int order() const = 0;
  // Order of the solution whose error is estimated: the estimate of one step shrinks with h to the power
  // error_order() + 1. Zero for a rule without an estimate.
  virtual int error_order() const = 0;
  // A step that may grow by no more than this factor had better stay as long as it is: for rules that keep
  // factors of matrices for steps of one length.
  virtual double keeps_step_up_to() const { return 1.0; }
  // Whether `interpolate` costs no evaluations.
  virtual bool has_dense_output() const = 0;
  // Whether try_own_step is on offer.
  virtual bool chooses_its_steps() const { return false; }
  // Whether it projects its steps, so that loops stay closed and constraints hold.
  virtual bool projects() const { return false; }
  // For a rule that chooses its steps, or that solves implicit equations no better than the steps need; from
  // the next start on.
  virtual void set_tolerances(const ErrorTolerances&) {}

  // Allocates everything. `memory` continues a former run bit for bit: the `previous_memory()` that belongs
  // to `initial`; empty for a new run.
  void start(EquationsOfMotion& equations, const State<double>& initial, std::span<const double> memory = {});

  // Makes `candidate()` and `error()`: a step from `state()` that ends at exactly t_end (before or after).
  StepReport try_step(double t_end);
  // The same as long as the rule finds right, but not beyond t_limit. Throws ComputationError where the rule
  // finds no step.
  StepReport try_own_step(double t_limit);
  // Attempts within the last of these that the rule itself rejected.
  virtual long rejected() const { return 0; }
  // The candidate of the last try_step, which must be complete, becomes `state()`.
  void accept();
  // The state at a time within the last accepted step, from `previous()` to `state()`: by dense output, or
  // by a step of the same rule from `previous()` that leaves the trajectory as it is. Only until the next
  // try_step.
  StepReport interpolate(double t, State<double>& out);
  // For a rule that chooses its steps: the last accepted step ends at t, within it, with the state that dense
  // output tells there; the next one begins anew. interpolate() still tells of what is before t.
  void cut_step(double t);

  const State<double>& previous() const { return previous_; }  // where the last accepted step began
  const State<double>& state() const { return state_; }        // the last accepted state
  const State<double>& candidate() const { return candidate_; }
  // (nq + nu + nx) candidate minus the exact solution through `state()`, estimated; for q in its own
  // coordinates, Euler parameters included. All zero where error_order() is zero.
  std::span<const double> error() const { return error_; }
  // What the rule carries along besides the state, as it was at `previous()`. Empty for most rules.
  virtual std::span<const double> previous_memory() const { return {}; }
  // Whether these numbers, from outside, can be a previous_memory() that belongs to state(). After `start`.
  bool can_remember(std::span<const double> memory) const;

 protected:
  EquationsOfMotion& equations() const { return *equations_; }
  // The rates of [q, u, x, z] at a state.
  void calc_rates(const State<double>& at, std::span<double> rates) const;
  std::span<double> mutable_error() { return error_; }
  // For a rule that can integrate no x: throws InputError, by name, where there is any.
  void refuse_first_order_states() const;
  // For a rule that remembers rates of former steps, which history may have changed since: likewise.
  void refuse_history() const;

 private:
  virtual void do_start(std::span<const double> memory) = 0;
  // Of as many finite numbers as the rule remembers: whether they mean something to it.
  virtual bool do_can_remember(std::span<const double>) const { return true; }
  virtual StepReport do_step(double t_end, State<double>& candidate) = 0;
  // Sets candidate.t, too.
  virtual StepReport do_own_step(double, State<double>&) { return {StepStatus::kNotConverged, 0}; }
  virtual void do_accept() = 0;
  virtual void do_cut_step() {}  // state() has changed
  // previous().t < t < state().t
  virtual StepReport do_interpolate(double t, State<double>& out) = 0;

  StepReport check_candidate(const StepReport& report) const;

  EquationsOfMotion* equations_ = nullptr;
  State<double> previous_;
  State<double> state_;
  State<double> candidate_;
  std::vector<double> error_;
};

// The position of the first value that is not finite, or -1.
int first_not_finite(std::span<const double> values);
// Whether it is a whole number from 0 to `most`.
bool is_count(double number, double most);

}  // namespace sestina
