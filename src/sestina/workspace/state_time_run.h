// A run with coordinates: state_time: windows of elements in time instead of steps, the same rows.
//
// Rows come out of the elements' polynomials as soon as their window is solved. The reactions and energies of
// a row follow from its q and u, like those of any other run; the work of forces is the integral of their
// power by the points of Gauss.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "sestina/base/trace.h"
#include "sestina/run/row_log.h"
#include "sestina/state_time/state_time_solver.h"
#include "sestina/workspace/energy_log.h"
#include "sestina/workspace/workspace.h"

namespace sestina {

class StateTimeRun {
 public:
  // Throws InputError for what such a run does not offer: checkpoints and a pace of the wall clock.
  explicit StateTimeRun(Workspace& workspace);

  RunReport start();

 private:
  using Clock = std::chrono::steady_clock;

  static StateTimeSolver make_solver(Workspace& workspace);
  void advance();
  void record(double t);
  void check_limits();
  bool solve_window();  // false when interrupted
  void add_work();      // of the elements solved since
  void calc_work(double t, std::vector<double>& z);
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
  // Of each solved element: the powers at its points (W), supplied and dissipated in turn, and the work
  // before it (J).
  std::vector<double> powers_, works_{0.0, 0.0};
  std::vector<std::size_t> powers_at_{0};  // where in powers_ those of an element begin
  std::vector<double> integrals_;          // (k) of the polynomials of an element
  std::size_t elements_with_work_ = 0;
  RunReport report_;
};

}  // namespace sestina
