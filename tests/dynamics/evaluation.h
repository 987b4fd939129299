// A model with its numbers and the workspaces of one scalar type: kinematics, forces and a solver at a state.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "sestina/dynamics/energy.h"
#include "sestina/dynamics/inverse_dynamics.h"
#include "sestina/dynamics/kane_solver.h"
#include "sestina/dynamics/recursive_solver.h"
#include "sestina/model/freeze.h"

namespace sestina::testing_support {

template <class T>
struct Evaluation {
  explicit Evaluation(std::shared_ptr<const Model> frozen)
      : Evaluation(frozen, calc_properties<T>(*frozen, default_parameters(*frozen))) {}
  Evaluation(std::shared_ptr<const Model> frozen, Properties<T> numbers)
      : model(std::move(frozen)),
        properties(std::move(numbers)),
        kinematics(*model),
        forces(*model),
        inverse(*model),
        udot(static_cast<std::size_t>(model->nu())) {}

  static std::vector<T> default_parameters(const Model& model) {
    std::vector<T> values;
    for (const ParameterInfo& parameter : model.parameters()) values.push_back(T(parameter.value));
    return values;
  }

  // Kinematics and forces; with `tau` (nu) added to the model's own generalised forces.
  void update(const State<T>& state, const std::vector<T>& tau = {}) {
    update_kinematics(*model, properties, state, kinematics);
    update_applied_forces(*model, properties, state, kinematics, forces);
    for (std::size_t k = 0; k < tau.size(); ++k) forces.tau[k] += tau[k];
  }
  // After update().
  template <template <class> class Solver>
  const std::vector<T>& solve() {
    Solver<T> solver(*model);
    report = solver.solve(properties, kinematics, forces, udot);
    return udot;
  }
  template <template <class> class Solver>
  const std::vector<T>& solve(const State<T>& state) {
    update(state);
    return solve<Solver>();
  }
  // After solve(): fills `inverse` and gives the largest residual.
  double residual() {
    update_inverse_dynamics<T>(*model, properties, kinematics, forces, udot, inverse);
    double largest = 0.0;
    for (const T& x : inverse.residual) largest = std::max(largest, std::abs(value_of(x)));
    return largest;
  }

  std::shared_ptr<const Model> model;
  Properties<T> properties;
  Kinematics<T> kinematics;
  AppliedForces<T> forces;
  InverseDynamics<T> inverse;
  std::vector<T> udot;
  SolveReport<T> report;
};

inline double norm2(const std::vector<double>& x) {
  double sum = 0.0;
  for (const double value : x) sum += value * value;
  return std::sqrt(sum);
}
inline double largest(const std::vector<double>& x) {
  double result = 0.0;
  for (const double value : x) result = std::max(result, std::abs(value));
  return result;
}

// A state with derivatives: (q, u, t) moves by `direction` (nu), `u_direction` (nu) and `t_direction`.
inline State<Dual> moving_state(const Model& model, const State<double>& state,
                                const std::vector<double>& direction, const std::vector<double>& u_direction,
                                double t_direction) {
  State<Dual> result;
  result.t = {state.t, t_direction};
  std::vector<Dual> displacement;
  for (const double q : state.q) result.q.emplace_back(q);
  for (const double d : direction) displacement.emplace_back(0.0, d);
  plus_q<Dual>(model, result.q, displacement, result.q);
  for (std::size_t k = 0; k < state.u.size(); ++k) result.u.emplace_back(state.u[k], u_direction[k]);
  return result;
}

}  // namespace sestina::testing_support
