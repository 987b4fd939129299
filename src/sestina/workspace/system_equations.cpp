#include "sestina/workspace/system_equations.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "sestina/base/error.h"
#include "sestina/expression/time_switch_finder.h"

namespace sestina {

namespace {

std::vector<int> find_rotations(const Model& model) {
  std::vector<int> rotations;
  for (const BodyInfo& body : model.bodies()) {
    // Where there are Euler parameters, the angular velocity comes first in u.
    if (body.nq != body.nu) rotations.push_back(body.u_start);
  }
  return rotations;
}

}  // namespace

std::unique_ptr<TimeSwitches> make_time_switches(const Model& model, const Properties<double>& properties) {
  if (!model.time_conditions()) return nullptr;
  return std::make_unique<TimeSwitchFinder>(model.time_conditions(), properties.parameters);
}

SystemEquations::SystemEquations(ForwardDynamics& dynamics)
    : dynamics_(dynamics),
      momentum_(dynamics.model(), dynamics.properties()),
      rotations_(find_rotations(dynamics.model())),
      switches_(make_time_switches(dynamics.model(), dynamics.properties())) {
  state_.q.resize(static_cast<std::size_t>(nq()));
  state_.u.resize(static_cast<std::size_t>(nu()));
  state_.d = calc_initial_state<double>(dynamics.model(), dynamics.properties().parameters).d;
}

void SystemEquations::set_variables(std::span<const double> d) {
  assert(d.size() == state_.d.size());
  std::copy(d.begin(), d.end(), state_.d.begin());
}

void SystemEquations::set_state(double t, std::span<const double> q, std::span<const double> u) {
  state_.t = t;
  std::copy(q.begin(), q.end(), state_.q.begin());
  std::copy(u.begin(), u.end(), state_.u.begin());
}

void SystemEquations::calc_power(std::span<double> zdot) const {
  const Power<double> power = dynamics_.power(state_);
  zdot[kSupplied] = power.supplied;
  zdot[kDissipated] = power.dissipated;
}

void SystemEquations::calc_derivatives(double t, std::span<const double> q, std::span<const double> u,
                                       std::span<double> udot, std::span<double> zdot) {
  set_state(t, q, u);
  dynamics_.calc_udot(state_, udot);
  calc_power(zdot);
}

void SystemEquations::calc_momentum(std::span<const double> q, std::span<const double> u,
                                    std::span<double> p) {
  set_state(state_.t, q, u);
  momentum_.calc_momentum(state_, p);
}

void SystemEquations::calc_speeds(double t, std::span<const double> q, std::span<const double> p,
                                  std::span<double> u) {
  std::copy(q.begin(), q.end(), state_.q.begin());
  const SolveReport<double> report = momentum_.solve_speeds(state_, p, u);
  if (report.is_singular) {
    throw ComputationError(
        t, explain_singular_mass_matrix(dynamics_.model(), dynamics_.properties(), report.singular_speed));
  }
}

void SystemEquations::calc_momentum_rate(double t, std::span<const double> q, std::span<const double> u,
                                         std::span<double> pdot, std::span<double> zdot) {
  set_state(t, q, u);
  dynamics_.update(state_);
  momentum_.calc_momentum_rate(state_, dynamics_.kinematics(), dynamics_.forces(), pdot);
  double sum = 0.0;
  for (const double rate : pdot) sum += rate;
  if (!std::isfinite(sum)) dynamics_.calc_udot(state_, pdot);  // throws, with the force that is not finite
  calc_power(zdot);
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

// As the columns of results are named.
std::string SystemEquations::name_of_z(int i) const {
  return i == kSupplied ? "energy.supplied" : "energy.dissipated";
}

}  // namespace sestina
