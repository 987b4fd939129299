#include "sestina/dynamics/input_response.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <Eigen/QR>
#include <numbers>

#include "sestina/base/error.h"
#include "sestina/dynamics/linearized_motion.h"
#include "sestina/numerics/least_norm_solver.h"

namespace sestina {
namespace {

using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXcd;
using Eigen::VectorXd;
using Complex = std::complex<double>;

constexpr double kRedundantPivot = 1e-10;  // of the largest pivot
constexpr double kResonance = 1e-13;       // reciprocal condition of an equation that has no solution

// Returns an orthonormal basis of the null space of G.
MatrixXcd calc_complex_null_space(const MatrixXcd& G) {
  const Eigen::Index n = G.cols();
  if (G.rows() == 0 || n == 0) return MatrixXcd::Identity(n, n);
  Eigen::ColPivHouseholderQR<MatrixXcd> qr(G.adjoint());
  qr.setThreshold(kRedundantPivot);
  const MatrixXcd Q = qr.householderQ() * MatrixXcd::Identity(n, n);
  return Q.rightCols(n - qr.rank());
}

// Returns the x of least norm that minimises |A x - b|.
VectorXcd solve_least(const MatrixXcd& A, const VectorXcd& b) {
  if (A.size() == 0) return VectorXcd::Zero(A.cols());
  Eigen::CompleteOrthogonalDecomposition<MatrixXcd> complete;
  complete.setThreshold(kRedundantPivot);
  return complete.compute(A).solve(b);
}

}  // namespace

InputResponse::InputResponse(const Model& model, const MotionTangents& tangents, const State<double>& state,
                             InputTangent input)
    : tangents_(tangents),
      input_(std::move(input)),
      t_(state.t),
      turning_(calc_turning(model, state)),
      allowed_(calc_null_space(tangents.C, kRedundantPivot)) {
  model.refuse_contacts("frequency_response");
}

void InputResponse::refuse_resonance(double w) const {
  throw ComputationError(t_, fmt::format("the system resonates at {:.6g} Hz without damping: its response "
                                         "has no bound there; take other frequencies, or add damping",
                                         w / (2.0 * std::numbers::pi)));
}

SmallResponse InputResponse::calc(double w) const {
  const Eigen::Index n = tangents_.nu(), m = tangents_.rows();
  const Complex iw(0.0, w);
  const MatrixXcd rate = iw * MatrixXcd::Identity(n, n) - turning_.cast<Complex>();  // (1)
  MatrixXcd S = (iw * tangents_.M + tangents_.r_u) * rate + tangents_.r_q;           // (5)
  VectorXcd r_p = input_.r_p.cast<Complex>();
  // Solves (iw - rate_x) dx = (rate_q + rate_u rate) dq + rate_p: states follow the motion and act on it.
  const Eigen::Index nx = tangents_.nx();
  MatrixXcd x_q = tangents_.rate_q + tangents_.rate_u * rate;
  VectorXcd x_p = input_.rate_p.cast<Complex>();
  if (nx > 0) {
    const Eigen::FullPivLU<MatrixXcd> factor(iw * MatrixXcd::Identity(nx, nx) -
                                             tangents_.rate_x.cast<Complex>());
    if (!(factor.rcond() > kResonance)) refuse_resonance(w);
    x_q = factor.solve(x_q).eval();
    x_p = factor.solve(x_p).eval();
    S += tangents_.r_x * x_q;
    r_p += tangents_.r_x * x_p;
  }
  MatrixXcd G(m, n);
  VectorXcd right(m);
  for (Eigen::Index i = 0; i < m; ++i) {
    if (tangents_.is_on_position(i)) {
      G.row(i) = tangents_.C.row(i).cast<Complex>();  // (2)
      right[i] = -input_.g_p[i];
    } else {
      G.row(i) = tangents_.C.row(i) * rate + tangents_.v_q.row(i);  // (3)
      right[i] = -input_.v_p[i];
    }
  }
  SmallResponse response;
  response.dq = solve_least(G, right);
  const MatrixXcd Z = calc_complex_null_space(G);
  if (Z.cols() > 0) {
    const MatrixXcd Y = allowed_.cast<Complex>();
    const Eigen::FullPivLU<MatrixXcd> factor(Y.adjoint() * S * Z);
    if (factor.rows() != factor.cols() || !(factor.rcond() > kResonance)) refuse_resonance(w);
    response.dq += Z * factor.solve(-(Y.adjoint() * (S * response.dq + r_p)));
  }
  response.du = rate * response.dq;
  response.dudot = iw * response.du;
  response.dlambda = solve_least(tangents_.C.transpose().cast<Complex>(),
                                 S * response.dq + r_p);  // (4)
  response.dx = x_q * response.dq + x_p;
  return response;
}

}  // namespace sestina
