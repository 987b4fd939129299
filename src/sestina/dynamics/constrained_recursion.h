// The saddle-point system of a mechanism with loops and constraints, by recursion over its tree: O(n + m) if
// each loop overlaps a bounded number of others.
//
//   M x - C^T lambda = f,    C x = -d                                                                (1)
//
// Unknown: x (nu) and lambda (one for each condition). At the level of bodies, A_B is the part of the
// acceleration due to x, z_B the force that a body lacks and tau the generalised forces, f = tau - J^T z.
//
// Inward: let I be the articulated inertia of a body and all bodies outboard of it, and K (6 x r) the forces
// on the body due to unit multipliers of the conditions that are open there, all about Mo. The outboard part
// requires the force F and, for each open condition, the balance
//   F = I A + z - K lambda,         K^T A + S lambda + d = 0                                         (2)
// A condition opens at the bodies on which it acts and is complete at the first body that connects all of
// them. A joint column h with generalised force tau and direct coefficients c of the conditions is eliminated
// by
//   U = I h,  D = h.U + armature,  k = K^T h + c,  e = tau - h.z                                     (3)
//   I' = I - U U^T/D,  z' = z + U e/D,  K' = K - U k^T/D,  S' = S + k k^T/D,  d' = d + k e/D         (4)
// and a complete condition r, whose pivot S_rr is not zero, by
//   lambda_r = -(K_r^T A + S_ro lambda_o + d_r)/S_rr                                                 (5)
//   I' = I + K_r K_r^T/S_rr,  z' = z + K_r d_r/S_rr,  K_o' = K_o - K_r S_ro/S_rr                     (6)
//   S_oo' = S_oo - S_or S_ro/S_rr,  d_o' = d_o - S_or d_r/S_rr
// A complete condition whose pivot vanishes stays open if K_r does not vanish: it then acts on the body that
// carries the loop. Otherwise it is redundant, implied by others, and its multiplier is zero at first. In the
// end the part of lambda that exerts no force is removed, so that lambda has least norm. Outward:
//   x = (e - U.A + k^T lambda)/D,   A = shift(A_P, s) + h x                                          (7)
// and (5). These are exact pivots of (1) in one order: nothing is regularised. A row that represents an
// inertia (constraint_row.h) has S_rr + 1 in place of S_rr, so that it is never redundant.
//
// Source: Popov, Vereshchagin and Zenkevich (1978) for (3)-(4) with conditions; Sathya and Carpentier (2024)
// for eliminating them where loops close, there with a proximal term instead of the pivots of (5).
#pragma once

#include "sestina/dynamics/constraint_rows.h"
#include "sestina/dynamics/open_rows.h"
#include "sestina/dynamics/solve_report.h"
#include "sestina/spatial/articulated_rows.h"

namespace sestina {

class ConstrainedRecursion {
 public:
  explicit ConstrainedRecursion(const Model& model);

  // Factors (1) for the state to which `kinematics` and `constraints` belong. Allocates in the first calls
  // and when a mechanism reaches a singular position.
  SolveReport<double> factor(const Properties<double>& properties, const Kinematics<double>& kinematics,
                             const ConstraintRows<double>& constraints);

  // Solves for x (nu) and lambda. `force` (by BodyIndex, about Mo): z; tau (nu); d (rows). No allocation.
  void solve(const Kinematics<double>& kinematics, std::span<const SpatialForce<double>> force,
             std::span<const double> tau, std::span<const double> d, std::span<double> x,
             std::span<double> lambda);

  // Whether the next factor() keeps the conditions that others nearly imply, near a singular position, too.
  void keep_small_pivots(bool keep) { keeps_small_pivots_ = keep; }
  // The smallest pivot of (5) at the last factor(), relative to the largest |K|^2 |H|^2 / D: about the square
  // of the smallest singular value of C, relative to the largest, or less where inertias differ much.
  double smallest_pivot() const { return smallest_pivot_; }
  // True if pivots of the last factor() are so small that round-off matters: the mass matrix is nearly
  // singular, as for massless bodies in a gimbal whose axes nearly coincide. One step of iterative refinement
  // is then worthwhile.
  bool loses_digits() const { return loses_digits_; }

  // The conditions that others imply at the position of the last factor().
  const std::vector<int>& redundant() const { return redundant_; }

 private:
  // Numbers of `count` conditions.
  struct Couplings {
    std::size_t values = 0;  // their first number in coupling_values_
    std::size_t rows = 0;    // their first condition in coupling_rows_
    std::size_t count = 0;
  };
  struct Column {
    SpatialForce<double> U;  // of a joint's last column, about Mo of the parent
    double D_inverse = 0.0, e = 0.0;
    Couplings k;  // k for the open conditions
  };
  // A condition that was eliminated at a body.
  struct Elimination {
    int row = 0;
    SpatialForce<double> K;
    double S_inverse = 0.0;
    Couplings S;  // S_ro for the other open conditions
  };
  struct Range {
    std::size_t first = 0, count = 0;
  };
  // Sets of multipliers that exert no force: `count` orthonormal vectors over these rows.
  struct IdleGroup {
    std::vector<int> rows;
    std::vector<double> values;  // (count x rows)
    std::size_t count = 0;
  };

  void find_meeting_places(const ConstraintRows<double>& constraints);
  OpenRows& open_at(std::size_t body) { return open_[open_place_[body]]; }
  std::size_t open_row(OpenRows& open, int row);
  void gather_own(int body, const ConstraintRows<double>& constraints);
  void eliminate_columns(int body, const Properties<double>& properties, const Kinematics<double>& kinematics,
                         const ConstraintRows<double>& constraints, SolveReport<double>& report);
  void set_to_terms(int speed, const ConstraintRows<double>& constraints, double D_inverse, OpenRows& open,
                    double* k) const;
  template <bool is_last>
  void pass_column(const SpatialMotion<double>& h, const Vec3<double>& s, const Column& column,
                   const OpenRows::Lines& lines, bool has_terms, double* k) const;
  void shift_back(const Vec3<double>& s, ArticulatedRows<double>& I, OpenRows& open) const;
  bool is_complete(int row, int body) const { return complete_at_[static_cast<std::size_t>(row)] >= body; }
  void eliminate_rows(int body);
  void eliminate_row(int body, std::size_t i);
  std::size_t find_pivot(int body);
  double* reserve_couplings(std::size_t count);
  std::size_t list_rows(OpenRows& open);
  void pass_on(int body);
  void take_in(std::size_t b);
  double sum_of(const Couplings& couplings, std::span<const double> lambda) const;
  void spread(const Couplings& couplings, double factor);
  void find_multipliers(std::size_t b, std::span<double> lambda) const;
  void find_idle_multipliers();
  void find_first_couplings();
  bool reaches_outboard(std::span<const int> rows, std::size_t end) const;
  void remove_idle_part(std::span<double> lambda) const;
  bool find_idle_group(std::span<const int> redundant, const Range& eliminations, IdleGroup& group);

  const Model* model_;
  std::vector<int> parents_;
  std::vector<char> turns_;  // by BodyIndex: the joint's columns have no linear part
  double length_ = 1.0, by_length_squared_ = 1.0;
  static constexpr double kPivotThatLosesDigits = 1e-4;
  bool loses_digits_ =
      false;  // the last factor() had a pivot below that, relative to the inertia of its bodies
  bool is_laid_out_ = false, keeps_small_pivots_ = false;
  double smallest_pivot_ = 1.0, mobility_ = 0.0;  // mobility_: the largest |H|^2 / D so far
  std::vector<int> complete_at_;                  // by row: the body that connects all on which it acts
  std::vector<std::vector<int>> acting_rows_;     // by body: rows with a frame on it
  std::vector<std::vector<int>> term_rows_;       // by speed: rows with a coefficient for it
  std::vector<ArticulatedRows<double>> inertia_;  // by BodyIndex
  std::vector<OpenRows> open_;
  std::vector<std::size_t> open_place_;    // by BodyIndex: index in open_
  std::vector<Column> columns_;            // (nu)
  std::vector<Elimination> eliminations_;  // in the order of elimination
  std::vector<Range> eliminations_of_;     // by BodyIndex
  std::vector<double> coupling_values_;
  std::vector<int> coupling_rows_;
  std::size_t used_values_ = 0, used_rows_ = 0;  // of coupling_values_ and coupling_rows_
  std::vector<char> is_inertia_, has_opened_;    // by row
  std::vector<char> completes_rows_;             // by body: true if conditions are complete there
  bool has_late_rows_ = false;                   // true if some stay open although they are complete
  std::vector<std::size_t> place_;               // scratch: places of a body's open conditions at its parent
  std::vector<double> inverse_scale_;            // scratch
  std::vector<int> redundant_;
  std::vector<Range> redundant_of_;       // by BodyIndex: range in redundant_ of those found there
  bool has_passed_on_redundant_ = false;  // true if one was found inboard of where it is complete
  std::vector<IdleGroup> idle_;
  std::size_t idle_groups_ = 0;
  std::vector<double> idle_values_;          // by row: scratch
  std::vector<std::size_t> first_coupling_;  // by row: the first elimination that couples with it; scratch
  std::vector<SpatialForce<double>> z_;      // by BodyIndex
  std::vector<SpatialMotion<double>> A_;     // by BodyIndex
  std::vector<double> d_;
};

}  // namespace sestina
