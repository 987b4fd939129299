// A run with coordinates: state_time, that is with windows of elements in time instead of steps.
//
// Rows are evaluated from the elements' polynomials as soon as their window is solved. The reactions and
// energies of a row follow from its q and u, as in any other run; quadratures, such as the work of forces,
// are integrated with Gauss points.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "sestina/base/trace.h"
#include "sestina/run/row_log.h"
#include "sestina/state_time/state_time_solver.h"
#include "sestina/workspace/energy_log.h"
#include "sestina/workspace/quadrature_rates.h"
#include "sestina/workspace/workspace.h"

namespace sestina {

class StateTimeRun {
 public:
  // Throws InputError for unsupported options: checkpoints and pacing by the wall clock.
  explicit StateTimeRun(Workspace& workspace);

  RunReport start();

 private:
  using Clock = std::chrono::steady_clock;

  static StateTimeSolver make_solver(Workspace& workspace);
  void advance();
  void record(double t);
  void check_limits();
  bool solve_window();  // false when interrupted
  void add_rates();     // of the elements solved since the last call
  void update_rates_between();
  void calc_quadratures(double t, std::vector<double>& z);
  void show_progress();
  Trace* trace() { return settings_.trace ? &trace_ : nullptr; }
  double wall_seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  Workspace& workspace_;
  const RunSettings& settings_;
  const Analysis& analysis_;
  ForwardDynamics dynamics_;
  StateTimeSolver solver_;
  LimitWatch limits_;
  RowSchedule rows_;
  ResultRow row_;
  RowLog log_;
  EnergyLog energy_;
  ResultHeader header_;
  Trace trace_;
  Clock::time_point start_;
  double next_progress_ = 0.0;  // s of wall time
  State<double> state_, between_;
  QuadratureRates quadratures_;
  // For each solved element: the rates of the quadratures at its points, point by point, and the quadratures
  // at its start.
  std::vector<double> rates_, before_, udot_;
  std::vector<std::size_t> rates_at_{0};  // where the rates of each element begin in rates_
  std::vector<double> integrals_;         // (k) of the polynomials of an element
  std::size_t elements_with_rates_ = 0;
  RunReport report_;
};

}  // namespace sestina
