// The saddle-point system of a mechanism with loops and constraints, by embedding: O(n^3).
//
//   M x - C^T lambda = f,    C x = -d                                                                (1)
//
// Gauss-Jordan elimination of C with complete pivoting gives the dependent speeds:
//   x_D = p - B x_I                                                                                  (2)
// with as many dependent speeds D as there are independent conditions P. With E = [-B; 1], whose columns are
// the motions that all conditions allow, the rest is Kane's method in the independent speeds I:
//   (E^T M E) x_I = E^T (f - M [p; 0])                                                               (3)
// The independent speeds are chosen at every call, so that they never become dependent. The multipliers have
// least norm: with C = L C_P, L (rows x rank), and r = M x - f,
//   lambda = L (L^T L)^-1 (C_P C_P^T)^-1 C_P r                                                       (4)
// Rows C_s that stand for inertias (constraint_row.h) are not conditions: M grows by C_s^T C_s, f
// by -C_s^T d_s.
//
// Source: Kane and Levinson, Dynamics: Theory and Applications (1985), section 6.5, for independent speeds.
#pragma once

#include "sestina/dynamics/constraint_rows.h"
#include "sestina/dynamics/mass_matrix.h"
#include "sestina/dynamics/solve_report.h"

namespace sestina {

class ConstrainedKane {
 public:
  explicit ConstrainedKane(const Model& model);

  // Factors the system for the state to which `kinematics` and `constraints` belong.
  SolveReport<double> factor(const Properties<double>& properties, const Kinematics<double>& kinematics,
                             const ConstraintRows<double>& constraints);
  // Solves for x (nu) and lambda, given the generalised forces f (nu), which are overwritten, and d (rows).
  // No allocation.
  void solve(std::span<double> f, std::span<const double> d, std::span<double> x, std::span<double> lambda);

  int rank() const { return rank_; }
  // The smallest pivot of (2) at the last factor(), relative to the largest element of C.
  double smallest_pivot() const { return smallest_pivot_; }
  // Whether the next factor() keeps the conditions that others nearly imply, near a singular position, too.
  void keep_small_pivots(bool keep) { keeps_small_pivots_ = keep; }

 private:
  double* row_of(std::vector<double>& matrix, int r) { return matrix.data() + r * n_; }
  void eliminate();
  void factor_reduced(SolveReport<double>& report);
  void factor_multipliers();

  const Model* model_;
  int n_, m_, rank_ = 0;
  bool keeps_small_pivots_ = false;
  double smallest_pivot_ = 1.0;
  MassMatrix<double> mass_;
  std::vector<double> C_;          // (m x n)
  std::vector<double> reduced_;    // (m x n): C after elimination, [1 B; 0 0] in the order of the pivots
  std::vector<double> transform_;  // (m x m): the elimination applied to d
  std::vector<int> speeds_;        // (n) the dependent ones in the order of the pivots, then the others
  std::vector<int> rows_;      // conditions: the independent ones in the order of the pivots, then the others
  std::vector<int> inertias_;  // rows that stand for inertias
  std::vector<double> E_;      // (n x (n - rank))
  DenseMatrix<double> M_reduced_, G_, L_gram_;  // (3); C_P C_P^T; L^T L
  std::vector<double> L_;                       // (m x rank)
  std::vector<double> M_full_;                  // (n x n)
  std::vector<double> work_n_, work_m_, work_i_;
};

}  // namespace sestina
