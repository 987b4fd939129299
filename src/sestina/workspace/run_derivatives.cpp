#include "sestina/workspace/run_derivatives.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sestina/base/error.h"
#include "sestina/dynamics/assembly.h"
#include "sestina/dynamics/parameter_derivatives.h"

namespace sestina {
namespace {

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

// Returns the speed of this name, or of the coordinate of this name; -1 if there is none.
int find_speed(const Model& model, const std::string& name, bool* is_coordinate) {
  for (const BodyInfo& body : model.bodies()) {
    for (int i = 0; i < body.nu; ++i) {
      const int u = body.u_start + i;
      *is_coordinate = false;
      if (model.u_names()[static_cast<std::size_t>(u)] == name) return u;
      *is_coordinate = true;
      const bool has_own = body.nq == body.nu;  // coordinates other than Euler parameters
      if (has_own && model.q_names()[static_cast<std::size_t>(body.q_start + i)] == name) return u;
    }
  }
  return -1;
}

// Refuses an input that jumps at a time which depends on p: the derivatives jump there, which their equations
// do not show.
void check_jumps(const Workspace& workspace, const DerivativeBy& by) {
  const Model& model = workspace.model();
  if (!model.time_conditions()) return;
  const double end = workspace.analysis().duration;
  const std::vector<double> d = workspace.calc_initial_state().d;
  std::vector<std::vector<double>> jumps;
  for (const double width : {0.0, kColumnWidth}) {
    Properties<double> properties = workspace.properties();
    properties.parameters[static_cast<std::size_t>(by.place)] += width * by.scale;
    const std::unique_ptr<TimeSwitches> switches = make_time_switches(model, properties);
    switches->start(0.0, end, d);
    std::vector<double>& times = jumps.emplace_back();
    for (TimeSwitch next = switches->find_next(0.0, end); next.t <= end;
         next = switches->find_next(next.t, end)) {
      if (next.is_jump) times.push_back(next.t);
      if (next.t >= end) break;
    }
  }
  const auto same = [&](double a, double b) { return std::abs(a - b) <= 1e-3 * kColumnWidth * end; };
  if (std::ranges::equal(jumps[0], jumps[1], same)) return;
  throw InputError(
      fmt::format("{}: a force jumps at a time that depends on it, where the derivatives of a run jump too",
                  by.parameter));
}

// Returns the assembled state with the parameter or the initial value moved by `width`, for a model with
// loops or constraints.
State<double> assemble_moved(const Workspace& workspace, EquationsOfMotion& equations,
                             const State<double>& start, const DerivativeBy& by, double width) {
  const Model& model = workspace.model();
  std::vector<double> parameters = workspace.properties().parameters;
  if (by.place >= 0) parameters[static_cast<std::size_t>(by.place)] += width * by.scale;
  const Properties<double> properties = calc_properties<double>(model, parameters);
  if (!workspace.has_given_state() && by.place >= 0) return calc_assembled_state(model, properties);
  const auto nu = start.u.size(), moving = static_cast<std::size_t>(std::max(by.initial, 0));
  if (workspace.has_given_state()) {
    State<double> state = start;
    if (by.place < 0 && moving < nu) {
      std::vector<double> displacement(nu);
      displacement[moving] = width;
      equations.plus(start.q, displacement, state.q);
    } else if (by.place < 0) {
      state.u[moving - nu] += width;
    }
    assemble(model, properties, {}, {}, state);
    return state;
  }
  // Assembles as if the description gave another value.
  const std::size_t speed = moving % nu;
  const auto body = std::ranges::find_if(model.bodies(), [&](const BodyInfo& one) {
    const auto first = static_cast<std::size_t>(one.u_start);
    return speed >= first && speed < first + static_cast<std::size_t>(one.nu);
  });
  System system = workspace.system();
  const auto joint = std::ranges::find_if(
      system.joints, [&](const JointSpec& one) { return one.name.text == body->joint_name; });
  const std::size_t within = speed - static_cast<std::size_t>(body->u_start);
  Numbers& given = moving < nu ? joint->q : joint->u;
  if (given.size() <= within) {
    throw InputError(fmt::format("{}: the loops determine its initial value: give one in the model",
                                 moving < nu
                                     ? model.q_names()[static_cast<std::size_t>(body->q_start) + within]
                                     : model.u_names()[speed]));
  }
  const State<double> described = calc_initial_state<double>(model, parameters);
  given[within] = width + (moving < nu ? described.q[static_cast<std::size_t>(body->q_start) + within]
                                       : described.u[speed]);
  return Workspace(std::move(system)).calc_initial_state();
}

// If given coordinates contradict each other, the assembly may find different positions for neighbouring
// values.
void check_smoothness(EquationsOfMotion& equations, const State<double>& start,
                      const std::array<const State<double>*, 2>& sides, const DerivativeBy& by) {
  constexpr double kRough = 0.1, kRoundOff = 1e-9;
  const auto nu = start.u.size();
  std::vector<double> to_less(nu), to_more(nu);
  equations.minus(sides[0]->q, start.q, to_less);
  equations.minus(sides[1]->q, start.q, to_more);
  double change = 0.0, uneven = 0.0;
  for (std::size_t i = 0; i < nu; ++i) {
    change = std::max(change, std::abs(to_more[i] - to_less[i]));
    uneven = std::max(uneven, std::abs(to_more[i] + to_less[i]));
  }
  if (uneven <= kRough * change + kRoundOff) return;
  throw InputError(fmt::format(
      "{}: the initial state does not change smoothly with it: the loops change given coordinates",
      by.parameter.empty() ? "the initial value" : by.parameter));
}

std::vector<double> calc_assembled_derivative(const Workspace& workspace, EquationsOfMotion& equations,
                                              const State<double>& start, const DerivativeBy& by) {
  const State<double> less = assemble_moved(workspace, equations, start, by, -kColumnWidth),
                      more = assemble_moved(workspace, equations, start, by, kColumnWidth);
  const auto nu = start.u.size();
  std::vector<double> s(2 * nu + start.x.size());
  equations.minus(more.q, less.q, std::span(s).first(nu));
  for (std::size_t i = 0; i < nu; ++i) s[nu + i] = more.u[i] - less.u[i];
  for (std::size_t i = 0; i < start.x.size(); ++i) s[2 * nu + i] = more.x[i] - less.x[i];
  for (double& x : s) x /= 2.0 * kColumnWidth;
  check_smoothness(equations, start, {&less, &more}, by);
  return s;
}

}  // namespace

void refuse_run_derivatives(const Workspace& workspace) {
  const Model& model = workspace.model();
  const auto no = [](const std::string& what) {
    throw InputError("the derivatives of a run cannot be computed for " + what);
  };
  if (workspace.analysis().type != "dynamics") no("an analysis of the type " + workspace.analysis().type);
  if (workspace.analysis().coordinates == "state_time") no("coordinates: state_time");
  if (!model.beams().empty()) no("a model with beams");
  if (model.is_cartesian()) no("coordinates: cartesian; the same mechanism has them in relative coordinates");
  model.refuse_contacts("the derivative of a run");
  if (!model.events().empty()) no("a model with events, such as " + model.events().front().name);
  if (!model.user_forces().empty()) {
    no("user forces, such as " + model.forces()[model.user_forces().front().index].name);
  }
  if (!model.user_constraints().empty()) no("user constraints");
}

DerivativeBy find_derivative_by(const Workspace& workspace, const std::string& name) {
  const Model& model = workspace.model();
  bool is_coordinate = false;
  if (const int u = find_speed(model, name, &is_coordinate); u >= 0) {
    return {.initial = is_coordinate ? u : model.nu() + u};
  }
  if (std::ranges::count(model.q_names(), name) > 0) {
    throw InputError(
        name + ": an Euler parameter cannot change alone; give a parameter on which the rotation depends");
  }
  workspace.check_parameter(name);
  const int place = find_parameter(model, name);
  const double value = workspace.properties().parameters[static_cast<std::size_t>(place)];
  DerivativeBy by{.parameter = name, .place = place, .scale = value == 0.0 ? 1.0 : std::abs(value)};
  check_jumps(workspace, by);
  return by;
}

std::vector<double> calc_initial_derivative(const Workspace& workspace, EquationsOfMotion& equations,
                                            const State<double>& start, const DerivativeBy& by) {
  if (workspace.model().is_constrained()) {
    return calc_assembled_derivative(workspace, equations, start, by);
  }
  const auto nu = start.u.size();
  std::vector<double> s(2 * nu + start.x.size());
  if (by.initial >= 0) {
    s[static_cast<std::size_t>(by.initial)] = 1.0;
  } else if (!workspace.has_given_state()) {
    const std::vector<double>& values = workspace.properties().parameters;
    std::vector<Dual> duals(values.begin(), values.end());
    duals[static_cast<std::size_t>(by.place)].d = by.scale;
    const State<Dual> dual = calc_initial_state<Dual>(workspace.model(), duals);
    std::vector<double> dq(start.q.size());
    std::ranges::transform(dual.q, dq.begin(), &Dual::d);
    std::ranges::copy(displacement_of(equations, start, dq), s.begin());
    const auto of_u = s.begin() + static_cast<std::ptrdiff_t>(nu);
    std::ranges::transform(dual.x, std::ranges::transform(dual.u, of_u, &Dual::d).out, &Dual::d);
  }
  return s;
}

DerivativeOf find_derivative_of(const Model& model, const std::string& name, const std::vector<Column>& all) {
  const auto found = std::ranges::find(all, name, &Column::name);
  if (found == all.end()) throw InputError(fmt::format("there is no column '{}'", name));
  DerivativeOf of{.column = *found, .place = static_cast<std::size_t>(found - all.begin())};
  bool is_coordinate = false;
  const int u = find_speed(model, name, &is_coordinate);
  (is_coordinate ? of.displacement : of.u) = u;
  return of;
}

RowsAt::RowsAt(const Workspace& workspace, const std::vector<double>& parameters)
    : dynamics_(workspace.shared_model(), calc_properties<double>(workspace.model(), parameters),
                "recursive"),
      row_(workspace.model(), dynamics_.properties().parameters, false) {}

std::unique_ptr<RowsAt> make_moved_rows(const Workspace& workspace, const DerivativeBy& by, double width) {
  std::vector<double> values = workspace.properties().parameters;
  values[static_cast<std::size_t>(by.place)] += width * by.scale;
  return std::make_unique<RowsAt>(workspace, values);
}

bool have_integrals(RowsAt& rows, const State<double>& state, std::span<const DerivativeOf> columns) {
  State<double> other = state;
  for (double& z : other.z) z += 1.0;
  const std::span<const double> row = rows.calc(state);
  const std::vector<double> before(row.begin(), row.end());
  const std::span<const double> after = rows.calc(other);
  return std::ranges::any_of(columns,
                             [&](const DerivativeOf& one) { return before[one.place] != after[one.place]; });
}

}  // namespace sestina
