#include "sestina/workspace/run_sensitivities.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "sestina/base/error.h"
#include "sestina/dynamics/parameter_derivatives.h"
#include "sestina/run/run_loop.h"
#include "sestina/workspace/integrator_options.h"
#include "sestina/workspace/result_row.h"
#include "sestina/workspace/tangent_equations.h"

namespace sestina {
namespace {

using Direction = TangentEquations::Direction;

// Relative width of central differences of columns.
constexpr double kWidth = 1e-5;

void refuse(const Workspace& workspace) {
  const Model& model = workspace.model();
  const auto no = [](const std::string& what) {
    throw InputError("the derivatives of a run cannot be integrated beside it for " + what);
  };
  if (workspace.analysis().type != "dynamics") no("an analysis of the type " + workspace.analysis().type);
  if (workspace.analysis().coordinates == "state_time") no("coordinates: state_time");
  model.refuse_constraints("the integration of a run's derivatives");
  if (model.has_contacts()) no("a model with contacts");
  if (model.nx() > 0) no("states with a rate, such as " + model.states().front().name);
  if (!model.events().empty()) no("a model with events, such as " + model.events().front().name);
  if (!model.user_forces().empty()) {
    no("forces of the user's own, such as " + model.forces()[model.user_forces().front().index].name);
  }
}

// dq0/dp (nu) as a displacement, from the derivatives (nq) of the coordinates.
std::vector<double> displacement_of(EquationsOfMotion& equations, const State<double>& start,
                                    std::span<const double> dq) {
  const StateSizes sizes = equations.sizes();
  std::vector<double> displacement(static_cast<std::size_t>(sizes.nu)), unit(displacement.size()),
      column(dq.size());
  // The columns of N(q), qdot = N(q) u, are orthogonal.
  for (std::size_t j = 0; j < displacement.size(); ++j) {
    unit[j] = 1.0;
    equations.calc_q_dot(start.q, unit, column);
    unit[j] = 0.0;
    double along = 0.0, square = 0.0;
    for (std::size_t i = 0; i < dq.size(); ++i) along += column[i] * dq[i], square += column[i] * column[i];
    displacement[j] = along / square;
  }
  return displacement;
}

// A column of the result and where its derivative comes from.
struct Recorded {
  Column column;
  int place = 0;          // in the row
  int u = -1;             // the speed whose own value it is
  int displacement = -1;  // the speed by which it is displaced, of a coordinate
};

// Evaluates rows of the model, with other values of the parameters.
class RowsAt {
 public:
  RowsAt(const Workspace& workspace, const std::vector<double>& parameters)
      : dynamics_(workspace.shared_model(), calc_properties<double>(workspace.model(), parameters),
                  "recursive"),
        row_(workspace.model(), dynamics_.properties().parameters, false) {}
  std::span<const double> calc(const State<double>& state) { return row_.calc(state, dynamics_); }
  ResultRow& row() { return row_; }

 private:
  ForwardDynamics dynamics_;
  ResultRow row_;
};

class SensitivitySystem final : public RunSystem, public RunObserver, public RunControl {
 public:
  SensitivitySystem(const Workspace& workspace, const SensitivityOptions& options);

  State<double> start();
  RunSensitivities take(const StepStatistics& steps);

  EquationsOfMotion& equations() override { return *tangents_; }
  std::span<const double> observe(const State<double>& state, int event) override;
  void see_row(std::span<const double> row, RowKind kind) override;
  bool goes_on(RunLoop&) override { return interrupt_ == nullptr || !interrupt_->load(); }

 private:
  void add_direction(const std::string& name);
  int find_speed(const std::string& name, bool* is_coordinate) const;
  void add_column(const std::string& name, const std::vector<Column>& all);
  void check_jumps(const Direction& direction);
  void check_integrals(const State<double>& own);
  void differentiate(const State<double>& state, int direction, std::span<double> by);
  void move(const State<double>& state, int direction, double width);

  const Workspace& workspace_;
  const Model& model_;
  const std::atomic<bool>* interrupt_;
  ForwardDynamics dynamics_;
  SystemEquations own_;
  std::vector<Direction> directions_;
  std::vector<int>
      initial_;  // by direction: the number of q's displacement, or nu + that of u; -1 for parameters
  std::optional<TangentEquations> tangents_;
  std::vector<Recorded> recorded_;
  RowsAt rows_;
  std::vector<std::unique_ptr<RowsAt>>
      moved_rows_;           // (2 x directions) at p less and plus a width; null otherwise
  bool needs_rows_ = false;  // there are other columns than coordinates and speeds
  State<double> moved_;
  std::vector<double> displacement_, row_;
  double t_ = 0.0;                    // s, of the last row that was observed
  std::vector<double> times_, seen_;  // of all rows
};

SensitivitySystem::SensitivitySystem(const Workspace& workspace, const SensitivityOptions& options)
    : workspace_(workspace),
      model_(workspace.model()),
      interrupt_(options.interrupt),
      dynamics_(workspace.shared_model(), workspace.properties(), workspace.analysis().solver),
      own_(dynamics_),
      rows_(workspace, workspace.properties().parameters),
      displacement_(static_cast<std::size_t>(model_.nu())) {
  if (options.by.empty()) throw InputError("there is no name of a parameter or an initial value");
  if (options.columns.empty()) throw InputError("there is no column to differentiate");
  for (const std::string& name : options.by) add_direction(name);
  for (const std::string& name : options.columns) add_column(name, rows_.row().columns());
  tangents_.emplace(own_, directions_);
}

// The speed that bears the name, or whose coordinate does; -1 if there is none.
int SensitivitySystem::find_speed(const std::string& name, bool* is_coordinate) const {
  for (const BodyInfo& body : model_.bodies()) {
    for (int i = 0; i < body.nu; ++i) {
      const int u = body.u_start + i;
      *is_coordinate = false;
      if (model_.u_names()[static_cast<std::size_t>(u)] == name) return u;
      *is_coordinate = true;
      const bool has_own = body.nq == body.nu;  // without Euler parameters
      if (has_own && model_.q_names()[static_cast<std::size_t>(body.q_start + i)] == name) return u;
    }
  }
  return -1;
}

void SensitivitySystem::add_direction(const std::string& name) {
  bool is_coordinate = false;
  if (const int u = find_speed(name, &is_coordinate); u >= 0) {
    directions_.push_back({});
    initial_.push_back(is_coordinate ? u : model_.nu() + u);
    moved_rows_.resize(moved_rows_.size() + 2);
    return;
  }
  if (std::ranges::count(model_.q_names(), name) > 0) {
    throw InputError(
        name + ": an Euler parameter cannot change alone; give a parameter on which the rotation depends");
  }
  workspace_.check_parameter(name);
  const auto place = static_cast<std::size_t>(find_parameter(model_, name));
  std::vector<double> values = workspace_.properties().parameters;
  const double value = values[place];
  const Direction direction{.parameter = name, .scale = value == 0.0 ? 1.0 : std::abs(value)};
  directions_.push_back(direction);
  initial_.push_back(-1);
  for (const double sign : {-1.0, 1.0}) {
    values[place] = value + sign * kWidth * direction.scale;
    moved_rows_.push_back(std::make_unique<RowsAt>(workspace_, values));
  }
  check_jumps(direction);
}

// An input that jumps at a time which depends on p makes the derivatives jump there, which (1) does not tell.
void SensitivitySystem::check_jumps(const Direction& direction) {
  if (!model_.time_conditions()) return;
  const double end = workspace_.analysis().duration;
  const std::vector<double> d = workspace_.calc_initial_state().d;
  const auto place = static_cast<std::size_t>(find_parameter(model_, direction.parameter));
  std::vector<std::vector<double>> jumps;
  for (const double width : {0.0, kWidth}) {
    Properties<double> properties = workspace_.properties();
    properties.parameters[place] += width * direction.scale;
    const std::unique_ptr<TimeSwitches> switches = make_time_switches(model_, properties);
    switches->start(0.0, end, d);
    std::vector<double>& times = jumps.emplace_back();
    for (TimeSwitch next = switches->find_next(0.0, end); next.t <= end;
         next = switches->find_next(next.t, end)) {
      if (next.is_jump) times.push_back(next.t);
      if (next.t >= end) break;
    }
  }
  const auto same = [&](double a, double b) { return std::abs(a - b) <= 1e-3 * kWidth * end; };
  if (std::ranges::equal(jumps[0], jumps[1], same)) return;
  throw InputError(
      fmt::format("{}: a force jumps at a time that depends on it, where the derivatives of a run jump too",
                  direction.parameter));
}

void SensitivitySystem::add_column(const std::string& name, const std::vector<Column>& all) {
  const auto found = std::ranges::find(all, name, &Column::name);
  if (found == all.end()) throw InputError(fmt::format("there is no column '{}'", name));
  Recorded recorded{.column = *found, .place = static_cast<int>(found - all.begin())};
  bool is_coordinate = false;
  const int u = find_speed(name, &is_coordinate);
  (is_coordinate ? recorded.displacement : recorded.u) = u;
  needs_rows_ = needs_rows_ || (u < 0 && name != "t");
  recorded_.push_back(recorded);
}

State<double> SensitivitySystem::start() {
  State<double> state = workspace_.calc_initial_state();
  own_.normalize(state.q);
  const auto nu = static_cast<std::size_t>(model_.nu());
  std::vector<double> x;
  for (std::size_t k = 0; k < directions_.size(); ++k) {
    std::vector<double> s(2 * nu);
    if (initial_[k] >= 0) {
      s[static_cast<std::size_t>(initial_[k])] = 1.0;
    } else if (!workspace_.has_given_state()) {
      const std::vector<double>& values = workspace_.properties().parameters;
      std::vector<Dual> duals(values.begin(), values.end());
      duals[static_cast<std::size_t>(find_parameter(model_, directions_[k].parameter))].d =
          directions_[k].scale;
      const State<Dual> dual = calc_initial_state<Dual>(model_, duals);
      std::vector<double> dq(state.q.size());
      std::ranges::transform(dual.q, dq.begin(), &Dual::d);
      std::ranges::copy(displacement_of(own_, state, dq), s.begin());
      std::ranges::transform(dual.u, s.begin() + static_cast<std::ptrdiff_t>(nu), &Dual::d);
    }
    x.insert(x.end(), s.begin(), s.end());
  }
  check_integrals(state);
  state.x = std::move(x);
  return state;
}

// Columns that depend on integrals over time z have derivatives that (1) does not tell.
void SensitivitySystem::check_integrals(const State<double>& own) {
  if (!needs_rows_) return;
  State<double> other = own;
  for (double& z : other.z) z += 1.0;
  const std::span<const double> row = rows_.calc(own);
  const std::vector<double> before(row.begin(), row.end());
  const std::span<const double> after = rows_.calc(other);
  for (const Recorded& one : recorded_) {
    if (before[static_cast<std::size_t>(one.place)] == after[static_cast<std::size_t>(one.place)]) continue;
    throw InputError(fmt::format(
        "{}: this column contains an integral over time, whose derivative is not computed", one.column.name));
  }
}

// moved_ = the state displaced by the direction times the width.
void SensitivitySystem::move(const State<double>& state, int direction, double width) {
  const std::span<const double> s_q = tangents_->displacement(state, direction),
                                s_u = tangents_->speeds(state, direction);
  std::ranges::transform(s_q, displacement_.begin(), [&](double s) { return width * s; });
  own_.plus(state.q, displacement_, moved_.q);
  for (std::size_t i = 0; i < s_u.size(); ++i) moved_.u[i] = state.u[i] + width * s_u[i];
}

// The derivatives of all columns (columns) by the direction.
void SensitivitySystem::differentiate(const State<double>& state, int direction, std::span<double> by) {
  const auto k = static_cast<std::size_t>(direction);
  const std::span<const double> s_q = tangents_->displacement(state, direction),
                                s_u = tangents_->speeds(state, direction);
  std::ranges::fill(by, 0.0);
  if (needs_rows_) {
    double largest = 1.0;
    for (const std::span<const double> part : {s_q, s_u}) {
      for (const double s : part) largest = std::max(largest, std::abs(s));
    }
    const double width = kWidth / largest;
    moved_ = tangents_->own_state(state);
    for (const double sign : {-1.0, 1.0}) {
      move(state, direction, sign * width);
      const std::span<const double> row = rows_.calc(moved_);
      for (std::size_t i = 0; i < by.size(); ++i)
        by[i] += sign * row[static_cast<std::size_t>(recorded_[i].place)] / (2.0 * width);
    }
    for (const std::size_t side : {0U, 1U}) {
      RowsAt* rows = moved_rows_[2 * k + side].get();
      if (rows == nullptr) continue;
      const std::span<const double> row = rows->calc(tangents_->own_state(state));
      const double sign = side == 0 ? -1.0 : 1.0;
      for (std::size_t i = 0; i < by.size(); ++i)
        by[i] += sign * row[static_cast<std::size_t>(recorded_[i].place)] / (2.0 * kWidth);
    }
  }
  for (std::size_t i = 0; i < by.size(); ++i) {
    if (recorded_[i].u >= 0) by[i] = s_u[static_cast<std::size_t>(recorded_[i].u)];
    if (recorded_[i].displacement >= 0) by[i] = s_q[static_cast<std::size_t>(recorded_[i].displacement)];
    by[i] /= directions_[k].scale;
  }
}

std::span<const double> SensitivitySystem::observe(const State<double>& state, int /*event*/) {
  row_.assign((1 + directions_.size()) * recorded_.size(), 0.0);
  const std::span<double> all(row_);
  const std::span<const double> values = rows_.calc(tangents_->own_state(state));
  for (std::size_t i = 0; i < recorded_.size(); ++i)
    all[i] = values[static_cast<std::size_t>(recorded_[i].place)];
  for (std::size_t k = 0; k < directions_.size(); ++k) {
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
  const std::size_t columns = recorded_.size(), rows = taken.t.size(),
                    width = (1 + directions_.size()) * columns;
  for (const Recorded& one : recorded_) taken.columns.push_back(one.column);
  for (std::size_t block = 0; block <= directions_.size(); ++block) {
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
  refuse(workspace);
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
