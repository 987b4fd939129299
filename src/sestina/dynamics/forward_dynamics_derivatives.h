// Derivatives of forward dynamics: dudot/dq, dudot/du and dudot/dtau.
//
// Where udot solves the equations of motion, residual(q, u, udot) = tau; so, with "by q" as in
// inverse_dynamics_derivatives.h,
//   dudot/dq = -M^-1 dresidual/dq,   dudot/du = -M^-1 dresidual/du,   dudot/dtau = M^-1          (1)
// M = L^T D L is factored from the tips to the root, which leaves L as sparse as M: L_kl is other than zero
// only where joint l is inboard of k, or on the same joint. Row k is stored by the depth of l, so that an
// update of the rows of its inboard speeds runs over consecutive numbers. With b a column of the right-hand
// side:
//   y_i = b_i - sum over k outboard of i of L_ki y_k           tips inward                       (2)
//   x_k = y_k / D_k - sum over l inboard of k of L_kl x_l      outward                           (3)
// For M^-1, column k of (2) reaches only speeds inboard of k, and (3) fills one triangle; the other is
// copied, so that M^-1 is symmetric to the last bit.
//
// A strip of columns stays in registers while rows are subtracted from it, and (2) skips rows that are zero
// in the strip. On deep trees the articulated-body recursion (column_recursion.h), which needs no factors,
// solves for the columns instead.
// Cost: that of the derivatives of inverse dynamics, and O(nu S) for (2) and (3), S the sum of the depths of
// all speeds, or O(nu n); the results are dense. Memory 3 nu^2 + S numbers and those of inverse dynamics: for
// a chain of 1000 speeds 60 MB in all. Source: Featherstone, Rigid Body Dynamics Algorithms (2008),
// section 6.5; Carpentier and Mansard, Analytical derivatives of rigid body dynamics algorithms, RSS 2018,
// for (1).
#pragma once

#include <optional>

#include "sestina/dynamics/column_recursion.h"
#include "sestina/dynamics/inverse_dynamics_derivatives.h"
#include "sestina/dynamics/solve_report.h"

namespace sestina {

class ForwardDynamicsDerivatives {
 public:
  enum class Columns { kFactors, kRecursion };  // how M x = b is solved

  // Keeps references: model and properties must outlive this object. Refuses a UserForce (InputError).
  ForwardDynamicsDerivatives(const Model& model, const Properties<double>& properties);
  ForwardDynamicsDerivatives(const Model& model, const Properties<double>& properties, Columns columns);
  // Chooses the faster way for a model: the recursion where speeds have more than a certain average number of
  // inboard speeds.
  static Columns choose_columns(const Model& model);

  // Updates for the state to which `kinematics` and `forces` belong and the udot (nu) that solves it, by any
  // formulation. No allocation. The results are not valid if the report says that M is singular.
  SolveReport<double> update(const State<double>& state, const Kinematics<double>& kinematics,
                             const AppliedForces<double>& forces, std::span<const double> udot);

  // Updates only inverse() below, for any udot.
  void update_inverse(const State<double>& state, const Kinematics<double>& kinematics,
                      const AppliedForces<double>& forces, std::span<const double> udot) {
    inverse_.update(state, kinematics, forces, udot);
  }

  // (nu x nu) dudot_i/dq_j, dudot_i/du_j, dudot_i/dtau_j of the last update().
  MatrixBlock by_q() const { return {results_.data(), stride_}; }
  MatrixBlock by_u() const { return {results_.data() + width_, stride_}; }
  MatrixBlock by_tau() const { return {results_.data() + 2 * width_, stride_}; }
  // The derivatives of the residual at the same state.
  const InverseDynamicsDerivatives& inverse() const { return inverse_; }

 private:
  // Layout of row k of L: the inboard speeds from the root outward, then k itself, where D is stored, then
  // padding to a multiple of eight numbers.
  struct Row {
    int start = 0, depth = 0;  // of its last number
    int subtree_end = 0;       // speeds from k up to here are outboard of k or on its joint
  };
  // Columns that are solved for together: the same columns with respect to q and to u, or columns with
  // respect to tau.
  struct Strip {
    int first = 0, width = 0;  // within a block; 8 or 16
    bool is_tau = false;
    int begin = 0, end = 0;  // range in strip_rows_: the rows that (2) can leave nonzero
  };
  struct StripRow {
    int speed = 0, start = 0;  // of its row of L
    int subtree_end = 0;       // in strip_rows_: rows up to here are outboard or on the joint
  };
  // A strip of columns for the recursion.
  struct RecursionStrip {
    int first = 0;
    bool is_tau = false, has_two = true;
    int num_bodies = 0;  // bodies after those of the last column are omitted
    Walk filled;         // bodies of the rows that can be nonzero
  };
  void plan_rows(const Model& model);
  void plan_strips();
  void plan_recursion(const Model& model);
  SolveReport<double> factor();
  void solve();
  void solve_by_recursion();
  void complete_inverse();
  template <int width, bool is_tau>
  void solve_strip(const Strip& strip);

  int nu_;
  std::ptrdiff_t width_, stride_;    // of one of the three blocks, a multiple of eight; of all
  std::vector<Row> rows_;            // (nu)
  std::vector<int> inboard_;         // by Row: the speed of each number of L
  std::vector<double> L_;            // by Row
  std::vector<double> D_inverse_;    // (nu)
  CacheLineVector<double> results_;  // (nu x stride): [by q | 0 | by u | 0 | by tau | 0]
  std::vector<Strip> strips_;
  std::vector<StripRow> strip_rows_;
  std::optional<ColumnRecursion> recursion_;
  std::vector<RecursionStrip> recursion_strips_;
  InverseDynamicsDerivatives inverse_;
  const Properties<double>& properties_;
};

}  // namespace sestina
