// Cholesky factors of symmetric positive semidefinite 6x6 matrices of any rank.
#pragma once

#include "sestina/spatial/row6.h"

namespace sestina {

template <class T>
struct CholeskyFactor {
  Mat6<T> L;  // lower
  Vec6<T> inverse_pivots;
};

// A pivot below this fraction of its diagonal element is round-off.
inline constexpr double kNullPivot = 1e-14;

// Computes the lower L of Phi = L L^T. Columns of vanishing pivots are zero, and so are their inverse pivots.
template <class T>
void factor_semidefinite(const Mat6<T>& Phi, CholeskyFactor<T>& factor) {
  Mat6<T>& L = factor.L;
  L = {};
  for (int j = 0; j < 6; ++j) {
    T pivot = Phi.m[j][j];
    for (int k = 0; k < j; ++k) pivot -= L.m[j][k] * L.m[j][k];
    const auto vanishes = pivot <= T(kNullPivot) * Phi.m[j][j];
    const T root = sqrt(select(vanishes, T(1), pivot));
    const T inverse = select(vanishes, T(0), T(1) / root);
    L.m[j][j] = select(vanishes, T(0), root);
    factor.inverse_pivots[j] = inverse;
    for (int i = j + 1; i < 6; ++i) {
      T x = Phi.m[i][j];
      for (int k = 0; k < j; ++k) x -= L.m[i][k] * L.m[j][k];
      L.m[i][j] = x * inverse;
    }
  }
}

// Returns y with L y = d, for d in the range of L L^T.
template <class T>
Vec6<T> solve_lower(const CholeskyFactor<T>& factor, Vec6<T> d) {
  for (int i = 0; i < 6; ++i) {
    for (int k = 0; k < i; ++k) d[i] -= factor.L.m[i][k] * d[k];
    d[i] *= factor.inverse_pivots[i];
  }
  return d;
}

// Returns X with L X = D, for D whose columns are in the range of L L^T.
template <class T>
Mat6<T> solve_lower(const CholeskyFactor<T>& factor, const Mat6<T>& D) {
  Rows6<T> X(D);
  for (int i = 0; i < 6; ++i) {
    for (int k = 0; k < i; ++k) X.row[i] -= factor.L.m[i][k] * X.row[k];
    X.row[i] = factor.inverse_pivots[i] * X.row[i];
  }
  Mat6<T> result;
  X.store(result);
  return result;
}

}  // namespace sestina
