#include "sestina/derivation/model_equations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sestina/base/error.h"
#include "sestina/derivation/model_layout.h"
#include "sestina/expression/compiled_function.h"

namespace sestina {

using symbolic::Matrix;

ModelEquations::ModelEquations(const Model& model, DerivationMethod method)
    : method_(method), mechanics_(std::make_unique<symbolic::Mechanics>()) {
  model.refuse_contacts("derive");
  ModelLayout layout(model, *mechanics_);
  symbolic::KaneOptions options;
  options.q_ind = layout.q;
  options.u_ind = layout.u;
  options.kd_eqs = layout.kinematic_equations;
  kane_ = std::make_unique<symbolic::KanesMethod>(layout.inertial(), options, layout.bodies, layout.loads);
  const Matrix joint_forces(layout.joint_forces);
  active_forces_ = kane_->fr() + joint_forces;
  coordinate_rates_ = kane_->calc_coordinate_rates();
  q_ = layout.q;
  u_ = layout.u;
  parameters_ = layout.parameters;
  conditions_ = layout.conditions;
  find_norms(model);
  derive_conditions();
  if (method == DerivationMethod::kLagrange) {
    derive_by_lagrange(model, Matrix(layout.armatures), layout.inertial(), layout.bodies);
    return;
  }
  mass_matrix_ = kane_->mass_matrix();
  for (std::size_t i = 0; i < u_.size(); ++i) {
    if (!layout.armatures[i].is_zero()) mass_matrix_(i, i) += layout.armatures[i];
  }
  forcing_ = kane_->forcing() + joint_forces;
}

void ModelEquations::find_norms(const Model& model) {
  for (const BodyInfo& body : model.bodies()) {
    if (body.nq == body.nu) continue;
    Expression norm = -1;
    for (int i = body.nq - 4; i < body.nq; ++i) {
      norm += pow(q_[static_cast<std::size_t>(body.q_start + i)], 2);
    }
    norms_.push_back(norm);
  }
}

void ModelEquations::derive_conditions() {
  symbolic::Replacements to_speeds, at_rest, without_rates;
  for (std::size_t i = 0; i < q_.size(); ++i) {
    to_speeds.emplace_back(mechanics_->rate(q_[i]), coordinate_rates_[i]);
  }
  for (const Expression& u : u_) {
    at_rest.emplace_back(u, Expression(0));
    without_rates.emplace_back(mechanics_->rate(u), Expression(0));
  }
  std::vector<Expression> velocities;
  for (const SymbolicCondition& condition : conditions_) {
    velocities.push_back(condition.is_on_position ? mechanics_->rate(condition.zero) : condition.zero);
  }
  const Matrix velocity = substitute(*mechanics_, Matrix(velocities), to_speeds);
  condition_matrix_ = jacobian(*mechanics_, velocity, u_);
  check_linear(*mechanics_, velocity.elements(), condition_matrix_, u_, "condition on speeds");
  condition_rest_ = substitute(*mechanics_, velocity, at_rest);
  std::vector<Expression> rates;
  for (const Expression& v : velocity.elements()) rates.push_back(mechanics_->rate(v));
  condition_bias_ = substitute(*mechanics_, substitute(*mechanics_, Matrix(rates), to_speeds), without_rates);
  multipliers_ = name_multipliers(*mechanics_, conditions_.size(), velocity.elements());
}

// Numbers of C at a state, row by row.
std::vector<double> ModelEquations::evaluate_conditions(const State<double>& state,
                                                        std::span<const double> parameters) const {
  Graph& graph = mechanics_->graph();
  std::vector<Expr> outputs, variables = {mechanics_->time().in(graph)}, constants;
  for (const Expression& e : condition_matrix_.elements()) outputs.push_back(e.in(graph));
  for (const auto* symbols : {&q_, &u_}) {
    for (const Expression& e : *symbols) variables.push_back(e.in(graph));
  }
  for (const Expression& e : parameters_) constants.push_back(e.in(graph));
  const CompiledFunction function(graph, outputs, variables, constants);
  std::vector<double> inputs = {state.t}, values(outputs.size()), scratch(function.scratch_size());
  inputs.insert(inputs.end(), state.q.begin(), state.q.end());
  inputs.insert(inputs.end(), state.u.begin(), state.u.end());
  std::vector<double> given(parameters.begin(), parameters.end());
  given.insert(given.end(), state.d.begin(), state.d.end());
  function.evaluate(function.bind(given), inputs, values, scratch);
  return values;
}

EmbeddedEquations ModelEquations::embed(const State<double>& state,
                                        std::span<const double> parameters) const {
  constexpr double kRedundant = 1e-9;  // relative to the largest pivot
  const std::size_t rows = conditions_.size(), nu = u_.size();
  if (rows == 0) throw InputError("there are no loops and no constraints whose speeds could be embedded");
  std::vector<double> C = evaluate_conditions(state, parameters);
  EmbeddedEquations embedded;
  std::vector<bool> is_used(rows), is_dependent(nu);
  std::vector<std::size_t> pivot_rows;
  double largest = 0.0;
  for (std::size_t step = 0; step < std::min(rows, nu); ++step) {
    std::size_t row = rows, column = 0;
    double size = 0.0;
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < nu; ++j) {
        if (is_used[i] || is_dependent[j] || !(std::abs(C[i * nu + j]) > size)) continue;
        size = std::abs(C[i * nu + j]), row = i, column = j;
      }
    }
    largest = std::max(largest, size);
    if (row == rows || size <= kRedundant * largest) break;
    is_used[row] = is_dependent[column] = true;
    pivot_rows.push_back(row);
    for (std::size_t i = 0; i < rows; ++i) {
      if (is_used[i]) continue;
      const double factor = C[i * nu + column] / C[row * nu + column];
      for (std::size_t j = 0; j < nu; ++j) C[i * nu + j] -= factor * C[row * nu + j];
    }
  }
  for (std::size_t i = 0; i < rows; ++i) {
    if (!is_used[i]) embedded.redundant.push_back(i);
  }
  for (std::size_t j = 0; j < nu; ++j) {
    (is_dependent[j] ? embedded.dependent : embedded.independent).push_back(j);
  }
  std::ranges::sort(pivot_rows);
  embed(pivot_rows, embedded);
  return embedded;
}

// (2) with these conditions.
void ModelEquations::embed(const std::vector<std::size_t>& rows, EmbeddedEquations& embedded) const {
  const auto part = [](const Matrix& matrix, const std::vector<std::size_t>& of_rows,
                       const std::vector<std::size_t>& of_columns) {
    Matrix result(of_rows.size(), of_columns.size());
    for (std::size_t i = 0; i < of_rows.size(); ++i) {
      for (std::size_t j = 0; j < of_columns.size(); ++j) result(i, j) = matrix(of_rows[i], of_columns[j]);
    }
    return result;
  };
  const std::vector<std::size_t>&independent = embedded.independent, &dependent = embedded.dependent;
  std::vector<Expression> unknowns;
  for (const std::size_t j : dependent) unknowns.push_back(mechanics_->rate(u_[j]));
  Matrix right(rows.size(), independent.size() + 1);
  right.set_block(0, 0, -part(condition_matrix_, rows, independent));
  right.set_block(0, independent.size(), -part(condition_bias_, rows, {0}));
  const Matrix solved = solve_linear(*mechanics_, part(condition_matrix_, rows, dependent), right,
                                     {"the conditions", unknowns});
  const std::size_t n = independent.size(), d = dependent.size();
  embedded.A = solved.block(0, 0, d, n);
  embedded.s = solved.block(0, n, d, 1);
  const Matrix A_t = embedded.A.transpose();
  const Matrix M_id = part(mass_matrix_, independent, dependent),
               M_dd = part(mass_matrix_, dependent, dependent);
  const Matrix coupled = M_id + A_t * M_dd;
  embedded.mass_matrix =
      part(mass_matrix_, independent, independent) + A_t * M_id.transpose() + coupled * embedded.A;
  embedded.forcing =
      part(forcing_, independent, {0}) + A_t * part(forcing_, dependent, {0}) - coupled * embedded.s;
}

void ModelEquations::derive_by_lagrange(const Model& model, const Matrix& armatures,
                                        const symbolic::ReferenceFrame& inertial,
                                        const std::vector<symbolic::Body>& bodies) {
  for (const BodyInfo& body : model.bodies()) {
    if (body.nq == body.nu) continue;
    throw InputError(fmt::format(
        "Lagrange's equations need speeds that are the rates of the coordinates, which those of joint "
        "'{}' are not: derive them by Kane's method",
        body.joint_name));
  }
  symbolic::Replacements to_rates, to_speeds;
  Expression T = kinetic_energy(inertial, bodies);
  for (std::size_t i = 0; i < u_.size(); ++i) {
    T += armatures[i] * pow(u_[i], 2) / 2;
    to_rates.emplace_back(u_[i], mechanics_->rate(q_[i]));
    to_speeds.emplace_back(mechanics_->rate(q_[i]), u_[i]);
  }
  T = substitute(*mechanics_, Matrix({T}), to_rates)[0];
  const symbolic::LagrangesMethod lagrange(*mechanics_, T, q_);
  mass_matrix_ = substitute(*mechanics_, lagrange.mass_matrix(), to_speeds);
  forcing_ = substitute(*mechanics_, lagrange.forcing(), to_speeds) + active_forces_;
}

symbolic::MotionEquations ModelEquations::motion() const {
  symbolic::MotionEquations motion;
  motion.mechanics = mechanics_.get();
  motion.q = q_;
  motion.u = u_;
  motion.G = coordinate_rates_;
  motion.M = mass_matrix_;
  motion.f = forcing_;
  std::vector<Expression> on_positions = norms_;
  for (const SymbolicCondition& condition : conditions_) {
    if (condition.is_on_position) on_positions.push_back(condition.zero);
  }
  motion.c = Matrix(on_positions);
  if (!conditions_.empty()) {
    motion.multipliers = multipliers_;
    motion.a = condition_matrix_;
    motion.b = condition_rest_;
    motion.d = condition_bias_;
  }
  for (std::size_t i = 0; i < q_.size(); ++i) {
    motion.replacements.emplace_back(mechanics_->rate(q_[i]), coordinate_rates_[i]);
  }
  return motion;
}

Matrix ModelEquations::solve_accelerations() const {
  if (!conditions_.empty()) {
    throw InputError(
        fmt::format("{}: accelerations of a mechanism with loops or constraints are not solved for "
                    "with symbols; embed() leaves the independent ones",
                    conditions_.front().name));
  }
  std::vector<Expression> rates;
  for (const Expression& u : u_) rates.push_back(mechanics_->rate(u));
  return solve_symmetric(*mechanics_, mass_matrix_, forcing_, {"the equations of motion", rates});
}

ModelEquations::~ModelEquations() = default;
ModelEquations::ModelEquations(ModelEquations&&) noexcept = default;

}  // namespace sestina
