// Kane's method (Kane and Levinson 1985): equations of motion from partial velocities.
//
//   kinematics     k_q q' + k_u u + f_k = 0                                               (1)
//   velocities     v = sum over r of v_r u_r + v_t,   a = sum over r of v_r u_r' + a_t     (2)
//   active         F_r  = sum over loads of v_r . R + w_r . T                              (3)
//                       = F0_r + (F' u')_r if loads contain rates of speeds, as added masses do
//   inertia        F*_r = -sum over bodies of v_r . (m a + m' v)
//                         + w_r . (I alpha + w x I w + I' w)  =  -(M u' + h)_r             (4)
//   constraints    K u + K_a u_a + c = 0, solved for the dependent speeds:
//                  u_d = A_rs u_i + A_a u_a + b                                             (5)
//   motion         F_i + A_rs^T F_d + F*_i + A_rs^T F*_d = 0,   K u' + K' u + c' = 0        (6)
//   auxiliary      F_a + A_a^T F_d + F*_a + A_a^T F*_d = 0                                  (7)
//
// (1) replaces the rates of coordinates in velocities and forces. Auxiliary speeds u_a are zero in the
// motion, but the equations along their partial velocities, (7), remain: they give forces that do no work.
//
// Velocities and accelerations stay sums of parts in their own frames; products of parts are collected over
// bodies before they are multiplied by the masses. If a partial velocity has more than two parts, all are
// expressed in one frame of the body instead. Nothing is expanded.
#pragma once

#include <vector>

#include "sestina/symbolic/body.h"
#include "sestina/symbolic/matrix.h"
#include "sestina/symbolic/pieces.h"

namespace sestina::symbolic {

struct KaneOptions {
  std::vector<Expression> q_ind = {}, u_ind = {};
  std::vector<Expression> kd_eqs = {};  // expressions that vanish, linear in the rates of q and the speeds
  std::vector<Expression> q_dependent = {}, configuration_constraints = {};
  std::vector<Expression> u_dependent = {}, velocity_constraints = {};  // linear in the speeds
  // Rates of the velocity constraints in another form than their derivatives: linear in the rates of speeds,
  // with factors of their own. Empty: the derivatives.
  std::vector<Expression> acceleration_constraints = {};
  std::vector<Expression> u_auxiliary = {};
  // false: mass_matrix_kin() is k_q of (1) instead of the matrix of its solution for q', and in the
  // same way mass_matrix_full().
  bool explicit_kinematics = true;
};

class KanesMethod {
 public:
  // Throws InputError if numbers of equations and unknowns differ, a symbol occurs twice in q and u, (1) or
  // (5) are not linear or not solvable, a load is not linear in the rates of speeds, or a mass or inertia
  // depends on a speed or a rate of a coordinate: its m' in (4) would contain rates of speeds.
  KanesMethod(const ReferenceFrame& inertial, KaneOptions options, const std::vector<Body>& bodies,
              const std::vector<Load>& loads);

  const std::vector<Expression>& q() const { return q_; }  // independent ones, then dependent ones
  const std::vector<Expression>& u() const { return u_; }
  const KaneOptions& options() const { return options_; }
  const std::vector<Load>& loads() const { return loads_; }
  Mechanics& mechanics() const { return *mechanics_; }

  // Forces for the independent speeds, including those of the dependent ones: (6).
  const Matrix& fr() const { return fr_; }
  Matrix frstar() const;
  // mass_matrix u' = forcing: (6); M - F' instead of M if loads contain rates of speeds.
  const Matrix& mass_matrix() const { return mass_matrix_; }
  const Matrix& forcing() const { return forcing_; }
  // The matrix of q' in (1) and the right-hand side: solved for q', or k_q and -k_u u - f_k.
  Matrix mass_matrix_kin() const;
  Matrix forcing_kin() const;
  void set_explicit_kinematics(bool is_explicit) { options_.explicit_kinematics = is_explicit; }
  // The same for [q'; u'].
  Matrix mass_matrix_full() const;
  Matrix forcing_full() const;
  // The solution of (1): pairs of rate and expression.
  const Replacements& kindiffdict() const { return kindiffdict_; }
  Matrix calc_coordinate_rates() const;  // only their expressions
  // The expressions of (7), which vanish.
  const Matrix& auxiliary_eqs() const { return auxiliary_eqs_; }
  // K and c of (5), and A_rs.
  const Matrix& velocity_constraint_matrix() const { return K_; }
  const Matrix& velocity_constraint_rest() const { return c_; }
  // K' u + c' of (6), so that K u' = -velocity_constraint_bias, even if the given acceleration constraints
  // have another K.
  const Matrix& velocity_constraint_bias() const { return constraint_bias_; }
  const Matrix& Ars() const { return Ars_; }
  // M - F' and F0 - h of (3) and (4) for all speeds, without constraints: with multipliers (M - F') u' = F0 -
  // h + K^T lambda.
  const Matrix& unconstrained_mass_matrix() const { return unconstrained_mass_matrix_; }
  const Matrix& unconstrained_forcing() const { return unconstrained_forcing_; }
  // Solves for [q'; u'].
  Matrix rhs() const;

 private:
  void check() const;
  void check_orders() const;
  void check_bodies(const std::vector<Body>& bodies) const;
  void solve_kinematics();
  void form_constraints();
  void form_acceleration_constraints(const Matrix& constraints);
  void form_motion(const std::vector<Body>& bodies, const std::vector<Load>& loads);
  // Replacements of q' by (1), of q'' by its rate, and of auxiliary speeds by zero.
  Replacements rates_in_motion() const;
  void find_accelerations(const std::vector<Load>& loads, PieceRules& rules) const;
  // Rows of the independent speeds, plus those of the dependent ones by A_rs: (6).
  Matrix project(const Matrix& along_all) const;

  Mechanics* mechanics_;
  ReferenceFrame inertial_;
  KaneOptions options_;
  std::vector<Expression> q_, u_;
  std::vector<Load> loads_;
  Replacements kindiffdict_;
  Matrix k_q_, k_rest_;             // (1)
  Matrix K_, c_, constraint_bias_;  // (5), (6): K' u + c'
  Matrix acceleration_K_, acceleration_rest_;
  Matrix Ars_, A_auxiliary_;
  Matrix fr_, mass_matrix_, forcing_, auxiliary_eqs_;
  Matrix unconstrained_mass_matrix_, unconstrained_forcing_;
};

}  // namespace sestina::symbolic
