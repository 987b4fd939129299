// The twist between two poses, and how it varies with them.
//
// Twists are [kappa; gamma] and wrenches [m; n], angular part first, both in the axes of the frame that
// moves. A pose that advances with the constant twist d per unit of length describes a helix:
//
//   X(s) = exp(s d),   d = log(X_ab)   for the relative pose X_ab = X_a^-1 X_b                           (1)
//
// If a and b are displaced by the small motions chi_a, chi_b (in their own axes),
//
//   delta d = P(d) chi_b - P(-d) chi_a,    P(d) = sum_k |B_k|/k! ad_d^k = 1 + ad_d/2 + ad_d^2/12 - ... (2)
//
// A twist is a rotation vector of dual numbers, w + eps v. So P has the closed form of rotations, evaluated
// for dual numbers; with x = w.w, beta(x) = (1 - w/2 cot(w/2))/x, and ' for d/dx:
//
//   P = [ J  0 ; Q  J ],   J = 1 + [w]/2 + beta [w]^2                                                    (3)
//   Q = [v]/2 + beta ([w][v] + [v][w]) + 2 beta' (w.v) [w]^2
//   J^T n = n - w x n/2 + beta w x (w x n)                                                               (4)
//   A(n) := d(J^T n)/dw
//        = [n]/2 + beta (w.n 1 + w n^T - 2 n w^T) + 2 beta' (w x (w x n)) w^T                            (5)
//   d(P^T [m; n])/dd = [ A(m) + D(n)  A(n) ; A(n)  0 ],   Q^T n = A(n) v,   D(n) = d(A(n) v)/dw          (6)
//
// Source of (1), (2): Sonneville, Cardona, Bruls, Comput. Methods Appl. Mech. Engrg. 268 (2014) 451.
#pragma once

#include "sestina/spatial/mat6.h"
#include "sestina/spatial/rotation_vector.h"

namespace sestina {

template <class T>
Vec3<T> angular(const Vec6<T>& a) {
  return {a[0], a[1], a[2]};
}
template <class T>
Vec3<T> linear(const Vec6<T>& a) {
  return {a[3], a[4], a[5]};
}
template <class T>
Vec6<T> make_vec6(const Vec3<T>& a, const Vec3<T>& b) {
  return {{a.x, a.y, a.z, b.x, b.y, b.z}};
}
template <class T>
Vec6<T> operator*(const T& s, const Vec6<T>& a) {
  return {{s * a[0], s * a[1], s * a[2], s * a[3], s * a[4], s * a[5]}};
}
template <class T>
Vec6<T> operator-(const Vec6<T>& a) {
  return {{-a[0], -a[1], -a[2], -a[3], -a[4], -a[5]}};
}

// [v]x: the matrix of v x.
template <class T>
Mat3<T> cross_matrix(const Vec3<T>& v) {
  return {T(0), -v.z, v.y, v.z, T(0), -v.x, -v.y, v.x, T(0)};
}
// a b^T
template <class T>
Mat3<T> outer(const Vec3<T>& a, const Vec3<T>& b) {
  return Mat3<T>::from_columns(b.x * a, b.y * a, b.z * a);
}
template <class T>
Mat3<T> operator*(const T& s, const Mat3<T>& A) {
  return {s * A.xx, s * A.xy, s * A.xz, s * A.yx, s * A.yy, s * A.yz, s * A.zx, s * A.zy, s * A.zz};
}
template <class T>
void set_block(Mat6<T>& A, int row, int column, const Mat3<T>& b) {
  const T numbers[3][3] = {{b.xx, b.xy, b.xz}, {b.yx, b.yy, b.yz}, {b.zx, b.zy, b.zz}};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) A.m[row + i][column + j] = numbers[i][j];
  }
}

// ad_a b = [a, b], the commutator of two twists.
template <class T>
Vec6<T> commutator(const Vec6<T>& a, const Vec6<T>& b) {
  const Vec3<T> w = angular(a), wb = angular(b);
  return make_vec6(cross(w, wb), cross(w, linear(b)) + cross(linear(a), wb));
}
// ad_a^T f: the rate at which a wrench f that is constant in space changes along the twist a.
template <class T>
Vec6<T> commutator_transpose(const Vec6<T>& a, const Vec6<T>& f) {
  const Vec3<T> w = angular(a), n = linear(f);
  return make_vec6(cross(angular(f), w) + cross(n, linear(a)), cross(n, w));
}

// beta of (3) and its derivatives with respect to x.
template <class T>
struct CotangentSeries {
  T beta, first, second;

  explicit CotangentSeries(const T& x) {
    if (value_of(x) < 1.0) {
      sum_series(x);
    } else {
      // y = w/2 cot(w/2):  y' = (y - x/4 - y^2)/(2x), beta = (1 - y)/x
      const T half = T(0.5) * sqrt(x);
      const auto [s, c] = sincos(half);
      const T y = half * c / s, twice = T(1) / (T(2) * x), inverse = T(2) * twice;
      const T dy = (y - T(0.25) * x - y * y) * twice;
      const T ddy = (dy - T(0.25) - T(2) * y * dy) * twice - dy * inverse;
      beta = (T(1) - y) * inverse;
      first = -(dy + beta) * inverse;
      second = -(ddy + T(2) * first) * inverse;
    }
  }

 private:
  // |B_2k|/(2k)!, k = 1 ... 11: the ratio of terms is x/(4 pi^2), so that the next one is below round-off for
  // x < 1.
  void sum_series(const T& x) {
    constexpr double kTerms[] = {8.333333333333333e-02, 1.388888888888889e-03, 3.306878306878307e-05,
                                 8.267195767195768e-07, 2.087675698786810e-08, 5.284190138687493e-10,
                                 1.338253653068468e-11, 3.389680296322583e-13, 8.586062056277845e-15,
                                 2.174868698558062e-16, 5.509002828360229e-18};
    beta = T(kTerms[10]), first = T(0), second = T(0);
    for (int k = 9; k >= 0; --k) {
      second = second * x + T(2) * first;
      first = first * x + beta;
      beta = beta * x + T(kTerms[k]);
    }
  }
};

// (1)
template <class T>
Vec6<T> log_pose(const Pose<T>& X) {
  const Vec3<T> w = rotation_vector_of(X.R);
  const T beta = CotangentSeries<T>(dot(w, w)).beta;
  const Vec3<T> wp = cross(w, X.p);
  return make_vec6(w, X.p - T(0.5) * wp + beta * cross(w, wp));
}

// The inverse of log_pose: exp(d).
template <class T>
Pose<T> exp_twist(const Vec6<T>& d) {
  const Vec3<T> w = angular(d), v = linear(d);
  const T x = dot(w, w);
  T sine, versine, third;  // sin w/w, (1 - cos w)/w^2, (1 - sin w/w)/w^2
  if (value_of(x) < 1e-2) {
    sine = T(1) - x / T(6) * (T(1) - x / T(20) * (T(1) - x / T(42) * (T(1) - x / T(72))));
    versine = T(0.5) - x / T(24) * (T(1) - x / T(30) * (T(1) - x / T(56) * (T(1) - x / T(90))));
    third = T(1.0 / 6) - x / T(120) * (T(1) - x / T(42) * (T(1) - x / T(72) * (T(1) - x / T(110))));
  } else {
    const T angle = sqrt(x);
    const auto [s, c] = sincos(angle);
    sine = s / angle, versine = (T(1) - c) / x, third = (T(1) - sine) / x;
  }
  const Mat3<T> W = cross_matrix(w), W2 = W * W, one = Mat3<T>::identity();
  const Vec3<T> wv = cross(w, v);
  return {one + sine * W + versine * W2, v + versine * wv + third * cross(w, wv)};
}

// P(d) and P(-d) by (3) to (6); `sign` is that of the argument.
template <class T>
class TwistMap {
 public:
  explicit TwistMap(const Vec6<T>& d)
      : w_(angular(d)), v_(linear(d)), series_(dot(w_, w_)), wv_(dot(w_, v_)) {}

  Mat6<T> P(double sign = 1.0) const {
    Mat6<T> P_plus, P_minus;
    set_both(P_plus, P_minus);
    return sign > 0.0 ? P_plus : P_minus;
  }
  // P(d) and P(-d), which share their even parts.
  void set_both(Mat6<T>& P_plus, Mat6<T>& P_minus) const {
    const T x = dot(w_, w_), b = series_.beta, c = T(2) * series_.first * wv_;
    const Mat3<T> square = outer(w_, w_) + (-x) * Mat3<T>::identity();  // [w]^2
    const Mat3<T> J = Mat3<T>::identity() + b * square, W = T(0.5) * cross_matrix(w_);
    // [w][v] + [v][w] = v w^T + w v^T - 2 w.v 1
    const Mat3<T> mixed = outer(v_, w_) + outer(w_, v_) + (T(-2) * wv_) * Mat3<T>::identity();
    const Mat3<T> Q = b * mixed + c * square, V = T(0.5) * cross_matrix(v_);
    const Mat3<T> J_plus = J + W, J_minus = J + T(-1) * W;
    set_block(P_plus, 0, 0, J_plus), set_block(P_plus, 3, 3, J_plus), set_block(P_plus, 3, 0, Q + V);
    set_block(P_minus, 0, 0, J_minus), set_block(P_minus, 3, 3, J_minus),
        set_block(P_minus, 3, 0, Q + T(-1) * V);
  }
  // P(+-d)^T f
  Vec6<T> transpose_times(const Vec6<T>& f, double sign = 1.0) const {
    const Vec3<T> n = linear(f);
    const Vec3<T> by_v = T(0.5) * cross(n, v_) + T(sign) * (odd_A(n) * v_);
    return make_vec6(turn_back(angular(f), sign) + T(sign) * by_v, turn_back(n, sign));
  }
  // (6) at d and at -d.
  void set_derivatives_of_transpose(const Vec6<T>& f, Mat6<T>& G_plus, Mat6<T>& G_minus) const {
    const Vec3<T> m = angular(f), n = linear(f);
    const Mat3<T> M = T(0.5) * cross_matrix(m), N = T(0.5) * cross_matrix(n);
    const Mat3<T> odd_M = odd_A(m) + D(n), odd_N = odd_A(n);
    const Mat3<T> N_plus = N + odd_N, N_minus = N + T(-1) * odd_N;
    set_block(G_plus, 0, 0, M + odd_M), set_block(G_plus, 0, 3, N_plus), set_block(G_plus, 3, 0, N_plus);
    set_block(G_minus, 0, 0, M + T(-1) * odd_M), set_block(G_minus, 0, 3, N_minus),
        set_block(G_minus, 3, 0, N_minus);
  }

 private:
  Vec3<T> twice_across(const Vec3<T>& n) const { return cross(w_, cross(w_, n)); }
  // (4)
  Vec3<T> turn_back(const Vec3<T>& n, double sign) const {
    const Vec3<T> wn = cross(w_, n);
    return n - T(0.5 * sign) * wn + series_.beta * cross(w_, wn);
  }
  // (5) without its first term, which is even in w while the others are odd.
  Mat3<T> odd_A(const Vec3<T>& n) const {
    const T b = series_.beta;
    return outer(b * w_, n) + outer(T(2) * series_.first * twice_across(n) - T(2) * b * n, w_) +
           (b * dot(w_, n)) * Mat3<T>::identity();
  }
  // D(n) of (6), which is odd in d.
  Mat3<T> D(const Vec3<T>& n) const {
    const T b = series_.beta, b1 = series_.first, b2 = series_.second;
    const T vn = dot(v_, n), wn = dot(w_, n);
    const Vec3<T> across = twice_across(n);
    const Vec3<T> first = wn * v_ + vn * w_ - (T(2) * wv_) * n;  // of w v^T and its like, times 2 beta'
    Mat3<T> D = outer(b * v_ + (T(2) * b1 * wv_) * w_, n);
    D = D + outer(T(-2) * b * n + T(2) * b1 * across, v_);
    D = D + outer(T(2) * b1 * first + (T(4) * b2 * wv_) * across - (T(4) * b1 * wv_) * n, w_);
    return D + (b * vn + T(2) * b1 * wv_ * wn) * Mat3<T>::identity();
  }

  Vec3<T> w_, v_;
  CotangentSeries<T> series_;
  T wv_;
};

}  // namespace sestina
