// A model's equations of motion in implicit form, with the multipliers of loops and constraints, for implicit
// integration rules.
#pragma once

#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/dynamics/implicit_motion.h"
#include "sestina/integrate/equations_of_motion.h"
#include "sestina/workspace/quadrature_rates.h"

namespace sestina {

class ImplicitEquations final : public ImplicitFace {
 public:
  // All arguments must outlive this object. A model with a UserForce is refused (InputError): it has no
  // derivatives.
  ImplicitEquations(ForwardDynamics& dynamics, QuadratureRates& quadratures);

  // See SystemEquations::set_tau.
  void set_tau(std::span<const double> tau) { tau_ = tau; }

  int rows() const override { return dynamics_.model().constraint_rows(); }
  const SparsePattern& pattern() const override { return motion_.pattern(); }
  const SparsePattern& row_pattern() const override { return motion_.row_pattern(); }
  void calc_start(const State<double>& state, std::span<double> wdot, std::span<double> lambda) override;
  void calc_residual(const State<double>& state, std::span<const double> wdot, std::span<const double> lambda,
                     const Residual& to) override;
  Tangents calc_tangents(const State<double>& state, std::span<const double> wdot,
                         std::span<const double> lambda) override;
  double tangent_cost() const override { return motion_.tangent_cost(); }
  void calc_quadrature_rates(const State<double>& state, std::span<const double> lambda,
                             std::span<double> zdot) override;

 private:
  ForwardDynamics& dynamics_;
  QuadratureRates& quadratures_;
  std::span<const double> tau_;
  ImplicitMotion motion_;
};

}  // namespace sestina
