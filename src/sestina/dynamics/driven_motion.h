// Motion that conditions determine by themselves: positions, speeds, accelerations and the forces that keep
// them, without integration.
//
//   g(t, q) = 0,   C u = -dg/dt,   C udot = -bias                                                  (1)
//   C^T lambda = M udot + c - f                                                                    (2)
// C has as many independent rows as there are speeds. (1) is solved by Newton's method from the place to
// which speeds and accelerations lead from an earlier instant; of redundant conditions lambda is the one of
// least norm. Masses may be zero: (2) asks for no inertia. O(nu^2 rows) for an instant.
#pragma once

#include <Eigen/QR>

#include "sestina/dynamics/constraint_rows.h"
#include "sestina/dynamics/inverse_dynamics.h"

namespace sestina {

class DrivenMotion {
 public:
  // The model must outlive this.
  DrivenMotion(const Model& model, const Properties<double>& properties);

  // Throws ComputationError where more motions are possible than one, and names conditions on speeds, which
  // do not determine positions.
  void start(State<double>& state);
  // From the state of the last call to that at t. Throws ComputationError with the joint or constraint that
  // cannot be closed, and the instant.
  void advance(double t, State<double>& state);

  // The following belong to the last state.
  std::span<const double> udot() const { return udot_; }
  std::span<const double> lambda() const { return lambda_; }

 private:
  bool close(State<double>& state);  // false: Newton's method finds no place
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
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factors_;  // of C
  std::vector<double> udot_, lambda_, matrix_;
};

}  // namespace sestina
