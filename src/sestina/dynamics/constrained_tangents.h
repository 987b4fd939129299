// Evolution of small changes of the motion of a mechanism with loops and constraints: the equations (1) and
// (2) of motion_derivatives.h for many changes at once, without dual numbers except for the conditions.
//
// With r, a, g, v, C and lambda of motion_tangents.h, and R_q, R_u the derivatives by q and u of what the
// conditions read (condition_seeds.h), A_q, A_u those of the accelerations of bodies:
//   a_q = D R_q + W A_q,  a_u = D R_u + W A_u,  C = W J                                            (1)
//   r_q = tree's + F R_q,  r_u = tree's + F R_u,  F = -J^T (dforces - theta x forces)              (2)
// where D and F are derivatives of a and r along the directions of condition_seeds.h, W the forces on bodies
// due to unit multipliers and J the velocities of these bodies by u. The tree's part is that of
// inverse_dynamics_derivatives.h, in which the forces of conditions turn with their bodies. Terms of
// conditions for speeds are added to C and F. Derivatives by a parameter follow likewise, from the
// displacements of inverse_dynamics_by_parameters.h, with those of the rows themselves. Changes dr and da
// give
//   M dudot - C^T dlambda = -dr,   C dudot = -da                                                   (3)
// which is solved with the factors of M and the pseudo-inverse of G, so that redundant conditions do no harm:
//   G = C M^-1 C^T,   P = M^-1 C^T G^+,   x = -M^-1 dr,   dudot = x - P (da + C x)                   (4)
// A change of a state that violates the conditions by da is projected by -P da. Rotors (rows that stand for
// inertias) add C^T C to M and C^T da to dr.
//
// Cost: a few evaluations of the rows for each body on which a condition acts, O(nu^2) for each change, and
// the factors, O((nu + rows)^3) with a small factor.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <vector>

#include "sestina/dynamics/column_block.h"
#include "sestina/dynamics/condition_seeds.h"
#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/dynamics/input_tangent.h"
#include "sestina/dynamics/inverse_dynamics_by_parameters.h"
#include "sestina/dynamics/inverse_dynamics_derivatives.h"
#include "sestina/dynamics/linearized_motion.h"
#include "sestina/dynamics/mass_matrix.h"

namespace sestina {

class ConstrainedTangents {
 public:
  // Accepts the models that ConstrainedTranspose::takes(). `parameters`: indices in Model::parameters(). The
  // model and the properties must outlive this object. Throws InputError for a model with a UserForce.
  ConstrainedTangents(const Model& model, const Properties<double>& properties,
                      std::span<const int> parameters);

  using Changes = Eigen::Ref<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;  // (nu x changes)
  using GivenChanges = Eigen::Ref<const Eigen::MatrixXd, 0, Eigen::OuterStride<>>;
  // A change by `scale` times a parameter, given by its place among the parameters; -1: by no parameter.
  struct Cause {
    int parameter = -1;
    double scale = 1.0;
  };

  // Updates at the state of the last dynamics.calc_udot(), which gave udot (nu).
  void update(const State<double>& state, const ForwardDynamics& dynamics, std::span<const double> udot);
  // dudot of (3) for s_q and s_u, with the r_p and a_p of each cause.
  void calc_udot_changes(const GivenChanges& s_q, const GivenChanges& s_u, std::span<const Cause> causes,
                         Changes changes);

  // Updates the projection at a state that satisfies the conditions.
  void update_projection(const State<double>& state);
  // s becomes s' of (2) in motion_derivatives.h.
  void project(Changes s_q, Changes s_u, std::span<const Cause> causes);

 private:
  using Matrix = Eigen::MatrixXd;
  using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Displacement = InverseDynamicsByParameters::Displacement;
  // Rates of the motion of a body, as in motion_gradient.h.
  struct BodyRates {
    Vec3<double> theta, p, w, v, alpha, a;
  };

  void set_rates_of_bodies(const Kinematics<double>& kinematics, const SubtreeSums& sums);
  BodyRates calc_rates(std::size_t body, const Displacement& d, const Kinematics<double>& kinematics,
                       const SubtreeSums& sums) const;
  void set_rows(const ConstraintRows<double>& rows);
  void add_force_changes(const ConstraintRows<Dual>& rows, std::size_t r, double lambda,
                         Eigen::Ref<Eigen::VectorXd> of_bodies, Eigen::Ref<Eigen::VectorXd> of_speeds) const;
  void set_directions(const ConstraintRows<double>& rows, std::span<const double> lambda,
                      std::span<const double> udot);
  void set_matrices();
  void set_input(std::size_t k, bool is_moved, std::span<const double> udot, std::span<const double> lambda);
  void set_projected_parameters(const State<double>& state);
  // Whether it moves one of them.
  bool move_by(std::size_t k, InverseDynamicsByParameters& by_parameters,
               const Kinematics<double>& kinematics, const SubtreeSums& sums);
  void factor(double t);
  void start_changes(const GivenChanges& s_q, const GivenChanges& s_u);
  void set_causes(ColumnBlock& block, double sign, std::span<const Cause> causes,
                  const Matrix& by_parameter) const;
  void solve();                        // minus_dr_ becomes dudot
  void add_projected(ColumnBlock& s);  // for the violation in da_

  const Model& model_;
  std::vector<int> parameters_;
  ConditionSeeds seeds_;
  InverseDynamicsDerivatives tree_;
  InverseDynamicsByParameters by_parameters_;
  InputTangents inputs_;                     // for all parameters
  std::vector<std::size_t> bodies_, first_;  // of the sources that are bodies
  std::vector<int> place_of_body_;           // by BodyIndex: in bodies_, or -1
  std::vector<std::size_t> subtree_end_;     // by BodyIndex
  std::vector<char> is_inertia_;             // by row
  std::vector<SpatialMotion<double>> A_;     // by BodyIndex

  ColumnBlock R_q_, R_u_;                  // (directions x nu)
  ColumnBlock A_q_, A_u_;                  // (6 bodies x nu)
  Matrix J_, F_;                           // (6 bodies x nu), (nu x directions)
  RowMatrix D_, F_rows_;                   // (rows x directions); F_ by rows
  RowMatrix W_;                            // (rows x 6 bodies)
  Matrix C_;                               // (rows x nu)
  ColumnBlock r_q_, r_u_, a_q_, a_u_;      // (nu x nu), (rows x nu)
  Matrix r_p_, a_p_, g_p_, v_p_;           // (nu or rows x parameters)
  Matrix force_changes_;                   // (6 bodies x directions)
  Eigen::VectorXd rho_, alpha_;            // (directions), (6 bodies): rates by a parameter
  ColumnBlock s_q_, s_u_, minus_dr_, da_;  // a vector for each change

  Matrix M_;
  RowMatrix conditions_, P_;
  ColumnBlock mass_, Y_;                     // factors of M; M^-1 C^T
  std::optional<AccelerationSolver> dense_;  // where the mass matrix alone is singular

  // Data for the projection.
  const Properties<double>& properties_;
  Kinematics<double> kinematics_;
  AppliedForces<double> no_forces_;
  ConstraintRows<double> rows_;
  SubtreeSums sums_;
  InverseDynamicsByParameters displaced_;
  MassMatrix<double> mass_matrix_;
  std::vector<double> no_udot_;
  ColumnBlock v_q_;
  RowMatrix C_g_;
};

}  // namespace sestina
