// Time stepping for many contacts: one evaluation of the accelerations and one contact problem in each step,
// however many impacts it contains. For robots, control and many bodies, where moreau.h, which locates each
// impact, takes too long.
//
// A step of length h from (q, u):
//   1. speeds     u_f = u + h udot(t, q, u), without contacts
//   2. contacts   v = C u', with C at q, for the contacts that are closed or may close within the step:
//        rigid      0 <= p_n,   v_n + g/h >= 0,   one of them zero: the gap g closes, but not farther;
//                   v_n >= 0 where shapes overlap; v_n >= -e v_n(u) where they meet with restitution e
//        compliant  p_n/h = -k (g + h v_n) - d v_n, where that is a pressure (implicit Euler)
//        load       p_n/h is given: friction of joints
//        friction   Coulomb's law for v_t, exactly: a contact that sticks has v_t = 0
//      by contact_sweeps.h, which starts from the impulses of the step before. Where the sweeps do not
//      converge and contacts are few, friction_solver.h solves the same conditions.
//   3. positions  q' = q moved by h u' + dq, where dq separates shapes that overlap at q and adds no speed
//
// Order 1; u' at the end moves q (symplectic Euler), so that motions without friction neither gain nor lose
// energy on average. Shapes overlap by the order of h^2 where normals turn, and by h v_n at the impact of a
// contact with restitution, whose law is Newton's. A step in which shapes may pass each other is taken in
// halves. The work that contacts absorb is -p . (v(u) + v(u'))/2; quadratures follow the trapezoidal rule.
// Constraints are kept by projection.
//
// Sources: D. E. Stewart, J. C. Trinkle, Int. J. Numer. Meth. Engng 39 (1996) 2673-2691; M. Anitescu, F. A.
// Potra, Nonlinear Dynamics 14 (1997) 231-247; M. Jean, CMAME 177 (1999).
#pragma once

#include <Eigen/Core>
#include <deque>
#include <vector>

#include "sestina/contact/contact_sweeps.h"
#include "sestina/integrate/integration_rule.h"

namespace sestina {

class TimeStepping final : public IntegrationRule {
 public:
  const std::string& name() const override;
  int order() const override { return 1; }
  int error_order() const override { return 0; }
  bool projects() const override { return true; }
  bool takes_contacts() const override { return true; }
  bool has_dense_output() const override { return false; }
  // For each contact that carried load: its key and its impulse divided by the length of the step (N).
  std::span<const double> previous_memory() const override { return previous_; }

 private:
  static constexpr std::size_t kNumbersOfContact = 4;

  void do_start(std::span<const double> memory) override;
  bool can_have_size(std::size_t size) const override { return size % kNumbersOfContact == 0; }
  StepReport do_step(double t_end, State<double>& candidate) override;
  void do_accept() override;
  StepReport do_interpolate(double t, State<double>& out) override;

  StepReport step(const State<double>& from, double t_end, State<double>& to, std::vector<double>& forces,
                  int depth);
  StepReport step_in_halves(const State<double>& from, double t_end, State<double>& to,
                            std::vector<double>& forces, int depth);
  StepReport touch(const State<double>& from, State<double>& to, std::vector<double>& forces);
  void find_contacts(const State<double>& from, const State<double>& to, std::span<const double> forces);
  ContactFace::Rows find_rows(const State<double>& at, int contact);
  std::span<const double> find_jumps(const State<double>& at);
  double fastest_closing(const std::array<ContactSweeps::Range, 2>& ranges, std::span<const double> C) const;
  StepReport solve();
  void refuse_driven_contacts(const State<double>& to) const;
  void keep_forces(double h, std::vector<double>& forces) const;
  void count_work(const State<double>& from, State<double>& to);

  struct Rates {
    bool is_known = false;
    std::vector<double> udot, xdot, zdot;
  };
  StepReport evaluate(const State<double>& at, Rates& rates);

  // A contact of the step.
  struct Active {
    int contact = 0;   // of the face
    double gap = 0.0;  // at q
    ContactSweeps::Law law;
    Eigen::Vector3d v_before, v_free;  // C u_f
  };

  Rates from_, to_, of_state_;                  // at both ends of a step, and at state()
  std::vector<int> order_;                      // speed by place
  std::vector<double> before_, packed_, push_;  // u, u' and dq by place
  std::vector<double> displacement_;            // (nu)
  std::vector<double> rows_, jumps_;            // (3 x nu) of one contact
  std::vector<Active> active_;
  std::vector<double> gaps_;  // of these at the end of the step
  ContactSweeps sweeps_;
  bool has_started_ = false;
  State<double> stage_;
  std::deque<State<double>> middles_;  // of steps that are halved
  // Layout of previous_memory(): at previous(), at state(), at the candidate, and for interpolation.
  std::vector<double> previous_, current_, next_, between_;
};

}  // namespace sestina
