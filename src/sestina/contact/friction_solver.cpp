#include "sestina/contact/friction_solver.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <cmath>

#include "sestina/contact/sliding_impulse.h"
#include "sestina/numerics/least_norm_solver.h"

namespace sestina {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr int kFewSweeps = 10, kManySweeps = 500;
constexpr std::size_t kFewContacts = 12;
constexpr int kBetweenPolishes = 5;  // sweeps
constexpr int kMostCones = 30;       // solutions of the convex problem
constexpr int kMostNewtonSteps = 20;
constexpr double kSolved = 1e-11;        // of the largest velocity
constexpr double kAccepted = 1e-7;       // likewise, where Newton's method does not confirm the states
constexpr double kTouching = 1e-8;       // likewise: slower contacts may carry
constexpr double kNearlyStuck = 1e-3;    // likewise: contacts that slide slower may stick
constexpr double kSmallestShare = 1e-6;  // of the friction of contacts that stick
constexpr double kSingular = 1e-12;      // of the largest pivot
constexpr double kShift = 1e-5;          // of the largest diagonal element
constexpr int kMostRefinements = 12;
constexpr double kLeast = 4e-16;  // of the largest velocity: round-off

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
  // Sweeps pass loads on from contact to contact, which takes many of them in a tall stack.
  const int sweeps = mu.size() <= kFewContacts ? kFewSweeps : 0;
  report.is_solved = solve_by_sweeps(sweeps, report.sweeps) || solve_by_cones() ||
                     solve_by_sweeps(kManySweeps, report.sweeps);
  Index worst = -1;
  report.residual = residual(worst) / size_;
  report.worst = static_cast<int>(worst);
  report.is_solved = report.is_solved || report.residual < kAccepted;
  return report;
}

bool FrictionSolver::solve_by_sweeps(int most, int& sweeps) {
  for (int sweep = 1; sweep <= most; ++sweep) {
    ++sweeps;
    for (Index i = 0; i < static_cast<Index>(mu_.size()); ++i) solve_one(i);
    // A single contact is solved by its first sweep.
    if ((sweep % kBetweenPolishes == 0 || mu_.size() == 1) && polish()) return true;
  }
  return false;
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
    // In a direction without mobility there is no impulse, although prescribed motions may slide along it.
    const Vector3d stuck = own.completeOrthogonalDecomposition().solve(-w);
    const bool stops = (w + own * stuck).tail<2>().norm() <= kTouching * w.tail<2>().norm();
    if (stops && stuck[0] >= 0.0 && stuck.tail<2>().norm() <= mu * stuck[0]) {
      p = stuck;
      state = State::kStick;
    } else if (find_sliding_impulse(own, w, mu, Vector2d::Zero(), p)) {
      state = State::kSlide;
    } else {  // Painleve's paradox: take the point of the cone nearest to the sticking impulse
      p = {std::max(stuck[0], 0.0), stuck[1], stuck[2]};
      const double tangential = p.tail<2>().norm();
      if (tangential > mu * p[0]) p.tail<2>() *= mu * p[0] / tangential;
      state = State::kSlide;
    }
  }
  p_->segment<3>(3 * i) = p;
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
    // (3) as a projection: p_t is the point of the disc with radius mu p_n that is nearest to p_t -
    // v_t/inverse.
    Vector2d wanted = p.tail<2>() - u.tail<2>() / inverse;
    const double limit = std::max(mu_[at] * p[0], 0.0);
    if (wanted.norm() > limit) wanted *= limit / wanted.norm();
    violation = std::max(violation, inverse * (p.tail<2>() - wanted).norm());
    if (violation > largest) largest = violation, worst = i;
  }
  return largest;
}

// Solves the equations of the states that the sweeps have found by Newton's method. Returns false if its
// solution violates a condition. Contacts that neither separate nor carry load are first tried as closed,
// because the sweeps load the first of several redundant contacts. Contacts that slide very slowly are first
// tried as sticking: where others share their load, the sweeps keep shifting it long after all of them have
// come to rest.
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

// Solves (4), in the coordinates in which its cones are K of cone_program.h: x = [mu p_n; p_t],
// y = [(v_n + R p_n)/mu + s; v_t]. A contact without friction is a ray, x = p_n.
bool FrictionSolver::solve_by_cones() {
  const auto n = static_cast<Index>(mu_.size());
  VectorXd inverse = VectorXd::Ones(3 * n);
  std::vector<bool> is_ray(mu_.size());
  MatrixXd M = *G_;
  for (Index i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    is_ray[at] = mu_[at] == 0.0;
    if (!is_ray[at]) inverse[3 * i] = 1.0 / mu_[at];
    M(3 * i, 3 * i) += R_[at];
  }
  M = (inverse.asDiagonal() * M * inverse.asDiagonal()).eval();
  slip_.setZero(n);
  for (int round = 0; round < kMostCones; ++round) {
    VectorXd q = inverse.cwiseProduct(*b_);
    for (Index i = 0; i < n; ++i) q[3 * i] += slip_[i];
    const bool is_exact = cones_.solve(M, q, is_ray);  // otherwise the states may be right nevertheless
    *p_ = inverse.cwiseProduct(cones_.x());
    read_cones();
    scale_.setOnes(3 * n);
    const VectorXd found = *p_;
    if (try_states() || (*p_ = found, try_states(Norm::kChange))) return true;
    *p_ = found;
    if (!is_exact) return false;
    double change = 0.0;
    for (Index i = 0; i < n; ++i) {
      const double slip = mu_[static_cast<std::size_t>(i)] > 0.0 ? v_.segment<2>(3 * i + 1).norm() : 0.0;
      change = std::max(change, std::abs(slip - slip_[i]));
      slip_[i] = slip;
    }
    if (change <= kSolved * size_) break;
  }
  return false;
}

// Determines the states and v_ from the impulses and velocities of the cones; impulses of open contacts
// vanish.
void FrictionSolver::read_cones() {
  v_ = *G_ * *p_ + *b_;
  for (Index i = 0; i < static_cast<Index>(mu_.size()); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double inverse = (*G_)(3 * i, 3 * i) + R_[at];  // turns impulses into velocities
    const double p_n = (*p_)[3 * i], slip = v_.segment<2>(3 * i + 1).norm();
    if (inverse * p_n <= v_[3 * i] + R_[at] * p_n) {
      states_[at] = State::kOpen;
      p_->segment<3>(3 * i).setZero();
    } else {
      const double unused = inverse * (mu_[at] * p_n - p_->segment<2>(3 * i + 1).norm());
      states_[at] = mu_[at] > 0.0 && slip <= unused ? State::kStick : State::kSlide;
    }
  }
}

// Scales the impulses so that the least norm shares the friction of contacts that stick in proportion to
// their loads at the last trial: an equal share can be too much for those that carry little.
void FrictionSolver::share_friction() {
  double most = 0.0;
  for (Index i = 0; i < static_cast<Index>(mu_.size()); ++i) most = std::max(most, trial_[3 * i]);
  for (Index i = 0; i < static_cast<Index>(mu_.size()); ++i) {
    const double load = most > 0.0 ? trial_[3 * i] / most : 1.0;
    scale_.segment<2>(3 * i + 1).setConstant(std::sqrt(std::max(load, kSmallestShare)));
  }
}

bool FrictionSolver::try_states(Norm least) {
  trial_ = *p_;
  if (!solve_linear(least)) {
    trial_ = *p_;
    if (!solve_equations(least)) return false;
  }
  const VectorXd kept = *p_;
  *p_ = trial_;
  Index worst = -1;
  if (residual(worst) < kSolved * size_) return true;
  *p_ = kept;
  return false;
}

// If nothing slides against friction, the equations are A p = -b on the active rows, with A symmetric:
// p <- p + (A + e I)^-1 (-b - A p), from p = 0 or, for the least change, from the trial. False if A is too
// nearly singular for that.
bool FrictionSolver::solve_linear(Norm least) {
  rows_.clear();
  for (Index i = 0; i < static_cast<Index>(mu_.size()); ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (states_[at] == State::kOpen) continue;
    if (states_[at] == State::kSlide && mu_[at] > 0.0) return false;
    for (Index k = 0; k < (states_[at] == State::kStick ? 3 : 1); ++k) rows_.push_back(3 * i + k);
  }
  const VectorXd scale = scale_(rows_), right = -scale.cwiseProduct((*b_)(rows_));
  MatrixXd A = (*G_)(rows_, rows_);
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const auto at = static_cast<Index>(k);
    if (rows_[k] % 3 == 0) A(at, at) += R_[static_cast<std::size_t>(rows_[k] / 3)];
  }
  A = (scale.asDiagonal() * A * scale.asDiagonal()).eval();
  VectorXd p = VectorXd::Zero(right.size());
  if (least == Norm::kChange) p = trial_(rows_).cwiseQuotient(scale);
  MatrixXd shifted = A;
  if (rows_.empty() || !(A.diagonal().maxCoeff() > 0.0)) {
    trial_.setZero();
    return true;
  }
  shifted.diagonal().array() += kShift * A.diagonal().maxCoeff();
  const Eigen::LLT<MatrixXd> factor(shifted);
  if (factor.info() != Eigen::Success) return false;
  for (int step = 0; step < kMostRefinements; ++step) {
    const VectorXd left = right - A * p;
    if (left.cwiseAbs().maxCoeff() <= kLeast * size_) {
      trial_.setZero();
      trial_(rows_) = scale.cwiseProduct(p);
      return true;
    }
    p += factor.solve(left);
  }
  return false;
}

bool FrictionSolver::solve_equations(Norm least) {
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
    solver.compute(J * scale_.asDiagonal());
    // The unknowns are the impulses or their changes, whichever are to have least norm.
    const VectorXd next = least == Norm::kImpulses
                              ? VectorXd(scale_.asDiagonal() * solver.solve(J * trial_ - F))
                              : VectorXd(trial_ - scale_.asDiagonal() * solver.solve(F));
    const bool is_settled = (next - trial_).cwiseAbs().maxCoeff() <= 1e-15 * next.cwiseAbs().maxCoeff();
    trial_ = next;
    if (!trial_.allFinite()) return false;
    if (is_settled) return true;
  }
  return true;
}

}  // namespace sestina
