#include "sestina/workspace/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sestina/base/error.h"
#include "sestina/base/version.h"
#include "sestina/workspace/integrator_options.h"
#include "sestina/workspace/row_instants.h"

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

Workspace::Run::Run(Workspace& workspace)
    : workspace_(workspace),
      analysis_(workspace.model().analysis()),
      dynamics_(workspace.model_, workspace.properties(), analysis_.solver,
                works_in_parallel(analysis_.solver) ? workspace.executor() : nullptr),
      equations_(dynamics_),
      rule_(make_integration_rule(rule_options(analysis_))),
      driver_(make_step_driver(step_options(analysis_))),
      events_(dynamics_, equations_, analysis_.duration,
              [this](const State<double>& state, int event) { record_event(state, event); }),
      stall_(workspace.model(), analysis_.duration),
      row_(workspace.model(), workspace.reactions_wanted_),
      header_(workspace.make_header(row_.columns())),
      start_(Clock::now()) {
  if (workspace.real_time_) pacer_.emplace(*workspace.real_time_);
  if (workspace.checkpoint_) prepare_checkpoints(*workspace.checkpoint_);
  dynamics_.set_trace(trace());
}

void Workspace::Run::prepare_checkpoints(const CheckpointOptions& options) {
  if (!(options.every_wall > 0.0)) {
    throw InputError(fmt::format("checkpoints cannot be {} s of wall time apart", options.every_wall));
  }
  checkpoint_.program = "sestina " + version();
  checkpoint_.model_file = absolute_text(options.model_file.empty() ? "model" : options.model_file);
  checkpoint_.model_text = header_.model_text;
  checkpoint_.tables = checksum_of_tables(workspace_.system());
  checkpoint_.provenance = header_.provenance;
  checkpoint_.result_file = absolute_text(options.result_file);
  checkpoint_.reactions = workspace_.reactions_wanted_;
  checkpoint_.every_wall = options.every_wall;
  workspace_.check_files(options.result_file);
  if (workspace_.has_tables()) read_model_of(checkpoint_);  // so that a resume will find them
  checkpoint_file_.emplace(options.path);
}

RunReport Workspace::Run::start() {
  for (const auto& recorder : workspace_.recorders_) recorder->begin(header_);
  return go([this] {
    const State<double> initial = workspace_.calc_initial_state();
    report_.final_state = initial;
    record(initial);
    next_row_ = 1;
    if (analysis_.duration == 0.0) {
      is_done_ = true;
      return;
    }
    driver_->start(*rule_, equations_, initial, analysis_.duration);
    is_started_ = true;
    events_.start(*driver_);
    advance();
  });
}

RunReport Workspace::Run::resume(const Checkpoint& checkpoint) {
  workspace_.add_origin(header_);
  check_fit(checkpoint);
  restore(checkpoint);
  // Of a run that kept no rows, a result begins with the next one.
  const bool has_result = !checkpoint.result_file.empty();
  if (!has_result && !workspace_.recorders_.empty()) {
    report_.rows = 0;
    rows_checksum_ = {};
  }
  for (const auto& recorder : workspace_.recorders_) {
    if (has_result) {
      recorder->resume(header_, checkpoint.rows, checkpoint.rows_checksum);
    } else {
      recorder->begin(header_);
    }
  }
  return go([&] {
    driver_->resume(*rule_, equations_, checkpoint.step, analysis_.duration);
    is_started_ = true;
    events_.resume(checkpoint.events);
    advance();
  });
}

// Bit for bit only the same model, in the same form, can be continued.
void Workspace::Run::check_fit(const Checkpoint& checkpoint) {
  const State<double>& state = checkpoint.step.state;
  if (checkpoint.model_text != header_.model_text || checkpoint.reactions != workspace_.reactions_wanted_ ||
      checkpoint.tables != checksum_of_tables(workspace_.system()) || sizes_of(state) != equations_.sizes() ||
      !events_.can_be_of_a_run(checkpoint.events) || checkpoint.last_row.size() != header_.columns.size()) {
    throw InputError("the checkpoint is of another model, or of a run that recorded other columns");
  }
  if (checkpoint.is_complete) {
    throw InputError(fmt::format("the run is complete: it ended at t = {} s", checkpoint.last_row.front()));
  }
  check_numbers(checkpoint);
  rule_->start(equations_, state);
  if (!checkpoint.step.rule_memory.empty() && !rule_->can_remember(checkpoint.step.rule_memory)) {
    throw InputError(fmt::format("the checkpoint does not hold what {} remembers", rule_->name()));
  }
}

// A checksum shows that nothing was changed by accident; these are numbers that no run writes.
void Workspace::Run::check_numbers(const Checkpoint& checkpoint) {
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
  check(next > 0 && find_row_instant(next - 1, analysis_).t <= t_row &&
            t_row <= find_row_instant(next, analysis_).t,
        "next_row", static_cast<double>(next));
  check(control.t_start >= 0.0 && control.t_start <= state.t, "t_start", control.t_start);
  const auto is_positive = [](double number) { return number >= 0.0 && std::isfinite(number); };
  check(is_positive(control.next_step), "next_step", control.next_step);
  check(is_positive(control.last_error), "last_error", control.last_error);
  check(is_positive(control.error_before), "error_before", control.error_before);
}

void Workspace::Run::restore(const Checkpoint& checkpoint) {
  header_.provenance = checkpoint_.provenance = checkpoint.provenance;
  next_row_ = checkpoint.next_row;
  initial_balance_ = checkpoint.initial_balance;
  wall_before_ = checkpoint.wall_seconds;
  next_progress_ += wall_before_;
  last_recorded_ = checkpoint.last_row.front();
  report_.resumed_at = checkpoint.step.state.t;
  report_.rows = static_cast<long>(checkpoint.rows);
  report_.energy_drift = checkpoint.energy_drift;
  report_.kinetic_energy = checkpoint.kinetic_energy;
  checkpoint_.last_row = checkpoint.last_row;
  rows_checksum_ = RowChecksum(checkpoint.rows_checksum);
}

RunReport Workspace::Run::go(const std::function<void()>& work) {
  trace_.start();
  try {
    work();
  } catch (const ComputationError& error) {
    report_.status = RunStatus::kFailed;
    report_.failure = error.what();
  }
  finish();
  return report_;
}

// Rows at k * every, at events, and at the end. Stepping and recording do not influence each other.
void Workspace::Run::advance() {
  if (pacer_) pacer_->start(driver_->state().t);
  if (events_.is_due()) events_.take_place(*driver_);  // at the start
  write_checkpoint();
  while (!events_.ended_by()) {
    const auto [t, is_last] = find_row_instant(next_row_, analysis_);
    step_to(t);
    if (events_.ended_by()) break;
    wait_until(t);
    if (is_interrupted()) {
      report_.status = RunStatus::kInterrupted;
      return;
    }
    {
      const Trace::Scope scope(trace(), Phase::kRecord);
      record(driver_->advance_to(t));
    }
    ++next_row_;
    if (is_last) break;
    look_at_clock();
  }
  if (events_.is_due()) events_.take_place(*driver_);  // at the end
  is_done_ = true;
}

// What is due at the end of a step takes place when the rows up to there are recorded.
void Workspace::Run::step_to(double t) {
  while (driver_->state().t < t && !events_.ended_by() && !is_interrupted()) {
    if (events_.is_due()) {
      events_.take_place(*driver_);
    } else {
      driver_->step();
      look_for_stall();
      events_.look(*driver_);
    }
    look_at_clock();
  }
}

// With a fixed step the user has chosen how many there are.
void Workspace::Run::look_for_stall() {
  if (analysis_.driver != "variable" || !stall_.look(driver_->state(), dynamics_.properties())) return;
  report_.hint = stall_.hint();
  if (workspace_.on_hint_) workspace_.on_hint_(report_.hint);
}

void Workspace::Run::wait_until(double t) {
  if (!pacer_) return;
  const Trace::Scope scope(trace(), Phase::kWait);
  pacer_->wait_until(t, workspace_.interrupt_);
}

void Workspace::Run::record_event(const State<double>& state, int event) {
  if (event == 0 && state.t == last_recorded_) return;  // a row of this state is there
  if (event == 0) wait_until(state.t);
  record(state, RowKind::kBetween, event);
}

void Workspace::Run::record(const State<double>& state, RowKind kind, int event) {
  const Trace::Scope scope(trace(), Phase::kRecord);
  const std::span<const double> row = row_.calc(state, dynamics_, event);
  if (!initial_balance_) initial_balance_ = row_.energy_balance();
  last_recorded_ = state.t;
  for (const auto& recorder : workspace_.recorders_) {
    if (kind == RowKind::kRegular) {
      recorder->record(row);
    } else {
      recorder->record_between(row);
    }
  }
  ++report_.rows;
  report_.energy_drift = std::max(report_.energy_drift, std::abs(row_.energy_balance() - *initial_balance_));
  report_.kinetic_energy = std::max(report_.kinetic_energy, row_.energy().kinetic);
  if (!checkpoint_file_) return;
  checkpoint_.last_row.assign(row.begin(), row.end());
  rows_checksum_.add(row);
}

void Workspace::Run::look_at_clock() {
  if (!workspace_.on_progress_ && !checkpoint_file_) return;
  const double now = wall_seconds();
  if (workspace_.on_progress_ && now >= next_progress_) {
    next_progress_ = now + kProgressPeriod;
    workspace_.on_progress_({driver_->state().t, analysis_.duration, now, driver_->statistics().steps});
  }
  if (checkpoint_file_ && now >= next_checkpoint_) write_checkpoint();
}

void Workspace::Run::write_checkpoint() {
  if (!checkpoint_file_) return;
  const Trace::Scope scope(trace(), Phase::kCheckpoint);
  // A checkpoint never tells of rows that the result might lack.
  for (const auto& recorder : workspace_.recorders_) recorder->sync();
  checkpoint_.is_complete = is_done_;
  if (is_started_) checkpoint_.step = driver_->checkpoint();
  checkpoint_.events = events_.memory();
  checkpoint_.next_row = next_row_;
  checkpoint_.rows = static_cast<std::size_t>(report_.rows);
  checkpoint_.rows_checksum = rows_checksum_.value();
  checkpoint_.initial_balance = initial_balance_.value_or(0.0);
  checkpoint_.energy_drift = report_.energy_drift;
  checkpoint_.kinetic_energy = report_.kinetic_energy;
  checkpoint_.wall_seconds = wall_seconds();
  report_.checkpoint_failure = checkpoint_file_->write(checkpoint_);
  if (report_.checkpoint_failure.empty()) {
    ++report_.checkpoints;
    report_.checkpoint_t = is_started_ ? driver_->state().t : 0.0;
  }
  next_checkpoint_ = wall_seconds() + checkpoint_.every_wall;
}

void Workspace::Run::finish() {
  // What failed would fail again: its last checkpoint stays as it is.
  if (report_.status != RunStatus::kFailed) keep_failure([this] { write_checkpoint(); });
  if (is_started_) finish_state();
  for (const auto& recorder : workspace_.recorders_) keep_failure([&] { recorder->end(); });
  report_.wall_seconds = wall_seconds();
  if (pacer_) report_.real_time = pacer_->report();
  if (workspace_.trace_wanted_) report_.trace = trace_.times();
}

// A run that ended early records how far it came.
void Workspace::Run::finish_state() {
  const State<double>& state = driver_->state();
  report_.t = state.t;
  report_.steps = driver_->statistics();
  report_.final_state = state;
  for (const double count : events_.counts()) report_.event_counts.push_back(static_cast<long>(count));
  if (const auto event = events_.ended_by()) {
    report_.ended_by = workspace_.model().events()[static_cast<std::size_t>(*event)].name;
  }
  try {
    if (report_.status != RunStatus::kComplete && state.t > last_recorded_) {
      record(state, RowKind::kBetween);
    }
  } catch (const ComputationError&) {
    // The last state cannot be evaluated: why is in the report already.
  }
}

void Workspace::Run::keep_failure(const std::function<void()>& work) {
  try {
    work();
  } catch (const ComputationError& error) {
    if (report_.status != RunStatus::kFailed) report_.failure = error.what();
    report_.status = RunStatus::kFailed;
  }
}

bool Workspace::Run::is_interrupted() const {
  return workspace_.interrupt_ != nullptr && workspace_.interrupt_->load(std::memory_order_relaxed);
}

double Workspace::Run::wall_seconds() const {
  return wall_before_ + std::chrono::duration<double>(Clock::now() - start_).count();
}

}  // namespace sestina
