#include "sestina/derivation/model_equations.h"

#include <fmt/format.h>

#include "sestina/base/error.h"
#include "sestina/derivation/model_layout.h"

namespace sestina {

using symbolic::Matrix;

ModelEquations::ModelEquations(const Model& model, DerivationMethod method)
    : method_(method), mechanics_(std::make_unique<symbolic::Mechanics>()) {
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
  find_norms(model);
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
  motion.c = Matrix(norms_);
  for (std::size_t i = 0; i < q_.size(); ++i) {
    motion.replacements.emplace_back(mechanics_->rate(q_[i]), coordinate_rates_[i]);
  }
  return motion;
}

Matrix ModelEquations::solve_accelerations() const {
  std::vector<Expression> rates;
  for (const Expression& u : u_) rates.push_back(mechanics_->rate(u));
  return solve_symmetric(*mechanics_, mass_matrix_, forcing_, {"the equations of motion", rates});
}

ModelEquations::~ModelEquations() = default;
ModelEquations::ModelEquations(ModelEquations&&) noexcept = default;

}  // namespace sestina
