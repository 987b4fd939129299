// Exact impulses of unilateral contacts with Coulomb friction: the friction cone is not faceted, and nothing
// is regularised.
//
//   v = G p + b                                                                                       (1)
//   0 <= p_n,   0 <= v_n + R p_n,   p_n (v_n + R p_n) = 0                                             (2)
//   |p_t| <= mu p_n;   where v_t is not zero, p_t = -mu p_n v_t/|v_t|                                 (3)
// with v the relative velocities of the contacts (m/s), p their impulses (N s), each [normal; two
// tangential], and R the compliance along the normal.
//
// G is symmetric and positive semidefinite. If it is singular, p is not unique, while v is in most cases. The
// solution has three stages; the second one is omitted if the first suffices:
//   - block Gauss-Seidel: contact by contact, (2) and (3) are solved for its impulse with all other impulses
//     fixed. A few sweeps usually show which contacts are open, stick or slide;
//   - the convex problem of cone_program.h, whose iteration always converges: with s = |v_t| it is
//       |p_t| <= mu p_n,  v_n + R p_n + mu s >= mu |v_t|,  (v_n + R p_n + mu s) p_n + v_t . p_t = 0      (4)
//     and has the solutions of (2) and (3). The iteration on s starts with s = 0 and takes |v_t| of each
//     solution as the next s. If it does not converge, which is rare and due to strong coupling of friction
//     and inertia, sweeps follow once more;
//   - Newton's method on the equations of these states: p = 0; v = 0; v_n + R p_n = 0 and (3). Its linear
//     systems are solved with least norm, so that redundant contacts share the load evenly (and friction in
//     proportion to it, if an equal share breaks (3)), and contacts that stick have v_t = 0 to rounding.
//
// Sources: Jean, The non-smooth contact dynamics method, CMAME 177 (1999); Alart and Curnier, CMAME 92
// (1991); (4): De Saxce and Feng, Mathematical and Computer Modelling 28 (1998); Acary, Cadoux, Lemarechal
// and Malick, ZAMM 91 (2011).
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "sestina/contact/cone_program.h"

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
  enum class Norm { kImpulses, kChange };  // what is least, of redundant contacts
  bool solve_by_sweeps(int most, int& sweeps);
  void solve_one(Eigen::Index i);
  bool polish();
  bool solve_by_cones();
  void read_cones();
  void share_friction();
  bool try_states(Norm least = Norm::kImpulses);
  bool solve_linear(Norm least);
  bool solve_equations(Norm least);
  double residual(Eigen::Index& worst) const;

  const Eigen::MatrixXd* G_ = nullptr;
  const Eigen::VectorXd* b_ = nullptr;
  std::span<const double> mu_, R_;
  Eigen::VectorXd* p_ = nullptr;
  Eigen::VectorXd trial_, v_;
  Eigen::VectorXd scale_;  // scale factors of the impulses, in the norm that is minimised
  std::vector<State> states_;
  std::vector<Eigen::Index> rows_;  // that act
  double size_ = 0.0;               // the largest velocity
  ConeProgram cones_;
  Eigen::VectorXd slip_;  // s of (4)
};

}  // namespace sestina
