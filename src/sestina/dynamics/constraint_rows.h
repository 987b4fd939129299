// All conditions of a model at a state: their rows, and the products with C and C^T that solvers need.
//
// Rows are in the order of Model: those of cut joints, of cables, of constraints, of reduced bodies.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sestina/constraints/cut_joint.h"
#include "sestina/dynamics/applied_forces.h"
#include "sestina/dynamics/user_constraints.h"
#include "sestina/flexible/reduced_body.h"

namespace sestina {

template <class T>
struct ConstraintRows {
  explicit ConstraintRows(const Model& model);

  bool wants_bias = true;  // of the rows of cut joints

  std::vector<ConstraintRow<T>> rows;
  std::vector<SpeedTerm<T>> terms;
  std::vector<FramePair<T>> pairs;
  std::vector<T> cut_q, cut_u;  // coordinates and speeds of the joints that close loops
  std::vector<CutJointMotion<T>> cut_motions;
  std::vector<T> curve_s;  // parameters of points on curves, then on beams (Model::curve_parameter_of)

  // The data stored by an accepted step (State::h).
  void copy_history(std::vector<T>& h) const {
    std::copy(curve_s.begin(), curve_s.end(), std::copy(cut_q.begin(), cut_q.end(), h.begin()));
  }

  // Scratch memory.
  ReducedInertia<T> reduced_inertia;
  std::vector<T> expressions, tape_inputs, tape_scratch;
  std::vector<T> curve_inputs, curve_numbers, curve_scratch;
  std::optional<UserConstraints> user;  // of T = double, where the model has such constraints
};

// Calls f for each pair of frames between which a row acts.
template <class T, class F>
void for_each_pair(const ConstraintRows<T>& constraints, const ConstraintRow<T>& row, F&& f) {
  if (row.a != row.b) f(static_cast<const FramePair<T>&>(row));
  for (int i = row.first_pair; i < row.first_pair + row.pairs; ++i) {
    f(constraints.pairs[static_cast<std::size_t>(i)]);
  }
}

// Fills the rows for the state to which `kinematics` belongs. state.h has approximate coordinates of the cut
// joints and parameters of points on curves. `known`: the cut joints of the applied forces at this state, if
// these have been evaluated. O(conditions), no allocation. With T other than double, a model that has a
// UserConstraint is refused (InputError).
template <class T>
void update_constraint_rows(const Model& model, const Properties<T>& properties, const State<T>& state,
                            const Kinematics<T>& kinematics, ConstraintRows<T>& constraints,
                            const KnownCutJoints<T>* known = nullptr);

// Computes C u of each row, (3) of constraint_row.h, for motions of the bodies' joint frames (by BodyIndex,
// about Mo, ground axes) and the corresponding speeds; the same for accelerations.
template <class T>
T calc_rate(const ConstraintRows<T>& constraints, const ConstraintRow<T>& row,
            std::span<const SpatialMotion<T>> motions, std::span<const T> speeds);

// tau (nu) and body (by BodyIndex, about Mo) += C^T lambda.
template <class T>
void add_constraint_forces(const ConstraintRows<T>& constraints, std::span<const T> lambda, std::span<T> tau,
                           std::span<SpatialForce<T>> body);

// tau (nu) += the generalised forces of a unit multiplier that acts between the frames of `pair`.
void add_generalized_force(const Model& model, const Kinematics<double>& kinematics,
                           const FramePair<double>& pair, std::span<double> tau);

// C (rows x nu), by rows.
void calc_constraint_matrix(const Model& model, const Kinematics<double>& kinematics,
                            const ConstraintRows<double>& constraints, std::span<double> matrix);

// M (nu x nu) += C^T C of the rows that stand for inertias: the part that the tree's mass matrix lacks.
void add_inertia_of_rows(const Model& model, const Kinematics<double>& kinematics,
                         const ConstraintRows<double>& constraints, std::span<double> M);

// The rates of the coordinates (cut_nq) and speeds (cut_nu) of the joints that close loops, for the state to
// which `kinematics` and `constraints` belong and its udot (nu).
void calc_cut_joint_rates(const Model& model, const Properties<double>& properties,
                          const State<double>& state, const Kinematics<double>& kinematics,
                          const ConstraintRows<double>& constraints, std::span<const double> udot,
                          std::span<double> qdot_cut, std::span<double> udot_cut);

// Finds for each beam, and each curve with ends or a period, if its parameter is not given, the point nearest
// to the point on it, and puts its parameter into state.h; `kinematics` belongs to the state.
void find_nearest_places(const Model& model, const Properties<double>& properties,
                         const Kinematics<double>& kinematics, State<double>& state);

// Names the point that has left an open curve or beam at one of its ends, and the end; empty if there is
// none.
std::string explain_curve_end(const Model& model, const Properties<double>& properties,
                              const ConstraintRows<double>& constraints);

// Names the first condition that is not finite and the reason; empty if there is none.
std::string explain_non_finite_constraint(const Model& model, const Properties<double>& properties,
                                          const State<double>& state,
                                          const ConstraintRows<double>& constraints);

}  // namespace sestina
