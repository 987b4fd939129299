// The generalised forces that a motion requires of conditions and drives, and the matrix of the conditions:
// the parts that the inverse dynamics of all constrained mechanisms share.
#pragma once

#include <Eigen/Core>

#include "sestina/dynamics/constraint_rows.h"
#include "sestina/dynamics/inverse_dynamics.h"

namespace sestina {

// A condition counts as implied by others below this fraction of the largest pivot of C.
inline constexpr double kImpliedCondition = 1e-9;

// C (rows x nu), without the rows for inertias, whose rows are zero. `scratch` (rows * nu).
void calc_condition_matrix(const Model& model, const Kinematics<double>& kinematics,
                           const ConstraintRows<double>& constraints, std::span<double> scratch,
                           Eigen::MatrixXd& C);

// Fills inverse.residual with M udot + c - f, for the state to which all arguments belong and its udot (nu).
// Writes the multipliers (rows) of the rows for inertias, and zeros for the others; adds their forces to
// `forces`.
void update_required_forces(const Model& model, const Properties<double>& properties,
                            const Kinematics<double>& kinematics, const ConstraintRows<double>& constraints,
                            std::span<const double> udot, AppliedForces<double>& forces,
                            std::span<double> lambda, InverseDynamics<double>& inverse);

}  // namespace sestina
