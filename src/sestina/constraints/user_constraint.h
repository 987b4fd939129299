// Conditions computed by the user's own code, or by another program's, from the motion of the system.
//
// On positions, g(t, q) = 0, with J = dg/d(displacement) along the speeds (count x nu):
//   g_t = J u + r,    r: dg/dt at fixed q                                                           (1)
//   g_tt = J udot + bias                                                                              (2)
// On speeds, h(t, q, u) = 0, with J = dh/du and bias = h' - J udot. The generalised forces of the conditions
// are J^T lambda.
#pragma once

#include <span>
#include <vector>

#include "sestina/forces/user_force.h"

namespace sestina {

// A user constraint has the input of a user force: t, q, u and the motions of the bodies' own frames.
using UserConstraintInput = UserForceInput;

// The output of a user constraint; all zero beforehand.
struct UserConstraintOutput {
  std::span<double> error;      // (count) g, or h of a condition on speeds
  std::span<double> time_rate;  // (count) r of (1); of a condition on speeds not read
  std::span<double> jacobian;   // (count x nu) by rows, along u
  std::span<double> bias;       // (count) of (2), where calc() returns true
  // (count x bodies) by rows: [torque (N m), force (N)] of a unit multiplier on each body about its origin,
  // ground axes. These forces are added to the Jacobian: rows of J = sum over bodies of J_body^T force.
  std::span<SpatialForce<double>> bodies;
};

// Given to System::add_user_constraint. One object may serve many threads and models: all but prepare() is
// const. The Jacobian, time_rate and bias are compared with differences when a run begins.
class UserConstraint {
 public:
  virtual ~UserConstraint() = default;

  // The number of scalar conditions.
  virtual int count() const = 0;
  // Otherwise on speeds.
  virtual bool is_on_position() const { return true; }
  // freeze calls this once, with the names of bodies and joints and the places of the joints in q and u.
  virtual void prepare(const UserForceLayout& layout) { (void)layout; }
  // Returns whether it has filled the bias. If not, the bias is found by differences of (1) along
  // the motion, which costs two more calls; its error is about 1e-9 of the accelerations.
  virtual bool calc(const UserConstraintInput& in, const UserConstraintOutput& out) const = 0;
};

}  // namespace sestina
