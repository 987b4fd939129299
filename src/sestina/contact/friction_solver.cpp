#include "sestina/contact/friction_solver.h"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "sestina/numerics/least_norm_solver.h"

namespace sestina {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr int kMostSweeps = 2000;
constexpr int kBetweenPolishes = 5;  // sweeps
constexpr int kMostNewtonSteps = 20;
constexpr double kSolved = 1e-11;        // relative to the largest velocity
constexpr double kAccepted = 1e-7;       // the same, if Newton's method does not confirm the states
constexpr double kTouching = 1e-8;       // the same: a contact that separates more slowly may carry load
constexpr double kNearlyStuck = 1e-3;    // the same: a contact that slides more slowly may stick
constexpr double kSmallestShare = 1e-6;  // least load in share_friction(), relative to the largest
constexpr double kSingular = 1e-12;      // relative to the largest pivot
constexpr int kDirections = 32;          // number of directions tried in the search for a sliding direction

double cross2(const Vector2d& a, const Vector2d& b) { return a.x() * b.y() - a.y() * b.x(); }

}  // namespace

FrictionSolver::Report FrictionSolver::solve(const MatrixXd& G, const VectorXd& b, std::span<const double> mu,
                                             std::span<const double> R, VectorXd& p) {
  G_ = &G, b_ = &b, mu_ = mu, R_ = R, p_ = &p;
  states_.assign(mu.size(), State::kOpen);
  size_ = b.size() == 0 ? 0.0 : b.cwiseAbs().maxCoeff();
  Report report;
  if (size_ == 0.0) {
    p.setZero();
    report.is_solved = true;
    return report;
  }
  Index worst = -1;
  for (report.sweeps = 1; report.sweeps <= kMostSweeps; ++report.sweeps) {
    sweep();
    if (report.sweeps % kBetweenPolishes != 0) continue;
    if (polish()) {
      report.is_solved = true;
      break;
    }
    if (residual(worst) < kSolved * size_) break;
  }
  report.residual = residual(worst) / size_;
  report.worst = static_cast<int>(worst);
  report.is_solved = report.is_solved || report.residual < kAccepted;
  return report;
}

void FrictionSolver::sweep() {
  for (Index i = 0; i < static_cast<Index>(mu_.size()); ++i) solve_one(i);
}

void FrictionSolver::solve_one(Index i) {
  Matrix3d own = G_->block<3, 3>(3 * i, 3 * i);
  Vector3d p = p_->segment<3>(3 * i);
  const Vector3d w = b_->segment<3>(3 * i) + G_->middleRows<3>(3 * i) * *p_ - own * p;
  const auto at = static_cast<std::size_t>(i);
  own(0, 0) += R_[at];
  const double mu = mu_[at];
  State& state = states_[at];
  if (w[0] >= 0.0 || !(own(0, 0) > 0.0)) {
    p.setZero();
    state = State::kOpen;
  } else if (mu == 0.0) {
    p = {-w[0] / own(0, 0), 0.0, 0.0};
    state = State::kSlide;
  } else {
    const Eigen::FullPivLU<Matrix3d> factor(own);
    const Vector3d stuck =
        factor.isInvertible() ? Vector3d(factor.solve(-w)) : Vector3d(-w[0] / own(0, 0), 0, 0);
    if (stuck[0] >= 0.0 && stuck.tail<2>().norm() <= mu * stuck[0]) {
      p = stuck;
      state = State::kStick;
    } else if (slide(own, w, mu, p)) {
      state = State::kSlide;
    } else {  // Painleve's case, no sliding solution: the point of the cone nearest to the sticking impulse
      p = {std::max(stuck[0], 0.0), stuck[1], stuck[2]};
      const double tangential = p.tail<2>().norm();
      if (tangential > mu * p[0]) p.tail<2>() *= mu * p[0] / tangential;
      state = State::kSlide;
    }
  }
  p_->segment<3>(3 * i) = p;
}

// Finds the sliding direction d: v_t = s d, s >= 0, with p_t = -mu p_n d and v_n + R p_n = 0, a root of d x
// v_t(d). Several directions are possible only for strong coupling of friction and geometry; the one with the
// fastest sliding is taken.
bool FrictionSolver::slide(const Matrix3d& own, const Vector3d& w, double mu, Vector3d& p) const {
  const auto velocity_for = [&](double angle, Vector2d& d, double& p_n) -> Vector2d {
    d = {std::cos(angle), std::sin(angle)};
    const double along = own(0, 0) - mu * own.block<1, 2>(0, 1).dot(d);
    p_n = along > 0.0 ? -w[0] / along : -1.0;
    return w.tail<2>() + p_n * (own.block<2, 1>(1, 0) - mu * own.block<2, 2>(1, 1) * d);
  };
  Vector2d d;
  double p_n = 0.0, best = -1.0;
  const double step = 2.0 * std::numbers::pi / kDirections;
  Vector2d v = velocity_for(0.0, d, p_n);
  double before = cross2(d, v), p_before = p_n;
  for (int k = 1; k <= kDirections; ++k) {
    double low = (k - 1) * step, high = k * step;
    v = velocity_for(high, d, p_n);
    const double after = cross2(d, v);
    const bool crosses = p_before >= 0.0 && p_n >= 0.0 && (before <= 0.0) != (after <= 0.0);
    const double sign = before <= 0.0 ? 1.0 : -1.0;
    before = after, p_before = p_n;
    if (!crosses) continue;
    for (int i = 0; i < 60 && high - low > 1e-15; ++i) {
      const double middle = 0.5 * (low + high);
      v = velocity_for(middle, d, p_n);
      (sign * cross2(d, v) <= 0.0 ? low : high) = middle;
    }
    v = velocity_for(low, d, p_n);
    if (p_n < 0.0 || d.dot(v) < 0.0 || d.dot(v) <= best) continue;
    best = d.dot(v);
    p << p_n, -mu * p_n * d;
  }
  return best >= 0.0;
}

double FrictionSolver::residual(Index& worst) const {
  const VectorXd v = *G_ * *p_ + *b_;
  double largest = 0.0;
  for (Index i = 0; i < static_cast<Index>(mu_.size()); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Vector3d p = p_->segment<3>(3 * i), u = v.segment<3>(3 * i);
    const double inverse = (*G_)(3 * i, 3 * i) + R_[at];  // turns impulses into velocities
    const double v_n = u[0] + R_[at] * p[0];
    double violation = std::abs(std::min(v_n, inverse * p[0]));
    const double slip = u.tail<2>().norm();
    const Vector2d wanted =
        slip > kSolved * size_ ? Vector2d(-mu_[at] * p[0] / slip * u.tail<2>()) : Vector2d(p.tail<2>());
    violation = std::max(violation, inverse * (p.tail<2>() - wanted).norm());
    violation = std::max(violation, inverse * (p.tail<2>().norm() - mu_[at] * p[0] * (1.0 + kSolved)));
    if (violation > largest) largest = violation, worst = i;
  }
  return largest;
}

// Newton's method for the states that the sweeps have found. Returns false if its solution violates a
// condition. Contacts that neither separate nor carry load are first tried as closed, because the sweeps load
// the first of several redundant contacts. Contacts that slide very slowly are first tried as sticking: where
// others share their load, the sweeps keep shifting it long after all of them have come to rest.
bool FrictionSolver::polish() {
  const std::vector<State> found = states_;
  v_ = *G_ * *p_ + *b_;
  for (Index i = 0; i < static_cast<Index>(mu_.size()); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double slip = v_.segment<2>(3 * i + 1).norm();
    if (states_[at] == State::kOpen && v_[3 * i] <= kTouching * size_) {
      states_[at] = mu_[at] == 0.0 || slip > kTouching * size_ ? State::kSlide : State::kStick;
    } else if (states_[at] == State::kSlide && mu_[at] > 0.0 && slip <= kNearlyStuck * size_) {
      states_[at] = State::kStick;
    }
  }
  scale_.setOnes(3 * static_cast<Index>(mu_.size()));
  if (try_states()) return true;
  if (std::ranges::find(states_, State::kStick) != states_.end()) {
    share_friction();
    if (try_states()) return true;
  }
  if (states_ == found) return false;
  scale_.setOnes();
  states_ = found;
  return try_states();
}

// Scales the impulses so that the solution of least norm distributes friction over the sticking contacts in
// proportion to their loads at the last trial: an equal share can exceed the limit of lightly loaded
// contacts.
void FrictionSolver::share_friction() {
  double most = 0.0;
  for (Index i = 0; i < static_cast<Index>(mu_.size()); ++i) most = std::max(most, trial_[3 * i]);
  for (Index i = 0; i < static_cast<Index>(mu_.size()); ++i) {
    const double load = most > 0.0 ? trial_[3 * i] / most : 1.0;
    scale_.segment<2>(3 * i + 1).setConstant(std::sqrt(std::max(load, kSmallestShare)));
  }
}

bool FrictionSolver::try_states() {
  trial_ = *p_;
  if (!solve_equations()) return false;
  const VectorXd kept = *p_;
  *p_ = trial_;
  Index worst = -1;
  if (residual(worst) < kSolved * size_) return true;
  *p_ = kept;
  return false;
}

bool FrictionSolver::solve_equations() {
  const auto n = static_cast<Index>(mu_.size());
  MatrixXd J(3 * n, 3 * n);
  VectorXd F(3 * n);
  for (int step = 0; step < kMostNewtonSteps; ++step) {
    v_ = *G_ * trial_ + *b_;
    J.setZero();
    for (Index i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const Index k = 3 * i;
      const double scale = (*G_)(k, k) + R_[at];
      if (states_[at] == State::kOpen) {
        J.block<3, 3>(k, k) = scale * Matrix3d::Identity();
        F.segment<3>(k) = scale * trial_.segment<3>(k);
        continue;
      }
      J.row(k) = G_->row(k);
      J(k, k) += R_[at];
      F[k] = v_[k] + R_[at] * trial_[k];
      if (states_[at] == State::kStick) {
        J.middleRows<2>(k + 1) = G_->middleRows<2>(k + 1);
        F.segment<2>(k + 1) = v_.segment<2>(k + 1);
        continue;
      }
      // p_t + mu p_n d = 0, d = v_t/|v_t|
      const Vector2d slip = v_.segment<2>(k + 1);
      const double speed = slip.norm();
      J.block<2, 2>(k + 1, k + 1) = scale * Eigen::Matrix2d::Identity();
      F.segment<2>(k + 1) = scale * trial_.segment<2>(k + 1);
      if (speed <= kSolved * size_ || mu_[at] == 0.0) continue;
      const Vector2d d = slip / speed;
      F.segment<2>(k + 1) += scale * mu_[at] * trial_[k] * d;
      J.block<2, 1>(k + 1, k) += scale * mu_[at] * d;
      const Eigen::Matrix2d turn = (Eigen::Matrix2d::Identity() - d * d.transpose()) / speed;
      J.middleRows<2>(k + 1) += scale * mu_[at] * trial_[k] * turn * G_->middleRows<2>(k + 1);
    }
    if (step > 0 && F.cwiseAbs().maxCoeff() <= 1e-15 * size_) return true;
    LeastNormSolver solver(kSingular);
    // The unknowns are the impulses, not their changes, so that the impulses have least norm.
    const VectorXd goal = J * trial_ - F;
    const VectorXd next = scale_.asDiagonal() * solver.compute(J * scale_.asDiagonal()).solve(goal);
    const bool is_settled = (next - trial_).cwiseAbs().maxCoeff() <= 1e-15 * next.cwiseAbs().maxCoeff();
    trial_ = next;
    if (!trial_.allFinite()) return false;
    if (is_settled) return true;
  }
  return true;
}

}  // namespace sestina
