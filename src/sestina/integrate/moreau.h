// Time stepping with contacts: Moreau and Jean's scheme on velocities, with a smooth part of order 4.
//
// A step of length h from (q, u):
//   1. free      q_f, u_f: the classical Runge-Kutta step on the manifold, without contacts
//   2. contacts  with a gap that closes, g(q_f) <= 0, and rigid; or with stiffness, while they overlap
//   3. impulses  u' = u_f + M^-1 C^T p,  by friction_solver.h for v = C u':
//        rigid      0 <= p_n,  v_n >= 0, where the contact was open before and hits: v_n >= -e v_n of u_f
//        (Newton) compliant  p_n/h = -k (g + g')/2 - d (v_n(u) + v_n(u'))/2, its force by the trapezoidal
//        rule
//   4. position  q' = q_f along c h (u' - u_f), c = 1/2 for a contact that lasts (its force is constant
//   within
//                the step), and for one that closes within it the part of the step that is left; then rigid
//                gaps are brought back to zero, as little as possible in the norm of M
// With restitution e by Poisson's or Stronge's hypothesis the impulses of 3 are those of compression. The
// normal impulse of restitution is e times that of compression (Poisson), or returns e^2 of the work that the
// normal force took (Stronge). The normal velocities that these lead to are then imposed in a second solution
// of 3.
//
// The rule takes two steps of h/2 and hands on their result; that of one step of h is the error estimate.
// Where nothing touches, the order is 4; within lasting contact 2; a step within which a contact closes has
// an error of the order of h, so that a driver of variable step closes in on it.
//
// Sources: Moreau 1988; Jean 1999; Acary and Brogliato, Numerical Methods for Nonsmooth Dynamical Systems,
// 2008; Stronge, Impact Mechanics, 2000. Error control by step doubling with contacts: Kurtz and Castro
// (CENIC), 2025.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "sestina/contact/friction_solver.h"
#include "sestina/integrate/butcher_tableau.h"
#include "sestina/integrate/integration_rule.h"

namespace sestina {

class Moreau final : public IntegrationRule {
 public:
  Moreau();

  const std::string& name() const override { return name_; }
  int order() const override { return 4; }
  int error_order() const override { return 4; }
  bool projects() const override { return true; }
  bool takes_contacts() const override { return true; }
  bool has_dense_output() const override { return false; }

 private:
  void do_start(std::span<const double> memory) override;
  StepReport do_step(double t_end, State<double>& candidate) override;
  void do_accept() override {}
  StepReport do_interpolate(double t, State<double>& out) override;

  StepReport step_twice(const State<double>& from, double t_end, State<double>& to);
  StepReport step_once(const State<double>& from, double t_end, State<double>& to);
  StepReport step_freely(const State<double>& from, double t_end, State<double>& to);
  void move(const State<double>& from, double h, std::span<const double> weights, State<double>& to);

  // A contact of the step.
  struct Active {
    int contact = 0;
    bool hits = false;                 // was open and closes with a speed that rebounds
    double gap = 0.0;                  // of q_f
    double gap_before = 0.0;           // of q, to first order
    Eigen::Vector3d v_before, v_free;  // C u and C u_f
  };
  StepReport touch(const State<double>& from, State<double>& to);
  void find_active(const State<double>& from, const State<double>& to);
  void update_matrix(const State<double>& at);
  void set_laws(double h);
  bool restore();
  double restitution_impulse(std::size_t i, const Eigen::VectorXd& compression) const;
  void apply(const State<double>& from, State<double>& to);
  void close_gaps(State<double>& to);

  std::string name_ = "moreau";
  ButcherTableau tableau_;
  std::vector<double> k_, sum_, displacement_;
  State<double> stage_, half_, whole_;

  std::size_t count_ = 0;  // of all contacts of the step
  std::vector<Active> active_;
  Eigen::MatrixXd C_, du_;  // (3 contacts x nu), (nu x 3 contacts): M^-1 C^T
  Eigen::MatrixXd G_;       // C M^-1 C^T
  Eigen::VectorXd b_, p_;   // of (1) in friction_solver.h
  std::vector<double> friction_, compliance_;
  FrictionSolver solver_;
};

}  // namespace sestina
