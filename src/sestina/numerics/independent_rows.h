// Finds the linearly independent rows of a matrix C; the others are implied conditions.
//
// Rows are measured in the norm |c|^2 = sum of c_j^2 / weight_j, that of the inverse of a diagonal mass
// matrix. A row counts as implied if less than 3e-5 of its length remains after projection onto the rows
// before it, or if it is shorter than 1e-13 of the longest one. Small matrices use Gram-Schmidt, the row with
// the largest remainder first. Sparse matrices use, in the order of the rows, the factors of
//   G = C W^-1 C^T = L D L^T   of rows of length one,
// in which D is the square of the remainder; columns of omitted rows are zero. O(n) for chains.
//
// Source: T. A. Davis, Algorithm 849: a concise sparse Cholesky factorization package, ACM Trans. Math.
// Softw. 31 (2005) 587-591.
#pragma once

#include <span>
#include <vector>

#include "sestina/numerics/sparse_pattern.h"

namespace sestina {

class IndependentRows {
 public:
  void resize(const SparsePattern& C);
  // C in the order of its pattern, weights (columns) > 0; marks the rows. No allocation.
  void find(std::span<const double> C, std::span<const double> weights, std::span<char> is_active);

 private:
  void find_pattern_of_G();
  void find_dense(std::span<const double> C, std::span<const double> weights, std::span<char> is_active);
  void find_sparse(std::span<const double> C, std::span<const double> weights, std::span<char> is_active);
  void update_G(std::span<const double> C, std::span<const double> weights);

  SparsePattern C_;
  std::vector<double> left_;  // (rows) the square of the remainder, relative to one
  std::vector<double> rows_;  // dense: (rows x columns) scaled, the remainder of each row
  // Sparse: G by columns down to the diagonal, the place in G of each product of two numbers of C, and L.
  SparsePattern G_, L_;
  std::vector<double> G_values_, L_values_, y_, inverse_, scale_;
  std::vector<int> product_, parent_, flag_, filled_, path_;
};

}  // namespace sestina
