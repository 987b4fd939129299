// The convex core of contact with friction: a complementarity problem on second-order cones,
//
//   y = M x + q,   x in K,   y in K,   x . y = 0                                                        (1)
//
// with M symmetric and positive semidefinite, and K a product of cones x_0 >= |(x_1, x_2)|. These are the
// conditions for the minimum of x^T M x/2 + q^T x on K. There is a solution if this function has a minimum; M
// may be singular, as it is for redundant contacts.
//
// An interior-point method with the scaling of Nesterov and Todd: with H such that H x = y for each cone,
//   (M + H) dx = r + c,   dy = c - H dx,   r = y - M x - q,   c = sigma m x^-1 - y,   m = x . y/(cones) (2)
// and x^-1 = J x/(x^T J x), J = diag(1, -1, -1). A first direction, with sigma = 0, shows how far a step can
// go; this determines the sigma of the second direction, along which the step is taken (predictor and
// corrector). It takes about 30 steps whatever the numbers are. Of all solutions it finds one in the interior
// of the set, so that redundant contacts share the load.
//
// Sources: Nesterov and Todd, Mathematics of Operations Research 22 (1997); Alizadeh and Goldfarb,
// Second-order cone programming, Mathematical Programming 95 (2003), section 7.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <vector>

namespace sestina {

class ConeProgram {
 public:
  // M (3n x 3n) and q (3n), three rows for each cone. A cone that is a ray has only its first component; the
  // other two remain zero. Returns whether (1) holds to about 1e-11 of the sizes of x and y; x() and y() have
  // the last iterates in any case.
  bool solve(const Eigen::MatrixXd& M, const Eigen::VectorXd& q, const std::vector<bool>& is_ray);
  const Eigen::VectorXd& x() const { return x_; }
  const Eigen::VectorXd& y() const { return y_; }
  int steps() const { return steps_; }

 private:
  bool start(const Eigen::MatrixXd& M, const Eigen::VectorXd& q);
  void add_scaling(Eigen::MatrixXd& sum);
  void find_direction(double target);
  double longest_step(const Eigen::VectorXd& from, const Eigen::VectorXd& along) const;

  std::vector<bool> is_ray_;
  Eigen::VectorXd x_, y_, r_, dx_, dy_, c_;
  Eigen::MatrixXd sum_;
  std::vector<Eigen::Matrix3d> H_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
  int steps_ = 0;
};

}  // namespace sestina
