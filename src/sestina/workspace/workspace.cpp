#include "sestina/workspace/workspace.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <limits>

#include "sestina/base/error.h"
#include "sestina/base/version.h"
#include "sestina/integrate/rule_list.h"
#include "sestina/integrate/step_options.h"
#include "sestina/io/model_file.h"
#include "sestina/workspace/result_row.h"
#include "sestina/workspace/system_equations.h"

namespace sestina {

namespace {

using Clock = std::chrono::steady_clock;
constexpr double kProgressPeriod = 0.1;  // s of wall time
// Two rows nearer than this fraction of the output interval are one.
constexpr double kSameRow = 1e-6;
// No row's instant may be off by more than this fraction of the output interval.
constexpr double kTellApart = 1e-3;

RuleOptions rule_options(const Analysis& analysis) {
  return {analysis.integrator, analysis.integrator_stages, analysis.integrator_form};
}

StepOptions step_options(const Analysis& analysis) {
  StepOptions options;
  options.driver = analysis.driver;
  options.dt = analysis.dt;
  options.rtol = analysis.rtol;
  options.atol = analysis.atol;
  return options;
}

// What an integrator says is wrong, at the keys of the model.
void add_integrator_faults(const InputError& error, const System& system, FaultList& faults) {
  const StepSpec& step = system.analysis.step;
  for (const Fault& fault : error.faults()) {
    const std::string& key = fault.place.path;
    Mark mark = system.analysis.integrator.name.mark;
    if (key == "step.dt" && step.dt) mark = step.dt->mark;
    if (key == "step.rtol") mark = step.rtol.mark;
    if (key == "step.atol") mark = step.atol.mark;
    faults.add({mark, "analysis." + (key.empty() ? "integrator" : key)}, fault.message);
  }
}

// What freeze cannot know, since it knows no integrators: whether rule, driver, their numbers and the output
// fit together.
void check_analysis(const System& system, const Analysis& analysis) {
  FaultList faults;
  try {
    make_step_driver(step_options(analysis))
        ->check(*make_integration_rule(rule_options(analysis)), 0.0, analysis.duration);
  } catch (const InputError& error) {
    add_integrator_faults(error, system, faults);
  }
  if (kTellApart * analysis.output_every < std::numeric_limits<double>::epsilon() * analysis.duration) {
    faults.add({system.output.every ? system.output.every->mark : Mark{}, "output.every"},
               fmt::format("{} s is too short to tell the rows of a run of {} s apart", analysis.output_every,
                           analysis.duration));
  }
  faults.throw_if_any();
}

// The text of the model for the result; what no file can hold is not written into one.
std::string model_text(const System& system) {
  try {
    return write_model(system);
  } catch (const InputError& error) {
    return fmt::format("# no file can hold this model: {}\n", error.what());
  }
}

IntegrationState initial_integration_state(const Model& model) {
  State<double> state = calc_initial_state(model);
  return {0.0, std::move(state.q), std::move(state.u), std::vector<double>(SystemEquations::kNz, 0.0)};
}

}  // namespace

// One run: the parts it is made of, and the report as it grows.
class Workspace::Run {
 public:
  explicit Run(Workspace& workspace)
      : workspace_(workspace),
        analysis_(workspace.model().analysis()),
        dynamics_(workspace.model_, calc_properties(workspace.model()), analysis_.solver),
        equations_(dynamics_),
        rule_(make_integration_rule(rule_options(analysis_))),
        driver_(make_step_driver(step_options(analysis_))),
        row_(workspace.model(), workspace.reactions_wanted_),
        start_(Clock::now()) {
    for (const auto& recorder : workspace_.recorders_)
      recorder->begin(workspace_.make_header(row_.columns()));
  }

  RunReport go() {
    try {
      const IntegrationState initial = initial_integration_state(workspace_.model());
      report_.final_state = {initial.t, initial.q, initial.u};
      record(initial);
      initial_balance_ = row_.energy_balance();
      if (analysis_.duration > 0.0) advance(initial);
    } catch (const ComputationError& error) {
      report_.status = RunStatus::kFailed;
      report_.failure = error.what();
    }
    finish();
    return report_;
  }

 private:
  // Rows at k * every, and the end. Stepping and recording do not influence each other.
  void advance(const IntegrationState& initial) {
    driver_->start(*rule_, equations_, initial, analysis_.duration);
    is_started_ = true;
    for (long k = 1;; ++k) {
      double t = static_cast<double>(k) * analysis_.output_every;
      const bool is_last = t >= analysis_.duration - kSameRow * analysis_.output_every;
      if (is_last) t = analysis_.duration;
      while (driver_->state().t < t && !is_interrupted()) {
        driver_->step();
        show_progress();
      }
      if (is_interrupted()) {
        report_.status = RunStatus::kInterrupted;
        return;
      }
      record(driver_->advance_to(t));
      if (is_last) return;
    }
  }

  void record(const IntegrationState& state) {
    const std::span<const double> row = row_.calc(state, dynamics_);
    last_recorded_ = state.t;
    for (const auto& recorder : workspace_.recorders_) recorder->record(row);
    ++report_.rows;
    report_.energy_drift = std::max(report_.energy_drift, std::abs(row_.energy_balance() - initial_balance_));
    report_.kinetic_energy = std::max(report_.kinetic_energy, row_.energy().kinetic);
    if (report_.rows == 1) report_.energy_drift = 0.0;
  }

  // A run that ended early records how far it came.
  void finish() {
    if (is_started_) {
      const IntegrationState& state = driver_->state();
      report_.t = state.t;
      report_.steps = driver_->statistics();
      report_.final_state = {state.t, state.q, state.u};
      try {
        if (report_.status != RunStatus::kComplete && state.t > last_recorded_) record(state);
      } catch (const ComputationError&) {
        // The last state cannot be evaluated: why is in the report already.
      }
    }
    for (const auto& recorder : workspace_.recorders_) end(*recorder);
    report_.wall_seconds = wall_seconds();
  }

  void end(Recorder& recorder) {
    try {
      recorder.end();
    } catch (const ComputationError& error) {
      if (report_.status == RunStatus::kComplete) report_.failure = error.what();
      report_.status = RunStatus::kFailed;
    }
  }

  bool is_interrupted() const {
    return workspace_.interrupt_ != nullptr && workspace_.interrupt_->load(std::memory_order_relaxed);
  }

  double wall_seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  void show_progress() {
    if (!workspace_.on_progress_) return;
    const double now = wall_seconds();
    if (now < next_progress_) return;
    next_progress_ = now + kProgressPeriod;
    workspace_.on_progress_({driver_->state().t, analysis_.duration, now, driver_->statistics().steps});
  }

  Workspace& workspace_;
  const Analysis& analysis_;
  ForwardDynamics dynamics_;
  SystemEquations equations_;
  std::unique_ptr<IntegrationRule> rule_;
  std::unique_ptr<StepDriver> driver_;
  ResultRow row_;
  Clock::time_point start_;
  double next_progress_ = kProgressPeriod;
  double last_recorded_ = -1.0;
  double initial_balance_ = 0.0;
  bool is_started_ = false;
  RunReport report_;
};

Workspace::Workspace(System system) : system_(std::move(system)), model_(freeze(system_)) {
  check_analysis(system_, model_->analysis());
}
Workspace::~Workspace() = default;

void Workspace::add_recorder(std::unique_ptr<Recorder> recorder) {
  recorders_.push_back(std::move(recorder));
}

RunReport Workspace::run() { return Run(*this).go(); }

RunReport Workspace::run(const std::filesystem::path& result_file) {
  add_recorder(make_recorder(result_file));
  try {
    RunReport report = run();
    recorders_.pop_back();
    return report;
  } catch (...) {
    recorders_.pop_back();
    throw;
  }
}

ResultHeader Workspace::make_header(const std::vector<Column>& columns) const {
  ResultHeader header;
  header.columns = columns;
  header.model_name = model_->name();
  header.model_text = model_text(system_);
  const Analysis& analysis = model_->analysis();
  header.provenance = {{"program", fmt::format("sestina {}", version())},
                       {"solver", analysis.solver},
                       {"integrator", analysis.integrator},
                       {"step", analysis.driver == "fixed" ? fmt::format("fixed, dt = {} s", analysis.dt)
                                                           : fmt::format("variable, rtol = {}, atol = {}",
                                                                         analysis.rtol, analysis.atol)},
                       {"duration", fmt::format("{} s", analysis.duration)}};
  return header;
}

}  // namespace sestina
