// Dense factorisation M = L^T D L of a symmetric matrix, from the last row upward.
//
// If speeds are numbered from the root of a mechanism to its tips, pivot k is the inertia that speed k feels
// while all later speeds are free: the same pivot as in the articulated-body recursion.
//
// Source: R. Featherstone, Rigid Body Dynamics Algorithms (2008), section 6.5, here for dense matrices.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "sestina/numerics/scalar.h"

namespace sestina {

// A dense n x n matrix by rows, of any scalar.
template <class T>
class DenseMatrix {
 public:
  explicit DenseMatrix(int n = 0)
      : n_(n), values_(static_cast<std::size_t>(n) * static_cast<std::size_t>(n)) {}
  int size() const { return n_; }
  T* row(int i) { return values_.data() + static_cast<std::ptrdiff_t>(i) * n_; }
  const T* row(int i) const { return values_.data() + static_cast<std::ptrdiff_t>(i) * n_; }
  T& operator()(int i, int j) { return row(i)[j]; }
  const T& operator()(int i, int j) const { return row(i)[j]; }
  void set_zero() { std::fill(values_.begin(), values_.end(), T(0)); }

 private:
  int n_;
  std::vector<T> values_;
};

// Overwrites the lower triangle of M by L (unit diagonal not stored) and its diagonal by D. Reads and
// writes the lower triangle only. visit_pivot(k, D_k) is called for each pivot before it divides.
// n^3/6 multiplications.
template <class T, class VisitPivot>
void factor_ldlt(DenseMatrix<T>& M, VisitPivot&& visit_pivot) {
  for (int k = M.size() - 1; k >= 0; --k) {
    T* row_k = M.row(k);
    visit_pivot(k, row_k[k]);
    const T inverse = T(1) / row_k[k];
    for (int i = k - 1; i >= 0; --i) {
      const T a = row_k[i] * inverse;
      T* row_i = M.row(i);
      for (int j = 0; j <= i; ++j) row_i[j] -= a * row_k[j];
    }
    for (int i = 0; i < k; ++i) row_k[i] = row_k[i] * inverse;
  }
}

// Solves L^T D L x = b in place.
template <class T>
void solve_ldlt(const DenseMatrix<T>& factors, T* x) {
  const int n = factors.size();
  for (int k = n - 1; k >= 0; --k) {  // L^T y = b
    const T* row = factors.row(k);
    for (int i = 0; i < k; ++i) x[i] -= row[i] * x[k];
  }
  for (int k = 0; k < n; ++k) x[k] = x[k] / factors(k, k);
  for (int k = 0; k < n; ++k) {  // L x = z
    const T* row = factors.row(k);
    T sum = x[k];
    for (int i = 0; i < k; ++i) sum -= row[i] * x[i];
    x[k] = sum;
  }
}

}  // namespace sestina
