// A complete run: a system, a solver and an integrator, with recorders and a report.
//
//   Workspace workspace(read_model_file("pendulum.yaml"));
//   workspace.add_recorder(make_recorder("pendulum.csv"));
//   RunReport report = workspace.run();
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sestina/base/trace.h"
#include "sestina/integrate/run_limits.h"
#include "sestina/integrate/step_driver.h"
#include "sestina/io/result_file.h"
#include "sestina/model/freeze.h"
#include "sestina/run/pacer.h"
#include "sestina/state_time/state_time_ranks.h"

namespace sestina {

struct AssemblyReport;
struct Checkpoint;
struct EnsembleMember;
struct EnsembleOptions;
class Executor;

struct RunProgress {
  double t = 0.0;         // s
  double duration = 0.0;  // s
  double wall_seconds = 0.0;
  long steps = 0;
};

// Where a run stores what another process needs to continue it (checkpoint.h).
struct CheckpointOptions {
  std::filesystem::path path{};
  double every_wall = 60.0;  // s of wall time between checkpoints
  std::filesystem::path
      model_file{};  // whose folder the model's tables are relative to; else the current one
  std::filesystem::path result_file{};  // for the process that resumes the run
};

using ParameterValue = std::pair<std::string, double>;  // by name

enum class RunStatus { kComplete, kInterrupted, kFailed };

struct RunReport {
  RunStatus status = RunStatus::kComplete;
  std::string failure;  // with the time, the joint or force and the reason; empty when complete
  double t = 0.0;       // s, the last time of the run
  long rows = 0;        // recorded
  StepStatistics steps;
  double wall_seconds = 0.0;  // of all processes that computed a part of the run
  // Kinetic + potential - supplied + dissipated energy over the recorded rows (J):
  double energy_drift = 0.0;          // largest deviation from its initial value
  double kinetic_energy = 0.0;        // largest, for comparison
  std::vector<std::string> assembly;  // given coordinates and speeds that had to change to close loops
  std::vector<std::string> remarks;   // remarks on the result, such as that an equilibrium is unstable
  std::string hint;                   // why the run hardly advances (stall_watch.h), or empty
  State<double> final_state;
  int lanes = 0;  // SIMD lanes in which it was computed, with other runs; 0: separately

  std::vector<long> event_counts;  // how often each event of the model took place
  std::string ended_by;            // the event that ended the run, or empty

  std::optional<double> resumed_at;         // s, of a run that was continued here
  long checkpoints = 0;                     // written
  double checkpoint_t = 0.0;                // s, time of the last of them
  std::string checkpoint_failure;           // why the last one could not be written; the previous one remains
  std::vector<PhaseTime> trace;             // where the time was spent, if recorded
  std::optional<RealTimeReport> real_time;  // of a run at the pace of the wall clock

  double real_time_factor() const { return wall_seconds > 0.0 ? t / wall_seconds : 0.0; }
};

// The options of a run; the setters of Workspace explain each.
struct RunSettings {
  std::vector<std::unique_ptr<Recorder>> recorders;
  bool reactions = false;
  std::function<void(const RunProgress&)> on_progress;
  std::function<void(const std::string&)> on_hint;
  const std::atomic<bool>* interrupt = nullptr;
  StateTimeRanks ranks;
  std::optional<CheckpointOptions> checkpoint;
  bool trace = false;
  std::optional<double> real_time;
  RunLimits limits;  // zero: no limit
};

class Workspace {
 public:
  // Freezes the system and checks that its analysis can be run: throws InputError with all faults.
  explicit Workspace(System system);
  // The same with a model that was frozen from this system, of which only `analysis` and `output.every` may
  // have been edited since; only these are frozen again.
  Workspace(System system, const std::shared_ptr<const Model>& model);
  // The same without a copy of the system, which must stay as it is.
  explicit Workspace(const std::shared_ptr<const System>& system);
  Workspace(const std::shared_ptr<const System>& system, const std::shared_ptr<const Model>& model);
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  // Adds a recorder of rows; there may be any number of them.
  void add_recorder(std::unique_ptr<Recorder> recorder);
  // Adds the joints' reactions to the rows.
  void record_reactions() { settings_.reactions = true; }
  // The callback is called about ten times per second of wall time, by the running thread.
  void on_progress(std::function<void(const RunProgress&)> callback) {
    settings_.on_progress = std::move(callback);
  }
  // The callback is called with RunReport::hint as soon as it is known.
  void on_hint(std::function<void(const std::string&)> callback) { settings_.on_hint = std::move(callback); }
  // The run ends, keeping its rows, soon after this becomes true. Set it from any thread or signal.
  void set_interrupt(const std::atomic<bool>* interrupt) { settings_.interrupt = interrupt; }
  // For parallel solvers; the default is default_thread_count(). Results do not depend on it.
  void set_threads(int threads);
  // For coordinates: state_time. These processes solve the windows together; all must make the same calls for
  // the same system. Each has all rows; one of them should record.
  void set_ranks(StateTimeRanks ranks) { settings_.ranks = ranks; }
  // Writes checkpoints during the run, and a last one when the run is interrupted or complete. The run
  // continues if one cannot be written; the report contains the reason.
  void set_checkpoint(CheckpointOptions options) { settings_.checkpoint = std::move(options); }
  // Records where the time is spent.
  void record_trace() { settings_.trace = true; }
  // Rows are produced at the pace of the wall clock: `factor` seconds of the run per second. Results do not
  // depend on it.
  void set_real_time(double factor) { settings_.real_time = factor; }

  // Each number that is not zero replaces the analysis's own limit. Throws InputError for an invalid
  // limit.
  void set_limits(const RunLimits& limits);

  // Starts the run there (nq, nu, nx) instead of at the model's initial state; Euler parameters are
  // normalised. Without x, its states with a rate begin where the model says. Throws InputError for another
  // size, or for a number that is not finite.
  void set_initial_state(std::vector<double> q, std::vector<double> u, std::vector<double> x = {});

  // Runs from the initial state to the end of the duration. A ComputationError is described in the report,
  // and the rows until then are kept. Every call is a new run.
  RunReport run();
  // The same, with recording to a file (.csv, .h5).
  RunReport run(const std::filesystem::path& result_file);
  // Continues the run of a checkpoint, which must be of this system: with the former rows where a recorder
  // left them, the result equals that of an uninterrupted run bit for bit. Throws InputError, with no change,
  // if checkpoint, system and results do not belong together.
  RunReport resume(const Checkpoint& checkpoint);
  RunReport resume(const Checkpoint& checkpoint, const std::filesystem::path& result_file);

  // Runs many variants of this system, several at once (ensemble.h).
  std::vector<RunReport> run_ensemble(std::span<const EnsembleMember> members,
                                      const EnsembleOptions& options) const;
  std::vector<RunReport> run_ensemble(std::span<const EnsembleMember> members) const;

  // Returns this system with other values of some parameters, by name. Settings of the run, such as
  // recorders, are not copied. The frozen model is shared if possible, which takes a small part of the time
  // of freezing again and gives the same results bit for bit. Throws InputError with all faults, and for an
  // unknown parameter. May be called by any number of threads.
  std::unique_ptr<Workspace> with_parameters(std::span<const ParameterValue> values) const;
  // Throws InputError, with the nearest name, if there is no such parameter.
  void check_parameter(std::string_view name) const;
  // The same if the frozen model can be shared: the values affect properties alone and break no rule
  // (check.h). Otherwise null.
  std::unique_ptr<Workspace> share_model(std::span<const ParameterValue> values) const;

  // With the values of the parameters in this workspace.
  const System& system() const;
  // The analysis to run.
  const Analysis& analysis() const { return analysis_; }
  // Sets a duration (s) other than that of the description; the longest step and the rows change with it
  // unless the description gives them. Throws InputError.
  void set_duration(double duration);
  const Model& model() const { return *model_; }
  std::shared_ptr<const Model> shared_model() const { return model_; }
  const Properties<double>& properties() const { return *properties_; }

  // For the implementation of runs.
  bool has_given_state() const { return initial_.has_value(); }  // by set_initial_state()
  const RunSettings& settings() const { return settings_; }
  RunLimits limits() const;  // limits of the analysis, or the ones set instead
  // As it was frozen, regardless of the values of the parameters in this workspace.
  const System& described() const { return *described_; }
  // Closes loops; `assembly`, if given, reports what had to move. Throws InputError if that fails.
  State<double> calc_initial_state(AssemblyReport* assembly = nullptr) const;
  Executor* executor();  // null for one thread

 private:
  using Places = std::unordered_map<std::string, std::size_t>;
  Workspace(const Workspace& other, std::unique_ptr<const Properties<double>> properties);
  Workspace(std::shared_ptr<const System> described, FrozenSystem frozen);
  RunReport with_recorder(const std::filesystem::path& result_file, const std::function<RunReport()>& run);
  System make_system() const;

  std::shared_ptr<const System> described_;  // that was frozen
  std::shared_ptr<const Model> model_;
  Analysis analysis_;
  double described_duration_ = 0.0;       // s
  std::shared_ptr<const Places> places_;  // of the free parameters
  std::unique_ptr<const Properties<double>> properties_;
  bool has_described_values_ = true;
  mutable std::unique_ptr<const System> system_;  // with other values: made on first use
  RunSettings settings_;
  std::optional<State<double>> initial_;
  std::optional<int> threads_;
  std::unique_ptr<Executor> executor_;
};

}  // namespace sestina
