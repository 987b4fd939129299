// The equations of motion in implicit form, with multipliers, and their tangents as sparse matrices, which
// implicit integration rules need at every stage.
//
//   r(t, q, u, x, udot, lambda) = M udot + c - f - C^T lambda  (nu)
//   and, of states x with a rate, xdot - rate(t, q, u, x)      (nx)
//   v = g' = C u + dg/dt                                       (rows), of constraint_row.h
//   M = r by [udot, xdot],  D = r by [u, x],  K = r by q;    C = v by [u, x],  v_q = v by q
// with columns of zeros for x in K, C and v_q.
// "r by q" denotes the derivative of r with respect to q, each q_k along the tangent of plus(); t is held
// fixed. Rows that stand for rotors belong to M: they are zero in v and C, and their multipliers have no
// effect.
//
// Tangents come from running the same code on Dual, for several directions at once: two speeds may share an
// evaluation if no number of r and v depends on both (A. R. Curtis, M. J. D. Powell, J. K. Reid, On the
// estimation of sparse Jacobian matrices, J. Inst. Maths Applics 13 (1974) 117-119). The pattern is found by
// the code itself: at the beginning directions are seeded with NaN as derivative, which propagates to
// everything that depends on them, even through zeros; several directions at once, as long as it is clear on
// which of them a number depends (dependency_search.h). A model of few speeds, or a tree, takes nu
// evaluations for each of q, u and udot.
//
// If all bodies float, inertia and cut joints have tangents in closed form (floating_tangents.h). Dual
// numbers then serve for the rest: forces and constraints, along the speeds on which they depend.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sestina/dynamics/beam_forces.h"
#include "sestina/dynamics/belt_forces.h"
#include "sestina/dynamics/constraint_rows.h"
#include "sestina/dynamics/floating_tangents.h"
#include "sestina/dynamics/inverse_dynamics.h"
#include "sestina/model/properties.h"
#include "sestina/numerics/sparse_pattern.h"

namespace sestina {

class ImplicitMotion {
 public:
  // The model must outlive this. A model with a UserForce is refused (InputError).
  // `closed_forms`: false to compute all tangents with dual numbers.
  ImplicitMotion(const Model& model, const Properties<double>& properties, bool closed_forms = true);

  // Computes r and v. wdot = [udot, xdot]. tau (nu), if not empty, is added to the generalised forces. No
  // allocation.
  void update(const State<double>& state, std::span<const double> wdot, std::span<const double> lambda,
              std::span<const double> tau);
  double r(std::size_t i) const { return plain_.residual(i); }
  double v(std::size_t row) const;
  // Returns the reason why the last r or v is not finite.
  std::string explain_non_finite(const State<double>& state);

  // The patterns of M, D, K (nw x nw), nw = nu + nx, and of C, v_q (rows x nw).
  const SparsePattern& pattern() const { return pattern_; }
  const SparsePattern& row_pattern() const { return row_pattern_; }
  // The number of evaluations on dual numbers for all directions of one kind.
  std::size_t evaluations() const { return groups_.size(); }
  // About how many evaluations of r and v update_tangents() costs.
  double tangent_cost() const;

  // Computes the numbers of the matrices at a state, in the order of the patterns. No allocation.
  void update_tangents(const State<double>& state, std::span<const double> wdot,
                       std::span<const double> lambda);
  std::vector<double> M, D, K, C, v_q;

 private:
  // One evaluation of the model for one kind of scalar.
  template <class T>
  struct Run {
    explicit Run(const Model& model);
    double velocity(std::size_t row) const;
    T residual(std::size_t i) const {
      const std::size_t nu = udot.size();
      return i < nu ? inverse.residual[i] : xdot[i - nu] - forces.rates[i - nu];
    }
    void update_forces(const Model& model, const Properties<T>& numbers, const State<T>& state);
    void update_residual(const Model& model, const Properties<T>& numbers, std::span<const double> lambda);

    Kinematics<T> kinematics;
    AppliedForces<T> forces;
    ConstraintRows<T> rows;
    InverseDynamics<T> inverse;
    std::vector<T> udot, xdot, lambda;  // (nu), (nx), (rows)
    bool has_rotors = false;
    // True if rows that stand for inertias depend on accelerations of bodies, and not only on those of
    // speeds.
    bool rotors_turn_with_bodies = false;
  };

  // The coordinates and speeds of a joint, or a state.
  struct Direction {
    int q = 0, nq = 0, u = 0, nu = 0, x = -1;
  };
  void find_pattern(const State<double>& start);
  void leave_singular_state(const State<double>& start, std::span<const double> wdot);
  void mark_dependent(std::span<const Direction> directions, std::span<const double> lambda,
                      std::span<char> depends);
  bool has_forces_and_constraints() const;
  void merge_with_closed_forms();
  void find_groups();
  void find_places_of_beams();
  void find_masses_of_cables();
  void find_drives(const State<double>& start);
  void find_places_of_belts();
  void add_beams(const State<double>& state);
  void add_belts();
  void set_state(const State<double>& state, std::span<const double> wdot);
  void add_columns_to_pattern(int count, std::span<const int> results);
  void evaluate(std::span<const double> lambda);
  void evaluate_rest(std::span<const double> lambda);
  void add_closed_forms(const State<double>& state, std::span<const double> wdot,
                        std::span<const double> lambda);
  void update_drives();
  void seed_q(int k, const State<double>& state, double size);
  template <class Seed>
  void take_columns(std::span<const double> lambda, std::vector<double>& of_r, std::vector<double>& of_v,
                    const Seed& seed);
  void take_mass_columns(std::span<const double> lambda);

  const Model& model_;
  Properties<double> numbers_;
  Properties<Dual> dual_numbers_;
  State<Dual> state_;
  BeamForces beams_;
  BeltForces belts_;
  std::vector<std::size_t> belt_places_;  // in the pattern: of the numbers of all blocks in turn
  std::vector<std::size_t> beam_places_;  // in the pattern: of the columns of all blocks of beams in turn
  // Numbers of M, which are constant, where closed forms serve; and their places.
  std::vector<std::pair<std::size_t, double>> cable_masses_;
  Run<double> plain_;
  Run<Dual> dual_;  // without beams
  SparsePattern pattern_, row_pattern_;
  // The patterns of the numbers computed with dual numbers, and their places among all numbers.
  SparsePattern rest_, row_rest_;
  std::vector<std::size_t> places_, row_places_;
  int first_row_ = 0;                     // first row computed with dual numbers
  std::vector<BodyIndex> body_of_speed_;  // (nu)
  std::vector<std::vector<int>> groups_;  // of speeds that share an evaluation
  std::vector<Dual> tau_;                 // (nu) scratch memory: forces without those of conditions
  std::vector<SpatialForce<Dual>> body_;  // by FrameIndex, the same on bodies
  std::optional<FloatingTangents> floating_;
  // By cut joint, if each is driven by its own coordinates and speeds alone: dual numbers then omit the cut
  // joints.
  std::vector<FloatingTangents::Drive> drives_;
};

}  // namespace sestina
