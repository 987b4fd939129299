// Dense 6x6 matrices over spatial vectors, for algebra without block structure.
//
// Rows and columns have the angular part first, as in SpatialMotion and SpatialForce. The inner loops run
// over the column index, so that the compiler can use SIMD lanes.
#pragma once

#include "sestina/spatial/articulated_rows.h"

namespace sestina {

template <class T>
struct Vec6 {
  T x[6] = {};

  T& operator[](int i) { return x[i]; }
  const T& operator[](int i) const { return x[i]; }
};

template <class T>
Vec6<T> to_vec6(const SpatialMotion<T>& a) {
  return {{a.w.x, a.w.y, a.w.z, a.v.x, a.v.y, a.v.z}};
}
template <class T>
Vec6<T> to_vec6(const SpatialForce<T>& f) {
  return {{f.torque.x, f.torque.y, f.torque.z, f.force.x, f.force.y, f.force.z}};
}
template <class T>
SpatialMotion<T> to_motion(const Vec6<T>& a) {
  return {{a[0], a[1], a[2]}, {a[3], a[4], a[5]}};
}
template <class T>
SpatialForce<T> to_force(const Vec6<T>& f) {
  return {{f[0], f[1], f[2]}, {f[3], f[4], f[5]}};
}
template <class T>
Vec6<T> operator+(Vec6<T> a, const Vec6<T>& b) {
  for (int i = 0; i < 6; ++i) a[i] = a[i] + b[i];
  return a;
}
template <class T>
Vec6<T> operator-(Vec6<T> a, const Vec6<T>& b) {
  for (int i = 0; i < 6; ++i) a[i] = a[i] - b[i];
  return a;
}
template <class T>
T dot(const Vec6<T>& a, const Vec6<T>& b) {
  T sum = a[0] * b[0];
  for (int i = 1; i < 6; ++i) sum = sum + a[i] * b[i];
  return sum;
}

template <class T>
struct Mat6 {
  T m[6][6] = {};

  static Mat6 identity() {
    Mat6 one;
    for (int i = 0; i < 6; ++i) one.m[i][i] = T(1);
    return one;
  }
};

template <class T>
Mat6<T> to_mat6(const ArticulatedInertia<T>& I) {
  const Mat3<T> J = full(I.J), M = full(I.m);
  Mat6<T> r;
  const auto put = [&r](int row, int column, const Mat3<T>& block) {
    const T rows[3][3] = {
        {block.xx, block.xy, block.xz}, {block.yx, block.yy, block.yz}, {block.zx, block.zy, block.zz}};
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) r.m[row + i][column + j] = rows[i][j];
    }
  };
  put(0, 0, J), put(0, 3, I.B), put(3, 0, I.B.transpose()), put(3, 3, M);
  return r;
}
template <class T>
Mat6<T> to_mat6(const ArticulatedRows<T>& I) {
  Mat6<T> r;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      r.m[i][j] = I.J[i][j], r.m[i][3 + j] = I.B[i][j];
      r.m[3 + i][j] = I.B[j][i], r.m[3 + i][3 + j] = I.m[i][j];
    }
  }
  return r;
}

template <class T>
Mat6<T> transpose(const Mat6<T>& A) {
  Mat6<T> r;
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) r.m[i][j] = A.m[j][i];
  }
  return r;
}
template <class T>
Mat6<T> operator+(Mat6<T> A, const Mat6<T>& B) {
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) A.m[i][j] = A.m[i][j] + B.m[i][j];
  }
  return A;
}
template <class T>
Mat6<T> operator-(Mat6<T> A, const Mat6<T>& B) {
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) A.m[i][j] = A.m[i][j] - B.m[i][j];
  }
  return A;
}
template <class T>
Mat6<T> operator*(const Mat6<T>& A, const Mat6<T>& B) {
  Mat6<T> r;
  for (int half = 0; half < 6; half += 3) {  // half of the columns of B
    Lanes3<T> rows[6];
    for (int k = 0; k < 6; ++k) rows[k] = {B.m[k][half], B.m[k][half + 1], B.m[k][half + 2]};
    for (int i = 0; i < 6; ++i) {
      Lanes3<T> sum = A.m[i][0] * rows[0];
      for (int k = 1; k < 6; ++k) sum += A.m[i][k] * rows[k];
      sum.store(r.m[i] + half);
    }
  }
  return r;
}
template <class T>
Vec6<T> operator*(const Mat6<T>& A, const Vec6<T>& x) {
  Vec6<T> r;
  for (int i = 0; i < 6; ++i) {
    T sum = A.m[i][0] * x[0];
    for (int j = 1; j < 6; ++j) sum = sum + A.m[i][j] * x[j];
    r[i] = sum;
  }
  return r;
}
// A^T x
template <class T>
Vec6<T> transpose_times(const Mat6<T>& A, const Vec6<T>& x) {
  Vec6<T> r;
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) r[j] = r[j] + A.m[i][j] * x[i];
  }
  return r;
}
// Returns the symmetric part of A, a product that is symmetric except for round-off.
template <class T>
Mat6<T> symmetrised(const Mat6<T>& A) {
  Mat6<T> r;
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) r.m[i][j] = T(0.5) * (A.m[i][j] + A.m[j][i]);
  }
  return r;
}

}  // namespace sestina
