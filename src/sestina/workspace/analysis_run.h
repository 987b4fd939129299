// Analyses without time steps: kinematics, statics, modes and frequency responses. They write rows to the
// same files as other runs, but no checkpoints, and cannot be paced by the wall clock.
#pragma once

#include <chrono>
#include <memory>

#include "sestina/run/row_log.h"
#include "sestina/workspace/energy_log.h"
#include "sestina/workspace/workspace.h"

namespace sestina {

class Equilibrium;

// Whether a column has a frequency response: time and quantities accumulated since the start, such as
// supplied work, do not oscillate about a value.
bool has_response(const std::string& column);

// The columns of a run's results, by its kind of analysis:
//   statics: the columns of every result, and `load`
//   modes: mode, eigenvalue.real, eigenvalue.imag, frequency, damping_ratio, and for each speed the
//   component of its coordinate in the mode shape, JOINT.shape.real and JOINT.shape.imag
//   frequency_response: frequency, and for each other column COLUMN.magnitude and COLUMN.phase
std::vector<Column> run_columns(const Model& model, const Analysis& analysis, bool reactions);

// Adds faults for features of the model and the run that these analyses do not support, at the keys of the
// model.
void add_analysis_faults(const System& system, const Model& model, const Analysis& analysis,
                         FaultList& faults);

class AnalysisRun {
 public:
  // Throws InputError for options that such a run does not support.
  explicit AnalysisRun(Workspace& workspace);
  virtual ~AnalysisRun() = default;

  RunReport start();

 protected:
  // Throws ComputationError on failure; rows until then are kept.
  virtual void compute(State<double>& state) = 0;
  void record(std::span<const double> row) { log_.see_row(row, RowKind::kRegular); }
  // Call between rows: returns whether the run continues. Throws ComputationError if it reaches a limit.
  bool goes_on(double done, double whole);
  // Ends a search for a state of rest, and the run, between two iterations where goes_on() says so. `done`:
  // the part of the run that is done, read at each iteration; null: 0.
  void watch(Equilibrium& equilibrium, const double* done = nullptr);

  Workspace& workspace_;
  const RunSettings& settings_;
  const Analysis& analysis_;
  RunReport report_;

 private:
  using Clock = std::chrono::steady_clock;
  struct Interrupted {};  // thrown by a search that watch() ends

  double wall_seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  RowLog log_;
  LimitWatch limits_;
  Clock::time_point start_ = Clock::now();
  double next_progress_ = 0.0;  // s of wall time
};

// Makes the run for analysis.type, which is not dynamics.
std::unique_ptr<AnalysisRun> make_analysis_run(Workspace& workspace);
std::unique_ptr<AnalysisRun> make_kinematics_run(Workspace& workspace);
std::unique_ptr<AnalysisRun> make_statics_run(Workspace& workspace);
std::unique_ptr<AnalysisRun> make_modes_run(Workspace& workspace);
std::unique_ptr<AnalysisRun> make_frequency_run(Workspace& workspace);

}  // namespace sestina
