// The symbolic equations of motion of a model: frames, points and bodies laid out as by hand, all parameters,
// coordinates and speeds as symbols, and Kane's or Lagrange's method.
//
//   M udot = f,   qdot = N(q) u
//
// and where loops are closed or constraints hold, with a multiplier for each condition (model_conditions.cpp)
//
//   M udot = f + C^T lambda,   C udot = -b                                                           (1)
//
// or embedded: with the speeds u_d that follow from the independent ones u_i, C_d udot_d = -C_i udot_i - b,
//   udot_d = A udot_i + s,   A = -C_d^-1 C_i,   s = -C_d^-1 b
//   [1 A^T] M [1; A] udot_i = [1 A^T] (f - M [0; s])                                                 (2)
//
// Coordinate hip.q is the function of time q_hip, component base.q[3] is q_base3; the same holds for speeds
// u. A frame has the name of its body; rotations and offsets that are zero create no frames or points.
// Springs, dampers and given forces of joints add their generalised forces to f, armatures add to the
// diagonal of M.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sestina/derivation/model_layout.h"
#include "sestina/model/model.h"
#include "sestina/symbolic/kane.h"
#include "sestina/symbolic/mechanics.h"
#include "sestina/symbolic/motion_equations.h"

namespace sestina {

enum class DerivationMethod {
  kKane,
  // d/dt dT/dq' - dT/dq = Q, with the generalised forces Q of all loads; u is the rate of q.
  kLagrange,
};

// (2)
struct EmbeddedEquations {
  std::vector<std::size_t> independent, dependent;  // places in u
  // Conditions that others imply at the state at which the speeds were chosen; they are omitted.
  std::vector<std::size_t> redundant;
  symbolic::Matrix mass_matrix, forcing;  // rows of the independent speeds
  symbolic::Matrix A, s;
};

class ModelEquations {
 public:
  // Throws InputError for a user force, which has no expression, for contacts and enforced limits, and for
  // Lagrange's method if speeds are not rates of coordinates: for spherical and free joints.
  explicit ModelEquations(const Model& model, DerivationMethod method = DerivationMethod::kKane);
  ~ModelEquations();
  ModelEquations(ModelEquations&&) noexcept;

  symbolic::Mechanics& mechanics() const { return *mechanics_; }
  // The following are in the order of the model.
  const std::vector<Expression>& q() const { return q_; }
  const std::vector<Expression>& u() const { return u_; }
  const std::vector<Expression>& parameters() const { return parameters_; }
  // The equations of the bodies and their loads, without the springs, dampers and given forces of joints.
  const symbolic::KanesMethod& kane() const { return *kane_; }
  DerivationMethod method() const { return method_; }

  const symbolic::Matrix& mass_matrix() const { return mass_matrix_; }            // (nu x nu)
  const symbolic::Matrix& forcing() const { return forcing_; }                    // (nu)
  const symbolic::Matrix& active_forces() const { return active_forces_; }        // F_r (nu)
  const symbolic::Matrix& coordinate_rates() const { return coordinate_rates_; }  // (nq)

  // One condition for each row of C; conditions that are zero at any coordinates are omitted.
  const std::vector<SymbolicCondition>& conditions() const { return conditions_; }
  const std::vector<Expression>& multipliers() const { return multipliers_; }
  const symbolic::Matrix& condition_matrix() const { return condition_matrix_; }  // C (conditions x nu)
  const symbolic::Matrix& condition_rest() const { return condition_rest_; }      // of C u + rest = 0
  const symbolic::Matrix& condition_bias() const { return condition_bias_; }      // b
  // Chooses the dependent speeds by complete pivoting of C at a state (q, u of the model, t) and at values of
  // the parameters. Throws InputError if there are no conditions.
  EmbeddedEquations embed(const State<double>& state, std::span<const double> parameters) const;

  // The equations (1)-(3) of motion_equations.h, for numerical evaluation. Its c are the norms() below.
  symbolic::MotionEquations motion() const;
  // The squared norms of the Euler parameters of spherical and free joints, minus one.
  const std::vector<Expression>& norms() const { return norms_; }

  // Solves for udot, from the tips of the tree to its root, so that zero elements of M stay zero. Throws
  // InputError if M is singular for all parameters, or if there are conditions.
  symbolic::Matrix solve_accelerations() const;

 private:
  void derive_by_lagrange(const Model& model, const symbolic::Matrix& armatures,
                          const symbolic::ReferenceFrame& inertial,
                          const std::vector<symbolic::Body>& bodies);
  void find_norms(const Model& model);
  void derive_conditions();
  std::vector<double> evaluate_conditions(const State<double>& state,
                                          std::span<const double> parameters) const;
  void embed(const std::vector<std::size_t>& rows, EmbeddedEquations& embedded) const;

  DerivationMethod method_;
  std::unique_ptr<symbolic::Mechanics> mechanics_;
  std::vector<Expression> q_, u_, parameters_, norms_;
  std::unique_ptr<symbolic::KanesMethod> kane_;
  symbolic::Matrix mass_matrix_, forcing_, active_forces_, coordinate_rates_;
  std::vector<SymbolicCondition> conditions_;
  std::vector<Expression> multipliers_;
  symbolic::Matrix condition_matrix_, condition_rest_, condition_bias_;
};

}  // namespace sestina
