// The model's force elements as loads on the bodies of the state-time equations, with their derivatives.
//
// Every type of force element is allowed. Its value is taken at the points of the time element, where q and u
// follow from the motion of the bodies (joint_coordinates.h), and is interpolated like all other terms. A
// generalised force becomes a force and a torque along the joint, on the child and opposite on the parent.
// Derivatives: load_derivatives.h.
#pragma once

#include <optional>

#include "sestina/state_time/load_derivatives.h"

namespace sestina {

class AppliedLoads {
 public:
  // Keeps references: model and properties must outlive this object. Refuses a UserForce (InputError).
  // finds_states: add_loads() computes the state even if there are no forces.
  AppliedLoads(const Model& model, const Properties<double>& properties, bool finds_states = false);

  bool any() const { return derivatives_.has_value(); }

  // Adds the loads for the motion `bodies` at time t (s), unless `loads` is empty. `q` (nq) is a guess of the
  // coordinates on entry and contains them on return. Throws ComputationError if a force is not finite, or if
  // a joint is too far from closed for its coordinates to be found.
  void add_loads(double t, std::span<const BodyInstant> bodies, std::span<double> q,
                 std::span<BodyLoad> loads);
  // Adds the derivatives of -loads at the motion of the last add_loads.
  void add_derivatives(std::span<const BodyInstant> bodies, DerivativeSink& sink);

  // Computes coordinates (from the guess `q`, nq) and speeds at time t (s), for state().
  void update_state(double t, std::span<const BodyInstant> bodies, std::span<const double> q);
  const State<double>& state() const { return state_; }

  // Computes coordinates (from a guess) and speeds of a motion.
  void find_state(std::span<const BodyInstant> bodies, State<double>& state);

 private:
  const Model& model_;
  const Properties<double>& properties_;
  bool finds_states_;
  State<double> state_;
  Kinematics<double> kinematics_;
  AppliedForces<double> forces_;
  std::optional<LoadDerivatives> derivatives_;
};

}  // namespace sestina
