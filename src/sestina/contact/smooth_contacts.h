// Impulses of unilateral contacts with Coulomb friction that are smooth functions of the data:
// complementarity holds up to a small number kappa (J) instead of zero.
//
//   v = G p + b,   w = v_n + R p_n                                                                    (1)
//   p_n w = kappa,   p_n > 0,   w > 0                                                                 (2)
//   mu p_n s + p_t . v_t = kappa,   mu p_n v_t + s p_t = 0,   |p_t| < mu p_n,   |v_t| < s             (3)
//
// with v, p, R and mu as in friction_solver.h and one s for each contact with friction. Where p_n is given,
// as for the friction of a joint, it takes the place of (2). (3) says that [mu p_n; p_t] and [s; v_t] have
// the product kappa [1; 0; 0] in the Jordan algebra of the cone. For kappa = 0 (2) and (3) are the conditions
// of friction_solver.h, with s = |v_t|. For kappa > 0 contacts act before they touch, with an impulse of
// kappa divided by the speed w, and those that stick creep.
//
// The equations are solved by Newton's method, with steps that stay within the cones, for values of kappa
// that decrease to the given one. If friction and inertia are coupled strongly, there may be no solution.
//
// Source of the conditions and their derivatives: Howell, Le Cleac'h, Bruedigam, Kolter, Schwager and
// Manchester, Dojo: A differentiable physics engine for robotics, arXiv 2203.00806.
#pragma once

#include <Eigen/Core>
#include <Eigen/LU>
#include <optional>
#include <span>
#include <vector>

namespace sestina {

class SmoothContacts {
 public:
  struct Law {
    double friction = 0.0;               // mu
    double compliance = 0.0;             // R
    std::optional<double> impulse = {};  // p_n, where it is given
  };

  // Finds p (3n) for G (3n x 3n, symmetric and positive semidefinite), b (3n) and the laws (n). Returns
  // whether (2) and (3) hold to round-off.
  bool solve(const Eigen::MatrixXd& G, const Eigen::VectorXd& b, std::span<const Law> laws, double kappa);
  const Eigen::VectorXd& p() const { return p_; }

  // Returns the derivatives of p with respect to velocities (3n x 3n): dp = p_by_v() dv, with dv the change
  // of v at fixed p.
  Eigen::MatrixXd p_by_v() const;
  // Returns the change of p (3n) due to changes of all numbers of the laws (n) at fixed v.
  Eigen::VectorXd p_by_law(std::span<const Law> changes) const;

 private:
  bool follow(double kappa, double reduction);
  void start();
  void move(const Eigen::VectorXd& change);
  void find_residual(double kappa);
  bool is_solved(double kappa) const;
  void find_matrix();
  double longest_step(const Eigen::VectorXd& change) const;
  Eigen::MatrixXd impulses_of(const Eigen::MatrixXd& right) const;
  const Law& law(Eigen::Index contact) const { return laws_[static_cast<std::size_t>(contact)]; }
  bool has_friction(Eigen::Index contact) const {
    return law(contact).friction > 0.0 && law(contact).impulse.value_or(1.0) > 0.0;
  }

  const Eigen::MatrixXd* G_ = nullptr;
  std::vector<Law> laws_;
  Eigen::VectorXd b_;
  double velocity_ = 0.0, impulse_ = 0.0;  // sizes
  // Unknowns of each contact: p (3), s, w and v_t (2); w and v_t are independent unknowns until (1) holds.
  Eigen::VectorXd p_, s_, w_, v_t_;
  Eigen::VectorXd residual_;  // (7n): of (2), (3), (1)
  Eigen::MatrixXd matrix_;    // (7n x 7n) its derivatives
  Eigen::PartialPivLU<Eigen::MatrixXd> factor_;
};

}  // namespace sestina
