// Derivatives of the rates of integrals over time (the quadratures z of the state) with respect to the state
// and parameters, for columns that contain such integrals.
//
// They are central differences, as for other columns (run_derivatives.h), which works for any integrand:
// relative error 1e-10. Each takes two evaluations of the equations of motion.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sestina/workspace/run_derivatives.h"
#include "sestina/workspace/system_equations.h"

namespace sestina {

class IntegralDerivatives {
 public:
  IntegralDerivatives(const Workspace& workspace, std::span<const DerivativeBy> by);

  std::size_t size() const { return less_.size(); }  // nz
  // zdot (nz) at the state.
  void calc_rates(const State<double>& state, std::span<double> zdot) { calc(*own_, state, zdot); }
  // The derivatives of zdot (nz) along s = [s_q; s_u; s_x], including that with respect to p / scale if the
  // direction `by[k]` belongs to a parameter.
  void calc_along(const State<double>& state, std::span<const double> s, std::size_t k,
                  std::span<double> zdot_by);
  // Adds the derivatives of weights . zdot with respect to the state to by_state (2 nu + nx), and those with
  // respect to the parameter p of each direction to by_parameters.
  void add_transposed(const State<double>& state, std::span<const double> weights, std::span<double> by_state,
                      std::span<double> by_parameters);

 private:
  // The equations with one set of parameters.
  struct At {
    At(const Workspace& workspace, const std::vector<double>& parameters);
    ForwardDynamics dynamics;
    SystemEquations equations;
  };
  void calc(At& at, const State<double>& state, std::span<double> zdot);
  void move(const State<double>& state, std::span<const double> s, double width);

  std::unique_ptr<At> own_;
  std::vector<std::unique_ptr<At>> moved_parameters_;  // (2 x directions) at p minus, plus a width; or null
  std::vector<double> scales_;                         // by direction
  State<double> moved_;
  std::vector<double> displacement_, udot_, xdot_, less_, more_, unit_;
};

}  // namespace sestina
