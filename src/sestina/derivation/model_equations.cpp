#include "sestina/derivation/model_equations.h"

#include "sestina/derivation/model_layout.h"

namespace sestina {

ModelEquations::ModelEquations(const Model& model) : mechanics_(std::make_unique<symbolic::Mechanics>()) {
  ModelLayout layout(model, *mechanics_);
  symbolic::KaneOptions options;
  options.q_ind = layout.q;
  options.u_ind = layout.u;
  options.kd_eqs = layout.kinematic_equations;
  kane_ = std::make_unique<symbolic::KanesMethod>(layout.inertial(), options, layout.bodies, layout.loads);
  const symbolic::Matrix joint_forces(layout.joint_forces);
  mass_matrix_ = kane_->mass_matrix();
  for (std::size_t i = 0; i < layout.u.size(); ++i) {
    if (!layout.armatures[i].is_zero()) mass_matrix_(i, i) += layout.armatures[i];
  }
  active_forces_ = kane_->fr() + joint_forces;
  forcing_ = kane_->forcing() + joint_forces;
  coordinate_rates_ = kane_->calc_coordinate_rates();
  q_ = std::move(layout.q);
  u_ = std::move(layout.u);
  parameters_ = std::move(layout.parameters);
}

symbolic::Matrix ModelEquations::solve_accelerations() const {
  return solve_symmetric(*mechanics_, mass_matrix_, forcing_, "the equations of motion");
}

ModelEquations::~ModelEquations() = default;
ModelEquations::ModelEquations(ModelEquations&&) noexcept = default;

}  // namespace sestina
