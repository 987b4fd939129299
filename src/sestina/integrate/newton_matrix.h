// The matrix of Newton's method in an implicit multistep rule, for equations of motion.
//
// With y = [q, u, z], f = [N(q) u, a(t, q, u), p(t, q, u)] and J = df/dy, a step wants
//   (I - gamma J) x = b.                                                                                (1)
// Only the derivatives of a and p need evaluations, one for each coordinate and speed (one-sided
// differences). The rest is known, and what remains to be factorised is of size nu and not nq + nu + nz:
//   x_q = P (b_q + gamma N x_u),                P = (I - gamma G)^-1,   G = d(N u)/dq                    (2)
//   (I - gamma a_u - gamma^2 a_q P N) x_u = b_u + gamma a_q P b_q                                        (3)
//   x_z = b_z + gamma (p_q x_q + p_u x_u)                                                                (4)
// Where u is the rate of q, N = P = I. Of Euler parameters N is linear in q, so that G v = N(v) u; P is
// taken to the second power of gamma G, which leaves out (gamma w / 2)^3 while w is the angular velocity:
// a step resolves the rotation, and Newton's method mends what is left.
//
// After `resize` nothing allocates memory. Memory: (nu + nz)(nq + nu) + 2 nu^2 numbers.
#pragma once

#include <Eigen/LU>
#include <span>
#include <vector>

#include "sestina/integrate/equations_of_motion.h"

namespace sestina {

class NewtonMatrix {
 public:
  void resize(const EquationsOfMotion& equations);

  // Derivatives at (t, y), where f is `rate`; coordinate and speed j are moved by increments[j] (nq + nu),
  // which must not be zero. Throws what the evaluation of the accelerations throws. Returns the index
  // through [q, u] where the moved system has a value that is not finite, or -1.
  int update_derivatives(EquationsOfMotion& equations, double t, std::span<const double> y,
                         std::span<const double> rate, std::span<const double> increments);
  // Whether (3) can be solved.
  bool factorize(EquationsOfMotion& equations, double gamma);
  // x of (1). b may be x.
  void solve(EquationsOfMotion& equations, std::span<const double> b, std::span<double> x);

 private:
  using Vector = Eigen::VectorXd;
  void multiply_by_P(EquationsOfMotion& equations, std::span<double> v);  // v (nq)

  bool is_plain_ = true;  // u is the rate of q
  double gamma_ = 0.0;    // s
  std::vector<double> y_;
  Eigen::MatrixXd derivatives_;    // ((nu + nz) x (nq + nu)): [a_q, a_u; p_q, p_u]
  std::vector<double> changed_;    // (nu + nz)
  std::vector<double> offset_;     // (nq): N(0) u
  std::vector<double> v_, w_, p_;  // (nq)
  std::vector<double> unit_;       // (nu)
  Eigen::MatrixXd matrix_;         // (nu x nu): of (3)
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  Vector xq_, xu_, bu_;
};

}  // namespace sestina
