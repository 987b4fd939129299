#include "sestina/simulation/symbolic_equations.h"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "sestina/base/error.h"
#include "sestina/expression/time_switch_finder.h"

namespace sestina::symbolic {
namespace {

std::vector<Expression> join(std::initializer_list<const Matrix*> matrices) {
  std::vector<Expression> all;
  for (const Matrix* matrix : matrices) {
    all.insert(all.end(), matrix->elements().begin(), matrix->elements().end());
  }
  return all;
}

// True if any of the symbols occurs.
bool has(Mechanics& mechanics, const std::vector<Expression>& elements,
         const std::vector<Expression>& symbols) {
  Graph& graph = mechanics.graph();
  std::vector<Expr> exprs;
  for (const Expression& e : elements) exprs.push_back(e.in(graph));
  const std::vector<Expr> found = graph.free_symbols(exprs);
  return std::any_of(symbols.begin(), symbols.end(), [&](const Expression& e) {
    return std::find(found.begin(), found.end(), e.in(graph)) != found.end();
  });
}

double largest_of(std::span<const double> values) {
  double largest = 0.0;
  for (const double value : values) {
    if (!(std::abs(value) <= largest)) largest = std::abs(value);  // also if it is not a number
  }
  return largest;
}

// A row whose norm is below this fraction of the largest row is zero up to rounding.
constexpr double kNegligibleRow = 1e-13;

// A row counts as dependent on the others below this fraction of its norm.
constexpr double kRankOfEquations = 1e-10;

// Factors the transpose of the rows, scaled to length one.
Eigen::ColPivHouseholderQR<Eigen::MatrixXd> factorize_rows(std::span<const double> matrix, std::size_t rows,
                                                           std::size_t columns) {
  Eigen::MatrixXd transposed = Eigen::Map<const Eigen::MatrixXd>(
      matrix.data(), static_cast<Eigen::Index>(columns), static_cast<Eigen::Index>(rows));
  const double round_off = kNegligibleRow * transposed.colwise().norm().maxCoeff();
  for (auto row : transposed.colwise()) {
    const double norm = row.norm();
    if (norm > round_off) {
      row /= norm;
    } else {
      row.setZero();
    }
  }
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr;
  qr.setThreshold(kRankOfEquations);
  qr.compute(transposed);
  return qr;
}

// Returns the places of independent rows, as many as the rank, in order.
std::vector<std::size_t> independent_rows(std::span<const double> matrix, std::size_t rows,
                                          std::size_t columns) {
  const auto qr = factorize_rows(matrix, rows, columns);
  std::vector<std::size_t> kept;
  for (Eigen::Index k = 0; k < qr.rank(); ++k) {
    kept.push_back(static_cast<std::size_t>(qr.colsPermutation().indices()[k]));
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

}  // namespace

SymbolicEquations::SymbolicEquations(const MotionEquations& motion, const ParameterValues& parameters,
                                     const std::vector<Expression>& invariants, const InputFunctions& inputs,
                                     const std::vector<Expression>& events)
    : n_q_(motion.q.size()),
      n_u_(motion.u.size()),
      n_c_(motion.c.elements().size() + invariants.size()),
      n_given_c_(motion.c.elements().size()),
      inputs_(inputs) {
  for (const Expression& e : motion.q) q_names_.push_back(to_text(e));
  for (const Expression& e : motion.u) u_names_.push_back(to_text(e));
  for (const auto& [input, function] : inputs_) input_names_.push_back(to_text(input));
  for (std::size_t k = 0; k < motion.a.rows(); ++k) kept_.push_back(k);
  for (std::size_t k = 0; k < n_c_; ++k) kept_c_.push_back(k);
  is_plain_ = motion.q.size() == motion.u.size() && kept_.empty() && n_c_ == 0;
  for (std::size_t i = 0; is_plain_ && i < n_q_; ++i) is_plain_ = motion.G[i] == motion.u[i];
  compile(motion, parameters, invariants);
  find_switches(motion, parameters, events);
  variables_.assign(1 + n_q_ + n_u_, 0.0);
  force_variables_.assign(1 + n_q_ + n_u_ + inputs_.size(), 0.0);
  known_at_.assign(1 + n_q_ + (has_speeds_ ? n_u_ : 0), 0.0);
  motion_solver_.resize(n_u_ + kept_.size());
  solution_.assign(n_u_ + kept_.size(), 0.0);
  multipliers_.assign(kept_.size(), 0.0);
  correction_solver_.resize(n_c_);
  correction_.assign(n_c_, 0.0);
  corrected_.assign(n_q_, 0.0);
  before_.assign(n_q_, 0.0);
}

void SymbolicEquations::compile(const MotionEquations& motion, const ParameterValues& parameters,
                                const std::vector<Expression>& invariants) {
  Mechanics& mechanics = *motion.mechanics;
  std::vector<Expression> variables = {mechanics.time()};
  variables.insert(variables.end(), motion.q.begin(), motion.q.end());
  variables.insert(variables.end(), motion.u.begin(), motion.u.end());
  std::vector<Expression> vanishing = motion.c.elements();
  vanishing.insert(vanishing.end(), invariants.begin(), invariants.end());
  const Matrix c(vanishing);
  const Matrix J = n_c_ > 0 ? jacobian(mechanics, c, motion.q) : Matrix();
  std::vector<Expression> with_inputs = variables;
  for (const auto& [input, function] : inputs_) with_inputs.push_back(input);
  const auto compiled = [&](std::initializer_list<const Matrix*> matrices, const char* what) {
    return CompiledExpressions(mechanics, join(matrices), variables, parameters, what);
  };
  rates_ = compiled({&motion.G}, "the kinematic equations");
  matrices_ = compiled({&motion.M, &motion.a, &motion.b}, "the mass matrix and the velocity constraints");
  forces_ = {mechanics, join({&motion.f, &motion.d}), with_inputs, parameters, "the forces"};
  // For constant coordinates only explicit time changes c.
  Replacements at_rest;
  for (const Expression& q : motion.q) at_rest.emplace_back(mechanics.rate(q), 0);
  Matrix c_t = c;
  for (std::size_t k = 0; k < n_c_; ++k) c_t[k] = mechanics.rate(c[k]);
  c_t = substitute(mechanics, c_t, at_rest);
  configuration_ = compiled({&c, &J, &c_t}, "the configuration constraints");
  has_clock_ = has(mechanics, join({&motion.G, &motion.M, &motion.a, &motion.b, &c}), {mechanics.time()});
  has_speeds_ = has(mechanics, join({&motion.M, &motion.a, &motion.b}), motion.u);
}

void SymbolicEquations::find_switches(const MotionEquations& motion, const ParameterValues& parameters,
                                      const std::vector<Expression>& events) {
  Graph& graph = motion.mechanics->graph();
  std::vector<Expr> exprs, zeros, constants;
  std::vector<double> values;
  const auto nodes = [&](const std::vector<Expression>& of, std::vector<Expr>& to) {
    for (const Expression& e : of) to.push_back(e.in(graph));
  };
  nodes(join({&motion.G, &motion.M, &motion.a, &motion.b, &motion.f, &motion.d, &motion.c}), exprs);
  nodes(events, zeros);
  for (const auto& [symbol, value] : parameters) {
    constants.push_back(symbol.in(graph));
    values.push_back(value);
  }
  const Expr time = motion.mechanics->time().in(graph);
  TimeConditions found = find_time_conditions(graph, time, constants, exprs, zeros);
  exprs.insert(exprs.end(), zeros.begin(), zeros.end());
  const std::vector<Expr> symbols = graph.free_symbols(exprs);
  depends_on_time_ = !inputs_.empty() || std::find(symbols.begin(), symbols.end(), time) != symbols.end();
  if (!found.conditions.empty()) {
    switches_ =
        std::make_unique<TimeSwitchFinder>(std::make_shared<const TimeConditions>(std::move(found)), values);
  }
  std::vector<double> knots;
  for (const auto& [input, function] : inputs_) {
    knots.insert(knots.end(), function.knots.begin(), function.knots.end());
  }
  if (!knots.empty()) switches_ = std::make_unique<InputKnots>(std::move(knots), std::move(switches_));
}

std::string SymbolicEquations::name_of_q(int i) const {
  const auto k = static_cast<std::size_t>(i);
  return k < n_q_ ? q_names_[k] : "t";
}
std::string SymbolicEquations::name_of_u(int i) const { return u_names_[static_cast<std::size_t>(i)]; }

void SymbolicEquations::set_coordinates(double t, std::span<const double> q) {
  variables_[0] = has_clock_ ? q[n_q_] : t;
  std::copy_n(q.begin(), n_q_, variables_.begin() + 1);
}

// Updates M, a, b at the coordinates (and speeds, if these occur), and the factors of (1): an evaluation of
// the rates and one of the accelerations follow each other at the same place.
void SymbolicEquations::update_matrices() {
  const std::size_t from = has_clock_ ? 0 : 1;
  const bool is_known = std::equal(known_at_.begin() + static_cast<std::ptrdiff_t>(from), known_at_.end(),
                                   variables_.begin() + static_cast<std::ptrdiff_t>(from));
  if (is_factorized_ && is_known) return;
  const std::span<const double> values = matrices_(variables_);
  const std::size_t m = multipliers_.size();
  M_ = values.first(n_u_ * n_u_);
  a_ = values.subspan(n_u_ * n_u_, m * n_u_);
  b_ = values.subspan((n_u_ + m) * n_u_);
  std::copy_n(variables_.begin(), known_at_.size(), known_at_.begin());
  is_factorized_ = false;
  DenseSolver& A = motion_solver_;
  for (std::size_t i = 0; i < n_u_; ++i) {
    for (std::size_t j = 0; j < n_u_; ++j) A(i, j) = M_[i * n_u_ + j];
  }
  for (std::size_t k = 0; k < kept_.size(); ++k) {
    for (std::size_t j = 0; j < n_u_; ++j) {
      A(n_u_ + k, j) = a_[kept_[k] * n_u_ + j];
      A(j, n_u_ + k) = -A(n_u_ + k, j);
    }
    for (std::size_t l = 0; l < kept_.size(); ++l) A(n_u_ + k, n_u_ + l) = 0.0;
  }
  if (const int singular = A.factorize(); singular >= 0) {
    const auto i = static_cast<std::size_t>(singular);
    throw ComputationError(variables_[0],
                           i < n_u_ ? fmt::format("the equations of motion do not determine {}'", u_names_[i])
                                    : fmt::format("the velocity constraint {} follows from the others here",
                                                  kept_[i - n_u_] + 1));
  }
  is_factorized_ = true;
}

void SymbolicEquations::set_state(double t, std::span<const double> q, std::span<const double> u) {
  set_coordinates(t, q);
  const std::span<double> speeds = std::span(variables_).subspan(1 + n_q_);
  std::ranges::copy(u, speeds.begin());
  if (kept_.empty()) return;
  update_matrices();
  std::fill_n(solution_.begin(), n_u_, 0.0);
  for (std::size_t k = 0; k < kept_.size(); ++k) {
    double residual = b_[kept_[k]];
    for (std::size_t j = 0; j < n_u_; ++j) residual += a_[kept_[k] * n_u_ + j] * u[j];
    solution_[n_u_ + k] = -residual;
  }
  motion_solver_.solve(solution_);  // (2)
  for (std::size_t j = 0; j < n_u_; ++j) speeds[j] += solution_[j];
}

void SymbolicEquations::calc_q_dot(std::span<const double> q, std::span<const double> u,
                                   std::span<double> qdot) {
  set_state(variables_[0], q, u);
  std::ranges::copy(rates_(variables_), qdot.begin());
  if (has_clock_) qdot[n_q_] = 1.0;
}

void SymbolicEquations::calc_derivatives(const State<double>& state, const StateRates& rates) {
  std::ranges::copy(calc_motion(state.t, state.q, state.u).udot, rates.udot.begin());
}

void SymbolicEquations::calc_velocity_jump(const State<double>& state, std::span<const double> impulse,
                                           std::span<double> du) {
  set_state(state.t, state.q, state.u);
  update_matrices();
  std::ranges::fill(solution_, 0.0);
  std::ranges::copy(impulse, solution_.begin());
  motion_solver_.solve(solution_);
  std::copy_n(solution_.begin(), n_u_, du.begin());
}

void SymbolicEquations::update_force_variables(double t) {
  const std::span<const double> all = variables_, q = all.subspan(1, n_q_), u = all.subspan(1 + n_q_);
  auto next = std::ranges::copy(all, force_variables_.begin()).out;
  for (std::size_t k = 0; k < inputs_.size(); ++k) {
    const double value = inputs_[k].second.value(t, q, u);
    if (!std::isfinite(value)) {
      throw ComputationError(t, fmt::format("the input {} becomes {}", input_names_[k], value));
    }
    *next++ = value;
  }
}

SymbolicEquations::Motion SymbolicEquations::calc_motion(double t, std::span<const double> q,
                                                         std::span<const double> u) {
  set_state(t, q, u);
  update_matrices();
  update_force_variables(t);
  force_variables_[0] = t;  // on the side of a jump given by t; the clock has rounding errors
  const std::span<const double> values = forces_(force_variables_);
  std::copy_n(values.begin(), n_u_, solution_.begin());
  for (std::size_t k = 0; k < kept_.size(); ++k) solution_[n_u_ + k] = -values[n_u_ + kept_[k]];
  motion_solver_.solve(solution_);  // (1)
  for (std::size_t k = 0; k < kept_.size(); ++k) multipliers_[kept_[k]] = solution_[n_u_ + k];
  return {force_variables_, std::span(solution_).first(n_u_), multipliers_};
}

void SymbolicEquations::project_speeds(double t, std::span<const double> q, std::span<double> u) {
  set_state(t, q, u);
  std::copy_n(variables_.begin() + static_cast<std::ptrdiff_t>(1 + n_q_), n_u_, u.begin());
}

void SymbolicEquations::plus(std::span<const double> q, std::span<const double> displacement,
                             std::span<double> q_out) {
  assert(is_plain_);
  for (std::size_t i = 0; i < n_q_; ++i) q_out[i] = q[i] + displacement[i];
}

void SymbolicEquations::minus(std::span<const double> q_to, std::span<const double> q_from,
                              std::span<double> displacement) {
  assert(is_plain_);
  for (std::size_t i = 0; i < n_q_; ++i) displacement[i] = q_to[i] - q_from[i];
}

// (3): dq = -J^T (J J^T)^-1 c. Returns false if the inverse does not exist; then coordinates do not change.
bool SymbolicEquations::calc_correction() {
  const std::span<const double> values = configuration_(variables_);
  const std::span<const double> J = values.subspan(n_c_);
  const std::size_t m = kept_c_.size();
  for (std::size_t k = 0; k < m; ++k) {
    for (std::size_t l = 0; l < m; ++l) {
      double product = 0.0;
      for (std::size_t i = 0; i < n_q_; ++i) product += J[kept_c_[k] * n_q_ + i] * J[kept_c_[l] * n_q_ + i];
      correction_solver_(k, l) = product;
    }
    correction_[k] = -values[kept_c_[k]];
  }
  if (correction_solver_.factorize() >= 0) return false;
  correction_solver_.solve(correction_);
  for (std::size_t k = 0; k < m; ++k) {
    for (std::size_t i = 0; i < n_q_; ++i) variables_[1 + i] += J[kept_c_[k] * n_q_ + i] * correction_[k];
  }
  return true;
}

SymbolicEquations::Deviation SymbolicEquations::calc_deviation() {
  const std::span<const double> values = configuration_(variables_);
  Deviation deviation;
  for (std::size_t k = 0; k < n_c_; ++k) {
    const double c = std::abs(values[k]);
    const double part = c / (1.0 + largest_of(values.subspan(n_c_ + k * n_q_, n_q_)));
    if (!(c <= deviation.largest)) deviation.largest = c;  // also if it is not a number
    if (!(part <= deviation.part)) deviation.part = part, deviation.worst = k;
  }
  return deviation;
}

// Makes one correction (3), shortened from far away until the residual decreases. False if it does not.
bool SymbolicEquations::correct(Deviation& deviation) {
  const std::span<double> q = std::span(variables_).subspan(1, n_q_);
  std::ranges::copy(q, before_.begin());
  if (!calc_correction()) return false;
  std::ranges::copy(q, corrected_.begin());
  const int halvings = deviation.part > kNear ? kMostHalvings : 0;
  double part = 1.0;
  for (int k = 0; k <= halvings; ++k, part /= 2.0) {
    for (std::size_t i = 0; k > 0 && i < n_q_; ++i) q[i] = before_[i] + part * (corrected_[i] - before_[i]);
    const Deviation left = calc_deviation();
    if (left.largest < deviation.largest) {
      deviation = left;
      return true;
    }
  }
  return false;  // nearby; the rest is round-off
}

void SymbolicEquations::normalize(std::span<double> q) {
  if (n_c_ == 0) return;
  set_coordinates(variables_[0], q);
  Deviation deviation = calc_deviation();
  if (deviation.largest > drift_) drift_ = deviation.largest;
  for (int k = 0; k < kMostCorrections && deviation.largest > 0.0 && std::isfinite(deviation.largest); ++k) {
    if (!correct(deviation)) return;
    std::copy_n(variables_.begin() + 1, n_q_, q.begin());
  }
}

void SymbolicEquations::normalize(double t, std::span<double> q) {
  variables_[0] = t;
  normalize(q);
}

std::string SymbolicEquations::name_of_condition(std::size_t k) const {
  return k < n_given_c_ ? fmt::format("configuration constraint {}", k + 1)
                        : fmt::format("invariant {}", k - n_given_c_ + 1);
}

std::string SymbolicEquations::find_violated(double t, std::span<const double> q, std::span<const double> u,
                                             double within) {
  set_coordinates(t, q);
  std::ranges::copy(u, variables_.begin() + static_cast<std::ptrdiff_t>(1 + n_q_));
  if (n_c_ > 0) {
    const Deviation deviation = calc_deviation();
    if (!(deviation.part <= within)) {
      return fmt::format("{} stays at {:.6g}", name_of_condition(deviation.worst),
                         configuration_(variables_)[deviation.worst]);
    }
  }
  std::string violated = find_violated_velocity(u, within);
  if (!violated.empty() || n_c_ == 0) return violated;
  set_state(t, q, u);
  const std::span<const double> qdot = rates_(variables_), values = configuration_(variables_);
  for (std::size_t k = 0; k < n_c_; ++k) {
    double rate = values[n_c_ * (1 + n_q_) + k], terms = 1.0 + std::abs(rate);  // (4)
    for (std::size_t i = 0; i < n_q_; ++i) {
      const double term = values[n_c_ + k * n_q_ + i] * qdot[i];
      rate += term;
      terms += std::abs(term);
    }
    if (!(std::abs(rate) <= within * terms)) return describe_moving(k, rate, within * terms);
  }
  return "";
}

std::string SymbolicEquations::find_violated_velocity(std::span<const double> u, double within) {
  const std::size_t m = multipliers_.size();
  if (kept_.size() == m) return "";
  const std::span<const double> values = matrices_(variables_);
  is_factorized_ = false;
  for (std::size_t k = 0; k < m; ++k) {
    double residual = values[(n_u_ + m) * n_u_ + k], terms = 1.0 + std::abs(residual);
    for (std::size_t j = 0; j < n_u_; ++j) {
      const double term = values[(n_u_ + k) * n_u_ + j] * u[j];
      residual += term;
      terms += std::abs(term);
    }
    if (!(std::abs(residual) <= within * terms)) {
      return fmt::format("velocity constraint {} stays at {:.6g}", k + 1, residual);
    }
  }
  return "";
}

std::string SymbolicEquations::describe_moving(std::size_t k, double rate, double allowed) const {
  return fmt::format(
      "{} does not last: for speeds that satisfy the velocity constraints its rate is {:.6g}, "
      "allowed are {:.3g}",
      name_of_condition(k), rate, allowed);
}

std::string SymbolicEquations::find_contradicted(double t, std::span<const double> q, double within) {
  const std::size_t m = multipliers_.size();
  if (n_given_c_ == 0 || m < n_given_c_) return "";
  set_coordinates(t, q);
  const std::span<double> u = std::span(variables_).subspan(1 + n_q_);
  std::ranges::fill(u, 0.0);
  using Map = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
  const auto rows = [](std::size_t n) { return static_cast<Eigen::Index>(n); };
  const Eigen::MatrixXd J = Map(configuration_(variables_).data() + n_c_, rows(n_given_c_), rows(n_q_));
  // q' is linear in the speeds.
  const auto qdot = [&] { return Eigen::VectorXd(Map(rates_(variables_).data(), rows(n_q_), 1)); };
  const Eigen::VectorXd at_rest = qdot();
  Eigen::MatrixXd D(n_q_, n_u_);
  for (std::size_t j = 0; j < n_u_; ++j) {
    u[j] = 1.0;
    D.col(rows(j)) = qdot() - at_rest;
    u[j] = 0.0;
  }
  const auto qr = factorize_rows(matrices_(variables_).subspan(n_u_ * n_u_, m * n_u_), m, n_u_);
  is_factorized_ = false;
  const Eigen::MatrixXd Q = qr.householderQ() * Eigen::MatrixXd::Identity(rows(n_u_), qr.rank());
  const Eigen::MatrixXd by_speeds = (J * D).transpose();
  // The remainder is along speeds that satisfy the velocity constraints.
  const Eigen::MatrixXd left = by_speeds - Q * (Q.transpose() * by_speeds);
  const Eigen::MatrixXd terms = (J.cwiseAbs() * D.cwiseAbs()).transpose();
  for (std::size_t k = 0; k < n_given_c_; ++k) {
    const double rate = left.col(rows(k)).norm(), allowed = within * (1.0 + terms.col(rows(k)).norm());
    if (!(rate <= allowed)) return describe_moving(k, rate, allowed);
  }
  return "";
}

void SymbolicEquations::project(State<double>& state, Projection) {
  normalize(state.q);
  if (!kept_.empty()) project_speeds(state.t, state.q, state.u);
}

double SymbolicEquations::configuration_residual(double t, std::span<const double> q) {
  set_coordinates(t, q);
  return largest_of(configuration_(variables_).first(n_c_));
}

double SymbolicEquations::velocity_residual(double t, std::span<const double> q, std::span<const double> u) {
  set_coordinates(t, q);
  const std::span<const double> values = matrices_(variables_);
  is_factorized_ = false;
  const std::size_t m = multipliers_.size();
  double largest = 0.0;
  for (std::size_t k = 0; k < m; ++k) {
    double residual = values[(n_u_ + m) * n_u_ + k];
    for (std::size_t j = 0; j < n_u_; ++j) residual += values[(n_u_ + k) * n_u_ + j] * u[j];
    largest = std::max(largest, std::abs(residual));
  }
  return largest;
}

double SymbolicEquations::take_drift() { return std::exchange(drift_, 0.0); }

std::vector<std::size_t> SymbolicEquations::drop_redundant(double t, std::span<const double> q) {
  set_coordinates(t, q);
  is_factorized_ = false;
  if (n_c_ > 0) kept_c_ = independent_rows(configuration_(variables_).subspan(n_c_), n_c_, n_q_);
  correction_solver_.resize(kept_c_.size());
  correction_.assign(kept_c_.size(), 0.0);
  const std::size_t m = multipliers_.size();
  if (m > 0) kept_ = independent_rows(matrices_(variables_).subspan(n_u_ * n_u_, m * n_u_), m, n_u_);
  motion_solver_.resize(n_u_ + kept_.size());
  solution_.assign(n_u_ + kept_.size(), 0.0);
  std::ranges::fill(multipliers_, 0.0);
  std::vector<std::size_t> dropped;
  for (std::size_t k = 0; k < m; ++k) {
    if (std::find(kept_.begin(), kept_.end(), k) == kept_.end()) dropped.push_back(k);
  }
  return dropped;
}

}  // namespace sestina::symbolic
