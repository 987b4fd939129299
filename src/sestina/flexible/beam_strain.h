// The strains inside a beam element, from the twist between its ends; forces are condensed.
//
// A pose H(s) along the axis has the strain xi = [kappa; gamma], H' = H [xi]: curvature and twist (1/m),
// stretch and shear, in the axes of the cross-section, whose x-axis is the tangent of the unstressed beam.
// The section has the compliance C, strain = xi - xi0 = C sigma with the section's wrench sigma = [m; n] (N
// m, N).
//
// The energy of an element of length h whose ends have the relative twist d = log(H_a^-1 H_b) is the minimum
// over all strain fields that connect these ends. With strains that are linear in s, xi = xi_m + sqrt(12) eta
// s/h, the two Gauss points have xi_m -+ eta; with the pose of the end by Magnus' expansion of fourth order,
//
//   W(d) = min h/2 (|xi_m - xi0_m - (eta - eta0)|^2 + |xi_m - xi0_m + eta - eta0|^2)/2  in the norm of C^-1
//          subject to  d = h (xi_m + a [xi_m, eta]),   a = h/sqrt(12).                                    (1)
//
// The multiplier lambda of the condition is dW/dd, the wrench that the element transmits. Stationarity, with
// ad_x^T lambda = Lambda x and N = a C Lambda (Lambda is antisymmetric):
//
//   xi_m = xi0_m + C (lambda - a Lambda eta)                                                              (2)
//   eta = eta0 + N xi_m                                                                                   (3)
//   g := xi_m + a [xi_m, eta] - d/h = 0                                                                   (4)
//
// For a given lambda, (2) and (3) are linear: (1 + N^2) xi_m = xi0_m + C (lambda - a Lambda eta0). So six
// unknowns lambda are left, with six equations (4) whose derivative is the flexibility of the element (per
// length)
//
//   F = dg/dlambda = E B^-1 C E^T + a^2 ad_xi_m C ad_xi_m^T,   B = 1 + N^2,
//   E = 1 - a ad_eta + a ad_xi_m N                                                                        (5)
//
// symmetric. Only compliances appear: no stiffness is large, the element does not lock, and a rod that is
// rigid in shear (zeros in C) is no special case. For small displacements the element is exact for loads at
// the nodes, because its wrench is the equilibrium one, linear in s. For large ones, the min-max problem and
// Gauss points of fourth order make the nodes' displacements converge with h^4. Without eta (a = 0) this is
// the element of constant strain of Sonneville, Cardona and Bruls (2014), of second order.
//
// Sources: a mixed Petrov-Galerkin rod with condensed forces (Herrmann and others, arXiv 2507.01552); the
// functional as a discrete Lagrangian of Galerkin type on a Lie group, Hall and Leok, Found. Comput. Math. 17
// (2017) 199; Magnus' expansion: Iserles and others, Acta Numerica 9 (2000) 215. docs/decisions/beams.md has
// measurements.
#pragma once

#include "sestina/flexible/row_products.h"

namespace sestina {

// One element of the unstressed beam.
template <class T>
struct BeamSegment {
  T length{};                // h, m, along the axis
  Mat6<T> compliance;        // C, of [kappa; gamma] by [m; n], section axes
  bool is_diagonal = false;  // C is: fewer products
  Vec6<T> strain;            // xi0_m, such that (4) holds for the unstressed ends with lambda = 0
  Vec6<T> slope;             // eta0
};

// xi0_m for which the segment that ends at this relative pose is unstressed.
template <class T>
Vec6<T> unstressed_strain(const T& length, const Vec6<T>& twist, const Vec6<T>& slope) {
  // xi + a [xi, eta] = d/h: the series in a [., eta], whose terms fall by the angle that a segment turns by
  const T a = length * T(0.28867513459481288225), inverse = T(1) / length;
  const Vec6<T> mean = inverse * twist;
  Vec6<T> xi = mean;
  for (int k = 0; k < 40; ++k) xi = mean - a * commutator(xi, slope);
  return xi;
}

// (2) to (5) for one lambda.
template <class T>
struct BeamStrain {
  T a{};           // m
  Vec6<T> middle;  // xi_m
  Vec6<T> slope;   // eta
  Vec6<T> gap;     // g
  Mat6<T> F;       // flexibility of the element per length

  void update(const BeamSegment<T>& segment, const Vec6<T>& twist, const Vec6<T>& lambda) {
    a = segment.length * T(0.28867513459481288225);
    Mat6<T> N;
    multiply_by_compliance(segment, wrench_matrix(a * lambda), N);
    solve_middle(segment, lambda, N);
    slope = segment.slope + N * middle;                                              // (3)
    gap = middle + a * commutator(middle, slope) - (T(1) / segment.length) * twist;  // (4)
    update_flexibility(segment, N);
  }

 private:
  // C A
  static void multiply_by_compliance(const BeamSegment<T>& segment, const Mat6<T>& A, Mat6<T>& result) {
    const Mat6<T>& C = segment.compliance;
    if (!segment.is_diagonal) return store_product(C, Rows6<T>(A), result);
    for (int i = 0; i < 6; ++i) (C.m[i][i] * Row6<T>(A.m[i])).store(result.m[i]);
  }

  // xi_m, and F for now = B^-1 C: by elimination without pivots, since B is near 1.
  void solve_middle(const BeamSegment<T>& segment, const Vec6<T>& lambda, const Mat6<T>& N) {
    Mat6<T> B;
    store_product(N, Rows6<T>(N), B);
    for (int i = 0; i < 6; ++i) B.m[i][i] = B.m[i][i] + T(1);
    F = segment.compliance;
    middle = segment.strain + F * (lambda - a * commutator_transpose(segment.slope, lambda));
    for (int k = 0; k < 6; ++k) {
      const T inverse = T(1) / B.m[k][k];
      const Row6<T> row_B = inverse * Row6<T>(B.m[k]), row_F = inverse * Row6<T>(F.m[k]);
      middle[k] = middle[k] * inverse;
      for (int i = 0; i < 6; ++i) {
        if (i == k) continue;
        const T factor = B.m[i][k];
        (Row6<T>(B.m[i]) - factor * row_B).store(B.m[i]);
        (Row6<T>(F.m[i]) - factor * row_F).store(F.m[i]);
        middle[i] = middle[i] - factor * middle[k];
      }
      // Later columns are eliminated from row k as well, so that B, F and xi_m need the same scaled row.
      row_B.store(B.m[k]), row_F.store(F.m[k]);
    }
  }

  // (5)
  void update_flexibility(const BeamSegment<T>& segment, const Mat6<T>& N) {
    const Vec6<T> scaled = a * middle;
    Mat6<T> E, product;
    commutator_product(scaled, Rows6<T>(N)).store(E);
    const Mat6<T> turning = commutator_matrix(a * slope);
    for (int i = 0; i < 6; ++i) {
      (Row6<T>(E.m[i]) - Row6<T>(turning.m[i])).store(E.m[i]);
      E.m[i][i] = E.m[i][i] + T(1);
    }
    store_product(E, Rows6<T>(F), product);
    // a^2 ad C ad^T = a ad (C a ad^T)
    multiply_by_compliance(segment, transpose(commutator_matrix(scaled)), F);
    commutator_product(scaled, Rows6<T>(F)).store(F);
    add_product(product, Rows6<T>(transpose(E)), F);
  }
};

}  // namespace sestina
