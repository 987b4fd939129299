// Steady-state oscillations of a system about a state for an input that oscillates with a small amplitude.
//
// The input is a parameter p of the model: p = p0 + dp e^(i w t). It may occur in any number: a force, a
// stiffness, or a prescribed motion such as that of a shaker. All deviations oscillate with the same
// frequency. Near the state, with q' = N(q) u (linearized_motion.h, (3)) and r, g, v (motion_tangents.h),
//   du = (i w - T) dq,   T dq_k = [N u, N e_k]                                                        (1)
//   conditions on positions:   C dq = -g_p dp                                                         (2)
//   conditions on speeds:      C du + v_q dq = -v_p dp                                                (3)
//   i w M du + r_u du + r_q dq - C^T dlambda = -r_p dp                                                (4)
// With G dq the left sides of (2) and (3), Z a basis of G Z = 0 and Y one of C Y = 0:
//   dq = dq_0 + Z z,   G dq_0 = right sides,   Y^T S Z z = -Y^T (S dq_0 + r_p dp),
//   S = (i w M + r_u)(i w - T) + r_q                                                                  (5)
// dlambda is the solution of (4) of least norm.
#pragma once

#include <Eigen/Core>
#include <complex>

#include "sestina/dynamics/input_tangent.h"
#include "sestina/dynamics/motion_tangents.h"

namespace sestina {

// Deviations for dp = 1.
struct SmallResponse {
  Eigen::VectorXcd dq, du, dudot;  // (nu), dq along plus()
  Eigen::VectorXcd dlambda;        // (rows)
  Eigen::VectorXcd dx;             // (nx) of states with a rate
};

class InputResponse {
 public:
  // For the state of the last update_tangents(..., by_speeds) of `tangents`, which must outlive this. Refuses
  // models with contacts or enforced limits (InputError).
  InputResponse(const Model& model, const MotionTangents& tangents, const State<double>& state,
                InputTangent input);

  // `w` (rad/s) must not be negative. Throws ComputationError at a resonance without damping.
  SmallResponse calc(double w) const;

 private:
  [[noreturn]] void refuse_resonance(double w) const;

  const MotionTangents& tangents_;
  InputTangent input_;
  double t_;
  Eigen::MatrixXd turning_;  // T
  Eigen::MatrixXd allowed_;  // Y
};

}  // namespace sestina
