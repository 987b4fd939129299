#include "sestina/simulation/simulation_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sestina/base/error.h"

namespace sestina::symbolic {
namespace {

// Two rows nearer than this part of the interval between rows are one.
constexpr double kSameRow = 1e-6;
// More events than this, of one kind and within a part of the duration that is no time at all, make a run
// fail.
constexpr int kMostInWindow = 1000;
constexpr double kWindow = 1e-9;
// A run fails where a constraint deviates by more, relative to 1 and to what a change of the coordinates by 1
// makes of it.
constexpr double kHeld = 1e-8;
// Between questions whether the run goes on.
constexpr std::chrono::milliseconds kPatience{100};

// That of the last row, where they differ by rounding.
double calc_end(const SimulationOptions& options) {
  const double end = options.start + options.duration;
  if (options.output_at.empty()) return end;
  const double last = options.output_at.back();
  const double round_off =
      2 * std::numeric_limits<double>::epsilon() * (std::abs(options.start) + std::abs(last));
  return std::abs(last - end) <= round_off ? last : end;
}

void check_rows(const SimulationOptions& options) {
  const std::vector<double>& times = options.output_at;
  const double end = calc_end(options);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const bool rises = i == 0 || times[i] > times[i - 1];
    if (rises && times[i] >= options.start && times[i] <= end) continue;
    throw InputError(fmt::format("row {} at {} s; allowed are times that rise from {} s to {} s", i, times[i],
                                 options.start, end));
  }
}

}  // namespace

SimulationRun::SimulationRun(const SymbolicSystem& system, const SimulationOptions& options)
    : system_(system),
      options_(options),
      equations_(system.make_equations()),
      rule_(make_integration_rule(options.rule)) {
  if (!(options.duration >= 0.0) || !std::isfinite(options.duration) || !(options.output_every >= 0.0) ||
      !std::isfinite(options.start)) {
    throw InputError(fmt::format("a run from {} s, of {} s with rows every {} s, is not possible",
                                 options.start, options.duration, options.output_every));
  }
  check_rows(options);
  if (!options_.step.max_step && options_.duration > 0.0) {
    options_.step.max_step = calc_longest_step(options_.duration, equations_->depends_on_time());
  }
  driver_ = make_step_driver(options_.step);
  check_rule();
  driver_->check(*rule_, options.start, calc_end(options));
  const MotionEquations& motion = system.motion_;
  Mechanics& mechanics = *motion.mechanics;
  symbols_ = {mechanics.time()};
  symbols_.insert(symbols_.end(), motion.q.begin(), motion.q.end());
  symbols_.insert(symbols_.end(), motion.u.begin(), motion.u.end());
  for (const auto& [input, function] : system.functions_) {
    symbols_.push_back(input);
    knots_.insert(knots_.end(), function.knots.begin(), function.knots.end());
  }
  if (options.step.driver == "fixed") knots_.clear();
  std::ranges::sort(knots_);
  for (const Expression& u : motion.u) symbols_.push_back(mechanics.rate(u));
  symbols_.insert(symbols_.end(), motion.multipliers.begin(), motion.multipliers.end());
  all_.assign(symbols_.size(), 0.0);
  std::vector<Expression> outputs;
  for (const auto& output : system.outputs_) outputs.push_back(output.value);
  outputs_ = compile(outputs, "the outputs");
  compile_events();
  row_.assign(1 + motion.q.size() + motion.u.size() + outputs.size() + (system.events_.empty() ? 0 : 1), 0.0);
}

// Rules that move coordinates by their speeds, or know how these enter into each other, need the speeds to be
// the rates; those of CVODE keep a history of their own that cannot be brought back to constraints.
void SimulationRun::check_rule() const {
  static const std::vector<std::string> kPlainOnly = {"munthe_kaas_4",     "verlet",    "velocity_verlet",
                                                      "lobatto_iiia_iiib", "cvode_bdf", "cvode_adams"};
  if (equations_->is_plain() && !equations_->has_clock()) return;
  if (std::find(kPlainOnly.begin(), kPlainOnly.end(), rule_->name()) == kPlainOnly.end()) return;
  throw InputError(
      fmt::format("the rule {} needs speeds that are the rates of the coordinates, and no "
                  "constraints: take dormand_prince_54, another explicit Runge-Kutta rule or "
                  "adams_bashforth_moulton",
                  rule_->name()));
}

CompiledExpressions SimulationRun::compile(const std::vector<Expression>& expressions,
                                           const std::string& what) const {
  std::vector<Expression> resolved;
  for (const Expression& e : expressions) resolved.push_back(system_.resolve(e));
  return {*system_.motion_.mechanics, resolved, symbols_, system_.parameters_, what};
}

void SimulationRun::compile_events() {
  if (system_.events_.empty()) return;
  Mechanics& mechanics = *system_.motion_.mechanics;
  std::vector<Expression> values, rates;
  std::vector<EventWatch> watches;
  std::size_t most = 0;
  for (const SymbolicEvent& event : system_.events_) {
    values.push_back(system_.resolve(event.function));
    rates.push_back(mechanics.rate(values.back()));
    watches.push_back({event.direction, event.tolerance, false});
    std::vector<Expression> assigned;
    std::vector<std::string>& names = assigned_names_.emplace_back();
    for (const auto& [symbol, value] : event.set) {
      assigned.push_back(value);
      names.push_back(to_text(symbol));
    }
    assignments_.push_back(compile(assigned, "event " + event.name));
    most = std::max(most, assigned.size());
  }
  event_values_ = compile(values, "the events");
  event_rates_ = compile(rates, "the rates of the events");
  locator_.emplace(static_cast<EventFunctions&>(*this), watches);
  new_values_.reserve(most);
  report_.event_counts.assign(system_.events_.size(), 0);
  window_start_.assign(system_.events_.size(), 0.0);
  window_counts_.assign(system_.events_.size(), 0);
}

std::span<const double> SimulationRun::all_values(const State<double>& state) {
  const SymbolicEquations::Motion motion = equations_->calc_motion(state.t, state.q, state.u);
  auto next = std::ranges::copy(motion.variables, all_.begin()).out;
  all_[0] = state.t;
  next = std::ranges::copy(motion.udot, next).out;
  std::ranges::copy(motion.multipliers, next);
  return all_;
}

void SimulationRun::calc(const State<double>& state, std::span<double> values) {
  std::ranges::copy(event_values_(all_values(state)), values.begin());
}

// The motion costs more than the events.
double SimulationRun::calc_one(const State<double>& state, int event) {
  return event_values_(all_values(state))[static_cast<std::size_t>(event)];
}

void SimulationRun::calc_rates(const State<double>& state, std::span<double> rates) {
  std::ranges::copy(event_rates_(all_values(state)), rates.begin());
}

std::string SimulationRun::explain(const State<double>&, int event) {
  return fmt::format("event {}: its expression is not finite",
                     system_.events_[static_cast<std::size_t>(event)].name);
}

std::vector<double> SimulationRun::evaluate(const std::vector<Expression>& expressions,
                                            const State<double>& state) {
  equations_->drop_redundant(state.t, state.q);
  CompiledExpressions compiled = compile(expressions, "the expressions");
  const std::span<const double> values = compiled(all_values(state));
  return {values.begin(), values.end()};
}

ResultHeader SimulationRun::make_header() const {
  ResultHeader header;
  header.columns.push_back({"t", "s"});
  for (const Expression& e : system_.motion_.q) header.columns.push_back({to_text(e), ""});
  for (const Expression& e : system_.motion_.u) header.columns.push_back({to_text(e), ""});
  for (const auto& output : system_.outputs_) header.columns.push_back(output.column);
  if (locator_) header.columns.push_back({"event", "1"});
  return header;
}

SimulationReport SimulationRun::run(Recorder& recorder) {
  state_ = system_.calc_initial_state(options_.start);
  report_.redundant = equations_->drop_redundant(state_.t, state_.q);
  equations_->take_drift();
  report_.t = state_.t;
  recorder.begin(make_header());
  try {
    start(recorder);
    report_.is_complete = !report_.is_interrupted;
  } catch (const ComputationError& error) {
    report_.failure = error.what();
    report_.reason = error.reason();
  }
  if (has_started_) {
    report_.t = driver_->state().t;
    report_.steps = driver_->statistics();
  }
  report_.drift = equations_->take_drift();
  recorder.end();
  return report_;
}

void SimulationRun::start(Recorder& recorder) {
  if (options_.output_at.empty() || options_.output_at.front() == state_.t) record(recorder, state_, true, 0);
  if (options_.duration == 0.0) return;
  hold_inputs();
  driver_->start(*rule_, *equations_, state_, calc_end(options_));
  has_started_ = true;
  if (locator_) due_ = locator_->start(*driver_);
  advance(recorder);
}

bool SimulationRun::goes_on() {
  const auto now = std::chrono::steady_clock::now();
  if (!options_.go_on || now - last_asked_ < kPatience) return true;
  last_asked_ = now;
  report_.is_interrupted = !options_.go_on(driver_->state().t, driver_->statistics().steps);
  return !report_.is_interrupted;
}

SimulationRun::Stop SimulationRun::stop(long k) const {
  const double end = driver_->t_end();
  const std::vector<double>& times = options_.output_at;
  if (!times.empty()) {
    const auto i = static_cast<std::size_t>(times.front() == options_.start ? k : k - 1);
    return i < times.size() ? Stop{times[i], true} : Stop{end, false};
  }
  if (!(options_.output_every > 0.0)) return {end, true};
  const double t = options_.start + static_cast<double>(k) * options_.output_every;
  return {t >= end - kSameRow * options_.output_every ? end : t, true};
}

// Between the knots around the state, on whose sides the inputs may differ.
void SimulationRun::hold_inputs() {
  const double knot = knot_after(state_.t);
  equations_->hold_inputs(state_.t, std::nextafter(knot, state_.t));
}

double SimulationRun::knot_after(double t) const {
  const auto knot = std::ranges::upper_bound(knots_, t);
  return knot == knots_.end() ? std::numeric_limits<double>::infinity() : *knot;
}

// One step, or less where an input has a knot, from which the rule begins anew.
void SimulationRun::step() {
  if (is_at_knot_) restart(driver_->state());
  driver_->step();
  const double knot = knot_after(driver_->step_begin());
  if (knot < driver_->state().t) driver_->end_step_at(knot);
  check_constraints(driver_->state(), "");
  if (locator_) due_ = locator_->look(*driver_);
  is_at_knot_ = driver_->state().t == knot;
}

void SimulationRun::restart(const State<double>& state) {
  state_ = state;
  hold_inputs();
  driver_->restart(state_);
  if (locator_) due_ = locator_->restart(*driver_);
  is_at_knot_ = false;
}

void SimulationRun::advance(Recorder& recorder) {
  const double end = driver_->t_end();
  for (long k = 1;; ++k) {
    const auto [t, is_row] = stop(k);
    while (report_.ended_by.empty()) {
      if (!goes_on()) {
        if (driver_->state().t != last_recorded_) record(recorder, driver_->state(), false, 0);
        return;
      }
      if (!due_.empty() && driver_->state().t < t) {
        take_place(recorder);
      } else if (driver_->state().t < t) {
        step();
      } else {
        break;
      }
    }
    if (!report_.ended_by.empty()) return;
    if (is_row && t != last_recorded_) record(recorder, driver_->advance_to(t), true, 0);
    if (t == end) break;
  }
  if (!due_.empty()) take_place(recorder);
}

void SimulationRun::take_place(Recorder& recorder) {
  state_ = driver_->state();
  if (state_.t != last_recorded_) record(recorder, state_, false, 0);
  while (!due_.empty() && report_.ended_by.empty()) {
    for (const int event : due_) {
      const auto i = static_cast<std::size_t>(event);
      count(i);
      apply(i);
      record(recorder, state_, false, event + 1);
      if (system_.events_[i].is_terminal) report_.ended_by = system_.events_[i].name;
    }
    restart(state_);
  }
  due_ = {};
}

void SimulationRun::count(std::size_t event) {
  const SymbolicEvent& what = system_.events_[event];
  const double window = std::max(kWindow * options_.duration, 2.0 * kMostInWindow * what.tolerance);
  if (window_counts_[event] == 0 || state_.t - window_start_[event] > window) {
    window_start_[event] = state_.t;
    window_counts_[event] = 0;
  }
  ++report_.event_counts[event];
  if (++window_counts_[event] <= kMostInWindow) return;
  throw ComputationError(
      state_.t,
      fmt::format("event {} takes place over and over: {} times in {:.3g} s. Let another event bring "
                  "to rest what it watches, or give it a hysteresis",
                  what.name, kMostInWindow + 1, state_.t - window_start_[event]));
}

void SimulationRun::check_constraints(const State<double>& state, const std::string& context) {
  const std::string violated = equations_->find_violated(state.t, state.q, state.u, kHeld);
  if (violated.empty()) return;
  const std::string reason = report_.redundant.empty()
                                 ? ""
                                 : ". Constraints that follow from others at the start do not along the "
                                   "motion: let it begin near that position, not in it";
  throw ComputationError(state.t, context + violated + reason);
}

void SimulationRun::apply(std::size_t event) {
  const SymbolicEvent& what = system_.events_[event];
  if (what.set.empty()) return;
  const MotionEquations& motion = system_.motion_;
  const std::span<const double> values = assignments_[event](all_values(state_));
  equations_->project_speeds(state_.t, state_.q, state_.u);
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!std::isfinite(values[k])) {
      throw ComputationError(
          state_.t, fmt::format("event {}: {} does not stay finite", what.name, assigned_names_[event][k]));
    }
    const auto set = [&](const std::vector<Expression>& symbols, std::vector<double>& numbers) {
      const auto at = std::find(symbols.begin(), symbols.end(), what.set[k].first);
      if (at != symbols.end()) numbers[static_cast<std::size_t>(at - symbols.begin())] = values[k];
    };
    set(motion.q, state_.q);
    set(motion.u, state_.u);
  }
  equations_->normalize(state_.t, state_.q);
  equations_->project_speeds(state_.t, state_.q, state_.u);
  check_constraints(state_, fmt::format("after event {}, ", what.name));
}

void SimulationRun::record(Recorder& recorder, const State<double>& state, bool is_regular, int event) {
  const std::span<const double> values = all_values(state);
  const std::size_t n = 1 + system_.motion_.q.size() + system_.motion_.u.size();
  auto next = std::ranges::copy(values.first(n), row_.begin()).out;
  next = std::ranges::copy(outputs_(values), next).out;
  if (locator_) *next = event;
  const std::span<const double> u = values.subspan(1 + system_.motion_.q.size(), system_.motion_.u.size());
  report_.velocity_residual =
      std::max(report_.velocity_residual, equations_->velocity_residual(state.t, state.q, u));
  report_.configuration_residual =
      std::max(report_.configuration_residual, equations_->configuration_residual(state.t, state.q));
  if (is_regular) {
    recorder.record(row_);
  } else {
    recorder.record_between(row_);
  }
  last_recorded_ = state.t;
  ++report_.rows;
}

}  // namespace sestina::symbolic
