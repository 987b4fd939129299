// Kinematics and inverse dynamics of mechanisms whose conditions determine the motion completely: positions,
// speeds, accelerations and multipliers, without integration.
//
//   g(t, q) = 0,   C u = -dg/dt,   C udot = -bias                                                  (1)
//   C^T lambda = M udot + c - f                                                                    (2)
// C has as many independent rows as there are speeds. (1) is solved by Newton's method, starting from a
// prediction with the speeds and accelerations of an earlier instant. Where conditions are redundant, lambda
// is the solution of least norm. Masses may be zero: (2) needs no inertia. O(nu^2 rows) for an instant.
#pragma once

#include <Eigen/Core>

#include "sestina/dynamics/constraint_rows.h"
#include "sestina/dynamics/inverse_dynamics.h"
#include "sestina/numerics/least_norm_solver.h"

namespace sestina {

class DrivenMotion {
 public:
  // Keeps references: the model must outlive this object.
  DrivenMotion(const Model& model, const Properties<double>& properties);

  // Computes the motion at state.t. Throws ComputationError if the conditions leave a degree of freedom, or
  // for conditions on speeds, which do not determine positions; it names them.
  void start(State<double>& state);
  // Advances from the state of the last call to the instant t (s). Throws ComputationError with the instant
  // and the joint or constraint that cannot be closed.
  void advance(double t, State<double>& state);

  // The following results belong to the last state.
  std::span<const double> udot() const { return udot_; }
  std::span<const double> lambda() const { return lambda_; }

 private:
  bool close(State<double>& state);  // false if Newton's method does not converge
  void update(const State<double>& state);
  void complete(State<double>& state);  // speeds, accelerations, forces
  void refuse_conditions_on_speeds() const;
  [[noreturn]] void fail(const State<double>& state) const;
  Eigen::VectorXd gather(double ConstraintRow<double>::*part) const;

  const Model& model_;
  const Properties<double>& properties_;
  Kinematics<double> kinematics_;
  AppliedForces<double> forces_;
  ConstraintRows<double> rows_;
  InverseDynamics<double> inverse_;
  Eigen::MatrixXd C_;
  std::vector<double> udot_, lambda_, matrix_;
  LeastNormSolver factors_;  // of C
};

}  // namespace sestina
