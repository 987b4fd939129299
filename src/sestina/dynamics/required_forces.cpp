#include "sestina/dynamics/required_forces.h"

#include <algorithm>

#include "sestina/base/index.h"

namespace sestina {

void calc_condition_matrix(const Model& model, const Kinematics<double>& kinematics,
                           const ConstraintRows<double>& constraints, std::span<double> scratch,
                           Eigen::MatrixXd& C) {
  calc_constraint_matrix(model, kinematics, constraints, scratch);
  C = Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(scratch.data(),
                                                                       model.constraint_rows(), model.nu());
  for (Eigen::Index i = 0; i < C.rows(); ++i) {
    if (constraints.rows[at(i)].is_inertia) C.row(i).setZero();
  }
}

void update_required_forces(const Model& model, const Properties<double>& properties,
                            const Kinematics<double>& kinematics, const ConstraintRows<double>& constraints,
                            std::span<const double> udot, AppliedForces<double>& forces,
                            std::span<double> lambda, InverseDynamics<double>& inverse) {
  std::fill(lambda.begin(), lambda.end(), 0.0);
  update_inverse_dynamics<double>(model, properties, kinematics, forces, udot, inverse);
  bool has_inertias = false;
  for (std::size_t i = 0; i < lambda.size(); ++i) {
    const ConstraintRow<double>& row = constraints.rows[i];
    if (!row.is_inertia) continue;
    lambda[i] = -row.bias - calc_rate<double>(constraints, row, inverse.acceleration, udot);
    has_inertias = true;
  }
  if (!has_inertias) return;
  add_constraint_forces<double>(constraints, lambda, forces.tau, forces.body);
  update_inverse_dynamics<double>(model, properties, kinematics, forces, udot, inverse);
}

}  // namespace sestina
