// Exact impulses of unilateral contacts with Coulomb friction: the friction cone is not faceted, and nothing
// is regularised.
//
//   v = G p + b                                                                                       (1)
//   0 <= p_n,   0 <= v_n + R p_n,   p_n (v_n + R p_n) = 0                                             (2)
//   |p_t| <= mu p_n;   where v_t is not zero, p_t = -mu p_n v_t/|v_t|                                 (3)
// with v the relative velocities of the contacts (m/s), p their impulses (N s), each [normal; two
// tangential], and R the compliance along the normal.
//
// G is symmetric and positive semidefinite. If it is singular, p is not unique, but v usually is. The
// solution has two stages:
//   - block Gauss-Seidel: contact by contact, (2) and (3) are solved for its impulse with all other impulses
//     fixed, until it is known which contacts are open, stick or slide;
//   - Newton's method on the equations of these states: p = 0; v = 0; v_n + R p_n = 0 and (3). Its linear
//     systems are solved with least norm, so that redundant contacts share the load evenly (and friction in
//     proportion to it, if an equal share breaks (3)), and contacts that stick have v_t = 0 to rounding.
//
// Source: Jean, The non-smooth contact dynamics method, CMAME 177 (1999); Alart and Curnier, CMAME 92 (1991).
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

namespace sestina {

class FrictionSolver {
 public:
  struct Report {
    bool is_solved = false;
    int sweeps = 0;         // sweeps of Gauss-Seidel
    double residual = 0.0;  // largest violation of (2) and (3), relative to the largest velocity
    int worst = -1;         // the contact that violates them most
  };

  // G (3n x 3n), b (3n), friction mu and compliance R (n each). p (3n) is the first guess and becomes the
  // solution.
  Report solve(const Eigen::MatrixXd& G, const Eigen::VectorXd& b, std::span<const double> mu,
               std::span<const double> R, Eigen::VectorXd& p);

  enum class State : unsigned char { kOpen, kStick, kSlide };
  // The states of all contacts, at the last solution.
  const std::vector<State>& states() const { return states_; }

 private:
  void sweep();
  void solve_one(Eigen::Index i);
  bool slide(const Eigen::Matrix3d& own, const Eigen::Vector3d& w, double mu, Eigen::Vector3d& p) const;
  bool polish();
  void share_friction();
  bool try_states();
  bool solve_equations();
  double residual(Eigen::Index& worst) const;

  const Eigen::MatrixXd* G_ = nullptr;
  const Eigen::VectorXd* b_ = nullptr;
  std::span<const double> mu_, R_;
  Eigen::VectorXd* p_ = nullptr;
  Eigen::VectorXd trial_, v_;
  Eigen::VectorXd scale_;  // scale factors of the impulses, in the norm that is minimised
  std::vector<State> states_;
  double size_ = 0.0;  // the largest velocity
};

}  // namespace sestina
