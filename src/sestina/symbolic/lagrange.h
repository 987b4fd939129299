// Lagrange's method: equations of motion from a Lagrangian L = T - V.
//
//   d/dt dL/dq'_i - dL/dq_i = Q_i - sum over k of a_ki lambda_k                         (1)
//   holonomic constraints     f_k(q, t) = 0, with rate  a_k q' + df_k/dt = 0             (2)
//   nonholonomic constraints  a_k q' + b_k = 0                                           (3)
//
// Q are the generalised forces of the loads, which are those not in V: sum of dv/dq'_i . R + dw/dq'_i . T.
// What these hold of q'' goes to the left. The multipliers enter with a minus, as in SymPy: lambda_k is the
// force against the constraint, -lambda_k that along it as it acts on the system.
#pragma once

#include <optional>
#include <vector>

#include "sestina/symbolic/body.h"
#include "sestina/symbolic/matrix.h"

namespace sestina::symbolic {

struct LagrangeOptions {
  // Both vanish; the latter are linear in the rates of q.
  std::vector<Expression> hol_coneqs = {}, nonhol_coneqs = {};
  std::vector<Load> forcelist = {};          // besides the potential energy
  std::optional<ReferenceFrame> frame = {};  // in which velocities of loads are measured
};

class LagrangesMethod {
 public:
  // InputError when a coordinate is a constant or stands there twice, the Lagrangian holds second rates or
  // is written with speeds in the place of rates of coordinates, loads come without a frame, are not linear
  // in second rates or act where velocities are not written with the rates of coordinates, a holonomic
  // constraint depends on rates or a nonholonomic one is not linear in them, or something else is called like
  // a multiplier.
  LagrangesMethod(Mechanics& mechanics, const Expression& lagrangian, std::vector<Expression> q,
                  LagrangeOptions options = {});

  const std::vector<Expression>& q() const { return q_; }
  // lam1, lam2 ...: first those of the holonomic constraints
  const std::vector<Expression>& lam_vec() const { return multipliers_; }

  const std::vector<Expression>& configuration_constraints() const { return options_.hol_coneqs; }
  // The rates of the holonomic ones, then the nonholonomic ones.
  const std::vector<Expression>& velocity_constraints() const { return velocity_; }

  // The left side of (1) minus its right side.
  Matrix equations() const;
  // mass_matrix q'' = forcing + lam_coeffs^T lambda, where lam_coeffs is -a
  const Matrix& mass_matrix() const { return mass_matrix_; }
  const Matrix& forcing() const { return forcing_; }
  Matrix lam_coeffs() const { return -a_; }
  const std::vector<Load>& loads() const { return options_.forcelist; }
  // [M -a^T; a 0] [q''; -lambda] = [forcing; -(a' q' + b')]
  Matrix augmented_mass_matrix() const;
  Matrix augmented_forcing() const;
  // The same with the rates of q, as in SymPy: of [q'; q''; -lambda].
  Matrix mass_matrix_full() const;
  Matrix forcing_full() const;
  // [q'; q''] and the multipliers, solved for.
  struct Solution {
    Matrix rhs, multipliers;
  };
  Solution solve() const;

 private:
  void check_lagrangian() const;
  void form_constraints();
  void check_constraints() const;
  void form_motion();
  Matrix calc_generalised_forces() const;
  void check_load(const Load& load) const;
  void check_velocity(const Load& load, const Vector& velocity) const;

  Mechanics& mechanics_;
  Expression lagrangian_;
  std::vector<Expression> q_, rates_, accelerations_, multipliers_;
  LagrangeOptions options_;
  std::vector<Expression> velocity_;
  Matrix mass_matrix_, forcing_;
  Matrix a_, constraint_bias_;  // a q'' + bias = 0
};

}  // namespace sestina::symbolic
