// A force computed by the user's own code, or by another program's, from the motion of the system.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sestina/forces/force.h"

namespace sestina {

// Where a model has its bodies and joints; belongs to the model and lives as long as it.
struct UserForceLayout {
  struct Joint {
    std::string name;
    int q_start, nq, u_start, nu;  // its place in q and in u
  };
  std::vector<std::string> bodies;  // names by BodyIndex; "ground" is 0
  std::vector<Joint> joints;        // in the order of q
};

// What a user force reads. Body frames are the user's (not the joint frames of the recursions), in ground
// axes.
struct UserForceInput {
  const UserForceLayout& layout;
  double t;                                    // s
  std::span<const double> q, u;                // (nq), (nu)
  std::span<const BodyMotion<double>> bodies;  // by BodyIndex
};

// What it adds to.
struct UserForceOutput {
  std::span<double> tau;  // (nu) generalised forces along u, N m or N
  std::span<SpatialForce<double>>
      bodies;  // [torque (N m), force (N)] on each body about its origin, ground axes
};

// Given to System::add_user_force. Override add_force, for forces on bodies alone, or add_forces. One object
// may serve many threads and models: both are const.
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
  // The same, and generalised forces.
  virtual void add_forces(const UserForceInput& in, const UserForceOutput& out) const {
    add_force(in.t, in.bodies, out.bodies);
  }

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
