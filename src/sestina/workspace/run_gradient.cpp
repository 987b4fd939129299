#include "sestina/workspace/run_gradient.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "sestina/base/error.h"
#include "sestina/run/run_loop.h"
#include "sestina/workspace/integrator_options.h"
#include "sestina/workspace/run_derivatives.h"
#include "sestina/workspace/state_jumps.h"
#include "sestina/workspace/step_trail.h"

namespace sestina {
namespace {

// As many checkpoints as the memory can hold.
std::size_t count_steps(const Model& model, const ButcherTableau& tableau, std::size_t memory) {
  const int numbers = model.nq() + model.nx() + (1 + tableau.stages()) * model.nu();
  return memory / (static_cast<std::size_t>(numbers) * sizeof(double) + 512);
}

const ButcherTableau& checked_rule(const std::string& rule) {
  if (const ButcherTableau* tableau = find_tableau(rule)) return *tableau;
  std::vector<std::string> names;
  for (const ButcherTableau& tableau : explicit_tableaus()) names.push_back(tableau.name);
  throw InputError(
      fmt::format("integrator: {} has no gradient of runs; allowed are {}", rule, fmt::join(names, ", ")));
}

// The rows of the run.
class RecordedRun final : public RunSystem, public RunObserver, public RunControl {
 public:
  RecordedRun(EquationsOfMotion& equations, StateJumps& jumps, RowsAt& rows,
              const std::vector<DerivativeOf>& columns, const std::atomic<bool>* interrupt)
      : equations_(equations), jumps_(jumps), rows_(rows), columns_(columns), interrupt_(interrupt) {}

  EquationsOfMotion& equations() override { return equations_; }
  std::span<const double> observe(const State<double>& state, int) override {
    t_ = state.t;
    return rows_.calc(state);
  }
  void see_row(std::span<const double> row, RowKind) override {
    times.push_back(t_);
    for (const DerivativeOf& one : columns_) values.push_back(row[one.place]);
  }
  void check_step(const State<double>& state) override { jumps_.look(state); }
  bool goes_on(RunLoop&) override {
    throw_if_interrupted();
    return true;
  }
  void throw_if_interrupted() const {
    if (interrupt_ != nullptr && interrupt_->load()) throw ComputationError(t_, "the run was interrupted");
  }

  std::vector<double> times, values;

 private:
  EquationsOfMotion& equations_;
  StateJumps& jumps_;
  RowsAt& rows_;
  const std::vector<DerivativeOf>& columns_;
  const std::atomic<bool>* interrupt_;
  double t_ = 0.0;
};

class GradientRun {
 public:
  GradientRun(const Workspace& workspace, const GradientOptions& options);
  RunGradient calc();

 private:
  void run_forward();
  void calc_cost();
  void go_back();
  void see_step(const AdjointSteps::Step& step);
  std::span<const double> weights_of(std::size_t row) const;
  bool matters(std::size_t row) const;
  void add_row(std::size_t row, const State<double>& state, std::span<double> by_state);
  double weighted(RowsAt& rows, const State<double>& state) const;

  const Workspace& workspace_;
  const GradientOptions& options_;
  const ButcherTableau& tableau_;
  ForwardDynamics dynamics_;
  SystemEquations equations_;
  StateJumps jumps_;
  RowsAt rows_;
  std::vector<DerivativeBy> by_;
  std::vector<DerivativeOf> columns_;
  std::vector<std::unique_ptr<RowsAt>> moved_rows_;  // (2 x parameters) at p minus and plus a width
  std::optional<AdjointSteps> adjoint_;
  State<double> start_, end_, moved_;  // end_: end of the current step, where the next one began
  ExplicitRungeKutta rule_;
  StepTrail trail_;
  RecordedRun run_;
  RunGradient result_;
  std::vector<double> by_values_;          // (rows x columns)
  std::vector<double> by_state_, by_row_;  // (width) of the cost: displacements of q, u, x and z
  std::size_t integrals_ = 0;              // nz, or 0 if no column contains integrals
  std::vector<double> by_parameters_;      // (parameters)
  std::vector<double> displacement_;       // (nu)
  std::span<const double> weights_;        // (columns) of the current row
  std::size_t rows_left_ = 0;
};

GradientRun::GradientRun(const Workspace& workspace, const GradientOptions& options)
    : workspace_(workspace),
      options_(options),
      tableau_(checked_rule(workspace.analysis().integrator)),
      dynamics_(workspace.shared_model(), workspace.properties(), workspace.analysis().solver),
      equations_(dynamics_),
      jumps_(dynamics_),
      rows_(workspace, workspace.properties().parameters),
      start_(workspace.calc_initial_state()),
      rule_(tableau_),
      trail_(rule_, count_steps(workspace.model(), tableau_, options.memory)),
      run_(equations_, jumps_, rows_, columns_, options.interrupt),
      displacement_(start_.u.size()) {
  if (options.by.empty()) throw InputError("no parameter or initial value is named");
  if (options.columns.empty()) throw InputError("there is no column on which the cost depends");
  if (!options.cost && options.columns.size() > 1) {
    throw InputError(fmt::format("{} columns have no single last value: a function must give the cost",
                                 options.columns.size()));
  }
  for (const std::string& name : options.by) by_.push_back(find_derivative_by(workspace, name));
  for (const std::string& name : options.columns) {
    columns_.push_back(find_derivative_of(workspace.model(), name, rows_.columns()));
  }
  equations_.normalize(start_.q);
  jumps_.look(start_);
  std::vector<int> parameters;
  const bool needs_rows = std::ranges::any_of(columns_, &DerivativeOf::needs_row);
  for (const DerivativeBy& by : by_) {
    if (by.place < 0) continue;
    parameters.push_back(by.place);
    for (const double width : {-kColumnWidth, kColumnWidth}) {
      if (needs_rows) moved_rows_.push_back(make_moved_rows(workspace, by, width));
    }
  }
  std::unique_ptr<IntegralDerivatives> integrals;
  if (needs_rows && have_integrals(rows_, start_, columns_)) {
    integrals = std::make_unique<IntegralDerivatives>(workspace, by_);
    integrals_ = integrals->size();
  }
  adjoint_.emplace(workspace.shared_model(), workspace.properties(), workspace.analysis().solver, tableau_,
                   parameters, std::move(integrals));
  by_state_.resize(adjoint_->width());
  by_row_.resize(by_state_.size());
  by_parameters_.resize(parameters.size());
}

void GradientRun::run_forward() {
  const Analysis& analysis = workspace_.analysis();
  const std::unique_ptr<StepDriver> driver = make_step_driver(step_options(analysis));
  RunLoop loop(run_, rule_, *driver, RowSchedule(0.0, analysis.duration, analysis.output_every));
  loop.set_limits(workspace_.limits());
  loop.add_observer(run_);
  loop.add_observer(trail_);
  loop.set_control(run_);
  loop.start(start_);
  loop.advance();
  result_.steps = driver->statistics();
}

void GradientRun::calc_cost() {
  const std::size_t columns = columns_.size();
  by_values_.assign(run_.values.size(), 0.0);
  if (options_.cost) {
    result_.cost = options_.cost(run_.times, run_.values, by_values_);
  } else {
    result_.cost = run_.values.back();
    by_values_.back() = 1.0;
  }
  if (!std::isfinite(result_.cost)) throw InputError(fmt::format("the cost is {}, not finite", result_.cost));
  const auto bad = std::ranges::find_if_not(by_values_, [](double x) { return std::isfinite(x); });
  if (bad == by_values_.end()) return;
  const auto place = static_cast<std::size_t>(bad - by_values_.begin());
  throw InputError(fmt::format("the derivative of the cost by {} in row {} is {}, not finite",
                               columns_[place % columns].column.name, place / columns, *bad));
}

double GradientRun::weighted(RowsAt& rows, const State<double>& state) const {
  const std::span<const double> row = rows.calc(state);
  double sum = 0.0;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].needs_row()) sum += weights_[i] * row[columns_[i].place];
  }
  return sum;
}

// Computes the derivatives of the cost with respect to the values of the row.
std::span<const double> GradientRun::weights_of(std::size_t row) const {
  return std::span(by_values_).subspan(row * columns_.size(), columns_.size());
}

bool GradientRun::matters(std::size_t row) const {
  return std::ranges::any_of(weights_of(row), [](double weight) { return weight != 0.0; });
}

// Adds the derivatives of the cost with respect to the row at this state.
void GradientRun::add_row(std::size_t row, const State<double>& state, std::span<double> by_state) {
  weights_ = weights_of(row);
  const std::size_t nu = displacement_.size();
  bool is_direct = true;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const DerivativeOf& one = columns_[i];
    if (one.displacement >= 0) by_state[static_cast<std::size_t>(one.displacement)] += weights_[i];
    if (one.u >= 0) by_state[nu + static_cast<std::size_t>(one.u)] += weights_[i];
    is_direct = is_direct && (weights_[i] == 0.0 || !one.needs_row());
  }
  if (is_direct) return;
  for (const double width : {-kColumnWidth, kColumnWidth}) {
    for (std::size_t i = 0; i < nu; ++i) {
      moved_ = state;
      displacement_[i] = width;
      equations_.plus(state.q, displacement_, moved_.q);
      displacement_[i] = 0.0;
      by_state[i] += weighted(rows_, moved_) / (2.0 * width);
      moved_.q = state.q;
      moved_.u[i] += width;
      by_state[nu + i] += weighted(rows_, moved_) / (2.0 * width);
    }
    moved_ = state;
    for (std::size_t i = 0; i < state.x.size(); ++i) {
      const double step = width * size_of_state(state.x[i]);
      moved_.x[i] = state.x[i] + step;
      by_state[2 * nu + i] += weighted(rows_, moved_) / (2.0 * step);
      moved_.x[i] = state.x[i];
    }
    for (std::size_t i = 0; i < integrals_; ++i) {
      const double step = width * size_of_state(state.z[i]);
      moved_.z[i] = state.z[i] + step;
      by_state[2 * nu + state.x.size() + i] += weighted(rows_, moved_) / (2.0 * step);
      moved_.z[i] = state.z[i];
    }
  }
  std::size_t parameter = 0;
  for (const DerivativeBy& by : by_) {
    if (by.place < 0) continue;
    const double less = weighted(*moved_rows_[2 * parameter], state),
                 more = weighted(*moved_rows_[2 * parameter + 1], state);
    by_parameters_[parameter++] += (more - less) / (2.0 * kColumnWidth * by.scale);
  }
}

void GradientRun::see_step(const AdjointSteps::Step& step) {
  run_.throw_if_interrupted();
  if (end_.q.empty()) end_ = adjoint_->end_of(step);
  for (; rows_left_ > 0 && run_.times[rows_left_ - 1] == step.t_end; --rows_left_) {
    add_row(rows_left_ - 1, end_, by_state_);
  }
  end_ = step.begin;
  // Rows within the step are ends of shorter steps.
  std::vector<double> within(by_state_.size());
  AdjointSteps::Step part;
  for (; rows_left_ > 0 && run_.times[rows_left_ - 1] > step.begin.t; --rows_left_) {
    if (!matters(rows_left_ - 1)) continue;
    part = step;
    part.udots.clear();
    part.t_end = run_.times[rows_left_ - 1];
    std::ranges::fill(by_row_, 0.0);
    add_row(rows_left_ - 1, adjoint_->end_of(part), by_row_);
    adjoint_->step_back(part, by_row_, by_parameters_);
    for (std::size_t i = 0; i < within.size(); ++i) within[i] += by_row_[i];
  }
  adjoint_->step_back(step, by_state_, by_parameters_);
  for (std::size_t i = 0; i < within.size(); ++i) by_state_[i] += within[i];
}

void GradientRun::go_back() {
  const Analysis& analysis = workspace_.analysis();
  const std::unique_ptr<StepDriver> driver = make_step_driver(step_options(analysis));
  rows_left_ = run_.times.size();
  trail_.visit_back(*driver, equations_, analysis.duration,
                    [this](const AdjointSteps::Step& step) { see_step(step); });
  for (; rows_left_ > 0; --rows_left_) add_row(rows_left_ - 1, start_, by_state_);
}

RunGradient GradientRun::calc() {
  run_forward();
  calc_cost();
  go_back();
  std::size_t parameter = 0;
  for (const DerivativeBy& by : by_) {
    const std::vector<double> s = calc_initial_derivative(workspace_, equations_, start_, by);
    double sum = 0.0;
    for (std::size_t i = 0; i < s.size(); ++i) sum += by_state_[i] * s[i] / by.scale;
    if (by.place >= 0) sum += by_parameters_[parameter++];
    result_.by.push_back(sum);
  }
  for (const DerivativeOf& one : columns_) result_.columns.push_back(one.column);
  result_.t = std::move(run_.times);
  result_.values = std::move(run_.values);
  return std::move(result_);
}

}  // namespace

RunGradient calc_run_gradient(const Workspace& workspace, const GradientOptions& options) {
  refuse_run_derivatives(workspace);
  return GradientRun(workspace, options).calc();
}

}  // namespace sestina
