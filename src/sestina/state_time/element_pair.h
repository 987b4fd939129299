// One finite element in time: the polynomials of the motion and of the constraint forces, the test functions
// of the equations, and the points of integration.
//
// On the reference element 0 <= s <= 1 the motion is a polynomial of degree k and the constraint forces are
// one of degree p = k - 1 whose values at the element's ends are free. All integrals use k points s_1 ...
// s_k, so that the values in the integrals define the polynomials: that of the motion its values at the nodes
// s_0 = 0, s_1, ..., s_k, that of the forces its values at s_1 ... s_k.
//   L_j(s)   Lagrange's polynomial that is 1 at node j and 0 at the others
//   D_gj     = L_j'(s_g), g = 1..k, j = 0..k: the derivative of the motion at point g
//   E_j      = L_j(1): its value at the end
// Positions and direction cosines are tested with all polynomials of degree k - 1 on each element; with k
// points this means that their rate equations hold at these points. For momenta there is a choice:
//   natural  polynomials of degree k that are continuous over the elements. Integrated by parts,
//            -sum_g w_g (phi'_g p_g + phi_g F_g) + [phi p] = 0: the momentum p at an element's end belongs to
//            both its neighbours. The points are those of Gauss.
//   upwind   polynomials of degree k - 1 on each element, the jump of the velocity at its start weighted
//            by their value there (discontinuous Galerkin). The points are those of Radau, s_k = 1.
// With these points both sets state that the rate of a momentum polynomial of degree k, which begins with the
// momentum at the end of the previous element, is the force at the k points: sum_j D_gj p_j / h = F_g.
//
//          order at the ends   stability            what it conserves
//   natural       2k           all step sizes       quadratic invariants: orthonormal direction cosines,
//                                                   closed joints, the energy of linear oscillators
//   upwind        2k - 1       all, and damps what it does not resolve
//
// Source: for the natural set Anderson and Oghbaei (2005); with these points the collocation methods of Gauss
// and of Radau (IIA) in Hairer and Wanner, Solving Ordinary Differential Equations II (1996), section IV.5,
// and Hairer, Lubich and Wanner, Geometric Numerical Integration (2006), section II.1.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sestina/model/analysis.h"

namespace sestina {

inline constexpr int kLeastDegree = 2, kMostDegree = 8;

enum class TestFunctions { kNatural, kUpwind };

struct ElementPair {
  std::string name;
  int degree = 0;                  // k
  std::vector<double> points;      // (k) s_1 ... s_k
  std::vector<double> weights;     // (k) their sum is 1
  std::vector<double> integral;    // (k x k): of the polynomial of values at the points, from 0 to s_g
  std::vector<double> derivative;  // (k x (k + 1)) D by rows, point after point
  std::vector<double> at_end;      // (k + 1) E
  double D(int g, int j) const { return derivative[static_cast<std::size_t>(g * (degree + 1) + j)]; }
  double A(int g, int j) const { return integral[static_cast<std::size_t>(g * degree + j)]; }

  // L_j(s) for all j, 0 <= s <= 1.
  void calc_shape(double s, double* values) const;        // (k + 1)
  void calc_shape_slope(double s, double* values) const;  // (k + 1): L_j'(s)
  void calc_point_shape(double s, double* values) const;  // (k): polynomials on the points only, without s_0
  void calc_integrals_of_point_values(double s, double* values) const;  // (k): from 0 to s
};

// The names are those of element_pair_names(): LQ (p = 1, k = 2), QC (2, 3), P3P4, P4P5, P5P6, P6P7, P7P8.
// "auto" lets the tolerance choose the degree, beginning with kFirstPair.
inline constexpr std::string_view kAutomaticPair = "auto";
inline constexpr std::string_view kFirstPair = "P3P4";

std::string_view first_pair(std::string_view pair);  // pair with which a run of `pair` begins

std::string name_of_degree(int degree);
ElementPair make_element_pair(std::string_view name, TestFunctions tests);

}  // namespace sestina
