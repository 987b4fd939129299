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

void NewtonMatrix::resize(EquationsOfMotion& equations) {
  sizes_ = equations.sizes();
  const int nq = sizes_.nq, nw = sizes_.nu + sizes_.nx, nz = sizes_.nz;
  check_memory(((nw + nz) * (nq + nw) + 2.0 * nw * nw) * sizeof(double),
               fmt::format("Newton's method of an implicit rule for {} speeds", nw));
  is_plain_ = equations.rotations().empty();
  is_analytical_ = sizes_.nx == 0 && equations.residual_face() != nullptr;
  derivatives_.setZero(nw + nz, nq + nw);
  matrix_.setIdentity(nw, nw);
  lu_.compute(matrix_);
  for (Vector* v : {&sw_, &bw_}) v->setZero(nw);
  sq_.setZero(nq);
  at_ = {.q = std::vector<double>(size(nq)),
         .u = std::vector<double>(size(sizes_.nu)),
         .x = std::vector<double>(size(sizes_.nx)),
         .d = std::vector<double>(size(sizes_.nd)),
         .z = std::vector<double>(size(nz))};
  moved_ = at_;
  changed_.assign(size(nw + nz), 0.0);
  for (auto* v : {&offset_, &v_, &w_, &p_}) v->assign(size(nq), 0.0);
  unit_.assign(size(sizes_.nu), 0.0);
}

int NewtonMatrix::update_derivatives(EquationsOfMotion& equations, const State<double>& state,
                                     std::span<const double> rate, std::span<const double> increments) {
  at_ = state;
  if (!is_analytical_) return take_differences(equations, rate, increments);
  take_tangent(equations, *equations.residual_face());
  return -1;
}

void NewtonMatrix::take_tangent(EquationsOfMotion& equations, ResidualFace& face) {
  face.update_tangent(at_);
  const MatrixBlock by_q = face.udot_by_q(), by_u = face.udot_by_u();
  const int nq = sizes_.nq, nu = sizes_.nu;
  for (int j = 0; j < nu; ++j) {
    for (int i = 0; i < nu; ++i) derivatives_(i, nq + j) = by_u(i, j);
  }
  if (is_plain_) {
    for (int j = 0; j < nu; ++j) {
      for (int i = 0; i < nu; ++i) derivatives_(i, j) = by_q(i, j);
    }
    return;
  }
  auto a_q = derivatives_.topLeftCorner(nu, nq);
  a_q.setZero();
  for (int k = 0; k < nu; ++k) {
    unit_[size(k)] = 1.0;
    equations.calc_q_dot(at_.q, unit_, v_);
    unit_[size(k)] = 0.0;
    const double squares = Eigen::Map<const Vector>(v_.data(), nq).squaredNorm();
    for (int j = 0; j < nq; ++j) {  // at most four are not zero
      const double weight = v_[size(j)] / squares;
      if (weight == 0.0) continue;
      for (int i = 0; i < nu; ++i) a_q(i, j) += weight * by_q(i, k);
    }
  }
}

int NewtonMatrix::take_differences(EquationsOfMotion& equations, std::span<const double> rate,
                                   std::span<const double> increments) {
  const auto nu = size(sizes_.nu), nx = size(sizes_.nx);
  const std::span<double> changed(changed_);
  const std::span<const double> base = rate.subspan(size(sizes_.nq));  // udot, xdot and zdot
  std::size_t j = 0;
  for (std::vector<double>* part : {&at_.q, &at_.u, &at_.x}) {
    for (double& value : *part) {
      const double kept = value;
      value += increments[j];
      const double difference = value - kept;  // as it is rounded
      equations.calc_derivatives(at_, {changed.first(nu), changed.subspan(nu, nx), changed.subspan(nu + nx)});
      value = kept;
      if (first_not_finite(changed) >= 0) return static_cast<int>(j);
      double* column = derivatives_.col(static_cast<Eigen::Index>(j)).data();
      for (std::size_t i = 0; i < changed.size(); ++i) column[i] = (changed[i] - base[i]) / difference;
      ++j;
    }
  }
  return -1;
}

bool NewtonMatrix::factorize(EquationsOfMotion& equations, double gamma) {
  gamma_ = gamma;
  const Eigen::Index nq = sq_.size(), nw = sw_.size(), nu = sizes_.nu;
  const auto a_q = derivatives_.topLeftCorner(nw, nq);
  matrix_ = -gamma * derivatives_.block(0, nq, nw, nw);
  if (is_plain_) {
    matrix_.leftCols(nu) -= gamma * gamma * a_q;
  } else {
    std::ranges::fill(v_, 0.0);
    equations.calc_q_dot(v_, at_.u, offset_);
    for (Eigen::Index k = 0; k < nu; ++k) {
      unit_[size(k)] = gamma * gamma;
      equations.calc_q_dot(at_.q, unit_, v_);
      unit_[size(k)] = 0.0;
      multiply_by_P(equations, v_);
      for (Eigen::Index i = 0; i < nq; ++i) {  // at most four are not zero
        if (v_[size(i)] != 0.0) matrix_.col(k) -= v_[size(i)] * a_q.col(i);
      }
    }
  }
  matrix_.diagonal().array() += 1.0;
  lu_.compute(matrix_);
  const auto pivots = lu_.matrixLU().diagonal();
  return pivots.allFinite() && (pivots.array() != 0.0).all();
}

void NewtonMatrix::solve(EquationsOfMotion& equations, const State<double>& state,
                         std::span<const double> zdot, double gamma_z, std::span<const double> b,
                         std::span<double> s) {
  const Eigen::Index nq = sq_.size(), nw = sw_.size(), nz = derivatives_.rows() - nw, nu = sizes_.nu;
  const auto a_q = derivatives_.topLeftCorner(nw, nq);
  sq_ = Eigen::Map<const Vector>(b.data(), nq);
  multiply_by_P(equations, span_of(sq_));
  bw_ = Eigen::Map<const Vector>(b.data() + nq, nw);
  bw_.noalias() += gamma_ * (a_q * sq_);
  sw_ = lu_.solve(bw_);  // (3)

  const std::span<double> move = v_;
  equations.calc_q_dot(at_.q, span_of(sw_).first(size(nu)), move);
  multiply_by_P(equations, move);
  sq_ += gamma_ * Eigen::Map<const Vector>(move.data(), nq);  // (2)

  Eigen::Map<Vector> out_z(s.data() + nq + nw, nz);
  out_z = Eigen::Map<const Vector>(b.data() + nq + nw, nz);
  if (nz > 0 && is_analytical_) {  // (4)
    moved_ = state;
    for (std::size_t i = 0; i < moved_.q.size(); ++i) moved_.q[i] += sq_[static_cast<Eigen::Index>(i)];
    for (std::size_t i = 0; i < moved_.u.size(); ++i) moved_.u[i] += sw_[static_cast<Eigen::Index>(i)];
    const std::span<double> p = std::span(changed_).first(size(nz));
    equations.residual_face()->calc_quadrature_rates(moved_, p);
    out_z += gamma_z * (Eigen::Map<const Vector>(p.data(), nz) - Eigen::Map<const Vector>(zdot.data(), nz));
  } else {
    out_z.noalias() += gamma_z * (derivatives_.bottomLeftCorner(nz, nq) * sq_);
    out_z.noalias() += gamma_z * (derivatives_.bottomRightCorner(nz, nw) * sw_);
  }
  Eigen::Map<Vector>(s.data(), nq) = sq_;
  Eigen::Map<Vector>(s.data() + nq, nw) = sw_;
}

// (I + gamma G (I + gamma G)) v
void NewtonMatrix::multiply_by_P(EquationsOfMotion& equations, std::span<double> v) {
  if (is_plain_) return;
  const auto add_G_times = [&](std::span<const double> from, std::span<double> to) {
    equations.calc_q_dot(from, at_.u, w_);
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = v[i] + gamma_ * (w_[i] - offset_[i]);
  };
  std::vector<double>& inner = p_;
  add_G_times(v, inner);
  add_G_times(inner, inner);
  std::ranges::copy(inner, v.begin());
}

}  // namespace sestina
