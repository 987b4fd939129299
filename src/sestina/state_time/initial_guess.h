// The initial guess of Newton's method on the elements of a window.
//
//   march   the recursive solver by the classical Runge-Kutta rule, one step from point to point
//   held    the state at the window's start, everywhere
//   mesh    the polynomials of other elements that fill the same time
//
// A march provides multipliers, the reactions at each point. Without them the tangent would be that of a
// system whose joints transmit no force: nothing would hold a mass that whirls about a hinge against its
// centrifugal force, and disturbances would grow with the exponential of the angle, beyond round-off within
// about five turns.
#pragma once

#include <atomic>

#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/state_time/time_trajectory.h"

namespace sestina {

// Writes v, w, C and, if `with_x`, x of all bodies, each body `stride` numbers after the one before.
void put_instants(const Kinematics<double>& kinematics, const Properties<double>& properties,
                  std::span<double> numbers, int first, int stride, bool with_x);

// Reads the numbers of a body, with x, from `first` on.
BodyInstant read_instant(std::span<const double> numbers, int first);

class ClosingConditions;

class InitialGuess {
 public:
  // Keeps a reference: `dynamics` must outlive this object.
  explicit InitialGuess(ForwardDynamics& dynamics);
  // Conditions that close loops, whose multipliers a march provides too; null: none. They must outlive it.
  void use(const ClosingConditions* closing) { closing_ = closing; }

  // Fill all elements from `first` on. `state` is that at the window's start on entry and some state of the
  // window on return. An interrupted march ends early and leaves elements that are not filled.
  void march(State<double>& state, TimeTrajectory& trajectory, int first,
             const std::atomic<bool>* interrupt = nullptr);
  void hold(State<double>& state, TimeTrajectory& trajectory, int first);
  void take_mesh(const TimeTrajectory& other, TimeTrajectory& trajectory, int first) const;

 private:
  struct Rates {
    explicit Rates(const Model& model);
    State<double> at;
    std::vector<double> udot;  // at the state that begins the next step
    std::vector<double> dq, du, q, u;
  };
  void step_to(double t, State<double>& state);
  void put(const State<double>& state, TimeTrajectory& trajectory, int e, int g);
  void put_multipliers(std::span<double> multipliers);

  ForwardDynamics& dynamics_;
  Rates rates_;
  std::vector<JointConditions> joints_;
  const ClosingConditions* closing_ = nullptr;
  std::vector<SpatialForce<double>> reactions_;
};

}  // namespace sestina
