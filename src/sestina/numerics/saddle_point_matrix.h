// The linear systems of implicit steps with conditions:
//
//   [ E  -C^T ] [ x      ]   [ f ]
//   [ B    0  ] [ lambda ] = [ d ]            E (n x n),  B, C (m x n),  real or complex              (1)
//
// E = a M + b D + c K and B = C + e v_q are sums formed by the caller, number by number of a fixed pattern.
// The caller also names the rows that others imply (independent_rows.h); they are left out: their multipliers
// are zero. The matrix is factored by LU: dense with partial pivoting where it is small or E is full,
// otherwise by blocks (block_lu.h), or, where these lose too many digits, by Eigen's sparse factors with
// partial pivoting.
#pragma once

#include <complex>
#include <memory>
#include <span>
#include <vector>

#include "sestina/numerics/block_lu.h"

namespace sestina {

// Number: double or std::complex<double>.
template <class Number>
class SaddlePointMatrix {
 public:
  SaddlePointMatrix();
  ~SaddlePointMatrix();

  // Allocates everything, unless the patterns are unchanged.
  void resize(const SparsePattern& E, const SparsePattern& C);
  // Factors (1). The numbers of E, B and C are in the order of the patterns; is_active (m): which rows are
  // kept. Returns whether (1) can be solved.
  bool factorize(std::span<const Number> E, std::span<const Number> B, std::span<const double> C,
                 std::span<const char> is_active);
  // f (n) becomes x, d (m) becomes lambda.
  void solve(std::span<Number> f, std::span<Number> d);

 private:
  struct Dense;
  struct Sparse;
  bool factorize_dense(std::span<const Number> E, std::span<const Number> B, std::span<const double> C,
                       std::span<const char> is_active);
  bool factorize_sparse(std::span<const Number> E, std::span<const Number> B, std::span<const double> C,
                        std::span<const char> is_active);
  SparsePattern E_, C_;
  std::unique_ptr<Dense> dense_;
  std::unique_ptr<BlockLu<Number>> blocks_;
  std::unique_ptr<Sparse> sparse_;
  bool uses_blocks_ = false;
};

}  // namespace sestina
