// A run from beginning to end: a system, a solver and an integrator; what is recorded, and what is reported.
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

// Where a run leaves what another process needs to continue it (checkpoint.h).
struct CheckpointOptions {
  std::filesystem::path path{};
  double every_wall = 60.0;  // s of wall time between checkpoints
  std::filesystem::path
      model_file{};  // whose folder the model's tables are relative to; else the current one
  std::filesystem::path result_file{};  // for who resumes the run
};

using ParameterValue = std::pair<std::string, double>;  // by name

enum class RunStatus { kComplete, kInterrupted, kFailed };

struct RunReport {
  RunStatus status = RunStatus::kComplete;
  std::string failure;  // with the time, the joint or force and the reason; empty when complete
  double t = 0.0;       // s, how far the run came
  long rows = 0;        // recorded
  StepStatistics steps;
  double wall_seconds = 0.0;  // of all processes that had a part in the run
  // Of kinetic + potential - supplied + dissipated energy over the recorded rows (J).
  double energy_drift = 0.0;          // largest deviation from its initial value
  double kinetic_energy = 0.0;        // largest, to compare with
  std::vector<std::string> assembly;  // given coordinates and speeds that had to change to close loops
  std::vector<std::string> remarks;  // what a user should know of the result, such as that a rest is unstable
  std::string hint;                  // why the run makes so little headway (stall_watch.h), or empty
  State<double> final_state;
  int lanes = 0;  // of the SIMD registers in which it was computed, beside other runs; 0: by itself

  std::vector<long> event_counts;  // how often each event of the model took place
  std::string ended_by;            // the event that ended the run, or empty

  std::optional<double> resumed_at;         // s, of a run that was continued here
  long checkpoints = 0;                     // written
  double checkpoint_t = 0.0;                // s, the run's time at the last of them
  std::string checkpoint_failure;           // why the last one could not be written; the one before is there
  std::vector<PhaseTime> trace;             // where the time went, if that was wanted
  std::optional<RealTimeReport> real_time;  // of a run at the pace of the wall clock

  double real_time_factor() const { return wall_seconds > 0.0 ? t / wall_seconds : 0.0; }
};

// What a run is asked for beside its motion; the setters of Workspace say what each means.
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
  RunLimits limits;  // none of zero
};

class Workspace {
 public:
  // Freezes the system and checks that its analysis can be run: throws InputError with all faults.
  explicit Workspace(System system);
  // The same for a model that was frozen from this system, of which `analysis` and `output.every` alone may
  // have been edited since: freezes nothing but these.
  Workspace(System system, const std::shared_ptr<const Model>& model);
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  // Where rows go; any number of recorders.
  void add_recorder(std::unique_ptr<Recorder> recorder);
  // Adds the joints' reactions to the rows.
  void record_reactions() { settings_.reactions = true; }
  // Called about ten times a second of wall time from the running thread.
  void on_progress(std::function<void(const RunProgress&)> callback) {
    settings_.on_progress = std::move(callback);
  }
  // Called with RunReport::hint as soon as it is known.
  void on_hint(std::function<void(const std::string&)> callback) { settings_.on_hint = std::move(callback); }
  // The run ends, with what was computed, soon after this becomes true. Set it from any thread or signal.
  void set_interrupt(const std::atomic<bool>* interrupt) { settings_.interrupt = interrupt; }
  // For solvers that work in parallel; otherwise default_thread_count(). Results do not depend on it.
  void set_threads(int threads);
  // For coordinates: state_time, whose windows these processes then solve together: all of them make the same
  // calls for the same system. Each has all rows; recorders are wanted on one.
  void set_ranks(StateTimeRanks ranks) { settings_.ranks = ranks; }
  // Writes checkpoints while it runs, and a last one when the run is interrupted or complete. The run goes on
  // where one cannot be written; the report tells.
  void set_checkpoint(CheckpointOptions options) { settings_.checkpoint = std::move(options); }
  // Measures where the time goes.
  void record_trace() { settings_.trace = true; }
  // Rows come when they are due by the wall clock: `factor` seconds of the run in a second. Results do not
  // depend on it.
  void set_real_time(double factor) { settings_.real_time = factor; }

  // Each number that is not zero takes the place of the analysis's own limit. Throws InputError for what is
  // no limit.
  void set_limits(const RunLimits& limits);

  // The run begins there (nq, nu), and not with the model's initial state; Euler parameters are normalised.
  // Throws InputError for another size, or what is not finite.
  void set_initial_state(std::vector<double> q, std::vector<double> u);

  // From the initial state to the end of the duration. What fails on the way (ComputationError) is told in
  // the report, and what was computed until then is kept. Every call starts anew.
  RunReport run();
  // The same, recording to a file (.csv, .h5) as well.
  RunReport run(const std::filesystem::path& result_file);
  // Continues the run of a checkpoint, which must be of this system: with the former rows where a recorder
  // left them, the result is that of a run that was never interrupted, bit for bit. Throws InputError, and
  // has changed nothing, where checkpoint, system and results do not belong together.
  RunReport resume(const Checkpoint& checkpoint);
  RunReport resume(const Checkpoint& checkpoint, const std::filesystem::path& result_file);

  // Many runs of this system, each with values of its own, several at once (ensemble.h).
  std::vector<RunReport> run_ensemble(std::span<const EnsembleMember> members,
                                      const EnsembleOptions& options) const;
  std::vector<RunReport> run_ensemble(std::span<const EnsembleMember> members) const;

  // This system with other values of some parameters, by name. What was set for the run, recorders and the
  // like, is not taken over. The frozen model is shared where that can be, which takes a small part of the
  // time of freezing anew and gives the same results, bit for bit. Throws InputError with all faults, and for
  // a parameter that there is not. Any number of threads may call it.
  std::unique_ptr<Workspace> with_parameters(std::span<const ParameterValue> values) const;
  // The same where the frozen model can be shared: the values decide about properties alone and break no rule
  // (check.h). Otherwise null.
  std::unique_ptr<Workspace> share_model(std::span<const ParameterValue> values) const;

  // With the values that the parameters have here.
  const System& system() const;
  // How it is run.
  const Analysis& analysis() const { return analysis_; }
  // Another duration (s) than that of the description; the longest step and the rows change with it where the
  // description does not give them. Throws InputError.
  void set_duration(double duration);
  const Model& model() const { return *model_; }
  std::shared_ptr<const Model> shared_model() const { return model_; }
  const Properties<double>& properties() const { return *properties_; }

  // For what runs it.
  const RunSettings& settings() const { return settings_; }
  RunLimits limits() const;  // those of the analysis, or what was set instead
  // As it was frozen, whatever values the parameters have here.
  const System& described() const { return *described_; }
  // With loops closed; `assembly`, if given, tells what had to move. Throws InputError where that cannot be.
  State<double> calc_initial_state(AssemblyReport* assembly = nullptr) const;
  Executor* executor();  // null for one thread

 private:
  using Places = std::unordered_map<std::string, std::size_t>;
  Workspace(const Workspace& other, std::unique_ptr<const Properties<double>> properties);
  explicit Workspace(const std::shared_ptr<const System>& described);
  Workspace(const std::shared_ptr<const System>& described, const std::shared_ptr<const Model>& model);
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
  mutable std::unique_ptr<const System> system_;  // with other values: made when it is asked for
  RunSettings settings_;
  std::optional<State<double>> initial_;
  std::optional<int> threads_;
  std::unique_ptr<Executor> executor_;
};

}  // namespace sestina
