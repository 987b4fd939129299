// A force computed by the user's own code, or by another program's, from the motion of the system.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sestina/forces/force.h"

namespace sestina {

// The order of the model's bodies and joints; owned by the model, with its lifetime.
struct UserForceLayout {
  struct Joint {
    std::string name;
    int q_start, nq, u_start, nu;  // places in q and in u
  };
  std::vector<std::string> bodies;  // names by BodyIndex; "ground" is 0
  std::vector<Joint> joints;        // in the order of q
};

// Input of a user force. Body frames are those of the user (not the joint frames of the recursions), in
// ground axes.
struct UserForceInput {
  const UserForceLayout& layout;
  double t;                                    // s
  std::span<const double> q, u;                // (nq), (nu)
  std::span<const BodyMotion<double>> bodies;  // by BodyIndex
};

// Output of a user force, which adds to these arrays.
struct UserForceOutput {
  std::span<double> tau;  // (nu) generalised forces along u, N m or N
  std::span<SpatialForce<double>>
      bodies;  // [torque (N m), force (N)] on each body about its origin, ground axes
};

// A force for System::add_user_force. Override add_force for forces on bodies only, or add_forces. Both are
// const, so that one object may serve several threads and models.
class UserForce {
 public:
  virtual ~UserForce() = default;

  // Called once by freeze: body_names[b] is the name of the body with BodyIndex b; "ground" is 0.
  virtual void prepare(std::span<const std::string> body_names) { (void)body_names; }

  // Adds to forces[b] the [torque (N m), force (N)] on body b about the origin of b, at time t (s).
  virtual void add_force(double t, std::span<const BodyMotion<double>> bodies,
                         std::span<SpatialForce<double>> forces) const {
    (void)t, (void)bodies, (void)forces;
  }
  // Adds the same forces on bodies, and generalised forces.
  virtual void add_forces(const UserForceInput& in, const UserForceOutput& out) const {
    add_force(in.t, in.bodies, out.bodies);
  }

  // Returns the potential (J) of the force, if it has one; all other power counts as supplied from outside.
  virtual double potential_energy(double t, std::span<const BodyMotion<double>> bodies) const {
    (void)t, (void)bodies;
    return 0.0;
  }
  // Returns minus the rate of the potential energy (W): the part of the force's power that the energy balance
  // counts as potential energy and not as supplied.
  virtual double conservative_power(double t, std::span<const BodyMotion<double>> bodies) const {
    (void)t, (void)bodies;
    return 0.0;
  }
};

}  // namespace sestina
