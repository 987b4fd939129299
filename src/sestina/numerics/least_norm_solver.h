// Solves A x = b for a matrix A of any rank: of all x that minimise |A x - b|, the one of least norm.
//
// A is factored by QR with column pivoting, and its upper part is then reduced from the right; a pivot that
// is smaller than a threshold times the largest counts as zero. Compiled here once, since the decomposition
// is a large template.
//
// Source: G. H. Golub, C. F. Van Loan, Matrix Computations, 4th edition (2013), section 5.5.
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
  // The following belong to the last compute().
  Eigen::Index rank() const;
  Eigen::VectorXd solve(const Eigen::VectorXd& b) const;
  Eigen::VectorXd solve_transposed(const Eigen::VectorXd& b) const;  // A^T x = b
  Eigen::MatrixXd pseudo_inverse() const;

 private:
  struct Factors;
  std::unique_ptr<Factors> factors_;
};

// Returns an orthonormal basis (columns) of the null space of G.
Eigen::MatrixXd calc_null_space(const Eigen::MatrixXd& G, double threshold);

}  // namespace sestina
