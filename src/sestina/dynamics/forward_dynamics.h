// udot = a(t, q, u) of a whole model, by the formulation of choice: what the integrators and the apps use.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "sestina/base/trace.h"
#include "sestina/dynamics/constrained_dynamics.h"
#include "sestina/dynamics/energy.h"
#include "sestina/dynamics/inverse_dynamics.h"
#include "sestina/dynamics/solve_report.h"
#include "sestina/model/properties.h"
#include "sestina/model/tape_inputs.h"
#include "sestina/parallel/executor.h"

namespace sestina {

// One way of solving the equations of motion, for plain numbers.
class MultibodySolver {
 public:
  virtual ~MultibodySolver() = default;
  // Serial, unless the solver has a way of its own.
  virtual void update_kinematics(const Properties<double>& properties, const State<double>& state,
                                 Kinematics<double>& kinematics) = 0;
  // Where there are loops and constraints, their forces are then part of `forces`.
  virtual SolveReport<double> solve(const Properties<double>& properties, const State<double>& state,
                                    const Kinematics<double>& kinematics, AppliedForces<double>& forces,
                                    std::span<double> udot) = 0;
  // update_kinematics() and solve() at once, to the same bits, for forces that do not depend on the
  // kinematics.
  virtual SolveReport<double> move_and_solve(const Properties<double>& properties, const State<double>& state,
                                             Kinematics<double>& kinematics, AppliedForces<double>& forces,
                                             std::span<double> udot) {
    update_kinematics(properties, state, kinematics);
    return solve(properties, state, kinematics, forces, udot);
  }
  // Whether move_and_solve() leaves the kinematics as they were, because it has no use for them.
  virtual bool leaves_kinematics() const { return false; }
  // Of a model with loops or constraints; otherwise null.
  virtual ConstrainedDynamics* constrained() { return nullptr; }
  // After solve(): see RecursiveSolver::calc_reactions.
  virtual void calc_reactions(const Properties<double>& properties, const Kinematics<double>& kinematics,
                              const AppliedForces<double>& forces, std::span<const double> udot,
                              std::span<SpatialForce<double>> reactions) = 0;
};

// `name` is one of solver_names(); a model in cartesian coordinates has one way of its own. Solvers that work in parallel use the executor if there is one, and give
// the same result without. The properties are those of all that follows.
std::unique_ptr<MultibodySolver> make_solver(std::string_view name, const Model& model,
                                             const Properties<double>& properties,
                                             Executor* executor = nullptr);
// Whether a solver has a use for an executor.
bool works_in_parallel(std::string_view name);

// For messages: which joint SolveReport::singular_speed belongs to, and what is missing there, or negative.
std::string explain_singular_mass_matrix(const Model& model, const Properties<double>& properties, int speed);

class ForwardDynamics {
 public:
  // Keeps the model alive. The executor, if there is one, must outlive this.
  ForwardDynamics(std::shared_ptr<const Model> model, Properties<double> properties, std::string_view solver,
                  Executor* executor = nullptr);

  // Fills the kinematics, the forces and udot (nu) for a state. No allocation. Throws ComputationError,
  // which names the joint where the mass matrix is singular or the force that is not finite. `tau`, if given
  // (nu), is added to the generalised forces of the model.
  void calc_udot(const State<double>& state, std::span<double> udot, std::span<const double> tau = {});

  // The same where somebody else has found the accelerations, and lambda (rows) of a model with loops or
  // constraints. What follows then belongs to these.
  void take_motion(const State<double>& state, std::span<const double> lambda);
  // Multiplies gravity and the forces that are given by value, for statics; for `recursive` alone.
  void set_load(double load);

  // The following belong to the state of the last calc_udot.
  void calc_reactions(std::span<const double> udot, std::span<SpatialForce<double>> reactions);
  Energy<double> energy(const State<double>& state) const;
  // Throws ComputationError, with the force, where it is not finite.
  Power<double> power(const State<double>& state) const;
  const Kinematics<double>& kinematics() const;
  const AppliedForces<double>& forces() const { return forces_; }

  // Of a model with loops or constraints; otherwise null. What it says of forces belongs to the last
  // calc_udot.
  ConstrainedDynamics* constrained() { return solver_->constrained(); }
  const ConstrainedDynamics* constrained() const { return solver_->constrained(); }
  // Brings the coordinates and speeds of the state to where loops are closed and constraints hold; those of a
  // model without, Euler parameters alone. Throws ComputationError, which names what cannot be closed.
  void project(State<double>& state);
  // h of the state: the coordinates of the joints that close loops.
  void update_history(State<double>& state);
  // Coordinates and speeds of the joints that close loops, at a state; they hold until the next call. What
  // else belongs to the last calc_udot is then lost.
  CutCoordinates<double> find_cut_coordinates(const State<double>& state);
  // du (nu) for generalised impulses (nu); see ConstrainedDynamics. Only of a model with loops or
  // constraints.
  void calc_velocity_jump(const State<double>& state, std::span<const double> impulse, std::span<double> du);

  // Fills kinematics and forces alone, for what needs no accelerations.
  void update(const State<double>& state);

  // Counts the time of what follows by its phases; null counts nothing. The trace must outlive this.
  void set_trace(Trace* trace) { trace_ = trace; }

  const Model& model() const { return *model_; }
  const Properties<double>& properties() const { return properties_; }

 private:
  void update(const State<double>& state, Trace::Scope& scope);
  SolveReport<double> solve(const State<double>& state, std::span<double> udot, std::span<const double> tau);
  void add(std::span<const double> tau);
  void catch_up() const;
  [[noreturn]] void fail(const State<double>& state, const SolveReport<double>& report);

  std::shared_ptr<const Model> model_;
  Properties<double> properties_;
  Vec3<double> gravity_;  // of the full load
  mutable Kinematics<double> kinematics_;
  mutable bool is_behind_ = false;  // the kinematics, which then wait for somebody who asks for them
  State<double> solved_;            // the state they are to belong to
  AppliedForces<double> forces_;
  std::unique_ptr<MultibodySolver> solver_;
  Trace* trace_ = nullptr;
};

}  // namespace sestina
