// The saddle-point system of a mechanism in cartesian coordinates, by a sparse block factorisation along the
// graph of its bodies and conditions: O(n + m) if loops are local.
//
//   M x - C^T lambda = f,    C x = -d                                                                (1)
//
// M has a block of 6 x 6 for each body (3 x 3 for a particle without a joint), about the origin of the
// body's frame, ground axes; each joint and each constraint is a block of rows. With y = -lambda this is the
// symmetric system of block_ldlt.h; rows that stand for inertias (constraint_row.h) have -1 on its diagonal:
//   C x + d = -lambda   ->   C x - y = -d                                                            (2)
// If the residuals of (1) and (2) exceed the rounding of the numbers themselves, the system is solved once
// more for the residuals (iterative refinement): bodies that have almost no inertia in some direction lead to
// large numbers that cancel.
#pragma once

#include <optional>

#include "sestina/dynamics/constraint_rows.h"
#include "sestina/dynamics/solve_report.h"
#include "sestina/numerics/block_ldlt.h"

namespace sestina {

class ConstrainedSparse {
 public:
  explicit ConstrainedSparse(const Model& model);

  // Factors (1) for the state to which `kinematics` and `constraints` belong. Allocates in the first calls
  // and when a mechanism reaches a singular position.
  SolveReport<double> factor(const Properties<double>& properties, const Kinematics<double>& kinematics,
                             const ConstraintRows<double>& constraints);

  // x (nu) and lambda (rows), refined; or, if lambda is empty, x alone without refinement. `force` (by
  // BodyIndex, about Mo): the force that a body lacks; tau (nu); d (rows). No allocation.
  void solve(std::span<const SpatialForce<double>> force, std::span<const double> tau,
             std::span<const double> d, std::span<double> x, std::span<double> lambda);

 private:
  // The coefficients of a row for one body, from a frame of a pair or from a speed.
  struct Part {
    int link = -1;  // its block of C; negative: the ground
    int body = 0;
    SpatialForce<double> force;  // [torque; force] of a unit multiplier, about Mo
  };
  struct RowPlan {
    int node = -1, place = 0;    // the block of a row, and its position there
    std::size_t first_part = 0;  // index in parts_: two parts of each pair, then one of each term
  };
  void lay_out(const ConstraintRows<double>& constraints);
  void fill_masses();
  void fill_row(const ConstraintRows<double>& constraints, std::size_t r);
  // Solves for the right-hand side, then for the residual if necessary.
  void solve_refined();
  // rhs_ minus the matrix times solution_; returns whether it exceeds round-off.
  bool update_residual();
  // The unknowns of a rigid body are [w; v], those of a particle v. A mode (BodyInfo::is_mode) has one
  // unknown, its amplitude's acceleration, which stands for v.x.
  enum class Kind { kRigid, kParticle, kMode };
  int unknowns(std::size_t body) const {
    return kinds_[body] == Kind::kRigid ? 6 : kinds_[body] == Kind::kParticle ? 3 : 1;
  }
  bool turns(std::size_t body) const { return kinds_[body] == Kind::kRigid; }

  const Model* model_;
  std::optional<BlockLdlt> ldlt_;
  double length_ = 1.0;
  std::vector<Kind> kinds_;         // by BodyIndex
  std::vector<int> body_of_speed_;  // (nu)
  std::vector<int> start_of_body_;  // by BodyIndex: of its unknowns
  std::vector<RowPlan> rows_;
  std::vector<int> unknown_of_row_;
  std::vector<Part> parts_;
  std::vector<RigidInertia<double>> masses_;       // by BodyIndex
  std::vector<bool> is_inertia_;                   // by row
  std::vector<bool> is_redundant_;                 // by unknown
  std::vector<double> rhs_, solution_, residual_;  // by unknown
};

}  // namespace sestina
