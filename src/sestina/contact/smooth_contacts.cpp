#include "sestina/contact/smooth_contacts.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace sestina {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::VectorXd;

constexpr int kUnknowns = 7;  // of a contact: p_n, p_t (2), s, w, v_t (2)
constexpr int kMostStepsAtOnce = 300;
constexpr std::array<double, 2> kReductions{0.1,
                                            0.6};  // of kappa in a step: the second where the first fails
constexpr double kPartWithinCones = 0.95;          // of the way to the boundary of a cone
constexpr double kKappaError = 1e-10;              // of kappa
constexpr double kRoundOffError = 1e-14;           // of the largest velocity and its impulse: round-off

// Returns the largest fraction of a step, at most 1, that keeps x_0 > |(x_1, x_2)|.
double step_in_cone(double x0, const Vector2d& x, double dx0, const Vector2d& dx) {
  // The smallest positive root of (x_0 + a dx_0)^2 = |x + a dx|^2.
  const double c = x0 * x0 - x.squaredNorm(), half_b = x0 * dx0 - x.dot(dx), a = dx0 * dx0 - dx.squaredNorm();
  const double square = half_b * half_b - a * c;
  double part = 1.0;
  if (dx0 < 0.0) part = std::min(part, -x0 / dx0);
  if (square < 0.0) return part;
  const double q = -(half_b + std::copysign(std::sqrt(square), half_b));
  for (const double root : {q / a, c / q}) {
    if (root > 0.0 && std::isfinite(root)) part = std::min(part, root);
  }
  return part;
}

}  // namespace

bool SmoothContacts::solve(const MatrixXd& G, const VectorXd& b, std::span<const Law> laws, double kappa) {
  G_ = &G, b_ = b;
  laws_.assign(laws.begin(), laws.end());
  const auto n = static_cast<Index>(laws.size());
  if (n == 0) {
    p_.resize(0);
    return true;
  }
  VectorXd mobility = G.diagonal();
  for (Index i = 0; i < n; ++i) mobility[3 * i] += law(i).compliance;
  const double largest = mobility.maxCoeff() > 0.0 ? mobility.maxCoeff() : 1.0;
  velocity_ = std::max(b.cwiseAbs().maxCoeff(), std::sqrt(kappa * largest));
  impulse_ = velocity_ / largest;
  return std::ranges::any_of(kReductions, [&](double reduction) { return follow(kappa, reduction); });
}

// Solves by Newton's method with steps that stay within the cones. kappa is reduced when more than half of a
// step could be taken.
bool SmoothContacts::follow(double kappa, double reduction) {
  start();
  double target = std::max(kappa, velocity_ * impulse_);
  double part = 1.0;
  for (int step = 0; step < kMostStepsAtOnce; ++step) {
    find_residual(target);
    if (target == kappa && is_solved(kappa)) {
      find_matrix();
      factor_.compute(matrix_);
      return true;
    }
    if (target > kappa && part > 0.5) {
      target = std::max(kappa, reduction * target);
      find_residual(target);
    }
    find_matrix();
    const VectorXd change = factor_.compute(matrix_).solve(-residual_);
    if (!change.allFinite()) return false;
    const double longest = longest_step(change);
    part = longest < 1.0 ? kPartWithinCones * longest : 1.0;
    move(part * change);
  }
  return false;
}

void SmoothContacts::move(const VectorXd& change) {
  for (Index i = 0; i < static_cast<Index>(laws_.size()); ++i) {
    const auto own = change.segment<kUnknowns>(kUnknowns * i);
    if (!law(i).impulse) p_[3 * i] += own[0];
    if (has_friction(i)) {
      p_.segment<2>(3 * i + 1) += own.segment<2>(1);
      s_[i] += own[3];
    }
    w_[i] += own[4];
    v_t_.segment<2>(2 * i) += own.tail<2>();
  }
}

void SmoothContacts::start() {
  const auto n = static_cast<Index>(laws_.size());
  p_.setZero(3 * n);
  v_t_.setZero(2 * n);
  w_.setConstant(n, velocity_);
  s_.setConstant(n, velocity_);
  for (Index i = 0; i < n; ++i) p_[3 * i] = law(i).impulse.value_or(impulse_);
}

bool SmoothContacts::is_solved(double kappa) const {
  double products = 0.0, velocities = 0.0;
  for (Index k = 0; k < residual_.size(); k += kUnknowns) {
    products = std::max(products, residual_.segment<4>(k).lpNorm<Eigen::Infinity>());
    velocities = std::max(velocities, residual_.segment<3>(k + 4).lpNorm<Eigen::Infinity>());
  }
  return products <= kKappaError * kappa + kRoundOffError * velocity_ * impulse_ &&
         velocities <= kRoundOffError * velocity_;
}

// Computes the residuals of (2), (3) and (1).
void SmoothContacts::find_residual(double kappa) {
  const auto n = static_cast<Index>(laws_.size());
  const VectorXd v = *G_ * p_ + b_;
  residual_.resize(kUnknowns * n);
  for (Index i = 0; i < n; ++i) {
    const double p_n = p_[3 * i], mu = law(i).friction;
    const Vector2d p_t = p_.segment<2>(3 * i + 1), v_t = v_t_.segment<2>(2 * i);
    auto own = residual_.segment<kUnknowns>(kUnknowns * i);
    own[0] = law(i).impulse ? p_n - *law(i).impulse : p_n * w_[i] - kappa;
    if (has_friction(i)) {
      own.segment<2>(1) = mu * p_n * v_t + s_[i] * p_t;
      own[3] = mu * p_n * s_[i] + p_t.dot(v_t) - kappa;
    } else {
      own.segment<3>(1).setZero();
    }
    own[4] = w_[i] - v[3 * i] - law(i).compliance * p_n;
    own.tail<2>() = v_t - v.segment<2>(3 * i + 1);
  }
}

void SmoothContacts::find_matrix() {
  const auto n = static_cast<Index>(laws_.size());
  matrix_.setZero(kUnknowns * n, kUnknowns * n);
  for (Index i = 0; i < n; ++i) {
    const Index k = kUnknowns * i;
    const double p_n = p_[3 * i], mu = law(i).friction;
    const Vector2d p_t = p_.segment<2>(3 * i + 1), v_t = v_t_.segment<2>(2 * i);
    matrix_(k, k) = law(i).impulse ? 1.0 : w_[i];
    matrix_(k, k + 4) = law(i).impulse ? 0.0 : p_n;
    if (has_friction(i)) {
      matrix_.block<2, 1>(k + 1, k) = mu * v_t;
      matrix_.block<2, 2>(k + 1, k + 1).diagonal().setConstant(s_[i]);
      matrix_.block<2, 1>(k + 1, k + 3) = p_t;
      matrix_.block<2, 2>(k + 1, k + 5).diagonal().setConstant(mu * p_n);
      matrix_(k + 3, k) = mu * s_[i];
      matrix_.block<1, 2>(k + 3, k + 1) = v_t.transpose();
      matrix_(k + 3, k + 3) = mu * p_n;
      matrix_.block<1, 2>(k + 3, k + 5) = p_t.transpose();
    } else {
      matrix_.block<3, 3>(k + 1, k + 1).setIdentity();
    }
    for (Index j = 0; j < n; ++j) {
      matrix_.block<3, 3>(k + 4, kUnknowns * j) = -G_->block<3, 3>(3 * i, 3 * j);
    }
    matrix_(k + 4, k) -= law(i).compliance;
    matrix_.block<3, 3>(k + 4, k + 4) += Eigen::Matrix3d::Identity();
  }
}

double SmoothContacts::longest_step(const VectorXd& change) const {
  double part = 1.0;
  for (Index i = 0; i < static_cast<Index>(laws_.size()); ++i) {
    const auto own = change.segment<kUnknowns>(kUnknowns * i);
    const double p_n = p_[3 * i], mu = law(i).friction;
    if (!law(i).impulse) {
      if (own[0] < 0.0) part = std::min(part, -p_n / own[0]);
      if (own[4] < 0.0) part = std::min(part, -w_[i] / own[4]);
    }
    if (!has_friction(i)) continue;
    part = std::min(part, step_in_cone(mu * p_n, p_.segment<2>(3 * i + 1), mu * own[0], own.segment<2>(1)));
    part = std::min(part, step_in_cone(s_[i], v_t_.segment<2>(2 * i), own[3], own.tail<2>()));
  }
  return part;
}

MatrixXd SmoothContacts::p_by_v() const {
  const auto n = static_cast<Index>(laws_.size());
  MatrixXd velocities = MatrixXd::Zero(kUnknowns * n, 3 * n);
  for (Index i = 0; i < n; ++i) velocities.block<3, 3>(kUnknowns * i + 4, 3 * i).setIdentity();
  return impulses_of(velocities);
}

VectorXd SmoothContacts::p_by_law(std::span<const Law> changes) const {
  const auto n = static_cast<Index>(laws_.size());
  VectorXd right = VectorXd::Zero(kUnknowns * n);
  for (Index i = 0; i < n; ++i) {
    const Law& change = changes[static_cast<std::size_t>(i)];
    const double p_n = p_[3 * i];
    auto own = right.segment<kUnknowns>(kUnknowns * i);
    if (law(i).impulse) own[0] = change.impulse.value_or(0.0);
    if (has_friction(i)) {
      own.segment<2>(1) = -change.friction * p_n * v_t_.segment<2>(2 * i);
      own[3] = -change.friction * p_n * s_[i];
    }
    own[4] = change.compliance * p_n;
  }
  return impulses_of(right);
}

// Returns the rows of p in the solution of the linear equations.
MatrixXd SmoothContacts::impulses_of(const MatrixXd& right) const {
  const auto n = static_cast<Index>(laws_.size());
  const MatrixXd all = factor_.solve(right);
  MatrixXd of_p(3 * n, right.cols());
  for (Index i = 0; i < n; ++i) of_p.middleRows<3>(3 * i) = all.middleRows<3>(kUnknowns * i);
  return of_p;
}

}  // namespace sestina
