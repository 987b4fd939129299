#include "sestina/dynamics/input_tangent.h"

#include <algorithm>

#include "sestina/dynamics/parameter_derivatives.h"

namespace sestina {
namespace {

using Eigen::VectorXd;

void copy(const std::vector<double>& from, std::vector<Dual>& to) { to.assign(from.begin(), from.end()); }

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
  told_ = {VectorXd::Zero(model.nu()), VectorXd::Zero(rows), VectorXd::Zero(rows), VectorXd::Zero(rows),
           VectorXd::Zero(model.nx())};
}

// Takes the derivatives of the conditions, and adds their forces to forces_.
void InputTangents::add_constraints(const Properties<Dual>& properties, std::span<const double> lambda) {
  update_constraint_rows(model_, properties, state_, kinematics_, rows_);
  // For accelerations alone; the rest follows when the forces are complete.
  update_inverse_dynamics<Dual>(model_, properties, kinematics_, forces_, udot_, inverse_);
  for (std::size_t i = 0; i < lambda.size(); ++i) {
    const ConstraintRow<Dual>& row = rows_.rows[i];
    const Dual a = row.bias + calc_rate<Dual>(rows_, row, inverse_.acceleration, udot_);
    lambda_[i] = row.is_inertia ? -a : Dual(lambda[i]);
    if (row.is_inertia) continue;
    const auto k = static_cast<Eigen::Index>(i);
    told_.g_p[k] = row.is_on_position ? row.error.d : 0.0;
    told_.v_p[k] = row.velocity.d;
    told_.a_p[k] = a.d;
  }
  add_constraint_forces<Dual>(rows_, lambda_, forces_.tau, forces_.body);
}

const InputTangent& InputTangents::calc(std::size_t k, const State<double>& state,
                                        std::span<const double> udot, std::span<const double> lambda) {
  const Properties<Dual>& properties = by_parameter_[k];
  state_.t = state.t;
  copy(state.q, state_.q);
  copy(state.u, state_.u);
  copy(state.x, state_.x);
  copy(state.d, state_.d);
  copy(state.h, state_.h);
  udot_.assign(udot.begin(), udot.end());
  update_kinematics(model_, properties, state_, kinematics_);
  update_applied_forces(model_, properties, state_, kinematics_, forces_);
  if (!lambda.empty()) add_constraints(properties, lambda);
  update_inverse_dynamics<Dual>(model_, properties, kinematics_, forces_, udot_, inverse_);
  std::ranges::transform(inverse_.residual, told_.r_p.begin(), &Dual::d);
  std::ranges::transform(forces_.rates, told_.rate_p.begin(), &Dual::d);
  return told_;
}

InputTangent calc_input_tangent(const Model& model, const Properties<double>& properties,
                                const State<double>& state, std::span<const double> udot,
                                const Eigen::VectorXd& lambda, std::string_view parameter) {
  const int place[] = {find_parameter(model, parameter)};
  const std::span<const double> multipliers(lambda.data(), static_cast<std::size_t>(lambda.size()));
  return InputTangents(model, properties, place).calc(0, state, udot, multipliers);
}

}  // namespace sestina
