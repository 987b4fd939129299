#include "sestina/workspace/system_equations.h"

#include <algorithm>
#include <cmath>

#include "sestina/base/error.h"
#include "sestina/expression/time_switch_finder.h"

namespace sestina {

namespace {

std::vector<int> find_rotations(const Model& model) {
  std::vector<int> rotations;
  for (const BodyInfo& body : model.bodies()) {
    // If there are Euler parameters, the angular velocity comes first in u.
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
      quadratures_(dynamics),
      rotations_(find_rotations(dynamics.model())),
      switches_(make_time_switches(dynamics.model(), dynamics.properties())) {
  if (!dynamics.model().has_contacts()) return;
  contacts_ = std::make_unique<ContactSystem>(dynamics.model(), dynamics.properties(), kSuppliedWork,
                                              kDissipatedWork);
}

void SystemEquations::add_contact_forces(const State<double>& state, std::span<double> udot,
                                         std::span<double> columns) {
  contact_forces_.clear();
  if (contacts_) {
    AddedForces added = contacts_->calc_columns(state, udot, *this, *this, columns);
    for (std::size_t i = 0; i < tau_.size(); ++i) added.tau[i] += tau_[i];
    dynamics_.calc_udot(state, udot, added);
    contact_forces_.assign(contacts_->forces().begin(), contacts_->forces().end());
  }
  const ForceInput<double> in = force_input(state, dynamics_.kinematics(), dynamics_.forces());
  for (const CompliantContact<double>& pair : dynamics_.properties().forces.connectors.contacts) {
    pair.for_each_force(in, [&](const Vec3<double>& p, const Vec3<double>& force) {
      contact_forces_.push_back({pair.contact, pair.first.frame, pair.second.frame, p, force});
    });
  }
}

StateSizes SystemEquations::sizes() const {
  const Model& model = dynamics_.model();
  return {.nq = model.nq(),
          .nu = model.nu(),
          .nx = model.nx(),
          .nd = model.nd(),
          .nh = model.nh(),
          .nz = quadratures_.size()};
}

void SystemEquations::calc_q_dot(std::span<const double> q, std::span<const double> u,
                                 std::span<double> qdot) {
  sestina::calc_q_dot<double>(dynamics_.model(), q, u, qdot);
}

void SystemEquations::plus(std::span<const double> q, std::span<const double> displacement,
                           std::span<double> q_out) {
  plus_q<double>(dynamics_.model(), q, displacement, q_out);
}

void SystemEquations::minus(std::span<const double> q_to, std::span<const double> q_from,
                            std::span<double> displacement) {
  minus_q<double>(dynamics_.model(), q_to, q_from, displacement);
}

void SystemEquations::normalize(std::span<double> q) { normalize_q<double>(dynamics_.model(), q); }

void SystemEquations::project(State<double>& state, Projection how) {
  if (is_constrained()) {
    dynamics_.project(state, how);
  } else {
    normalize(state.q);
  }
}

bool SystemEquations::project_errors(const State<double>& state, std::span<double> of_q,
                                     std::span<double> of_u) {
  if (!is_constrained() || dynamics_.model().is_cartesian()) return false;
  return dynamics_.project_errors(state, of_q, of_u);
}

void SystemEquations::pass_jump(State<double>& state) {
  if (!is_constrained() || dynamics_.model().constraint_expressions().empty()) return;
  const auto calc_energy = [&] {
    dynamics_.update(state);
    const Energy<double> energy = dynamics_.energy(state);
    return energy.kinetic + energy.potential;
  };
  const double before = calc_energy();
  dynamics_.project(state);
  const double gain = calc_energy() - before;
  if (gain > 0.0) state.z[kSuppliedWork] += gain;
  if (gain < 0.0) state.z[kDissipatedWork] -= gain;
}

void SystemEquations::update_history(const State<double>&, State<double>& after) {
  dynamics_.update_history(after);
}

void SystemEquations::calc_rates_at_last_state(const State<double>& state, std::span<double> zdot) {
  quadratures_.calc(state, zdot);
  zdot[kSuppliedWork] += calc_power_of_tau(state);
}

double SystemEquations::calc_power_of_tau(const State<double>& state) const {
  double power = 0.0;
  for (std::size_t i = 0; i < tau_.size(); ++i) power += tau_[i] * state.u[i];
  return power;
}

void SystemEquations::calc_derivatives(const State<double>& state, const StateRates& rates) {
  dynamics_.calc_udot(state, rates.udot, tau_);
  copy_state_rates(state, rates.xdot);
  calc_rates_at_last_state(state, rates.zdot);
}

void SystemEquations::copy_state_rates(const State<double>& state, std::span<double> xdot) const {
  const std::vector<double>& rates = dynamics_.forces().rates;
  for (std::size_t i = 0; i < xdot.size(); ++i) {
    xdot[i] = rates[i];
    if (std::isfinite(rates[i])) continue;
    throw ComputationError(
        state.t, dynamics_.model().explain_rate(static_cast<int>(i), dynamics_.properties(), state));
  }
}

// ---- canonical ------------------------------------------------------------------------------------------

void SystemEquations::calc_momentum(const State<double>& state, std::span<double> p) {
  momentum().calc_momentum(state, p);
}

void SystemEquations::solve_momenta(const State<double>& state, std::span<const double> p,
                                    std::span<double> u) {
  const SolveReport<double> report = momentum().solve_speeds(state, p, u);
  if (!report.is_singular) return;
  throw ComputationError(state.t, explain_singular_mass_matrix(dynamics_.model(), dynamics_.properties(),
                                                               report.singular_speed));
}

void SystemEquations::calc_speeds(const State<double>& state, std::span<const double> p,
                                  std::span<double> u) {
  solve_momenta(state, p, u);
}

void SystemEquations::calc_momentum_rate(const State<double>& state, std::span<double> pdot,
                                         std::span<double> zdot) {
  dynamics_.update(state);
  momentum().calc_momentum_rate(state, dynamics_.kinematics(), dynamics_.forces(), pdot);
  for (std::size_t i = 0; i < tau_.size(); ++i) pdot[i] += tau_[i];
  double sum = 0.0;
  for (const double rate : pdot) sum += rate;
  if (!std::isfinite(sum)) dynamics_.calc_udot(state, pdot);  // throws, with the force that is not finite
  calc_rates_at_last_state(state, zdot);
}

// M du = impulse has the same form as p = M u.
void SystemEquations::calc_velocity_jump(const State<double>& state, std::span<const double> impulse,
                                         std::span<double> du) {
  if (is_constrained()) {
    dynamics_.calc_velocity_jump(state, impulse, du);
  } else {
    solve_momenta(state, impulse, du);
  }
}

// ---- implicit -------------------------------------------------------------------------------------------

SystemEquations::Tangent::Tangent(const ForwardDynamics& dynamics)
    : inverse(dynamics.model()),
      derivatives(dynamics.model(), dynamics.properties()),
      udot(static_cast<std::size_t>(dynamics.model().nu())) {}

MomentumEquations& SystemEquations::momentum() {
  if (!momentum_) momentum_ = std::make_unique<MomentumEquations>(dynamics_.model(), dynamics_.properties());
  return *momentum_;
}

MomentumFace* SystemEquations::momentum_face() {
  if (is_constrained() || dynamics_.model().nx() > 0) return nullptr;
  momentum();
  return this;
}

ResidualFace* SystemEquations::residual_face() {
  const Model& model = dynamics_.model();
  if (!model.user_forces().empty() || is_constrained() || model.nx() > 0) return nullptr;
  if (!tangent_) tangent_ = std::make_unique<Tangent>(dynamics_);
  return this;
}

void SystemEquations::calc_residual(const State<double>& state, std::span<const double> udot,
                                    std::span<double> residual) {
  dynamics_.update(state);
  update_inverse_dynamics<double>(dynamics_.model(), dynamics_.properties(), dynamics_.kinematics(),
                                  dynamics_.forces(), udot, tangent_->inverse);
  std::ranges::copy(tangent_->inverse.residual, residual.begin());
  for (std::size_t i = 0; i < tau_.size(); ++i) residual[i] -= tau_[i];
}

void SystemEquations::update_tangent(const State<double>& state) {
  dynamics_.calc_udot(state, tangent_->udot, tau_);
  const SolveReport<double> report =
      tangent_->derivatives.update(state, dynamics_.kinematics(), dynamics_.forces(), tangent_->udot);
  if (!report.is_singular) return;
  throw ComputationError(state.t, explain_singular_mass_matrix(dynamics_.model(), dynamics_.properties(),
                                                               report.singular_speed));
}

MatrixBlock SystemEquations::residual_by_udot() const {
  const DenseMatrix<double>& M = tangent_->derivatives.inverse().mass_matrix();
  return {M.row(0), M.size()};
}

void SystemEquations::update_residual_tangent(const State<double>& state, std::span<const double> udot) {
  tangent_->derivatives.update_inverse(state, dynamics_.kinematics(), dynamics_.forces(), udot);
  tangent_->state = state;
  std::ranges::copy(udot, tangent_->udot.begin());
  if (!tangent_->by_parameters) tangent_->by_parameters.emplace(dynamics_.model(), dynamics_.properties());
  tangent_->by_parameters->start(tangent_->state, dynamics_.kinematics(), tangent_->udot,
                                 tangent_->derivatives.inverse().sums());
}

void SystemEquations::calc_residual_by_parameter(int parameter, std::span<double> by_parameter) {
  tangent_->by_parameters->calc(parameter, by_parameter);
}

void SystemEquations::calc_quadrature_rates(const State<double>& state, std::span<double> zdot) {
  if (quadratures_.vanish()) {
    std::ranges::fill(zdot, 0.0);
    zdot[kSuppliedWork] = calc_power_of_tau(state);
    return;
  }
  dynamics_.update(state);
  calc_rates_at_last_state(state, zdot);
}

ImplicitFace* SystemEquations::implicit_face() {
  const Model& model = dynamics_.model();
  if (!model.user_forces().empty() || !model.user_constraints().empty()) return nullptr;
  if (!implicit_) {
    implicit_ = std::make_unique<ImplicitEquations>(dynamics_, quadratures_);
    implicit_->set_tau(tau_);
  }
  return implicit_.get();
}

// ---- names ----------------------------------------------------------------------------------------------

std::string SystemEquations::name_of_q(int i) const {
  return dynamics_.model().q_names()[static_cast<std::size_t>(i)];
}

std::string SystemEquations::name_of_u(int i) const {
  return dynamics_.model().u_names()[static_cast<std::size_t>(i)];
}

std::string SystemEquations::name_of_x(int i) const {
  return dynamics_.model().states()[static_cast<std::size_t>(i)].name;
}

// The names of the columns in results.
std::string SystemEquations::name_of_z(int i) const {
  if (i < kNumWorks) return i == kSuppliedWork ? "energy.supplied" : "energy.dissipated";
  const OutputColumns& columns = output_columns(dynamics_.model());
  const int column = columns.integrals[static_cast<std::size_t>(i - kNumWorks)];
  return columns.columns[static_cast<std::size_t>(column)].name;
}

}  // namespace sestina
