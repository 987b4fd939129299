#include "sestina/symbolic/lagrange.h"

#include <fmt/format.h>

#include "sestina/base/error.h"
#include "sestina/expression/jacobian.h"
#include "sestina/expression/substitution.h"
#include "sestina/symbolic/mechanics.h"

namespace sestina::symbolic {

LagrangesMethod::LagrangesMethod(Mechanics& mechanics, const Expression& lagrangian,
                                 std::vector<Expression> q, LagrangeOptions options)
    : mechanics_(mechanics), lagrangian_(lagrangian), q_(std::move(q)), options_(std::move(options)) {
  if (!options_.forcelist.empty() && !options_.frame) {
    throw InputError("loads need the frame in which the velocities of their points are measured");
  }
  for (const Expression& coordinate : q_) {
    rates_.push_back(mechanics_.rate(coordinate));
    accelerations_.push_back(mechanics_.rate(rates_.back()));
  }
  form_constraints();
  form_motion();
}

// (2), (3): the rates of both, differentiated once more.
void LagrangesMethod::form_constraints() {
  for (const Expression& constraint : options_.hol_coneqs) velocity_.push_back(mechanics_.rate(constraint));
  velocity_.insert(velocity_.end(), options_.nonhol_coneqs.begin(), options_.nonhol_coneqs.end());
  for (std::size_t k = 0; k < velocity_.size(); ++k) {
    multipliers_.push_back(mechanics_.dynamicsymbol(fmt::format("lam{}", k + 1)));
  }
  a_ = jacobian(mechanics_, Matrix(velocity_), rates_);
  Graph& graph = mechanics_.graph();
  std::vector<std::pair<Expr, Expr>> at_rest;
  for (const Expression& e : accelerations_) at_rest.emplace_back(e.in(graph), graph.fraction(0));
  Substitution substitution(graph, at_rest);
  constraint_bias_ = Matrix(velocity_.size(), 1);
  for (std::size_t k = 0; k < velocity_.size(); ++k) {
    constraint_bias_[k] = mechanics_.wrap(substitution(mechanics_.rate(velocity_[k]).in(graph)));
  }
}

Matrix LagrangesMethod::calc_generalised_forces() const {
  Matrix Q(q_.size(), 1);
  for (const Load& load : options_.forcelist) {
    const auto* force = std::get_if<Force>(&load);
    const ReferenceFrame& frame = *options_.frame;
    const Vector v = force ? force->point.vel(frame) : std::get<Torque>(load).frame.ang_vel_in(frame);
    const Vector& applied = force ? force->force : std::get<Torque>(load).torque;
    for (std::size_t i = 0; i < q_.size(); ++i) Q[i] += v.diff(rates_[i], frame).dot(applied);
  }
  return Q;
}

// (1), sorted by q'': d/dt dL/dq' = (d2L/dq'dq') q'' + what is left at q'' = 0.
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
  forcing_ = calc_generalised_forces();
  for (std::size_t i = 0; i < n; ++i) {
    const Expression rate = mechanics_.wrap(substitution(mechanics_.rate(momenta[i]).in(graph)));
    forcing_[i] += mechanics_.wrap(gradient[n + i]) - rate;
  }
}

Matrix LagrangesMethod::equations() const {
  return mass_matrix_ * Matrix(accelerations_) - forcing_ - a_.transpose() * Matrix(multipliers_);
}

Matrix LagrangesMethod::mass_matrix_full() const {
  const std::size_t n = q_.size(), m = multipliers_.size();
  Matrix full(n + m, n + m);
  full.set_block(0, 0, mass_matrix_);
  if (m > 0) full.set_block(0, n, -a_.transpose());
  if (m > 0) full.set_block(n, 0, a_);
  return full;
}

Matrix LagrangesMethod::forcing_full() const {
  Matrix full(q_.size() + multipliers_.size(), 1);
  full.set_block(0, 0, forcing_);
  full.set_block(q_.size(), 0, -constraint_bias_);
  return full;
}

LagrangesMethod::Solution LagrangesMethod::solve() const {
  const std::size_t n = q_.size();
  const Matrix solution =
      solve_linear(mechanics_, mass_matrix_full(), forcing_full(), "the equations of motion");
  Solution result{Matrix(2 * n, 1), solution.block(n, 0, multipliers_.size(), 1)};
  for (std::size_t i = 0; i < n; ++i) {
    result.rhs[i] = rates_[i];
    result.rhs[n + i] = solution[i];
  }
  return result;
}

}  // namespace sestina::symbolic
