#include "sestina/dynamics/constrained_dynamics.h"

#include <algorithm>
#include <cmath>

#include "sestina/dynamics/constrained_assembly.h"
#include "sestina/dynamics/constrained_recursion.h"
#include "sestina/model/properties.h"

namespace sestina {
namespace {

// Displacements below this fraction of the mechanism's size change M and C so little that their factors are
// good enough for the next step of Newton's method.
constexpr double kSmall = 1e-5;
// Limit of the smallest singular value of C, relative to the largest: below it, round-off in the coordinates
// moves a mechanism across its conditions by much more, and positions are corrected even if their errors are
// below the tolerance.
constexpr double kNearlySingular = 0.03;
constexpr int kMostRefinements = 3;
constexpr double kRefined = 1e-15;  // a relative correction after which a further one would be round-off

}  // namespace

SaddlePoint standard_way(const Model& model) {
  return model.is_cartesian() ? SaddlePoint::kSparse : SaddlePoint::kRecursion;
}

ConstrainedDynamics::ConstrainedDynamics(const Model& model, SaddlePoint way, int grain, Executor* executor)
    : model_(&model),
      rows_(model),
      A0_(static_cast<std::size_t>(model.bodies().size())),
      force_(A0_.size()),
      of_lambda_(A0_.size()),
      tau_(static_cast<std::size_t>(model.nu())),
      x_(tau_.size()),
      dx_(tau_.size()),
      zero_u_(tau_.size()),
      d_(static_cast<std::size_t>(model.constraint_rows())),
      lambda_(d_.size()),
      mu_(d_.size()),
      dmu_(d_.size()) {
  if (way == SaddlePoint::kRecursion) recursion_ = std::make_unique<ConstrainedRecursion>(model);
  if (way == SaddlePoint::kAssembly) {
    assembly_ = std::make_unique<ConstrainedAssembly>(model, grain, executor);
  }
  if (way == SaddlePoint::kEmbedding) kane_ = std::make_unique<ConstrainedKane>(model);
  if (way == SaddlePoint::kSparse) sparse_ = std::make_unique<ConstrainedSparse>(model);
}

ConstrainedDynamics::~ConstrainedDynamics() = default;

SolveReport<double> ConstrainedDynamics::factor(const Properties<double>& properties,
                                                const Kinematics<double>& kinematics) {
  if (recursion_) return recursion_->factor(properties, kinematics, rows_);
  if (assembly_) return assembly_->factor(properties, kinematics, rows_);
  if (sparse_) return sparse_->factor(properties, kinematics, rows_);
  return kane_->factor(properties, kinematics, rows_);
}

// Computes x, and mu on request, for tau_ and force_.
void ConstrainedDynamics::solve_factored(const Kinematics<double>& kinematics, std::span<const double> d,
                                         std::span<double> x, bool wants_mu) {
  if (recursion_) {
    recursion_->solve(kinematics, force_, tau_, d, x, mu_);
    return;
  }
  if (assembly_) {
    assembly_->solve(kinematics, force_, tau_, d, x, wants_mu ? std::span(mu_) : std::span<double>{});
    return;
  }
  if (sparse_) {
    sparse_->solve(force_, tau_, d, x, wants_mu ? std::span(mu_) : std::span<double>{});
    return;
  }
  move_forces_to_joints(kinematics);
  kane_->solve(tau_, d, x, mu_);
}

// tau <- tau - J^T force, tips inward; force <- 0
void ConstrainedDynamics::move_forces_to_joints(const Kinematics<double>& kinematics) {
  for (std::size_t b = force_.size() - 1; b > 0; --b) {
    const BodyInfo& info = model_->bodies()[BodyIndex(static_cast<int>(b))];
    for (int k = info.u_start; k < info.u_start + info.nu; ++k) {
      tau_[static_cast<std::size_t>(k)] -= dot(kinematics.H[static_cast<std::size_t>(k)], force_[b]);
    }
    force_[static_cast<std::size_t>(info.parent.value())] += shift_back(force_[b], kinematics.s[b]);
    force_[b] = {};
  }
  force_[0] = {};
}

// The forces that the bodies lack, and the rates of the conditions, at udot = 0 (bias and gravity only).
void ConstrainedDynamics::update_without_udot(const Properties<double>& properties,
                                              const Kinematics<double>& kinematics,
                                              const AppliedForces<double>& forces) {
  A0_[0] = {{}, -properties.gravity};
  force_[0] = {};
  for (std::size_t b = 1; b < A0_.size(); ++b) {
    const auto parent =
        static_cast<std::size_t>(model_->bodies()[BodyIndex(static_cast<int>(b))].parent.value());
    A0_[b] = shift(A0_[parent], kinematics.s[b]) + kinematics.bias[b];
    force_[b] = kinematics.inertia[b] * A0_[b] +
                gyroscopic_force(kinematics.inertia[b], kinematics.motion[b].V_WB.w) - forces.body[b];
  }
  std::copy(forces.tau.begin(), forces.tau.end(), tau_.begin());
  for (std::size_t r = 0; r < d_.size(); ++r) {
    const ConstraintRow<double>& row = rows_.rows[r];
    d_[r] = row.bias + calc_rate<double>(rows_, row, A0_, zero_u_);
  }
}

bool ConstrainedDynamics::loses_digits() const {
  return recursion_ ? recursion_->loses_digits() : assembly_ != nullptr;
}

// Iterative refinement of x and mu: the residual of the saddle-point system is the right-hand side for the
// corrections. The forces that the bodies lack are moved to the joints first. They are as large as the
// applied ones and cancel in the reactions only: their round-off would move light bodies by more than the
// residual does.
void ConstrainedDynamics::refine(const Properties<double>& properties, const Kinematics<double>& kinematics,
                                 std::span<double> x) {
  const int steps = recursion_ ? 1 : kMostRefinements;
  std::span<const double> step = x, step_of_mu = mu_;
  for (int k = 0; k < steps; ++k) {
    subtract_from_residual(properties, kinematics, step, step_of_mu);
    move_forces_to_joints(kinematics);
    if (recursion_) {
      recursion_->solve(kinematics, force_, tau_, d_, dx_, dmu_);
    } else {
      assembly_->solve(kinematics, force_, tau_, d_, dx_, dmu_);
    }
    double largest = 0.0, change = 0.0;
    for (std::size_t i = 0; i < dx_.size(); ++i) {
      x[i] += dx_[i];
      largest = std::max(largest, std::abs(x[i]));
      change = std::max(change, std::abs(dx_[i]));
    }
    for (std::size_t r = 0; r < dmu_.size(); ++r) mu_[r] += dmu_[r];
    if (change <= kRefined * largest) return;
    step = dx_, step_of_mu = dmu_;
  }
}

// tau_, force_ and d_: less the left side of the system for x and mu.
void ConstrainedDynamics::subtract_from_residual(const Properties<double>& properties,
                                                 const Kinematics<double>& kinematics,
                                                 std::span<const double> x, std::span<const double> mu) {
  std::fill(of_lambda_.begin(), of_lambda_.end(), SpatialForce<double>{});
  add_constraint_forces<double>(rows_, mu, tau_, of_lambda_);
  move_bodies(kinematics, x);
  for (std::size_t b = 1; b < A0_.size(); ++b) {
    const BodyIndex body(static_cast<int>(b));
    const BodyInfo& info = model_->bodies()[body];
    const auto k = static_cast<std::size_t>(info.u_start);
    if (info.nu == 1) tau_[k] -= properties.bodies[body].armature * x[k];
    force_[b] += kinematics.inertia[b] * A0_[b] - of_lambda_[b];
  }
  for (std::size_t r = 0; r < d_.size(); ++r) {
    d_[r] += calc_rate<double>(rows_, rows_.rows[r], A0_, x);
    if (rows_.rows[r].is_inertia) d_[r] += mu[r];
  }
}

// A0_: the motions of the bodies for speeds or accelerations x, without bias.
void ConstrainedDynamics::move_bodies(const Kinematics<double>& kinematics, std::span<const double> x) {
  A0_[0] = {};
  for (std::size_t b = 1; b < A0_.size(); ++b) {
    const BodyInfo& info = model_->bodies()[BodyIndex(static_cast<int>(b))];
    A0_[b] = shift(A0_[static_cast<std::size_t>(info.parent.value())], kinematics.s[b]);
    for (int speed = info.u_start; speed < info.u_start + info.nu; ++speed) {
      const auto k = static_cast<std::size_t>(speed);
      A0_[b] += x[k] * kinematics.H[k];
    }
  }
}

SolveReport<double> ConstrainedDynamics::solve(const Properties<double>& properties,
                                               const State<double>& state,
                                               const Kinematics<double>& kinematics,
                                               AppliedForces<double>& forces, std::span<double> udot) {
  update_constraint_rows(*model_, properties, state, kinematics, rows_, &forces.cut);
  const SolveReport<double> report = factor(properties, kinematics);
  update_without_udot(properties, kinematics, forces);
  solve_factored(kinematics, d_, udot);
  if (loses_digits() && !report.is_singular) refine(properties, kinematics, udot);
  std::copy(mu_.begin(), mu_.end(), lambda_.begin());
  apply_lambda(state, kinematics, forces);
  return report;
}

void ConstrainedDynamics::take_lambda(const Properties<double>& properties, const State<double>& state,
                                      const Kinematics<double>& kinematics, std::span<const double> lambda,
                                      AppliedForces<double>& forces) {
  update_constraint_rows(*model_, properties, state, kinematics, rows_, &forces.cut);
  std::copy(lambda.begin(), lambda.end(), lambda_.begin());
  apply_lambda(state, kinematics, forces);
}

void ConstrainedDynamics::apply_lambda(const State<double>& state, const Kinematics<double>& kinematics,
                                       AppliedForces<double>& forces) {
  add_constraint_forces<double>(rows_, lambda_, forces.tau, forces.body);
  power_ = 0.0;
  for (std::size_t b = 0; b < A0_.size(); ++b) A0_[b] = kinematics.motion[b].V_WB;
  for (std::size_t r = 0; r < lambda_.size(); ++r) {
    if (rows_.rows[r].is_inertia) continue;  // its power is the rate of a kinetic energy
    power_ += lambda_[r] * calc_rate<double>(rows_, rows_.rows[r], A0_, state.u);
  }
}

ConstraintErrors ConstrainedDynamics::errors() const {
  ConstraintErrors errors;
  // NaN is worse than any number.
  const auto is_worse = [](double error, double than) {
    return std::isnan(error) ? !std::isnan(than) : error > than;
  };
  for (std::size_t r = 0; r < rows_.rows.size(); ++r) {
    const ConstraintRow<double>& row = rows_.rows[r];
    if (is_worse(std::abs(row.error), errors.position)) {
      errors.position = std::abs(row.error), errors.position_row = static_cast<int>(r);
    }
    if (is_worse(std::abs(row.velocity), errors.velocity)) {
      errors.velocity = std::abs(row.velocity), errors.velocity_row = static_cast<int>(r);
    }
  }
  return errors;
}

double ConstrainedDynamics::tolerance(const Properties<double>& properties) {
  return 1e-13 * properties.constraints.length;
}

bool ConstrainedDynamics::project_positions(const Properties<double>& properties, State<double>& state,
                                            Kinematics<double>& kinematics) {
  bool factors_serve = false;
  update_kinematics(*model_, properties, state, kinematics);
  update(properties, state, kinematics);
  return take_position_steps(properties, state, kinematics, factors_serve);
}

bool ConstrainedDynamics::project_speeds(const Properties<double>& properties, State<double>& state,
                                         Kinematics<double>& kinematics) {
  bool factors_serve = false;
  update_kinematics(*model_, properties, state, kinematics);
  update(properties, state, kinematics);
  return take_speed_steps(properties, state, kinematics, factors_serve);
}

bool ConstrainedDynamics::project(const Properties<double>& properties, State<double>& state,
                                  Kinematics<double>& kinematics, Projection how) {
  bool factors_serve = false;
  rows_.wants_bias = false;
  update_kinematics(*model_, properties, state, kinematics);
  update(properties, state, kinematics);
  const bool always_corrects = how == Projection::smooth || is_nearly_singular();
  const bool is_closed = take_position_steps(properties, state, kinematics, factors_serve, always_corrects) &&
                         take_speed_steps(properties, state, kinematics, factors_serve, always_corrects);
  rows_.wants_bias = true;
  return is_closed;
}

// Expects rows that belong to the state, and leaves such.
bool ConstrainedDynamics::take_position_steps(const Properties<double>& properties, State<double>& state,
                                              Kinematics<double>& kinematics, bool& factors_serve,
                                              bool always_corrects) {
  constexpr int kMostSteps = 20;
  const double tolerance = ConstrainedDynamics::tolerance(properties);
  // Accepted if the error cannot be reduced further: because of round-off, or near a singular position, where
  // conditions that are nearly implied by others are left to the next step.
  const double enough = 1e4 * tolerance;
  double before = INFINITY;
  for (int step = 0; step < kMostSteps; ++step) {
    const double error = errors().position;
    if (error <= tolerance && !(always_corrects && step == 0 && error > 0.0)) return true;
    if (!(error < 0.5 * before)) return error <= enough;
    before = error;
    if (!factors_serve && factor(properties, kinematics).is_singular) return false;
    factors_serve = error <= kSmall * properties.constraints.length;
    std::fill(tau_.begin(), tau_.end(), 0.0);
    std::fill(force_.begin(), force_.end(), SpatialForce<double>{});
    for (std::size_t r = 0; r < d_.size(); ++r)
      d_[r] = rows_.rows[r].is_on_position ? rows_.rows[r].error : 0.0;
    solve_factored(kinematics, d_, x_, false);
    plus_q<double>(*model_, state.q, x_, state.q);
    normalize_q<double>(*model_, state.q);
    update_kinematics(*model_, properties, state, kinematics);
    update(properties, state, kinematics);
  }
  return false;
}

// Expects rows that belong to the state.
bool ConstrainedDynamics::take_speed_steps(const Properties<double>& properties, State<double>& state,
                                           Kinematics<double>& kinematics, bool& factors_serve,
                                           bool always_corrects) {
  constexpr int kMostSteps = 10;  // conditions on speeds need not be linear
  double before = INFINITY;
  for (int step = 0; step < kMostSteps; ++step) {
    double size = 0.0;
    for (const BodyMotion<double>& motion : kinematics.motion) {
      size = std::max(size, properties.constraints.length * norm(motion.V_WB.w) + norm(motion.V_WB.v));
    }
    const double tolerance = 1e-14 * std::max(size, properties.constraints.length);
    const double error = errors().velocity;
    if (error <= tolerance && !(always_corrects && step == 0 && error > 0.0)) return true;
    if (!(error < 0.5 * before)) return error <= 1e7 * tolerance;  // as for positions
    before = error;
    if (!factors_serve && factor(properties, kinematics).is_singular) return false;
    factors_serve = error <= kSmall * std::max(size, properties.constraints.length);
    std::fill(tau_.begin(), tau_.end(), 0.0);
    std::fill(force_.begin(), force_.end(), SpatialForce<double>{});
    for (std::size_t r = 0; r < d_.size(); ++r) d_[r] = rows_.rows[r].velocity;
    solve_factored(kinematics, d_, x_, false);
    for (std::size_t k = 0; k < x_.size(); ++k) state.u[k] += x_[k];
    update_kinematics(*model_, properties, state, kinematics);
    update(properties, state, kinematics);
  }
  return false;
}

bool ConstrainedDynamics::is_nearly_singular() const {
  if (recursion_) return recursion_->smallest_pivot() < kNearlySingular * kNearlySingular;
  if (assembly_) return assembly_->smallest_pivot() < kNearlySingular * kNearlySingular;
  return kane_ && kane_->smallest_pivot() < kNearlySingular;
}

void ConstrainedDynamics::keep_small_pivots(bool keep) {
  if (recursion_) recursion_->keep_small_pivots(keep);
  if (assembly_) assembly_->keep_small_pivots(keep);
  if (kane_) kane_->keep_small_pivots(keep);
}

bool ConstrainedDynamics::project_errors(const Properties<double>& properties, const State<double>& state,
                                         Kinematics<double>& kinematics, std::span<double> displacement,
                                         std::span<double> du) {
  update_kinematics(*model_, properties, state, kinematics);
  update(properties, state, kinematics);
  keep_small_pivots(true);
  const bool is_singular = factor(properties, kinematics).is_singular;
  keep_small_pivots(false);
  if (is_singular || !is_nearly_singular()) return false;
  std::fill(tau_.begin(), tau_.end(), 0.0);
  std::fill(force_.begin(), force_.end(), SpatialForce<double>{});
  for (const auto& [error, is_of_position] : {std::pair(displacement, true), std::pair(du, false)}) {
    move_bodies(kinematics, error);
    for (std::size_t r = 0; r < d_.size(); ++r) {
      const ConstraintRow<double>& row = rows_.rows[r];
      const bool is_met = row.is_inertia || (is_of_position && !row.is_on_position);
      d_[r] = is_met ? 0.0 : calc_rate<double>(rows_, row, A0_, error);
    }
    solve_factored(kinematics, d_, x_, false);
    for (std::size_t k = 0; k < x_.size(); ++k) error[k] += x_[k];
  }
  return true;
}

void ConstrainedDynamics::calc_velocity_jump(const Properties<double>& properties, const State<double>& state,
                                             Kinematics<double>& kinematics, std::span<const double> impulse,
                                             std::span<double> du) {
  update_kinematics(*model_, properties, state, kinematics);
  update(properties, state, kinematics);
  factor(properties, kinematics);
  std::copy(impulse.begin(), impulse.end(), tau_.begin());
  std::fill(force_.begin(), force_.end(), SpatialForce<double>{});
  std::fill(d_.begin(), d_.end(), 0.0);
  solve_factored(kinematics, d_, du);
}

SpatialForce<double> ConstrainedDynamics::reaction(const CutJointInfo& joint) const {
  SpatialForce<double> sum;
  for (int r = joint.first_row; r < joint.first_row + joint.rows; ++r) {
    const auto i = static_cast<std::size_t>(r);
    sum += lambda_[i] * rows_.rows[i].force;
  }
  // The forces of the conditions on its coordinates and speeds, such as those of a gear or a motor.
  for (const CoordinateCondition& condition : model_->conditions()) {
    for (std::size_t i = 0; i < condition.cut_joints.size(); ++i) {
      const auto of_condition = static_cast<std::size_t>(condition.cut_joints[i].joint);
      if (model_->cut_joints()[of_condition].name != joint.name) continue;
      const ConstraintRow<double>& row = rows_.rows[static_cast<std::size_t>(condition.row)];
      const FramePair<double>& pair =
          i == 0 ? row : rows_.pairs[static_cast<std::size_t>(condition.first_pair) + i - 1];
      sum += lambda_[static_cast<std::size_t>(condition.row)] * pair.force;
    }
  }
  return sum;
}

}  // namespace sestina
