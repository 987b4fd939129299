// States of rest: coordinates at which all forces balance and all loops are closed.
//
//   r(q, lambda) = -(f(q) + C^T lambda) = 0 at rest,   g(q) = 0,   t = 0                          (1)
//
// Newton's method in displacements d: with Z a basis of the displacements that conditions allow, C Z = 0,
//   d = -C^+ g + Z z,   Z^T (K + mu) Z z = -Z^T (r - K C^+ g),   K = dr/dq                        (2)
// lambda minimises r at each q (least squares; with redundant conditions the solution of least norm). C^+ and
// Z come from a complete orthogonal decomposition, with lengths in units of the mechanism's size. mu is zero
// where the stiffness Z^T K Z is positive; elsewhere it makes it so, and the iteration moves downhill: away
// from a maximum of the potential energy, towards a minimum. A start that is at rest stays there, stable or
// not.
//
// Newton's method in displacements converges poorly for beams: stretching is much stiffer than bending, and a
// section that turns by a large angle in one step stretches its neighbours. So the wrenches of their elements
// are unknowns in addition to d, condensed element by element (beam_forces.h), and mu stays zero; if that
// finds no equilibrium, (2) is tried.
//
// States x with a rate rest too, rate(q, x) = 0, and are unknowns beside z:
//   [Z^T K Z  Z^T r_x] [z ]     [Z^T (r - K C^+ g)   ]
//   [rate_q Z  rate_x] [dx] = - [rate - rate_q C^+ g]                                             (3)
// A state whose rate is zero at rest for any q and x, such as a bristle's, keeps its value.
//
// Conditions on speeds prevent the corresponding displacements: their rows are part of C, without g.
#pragma once

#include <string>

#include "sestina/dynamics/motion_tangents.h"

namespace sestina {

class Equilibrium {
 public:
  // The model must outlive this. A model with a UserForce, contacts or enforced limits is
  // refused (InputError).
  Equilibrium(const Model& model, const Properties<double>& properties);

  // Brings the coordinates (and x) of the state to rest under a part of the load (MotionTangents::set_load),
  // from those that it has; its speeds become zero. False if the iteration finds none; the state is then
  // the best one found.
  bool find(double load, State<double>& state);

  // The following belong to the last state that find() has come to.
  const Eigen::VectorXd& lambda() const { return lambda_; }  // (rows)
  // No direction in which the (symmetric part of the) stiffness is negative; of a model with states no motion
  // nearby that grows.
  bool is_stable() const;
  int iterations() const { return iterations_; }
  // "hip is left with 3.2 N m" for the largest imbalance, or the loop that is left open.
  std::string describe_rest() const;
  const MotionTangents& tangents() const { return tangents_; }

  // One point after another of the path of equilibria (q, load) by arc length, past points where the load is
  // largest. The state is an equilibrium of `load`. Refuses a model with states (InputError).
  struct PathPoint {
    double load = 0.0;
    Eigen::VectorXd direction;  // (nu + 1) of the path, in scaled displacements and load; empty at the start
  };
  // A step of length `arc` along the path. False where it could not be taken; nothing has changed then.
  bool follow(double arc, PathPoint& point, State<double>& state);

 private:
  bool follow_from_balance(double arc, PathPoint& point, State<double>& state);
  bool find_with_wrenches(State<double>& state);
  bool find_downhill(State<double>& state);
  bool find_with_states(State<double>& state);
  Eigen::VectorXd step_with_states() const;  // (3): [d; dx]
  struct Unrest {
    double rate = 0.0;  // relative to its terms
    Eigen::Index state = 0;
  };
  Unrest unrest() const;  // the largest
  void set_sizes(const State<double>& state, const Eigen::VectorXd& dx);
  bool is_steady() const;  // with states: no eigenvalue of the motion nearby has a positive real part
  Eigen::VectorXd plain_step() const;        // (2) with mu = 0
  void decompose();                          // C^+ and Z at the tangents' state
  void balance(const State<double>& state);  // lambda, then r and K with it
  double imbalance() const;                  // the largest part of Z^T r, relative to the terms of r and to K
  double openness() const;                   // the largest |g|
  double calc_error() const;  // the larger of these, which are of size one; NaN where something is not finite
  Eigen::VectorXd step() const;  // (2), scaled
  Eigen::VectorXd limited(Eigen::VectorXd d) const;
  void move(const Eigen::VectorXd& d, State<double>& state) const;
  Eigen::VectorXd find_direction(const Eigen::VectorXd& by_load, const Eigen::VectorXd& before) const;
  Eigen::VectorXd load_derivative(const State<double>& state);  // dr/dload (nu), scaled

  const Model& model_;
  MotionTangents tangents_;
  std::vector<double> rest_;      // (nu) zeros
  Eigen::VectorXd weight_;        // (nu): a scaled displacement is weight times the displacement
  Eigen::VectorXd lambda_;        // (rows)
  Eigen::MatrixXd C_, Z_, pinv_;  // scaled: C W^-1, its null space, C^+
  Eigen::MatrixXd K_;             // scaled: W^-1 K W^-1
  Eigen::VectorXd r_;             // scaled: W^-1 r
  Eigen::VectorXd x_size_;        // (nx): the largest |x| and change of x that the iteration has met
  double length_ = 1.0;
  int iterations_ = 0;
  State<double> last_;      // where find_with_states() has come to
  std::string not_finite_;  // why, where the iteration has come to such a state
};

}  // namespace sestina
