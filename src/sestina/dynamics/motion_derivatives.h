// Evolution of small changes of a motion, for mechanisms with loops, constraints and states with a rate, by
// dense matrices. ConstrainedTangents and ConstrainedTranspose compute the same for most mechanisms with less
// work.
// Derivatives of runs are integrated with these equations, gradients with their transpose.
//
// Let s = [s_q; s_u; s_x] be the derivatives with respect to a number p of q (a displacement, as in plus()),
// u and x. With A of linearized_motion.h, (1), along the motion
//
//   ds/dt = A s + b                                                                                    (1)
//
// with b from the derivatives of r, a and rate with respect to p (input_tangent.h). A projection onto the
// conditions, with the least change in the norm of M, changes s to
//
//   s_q + d_q,  C d_q = -(C_g s_q + g_p),   then   s_u + d_u,  C d_u = -(C s_u + v_q s_q + v_p)      (2)
//
// with C_g the rows of conditions on positions, and zeros for others, along which the displacement of a
// projection does not move either; in short, s' = P s + c. The transposes, for the gradient y of
// a number with respect to the state and its derivative with respect to p, are
//
//   dy/dt = -A^T y,  by p: b . y;     y = P^T y',  by p: c . y'                                        (3)
//
// Cost: 2 nu + nx evaluations on dual numbers and the factors of M and C, O((nu + rows)^3); one more
// evaluation for each p.
#pragma once

#include <span>
#include <vector>

#include "sestina/dynamics/input_tangent.h"
#include "sestina/dynamics/motion_tangents.h"

namespace sestina {

class MotionDerivatives {
 public:
  // `parameters`: indices in Model::parameters(). The model must outlive this object. Throws InputError for a
  // model with a UserForce.
  MotionDerivatives(const Model& model, const Properties<double>& properties,
                    std::span<const int> parameters);

  std::size_t width() const { return static_cast<std::size_t>(A_.rows()); }  // of s: 2 nu + nx

  // Updates at a state with the udot (nu) and lambda (rows) that solve the equations of motion there.
  void update(const State<double>& state, std::span<const double> udot, std::span<const double> lambda);
  // The right side of (1) (width) for s (width), with b of the k-th parameter times `scale`, or without b if
  // k < 0.
  void calc_rates(std::span<const double> s, int k, double scale, std::span<double> rates) const;
  // A^T y (width) for y (width); adds b . y to by_parameters.
  void transpose(std::span<const double> y, std::span<double> x, std::span<double> by_parameters) const;

  // Updates the projection at a state that satisfies the conditions.
  void update_projection(const State<double>& state);
  // s (width) becomes s' of (2), for `scale` times the k-th parameter, or for an initial value if k < 0.
  void project(std::span<double> s, int k, double scale) const;
  // y' (width) becomes y of (3); adds c . y' to by_parameters.
  void transpose_projection(std::span<double> y, std::span<double> by_parameters) const;

 private:
  const Model& model_;
  MotionTangents tangents_;
  InputTangents inputs_;
  Eigen::MatrixXd A_, b_;  // (width x width), (width x parameters)
  Eigen::MatrixXd P_, c_;  // (2 nu x 2 nu), (2 nu x parameters): x remains
};

}  // namespace sestina
