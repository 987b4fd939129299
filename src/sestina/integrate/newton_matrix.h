// The matrix of Newton's method in an implicit multistep rule, for equations of motion.
//
// With w = [u, x], y = [q, w, z], f = [N(q) u, a(t, q, w), p(t, q, w)] and J = df/dy, a step solves
//   (I - gamma J) s = b.                                                                                (1)
// The matrix to factorise has the size of w, not of y:
//   s_q = P (b_q + gamma N s_u),                P = (I - gamma G)^-1,   G = d(N u)/dq                    (2)
//   (I - gamma a_w - gamma^2 a_q P N) s_w = b_w + gamma a_q P b_q                                        (3)
//   s_z = b_z + gamma (p(y + s) - p(y))                                                                  (4)
// (N acts on the part u of w.) If u is the rate of q, N = P = I. For Euler parameters N is linear in q, so
// that G v = N(v) u. P is expanded to the second power of gamma G, which omits (gamma w / 2)^3, where w is
// the angular velocity: a step resolves the rotation, and Newton's method corrects the rest.
//
// a_q and a_w are analytical if the equations have a ResidualFace. Its derivative with respect to a
// displacement becomes that with respect to q through the inverse of N on the tangent space: a_q =
// a_displacement N^+, N^+ = (N^T N)^-1 N^T, where the columns of N are orthogonal to each other. Otherwise
// they are differences, one evaluation for each number of q, u and x, and (4) takes p from them.
//
// Nothing allocates memory after `resize`. Memory: (nw + nz)(nq + nw) + 2 nw^2 numbers.
#pragma once

#include <Eigen/LU>
#include <span>
#include <vector>

#include "sestina/integrate/equations_of_motion.h"

namespace sestina {

class NewtonMatrix {
 public:
  void resize(EquationsOfMotion& equations);

  // Whether update_derivatives uses differences.
  bool needs_increments() const { return !is_analytical_; }
  // Computes the derivatives at a state, where f is `rate`. For differences, number j of [q, u, x] is moved
  // by increments[j], which must not be zero. Throws what the evaluation of the accelerations throws. Returns
  // the index through [q, u, x] at which the moved system has a value that is not finite, or -1.
  int update_derivatives(EquationsOfMotion& equations, const State<double>& state,
                         std::span<const double> rate, std::span<const double> increments);
  // Returns whether (3) can be solved.
  bool factorize(EquationsOfMotion& equations, double gamma);
  double gamma() const { return gamma_; }  // s, of the last factorize()
  // Solves (1) for s; b may be s. (4) is that of a step with gamma_z, at the state to which b belongs, where
  // p is `zdot`.
  void solve(EquationsOfMotion& equations, const State<double>& state, std::span<const double> zdot,
             double gamma_z, std::span<const double> b, std::span<double> s);

 private:
  using Vector = Eigen::VectorXd;
  void take_tangent(EquationsOfMotion& equations, ResidualFace& face);
  int take_differences(EquationsOfMotion& equations, std::span<const double> rate,
                       std::span<const double> increments);
  void multiply_by_P(EquationsOfMotion& equations, std::span<double> v);  // v (nq)

  bool is_plain_ = true;  // u is the rate of q
  bool is_analytical_ = false;
  double gamma_ = 0.0;  // s
  StateSizes sizes_;
  State<double> at_, moved_;       // state of the derivatives; state of (4)
  Eigen::MatrixXd derivatives_;    // ((nw + nz) x (nq + nw)): [a_q, a_w; p_q, p_w]
  std::vector<double> changed_;    // (nw + nz)
  std::vector<double> offset_;     // (nq): N(0) u
  std::vector<double> v_, w_, p_;  // (nq)
  std::vector<double> unit_;       // (nu)
  Eigen::MatrixXd matrix_;         // (nw x nw): of (3)
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  Vector sq_, sw_, bw_;
};

}  // namespace sestina
