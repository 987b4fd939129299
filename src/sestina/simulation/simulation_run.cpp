#include "sestina/simulation/simulation_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sestina/base/error.h"
#include "sestina/base/memory.h"

namespace sestina::symbolic {
namespace {

// A run fails if a constraint deviates by more, relative to 1 plus its change for a change of the coordinates
// by 1.
constexpr double kHeld = 1e-8;
// Time between two calls of go_on.
constexpr std::chrono::milliseconds kPatience{100};

// Returns the end of the run: that of the last row, if they differ by rounding.
double calc_end(const SimulationOptions& options) {
  const double end = options.start + options.duration;
  if (options.output_at.empty()) return end;
  const double last = options.output_at.back();
  const double round_off =
      2 * std::numeric_limits<double>::epsilon() * (std::abs(options.start) + std::abs(last));
  return std::abs(last - end) <= round_off ? last : end;
}

void check_number_of_rows(const SimulationOptions& options, std::size_t columns) {
  if (options.output_every == 0.0 || !options.output_at.empty()) return;
  const double rows = std::ceil(options.duration / options.output_every - kSameRow) + 1.0;
  if (!(rows > options.max_rows)) return;
  throw InputError(
      fmt::format("rows every {} s of {} s are {:.10g}, which take {}; allowed are {:.10g} (max_rows)",
                  options.output_every, options.duration, rows,
                  bytes_in_words(rows * static_cast<double>(columns * sizeof(double))), options.max_rows));
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
  check_run_limits(options.limits);
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
  for (const auto& [input, function] : system.functions_) symbols_.push_back(input);
  for (const Expression& u : motion.u) symbols_.push_back(mechanics.rate(u));
  symbols_.insert(symbols_.end(), motion.multipliers.begin(), motion.multipliers.end());
  all_.assign(symbols_.size(), 0.0);
  std::vector<Expression> outputs;
  for (const auto& output : system.outputs_) outputs.push_back(output.value);
  outputs_ = compile(outputs, "the outputs");
  compile_events();
  columns_ = make_header().columns;
  check_number_of_rows(options, columns_.size());
  row_.assign(columns_.size(), 0.0);
}

// Rules that move coordinates by their speeds, or use how the speeds enter their rates, need q' = u; CVODE
// keeps a history of its own that cannot be projected onto constraints.
void SimulationRun::check_rule() const {
  static const std::vector<std::string> kPlainOnly = {"munthe_kaas_4",     "verlet",    "velocity_verlet",
                                                      "lobatto_iiia_iiib", "radau_iia", "generalized_alpha",
                                                      "trapezoidal",       "cvode_bdf", "cvode_adams"};
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
  if (!has_events()) return;
  Mechanics& mechanics = *system_.motion_.mechanics;
  std::vector<Expression> values, rates;
  for (const SymbolicEvent& event : system_.events_) {
    values.push_back(system_.resolve(event.function));
    rates.push_back(mechanics.rate(values.back()));
    watches_.push_back({event.direction, event.tolerance, false});
    std::vector<Expression> assigned;
    std::vector<std::string>& names = assigned_names_.emplace_back();
    for (const auto& [symbol, value] : event.set) {
      assigned.push_back(value);
      names.push_back(to_text(symbol));
    }
    assignments_.push_back(compile(assigned, "event " + event.name));
  }
  event_values_ = compile(values, "the events");
  event_rates_ = compile(rates, "the rates of the events");
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

// Evaluates all events: the motion costs more than the events.
double SimulationRun::calc_one(const State<double>& state, int event) {
  return event_values_(all_values(state))[static_cast<std::size_t>(event)];
}

void SimulationRun::calc_rates(const State<double>& state, std::span<double> rates) {
  std::ranges::copy(event_rates_(all_values(state)), rates.begin());
}

std::string SimulationRun::explain(const State<double>&, int event) {
  return fmt::format("event {}: its expression is not finite", name(event));
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
  if (has_events()) header.columns.push_back({"event", "1"});
  return header;
}

RowSchedule SimulationRun::make_schedule() const {
  const double end = calc_end(options_);
  if (!options_.output_at.empty()) return {options_.start, end, options_.output_at};
  return {options_.start, end, options_.output_every};
}

SimulationReport SimulationRun::run(Recorder& recorder) {
  const State<double> initial = system_.calc_initial_state(options_.start);
  report_.redundant = equations_->drop_redundant(initial.t, initial.q);
  equations_->take_drift();
  report_.t = initial.t;
  RunLoop loop(*this, *rule_, *driver_, make_schedule());
  RowLog log(recorder);
  loop.add_observer(log);
  loop.set_control(*this);
  loop.set_limits(options_.limits, {"max_steps", "max_wall"});
  log.begin(make_header());
  try {
    loop.start(initial);
    loop.advance();
    report_.is_interrupted = loop.is_interrupted();
    report_.is_complete = !report_.is_interrupted;
  } catch (const ComputationError& error) {
    report_.failure = error.what();
    report_.reason = error.reason();
  }
  if (!report_.is_complete) loop.record_last_state();
  finish(loop);
  report_.rows = log.rows();
  recorder.end();
  return report_;
}

void SimulationRun::finish(const RunLoop& loop) {
  report_.t = loop.t();
  if (loop.has_started()) report_.steps = driver_->statistics();
  for (const double count : loop.events().counts()) report_.event_counts.push_back(static_cast<long>(count));
  if (const auto event = loop.events().ended_by()) report_.ended_by = name(*event);
  report_.drift = equations_->take_drift();
}

bool SimulationRun::goes_on(RunLoop& loop) {
  const auto now = std::chrono::steady_clock::now();
  if (!options_.go_on || now - last_asked_ < kPatience) return true;
  last_asked_ = now;
  return options_.go_on(loop.t(), driver_->statistics().steps);
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

void SimulationRun::apply(int event, State<double>& state) {
  const SymbolicEvent& that = what(event);
  if (that.set.empty()) return;
  const auto i = static_cast<std::size_t>(event);
  const MotionEquations& motion = system_.motion_;
  const std::span<const double> values = assignments_[i](all_values(state));
  equations_->project_speeds(state.t, state.q, state.u);
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!std::isfinite(values[k])) {
      throw ComputationError(
          state.t, fmt::format("event {}: {} does not stay finite", that.name, assigned_names_[i][k]));
    }
    const auto set = [&](const std::vector<Expression>& symbols, std::vector<double>& numbers) {
      const auto at = std::find(symbols.begin(), symbols.end(), that.set[k].first);
      if (at != symbols.end()) numbers[static_cast<std::size_t>(at - symbols.begin())] = values[k];
    };
    set(motion.q, state.q);
    set(motion.u, state.u);
  }
  equations_->normalize(state.t, state.q);
  equations_->project_speeds(state.t, state.q, state.u);
  check_constraints(state, fmt::format("after event {}, ", that.name));
}

std::span<const double> SimulationRun::observe(const State<double>& state, int event) {
  const std::span<const double> values = all_values(state);
  const std::size_t n = 1 + system_.motion_.q.size() + system_.motion_.u.size();
  auto next = std::ranges::copy(values.first(n), row_.begin()).out;
  next = std::ranges::copy(outputs_(values), next).out;
  if (has_events()) *next = event;
  if (const int bad = first_not_finite(row_); bad >= 0) {
    const auto i = static_cast<std::size_t>(bad);
    throw ComputationError(state.t, fmt::format("{} is not finite ({})", columns_[i].name, row_[i]));
  }
  const std::span<const double> u = values.subspan(1 + system_.motion_.q.size(), system_.motion_.u.size());
  report_.velocity_residual =
      std::max(report_.velocity_residual, equations_->velocity_residual(state.t, state.q, u));
  report_.configuration_residual =
      std::max(report_.configuration_residual, equations_->configuration_residual(state.t, state.q));
  return row_;
}

}  // namespace sestina::symbolic
