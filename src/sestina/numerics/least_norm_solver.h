// Solves A x = b where A may have any rank: of the x that come nearest to it, the one of least norm.
//
// A is factored by QR with column pivoting, and its upper part again from the right; a pivot that is smaller
// than a threshold times the largest counts as zero. Compiled here once, since the decomposition is a large
// template. Source: G. H. Golub, C. F. Van Loan, Matrix Computations, 4th edition (2013), section 5.5.
#pragma once

#include <Eigen/Core>
#include <memory>

namespace sestina {

class LeastNormSolver {
 public:
  // Without a threshold: round-off times the size of A.
  LeastNormSolver();
  explicit LeastNormSolver(double threshold);
  ~LeastNormSolver();
  LeastNormSolver(LeastNormSolver&&) noexcept;
  LeastNormSolver& operator=(LeastNormSolver&&) noexcept;

  const LeastNormSolver& compute(const Eigen::MatrixXd& A);
  // The following are of the last compute().
  Eigen::Index rank() const;
  Eigen::VectorXd solve(const Eigen::VectorXd& b) const;
  Eigen::VectorXd solve_transposed(const Eigen::VectorXd& b) const;  // A^T x = b
  Eigen::MatrixXd pseudo_inverse() const;

 private:
  struct Factors;
  std::unique_ptr<Factors> factors_;
};

// An orthonormal basis (columns) of the x with G x = 0.
Eigen::MatrixXd calc_null_space(const Eigen::MatrixXd& G, double threshold);

}  // namespace sestina
