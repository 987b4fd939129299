// The equations of motion as a residual, and its tangents.
//
//   r(t, q, u, udot, lambda) = M udot + c - f - C^T lambda     (nu)
//   g(t, q),   v = g' = C u + dg/dt,   a = C udot + bias       (rows), of constraint_row.h
//
// r is zero where udot and lambda solve the equations of motion; for a model without loops and constraints it
// is that of inverse_dynamics.h. Statics needs r, g and their tangents by q at rest; linearisation needs all
// of them. "By q_k" means along the tangent of plus(); udot, lambda and t are held fixed.
//
// Rows that stand for rotors (constraint_row.h, (4)) belong to M here: they are zero in C, and so are their
// multipliers.
//
// Tangents come from running the same code on Dual, once for each of 2 nu directions: O(nu n). They hold for
// all joints, forces and constraints; beams have their own (beam_forces.h).
#pragma once

#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include "sestina/dynamics/beam_forces.h"
#include "sestina/dynamics/belt_forces.h"
#include "sestina/dynamics/constraint_rows.h"
#include "sestina/dynamics/inverse_dynamics.h"
#include "sestina/dynamics/mass_matrix.h"
#include "sestina/model/properties.h"

namespace sestina {

class MotionTangents {
 public:
  // The model must outlive this object. A model with a UserForce is refused (InputError).
  MotionTangents(const Model& model, const Properties<double>& properties);

  // Scales gravity and the forces that are given by value (joint_force, point_force, point_torque); 1 at the
  // beginning.
  void set_load(double load);
  double load() const { return forces_.load; }

  // Updates r, g, v, a, C and M.
  void update(const State<double>& state, std::span<const double> udot, const Eigen::VectorXd& lambda);
  // The same, and their tangents by q; with `by_speeds` also those by u and x.
  void update_tangents(const State<double>& state, std::span<const double> udot,
                       const Eigen::VectorXd& lambda, bool by_speeds);

  // Updates C, M and v_q only.
  void update_conditions(const State<double>& state);

  // How the wrenches of beams follow the state: as functions of it (the default), or by one step of Newton's
  // method at each update, starting from the previous wrenches.
  enum class Wrenches { kOfState, kKept };
  void set_wrenches(Wrenches wrenches);
  // Sets the kept wrenches after a displacement (nu) from the state of the last update.
  void take(const Eigen::VectorXd& displacement) { beams_.take(displacement.data()); }
  bool has_beams() const { return !beams_.empty(); }
  // True if Newton's method can treat the wrenches of beams as unknowns. Slack cables need a descent method.
  bool has_wrenches() const { return beams_.are_all_wrenches(); }

  // Returns the reason why the last residual, at this state, is not finite.
  std::string explain_non_finite(const State<double>& state);

  Eigen::Index nu() const { return r.size(); }
  Eigen::Index nx() const { return rate_x.rows(); }
  Eigen::Index rows() const { return g.size(); }
  // Zero rows of C stand for rotors. Conditions on speeds have no g: their rows are zero in g.
  bool is_on_position(Eigen::Index row) const;

  Eigen::VectorXd r, g, v, a;
  Eigen::VectorXd rate;  // (nx) of the states x
  Eigen::MatrixXd M, C;
  Eigen::MatrixXd r_q, r_u, v_q, a_q, a_u;  // (nu x nu), (rows x nu); v by u is C
  // Derivatives for states x with a rate(q, u, x): (nu x nx), (nx x nu), (nx x nx). Those by x are computed
  // with those by u.
  Eigen::MatrixXd r_x, rate_q, rate_u, rate_x;
  // The sum of the magnitudes of the terms of r (nu): the scale of its round-off.
  Eigen::VectorXd scale;

 private:
  void evaluate(std::span<const double> udot, const Eigen::VectorXd& lambda);
  void seed_q(Eigen::Index k, const State<double>& state);
  void set_mass_and_rows(const State<double>& state);
  void set_matrices(const State<double>& state, std::span<const double> udot, const Eigen::VectorXd& lambda);

  void add_beams(const State<double>& state);
  void add_belts();
  void add_tangents_of_belts(bool by_speeds);

  const Model& model_;
  BeamForces beams_;
  BeltForces belts_;
  Wrenches wrenches_ = Wrenches::kOfState;
  Properties<double> numbers_;   // without beams
  Properties<Dual> properties_;  // without beams
  State<Dual> state_;
  Kinematics<Dual> kinematics_;
  AppliedForces<Dual> forces_;
  ConstraintRows<Dual> rows_;
  InverseDynamics<Dual> inverse_;
  std::vector<Dual> udot_, lambda_;
  Kinematics<double> plain_kinematics_;
  AppliedForces<double> plain_forces_;
  ConstraintRows<double> plain_rows_;
  InverseDynamics<double> plain_inverse_;
  MassMatrix<double> mass_;
  std::vector<double> qdot_, unit_, matrix_;
  Vec3<double> gravity_;
};

}  // namespace sestina
