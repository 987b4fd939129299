#include "sestina/integrate/newton_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sestina/base/memory.h"
#include "sestina/integrate/integration_rule.h"

namespace sestina {
namespace {

std::size_t size(Eigen::Index n) { return static_cast<std::size_t>(n); }

std::span<double> span_of(Eigen::VectorXd& v) { return {v.data(), size(v.size())}; }

}  // namespace

void NewtonMatrix::resize(const EquationsOfMotion& equations) {
  const int nq = equations.nq(), nu = equations.nu(), nz = equations.nz();
  check_memory(((nu + nz) * (nq + nu) + 2.0 * nu * nu) * sizeof(double),
               fmt::format("Newton's method of an implicit rule for {} speeds", nu));
  is_plain_ = equations.rotations().empty();
  derivatives_.setZero(nu + nz, nq + nu);
  matrix_.setIdentity(nu, nu);
  lu_.compute(matrix_);
  for (Vector* v : {&xu_, &bu_}) v->setZero(nu);
  xq_.setZero(nq);
  y_.assign(size(nq + nu), 0.0);
  changed_.assign(size(nu + nz), 0.0);
  for (auto* v : {&offset_, &v_, &w_, &p_}) v->assign(size(nq), 0.0);
  unit_.assign(size(nu), 0.0);
}

int NewtonMatrix::update_derivatives(EquationsOfMotion& equations, double t, std::span<const double> y,
                                     std::span<const double> rate, std::span<const double> increments) {
  const std::size_t nq = offset_.size(), nu = unit_.size();
  std::copy_n(y.begin(), nq + nu, y_.begin());
  const std::span<double> q = std::span(y_).first(nq), u = std::span(y_).subspan(nq);
  const std::span<double> changed(changed_);
  const std::span<const double> base = rate.subspan(nq);  // udot and zdot
  for (std::size_t j = 0; j < nq + nu; ++j) {
    const double kept = y_[j];
    y_[j] += increments[j];
    const double difference = y_[j] - kept;  // as it is rounded
    equations.calc_derivatives(t, q, u, changed.first(nu), changed.subspan(nu));
    y_[j] = kept;
    if (first_not_finite(changed) >= 0) return static_cast<int>(j);
    double* column = derivatives_.col(static_cast<Eigen::Index>(j)).data();
    for (std::size_t i = 0; i < changed.size(); ++i) column[i] = (changed[i] - base[i]) / difference;
  }
  return -1;
}

bool NewtonMatrix::factorize(EquationsOfMotion& equations, double gamma) {
  gamma_ = gamma;
  const Eigen::Index nq = xq_.size(), nu = xu_.size();
  const auto a_q = derivatives_.topLeftCorner(nu, nq), a_u = derivatives_.topRightCorner(nu, nu);
  if (is_plain_) {
    matrix_ = -gamma * a_u - gamma * gamma * a_q;
  } else {
    const std::span<const double> q = std::span(y_).first(size(nq)), u = std::span(y_).subspan(size(nq));
    std::ranges::fill(v_, 0.0);
    equations.calc_q_dot(v_, u, offset_);
    matrix_ = -gamma * a_u;
    for (Eigen::Index k = 0; k < nu; ++k) {
      unit_[size(k)] = gamma * gamma;
      equations.calc_q_dot(q, unit_, v_);
      unit_[size(k)] = 0.0;
      multiply_by_P(equations, v_);
      for (Eigen::Index i = 0; i < nq; ++i) {  // four at most are not zero
        if (v_[size(i)] != 0.0) matrix_.col(k) -= v_[size(i)] * a_q.col(i);
      }
    }
  }
  matrix_.diagonal().array() += 1.0;
  lu_.compute(matrix_);
  const auto pivots = lu_.matrixLU().diagonal();
  return pivots.allFinite() && (pivots.array() != 0.0).all();
}

void NewtonMatrix::solve(EquationsOfMotion& equations, std::span<const double> b, std::span<double> x) {
  const Eigen::Index nq = xq_.size(), nu = xu_.size(), nz = derivatives_.rows() - nu;
  const auto a_q = derivatives_.topLeftCorner(nu, nq);
  xq_ = Eigen::Map<const Vector>(b.data(), nq);
  multiply_by_P(equations, span_of(xq_));
  bu_ = Eigen::Map<const Vector>(b.data() + nq, nu);
  bu_.noalias() += gamma_ * (a_q * xq_);
  xu_ = lu_.solve(bu_);  // (3)

  const std::span<double> move = v_;
  equations.calc_q_dot(std::span<const double>(y_).first(size(nq)), span_of(xu_), move);
  multiply_by_P(equations, move);
  xq_ += gamma_ * Eigen::Map<const Vector>(move.data(), nq);  // (2)

  Eigen::Map<Vector> out_z(x.data() + nq + nu, nz);
  out_z = Eigen::Map<const Vector>(b.data() + nq + nu, nz);
  out_z.noalias() += gamma_ * (derivatives_.bottomLeftCorner(nz, nq) * xq_);
  out_z.noalias() += gamma_ * (derivatives_.bottomRightCorner(nz, nu) * xu_);  // (4)
  Eigen::Map<Vector>(x.data(), nq) = xq_;
  Eigen::Map<Vector>(x.data() + nq, nu) = xu_;
}

// (I + gamma G (I + gamma G)) v
void NewtonMatrix::multiply_by_P(EquationsOfMotion& equations, std::span<double> v) {
  if (is_plain_) return;
  const std::span<const double> u = std::span<const double>(y_).subspan(offset_.size());
  const auto add_G_times = [&](std::span<const double> from, std::span<double> to) {
    equations.calc_q_dot(from, u, w_);
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = v[i] + gamma_ * (w_[i] - offset_[i]);
  };
  std::vector<double>& inner = p_;
  add_G_times(v, inner);
  add_G_times(inner, inner);
  std::ranges::copy(inner, v.begin());
}

}  // namespace sestina
