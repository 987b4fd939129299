#include "sestina/numerics/least_norm_solver.h"

#include <Eigen/QR>

namespace sestina {

struct LeastNormSolver::Factors {
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> of;
};

LeastNormSolver::LeastNormSolver() : factors_(std::make_unique<Factors>()) {}
LeastNormSolver::LeastNormSolver(double threshold) : LeastNormSolver() {
  factors_->of.setThreshold(threshold);
}
LeastNormSolver::~LeastNormSolver() = default;
LeastNormSolver::LeastNormSolver(LeastNormSolver&&) noexcept = default;
LeastNormSolver& LeastNormSolver::operator=(LeastNormSolver&&) noexcept = default;

const LeastNormSolver& LeastNormSolver::compute(const Eigen::MatrixXd& A) {
  factors_->of.compute(A);
  return *this;
}

Eigen::Index LeastNormSolver::rank() const { return factors_->of.rank(); }

Eigen::VectorXd LeastNormSolver::solve(const Eigen::VectorXd& b) const { return factors_->of.solve(b); }

Eigen::VectorXd LeastNormSolver::solve_transposed(const Eigen::VectorXd& b) const {
  return factors_->of.transpose().solve(b);
}

Eigen::MatrixXd LeastNormSolver::pseudo_inverse() const { return factors_->of.pseudoInverse(); }

// G^T P = Q [T; 0] of rank k: the last columns of Q are orthogonal to the rows of G.
Eigen::MatrixXd calc_null_space(const Eigen::MatrixXd& G, double threshold) {
  const Eigen::Index n = G.cols();
  if (G.size() == 0) return Eigen::MatrixXd::Identity(n, n);
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(G.transpose());
  qr.setThreshold(threshold);
  const Eigen::MatrixXd Q = qr.householderQ() * Eigen::MatrixXd::Identity(n, n);
  return Q.rightCols(n - qr.rank());
}

}  // namespace sestina
