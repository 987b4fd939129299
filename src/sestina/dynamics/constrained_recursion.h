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
// Instead of the whole tree, the recursion can process a piece of it (assembly_tree.h). The base of the piece
// then takes the place of the ground, but moves, and the force f on the handle is six more multipliers, whose
// conditions K^T A + S [f; lambda] + d = a_t are never complete in the piece.
//
// Source: Popov, Vereshchagin and Zenkevich (1978) for (3)-(4) with conditions; Sathya and Carpentier (2024)
// for eliminating them where loops close, there with a proximal term instead of the pivots of (5).
#pragma once

#include "sestina/dynamics/condition_pivots.h"
#include "sestina/dynamics/constraint_rows.h"
#include "sestina/dynamics/solve_report.h"
#include "sestina/spatial/articulated_rows.h"

namespace sestina {

class ConstrainedRecursion {
 public:
  // Bodies that hang on `base`, parents before children; further bodies hang on `handle`, if it is valid.
  struct Part {
    std::vector<BodyIndex> bodies;
    BodyIndex base, handle;
  };
  // The conditions that act on a part, by row of the model, in ascending order, and for each of them: true if
  // it acts on no other part and the base or a body of this one connects the bodies on which it acts; true if
  // d and the inertia of the row enter here rather than in another part.
  struct PartRows {
    std::vector<int> rows;
    std::vector<char> completes, owns;
  };

  explicit ConstrainedRecursion(const Model& model);
  ConstrainedRecursion(const Model& model, const Part& part);

  // Factors (1) for the state to which `kinematics` and `constraints` belong. Allocates in the first calls
  // and when a mechanism reaches a singular position.
  SolveReport<double> factor(const Properties<double>& properties, const Kinematics<double>& kinematics,
                             const ConstraintRows<double>& constraints);

  // Solves for x (nu) and lambda. `force` (by BodyIndex, about Mo): z; tau (nu); d (rows). No allocation.
  void solve(const Kinematics<double>& kinematics, std::span<const SpatialForce<double>> force,
             std::span<const double> tau, std::span<const double> d, std::span<double> x,
             std::span<double> lambda);

  // Whether the next factor() keeps the conditions that others nearly imply, near a singular position, too.
  void keep_small_pivots(bool keep) {
    smallest_allowed_ = keep ? ConditionPivots::kRoundOffPivot : ConditionPivots::kSmallPivot;
  }
  // The largest |H|^2 / D of the last factor().
  double mobility() const { return mobility_; }
  // The smallest pivot of (5) at the last factor(), relative to the largest |K|^2 |H|^2 / D: about the square
  // of the smallest singular value of C, relative to the largest, or less where inertias differ much.
  double smallest_pivot() const { return smallest_pivot_; }
  // True if pivots of the last factor() are so small that round-off matters: the mass matrix is nearly
  // singular, as for massless bodies in a gimbal whose axes nearly coincide. One step of iterative refinement
  // is then worthwhile.
  bool loses_digits() const { return loses_digits_; }

  // The conditions that others imply at the position of the last factor().
  const std::vector<int>& redundant() const { return redundant_; }

  // For a part. Conditions have numbers of their own here: those of part_rows(), then six of the handle.
  void lay_out(const ConstraintRows<double>& constraints, PartRows part_rows);
  const PartRows& part_rows() const { return part_rows_; }
  int first_of_handle() const { return static_cast<int>(part_rows_.rows.size()); }
  // (2) at the base, after factor().
  const ArticulatedRows<double>& I_of_base() const { return inertia_[0]; }
  OpenRows& open_at_base() { return open_at(0); }
  const ConditionPivots& pivots() const { return pivots_; }
  // By place in redundant(): the number of eliminations before it was found.
  const std::vector<std::size_t>& found_after() const { return found_after_; }
  // By row, after find_first_couplings(): the first elimination that couples with it.
  void find_first_couplings();
  const std::vector<std::size_t>& first_couplings() const { return first_coupling_; }
  // The passes of solve(). After the first, (2) has these z and d. Before the second, the multipliers of the
  // conditions that are open at the base are set; it finds those of the part's own.
  void solve_inward(const Kinematics<double>& kinematics, std::span<const SpatialForce<double>> force,
                    std::span<const double> tau, std::span<const double> d);
  const SpatialForce<double>& z_of_base() const { return z_[0]; }
  std::span<double> d() { return d_; }
  void solve_outward(const Kinematics<double>& kinematics, const SpatialMotion<double>& A_base,
                     std::span<double> x, std::span<double> lambda);

 private:
  // A body; its place among the bases and then the bodies of the part is called its index here.
  struct Link {
    int body = 0, parent = 0;  // BodyIndex; index
    int u_start = 0, nu = 0;   // in the model
    std::size_t column = 0;    // the first one, in columns_
    bool turns = false;        // the joint's columns have no linear part
  };
  struct Column {
    SpatialForce<double> U;  // of a joint's last column, about Mo of the parent
    double D_inverse = 0.0, e = 0.0;
    Couplings k;  // k for the open conditions
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

  ConstrainedRecursion(const Model& model, const Part& part, std::size_t num_bases);
  int base_of(int index) const;
  template <class Visit>
  void for_each_acting(const ConstraintRows<double>& constraints, int row, const Visit& visit) const;
  void number_bodies();
  void unite_mechanisms(const ConstraintRows<double>& constraints);
  void find_meeting_places(const ConstraintRows<double>& constraints);
  const ConstraintRow<double>& row_of(const ConstraintRows<double>& constraints, int row) const {
    return constraints.rows[static_cast<std::size_t>(part_rows_.rows[static_cast<std::size_t>(row)])];
  }
  OpenRows& open_at(std::size_t body) { return open_[open_place_[body]]; }
  std::size_t open_row(OpenRows& open, int row);
  void gather_own(std::size_t b, const ConstraintRows<double>& constraints);
  void open_handle();
  void eliminate_columns(std::size_t b, const Properties<double>& properties,
                         const Kinematics<double>& kinematics, const ConstraintRows<double>& constraints,
                         SolveReport<double>& report);
  void set_to_terms(const Link& link, int speed, const ConstraintRows<double>& constraints, double D_inverse,
                    OpenRows& open, double* k) const;
  template <bool is_last>
  void pass_column(const SpatialMotion<double>& h, const Vec3<double>& s, const Column& column,
                   const OpenRows::Lines& lines, bool has_terms, double* k) const;
  void shift_back(const Vec3<double>& s, ArticulatedRows<double>& I, OpenRows& open) const;
  void eliminate_rows(std::size_t b);
  void pass_on(std::size_t b);
  void take_in(std::size_t b);
  void find_multipliers(std::size_t b, std::span<double> lambda) const;
  void find_idle_multipliers();
  bool reaches_outboard(std::span<const int> rows, std::size_t end) const;
  void remove_idle_part(std::span<double> lambda) const;
  bool find_idle_group(std::span<const int> redundant, const Range& eliminations, IdleGroup& group);

  const Model* model_;
  bool is_part_ = false, base_moves_ = false;
  // A part has one base. The ground of a whole tree is a base for each body that hangs on it; bodies whose
  // mechanisms are connected by conditions share the first of theirs. So mechanisms that share nothing but
  // the ground are eliminated each for itself.
  std::size_t num_bases_;
  std::vector<int> index_of_body_, index_of_speed_;  // -1: not in the part
  std::size_t handle_ = 0;                           // index; 0: none
  std::vector<Link> links_;                          // by index
  PartRows part_rows_;
  double length_ = 1.0, by_length_squared_ = 1.0;
  static constexpr double kPivotThatLosesDigits = 1e-4;
  bool loses_digits_ =
      false;  // the last factor() had a pivot below that, relative to the inertia of its bodies
  bool is_laid_out_ = false;
  double smallest_allowed_ = ConditionPivots::kSmallPivot;  // pivot
  double smallest_pivot_ = 1.0, mobility_ = 0.0;            // mobility_: the largest |H|^2 / D so far
  std::vector<int> complete_at_;               // by row: index that connects all on which it acts; -1: none
  std::vector<std::vector<int>> acting_rows_;  // by index: rows with a frame on it
  std::vector<std::vector<int>> term_rows_;    // by column: rows with a coefficient for its speed
  std::vector<ArticulatedRows<double>> inertia_;  // by index
  std::vector<OpenRows> open_;
  std::vector<std::size_t> open_place_;  // by index: place in open_
  std::vector<Column> columns_;
  ConditionPivots pivots_;
  std::vector<Range> eliminations_of_;         // by index
  std::vector<char> is_inertia_, has_opened_;  // by row
  std::vector<char> completes_rows_;           // by index: true if conditions are complete there
  bool has_late_rows_ = false;                 // true if some stay open although they are complete
  std::vector<std::size_t> place_;             // scratch: places of a body's open conditions at its parent
  std::vector<int> redundant_;
  std::vector<std::size_t> found_after_;
  std::vector<Range> redundant_of_;       // by index: range in redundant_ of those found there
  bool has_passed_on_redundant_ = false;  // true if one was found inboard of where it is complete
  std::vector<IdleGroup> idle_;
  std::size_t idle_groups_ = 0;
  std::vector<double> idle_values_;  // by row: scratch
  std::vector<std::size_t> first_coupling_;
  std::vector<SpatialForce<double>> z_;   // by index
  std::vector<SpatialMotion<double>> A_;  // by index
  std::vector<double> d_;
};

}  // namespace sestina
