// Solves M X = B for many columns of generalised forces B by the articulated-body recursion, O(nu n) for nu
// columns. Column b of B gives column x of X, the accelerations of the system at rest without other forces.
//
// With I the articulated inertia of body B about Mo (recursive_solver.h), and for each speed k of its joint
// in turn, when those before it have been eliminated:
//   U_k = I H_k,   D_k = H_k . U_k + armature,   W_k = U_k / D_k,   I -= U_k W_k^T            (1)
// a column b is passed inward and outward:
//   e_k = b_k - H_k . z,   z += W_k e_k   for each k;   z is shifted back and added to the parent's    (2)
//   x_k = e_k / D_k - W_k . A,   A += H_k x_k   for each k, last one first, A shifted from the parent's (3)
// Two blocks of eight columns each pass together, in SIMD lanes.
//
// The factors of M (forward_dynamics_derivatives.h) need two multiplications for each pair of a speed and a
// speed inboard of it; (2) and (3) need about thirty for each speed, however deep the tree is.
#pragma once

#include <span>
#include <vector>

#include "sestina/dynamics/kinematics.h"
#include "sestina/dynamics/solve_report.h"
#include "sestina/numerics/cache_line_vector.h"
#include "sestina/spatial/articulated_rows.h"

namespace sestina {

class ColumnRecursion {
 public:
  // Eight consecutive columns of a right-hand side B and, if has_two, the eight that begin B_distance numbers
  // further on; the same for X. Rows are B_stride or X_stride numbers apart.
  struct Strip {
    const double* minus_B = nullptr;  // null: unit columns; row `unit` + c has a one in column c
    double* X = nullptr;
    std::ptrdiff_t B_stride = 0, B_distance = 0, X_stride = 0, X_distance = 0;
    int unit = 0;
    bool has_two = true;
    int num_bodies = 0;  // (3) stops before this body
  };

  explicit ColumnRecursion(const Model& model);

  // Computes (1) for the coordinates to which `kinematics` belongs.
  SolveReport<double> factor(const Properties<double>& properties, const Kinematics<double>& kinematics);

  // Computes (2) for the bodies of `filled`, then (3). `filled` contains the inboard bodies of each of its
  // bodies. The rows of B of all other bodies are zero and are not read.
  void solve(const Strip& strip, const Walk& filled);

  // Replaces the single column b (nu) by M^-1 b. No allocation.
  void solve(std::span<double> b);

  const TreeLayout& tree() const { return tree_; }
  const Walk& whole() const { return whole_; }

 private:
  struct Column {
    double H[6], W[6];  // about Mo, ground axes, angular part first
    double D_inverse;
  };
  struct Step {
    double s[3];  // from the parent's Mo (m)
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
  std::vector<SpatialForce<double>> forces_;          // by BodyIndex: z of a single column
  std::vector<SpatialMotion<double>> accelerations_;  // by BodyIndex: A of a single column
  CacheLineVector<double> sums_;                      // by place in a walk: z of children, A of parents
};

}  // namespace sestina
