// The quantities of one speed that are passed inward: see (8) and (10) of inverse_dynamics_derivatives.h.
#pragma once

#include "sestina/dynamics/subtree_sums.h"

namespace sestina {

struct SubtreePass {
  using Lanes = SubtreeSums::Lanes;

  Lanes U_torque, U_force, W, Q_torque, Q_force, C_torque, C_force;

  // Starts about Mo of the joint's body; Q and C omit the moment of the force due to eta.
  [[gnu::always_inline]] void start(const SubtreeSums::Subtree& sum, const SubtreeSums::Column& column,
                                    bool is_revolute);
  // Shifts to the parent's Mo.
  [[gnu::always_inline]] void step_inward(const SubtreeSums::Subtree& step) {
    U_torque += cross(step.s, U_force);
    W += cross(step.dv, U_force);
    Q_torque += cross(step.s, Q_force);
    C_torque += cross(step.s, C_force);
  }

 private:
  [[gnu::always_inline]] static Lanes times(const Lanes (&columns)[3], const Lanes& x) {
    return x[0] * columns[0] + x[1] * columns[1] + x[2] * columns[2];
  }
  [[gnu::always_inline]] static Lanes transpose_times(const Lanes (&columns)[3], const Lanes& x) {
    return row_sums(columns[0] * x, columns[1] * x, columns[2] * x);
  }
};

inline void SubtreePass::start(const SubtreeSums::Subtree& sum, const SubtreeSums::Column& column,
                               bool is_revolute) {
  const Lanes &theta = column.theta, &psi = column.psi;
  const Lanes G_theta = times(sum.G, theta), G_psi = times(sum.G, psi);
  U_torque = sum.trace_E * theta - times(sum.E, theta);
  U_force = cross(theta, sum.h);
  W = sum.trace_G * theta - transpose_times(sum.G, theta);
  Q_torque = sum.trace_E * column.beta_q - times(sum.E, column.beta_q) + cross(sum.h, column.gamma_q) +
             sum.trace_G * psi - G_psi + cross(theta, sum.torque);
  Q_force =
      sum.m * column.gamma_q + cross(column.beta_q, sum.h) + cross(psi, sum.P) + cross(theta, sum.force);
  C_torque = sum.trace_E * column.beta_u - times(sum.E, column.beta_u) + sum.trace_G * theta - G_theta;
  C_force = cross(column.beta_u, sum.h) + cross(theta, sum.P);
  if (is_revolute) return;
  const Lanes& eta = column.eta;
  U_torque += cross(sum.h, eta);
  U_force += sum.m * eta;
  W += cross(sum.P, eta);
  C_torque += cross(sum.h, column.gamma_u);
  C_force += sum.m * column.gamma_u;
}

}  // namespace sestina
