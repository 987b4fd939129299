#include "sestina/dynamics/linearized_motion.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "sestina/base/error.h"
#include "sestina/numerics/least_norm_solver.h"

namespace sestina {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXcd;
using Eigen::VectorXd;

constexpr double kSmallestPivot = 1e-10;  // relative to the largest pivot
constexpr double kSymmetric = 1e-9;       // relative to the largest element

MatrixXd null_space(const MatrixXd& G) { return calc_null_space(G, kSmallestPivot); }

Eigen::LLT<MatrixXd> factor_mass(const MatrixXd& mass, double t) {
  Eigen::LLT<MatrixXd> factor(mass);
  const double largest = mass.size() == 0 ? 0.0 : mass.diagonal().maxCoeff();
  const bool is_singular =
      mass.size() > 0 && (factor.info() != Eigen::Success ||
                          !(factor.matrixLLT().diagonal().cwiseAbs2().minCoeff() > 1e-14 * largest));
  if (is_singular) {
    throw ComputationError(t, "the mass matrix is singular: something can move that has no inertia");
  }
  return factor;
}

constexpr double kOfStatesAlone = 1e-12;  // largest |dq| of a unit eigenvector that moves no coordinate

VectorXcd normalized(const VectorXcd& shape) {
  if (shape.size() == 0) return shape;
  Eigen::Index largest = 0;
  shape.cwiseAbs().maxCoeff(&largest);
  return std::abs(shape[largest]) > 0.0 ? VectorXcd(shape / shape[largest]) : shape;
}

// Computes the modes of (5) if K is symmetric and there is no damping; otherwise returns false.
bool find_undamped_modes(const MotionTangents& tangents, const State<double>& state,
                         std::vector<VibrationMode>& modes) {
  const bool is_at_rest = std::ranges::all_of(state.u, [](double u) { return u == 0.0; });
  if (!is_at_rest || tangents.nx() > 0) return false;
  const MatrixXd C = calc_rows_on_positions(tangents);
  if (C != tangents.C) return false;
  const MatrixXd Z = null_space(C);
  const MatrixXd K = Z.transpose() * tangents.r_q * Z, D = Z.transpose() * tangents.r_u * Z;
  const double size = K.size() == 0 ? 0.0 : K.cwiseAbs().maxCoeff();
  if (K.size() > 0 && ((K - K.transpose()).cwiseAbs().maxCoeff() > kSymmetric * size || !D.isZero(0.0))) {
    return false;
  }
  const MatrixXd M = Z.transpose() * tangents.M * Z;
  factor_mass(M, state.t);
  if (K.size() == 0) return true;
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> solver(0.5 * (K + K.transpose()), M);
  const VectorXd& squares = solver.eigenvalues();
  const double rounding = 10.0 * static_cast<double>(squares.size()) *
                          std::numeric_limits<double>::epsilon() * squares.cwiseAbs().maxCoeff();
  for (Eigen::Index i = 0; i < squares.size(); ++i) {
    const VectorXcd shape = normalized((Z * solver.eigenvectors().col(i)).cast<std::complex<double>>());
    const double omega = std::sqrt(std::abs(squares[i]));
    if (std::abs(squares[i]) <= rounding) {
      modes.push_back({0.0, shape});
    } else if (squares[i] > 0.0) {
      modes.push_back({{0.0, omega}, shape});
    } else {
      modes.push_back({-omega, shape});
      modes.push_back({omega, shape});
    }
  }
  return true;
}

// n: the number of speeds.
void find_modes_of(const LinearizedMotion& motion, Eigen::Index n, std::vector<VibrationMode>& modes) {
  if (motion.basis.cols() == 0) return;
  const Eigen::EigenSolver<MatrixXd> solver(motion.basis.transpose() * motion.A * motion.basis);
  const VectorXcd& values = solver.eigenvalues();
  const double rounding =
      std::sqrt(10.0 * static_cast<double>(values.size()) * std::numeric_limits<double>::epsilon()) *
      values.cwiseAbs().maxCoeff();
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    std::complex<double> value = values[i];
    if (std::abs(value) <= rounding) value = 0.0;
    if (value.imag() < 0.0) continue;
    const VectorXcd x = motion.basis.cast<std::complex<double>>() * solver.eigenvectors().col(i);
    const VectorXcd dq = x.head(n), dx = x.tail(x.size() - 2 * n);
    const double size = n == 0 ? 0.0 : dq.cwiseAbs().maxCoeff();
    if (size <= kOfStatesAlone && dx.size() > 0) {
      modes.push_back({value, VectorXcd::Zero(n), normalized(dx)});
      continue;
    }
    Eigen::Index largest = 0;
    if (n > 0) dq.cwiseAbs().maxCoeff(&largest);
    modes.push_back({value, normalized(dq), size > 0.0 ? VectorXcd(dx / dq[largest]) : dx});
  }
}

}  // namespace

Eigen::MatrixXd calc_turning(const Model& model, const State<double>& state) {
  const auto n = static_cast<Eigen::Index>(state.u.size()), nq = static_cast<Eigen::Index>(state.q.size());
  MatrixXd turning = MatrixXd::Zero(n, n);
  if (n == nq) return turning;
  std::vector<Dual> q(state.q.begin(), state.q.end()), u(state.u.begin(), state.u.end());
  std::vector<Dual> unit(state.u.size()), rate(state.q.size());
  const auto along = [&](const std::vector<Dual>& speeds, const VectorXd& direction) {
    for (Eigen::Index i = 0; i < nq; ++i) q[static_cast<std::size_t>(i)].d = direction[i];
    calc_q_dot<Dual>(model, q, speeds, rate);
    for (Dual& x : q) x.d = 0.0;
    VectorXd change(nq);
    for (Eigen::Index i = 0; i < nq; ++i) change[i] = rate[static_cast<std::size_t>(i)].d;
    return change;
  };
  const auto values = [&](const std::vector<Dual>& speeds) {
    calc_q_dot<Dual>(model, q, speeds, rate);
    VectorXd value(nq);
    for (Eigen::Index i = 0; i < nq; ++i) value[i] = rate[static_cast<std::size_t>(i)].v;
    return value;
  };
  MatrixXd N(nq, n), brackets(nq, n);
  const VectorXd qdot = values(u);
  for (Eigen::Index k = 0; k < n; ++k) {
    unit[static_cast<std::size_t>(k)] = 1.0;
    N.col(k) = values(unit);
    brackets.col(k) = along(u, N.col(k)) - along(unit, qdot);
    unit[static_cast<std::size_t>(k)] = 0.0;
  }
  return N.householderQr().solve(brackets);
}

MatrixXd calc_rows_on_positions(const MotionTangents& tangents) {
  MatrixXd C = tangents.C;
  for (Eigen::Index i = 0; i < C.rows(); ++i) {
    if (!tangents.is_on_position(i)) C.row(i).setZero();
  }
  return C;
}

AccelerationSolver::AccelerationSolver(const MatrixXd& M, const MatrixXd& C, double t)
    : M_(M),
      Z_(null_space(C)),
      C_inverse_(MatrixXd::Zero(C.cols(), C.rows())),
      mass_(factor_mass(Z_.transpose() * M * Z_, t)) {
  if (C.size() > 0) C_inverse_ = LeastNormSolver(kSmallestPivot).compute(C).pseudo_inverse();
}

MatrixXd AccelerationSolver::solve(const MatrixXd& dr, const MatrixXd& da) const {
  MatrixXd given = -(C_inverse_ * da);
  if (Z_.cols() == 0 || dr.cols() == 0) return given;
  return given - Z_ * mass_.solve(Z_.transpose() * (dr + M_ * given));
}

MatrixXd calc_state_matrix(const Model& model, const MotionTangents& tangents, const State<double>& state,
                           const AccelerationSolver& accelerations) {
  const Eigen::Index n = tangents.nu(), m = tangents.rows(), nx = tangents.nx();
  MatrixXd A = MatrixXd::Zero(2 * n + nx, 2 * n + nx);
  A.topLeftCorner(n, n) = calc_turning(model, state);
  A.block(0, n, n, n).setIdentity();
  A.block(n, 0, n, n) = accelerations.solve(tangents.r_q, tangents.a_q);
  A.block(n, n, n, n) = accelerations.solve(tangents.r_u, tangents.a_u);
  A.block(n, 2 * n, n, nx) = accelerations.solve(tangents.r_x, MatrixXd::Zero(m, nx));
  A.block(2 * n, 0, nx, n) = tangents.rate_q;
  A.block(2 * n, n, nx, n) = tangents.rate_u;
  A.bottomRightCorner(nx, nx) = tangents.rate_x;
  return A;
}

LinearizedMotion linearize_motion(const Model& model, const MotionTangents& tangents,
                                  const State<double>& state) {
  model.refuse_contacts("linearize");
  const Eigen::Index n = tangents.nu(), m = tangents.rows(), nx = tangents.nx();
  const AccelerationSolver accelerations(tangents.M, tangents.C, state.t);
  LinearizedMotion motion;
  motion.A = calc_state_matrix(model, tangents, state, accelerations);
  motion.B = MatrixXd::Zero(2 * n + nx, n);
  motion.B.middleRows(n, n) = accelerations.solve(-MatrixXd::Identity(n, n), MatrixXd::Zero(m, n));
  MatrixXd G = MatrixXd::Zero(2 * m, 2 * n + nx);  // (4)
  G.topLeftCorner(m, n) = calc_rows_on_positions(tangents);
  G.bottomLeftCorner(m, n) = tangents.v_q;
  G.block(m, n, m, n) = tangents.C;
  motion.basis = null_space(G);
  return motion;
}

Eigen::MatrixXd calc_input_matrix(const MotionTangents& tangents, const State<double>& state,
                                  const Eigen::MatrixXd& r_p, const Eigen::MatrixXd& a_p,
                                  const Eigen::MatrixXd& rate_p) {
  const Eigen::Index n = tangents.nu();
  MatrixXd B = MatrixXd::Zero(2 * n + tangents.nx(), r_p.cols());
  B.middleRows(n, n) = AccelerationSolver(tangents.M, tangents.C, state.t).solve(r_p, a_p);
  B.bottomRows(tangents.nx()) = rate_p;
  return B;
}

std::vector<VibrationMode> calc_modes(const Model& model, const MotionTangents& tangents,
                                      const State<double>& state) {
  model.refuse_contacts("modes");
  std::vector<VibrationMode> modes;
  if (!find_undamped_modes(tangents, state, modes)) {
    find_modes_of(linearize_motion(model, tangents, state), tangents.nu(), modes);
  }
  std::ranges::stable_sort(modes, [](const VibrationMode& a, const VibrationMode& b) {
    return std::abs(a.eigenvalue) < std::abs(b.eigenvalue);
  });
  return modes;
}

bool keeps_state_matrix(const Model& model, const Properties<double>& properties, const State<double>& state,
                        std::span<const double> udot, const Eigen::VectorXd& lambda) {
  constexpr double kWay = 1e-3;   // rad, m: largest displacement
  constexpr double kSame = 1e-7;  // relative
  double fastest = 0.0;
  for (const double u : state.u) fastest = std::max(fastest, std::abs(u));
  if (fastest == 0.0) return true;
  MotionTangents tangents(model, properties);
  const auto calc_matrix = [&](const State<double>& at) {
    tangents.update_tangents(at, udot, lambda, true);
    return calc_state_matrix(model, tangents, at, AccelerationSolver(tangents.M, tangents.C, at.t));
  };
  State<double> moved = state;
  std::vector<double> displacement(state.u);
  for (double& d : displacement) d *= kWay / fastest;
  plus_q<double>(model, state.q, displacement, moved.q);
  const Eigen::MatrixXd here = calc_matrix(state), there = calc_matrix(moved);
  return (there - here).cwiseAbs().maxCoeff() <= kSame * here.cwiseAbs().maxCoeff();
}

}  // namespace sestina
