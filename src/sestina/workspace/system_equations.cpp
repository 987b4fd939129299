#include "sestina/workspace/system_equations.h"

namespace sestina {

SystemEquations::SystemEquations(ForwardDynamics& dynamics) : dynamics_(dynamics) {
  state_.q.resize(static_cast<std::size_t>(nq()));
  state_.u.resize(static_cast<std::size_t>(nu()));
}

void SystemEquations::calc_derivatives(double t, std::span<const double> q, std::span<const double> u,
                                       std::span<double> udot, std::span<double> zdot) {
  state_.t = t;
  std::copy(q.begin(), q.end(), state_.q.begin());
  std::copy(u.begin(), u.end(), state_.u.begin());
  dynamics_.calc_udot(state_, udot);
  const Power<double> power = dynamics_.power(state_);
  zdot[kSupplied] = power.supplied;
  zdot[kDissipated] = power.dissipated;
}

void SystemEquations::calc_q_dot(std::span<const double> q, std::span<const double> u,
                                 std::span<double> qdot) {
  sestina::calc_q_dot<double>(dynamics_.model(), q, u, qdot);
}

void SystemEquations::plus(std::span<const double> q, std::span<const double> displacement,
                           std::span<double> q_out) {
  plus_q<double>(dynamics_.model(), q, displacement, q_out);
}

void SystemEquations::normalize(std::span<double> q) { normalize_q<double>(dynamics_.model(), q); }

std::string SystemEquations::name_of_q(int i) const {
  return dynamics_.model().q_names()[static_cast<std::size_t>(i)];
}

std::string SystemEquations::name_of_u(int i) const {
  return dynamics_.model().u_names()[static_cast<std::size_t>(i)];
}

}  // namespace sestina
