#include "sestina/dynamics/forward_dynamics.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "sestina/base/error.h"
#include "sestina/dynamics/compiled_solver.h"
#include "sestina/dynamics/divide_and_conquer_solver.h"
#include "sestina/dynamics/kane_solver.h"
#include "sestina/dynamics/recursive_solver.h"
#include "sestina/dynamics/reduced_bodies.h"

namespace sestina {
namespace {

constexpr double kRoundOffOfInertia = 1e-9;  // relative to the largest element: the tolerance of freeze()

// True if all values are finite: an infinity or a NaN spoils the sum. Four independent sums run in parallel.
bool is_finite_sum(std::span<const double> values) {
  double sums[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= values.size(); i += 4) {
    for (std::size_t k = 0; k < 4; ++k) sums[k] += values[i + k];
  }
  for (; i < values.size(); ++i) sums[0] += values[i];
  return std::isfinite((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

class SerialKinematics : public MultibodySolver {
 public:
  explicit SerialKinematics(const Model& model) : model_(model) {}
  void update_kinematics(const Properties<double>& properties, const State<double>& state,
                         Kinematics<double>& kinematics) override {
    sestina::update_kinematics(model_, properties, state, kinematics);
  }

 protected:
  const Model& model_;
};

class Recursive final : public SerialKinematics {
 public:
  explicit Recursive(const Model& model) : SerialKinematics(model), solver_(model) {}
  SolveReport<double> solve(const Properties<double>& properties, const State<double>&,
                            const Kinematics<double>& kinematics, AppliedForces<double>& forces,
                            std::span<double> udot) override {
    return solver_.solve(properties, kinematics, forces, udot);
  }
  void calc_reactions(const Properties<double>&, const Kinematics<double>& kinematics,
                      const AppliedForces<double>& forces, std::span<const double>,
                      std::span<SpatialForce<double>> reactions) override {
    solver_.calc_reactions(kinematics, forces, reactions);
  }

 private:
  RecursiveSolver<double> solver_;
};

// Used for solvers that do not compute reactions themselves: inverse dynamics provides them.
class WithoutReactions : public SerialKinematics {
 public:
  explicit WithoutReactions(const Model& model) : SerialKinematics(model), inverse_(model) {}
  void calc_reactions(const Properties<double>& properties, const Kinematics<double>& kinematics,
                      const AppliedForces<double>& forces, std::span<const double> udot,
                      std::span<SpatialForce<double>> reactions) override {
    update_inverse_dynamics(model_, properties, kinematics, forces, udot, inverse_);
    std::copy(inverse_.reaction.begin(), inverse_.reaction.end(), reactions.begin());
  }

 private:
  InverseDynamics<double> inverse_;
};

class Kane final : public WithoutReactions {
 public:
  explicit Kane(const Model& model) : WithoutReactions(model), solver_(model) {}
  SolveReport<double> solve(const Properties<double>& properties, const State<double>&,
                            const Kinematics<double>& kinematics, AppliedForces<double>& forces,
                            std::span<double> udot) override {
    return solver_.solve(properties, kinematics, forces, udot);
  }

 private:
  KaneSolver<double> solver_;
};

// Solver of models with loops or constraints.
class Constrained final : public WithoutReactions {
 public:
  Constrained(const Model& model, SaddlePoint way, int grain = 1, Executor* executor = nullptr)
      : WithoutReactions(model), dynamics_(model, way, grain, executor) {}
  SolveReport<double> solve(const Properties<double>& properties, const State<double>& state,
                            const Kinematics<double>& kinematics, AppliedForces<double>& forces,
                            std::span<double> udot) override {
    return dynamics_.solve(properties, state, kinematics, forces, udot);
  }
  ConstrainedDynamics* constrained() override { return &dynamics_; }

 private:
  ConstrainedDynamics dynamics_;
};

class Compiled final : public WithoutReactions {
 public:
  Compiled(const Model& model, const Properties<double>& properties)
      : WithoutReactions(model), solver_(model, properties) {}
  void update_kinematics(const Properties<double>& properties, const State<double>& state,
                         Kinematics<double>& kinematics) override {
    WithoutReactions::update_kinematics(properties, state, kinematics);
    solver_.take(state);
  }
  SolveReport<double> solve(const Properties<double>& properties, const State<double>&,
                            const Kinematics<double>& kinematics, AppliedForces<double>& forces,
                            std::span<double> udot) override {
    return solver_.solve(properties, kinematics, forces, udot);
  }
  SolveReport<double> move_and_solve(const Properties<double>& properties, const State<double>& state,
                                     Kinematics<double>& kinematics, AppliedForces<double>& forces,
                                     std::span<double> udot) override {
    solver_.take(state);
    if (solver_.try_solve(forces.tau, udot)) return {};
    sestina::update_kinematics(model_, properties, state, kinematics);
    return solver_.solve_by_recursion(properties, kinematics, forces, udot);
  }
  bool leaves_kinematics() const override { return true; }

 private:
  CompiledSolver solver_;
};

class DivideAndConquer final : public MultibodySolver {
 public:
  DivideAndConquer(const Model& model, int grain, Executor* executor) : solver_(model, grain, executor) {}
  void update_kinematics(const Properties<double>& properties, const State<double>& state,
                         Kinematics<double>& kinematics) override {
    solver_.update_kinematics(properties, state, kinematics);
  }
  SolveReport<double> solve(const Properties<double>& properties, const State<double>&,
                            const Kinematics<double>& kinematics, AppliedForces<double>& forces,
                            std::span<double> udot) override {
    return solver_.solve(properties, kinematics, forces, udot);
  }
  SolveReport<double> move_and_solve(const Properties<double>& properties, const State<double>& state,
                                     Kinematics<double>& kinematics, AppliedForces<double>& forces,
                                     std::span<double> udot) override {
    return solver_.move_and_solve(properties, state, kinematics, forces, udot);
  }
  void calc_reactions(const Properties<double>&, const Kinematics<double>& kinematics,
                      const AppliedForces<double>& forces, std::span<const double>,
                      std::span<SpatialForce<double>> reactions) override {
    solver_.calc_reactions(kinematics, forces, reactions);
  }

 private:
  DivideAndConquerSolver<double> solver_;
};

// Names the first body of the subtree of `root` (consecutive indices) that has a negative principal moment.
std::string find_negative_inertia(const Model& model, const Properties<double>& properties, BodyIndex root) {
  for (BodyIndex b = root; b.value() < model.bodies().size(); ++b) {
    if (b != root && model.bodies()[b].parent < root) break;
    const SymMat3<double>& J = properties.bodies[b].J_com;
    Eigen::Matrix3d matrix;
    matrix << J.xx, J.xy, J.xz, J.xy, J.yy, J.yz, J.xz, J.yz, J.zz;
    const double size = matrix.cwiseAbs().maxCoeff();
    if (!(size > 0.0)) continue;
    matrix /= size;
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(matrix, Eigen::EigenvaluesOnly);
    if (solver.eigenvalues()[0] < -kRoundOffOfInertia) return model.bodies()[b].name;
  }
  return "";
}

}  // namespace

std::string explain_singular_mass_matrix(const Model& model, const Properties<double>& properties,
                                         int speed) {
  const BodyIndex b = model.body_of_speed(speed);
  const BodyInfo& body = model.bodies()[b];
  const std::string& name = model.u_names()[static_cast<std::size_t>(speed)];
  const std::string negative = find_negative_inertia(model, properties, b);
  if (!negative.empty()) {
    return fmt::format(
        "the mass matrix is not positive at joint {}: against {} the inertia of body {} is "
        "negative, which inertia_check: none has accepted",
        body.joint_name, name, negative);
  }
  if (body.hangs_on_cut) {
    return fmt::format(
        "the mass matrix is singular: nothing that moves with body {} has inertia in all directions",
        body.name);
  }
  return fmt::format(
      "the mass matrix is singular at joint {}: nothing that moves with body {} has inertia against {}",
      body.joint_name, body.name, name);
}

// Bodies in a piece of a solver that works in parallel.
static int find_grain(std::string_view name, const Model& model) {
  return name == "hybrid" ? DivideAndConquerSolver<double>::hybrid_grain(model.bodies().size() - 1) : 1;
}

bool works_in_parallel(std::string_view name) { return name == "divide_and_conquer" || name == "hybrid"; }

std::unique_ptr<MultibodySolver> make_solver(std::string_view name, const Model& model,
                                             const Properties<double>& properties, Executor* executor) {
  if (model.is_constrained()) {
    if (model.is_cartesian()) return std::make_unique<Constrained>(model, SaddlePoint::kSparse);
    if (name == "recursive") return std::make_unique<Constrained>(model, SaddlePoint::kRecursion);
    if (name == "kane") return std::make_unique<Constrained>(model, SaddlePoint::kEmbedding);
    if (works_in_parallel(name)) {
      return std::make_unique<Constrained>(model, SaddlePoint::kAssembly, find_grain(name, model), executor);
    }
    model.refuse_constraints(name);
  }
  if (name == "recursive") return std::make_unique<Recursive>(model);
  if (name == "kane") return std::make_unique<Kane>(model);
  if (name == "compiled") {
    model.refuse_states(name);
    return std::make_unique<Compiled>(model, properties);
  }
  if (works_in_parallel(name)) {
    return std::make_unique<DivideAndConquer>(model, find_grain(name, model), executor);
  }
  throw InputError(fmt::format("there is no solver '{}'", name));
}

ForwardDynamics::ForwardDynamics(std::shared_ptr<const Model> model, Properties<double> properties,
                                 std::string_view solver, Executor* executor)
    : model_(std::move(model)),
      properties_(std::move(properties)),
      gravity_(properties_.gravity),
      kinematics_(*model_),
      solved_{0.0, std::vector<double>(static_cast<std::size_t>(model_->nq())),
              std::vector<double>(static_cast<std::size_t>(model_->nu()))},
      forces_(*model_),
      solver_(make_solver(solver, *model_, properties_, executor)),
      exact_q_(solved_.q.size()),
      displacement_(solved_.u.size()) {
  if (solver == "compiled" && model_->num_force_expressions() > 0) {
    forces_.compiled_expressions.emplace(*model_, properties_);
  }
}

void ForwardDynamics::catch_up() const {
  if (!is_behind_) return;
  update_kinematics(*model_, properties_, solved_, kinematics_);
  is_behind_ = false;
}

const Kinematics<double>& ForwardDynamics::kinematics() const {
  catch_up();
  return kinematics_;
}

void ForwardDynamics::update(const State<double>& state) {
  Trace::Scope scope(trace_, Phase::kKinematics);
  update(state, scope);
}

void ForwardDynamics::update(const State<double>& state, Trace::Scope& scope) {
  solver_->update_kinematics(properties_, state, kinematics_);
  is_behind_ = false;
  scope.next(Phase::kForces);
  update_applied_forces(*model_, properties_, state, kinematics_, forces_);
}

void ForwardDynamics::add(std::span<const double> tau) {
  for (std::size_t i = 0; i < tau.size(); ++i) forces_.tau[i] += tau[i];
}

// Forces on joints alone do not depend on the kinematics, so that the solver may compute the kinematics when
// it needs them. A trace times both phases separately and therefore excludes this.
SolveReport<double> ForwardDynamics::solve(const State<double>& state, std::span<double> udot,
                                           std::span<const double> tau) {
  if (trace_ == nullptr && !forces_.has_body_forces) {
    update_applied_forces(*model_, properties_, state, kinematics_, forces_);
    add(tau);
    if (solver_->leaves_kinematics()) {
      std::copy(state.q.begin(), state.q.end(), solved_.q.begin());
      std::copy(state.u.begin(), state.u.end(), solved_.u.begin());
      is_behind_ = true;
    }
    return solver_->move_and_solve(properties_, state, kinematics_, forces_, udot);
  }
  Trace::Scope scope(trace_, Phase::kKinematics);
  update(state, scope);
  add(tau);
  scope.next(Phase::kSolve);
  return solver_->solve(properties_, state, kinematics_, forces_, udot);
}

void ForwardDynamics::calc_udot(const State<double>& state, std::span<double> udot,
                                std::span<const double> tau) {
  check(state, solve(state, udot, tau), udot);
}

void ForwardDynamics::calc_udot(const State<double>& state, std::span<double> udot,
                                const AddedForces& added) {
  update(state);
  for (std::size_t i = 0; i < forces_.body.size(); ++i) forces_.body[i] += added.frames[i];
  apply_interface_forces<double>(*model_, state, kinematics_, forces_.body, forces_.tau);
  add(added.tau);
  check(state, solver_->solve(properties_, state, kinematics_, forces_, udot), udot);
}

void ForwardDynamics::check(const State<double>& state, const SolveReport<double>& report,
                            std::span<const double> udot) {
  if (report.is_singular || !is_finite_sum(udot)) fail(state, report);
}

void ForwardDynamics::take_motion(const State<double>& state, std::span<const double> lambda) {
  update(state);
  if (constrained() != nullptr) constrained()->take_lambda(properties_, state, kinematics_, lambda, forces_);
}

void ForwardDynamics::set_load(double load) {
  forces_.load = load;
  properties_.gravity = load * gravity_;
}

void ForwardDynamics::fail(const State<double>& state, const SolveReport<double>& report) {
  catch_up();
  const std::string force = explain_non_finite_force(*model_, properties_, state, kinematics_, forces_);
  if (!force.empty()) throw ComputationError(state.t, force);
  if (constrained() != nullptr) {
    const std::string constraint =
        explain_non_finite_constraint(*model_, properties_, state, constrained()->rows());
    if (!constraint.empty()) throw ComputationError(state.t, constraint);
  }
  if (report.is_singular) {
    throw ComputationError(state.t,
                           explain_singular_mass_matrix(*model_, properties_, report.singular_speed));
  }
  for (std::size_t i = 0; i < state.q.size(); ++i) {
    if (!std::isfinite(state.q[i])) throw ComputationError(state.t, model_->q_names()[i] + " is not finite");
  }
  for (std::size_t i = 0; i < state.u.size(); ++i) {
    if (!std::isfinite(state.u[i])) throw ComputationError(state.t, model_->u_names()[i] + " is not finite");
  }
  throw ComputationError(state.t, "the accelerations are not finite");
}

void ForwardDynamics::project(State<double>& state, Projection how) {
  normalize_q<double>(*model_, state.q);
  ConstrainedDynamics* const dynamics = constrained();
  if (dynamics == nullptr || dynamics->project(properties_, state, kinematics_, how)) return;
  const std::string constraint = explain_non_finite_constraint(*model_, properties_, state, dynamics->rows());
  if (!constraint.empty()) throw ComputationError(state.t, constraint);
  const ConstraintErrors errors = dynamics->errors();
  const bool is_open =
      errors.position_row >= 0 && errors.position > 1e3 * ConstrainedDynamics::tolerance(properties_);
  const int row = is_open ? errors.position_row : errors.velocity_row;
  throw ComputationError(
      state.t, is_open
                   ? fmt::format("{} cannot be kept closed: {:.3g} m are left", model_->name_of_row(row),
                                 errors.position)
                   : fmt::format("no speeds agree with {}: {:.3g} m/s are left",
                                 row >= 0 ? model_->name_of_row(row) : "the constraints", errors.velocity));
}

bool ForwardDynamics::project_errors(const State<double>& state, std::span<double> of_q,
                                     std::span<double> of_u) {
  for (std::size_t i = 0; i < of_q.size(); ++i) exact_q_[i] = state.q[i] - of_q[i];
  normalize_q<double>(*model_, exact_q_);
  minus_q<double>(*model_, state.q, exact_q_, displacement_);
  if (!constrained()->project_errors(properties_, state, kinematics_, displacement_, of_u)) return false;
  calc_q_dot<double>(*model_, state.q, displacement_, of_q);
  return true;
}

void ForwardDynamics::update_history(State<double>& state) {
  if (state.h.empty()) return;
  find_cut_coordinates(state);
  const ConstraintRows<double>& rows = constrained()->rows();
  rows.copy_history(state.h);
  const std::string end = explain_curve_end(*model_, properties_, rows);
  if (!end.empty()) throw ComputationError(state.t, end);
}

CutCoordinates<double> ForwardDynamics::find_cut_coordinates(const State<double>& state) {
  ConstrainedDynamics* const dynamics = constrained();
  if (dynamics == nullptr) return {};
  sestina::update_kinematics(*model_, properties_, state, kinematics_);
  dynamics->update(properties_, state, kinematics_);
  return {dynamics->rows().cut_q, dynamics->rows().cut_u};
}

void ForwardDynamics::calc_velocity_jump(const State<double>& state, std::span<const double> impulse,
                                         std::span<double> du) {
  constrained()->calc_velocity_jump(properties_, state, kinematics_, impulse, du);
}

void ForwardDynamics::calc_reactions(std::span<const double> udot,
                                     std::span<SpatialForce<double>> reactions) {
  catch_up();
  solver_->calc_reactions(properties_, kinematics_, forces_, udot, reactions);
}

Energy<double> ForwardDynamics::energy(const State<double>& state) const {
  catch_up();
  return calc_energy(*model_, properties_, state, kinematics_, forces_);
}

Power<double> ForwardDynamics::power(const State<double>& state) const {
  Power<double> power = calc_power(*model_, properties_, state, kinematics_, forces_);
  if (constrained() != nullptr) power.supplied += constrained()->power();
  if (std::isfinite(power.supplied) && std::isfinite(power.dissipated)) return power;
  throw ComputationError(state.t,
                         explain_non_finite_power(*model_, properties_, state, kinematics_, forces_));
}

}  // namespace sestina
