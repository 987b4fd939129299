// Derivatives of the rates of integrals over time (the quadratures z of the state), by the state and by
// parameters, for columns that contain such integrals.
//
// They are central differences, as those of other columns (run_derivatives.h), so that whatever a column
// integrates has them: relative error 1e-10. Each takes two evaluations of the equations of motion.
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
  // The derivatives of zdot (nz) along s = [s_q; s_u; s_x], and by p / scale if the direction `by[k]` is one
  // by a parameter.
  void calc_along(const State<double>& state, std::span<const double> s, std::size_t k,
                  std::span<double> zdot_by);
  // Adds the derivatives of weights . zdot by the state to by_state (2 nu + nx), and by each parameter p of
  // the directions in turn to by_parameters.
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
  std::vector<std::unique_ptr<At>> moved_parameters_;  // (2 x directions) p less and plus a width, or null
  std::vector<double> scales_;                         // by direction
  State<double> moved_;
  std::vector<double> displacement_, udot_, xdot_, less_, more_, unit_;
};

}  // namespace sestina
