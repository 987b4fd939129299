#include "sestina/symbolic/lagrange.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "sestina/base/error.h"
#include "sestina/expression/evaluate.h"
#include "sestina/expression/jacobian.h"
#include "sestina/expression/substitution.h"
#include "sestina/symbolic/frame_tree.h"
#include "sestina/symbolic/mechanics.h"
#include "sestina/symbolic/point_tree.h"

namespace sestina::symbolic {
namespace {

// Derivative of a load's position with respect to a coordinate: the velocity, or angular velocity, for a unit
// rate of the coordinate. Nothing if no point at rest is connected with it.
std::optional<Vector> velocity_by_place(const Load& load, const ReferenceFrame& frame,
                                        const Expression& coordinate) {
  Mechanics& mechanics = frame.mechanics();
  if (const auto* force = std::get_if<Force>(&load)) {
    const auto position = mechanics.points().position_from_rest(force->point.index(), frame.index());
    if (!position) return std::nullopt;
    return position->diff(coordinate, frame);
  }
  const ReferenceFrame& turning = std::get<Torque>(load).frame;
  if (!mechanics.frames().are_connected(turning.index(), frame.index())) return std::nullopt;
  // [w]x = R^T dR/dq in the axes of the turning frame
  const Matrix3 R = frame.dcm(turning);
  Matrix3 slope;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) slope[i][j] = diff(R[i][j], coordinate);
  }
  const Matrix3 W = multiply(transpose(R), slope);
  return Vector(turning, {W[2][1], W[0][2], W[1][0]});
}

// True if an expression is positive for values of its symbols, as the second derivative of a kinetic energy
// with respect to a speed is; tests some points, over a full turn for angles.
bool is_positive(const Graph& graph, Expr expr) {
  constexpr int kPoints = 16;
  std::mt19937 random(7);
  for (int k = 0; k < kPoints; ++k) {
    std::vector<Binding> bindings;
    for (const Expr symbol : graph.free_symbols(expr)) {
      bindings.emplace_back(symbol, 0.01 + 7.0 * static_cast<double>(random()) / 4294967296.0);
    }
    if (!(evaluate(graph, expr, bindings) > 0.0)) return false;
  }
  return true;
}

bool holds_any(const Graph& graph, Expr expr, const std::vector<Expr>& symbols) {
  const std::vector<Expr> found = graph.free_symbols(expr);
  return std::find_first_of(found.begin(), found.end(), symbols.begin(), symbols.end()) != found.end();
}

}  // namespace

LagrangesMethod::LagrangesMethod(Mechanics& mechanics, const Expression& lagrangian,
                                 std::vector<Expression> q, LagrangeOptions options)
    : mechanics_(mechanics), lagrangian_(lagrangian), q_(std::move(q)), options_(std::move(options)) {
  if (!options_.forcelist.empty() && !options_.frame) {
    throw InputError("loads need the frame in which the velocities of their points are measured");
  }
  check_variables(mechanics_, q_);
  for (const Expression& coordinate : q_) {
    rates_.push_back(mechanics_.rate(coordinate));
    accelerations_.push_back(mechanics_.rate(rates_.back()));
  }
  check_lagrangian();
  form_constraints();
  form_motion();
}

// Functions of time in L other than coordinates and their rates count as given, such as a drive. A kinetic
// energy in generalised speeds would thus silently be constant: such a speed is found by the missing rate of
// a coordinate. That alone is not a fault: a multiplier may be a coordinate.
void LagrangesMethod::check_lagrangian() const {
  if (const auto beyond = find_above(mechanics_, {lagrangian_}, q_, 1)) {
    throw InputError(
        fmt::format("the Lagrangian holds {}; allowed are coordinates and their rates", to_text(*beyond)));
  }
  Graph& graph = mechanics_.graph();
  const Expr L = lagrangian_.in(graph);
  std::vector<Expr> without_rate;
  for (std::size_t i = 0; i < q_.size(); ++i) {
    if (!holds_any(graph, L, {rates_[i].in(graph)})) without_rate.push_back(q_[i].in(graph));
  }
  if (without_rate.empty()) return;
  for (const Expr symbol : graph.free_symbols(L)) {
    const Expression speed = mechanics_.wrap(symbol);
    if (!mechanics_.variables().is_variable(symbol) || mechanics_.variables().order(symbol) > 0 ||
        find_above(mechanics_, {speed}, q_, -1)) {
      continue;
    }
    const Expr inertia = graph.diff(graph.diff(L, symbol), symbol);
    const bool depends = holds_any(graph, inertia, without_rate);
    if ((depends && without_rate.size() < q_.size()) || !is_positive(graph, inertia)) continue;
    throw InputError(fmt::format(
        "the Lagrangian is quadratic in {0} and holds no {1}: it is to be written with the rates of "
        "coordinates in the place of speeds, as are the velocities that it comes from (set_vel, set_ang_vel)",
        to_text(speed), to_text(mechanics_.rate(mechanics_.wrap(without_rate.front())))));
  }
}

// Forms (2) and (3): the rates of both, and their derivatives.
void LagrangesMethod::form_constraints() {
  for (const Expression& constraint : options_.hol_coneqs) velocity_.push_back(mechanics_.rate(constraint));
  velocity_.insert(velocity_.end(), options_.nonhol_coneqs.begin(), options_.nonhol_coneqs.end());
  std::vector<Expression> all = {lagrangian_};
  for (const auto* some : {&q_, &options_.hol_coneqs, &options_.nonhol_coneqs}) {
    all.insert(all.end(), some->begin(), some->end());
  }
  for (const Load& load : options_.forcelist) {
    const std::vector<Expression> elements = elements_of(vector_of(load));
    all.insert(all.end(), elements.begin(), elements.end());
  }
  multipliers_ = name_multipliers(mechanics_, velocity_.size(), all);
  a_ = jacobian(mechanics_, Matrix(velocity_), rates_);
  check_constraints();
  Graph& graph = mechanics_.graph();
  std::vector<std::pair<Expr, Expr>> at_rest;
  for (const Expression& e : accelerations_) at_rest.emplace_back(e.in(graph), graph.fraction(0));
  Substitution substitution(graph, at_rest);
  constraint_bias_ = Matrix(velocity_.size(), 1);
  for (std::size_t k = 0; k < velocity_.size(); ++k) {
    constraint_bias_[k] = mechanics_.wrap(substitution(mechanics_.rate(velocity_[k]).in(graph)));
  }
}

// A multiplier is a force along a_k only if a_k contains no rates.
void LagrangesMethod::check_constraints() const {
  const auto check_free = [&](const std::vector<Expression>& constraints, const std::vector<Expression>& of,
                              const char* what) {
    const Matrix derivatives = jacobian(mechanics_, Matrix(constraints), of);
    for (std::size_t k = 0; k < derivatives.elements().size(); ++k) {
      if (mechanics_.identities().is_zero(derivatives[k].in(mechanics_.graph()))) continue;
      throw InputError(fmt::format("the {} constraint {} = 0 depends on {}", what,
                                   to_text(constraints[k / of.size()]), to_text(of[k % of.size()])));
    }
  };
  check_free(options_.hol_coneqs, rates_, "holonomic");
  check_free(options_.hol_coneqs, accelerations_, "holonomic");
  check_free(options_.nonhol_coneqs, accelerations_, "nonholonomic");
  check_linear(mechanics_, options_.nonhol_coneqs,
               jacobian(mechanics_, Matrix(options_.nonhol_coneqs), rates_), rates_,
               "nonholonomic constraint");
}

// Loads may contain accelerations, as those of added masses do, but only linearly.
void LagrangesMethod::check_load(const Load& load) const {
  const std::vector<Expression> elements = elements_of(vector_of(load));
  if (const auto beyond = find_above(mechanics_, elements, q_, 2)) {
    throw InputError(
        fmt::format("{} holds {}; allowed are coordinates, their rates and, linear, their second "
                    "rates",
                    describe(load), to_text(*beyond)));
  }
  if (!find_above(mechanics_, elements, q_, 1)) return;
  const Matrix slopes = jacobian(mechanics_, Matrix(elements), accelerations_);
  const Matrix curvatures = jacobian(mechanics_, Matrix(slopes.elements()), accelerations_);
  for (const Expression& e : curvatures.elements()) {
    if (mechanics_.identities().is_zero(e.in(mechanics_.graph()))) continue;
    throw InputError(fmt::format("{}, {}, is not linear in the second rates of coordinates", describe(load),
                                 vector_of(load).to_text()));
  }
}

// A velocity written with functions of time other than rates of coordinates, such as generalised speeds, does
// not show the motion of the load's point or frame with these: its position must give the same.
void LagrangesMethod::check_velocity(const Load& load, const Vector& velocity) const {
  std::optional<Expression> foreign;
  Graph& graph = mechanics_.graph();
  std::vector<Expr> nodes;
  for (const Expression& e : elements_of(velocity)) nodes.push_back(e.in(graph));
  for (const Expr symbol : graph.free_symbols(nodes)) {
    const Expression e = mechanics_.wrap(symbol);
    if (mechanics_.variables().is_variable(symbol) && !find_above(mechanics_, {e}, q_, -1)) foreign = e;
  }
  if (!foreign) return;
  const ReferenceFrame& frame = *options_.frame;
  for (std::size_t i = 0; i < q_.size(); ++i) {
    const auto by_place = velocity_by_place(load, frame, q_[i]);
    if (!by_place) return;
    for (const Expression& e : (*by_place - velocity.diff(rates_[i], frame)).to_matrix(frame)) {
      if (mechanics_.identities().is_zero(e.in(graph))) continue;
      throw InputError(
          fmt::format("{}: the velocity there in {}, {}, is written with {}, while the place "
                      "changes with {}; allowed are the rates of coordinates, {}",
                      describe(load), frame.name(), velocity.to_text(), to_text(*foreign), to_text(q_[i]),
                      to_text(rates_[i])));
    }
  }
}

Matrix LagrangesMethod::calc_generalised_forces() const {
  Matrix Q(q_.size(), 1);
  for (const Load& load : options_.forcelist) {
    check_load(load);
    const ReferenceFrame& frame = *options_.frame;
    const Vector v = velocity_of(load, frame);
    check_velocity(load, v);
    for (std::size_t i = 0; i < q_.size(); ++i) Q[i] += v.diff(rates_[i], frame).dot(vector_of(load));
  }
  return Q;
}

// Forms (1), sorted by q'': d/dt dL/dq' = (d2L/dq'dq') q'' + the rest at q'' = 0.
void LagrangesMethod::form_motion() {
  Graph& graph = mechanics_.graph();
  std::vector<Expr> symbols;
  for (const Expression& rate : rates_) symbols.push_back(rate.in(graph));
  for (const Expression& coordinate : q_) symbols.push_back(coordinate.in(graph));
  const std::size_t n = q_.size();
  const std::vector<Expr> gradient = calc_gradient(graph, lagrangian_.in(graph), symbols);
  Matrix momenta(n, 1);
  for (std::size_t i = 0; i < n; ++i) momenta[i] = mechanics_.wrap(gradient[i]);
  mass_matrix_ = jacobian(mechanics_, momenta, rates_);
  std::vector<std::pair<Expr, Expr>> at_rest;
  for (const Expression& e : accelerations_) at_rest.emplace_back(e.in(graph), graph.fraction(0));
  Substitution substitution(graph, at_rest);
  const Matrix Q = calc_generalised_forces();
  if (find_above(mechanics_, Q.elements(), q_, 1)) {
    mass_matrix_ = mass_matrix_ - jacobian(mechanics_, Q, accelerations_);
  }
  forcing_ = Q;
  for (std::size_t i = 0; i < n; ++i) {
    const Expression rate = mechanics_.wrap(substitution(mechanics_.rate(momenta[i]).in(graph)));
    forcing_[i] = mechanics_.wrap(substitution(Q[i].in(graph))) + mechanics_.wrap(gradient[n + i]) - rate;
  }
}

Matrix LagrangesMethod::equations() const {
  return mass_matrix_ * Matrix(accelerations_) - forcing_ + a_.transpose() * Matrix(multipliers_);
}

Matrix LagrangesMethod::augmented_mass_matrix() const {
  const std::size_t n = q_.size(), m = multipliers_.size();
  Matrix augmented(n + m, n + m);
  augmented.set_block(0, 0, mass_matrix_);
  if (m > 0) augmented.set_block(0, n, -a_.transpose());
  if (m > 0) augmented.set_block(n, 0, a_);
  return augmented;
}

Matrix LagrangesMethod::augmented_forcing() const {
  Matrix augmented(q_.size() + multipliers_.size(), 1);
  augmented.set_block(0, 0, forcing_);
  augmented.set_block(q_.size(), 0, -constraint_bias_);
  return augmented;
}

Matrix LagrangesMethod::mass_matrix_full() const {
  const std::size_t n = q_.size(), size = 2 * n + multipliers_.size();
  Matrix full(size, size);
  for (std::size_t i = 0; i < n; ++i) full(i, i) = 1;
  full.set_block(n, n, augmented_mass_matrix());
  return full;
}

Matrix LagrangesMethod::forcing_full() const {
  const std::size_t n = q_.size();
  Matrix full(2 * n + multipliers_.size(), 1);
  full.set_block(0, 0, Matrix(rates_));
  full.set_block(n, 0, augmented_forcing());
  return full;
}

LagrangesMethod::Solution LagrangesMethod::solve() const {
  const std::size_t n = q_.size();
  std::vector<Expression> unknowns = accelerations_;
  unknowns.insert(unknowns.end(), multipliers_.begin(), multipliers_.end());
  const Matrix solution = solve_linear(
      mechanics_, augmented_mass_matrix(), augmented_forcing(),
      {"the equations of motion", unknowns,
       "some mass or inertia must move with every coordinate, and no constraint may follow from others"});
  Solution result{Matrix(2 * n, 1), -solution.block(n, 0, multipliers_.size(), 1)};
  for (std::size_t i = 0; i < n; ++i) {
    result.rhs[i] = rates_[i];
    result.rhs[n + i] = solution[i];
  }
  return result;
}

}  // namespace sestina::symbolic
