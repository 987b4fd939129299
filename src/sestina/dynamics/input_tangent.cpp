#include "sestina/dynamics/input_tangent.h"

#include <algorithm>

#include "sestina/dynamics/parameter_derivatives.h"
#include "sestina/numerics/copy_state.h"

namespace sestina {
namespace {

using Eigen::VectorXd;

}  // namespace

InputTangents::InputTangents(const Model& model, const Properties<double>& properties,
                             std::span<const int> parameters)
    : model_(model),
      kinematics_(model),
      forces_(model),
      rows_(model),
      inverse_(model),
      lambda_(static_cast<std::size_t>(model.constraint_rows())) {
  std::vector<Dual> values(properties.parameters.begin(), properties.parameters.end());
  for (const int parameter : parameters) {
    Dual& moving = values[static_cast<std::size_t>(parameter)];
    moving.d = 1.0;
    by_parameter_.push_back(calc_properties<Dual>(model, values));
    moving.d = 0.0;
  }
  const Eigen::Index rows = model.constraint_rows();
  result_ = {VectorXd::Zero(model.nu()), VectorXd::Zero(rows), VectorXd::Zero(rows), VectorXd::Zero(rows),
             VectorXd::Zero(model.nx())};
}

// Sets state_, which does not depend on the parameter, and the motion of the bodies, which may.
void InputTangents::set_state(const Properties<Dual>& properties, const State<double>& state) {
  copy_state(state, state_);
  update_kinematics(model_, properties, state_, kinematics_);
}

// Computes g_p and v_p.
void InputTangents::update_rows(const Properties<Dual>& properties) {
  update_constraint_rows(model_, properties, state_, kinematics_, rows_);
  for (Eigen::Index i = 0; i < result_.g_p.size(); ++i) {
    const ConstraintRow<Dual>& row = rows_.rows[static_cast<std::size_t>(i)];
    if (row.is_inertia) continue;
    result_.g_p[i] = row.is_on_position ? row.error.d : 0.0;
    result_.v_p[i] = row.velocity.d;
  }
}

const InputTangent& InputTangents::calc_conditions(std::size_t k, const State<double>& state) {
  set_state(by_parameter_[k], state);
  if (!lambda_.empty()) update_rows(by_parameter_[k]);
  return result_;
}

// Adds the forces of the conditions to forces_.
void InputTangents::add_constraints(const Properties<Dual>& properties, std::span<const double> lambda) {
  update_rows(properties);
  if (std::ranges::any_of(rows_.rows, &ConstraintRow<Dual>::is_inertia)) {
    // Needed for the accelerations only; the rest is updated when the forces are complete.
    update_inverse_dynamics<Dual>(model_, properties, kinematics_, forces_, udot_, inverse_);
  }
  for (std::size_t i = 0; i < lambda.size(); ++i) {
    const ConstraintRow<Dual>& row = rows_.rows[i];
    lambda_[i] = lambda[i];
    if (row.is_inertia) {
      lambda_[i] = -(row.bias + calc_rate<Dual>(rows_, row, inverse_.acceleration, udot_));
    }
  }
  add_constraint_forces<Dual>(rows_, lambda_, forces_.tau, forces_.body);
}

const InputTangent& InputTangents::calc(std::size_t k, const State<double>& state,
                                        std::span<const double> udot, std::span<const double> lambda) {
  const Properties<Dual>& properties = by_parameter_[k];
  set_state(properties, state);
  udot_.assign(udot.begin(), udot.end());
  update_applied_forces(model_, properties, state_, kinematics_, forces_);
  if (!lambda.empty()) add_constraints(properties, lambda);
  update_inverse_dynamics<Dual>(model_, properties, kinematics_, forces_, udot_, inverse_);
  for (std::size_t i = 0; i < lambda.size(); ++i) {
    const ConstraintRow<Dual>& row = rows_.rows[i];
    if (row.is_inertia) continue;
    const Dual a = row.bias + calc_rate<Dual>(rows_, row, inverse_.acceleration, udot_);
    result_.a_p[static_cast<Eigen::Index>(i)] = a.d;
  }
  std::ranges::transform(inverse_.residual, result_.r_p.begin(), &Dual::d);
  std::ranges::transform(forces_.rates, result_.rate_p.begin(), &Dual::d);
  return result_;
}

InputTangent calc_input_tangent(const Model& model, const Properties<double>& properties,
                                const State<double>& state, std::span<const double> udot,
                                const Eigen::VectorXd& lambda, std::string_view parameter) {
  const int place[] = {find_parameter(model, parameter)};
  const std::span<const double> multipliers(lambda.data(), static_cast<std::size_t>(lambda.size()));
  return InputTangents(model, properties, place).calc(0, state, udot, multipliers);
}

}  // namespace sestina
