// Small motions about a state, and their modes, including loops and constraints.
//
// With y = [dq; du; dx] the deviations from a motion, dq along plus(), x (nx) the states with a rate:
//   dy/dt = A y + B tau,   tau (nu): further forces along the speeds                               (1)
// From the residual and its tangents (motion_tangents.h), with Z a basis of C Z = 0:
//   dudot = -C^+ da + Z w,   Z^T M Z w = -Z^T (dr + M (-C^+ da)),   dr = r_q dq + r_u du + r_x dx   (2)
//   d(dq)/dt = du + [N u, N e_k] dq_k,   q' = N(q) u                                               (3)
// where the bracket of (3) is zero except for joints with Euler parameters that rotate. Deviations that the
// conditions allow satisfy
//   C dq = 0 (of conditions on positions),   v_q dq + C du = 0                                     (4)
// A maps them into themselves; in an orthonormal basis T of them, A is T^T A T.
//
// About a state of rest without damping, where K = r_q is symmetric on Z, modes are those of
//   Z^T K Z z = omega^2 Z^T M Z z                                                                  (5)
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <complex>
#include <vector>

#include "sestina/dynamics/motion_tangents.h"

namespace sestina {

struct LinearizedMotion {
  Eigen::MatrixXd A;      // (n x n) of (1), n = 2 nu + nx
  Eigen::MatrixXd B;      // (n x nu)
  Eigen::MatrixXd basis;  // T (n x k)
};

struct VibrationMode {
  std::complex<double> eigenvalue;  // 1/s; for a pair, the one with positive imaginary part
  Eigen::VectorXcd shape;           // (nu) dq, scaled so that the largest element is 1
  Eigen::VectorXcd states{};        // (nx) dx; where dq is zero, scaled in the same way
};

// The matrix (nu x nu) of [N u, N e_k] in (3). Zero where no joint has Euler parameters.
Eigen::MatrixXd calc_turning(const Model& model, const State<double>& state);

// The changes of accelerations and speeds that conditions allow.
class AccelerationSolver {
 public:
  // M (nu x nu), C (rows x nu), at the time t (s), of any rank. Throws ComputationError where the mass matrix
  // is singular.
  AccelerationSolver(const Eigen::MatrixXd& M, const Eigen::MatrixXd& C, double t);

  // dudot (nu x k) of (2) for dr (nu x k) and da (rows x k): M dudot + dr = C^T dlambda, C dudot = -da.
  Eigen::MatrixXd solve(const Eigen::MatrixXd& dr, const Eigen::MatrixXd& da) const;

 private:
  Eigen::MatrixXd M_, Z_, C_inverse_;
  Eigen::LLT<Eigen::MatrixXd> mass_;
};

// C with rows of zeros for the conditions on speeds.
Eigen::MatrixXd calc_rows_on_positions(const MotionTangents& tangents);
// Computes A only, otherwise as below.
Eigen::MatrixXd calc_state_matrix(const Model& model, const MotionTangents& tangents,
                                  const State<double>& state, const AccelerationSolver& accelerations);

// For the state of the last update_tangents(..., by_speeds), whose udot and lambda solve the equations of
// motion. Throws ComputationError where the mass matrix is singular, and InputError for a model with contacts
// or enforced limits, as calc_modes() does.
LinearizedMotion linearize_motion(const Model& model, const MotionTangents& tangents,
                                  const State<double>& state);

// B for inputs other than forces along the speeds: (n x inputs). An input adds a column of r_p (nu x inputs)
// to r, of a_p (rows x inputs) to a, and of rate_p (nx x inputs) to the rates of states.
Eigen::MatrixXd calc_input_matrix(const MotionTangents& tangents, const State<double>& state,
                                  const Eigen::MatrixXd& r_p, const Eigen::MatrixXd& a_p,
                                  const Eigen::MatrixXd& rate_p);

// Whether A stays the same as the motion goes on, with its speeds: A is that of axes which do not turn with a
// body, so that for a body that spins and has no symmetry about its axis A changes, and eigenvalues say
// nothing about growth. `udot` and `lambda` belong to the state. False where A cannot be computed nearby.
bool keeps_state_matrix(const Model& model, const Properties<double>& properties, const State<double>& state,
                        std::span<const double> udot, const Eigen::VectorXd& lambda);

// Modes sorted by their magnitude. At rest without damping there is one for each degree of freedom, and for
// each unstable direction two with real eigenvalues; otherwise one for each pair of complex eigenvalues and
// for each real eigenvalue. Eigenvalues within round-off are zero.
std::vector<VibrationMode> calc_modes(const Model& model, const MotionTangents& tangents,
                                      const State<double>& state);

}  // namespace sestina
