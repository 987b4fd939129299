// One step of order 4 of a motion with contacts that last: none opens or closes within the step, and each
// either sticks or slides throughout.
//
//   M(q) udot = f(t, q, u) + C_n^T p_n + C_t^T p_t                                                        (1)
//   0 = C_n(q) u;   0 = C_t(q) u where it sticks;   p_t = -mu p_n v_t/|v_t|, v_t = C_t u, where it slides (2)
//
// This is a differential-algebraic system of index 2. The half-explicit rule of Brasey and Hairer with five
// stages, whose last three weights are those of Radau IIA, takes the forces of a stage such that (2) holds at
// the next one. It needs rows of C at the stages, but not their rates.
//
// Source: V. Brasey, E. Hairer, Half-explicit Runge-Kutta methods for differential-algebraic systems of
// index 2, SIAM J. Numer. Anal. 30 (1993) 538-552.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "sestina/integrate/butcher_tableau.h"
#include "sestina/integrate/equations_of_motion.h"
#include "sestina/numerics/least_norm_solver.h"

namespace sestina {

class LastingContactStep {
 public:
  struct Contact {
    int number = 0;  // of the contact face
    bool sticks = false;
    double friction = 0.0;
    std::optional<double> load;  // N or N m: the normal force, where it is given
    // For a contact at rest at the start that begins to slide: the direction in which it does; otherwise
    // zero.
    Eigen::Vector2d direction = Eigen::Vector2d::Zero();
    // True if the slip vanishes at the end of the step or before; friction then keeps its direction to the
    // end.
    bool turns = false;
  };

  LastingContactStep();

  // Steps to t_end. Returns false if one of the contacts does not stay in its state, or if points of contact
  // appear or disappear; `to` then has no meaning. After a step, loops may be open and gaps nonzero, by an
  // amount of the order of the rule.
  bool take(EquationsOfMotion& equations, const State<double>& from, double t_end,
            std::span<const Contact> contacts, State<double>& to);
  // The slip of a contact (by its place among those of the last step) at the end and at the start, in m/s.
  // first_slip() is `direction` for a contact that begins to slide.
  Eigen::Vector2d slip(std::size_t contact) const { return slip_.col(static_cast<Eigen::Index>(contact)); }
  Eigen::Vector2d first_slip(std::size_t contact) const {
    return first_slip_.col(static_cast<Eigen::Index>(contact));
  }
  // Whether the last step failed because a sticking contact required more friction than its limit.
  bool has_slipped() const { return has_slipped_; }
  // Removes the speeds that (2) excludes, after a small change of position.
  void remove_speeds(EquationsOfMotion& equations, std::span<const Contact> contacts, State<double>& state);

 private:
  void start(const State<double>& from);
  bool move(const State<double>& from, double h, std::size_t stage);
  bool read_rows();
  bool read_slip(std::size_t stage);
  bool read_direction(std::size_t contact, Eigen::Vector2d slip, double least);
  bool evaluate(std::size_t stage);
  bool find_forces(double h, std::size_t stage);
  bool can_last(const Eigen::VectorXd& forces);
  void count_work(std::size_t stage, const Eigen::VectorXd& forces);
  void find_responses();
  Eigen::VectorXd solve(Eigen::VectorXd speeds, double h);

  EquationsOfMotion* equations_ = nullptr;
  std::span<const Contact> contacts_;
  State<double> stage_;
  std::size_t count_ = 0;  // of all contacts at the start
  bool has_slipped_ = false;
  Eigen::MatrixXd rate_, udot_, xdot_, zdot_;  // (nu, nu, nx, nz; stages)
  Eigen::MatrixXd C_;                          // (3 contacts x nu)
  Eigen::MatrixXd rows_;                       // (forces x nu) of (2)
  Eigen::MatrixXd responses_;                  // (nu x forces) udot per unit of force
  Eigen::MatrixXd slip_, first_slip_;          // (2 x contacts) m/s, of the last and of the first stage
  Eigen::MatrixXd directions_;                 // (2 x contacts) of the slip, zero for contacts that stick
  Eigen::VectorXd driven_;                     // (3 contacts) velocities that prescribed motions cause
  std::vector<double> displacement_;           // (nu)
  ButcherTableau tableau_;
  LeastNormSolver solver_;
};

}  // namespace sestina
