#include "sestina/dynamics/mobility.h"

#include <Eigen/Core>
#include <Eigen/SVD>
#include <algorithm>

#include "sestina/dynamics/constraint_rows.h"

namespace sestina {
namespace {

constexpr double kZero = 1e-9;          // relative to the largest singular value
constexpr double kUndetermined = 1e-6;  // norm of the part of a unit vector

// Finds the joints of the tree that pass on forces of conditions without any generalised force.
void add_loaded_joints(const Model& model, const Kinematics<double>& kinematics,
                       const ConstraintRows<double>& rows, const Eigen::VectorXd& multipliers,
                       std::vector<bool>& is_loaded) {
  std::vector<double> tau(static_cast<std::size_t>(model.nu()));
  std::vector<SpatialForce<double>> forces(model.num_frames());  // on all that a joint carries, about its Mo
  add_constraint_forces<double>(rows, {multipliers.data(), static_cast<std::size_t>(multipliers.size())}, tau,
                                forces);
  double largest = 0.0;
  for (const SpatialForce<double>& force : forces)
    largest = std::max({largest, norm(force.torque), norm(force.force)});
  for (std::size_t b = model.bodies().size() - 1; b > 0; --b) {
    is_loaded[b] =
        is_loaded[b] || std::max(norm(forces[b].torque), norm(forces[b].force)) > kUndetermined * largest;
    const auto parent = static_cast<std::size_t>(kinematics.tree.links[b].parent);
    forces[parent] += shift_back(forces[b], kinematics.motion[b].X_WB.p - kinematics.motion[parent].X_WB.p);
  }
}

}  // namespace

Mobility calc_mobility(const Model& model, const Properties<double>& properties, const State<double>& state) {
  Mobility mobility;
  mobility.speeds = model.nu();
  mobility.conditions = model.constraint_rows();
  if (mobility.conditions == 0 || mobility.speeds == 0) return mobility;
  Kinematics<double> kinematics(model);
  ConstraintRows<double> rows(model);
  update_kinematics(model, properties, state, kinematics);
  update_constraint_rows(model, properties, state, kinematics, rows);
  std::vector<double> matrix(static_cast<std::size_t>(mobility.conditions * mobility.speeds));
  calc_constraint_matrix(model, kinematics, rows, matrix);
  // Rows of rotors of cut joints are not conditions.
  const auto is_condition = [&](int r) { return !rows.rows[static_cast<std::size_t>(r)].is_inertia; };
  for (int r = 0; r < mobility.conditions; ++r) {
    if (!is_condition(r)) std::fill_n(matrix.begin() + r * mobility.speeds, mobility.speeds, 0.0);
  }
  const Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>> C(matrix.data(), mobility.conditions,
                                                                           mobility.speeds);
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(C, Eigen::ComputeFullU);
  const Eigen::VectorXd& values = svd.singularValues();
  const double largest = values[0];
  while (mobility.rank < values.size() && values[mobility.rank] > kZero * largest) ++mobility.rank;
  if (mobility.rank > 0) mobility.distance_from_singular = values[mobility.rank - 1] / largest;
  // The remaining columns of U are multipliers that exert no generalised force.
  for (int r = 0; r < mobility.conditions; ++r) {
    if (!is_condition(r)) continue;
    if (svd.matrixU().row(r).tail(mobility.conditions - mobility.rank).norm() < kUndetermined) continue;
    const std::string& name = model.name_of_row(r);
    if (std::ranges::find(mobility.undetermined, name) == mobility.undetermined.end()) {
      mobility.undetermined.push_back(name);
    }
  }
  std::vector<bool> is_loaded(model.bodies().size());
  for (int k = mobility.rank; k < mobility.conditions; ++k) {
    Eigen::VectorXd multipliers = svd.matrixU().col(k);
    for (int r = 0; r < mobility.conditions; ++r) {
      if (!is_condition(r)) multipliers[r] = 0.0;
    }
    add_loaded_joints(model, kinematics, rows, multipliers, is_loaded);
  }
  for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) {
    if (is_loaded[static_cast<std::size_t>(b.value())])
      mobility.undetermined.push_back(model.bodies()[b].joint_name);
  }
  mobility.conditions -=
      static_cast<int>(std::ranges::count_if(rows.rows, &ConstraintRow<double>::is_inertia));
  return mobility;
}

}  // namespace sestina
