// A run from beginning to end: a system, a solver and an integrator; what is recorded, and what is reported.
//
//   Workspace workspace(read_model_file("pendulum.yaml"));
//   workspace.add_recorder(make_recorder("pendulum.csv"));
//   RunReport report = workspace.run();
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sestina/integrate/step_driver.h"
#include "sestina/io/result_file.h"
#include "sestina/model/freeze.h"

namespace sestina {

struct RunProgress {
  double t = 0.0;         // s
  double duration = 0.0;  // s
  double wall_seconds = 0.0;
  long steps = 0;
};

enum class RunStatus { kComplete, kInterrupted, kFailed };

struct RunReport {
  RunStatus status = RunStatus::kComplete;
  std::string failure;  // with the time, the joint or force and the reason; empty when complete
  double t = 0.0;       // s, how far the run came
  long rows = 0;        // recorded
  StepStatistics steps;
  double wall_seconds = 0.0;
  // Of kinetic + potential - supplied + dissipated energy over the recorded rows (J).
  double energy_drift = 0.0;    // largest deviation from its initial value
  double kinetic_energy = 0.0;  // largest, to compare with
  State<double> final_state;

  double real_time_factor() const { return wall_seconds > 0.0 ? t / wall_seconds : 0.0; }
};

class Workspace {
 public:
  // Freezes the system and checks that its analysis can be run: throws InputError with all faults.
  explicit Workspace(System system);
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  // Where rows go; any number of recorders.
  void add_recorder(std::unique_ptr<Recorder> recorder);
  // Adds the joints' reactions to the rows.
  void record_reactions() { reactions_wanted_ = true; }
  // Called about ten times a second of wall time from the running thread.
  void on_progress(std::function<void(const RunProgress&)> callback) { on_progress_ = std::move(callback); }
  // The run ends, with what was computed, soon after this becomes true. Set it from any thread or signal.
  void set_interrupt(const std::atomic<bool>* interrupt) { interrupt_ = interrupt; }

  // From the initial state to the end of the duration. What fails on the way (ComputationError) is told in
  // the report, and what was computed until then is kept. Every call starts anew.
  RunReport run();
  // The same, recording to a file (.csv, .h5) as well.
  RunReport run(const std::filesystem::path& result_file);

  const System& system() const { return system_; }
  const Model& model() const { return *model_; }
  std::shared_ptr<const Model> shared_model() const { return model_; }

 private:
  class Run;
  ResultHeader make_header(const std::vector<Column>& columns) const;

  System system_;
  std::shared_ptr<const Model> model_;
  std::vector<std::unique_ptr<Recorder>> recorders_;
  bool reactions_wanted_ = false;
  std::function<void(const RunProgress&)> on_progress_;
  const std::atomic<bool>* interrupt_ = nullptr;
};

}  // namespace sestina
