#include "sestina/dynamics/driven_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sestina/base/error.h"
#include "sestina/base/index.h"
#include "sestina/dynamics/constrained_dynamics.h"
#include "sestina/dynamics/required_forces.h"
#include "sestina/model/properties.h"

namespace sestina {
namespace {

using Eigen::VectorXd;

constexpr double kLongestPrediction = 0.5;  // rad, or fraction of the mechanism's size
constexpr double kLargestCorrection = 0.1;  // the same; error of the prediction from speeds and accelerations
constexpr double kSmallestStep = 1e-9;      // fraction of the interval to the next instant

double largest_entry(const VectorXd& x) { return x.size() == 0 ? 0.0 : x.cwiseAbs().maxCoeff(); }

}  // namespace

DrivenMotion::DrivenMotion(const Model& model, const Properties<double>& properties)
    : model_(model),
      properties_(properties),
      kinematics_(model),
      forces_(model),
      rows_(model),
      inverse_(model),
      C_(model.constraint_rows(), model.nu()),
      udot_(static_cast<std::size_t>(model.nu())),
      lambda_(static_cast<std::size_t>(model.constraint_rows())),
      matrix_(lambda_.size() * udot_.size()),
      factors_(kImpliedCondition) {}

// Updates the constraint rows and C; C contains no rows of rotors.
void DrivenMotion::update(const State<double>& state) {
  update_kinematics(model_, properties_, state, kinematics_);
  update_constraint_rows(model_, properties_, state, kinematics_, rows_);
  calc_condition_matrix(model_, kinematics_, rows_, matrix_, C_);
  if (C_.size() > 0) factors_.compute(C_);
}

VectorXd DrivenMotion::gather(double ConstraintRow<double>::*part) const {
  VectorXd values(C_.rows());
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    const ConstraintRow<double>& row = rows_.rows[at(i)];
    values[i] = row.is_inertia ? 0.0 : row.*part;
  }
  return values;
}

void DrivenMotion::refuse_conditions_on_speeds() const {
  for (Eigen::Index i = 0; i < C_.rows(); ++i) {
    const ConstraintRow<double>& row = rows_.rows[at(i)];
    if (row.is_on_position || row.is_inertia) continue;
    throw ComputationError(
        0.0, fmt::format("{} is a condition on speeds, which determines no position: give its position, or "
                         "take the analysis dynamics, which integrates it",
                         model_.name_of_row(static_cast<int>(i))));
  }
}

void DrivenMotion::start(State<double>& state) {
  update(state);
  refuse_conditions_on_speeds();
  const Eigen::Index rank = C_.size() > 0 ? factors_.rank() : 0;
  if (const Eigen::Index free = C_.cols() - rank; free > 0) {
    throw ComputationError(
        state.t, fmt::format("the motion is not determined: {} degree{} of freedom {} left; add motions "
                             "(constraints of the type motion), or take the analysis dynamics",
                             free, free == 1 ? "" : "s", free == 1 ? "is" : "are"));
  }
  close(state);
  complete(state);
}

bool DrivenMotion::close(State<double>& state) {
  constexpr int kMostSteps = 25;
  const double tolerance = ConstrainedDynamics::tolerance(properties_);
  double before = INFINITY;
  for (int step = 0; step < kMostSteps; ++step) {
    update(state);
    const VectorXd g = gather(&ConstraintRow<double>::error);
    const double error = largest_entry(g);
    if (error <= tolerance) return true;
    if (C_.cols() == 0) return error <= 1e4 * tolerance;                   // nothing can move
    if (!(error < 0.5 * before) && error <= 1e4 * tolerance) return true;  // round-off
    if (!std::isfinite(error) || (step > 5 && !(error < before))) return false;
    before = error;
    const VectorXd d = -factors_.solve(g);
    plus_q<double>(model_, state.q, std::span(d.data(), udot_.size()), state.q);
    normalize_q<double>(model_, state.q);
  }
  return false;
}

void DrivenMotion::complete(State<double>& state) {
  if (C_.size() == 0) return;
  const VectorXd change = -factors_.solve([&] {
    std::fill(state.u.begin(), state.u.end(), 0.0);
    update(state);
    return gather(&ConstraintRow<double>::velocity);
  }());
  std::copy(change.begin(), change.end(), state.u.begin());
  update(state);
  rows_.copy_history(state.h);
  const std::string end = explain_curve_end(model_, properties_, rows_);
  if (!end.empty()) throw ComputationError(state.t, end);
  update_applied_forces(model_, properties_, state, kinematics_, forces_);
  // Computes the accelerations for udot = 0 first: the constraints' residual is then the bias of (1).
  std::fill(udot_.begin(), udot_.end(), 0.0);
  update_inverse_dynamics<double>(model_, properties_, kinematics_, forces_, udot_, inverse_);
  VectorXd bias = gather(&ConstraintRow<double>::bias);
  for (Eigen::Index i = 0; i < bias.size(); ++i) {
    if (rows_.rows[at(i)].is_inertia) continue;
    bias[i] += calc_rate<double>(rows_, rows_.rows[at(i)], inverse_.acceleration, udot_);
  }
  const VectorXd udot = -factors_.solve(bias);
  std::copy(udot.begin(), udot.end(), udot_.begin());
  update_required_forces(model_, properties_, kinematics_, rows_, udot_, forces_, lambda_, inverse_);
  const VectorXd lambda =
      factors_.solve_transposed(Eigen::Map<const VectorXd>(inverse_.residual.data(), C_.cols()));
  for (std::size_t i = 0; i < lambda_.size(); ++i) {
    if (!rows_.rows[i].is_inertia) lambda_[i] = lambda[static_cast<Eigen::Index>(i)];
  }
}

void DrivenMotion::advance(double t, State<double>& state) {
  const double whole = t - state.t;
  double step = whole;
  VectorXd weight(C_.cols());
  for (Eigen::Index i = 0; i < weight.size(); ++i) {
    weight[i] = model_.u_units()[at(i)] == "rad/s" ? 1.0 : 1.0 / properties_.constraints.length;
  }
  std::vector<double> correction(udot_.size());
  while (state.t < t) {
    step = std::min(step, t - state.t);
    const bool is_smallest = step <= kSmallestStep * whole;
    State<double> next = state;
    next.t = state.t + step >= t ? t : state.t + step;
    VectorXd d(C_.cols());
    for (Eigen::Index i = 0; i < d.size(); ++i) d[i] = step * (state.u[at(i)] + 0.5 * step * udot_[at(i)]);
    plus_q<double>(model_, state.q, std::span(d.data(), udot_.size()), next.q);
    normalize_q<double>(model_, next.q);
    const std::vector<double> foretold = next.q;
    bool is_there = largest_entry(weight.cwiseProduct(d)) <= kLongestPrediction && close(next);
    if (is_there && !is_smallest) {
      minus_q<double>(model_, next.q, foretold, correction);
      is_there =
          largest_entry(weight.cwiseProduct(Eigen::Map<const VectorXd>(correction.data(), weight.size()))) <=
          kLargestCorrection;
    }
    if (is_there) {
      state = next;
      complete(state);
      step *= 2.0;
      continue;
    }
    if (is_smallest) fail(next);
    step *= 0.5;
  }
}

// Throws the error of close(), which has found no solution at this state.
void DrivenMotion::fail(const State<double>& state) const {
  Eigen::Index worst = 0;
  const double left = gather(&ConstraintRow<double>::error).cwiseAbs().maxCoeff(&worst);
  const std::string reason = explain_non_finite_constraint(model_, properties_, state, rows_);
  throw ComputationError(
      state.t, reason.empty() ? fmt::format("{} cannot be closed: {:.3g} m are left as the motion continues; "
                                            "it may require more than the mechanism can reach",
                                            model_.name_of_row(static_cast<int>(worst)), left)
                              : reason);
}

}  // namespace sestina
