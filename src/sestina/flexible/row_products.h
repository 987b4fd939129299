// Products of 6x6 matrices by rows, which the compiler keeps in SIMD registers.
#pragma once

#include "sestina/flexible/twist_map.h"
#include "sestina/spatial/row6.h"

namespace sestina {

// A B
template <class T>
[[gnu::always_inline]] inline void store_product(const Mat6<T>& A, const Rows6<T>& B, Mat6<T>& result) {
  for (int i = 0; i < 6; ++i) {
    Row6<T> sum = A.m[i][0] * B.row[0];
    for (int k = 1; k < 6; ++k) sum += A.m[i][k] * B.row[k];
    sum.store(result.m[i]);
  }
}
// result += A B
template <class T>
[[gnu::always_inline]] inline void add_product(const Mat6<T>& A, const Rows6<T>& B, Mat6<T>& result) {
  for (int i = 0; i < 6; ++i) {
    Row6<T> sum(result.m[i]);
    for (int k = 0; k < 6; ++k) sum += A.m[i][k] * B.row[k];
    sum.store(result.m[i]);
  }
}
// P^T B for P = [J 0; Q J]
template <class T>
[[gnu::always_inline]] inline void add_block_transpose_product(const Mat6<T>& P, const Rows6<T>& B,
                                                               const T& sign, Mat6<T>& result) {
  for (int i = 0; i < 6; ++i) {
    Row6<T> sum = P.m[3][i] * B.row[3] + P.m[4][i] * B.row[4] + P.m[5][i] * B.row[5];
    if (i < 3) sum += P.m[0][i] * B.row[0] + P.m[1][i] * B.row[1] + P.m[2][i] * B.row[2];
    (Row6<T>(result.m[i]) + sign * sum).store(result.m[i]);
  }
}
// ad_x B
template <class T>
[[gnu::always_inline]] inline Rows6<T> commutator_product(const Vec6<T>& x, const Rows6<T>& B) {
  const Row6<T>*b = B.row, *c = B.row + 3;
  Rows6<T> r;
  r.row[0] = x[1] * b[2] - x[2] * b[1], r.row[1] = x[2] * b[0] - x[0] * b[2];
  r.row[2] = x[0] * b[1] - x[1] * b[0];
  r.row[3] = x[1] * c[2] - x[2] * c[1] + x[4] * b[2] - x[5] * b[1];
  r.row[4] = x[2] * c[0] - x[0] * c[2] + x[5] * b[0] - x[3] * b[2];
  r.row[5] = x[0] * c[1] - x[1] * c[0] + x[3] * b[1] - x[4] * b[0];
  return r;
}
// The matrix of ad_x.
template <class T>
Mat6<T> commutator_matrix(const Vec6<T>& x) {
  Mat6<T> A;
  const Mat3<T> w = cross_matrix(angular(x));
  set_block(A, 0, 0, w), set_block(A, 3, 3, w), set_block(A, 3, 0, cross_matrix(linear(x)));
  return A;
}
// Lambda of ad_x^T f = Lambda x.
template <class T>
Mat6<T> wrench_matrix(const Vec6<T>& f) {
  Mat6<T> A;
  const Mat3<T> n = cross_matrix(linear(f));
  set_block(A, 0, 0, cross_matrix(angular(f))), set_block(A, 0, 3, n), set_block(A, 3, 0, n);
  return A;
}

// The inverse of a symmetric matrix in its place, without pivots.
template <class T>
void invert_symmetric(Mat6<T>& A) {
  for (int k = 0; k < 6; ++k) {
    const T inverse = T(1) / A.m[k][k];
    A.m[k][k] = T(1);
    const Row6<T> row = inverse * Row6<T>(A.m[k]);
    for (int i = 0; i < 6; ++i) {
      if (i == k) continue;
      const T factor = A.m[i][k];
      A.m[i][k] = T(0);
      (Row6<T>(A.m[i]) - factor * row).store(A.m[i]);
    }
    row.store(A.m[k]);
  }
}

}  // namespace sestina
