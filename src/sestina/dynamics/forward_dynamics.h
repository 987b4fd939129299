// udot = a(t, q, u) of a whole model by the chosen formulation, for the integrators and the apps.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sestina/base/trace.h"
#include "sestina/dynamics/constrained_dynamics.h"
#include "sestina/dynamics/energy.h"
#include "sestina/dynamics/inverse_dynamics.h"
#include "sestina/dynamics/solve_report.h"
#include "sestina/model/properties.h"
#include "sestina/model/tape_inputs.h"
#include "sestina/parallel/executor.h"

namespace sestina {

// One way of solving the equations of motion, in double precision.
class MultibodySolver {
 public:
  virtual ~MultibodySolver() = default;
  // Computes the kinematics; serially, unless the solver has its own parallel method.
  virtual void update_kinematics(const Properties<double>& properties, const State<double>& state,
                                 Kinematics<double>& kinematics) = 0;
  // Where there are loops and constraints, their forces are then part of `forces`.
  virtual SolveReport<double> solve(const Properties<double>& properties, const State<double>& state,
                                    const Kinematics<double>& kinematics, AppliedForces<double>& forces,
                                    std::span<double> udot) = 0;
  // Equals update_kinematics() followed by solve(), to the same bits, for forces that do not depend on the
  // kinematics.
  virtual SolveReport<double> move_and_solve(const Properties<double>& properties, const State<double>& state,
                                             Kinematics<double>& kinematics, AppliedForces<double>& forces,
                                             std::span<double> udot) {
    update_kinematics(properties, state, kinematics);
    return solve(properties, state, kinematics, forces, udot);
  }
  // True if move_and_solve() does not update the kinematics because it does not need them.
  virtual bool leaves_kinematics() const { return false; }
  // Returns the constraint solver of a model with loops or constraints; otherwise null.
  virtual ConstrainedDynamics* constrained() { return nullptr; }
  // Computes the reactions after solve(): see RecursiveSolver::calc_reactions.
  virtual void calc_reactions(const Properties<double>& properties, const Kinematics<double>& kinematics,
                              const AppliedForces<double>& forces, std::span<const double> udot,
                              std::span<SpatialForce<double>> reactions) = 0;
};

// `name` is one of solver_names(); a model in cartesian coordinates has one way of its own. Solvers that work
// in parallel use the executor if there is one, and give the same result without. The properties apply to
// all calls that follow.
std::unique_ptr<MultibodySolver> make_solver(std::string_view name, const Model& model,
                                             const Properties<double>& properties,
                                             Executor* executor = nullptr);
// True if the solver can use an executor.
bool works_in_parallel(std::string_view name);

// Explains which joint SolveReport::singular_speed belongs to and which inertia is missing or negative.
std::string explain_singular_mass_matrix(const Model& model, const Properties<double>& properties, int speed);

// Forces beyond those of the model.
struct AddedForces {
  std::vector<double> tau;                   // (nu) generalised forces
  std::vector<SpatialForce<double>> frames;  // by FrameIndex: about the frame's origin, ground axes
};

class ForwardDynamics {
 public:
  // Keeps the model alive. The executor, if it is not null, must outlive this object.
  ForwardDynamics(std::shared_ptr<const Model> model, Properties<double> properties, std::string_view solver,
                  Executor* executor = nullptr);

  // Fills the kinematics, the forces and udot (nu) for a state. No allocation. Throws ComputationError, which
  // names the joint where the mass matrix is singular or the force that is not finite. If `tau` (nu) is
  // given, it is added to the generalised forces of the model.
  void calc_udot(const State<double>& state, std::span<double> udot, std::span<const double> tau = {});
  // The same with these forces on frames too; for a model that has contacts.
  void calc_udot(const State<double>& state, std::span<double> udot, const AddedForces& added);

  // Uses accelerations that were computed elsewhere, with lambda (rows) for a model with loops or
  // constraints: the functions below then belong to this state.
  void take_motion(const State<double>& state, std::span<const double> lambda);
  // Sets the factor on gravity and on forces given by value, for statics; only with the solver `recursive`.
  void set_load(double load);

  // These results belong to the state of the last calc_udot.
  void calc_reactions(std::span<const double> udot, std::span<SpatialForce<double>> reactions);
  Energy<double> energy(const State<double>& state) const;
  // Throws ComputationError if the power is not finite, and names the force.
  Power<double> power(const State<double>& state) const;
  const Kinematics<double>& kinematics() const;
  const AppliedForces<double>& forces() const { return forces_; }

  // The constraint solver of a model with loops or constraints; otherwise null. Its forces belong to the last
  // calc_udot.
  ConstrainedDynamics* constrained() { return solver_->constrained(); }
  const ConstrainedDynamics* constrained() const { return solver_->constrained(); }
  // Projects the coordinates and speeds of the state onto loops and constraints; without them it only
  // normalises Euler parameters. Throws ComputationError, which names the loop that cannot be closed.
  void project(State<double>& state, Projection how = Projection::after_derivatives);
  // Removes from errors of q (nq) and u (nu) at a state near a singular position what a projection removes;
  // see ConstrainedDynamics. Only for a model with loops or constraints.
  bool project_errors(const State<double>& state, std::span<double> of_q, std::span<double> of_u);
  // Updates h of the state: the coordinates of the joints that close loops.
  void update_history(State<double>& state);
  // Returns coordinates and speeds of the joints that close loops, valid until the next call. It overwrites
  // the other results of the last calc_udot.
  CutCoordinates<double> find_cut_coordinates(const State<double>& state);
  // Computes du (nu) for generalised impulses (nu); see ConstrainedDynamics. Only for a model with loops or
  // constraints.
  void calc_velocity_jump(const State<double>& state, std::span<const double> impulse, std::span<double> du);

  // Fills kinematics and forces only, where no accelerations are needed.
  void update(const State<double>& state);

  // Adds the times of each phase of later calls to the trace, which must outlive this object; null: none.
  void set_trace(Trace* trace) { trace_ = trace; }

  const Model& model() const { return *model_; }
  const Properties<double>& properties() const { return properties_; }

 private:
  void update(const State<double>& state, Trace::Scope& scope);
  SolveReport<double> solve(const State<double>& state, std::span<double> udot, std::span<const double> tau);
  void add(std::span<const double> tau);
  void catch_up() const;
  void check(const State<double>& state, const SolveReport<double>& report, std::span<const double> udot);
  [[noreturn]] void fail(const State<double>& state, const SolveReport<double>& report);

  std::shared_ptr<const Model> model_;
  Properties<double> properties_;
  Vec3<double> gravity_;  // at the full load
  mutable Kinematics<double> kinematics_;
  mutable bool is_behind_ = false;  // the kinematics are older than the last solve(); see catch_up()
  State<double> solved_;            // the state that catch_up() computes them for
  AppliedForces<double> forces_;
  std::unique_ptr<MultibodySolver> solver_;
  std::vector<double> exact_q_, displacement_;  // (nq), (nu): scratch of project_errors()
  Trace* trace_ = nullptr;
};

}  // namespace sestina
