// The model's force elements as loads on the bodies of the state-time equations, with their derivatives.
//
// Any force element of the model may act: its value is taken at the points of the element, where q and u
// follow from the motion of the bodies (joint_coordinates.h), and so is interpolated on the element like
// everything else. A generalised force becomes a force and a torque along the joint, on the child and
// opposite on the parent. Derivatives: load_derivatives.h.
#pragma once

#include <optional>

#include "sestina/state_time/load_derivatives.h"

namespace sestina {

class AppliedLoads {
 public:
  // The model and the properties must outlive this. A model with a UserForce is refused (InputError).
  AppliedLoads(const Model& model, const Properties<double>& properties);

  bool any() const { return derivatives_.has_value(); }

  // For the motion `bodies` at time t (s). `q` (nq) is a guess of the coordinates and then holds them.
  // Adds to the loads, if there are any. Throws ComputationError where a force is not finite, or where a
  // joint is too far from closed for its coordinates to be found.
  void add_loads(double t, std::span<const BodyInstant> bodies, std::span<double> q,
                 std::span<BodyLoad> loads);
  // At the motion of the last add_loads: derivatives of -loads.
  void add_derivatives(std::span<const BodyInstant> bodies, DerivativeSink& sink);

  // Coordinates (from a guess) and speeds of a motion.
  void find_state(std::span<const BodyInstant> bodies, State<double>& state);

 private:
  const Model& model_;
  const Properties<double>& properties_;
  State<double> state_;
  Kinematics<double> kinematics_;
  AppliedForces<double> forces_;
  std::optional<LoadDerivatives> derivatives_;
};

}  // namespace sestina
