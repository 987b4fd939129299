// Time stepping with contacts: Moreau and Jean's scheme on velocities, with a smooth part of order 4.
//
// A step of length h from (q, u):
//   1. free      q_f, u_f: the classical Runge-Kutta step on the manifold, without contacts
//   2. contacts  with a gap that closes, g(q_f) <= 0, and rigid; or with stiffness, while they overlap; and
//                those closed at q, which the impulses of others may hold closed
//   3. impacts   where a rigid gap closes with a speed of its own within the step, the step is split at that
//                instant: 1 to 5 from (q, u) to there, 4 with h = 0, and 1 to 5 from there to the end;
//                likewise where impulses of others close a gap that the free motion leaves open
//   4. impulses  u' = u_f + M^-1 C^T p,  by friction_solver.h for v = C u':
//        rigid      0 <= p_n,  v_n >= 0, where it hits (Newton): v_n >= -e v_n before
//        compliant  p_n/h = -k (g + g')/2 - d (v_n(u) + v_n(u'))/2, its force by the trapezoidal rule
//   5. position  q' = q_f along c h (u' - u_f), c = 1/2 for a contact that lasts (constant force within the
//                step), less for one that closes within it; then rigid gaps are corrected to zero with the
//                least displacement in the norm of M
// 4 and 5 are solved twice, the second time with M and C at the q' of the first. The work of an impulse is
// p . (v_f - c (v_f - v) + G p/2): on the mean velocity while it acts, so that the energy of contacts that
// last or hit is balanced to the order of the step. A prescribed motion supplies -p . C u_w against it, where
// u_w are the speeds that the motion alone causes from rest: with G_c u_w = w as the conditions of motions
// and constraints, u_w = M^-1 G_c^T (G_c M^-1 G_c^T)^-1 w, the impulse of the conditions that answers p is
// -(G_c M^-1 G_c^T)^-1 G_c M^-1 C^T p, and its work is w times that.
//
// With restitution e by Poisson's or Stronge's hypothesis the impulses of 4 are the impulses of compression.
// The normal impulse of restitution is e times that of compression (Poisson), or returns e^2 of the work that
// the normal forces took (Stronge). The normal velocities that these lead to are then imposed in a second
// solution of 4. Rebounds that are lower than round-off are rest; so are those after the last split that a
// step may have, and their speeds are then part of its error.
//
// A step in which two shapes move relative to each other by more than their gap and half of their thickness,
// or after which shapes overlap, is taken in two halves, so that shapes do not pass through each other.
// States and integrals follow by Simpson's rule along the motion with contacts.
//
// Steps 1 to 5 have order 2 where contacts last. They tell which contacts stick or slide within the step;
// where all of these last in their states, a step of order 4 (lasting_contact_step.h) replaces the result.
//
// The rule takes two steps of h/2; the difference from one step of h is the error estimate. Where a step has
// to be taken in parts, each part is taken once and twice. Steps have order 4 but for those within which a
// contact begins to slide, or opens without an impact: order 2. Where a slip vanishes or begins, steps are
// split (moreau_turns.cpp).
//
// Sources: J. J. Moreau, Unilateral contact and dry friction in finite freedom dynamics, CISM 302 (1988)
// 1-82; M. Jean, The non-smooth contact dynamics method, Comput. Methods Appl. Mech. Engrg. 177 (1999)
// 235-257; V. Acary, B. Brogliato, Numerical Methods for Nonsmooth Dynamical Systems (2008); W. J. Stronge,
// Impact Mechanics (2000). Error control by step doubling with contacts: V. Kurtz, A. Castro (CENIC, 2025).
#pragma once

#include <Eigen/Core>
#include <deque>
#include <optional>
#include <vector>

#include "sestina/contact/friction_solver.h"
#include "sestina/integrate/butcher_tableau.h"
#include "sestina/integrate/integration_rule.h"
#include "sestina/integrate/lasting_contact_step.h"

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
  static constexpr int kMostSplits = 4;     // of a step, at impacts
  static constexpr int kMostHalvings = 12;  // of a step in which shapes move far
  static constexpr double kClosed = 1e-14;  // m or rad: gaps below are round-off
  static constexpr double kMoves = 1e-9;    // m/s or rad/s: what is slower does not move

  void do_start(std::span<const double> memory) override;
  StepReport do_step(double t_end, State<double>& candidate) override;
  void do_accept() override {}
  StepReport do_interpolate(double t, State<double>& out) override;

  // The instant of an impact.
  struct Landing {
    int contact = 0;
    double t = 0.0;
  };
  void keep(const State<double>& at);
  StepReport step_divided(const State<double>& from, double t_end, State<double>& to, bool is_twice,
                          int depth = 0);
  StepReport step_twice(const State<double>& from, double t_end, State<double>& to, int depth = 0);
  StepReport step_once(const State<double>& from, double t_end, State<double>& to, int splits = kMostSplits,
                       int depth = 0);
  StepReport step_halved(const State<double>& from, double t_end, State<double>& to, int splits, int depth);
  StepReport finish_step(const State<double>& from, double t_end, State<double>& to, int splits, int depth);
  State<double>& middle_of(const State<double>& like, int depth);
  bool overlaps(const State<double>& at);
  StepReport step_across(const State<double>& from, Landing landing, double t_end, State<double>& to,
                         int splits, int depth);
  StepReport step_on(const State<double>& from, double t_end, State<double>& to, int splits, int depth);
  StepReport land(const State<double>& from, Landing landing, double t_end, State<double>& at, double& gap);
  StepReport step_to_landing(const State<double>& from, double t, int contact, State<double>& to);
  StepReport step_freely(const State<double>& from, double t_end, State<double>& to);
  void move(const State<double>& from, double h, std::span<const double> weights, State<double>& to);

  // A contact of the step.
  struct Active {
    int contact = 0;
    bool is_impact = false;      // closes with a speed of its own, not due to forces in the step
    bool hits = false;           // is an impact and rebounds
    double neglected = 0.0;      // speed of a rebound that is treated as rest
    double gap = 0.0;            // of q_f
    double gap_before = 0.0;     // of q
    std::optional<double> load;  // that is given
    double left = 1.0;           // part of the step that remains after the gap has closed
    Eigen::Vector2d slip = Eigen::Vector2d::Zero();  // at the start, with C there
    Eigen::Vector3d v_before, v_free;                // C u and C u_f
    Eigen::Vector3d v_touch;                         // velocity of the free motion when the gap has closed
  };
  // The state of a contact at the start of the step.
  struct Start {
    bool closes = false;            // by the end of the free motion
    bool is_known = false;          // gap and speed are
    double gap = 0.0, speed = 0.0;  // along the normal
    Eigen::Vector2d slip = Eigen::Vector2d::Zero();
  };
  StepReport touch(const State<double>& from, State<double>& to);
  bool refine(const State<double>& from, State<double>& to);
  bool settle(State<double>& to);
  bool find_lasting(const State<double>& from, const State<double>& to);
  bool find_slip(const State<double>& from, const State<double>& to, int splits);
  bool find_sticking(const State<double>& from);
  bool take_lasting();
  bool find_turn(const State<double>& from, const State<double>& to, int splits);
  bool land_on_turn(const State<double>& from, double t_end);
  double remaining_slip() const;
  Eigen::Vector2d slip_at_end(std::size_t active) const;
  static bool slides_at_start(const Active& active, const State<double>& from);
  void add_neglected_turns(const State<double>& from);
  void remove_speeds(State<double>& to);
  StepReport not_converged(int contact);
  void refuse_driven_contacts(const State<double>& to, const Eigen::VectorXd& v, double allowed);
  // The contacts of a step to find: all; all, without rebounds; those that last; those that carry at an
  // instant.
  enum class Look { kAll, kRest, kSupport, kImpacts };
  void find_starts(const State<double>& from, const State<double>& to, double closed);
  void find_active(const State<double>& from, const State<double>& to, Look look, double closed = kClosed);
  void update_matrix(const State<double>& at);
  void update_velocities(const State<double>& from);
  void set_laws(double h);
  bool restore();
  void add_neglected_rebounds();
  Eigen::VectorXd restitution_impulses() const;
  double centre_of_impulse(const Active& active) const;
  Eigen::VectorXd speeds_of_motions(const State<double>& at);
  void apply(const State<double>& from, State<double>& to);
  void hold_still(const State<double>& from, State<double>& to);
  void close_gaps(State<double>& to);
  bool carries(int contact) const;
  bool is_active(int contact) const;
  std::optional<Landing> find_missed(const State<double>& from, const State<double>& to);
  void find_normals(const State<double>& at, const std::vector<int>& contacts);
  StepReport integrate_rates(const State<double>& from, State<double>& to);

  std::string name_ = "moreau";
  ButcherTableau tableau_;
  std::vector<double> k_, sum_, displacement_;
  State<double> stage_, half_, whole_;
  State<double> free_;                  // the end of a step without contacts
  State<double> landing_;               // likewise, where an impact ends it
  std::vector<State<double>> touched_;  // where steps are split
  std::deque<State<double>> middles_;   // of steps that are halved
  std::vector<State<double>> path_;     // states on the way of the last step, in order of time
  std::size_t path_length_ = 0;
  bool is_keeping_ = false;
  bool is_divided_ = false;    // the last step, into parts
  bool is_projected_ = false;  // constraints have changed the speeds that the impulses led to
  bool is_refined_ = false;    // the last step, to order 4
  Eigen::VectorXd neglected_;  // (nu) speeds of rebounds that were taken for rest, and of slips that turned

  std::size_t count_ = 0;  // number of all contacts of the step
  std::vector<Start> starts_;
  std::vector<Active> active_;
  std::vector<int> missed_;  // not active, but overlapped with the impulses of those that are
  int landing_on_ = -1;      // the contact to whose impact a step leads, otherwise -1
  Eigen::MatrixXd C_, du_;   // (3 contacts x nu), (nu x 3 contacts): M^-1 C^T
  Eigen::MatrixXd G_;        // C M^-1 C^T
  Eigen::MatrixXd normals_, normal_du_;
  Eigen::VectorXd b_, p_;  // of (1) in friction_solver.h
  std::vector<double> friction_, compliance_;
  FrictionSolver solver_;
  LastingContactStep lasting_step_;
  std::vector<LastingContactStep::Contact> lasting_;
  State<double> refined_;  // the end of a step of order 4
};

}  // namespace sestina
