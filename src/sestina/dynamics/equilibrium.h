// States of rest: coordinates at which all forces balance and all loops are closed.
//
//   r(q, lambda) = -(f(q) + C^T lambda) = 0 at rest,   g(q) = 0,   t = 0                          (1)
//
// Newton's method in displacements d: with Z a basis of the displacements that conditions allow, C Z = 0,
//   d = -C^+ g + Z z,   Z^T (K + mu) Z z = -Z^T (r - K C^+ g),   K = dr/dq                        (2)
// lambda minimises r at each q (least squares; with redundant conditions the solution of least norm). C^+ and
// Z come from a complete orthogonal decomposition, with lengths in units of the mechanism's size. mu is zero
// if the stiffness Z^T K Z is positive definite; otherwise it makes it so, and the iteration moves downhill:
// away from a maximum of the potential energy, towards a minimum. A start in equilibrium is returned
// unchanged, stable or not.
//
// Newton's method in displacements converges poorly for beams: stretching is much stiffer than bending, and a
// section that rotates by a large angle in one step stretches its neighbours. Therefore the wrenches of the
// elements are unknowns in addition to d, condensed element by element (beam_forces.h), and mu stays zero; if
// this finds no equilibrium, (2) is tried.
//
// States x with a rate are at rest too, rate(q, x) = 0, and are unknowns in addition to z:
//   [Z^T K Z  Z^T r_x] [z ]     [Z^T (r - K C^+ g)   ]
//   [rate_q Z  rate_x] [dx] = - [rate - rate_q C^+ g]                                             (3)
// with mu for the stiffness that is left where the states follow z, Z^T (K - r_x rate_x^-1 rate_q) Z.
// A state whose rate is zero at rest for any q and x, such as a bristle's, keeps its value.
//
// Conditions on speeds prevent the corresponding displacements: their rows are part of C, without g.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "sestina/dynamics/motion_tangents.h"

namespace sestina {

class Equilibrium {
 public:
  // The model must outlive this. A model with a UserForce, contacts or enforced limits is
  // refused (InputError).
  Equilibrium(const Model& model, const Properties<double>& properties);

  // Sets what is called before each iteration. An exception that it throws ends find() and follow(), whose
  // state is then one on the way.
  void set_watch(std::function<void()> watch) { watch_ = std::move(watch); }

  // Moves the coordinates (and x) of the state to rest under a part of the load (MotionTangents::set_load),
  // starting from their present values; speeds become zero. Returns false if the iteration finds no
  // equilibrium; the state is then the best one found.
  bool find(double load, State<double>& state);

  // The same in parts of the load: the step from `from`, under which the state is near rest, to `load` is
  // halved where it fails. Then the state is the last one found; `reached` is its part of the load, and
  // `tried` and `failure` tell of the longest step that failed from there.
  struct Search {
    bool is_found = false;
    double reached = 0.0, tried = 0.0;
    std::string failure;
    // "no state of rest was found beyond 0.3 of the load: under 0.6 of it hip is left with 3.2 N m"
    std::string describe() const;
  };
  Search find_in_parts(double from, double load, State<double>& state);

  // The same from a state in which conditions are open, such as that of a beam that is not bent yet: with g_0
  // of the start, g(q) = (1 - part) g_0 for parts that grow to 1, each from the equilibrium of the last one.
  // Returns false if that fails, with the state unchanged.
  bool close_in_parts(double load, State<double>& state);

  // The following belong to the last state that find() has reached.
  const Eigen::VectorXd& lambda() const { return lambda_; }  // (rows)
  // True if the symmetric part of the stiffness is negative in no direction or, for a model with states, if
  // no small motion grows.
  bool is_stable() const;
  int iterations() const { return iterations_; }
  // "hip is left with 3.2 N m" for the largest imbalance, or the loop that remains open.
  std::string describe_rest() const;
  const MotionTangents& tangents() const { return tangents_; }

  // Follows the path of equilibria (q, load) by arc length, past points of maximum load. The state is an
  // equilibrium for `load`. Refuses a model with states (InputError).
  struct PathPoint {
    double load = 0.0;
    Eigen::VectorXd direction;  // (nu + 1) scaled tangent [displacement; load]; empty at the start
  };
  // Takes a step of length `arc` along the path. Returns false, with nothing changed, if it fails.
  bool follow(double arc, PathPoint& point, State<double>& state);

 private:
  bool follow_from_balance(double arc, PathPoint& point, State<double>& state);
  bool find_with_wrenches(State<double>& state);
  bool find_downhill(State<double>& state);
  bool find_with_states(State<double>& state);
  Eigen::VectorXd step_with_states() const;  // (3): [d; dx]
  // Returns mu of (2) for a stiffness and the right-hand side, and for those of (3) without the states.
  double shift(const Eigen::MatrixXd& stiffness, const Eigen::VectorXd& rhs) const;
  double shift_with_states(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& rhs) const;
  struct LargestRate {
    double rate = 0.0;  // relative to the largest of its terms
    Eigen::Index state = 0;
  };
  LargestRate largest_rate() const;  // the largest rate
  void set_sizes(const State<double>& state, const Eigen::VectorXd& dx);
  bool is_steady() const;              // with states: no eigenvalue of small motions has a positive real part
  Eigen::VectorXd plain_step() const;  // (2) with mu = 0
  void decompose();                    // C^+ and Z at the state of the tangents
  void balance(const State<double>& state);  // computes lambda, then r and K with it
  double imbalance() const;                  // the largest part of Z^T r, relative to the terms of r and to K
  // Whether all forces balance, also along the softest directions: the part of r along each eigenvector of
  // the stiffness is compared with its eigenvalue and with the terms of r in it.
  bool is_at_rest() const;
  // Returns the round-off of forces, and of stiffnesses, along each of these directions.
  Eigen::VectorXd round_off_along(const Eigen::MatrixXd& directions) const;
  // Moves from a state of rest that is not stable to a stable one, if one is found.
  void leave_unstable(const State<double>& start, State<double>& state);
  Eigen::VectorXd gap() const;   // g, less what close_in_parts() leaves open
  double closure_error() const;  // the largest part of it
  double calc_error() const;     // the larger of the two, both of order one; NaN if something is not finite
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
  Eigen::VectorXd open_;          // (rows) of close_in_parts(), otherwise zero
  Eigen::MatrixXd C_, Z_, pinv_;  // scaled: C W^-1, its null space, C^+
  Eigen::MatrixXd K_;             // scaled: W^-1 K W^-1
  Eigen::VectorXd r_;             // scaled: W^-1 r
  Eigen::VectorXd x_size_;        // (nx): the largest |x| and change of x in the iteration so far
  double length_ = 1.0;
  int iterations_ = 0;
  bool goes_downhill_ = true;  // whether find_with_states() shifts the stiffness
  State<double> last_;         // the last state of find_with_states()
  std::function<void()> watch_;
  std::string not_finite_;  // the reason, if the iteration met a state that is not finite
};

}  // namespace sestina
