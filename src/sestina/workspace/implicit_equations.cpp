#include "sestina/workspace/implicit_equations.h"

#include <algorithm>
#include <cmath>

#include "sestina/base/error.h"

namespace sestina {

ImplicitEquations::ImplicitEquations(ForwardDynamics& dynamics, QuadratureRates& quadratures)
    : dynamics_(dynamics), quadratures_(quadratures), motion_(dynamics.model(), dynamics.properties()) {}

void ImplicitEquations::calc_start(const State<double>& state, std::span<double> wdot,
                                   std::span<double> lambda) {
  dynamics_.calc_udot(state, wdot.first(state.u.size()), tau_);
  std::ranges::copy(dynamics_.forces().rates, wdot.begin() + static_cast<std::ptrdiff_t>(state.u.size()));
  if (!lambda.empty()) std::ranges::copy(dynamics_.constrained()->lambda(), lambda.begin());
}

void ImplicitEquations::calc_residual(const State<double>& state, std::span<const double> wdot,
                                      std::span<const double> lambda, const Residual& to) {
  motion_.update(state, wdot, lambda, tau_);
  double sum = 0.0;
  for (std::size_t i = 0; i < to.r.size(); ++i) sum += to.r[i] = motion_.r(i);
  for (std::size_t row = 0; row < to.v.size(); ++row) sum += to.v[row] = motion_.v(row);
  if (std::isfinite(sum)) return;
  const std::string reason = motion_.explain_non_finite(state);
  if (!reason.empty()) throw ComputationError(state.t, reason);
}

ImplicitFace::Tangents ImplicitEquations::calc_tangents(const State<double>& state,
                                                        std::span<const double> wdot,
                                                        std::span<const double> lambda) {
  motion_.update_tangents(state, wdot, lambda);
  return {motion_.M, motion_.D, motion_.K, motion_.C, motion_.v_q};
}

void ImplicitEquations::calc_quadrature_rates(const State<double>& state, std::span<const double> lambda,
                                              std::span<double> zdot) {
  if (quadratures_.vanish()) {
    std::ranges::fill(zdot, 0.0);
  } else {
    dynamics_.take_motion(state, lambda);
    quadratures_.calc(state, zdot);
  }
  for (std::size_t i = 0; i < tau_.size(); ++i) zdot[kSuppliedWork] += tau_[i] * state.u[i];
}

}  // namespace sestina
