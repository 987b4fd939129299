#include "sestina/workspace/quadrature_rates.h"

#include <cmath>

#include "sestina/base/error.h"

namespace sestina {

QuadratureRates::QuadratureRates(const ForwardDynamics& dynamics)
    : dynamics_(dynamics),
      columns_(output_columns(dynamics.model())),
      inputs_(dynamics.model(), dynamics.properties().parameters, false),
      scratch_(columns_.rate_tape.scratch_size()) {}

bool QuadratureRates::vanish() const {
  return dynamics_.model().forces().empty() && !dynamics_.model().is_constrained() &&
         columns_.integrals.empty();
}

void QuadratureRates::calc(const State<double>& state, std::span<double> zdot) {
  const Power<double> power = dynamics_.power(state);
  zdot[kSuppliedWork] = power.supplied;
  zdot[kDissipatedWork] = power.dissipated;
  if (!columns_.integrals.empty()) calc_integrals(state, zdot.subspan(kNumWorks));
}

void QuadratureRates::calc_integrals(const State<double>& state, std::span<double> rates) {
  inputs_.set_state(state);
  inputs_.set_constraints(dynamics_);
  if (columns_.rates_use_points) inputs_.set_points(dynamics_);
  if (columns_.rates_use_origins) inputs_.set_origins(dynamics_);
  if (columns_.rates_use_energy) inputs_.set_energies(dynamics_.energy(state), 0.0, 0.0);
  if (columns_.rates_use_momentum)
    inputs_.set_momentum(
        calc_momentum(dynamics_.model(), dynamics_.properties(), state, dynamics_.kinematics()));
  columns_.rate_tape.evaluate<double>(inputs_.values(), rates, scratch_);
  for (std::size_t i = 0; i < rates.size(); ++i) {
    if (std::isfinite(rates[i])) continue;
    throw ComputationError(state.t, explain_rate(dynamics_.model(), static_cast<int>(i), inputs_.values()));
  }
}

}  // namespace sestina
