// A force computed by the user's own code, or by another program's, from the motion of all bodies.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sestina/forces/force.h"

namespace sestina {

// Given to System::add_user_force. Body frames here are the user's (not the joint frames of the
// recursions); everything is in ground axes. One object may serve many threads: add_force is const.
class UserForce {
 public:
  virtual ~UserForce() = default;

  // Called once by freeze: body_names[b] is the name of the body with BodyIndex b; "ground" is 0.
  virtual void prepare(std::span<const std::string> body_names) { (void)body_names; }

  // Adds to forces[b] the [torque (N m), force (N)] on body b about the origin of b, at time t (s).
  virtual void add_force(double t, std::span<const BodyMotion<double>> bodies,
                         std::span<SpatialForce<double>> forces) const = 0;

  // J. A force that has a potential says so here; the rest of its power counts as supplied from outside.
  virtual double potential_energy(double t, std::span<const BodyMotion<double>> bodies) const {
    (void)t, (void)bodies;
    return 0.0;
  }
  // W, minus the rate of the potential energy: the part of the power that the balance of energy finds in
  // the potential and not in what is supplied.
  virtual double conservative_power(double t, std::span<const BodyMotion<double>> bodies) const {
    (void)t, (void)bodies;
    return 0.0;
  }
};

}  // namespace sestina
