// A system solved with elements in time, and its reference.
#pragma once

#include <cmath>

#include "sestina/dynamics/assembly.h"
#include "sestina/state_time/state_time_solver.h"
#include "workspace/run_system.h"

namespace sestina::test {

// The state at the end by the recursive solver and Dormand and Prince's rule.
inline State<double> reference_state(System system, double duration) {
  set_accurate(system, duration, duration);
  return run_system(std::move(system)).report.final_state;
}

struct SolvedSystem {
  std::shared_ptr<const Model> model;
  std::unique_ptr<StateTimeSolver> solver;

  State<double> at(double t) const {
    State<double> state;
    solver->calc_state(t, state);
    return state;
  }
};

inline SolvedSystem solve_in_time(const System& system, double duration, StateTimeOptions options,
                                  Executor* executor = nullptr) {
  SolvedSystem solved{freeze(system), nullptr};
  solved.solver = std::make_unique<StateTimeSolver>(solved.model, calc_properties(*solved.model),
                                                    std::move(options), executor);
  solved.solver->start(calc_assembled_state(*solved.model, calc_properties(*solved.model)), duration);
  while (!solved.solver->is_complete()) solved.solver->solve_window();
  return solved;
}

inline double distance_between(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

// The distance of the coordinates and speeds; Euler parameters are compared up to their sign.
inline double distance_between(const Model& model, const State<double>& a, const State<double>& b) {
  std::vector<double> d(static_cast<std::size_t>(model.nu()));
  minus_q<double>(model, a.q, b.q, d);
  return std::max(distance_between(d, std::vector<double>(d.size())), distance_between(a.u, b.u));
}

}  // namespace sestina::test
