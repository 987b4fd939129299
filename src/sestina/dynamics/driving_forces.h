// Inverse dynamics of mechanisms with loops and constraints: the forces of drives and of conditions that a
// motion requires.
//
//   B^T tau + C^T lambda = r,     r = M udot + c - f                                                 (1)
// for q, u and udot that satisfy the conditions. A row of B is the part that the speeds u have in the speed
// of a drive: a unit vector for a joint of the tree, H^+ J of cut_joint.h (4) for a joint that closes a loop.
// Speeds of translation are measured in units of `length`, the mechanism's size: u = S v, and so are the
// speeds of drives, S_d. Let the columns of N be an orthonormal basis of the motions that the conditions
// allow, C S N = 0. Then
//   (S_d^-1 B S N)^T sigma = N^T S r,     tau = S_d^-1 sigma                                         (2)
//   (C S)^T lambda = S (r - B^T tau)                                                                 (3)
// each solved for the least norm, so that tau and lambda are unique also if there are more drives than
// degrees of freedom, or redundant conditions. The motion is possible if (2) has a solution. Masses may be
// zero. Rows for inertias (constraint_row.h) are no conditions: their lambda follows from the motion and is
// part of r. O(nu^2 rows).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sestina/dynamics/constraint_rows.h"
#include "sestina/dynamics/inverse_dynamics.h"

namespace sestina {

class DrivingForces {
 public:
  // `drives`: names of speeds ("base.u[1]"), or of joints for all their speeds ("hip"), in the order of the
  // results; joints that close loops are allowed. Throws InputError if a name is unknown or given twice.
  // Keeps references: the model must outlive this object.
  DrivingForces(const Model& model, const Properties<double>& properties,
                const std::vector<std::string>& drives);
  ~DrivingForces();

  // Computes all results for a motion; udot (nu). Throws ComputationError if the motion does not satisfy a
  // condition to 1e-6 (relative), or if it requires a force along which nothing drives; it names the
  // condition or the speed.
  void update(const State<double>& state, std::span<const double> udot);

  // The speeds that are driven; N or N m for each.
  const std::vector<std::string>& names() const { return names_; }
  std::span<const double> forces() const { return tau_; }
  std::span<const double> lambda() const { return lambda_; }         // (rows), as in ConstrainedDynamics
  std::span<const double> generalized_forces() const { return f_; }  // (nu): B^T tau

 private:
  struct Drive {
    int speed = 0;       // in u, or in the speeds of cut joints
    int cut_joint = -1;  // -1: a joint of the tree
    double scale = 1.0;  // element of S_d: 1, or `length` for a translation
  };

  void add_drives(const std::string& name);
  void update_drives();
  void check_motion(const State<double>& state, std::span<const double> udot) const;
  void check_balance(double t, std::span<const double> udot, std::span<const double> left) const;

  const Model& model_;
  const Properties<double>& properties_;
  std::vector<std::string> names_;
  std::vector<Drive> drives_;
  Kinematics<double> kinematics_;
  AppliedForces<double> forces_;
  ConstraintRows<double> rows_;
  InverseDynamics<double> inverse_;
  struct Matrices;
  std::unique_ptr<Matrices> matrices_;
  std::vector<double> tau_, lambda_, f_, matrix_;
};

}  // namespace sestina
