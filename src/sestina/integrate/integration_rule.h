// One step of time integration. A rule computes, from an accepted state, a candidate for the next one and, if
// it can, an estimate of its error. The length of the step and whether a candidate is accepted are decided by
// a driver (step_driver.h), of which a rule is independent.
//
//   start -> { try_step -> (accept | try_step again, shorter) } ...
//
// A rule that chooses_its_steps() controls the error itself, to the tolerances it is given: for such a rule a
// driver may call try_own_step instead of try_step.
//
// Nothing allocates memory after `start`.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sestina/integrate/equations_of_motion.h"
#include "sestina/integrate/error_tolerances.h"

namespace sestina {

enum class StepStatus {
  kComplete,
  kNotFinite,     // a derivative or a coordinate is infinite or NaN
  kNotConverged,  // an implicit relation of the rule was not solved
};

struct StepReport {
  StepStatus status = StepStatus::kComplete;
  int coordinate = -1;  // index through [q, u, x, z] of the value at fault
  bool complete() const { return status == StepStatus::kComplete; }
};

// The message, after its name, for a rule that does not project() on a system with constraints.
inline constexpr const char* kDoesNotProject =
    " does not keep loops closed and constraints: take dormand_prince_54 or another explicit rule";

// The name of the i-th of [q, u, x, z]: "knee.u".
std::string name_of_integrated(const EquationsOfMotion& equations, int i);
// "knee.u does not stay finite"
std::string describe(const StepReport& report, const EquationsOfMotion& equations);

class IntegrationRule {
 public:
  virtual ~IntegrationRule() = default;

  virtual const std::string& name() const = 0;
  virtual int order() const = 0;
  // Order of the solution whose error is estimated: the estimate for one step decreases as h to the power
  // error_order() + 1. Zero for a rule without an estimate.
  virtual int error_order() const = 0;
  // A step that could grow only by up to this factor should keep its length: for rules that store factors of
  // matrices for one step length.
  virtual double keeps_step_up_to() const { return 1.0; }
  // Whether `interpolate` needs no evaluations.
  virtual bool has_dense_output() const = 0;
  // Whether try_own_step is available.
  virtual bool chooses_its_steps() const { return false; }
  // Whether the rule projects its steps, so that loops stay closed and constraints hold.
  virtual bool projects() const { return false; }
  // Whether it evaluates accelerations at states that do not satisfy the constraints, as explicit rules do.
  virtual bool leaves_constraints() const { return false; }
  // Whether it runs systems with contacts (ContactFace).
  virtual bool takes_contacts() const { return false; }
  // Sets the tolerances for a rule that chooses its steps, or that solves implicit equations only as
  // accurately as the steps require; effective from the next start on.
  virtual void set_tolerances(const ErrorTolerances&) {}

  // Allocates all memory. `memory` continues a former run bit for bit: the `previous_memory()` that belongs
  // to `initial`; empty for a new run.
  void start(EquationsOfMotion& equations, const State<double>& initial, std::span<const double> memory = {});

  // Computes `candidate()` and `error()`: a step from `state()` to exactly t_end (before or after).
  StepReport try_step(double t_end);
  // The same with the length that the rule chooses, not beyond t_limit. Throws ComputationError if the rule
  // finds no step.
  StepReport try_own_step(double t_limit);
  // Number of attempts in the last of these calls that the rule itself rejected.
  virtual long rejected() const { return 0; }
  // Makes the candidate of the last try_step, which must be complete, the new `state()`.
  void accept();
  // The state at a time within the last accepted step, from `previous()` to `state()`: by dense output, or by
  // a step of the same rule from `previous()` that does not change the trajectory. Valid only until the next
  // try_step.
  StepReport interpolate(double t, State<double>& out);
  // For a rule that chooses its steps: ends the last accepted step at t, within it, with the state of the
  // dense output there; the rule then restarts. interpolate() remains available before t.
  void cut_step(double t);

  const State<double>& previous() const { return previous_; }  // where the last accepted step began
  const State<double>& state() const { return state_; }        // the last accepted state
  const State<double>& candidate() const { return candidate_; }
  // (nq + nu + nx) candidate minus the exact solution through `state()`, estimated; for q as coordinates,
  // Euler parameters included. All zero if error_order() is zero.
  std::span<const double> error() const { return error_; }
  // The memory of the rule, other than the state, as it was at `previous()`. Empty for most rules.
  virtual std::span<const double> previous_memory() const { return {}; }
  // Whether these numbers, from a file, can be a previous_memory() that belongs to state(). After `start`.
  bool can_remember(std::span<const double> memory) const;

 protected:
  EquationsOfMotion& equations() const { return *equations_; }
  // Computes the rates of [q, u, x, z] at a state.
  void calc_rates(const State<double>& at, std::span<double> rates) const;
  std::span<double> mutable_error() { return error_; }
  // For a rule that cannot integrate x: throws InputError, with the name of the rule, if the system has any.
  void refuse_first_order_states() const;
  // The same for a rule that stores rates of former steps, which a change of history would make invalid.
  void refuse_history() const;
  // Refuses shapes that overlap at the start, or after an event, by more than rounding of the input explains:
  // throws ComputationError.
  void refuse_overlap() const;

 private:
  virtual void do_start(std::span<const double> memory) = 0;
  // Given as many finite numbers as the rule stores: whether they are meaningful to it.
  virtual bool do_can_remember(std::span<const double>) const { return true; }
  // Whether a previous_memory() can have as many numbers; a rule for which that changes overrides this.
  virtual bool can_have_size(std::size_t size) const { return size == previous_memory().size(); }
  virtual StepReport do_step(double t_end, State<double>& candidate) = 0;
  // Sets candidate.t as well.
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

// Throws for a contact whose bodies prescribed motions drive into each other, which no contact force can
// prevent.
[[noreturn]] void throw_driven_contact(const ContactFace& face, int contact, double t);

// The index of the first value that is not finite, or -1.
int first_not_finite(std::span<const double> values);
// Whether `number` is an integer from 0 to `most`.
bool is_count(double number, double most);

}  // namespace sestina
