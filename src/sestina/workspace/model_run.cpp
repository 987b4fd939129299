#include "sestina/workspace/model_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sestina/base/error.h"
#include "sestina/base/version.h"
#include "sestina/dynamics/assembly.h"
#include "sestina/workspace/constraint_jumps.h"
#include "sestina/workspace/integrator_options.h"
#include "sestina/workspace/run_origin.h"

namespace sestina {

namespace {

std::string absolute_text(const std::filesystem::path& path) {
  std::string text = path.empty() ? "" : std::filesystem::absolute(path).lexically_normal().string();
  if (text.find('\n') != std::string::npos) {
    throw InputError("a checkpoint cannot name '" + text + "', which has a line break");
  }
  return text;
}

}  // namespace

ModelRun::ModelRun(Workspace& workspace)
    : workspace_(workspace),
      settings_(workspace.settings()),
      analysis_(workspace.analysis()),
      dynamics_(workspace.shared_model(), workspace.properties(), analysis_.solver,
                works_in_parallel(analysis_.solver) ? workspace.executor() : nullptr),
      system_(dynamics_, settings_.reactions),
      rule_(make_integration_rule(rule_options(analysis_))),
      driver_(make_step_driver(step_options(analysis_))),
      rows_(0.0, analysis_.duration, analysis_.output_every),
      loop_(system_, *rule_, *driver_, rows_),
      log_(settings_.recorders),
      stall_(workspace.model(), analysis_.duration),
      header_(make_header(workspace, system_.columns())),
      start_(Clock::now()) {
  if (settings_.real_time) loop_.set_pacer(pacer_.emplace(*settings_.real_time), settings_.interrupt);
  if (settings_.checkpoint) prepare_checkpoints(*settings_.checkpoint);
  if (settings_.trace) {
    dynamics_.set_trace(&trace_);
    loop_.set_trace(&trace_);
  }
  loop_.set_limits(workspace.limits());
  loop_.add_observer(log_);
  loop_.add_observer(*this);
  loop_.set_control(*this);
}

void ModelRun::prepare_checkpoints(const CheckpointOptions& options) {
  if (!(options.every_wall > 0.0)) {
    throw InputError(fmt::format("checkpoints cannot be {} s of wall time apart", options.every_wall));
  }
  checkpoint_.program = "sestina " + version();
  checkpoint_.model_file = absolute_text(options.model_file.empty() ? "model" : options.model_file);
  checkpoint_.model_text = header_.model_text;
  checkpoint_.tables = checksum_of_files(workspace_.system());
  checkpoint_.provenance = header_.provenance;
  checkpoint_.result_file = absolute_text(options.result_file);
  checkpoint_.reactions = settings_.reactions;
  checkpoint_.every_wall = options.every_wall;
  check_files(workspace_, options.result_file);
  if (has_tables(workspace_)) read_model_of(checkpoint_);  // so that a resume will find the tables
  checkpoint_file_.emplace(options.path);
}

RunReport ModelRun::start() {
  AssemblyReport assembly;
  report_.final_state = workspace_.calc_initial_state(&assembly);
  for (const AssemblyReport::Moved& moved : assembly.moved) report_.assembly.push_back(describe(moved));
  check_constraint_jumps(workspace_, report_.final_state, analysis_.driver == "variable");
  log_.begin(header_);
  return go([this] {
    loop_.start(report_.final_state);
    loop_.advance();
  });
}

RunReport ModelRun::resume(const Checkpoint& checkpoint) {
  add_origin(workspace_, header_);
  check_fit(checkpoint);
  restore(checkpoint);
  // If the run kept no rows, the result begins with the next one.
  const bool has_result = !checkpoint.result_file.empty();
  if (has_result) {
    log_.resume(header_, checkpoint.rows, checkpoint.rows_checksum);
  } else if (!log_.is_empty()) {
    log_.begin(header_);
    rows_checksum_ = {};
  } else {
    log_.set_rows(static_cast<long>(checkpoint.rows));
  }
  return go([&] {
    loop_.resume({.step = checkpoint.step,
                  .events = checkpoint.events,
                  .next_row = checkpoint.next_row,
                  .last_recorded = checkpoint.last_row.front()});
    loop_.advance();
  });
}

// Only the same model, in the same form, can be continued bit for bit.
void ModelRun::check_fit(const Checkpoint& checkpoint) {
  const State<double>& state = checkpoint.step.state;
  if (checkpoint.model_text != header_.model_text || checkpoint.reactions != settings_.reactions ||
      checkpoint.tables != checksum_of_files(workspace_.system()) ||
      sizes_of(state) != system_.equations().sizes() || !loop_.events().can_be_of_a_run(checkpoint.events) ||
      checkpoint.last_row.size() != header_.columns.size()) {
    throw InputError("the checkpoint is of another model, or of a run that recorded other columns");
  }
  if (checkpoint.is_complete) {
    throw InputError(fmt::format("the run is complete: it ended at t = {} s", checkpoint.last_row.front()));
  }
  check_numbers(checkpoint);
  rule_->start(system_.equations(), state);
  if (!checkpoint.step.rule_memory.empty() && !rule_->can_remember(checkpoint.step.rule_memory)) {
    throw InputError(fmt::format("the checkpoint does not hold what {} remembers", rule_->name()));
  }
}

// The checksum excludes accidental changes; this rejects numbers that no run writes.
void ModelRun::check_numbers(const Checkpoint& checkpoint) {
  const auto check = [](bool is_good, std::string_view name, double value) {
    if (!is_good) throw InputError(fmt::format("the checkpoint cannot be of a run: {} is {}", name, value));
  };
  const State<double>& state = checkpoint.step.state;
  const StepControl& control = checkpoint.step.control;
  check(state.t >= 0.0 && state.t <= analysis_.duration, "t", state.t);
  for (const auto& [name, values] : {std::pair("q", &state.q),
                                     {"u", &state.u},
                                     {"x", &state.x},
                                     {"z", &state.z},
                                     {"d", &state.d},
                                     {"h", &state.h}}) {
    if (const int bad = first_not_finite(*values); bad >= 0)
      check(false, name, (*values)[static_cast<std::size_t>(bad)]);
  }
  const double t_row = checkpoint.last_row.front();
  check(t_row >= 0.0 && t_row <= analysis_.duration, "the time of the last row", t_row);
  const long next = checkpoint.next_row;
  check(next > 0 && rows_.stop(next - 1).t <= t_row && t_row <= rows_.stop(next).t, "next_row",
        static_cast<double>(next));
  check(control.t_start >= 0.0 && control.t_start <= state.t, "t_start", control.t_start);
  const auto is_positive = [](double number) { return number >= 0.0 && std::isfinite(number); };
  check(is_positive(control.next_step), "next_step", control.next_step);
  check(is_positive(control.last_error), "last_error", control.last_error);
  check(is_positive(control.error_before), "error_before", control.error_before);
}

void ModelRun::restore(const Checkpoint& checkpoint) {
  header_.provenance = checkpoint_.provenance = checkpoint.provenance;
  system_.energy() = {.initial_balance = checkpoint.initial_balance,
                      .drift = checkpoint.energy_drift,
                      .kinetic = checkpoint.kinetic_energy};
  wall_before_ = checkpoint.wall_seconds;
  next_progress_ += wall_before_;
  report_.resumed_at = checkpoint.step.state.t;
  checkpoint_.last_row = checkpoint.last_row;
  rows_checksum_ = RowChecksum(checkpoint.rows_checksum);
}

RunReport ModelRun::go(const std::function<void()>& work) {
  trace_.start();
  try {
    work();
    if (loop_.is_interrupted()) report_.status = RunStatus::kInterrupted;
  } catch (const ComputationError& error) {
    report_.status = RunStatus::kFailed;
    report_.failure = error.what();
  }
  finish();
  return report_;
}

// With a fixed step the user has chosen the number of steps.
void ModelRun::see_step(const StepDriver& driver) {
  if (analysis_.driver != "variable" || !stall_.look(driver.state(), dynamics_.properties())) return;
  report_.hint = stall_.hint();
  if (settings_.on_hint) settings_.on_hint(report_.hint);
}

void ModelRun::see_row(std::span<const double> row, RowKind) {
  if (!checkpoint_file_) return;
  checkpoint_.last_row.assign(row.begin(), row.end());
  rows_checksum_.add(row);
}

bool ModelRun::goes_on(RunLoop&) {
  if (settings_.on_progress || checkpoint_file_) {
    const double now = wall_seconds();
    if (settings_.on_progress && now >= next_progress_) {
      next_progress_ = now + kProgressPeriod;
      settings_.on_progress({loop_.t(), analysis_.duration, now, driver_->statistics().steps});
    }
    if (checkpoint_file_ && now >= next_checkpoint_) write_checkpoint();
  }
  return !is_interrupted();
}

void ModelRun::write_checkpoint() {
  if (!checkpoint_file_) return;
  const Trace::Scope scope(settings_.trace ? &trace_ : nullptr, Phase::kCheckpoint);
  // A checkpoint must never refer to rows that the result might lack.
  log_.sync();
  const EnergyLog& energy = system_.energy();
  const RunLoop::Memory memory = loop_.memory();
  checkpoint_.is_complete = loop_.is_done();
  checkpoint_.step = memory.step;
  checkpoint_.events = memory.events;
  checkpoint_.next_row = memory.next_row;
  checkpoint_.rows = static_cast<std::size_t>(log_.rows());
  checkpoint_.rows_checksum = rows_checksum_.value();
  checkpoint_.initial_balance = energy.initial_balance.value_or(0.0);
  checkpoint_.energy_drift = energy.drift;
  checkpoint_.kinetic_energy = energy.kinetic;
  checkpoint_.wall_seconds = wall_seconds();
  report_.checkpoint_failure = checkpoint_file_->write(checkpoint_);
  if (report_.checkpoint_failure.empty()) {
    ++report_.checkpoints;
    report_.checkpoint_t = loop_.t();
  }
  next_checkpoint_ = wall_seconds() + checkpoint_.every_wall;
}

void ModelRun::finish() {
  // A failure would recur: the last checkpoint is kept. A run that reached a limit can continue with a higher
  // one.
  if (report_.status != RunStatus::kFailed || loop_.has_met_limit()) {
    try {
      write_checkpoint();
    } catch (const ComputationError& error) {
      keep_failure(error.what());
    }
  }
  if (loop_.has_started()) finish_state();
  keep_failure(log_.end());
  report_.rows = log_.rows();
  report_.energy_drift = system_.energy().drift;
  report_.kinetic_energy = system_.energy().kinetic;
  if (settings_.trace) report_.trace = trace_.times();
  report_.wall_seconds = wall_seconds();
  if (pacer_) report_.real_time = pacer_->report();
}

// A run that ended early records its last state.
void ModelRun::finish_state() {
  report_.final_state = driver_->state();
  report_.t = report_.final_state.t;
  report_.steps = driver_->statistics();
  for (const double count : loop_.events().counts()) report_.event_counts.push_back(static_cast<long>(count));
  if (const auto event = loop_.events().ended_by()) report_.ended_by = system_.events()->name(*event);
  if (report_.status != RunStatus::kComplete) loop_.record_last_state();
}

void ModelRun::keep_failure(const std::string& failure) {
  if (failure.empty()) return;
  if (report_.status != RunStatus::kFailed) report_.failure = failure;
  report_.status = RunStatus::kFailed;
}

bool ModelRun::is_interrupted() const {
  return settings_.interrupt != nullptr && settings_.interrupt->load(std::memory_order_relaxed);
}

double ModelRun::wall_seconds() const {
  return wall_before_ + std::chrono::duration<double>(Clock::now() - start_).count();
}

}  // namespace sestina
