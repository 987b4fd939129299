// Lagrange's method: equations of motion from a Lagrangian L = T - V.
//
//   d/dt dL/dq'_i - dL/dq_i = Q_i - sum over k of a_ki lambda_k                         (1)
//   holonomic constraints     f_k(q, t) = 0, with rate  a_k q' + df_k/dt = 0             (2)
//   nonholonomic constraints  a_k q' + b_k = 0                                           (3)
//
// Q are the generalised forces of loads that are not part of V: sum of dv/dq'_i . R + dw/dq'_i . T. Their
// terms in q'' go to the left-hand side. Multipliers have a minus sign, as in SymPy: lambda_k acts against
// the constraint, and the force of the constraint on the system is -lambda_k along it.
#pragma once

#include <optional>
#include <vector>

#include "sestina/symbolic/body.h"
#include "sestina/symbolic/matrix.h"

namespace sestina::symbolic {

struct LagrangeOptions {
  // Expressions that vanish; the latter are linear in the rates of q.
  std::vector<Expression> hol_coneqs = {}, nonhol_coneqs = {};
  std::vector<Load> forcelist = {};          // loads besides the potential energy
  std::optional<ReferenceFrame> frame = {};  // for the velocities of loads
};

class LagrangesMethod {
 public:
  // Throws InputError if a coordinate is a constant or occurs twice, if the Lagrangian contains second rates
  // or is written with speeds instead of rates of coordinates, if loads come without a frame, are not linear
  // in second rates or act where velocities are not written with the rates of coordinates, if a holonomic
  // constraint depends on rates or a nonholonomic one is not linear in them, or if the name of a multiplier
  // is taken.
  LagrangesMethod(Mechanics& mechanics, const Expression& lagrangian, std::vector<Expression> q,
                  LagrangeOptions options = {});

  const std::vector<Expression>& q() const { return q_; }
  // lam1, lam2 ...: those of the holonomic constraints first
  const std::vector<Expression>& lam_vec() const { return multipliers_; }

  const std::vector<Expression>& configuration_constraints() const { return options_.hol_coneqs; }
  // The rates of the holonomic constraints, then the nonholonomic ones.
  const std::vector<Expression>& velocity_constraints() const { return velocity_; }

  // Left-hand side of (1) minus its right-hand side.
  Matrix equations() const;
  // mass_matrix q'' = forcing + lam_coeffs^T lambda, where lam_coeffs is -a
  const Matrix& mass_matrix() const { return mass_matrix_; }
  const Matrix& forcing() const { return forcing_; }
  Matrix lam_coeffs() const { return -a_; }
  const std::vector<Load>& loads() const { return options_.forcelist; }
  // [M -a^T; a 0] [q''; -lambda] = [forcing; -(a' q' + b')]
  Matrix augmented_mass_matrix() const;
  Matrix augmented_forcing() const;
  // The same with the rates of q, as in SymPy: for [q'; q''; -lambda].
  Matrix mass_matrix_full() const;
  Matrix forcing_full() const;
  // The solution: [q'; q''] and the multipliers.
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
