#include "sestina/workspace/run_sensitivities.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "sestina/base/error.h"
#include "sestina/run/run_loop.h"
#include "sestina/workspace/integrator_options.h"
#include "sestina/workspace/run_derivatives.h"
#include "sestina/workspace/state_jumps.h"
#include "sestina/workspace/tangent_equations.h"

namespace sestina {
namespace {

class SensitivitySystem final : public RunSystem, public RunObserver, public RunControl {
 public:
  SensitivitySystem(const Workspace& workspace, const SensitivityOptions& options);

  State<double> start();
  RunSensitivities take(const StepStatistics& steps);

  EquationsOfMotion& equations() override { return *tangents_; }
  std::span<const double> observe(const State<double>& state, int event) override;
  void see_row(std::span<const double> row, RowKind kind) override;
  void check_step(const State<double>& state) override { jumps_.look(tangents_->own_state(state)); }
  bool goes_on(RunLoop&) override { return interrupt_ == nullptr || !interrupt_->load(); }

 private:
  void add_direction(const std::string& name);
  void differentiate(const State<double>& state, int direction, std::span<double> by);
  double calc_width(const State<double>& state, int direction) const;
  void move(const State<double>& state, int direction, double width);

  const Workspace& workspace_;
  const std::atomic<bool>* interrupt_;
  ForwardDynamics dynamics_;
  SystemEquations own_;
  StateJumps jumps_;
  std::vector<DerivativeBy> by_;
  std::optional<TangentEquations> tangents_;
  std::vector<DerivativeOf> recorded_;
  RowsAt rows_;
  std::vector<std::unique_ptr<RowsAt>>
      moved_rows_;           // (2 x directions) at p minus and plus a width; null otherwise
  bool needs_rows_ = false;  // there are other columns than coordinates and speeds
  State<double> moved_;
  std::vector<double> displacement_, row_;
  double t_ = 0.0;                    // s, of the last row that was observed
  std::vector<double> times_, seen_;  // of all rows
};

SensitivitySystem::SensitivitySystem(const Workspace& workspace, const SensitivityOptions& options)
    : workspace_(workspace),
      interrupt_(options.interrupt),
      dynamics_(workspace.shared_model(), workspace.properties(), workspace.analysis().solver),
      own_(dynamics_),
      jumps_(dynamics_),
      rows_(workspace, workspace.properties().parameters),
      displacement_(static_cast<std::size_t>(workspace.model().nu())) {
  if (options.by.empty()) throw InputError("no parameter or initial value is named");
  if (options.columns.empty()) throw InputError("there is no column to differentiate");
  for (const std::string& name : options.by) add_direction(name);
  for (const std::string& name : options.columns) {
    recorded_.push_back(find_derivative_of(workspace.model(), name, rows_.columns()));
  }
  needs_rows_ = std::ranges::any_of(recorded_, &DerivativeOf::needs_row);
  std::vector<TangentEquations::Direction> directions;
  for (const DerivativeBy& by : by_) directions.push_back({.parameter = by.parameter, .scale = by.scale});
  std::unique_ptr<IntegralDerivatives> integrals;
  if (needs_rows_ && have_integrals(rows_, workspace.calc_initial_state(), recorded_)) {
    integrals = std::make_unique<IntegralDerivatives>(workspace, by_);
  }
  tangents_.emplace(own_, dynamics_, directions, std::move(integrals));
}

void SensitivitySystem::add_direction(const std::string& name) {
  by_.push_back(find_derivative_by(workspace_, name));
  for (const double width : {-kColumnWidth, kColumnWidth}) {
    moved_rows_.push_back(by_.back().place < 0 ? nullptr : make_moved_rows(workspace_, by_.back(), width));
  }
}

State<double> SensitivitySystem::start() {
  State<double> state = workspace_.calc_initial_state();
  own_.normalize(state.q);
  jumps_.look(state);
  std::vector<double> x = state.x;
  for (const DerivativeBy& by : by_) {
    const std::vector<double> s = calc_initial_derivative(workspace_, own_, state, by);
    x.insert(x.end(), s.begin(), s.end());
  }
  state.x = std::move(x);
  state.z.resize(static_cast<std::size_t>(tangents_->sizes().nz));  // integrals begin at zero
  return state;
}

// The factor for the direction: nothing moves by more than kColumnWidth times its size.
double SensitivitySystem::calc_width(const State<double>& state, int direction) const {
  double largest = 1.0;
  for (const double s : tangents_->displacement(state, direction)) largest = std::max(largest, std::abs(s));
  for (const double s : tangents_->speeds(state, direction)) largest = std::max(largest, std::abs(s));
  const std::span<const double> s_x = tangents_->rated_states(state, direction),
                                s_z = tangents_->integrals(state, direction);
  for (std::size_t i = 0; i < s_x.size(); ++i) {
    largest = std::max(largest, std::abs(s_x[i]) / size_of_state(state.x[i]));
  }
  for (std::size_t i = 0; i < s_z.size(); ++i) {
    largest = std::max(largest, std::abs(s_z[i]) / size_of_state(state.z[i]));
  }
  return kColumnWidth / largest;
}

// Sets moved_ to the state displaced by width times the direction.
void SensitivitySystem::move(const State<double>& state, int direction, double width) {
  const std::span<const double> s_q = tangents_->displacement(state, direction),
                                s_u = tangents_->speeds(state, direction);
  std::ranges::transform(s_q, displacement_.begin(), [&](double s) { return width * s; });
  own_.plus(state.q, displacement_, moved_.q);
  for (std::size_t i = 0; i < s_u.size(); ++i) moved_.u[i] = state.u[i] + width * s_u[i];
  const std::span<const double> s_x = tangents_->rated_states(state, direction);
  for (std::size_t i = 0; i < s_x.size(); ++i) moved_.x[i] = state.x[i] + width * s_x[i];
  const std::span<const double> s_z = tangents_->integrals(state, direction);
  for (std::size_t i = 0; i < s_z.size(); ++i) moved_.z[i] = state.z[i] + width * s_z[i];
}

// Computes the derivatives of all columns (columns) along the direction.
void SensitivitySystem::differentiate(const State<double>& state, int direction, std::span<double> by) {
  const auto k = static_cast<std::size_t>(direction);
  const std::span<const double> s_q = tangents_->displacement(state, direction),
                                s_u = tangents_->speeds(state, direction);
  std::ranges::fill(by, 0.0);
  if (needs_rows_) {
    const double width = calc_width(state, direction);
    moved_ = tangents_->own_state(state);
    for (const double sign : {-1.0, 1.0}) {
      move(state, direction, sign * width);
      const std::span<const double> row = rows_.calc(moved_);
      for (std::size_t i = 0; i < by.size(); ++i) by[i] += sign * row[recorded_[i].place] / (2.0 * width);
    }
    for (const std::size_t side : {0U, 1U}) {
      RowsAt* rows = moved_rows_[2 * k + side].get();
      if (rows == nullptr) continue;
      const std::span<const double> row = rows->calc(tangents_->own_state(state));
      const double sign = side == 0 ? -1.0 : 1.0;
      for (std::size_t i = 0; i < by.size(); ++i)
        by[i] += sign * row[recorded_[i].place] / (2.0 * kColumnWidth);
    }
  }
  for (std::size_t i = 0; i < by.size(); ++i) {
    if (recorded_[i].u >= 0) by[i] = s_u[static_cast<std::size_t>(recorded_[i].u)];
    if (recorded_[i].displacement >= 0) by[i] = s_q[static_cast<std::size_t>(recorded_[i].displacement)];
    by[i] /= by_[k].scale;
  }
}

std::span<const double> SensitivitySystem::observe(const State<double>& state, int /*event*/) {
  row_.assign((1 + by_.size()) * recorded_.size(), 0.0);
  const std::span<double> all(row_);
  const std::span<const double> values = rows_.calc(tangents_->own_state(state));
  for (std::size_t i = 0; i < recorded_.size(); ++i) all[i] = values[recorded_[i].place];
  for (std::size_t k = 0; k < by_.size(); ++k) {
    differentiate(state, static_cast<int>(k), all.subspan((k + 1) * recorded_.size(), recorded_.size()));
  }
  t_ = state.t;
  return row_;
}

void SensitivitySystem::see_row(std::span<const double> row, RowKind) {
  times_.push_back(t_);
  seen_.insert(seen_.end(), row.begin(), row.end());
}

RunSensitivities SensitivitySystem::take(const StepStatistics& steps) {
  RunSensitivities taken{.columns = {}, .t = std::move(times_), .values = {}, .by = {}, .steps = steps};
  const std::size_t columns = recorded_.size(), rows = taken.t.size(), width = (1 + by_.size()) * columns;
  for (const DerivativeOf& one : recorded_) taken.columns.push_back(one.column);
  for (std::size_t block = 0; block <= by_.size(); ++block) {
    std::vector<double>& to = block == 0 ? taken.values : taken.by;
    for (std::size_t row = 0; row < rows; ++row) {
      const auto first = seen_.begin() + static_cast<std::ptrdiff_t>(row * width + block * columns);
      to.insert(to.end(), first, first + static_cast<std::ptrdiff_t>(columns));
    }
  }
  return taken;
}

}  // namespace

RunSensitivities calc_run_sensitivities(const Workspace& workspace, const SensitivityOptions& options) {
  refuse_run_derivatives(workspace);
  const Analysis& analysis = workspace.analysis();
  SensitivitySystem system(workspace, options);
  const std::unique_ptr<IntegrationRule> rule = make_integration_rule(rule_options(analysis));
  const std::unique_ptr<StepDriver> driver = make_step_driver(step_options(analysis));
  RunLoop loop(system, *rule, *driver, RowSchedule(0.0, analysis.duration, analysis.output_every));
  loop.set_limits(workspace.limits());
  loop.add_observer(system);
  loop.set_control(system);
  loop.start(system.start());
  loop.advance();
  return system.take(driver->statistics());
}

}  // namespace sestina
