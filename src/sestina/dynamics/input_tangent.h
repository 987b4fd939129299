// Derivatives of the equations of motion with respect to parameters of the model: of the residual and the
// conditions of motion_tangents.h, with state, udot and lambda held fixed.
//
// They come from running the same code on Dual, once for each parameter: O(n).
#pragma once

#include <Eigen/Core>
#include <span>
#include <string_view>
#include <vector>

#include "sestina/dynamics/constraint_rows.h"
#include "sestina/dynamics/inverse_dynamics.h"
#include "sestina/model/properties.h"

namespace sestina {

// Derivatives of r, g, v, a and rate with respect to a parameter p.
struct InputTangent {
  Eigen::VectorXd r_p;            // (nu)
  Eigen::VectorXd g_p, v_p, a_p;  // (rows)
  Eigen::VectorXd rate_p;         // (nx) of states with a rate
};

class InputTangents {
 public:
  // `parameters`: indices in Model::parameters(). The model must outlive this object.
  InputTangents(const Model& model, const Properties<double>& properties, std::span<const int> parameters);

  std::size_t size() const { return by_parameter_.size(); }
  // Derivatives with respect to the k-th of the parameters; udot (nu), lambda (rows). Valid until the next
  // call.
  const InputTangent& calc(std::size_t k, const State<double>& state, std::span<const double> udot,
                           std::span<const double> lambda);
  // Computes g_p and v_p only.
  const InputTangent& calc_conditions(std::size_t k, const State<double>& state);

 private:
  void set_state(const Properties<Dual>& properties, const State<double>& state);
  void update_rows(const Properties<Dual>& properties);
  void add_constraints(const Properties<Dual>& properties, std::span<const double> lambda);

  const Model& model_;
  std::vector<Properties<Dual>> by_parameter_;  // each has derivatives by its own parameter
  State<Dual> state_;
  Kinematics<Dual> kinematics_;
  AppliedForces<Dual> forces_;
  ConstraintRows<Dual> rows_;
  InverseDynamics<Dual> inverse_;
  std::vector<Dual> udot_, lambda_;
  InputTangent result_;
};

// Derivatives with respect to one parameter. Throws InputError if the model has no such parameter.
InputTangent calc_input_tangent(const Model& model, const Properties<double>& properties,
                                const State<double>& state, std::span<const double> udot,
                                const Eigen::VectorXd& lambda, std::string_view parameter);

}  // namespace sestina
