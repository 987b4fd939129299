// The accelerations that many columns of generalised forces give a system at rest without other forces:
//   M X = B,   by the articulated-body recursion, O(nu n) for nu columns.
//
// With I the articulated inertia of body B about Mo (recursive_solver.h), and for each speed k of its joint
// in turn, of which those before are free already:
//   U_k = I H_k,   D_k = H_k . U_k + armature,   W_k = U_k / D_k,   I -= U_k W_k^T            (1)
// a column b passes inward and outward:
//   e_k = b_k - H_k . z,   z += W_k e_k   for each k;   z is shifted back and added to the parent's    (2)
//   x_k = e_k / D_k - W_k . A,   A += H_k x_k   for each k, the last one first, A shifted from the parent's
//   (3)
// Eight columns of each of two blocks pass together, in SIMD lanes.
//
// The factors of M (forward_dynamics_derivatives.h) do the same by two multiplications for each speed inboard
// of each speed; (2) and (3) take some thirty for each speed however deep the tree is.
#pragma once

#include "sestina/dynamics/kinematics.h"
#include "sestina/dynamics/solve_report.h"
#include "sestina/numerics/cache_line_vector.h"
#include "sestina/spatial/articulated_rows.h"

namespace sestina {

class ColumnRecursion {
 public:
  // Columns first to first + 8 of a right-hand side, and of another one that stands `distance` beside it,
  // where there is one. Rows stand `stride` apart.
  struct Strip {
    const double* minus_B = nullptr;  // null: unit columns, a one in row `unit` and those that follow
    double* X = nullptr;
    std::ptrdiff_t B_stride = 0, B_distance = 0, X_stride = 0, X_distance = 0;
    int unit = 0;
    bool has_two = true;
    int num_bodies = 0;  // (3) ends before this body
  };

  explicit ColumnRecursion(const Model& model);

  // (1) for the coordinates to which `kinematics` belongs.
  SolveReport<double> factor(const Properties<double>& properties, const Kinematics<double>& kinematics);

  // (2) for the bodies of `filled`, which holds all inboard bodies of its own (of the others the rows of B
  // are zero, and not read), and (3).
  void solve(const Strip& strip, const Walk& filled);

  const TreeLayout& tree() const { return tree_; }
  const Walk& whole() const { return whole_; }

 private:
  struct Column {
    double H[6], W[6];  // about Mo, angular part first
    double D_inverse;
  };
  struct Step {
    double s[3];  // from the parent's Mo
    bool only_turns;
  };
  double* sum_of(int sum, int block);
  template <int blocks, bool is_unit>
  void pass_inward(const Strip& strip, const Walk& filled, int place);  // (2)
  template <int blocks>
  void pass_outward(const Strip& strip, const Walk& filled, int place);  // (3)

  TreeLayout tree_;
  Walk whole_;
  std::vector<Column> columns_;  // (nu)
  std::vector<Step> steps_;      // by BodyIndex
  std::vector<ArticulatedRows<double>> inertia_sums_;
  CacheLineVector<double> sums_;  // by the places of a walk: z of children, A of parents
};

}  // namespace sestina
