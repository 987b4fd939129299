// What Newton's method begins with on the elements of a window.
//
//   march   the recursive solver by the classical Runge-Kutta rule, one step from point to point
//   held    the state at the window's start, everywhere
//   mesh    the polynomials of other elements that fill the same time
//
// A march has multipliers, the reactions at each point. Without them the tangent would be that of a system
// whose joints hold without force: a mass that whirls about a hinge would be drawn outwards by nothing that
// holds it, and what disturbs it grow with the exponential of the angle, beyond round-off within some five
// turns.
#pragma once

#include <atomic>

#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/state_time/time_trajectory.h"

namespace sestina {

// v, w, C and, where wanted, x of all bodies, each body `stride` numbers after the one before.
void put_instants(const Kinematics<double>& kinematics, const Properties<double>& properties,
                  std::span<double> numbers, int first, int stride, bool with_x);

class InitialGuess {
 public:
  // Must outlive this.
  explicit InitialGuess(ForwardDynamics& dynamics);

  // All into the elements from `first` on. `state` is that at the window's start, and then some state of it.
  // A march ends early, with elements that are not filled, when it is interrupted.
  void march(State<double>& state, TimeTrajectory& trajectory, int first,
             const std::atomic<bool>* interrupt = nullptr);
  void hold(State<double>& state, TimeTrajectory& trajectory, int first);
  void take_mesh(const TimeTrajectory& other, TimeTrajectory& trajectory, int first) const;

 private:
  struct Rates {
    explicit Rates(const Model& model);
    State<double> at;
    std::vector<double> udot;  // of the state that the next step begins with
    std::vector<double> dq, du, q, u;
  };
  void step_to(double t, State<double>& state);
  void put(const State<double>& state, TimeTrajectory& trajectory, int e, int g);
  void put_multipliers(std::span<double> multipliers);

  ForwardDynamics& dynamics_;
  Rates rates_;
  std::vector<JointConditions> joints_;
  std::vector<SpatialForce<double>> reactions_;
};

}  // namespace sestina
