// All forces that act on the system except gravity, as generalised forces and as spatial forces on bodies;
// and the rates of states, which drive them.
#pragma once

#include <optional>
#include <vector>

#include "sestina/constraints/cut_joint.h"
#include "sestina/dynamics/compiled_force_expressions.h"
#include "sestina/dynamics/kinematics.h"

namespace sestina {

// Coordinates, speeds and generalised forces of all joints, cut joints last, and the motions and forces of
// the cut joints.
template <class T>
struct KnownCutJoints {
  std::vector<T> q, u, tau;
  std::vector<CutJointMotion<T>> motions;
  std::vector<SpatialForce<T>> forces;  // about M's origin, ground axes, on the child
  // If true, the caller has set the cut joints' coordinates and speeds in q and u, and their forces remain in
  // tau.
  bool are_given = false;
};

template <class T>
struct AppliedForces {
  explicit AppliedForces(const Model& model);

  std::vector<T> tau;                 // (nu) generalised forces
  std::vector<SpatialForce<T>> body;  // by FrameIndex: about Mo, ground axes; zero but for bodies
  std::vector<T> expressions;         // values of the force expressions
  std::vector<T> rates;               // (nx) of the states

  // Factor on all forces given by value (expressions). It differs from 1 only in statics.
  double load = 1.0;

  bool has_body_forces = true;  // if false, `body` stays zero: forces act on joints only

  // If set, evaluates the force expressions instead of the model's tape; used only if T is double.
  std::optional<CompiledForceExpressions> compiled_expressions;

  // Used if forces read or drive joints that close loops, otherwise empty.
  KnownCutJoints<T> cut;

  // Scratch memory.
  std::vector<T> tape_inputs, tape_scratch;
  std::vector<BodyMotion<double>> user_motion;    // by BodyIndex: the bodies' own frames
  std::vector<SpatialForce<double>> user_forces;  // by BodyIndex: about the bodies' own origins
  std::vector<double> user_tau;                   // (nu): their generalised forces
};

// Evaluates the force expressions, every force element and the rates of the states. O(n + forces), no
// allocation. If T is not double, a model that has a UserForce is refused (InputError).
template <class T>
void update_applied_forces(const Model& model, const Properties<T>& properties, const State<T>& state,
                           const Kinematics<T>& kinematics, AppliedForces<T>& forces);

// Returns the input of the force elements, for the state to which `kinematics` and `forces` belong.
template <class T>
ForceInput<T> force_input(const State<T>& state, const Kinematics<T>& kinematics,
                          const AppliedForces<T>& forces) {
  const bool use_cut = !forces.cut.q.empty() || !forces.cut.u.empty();
  return {state.t,
          use_cut ? forces.cut.q.data() : state.q.data(),
          use_cut ? forces.cut.u.data() : state.u.data(),
          kinematics.motion.data(),
          forces.expressions.data(),
          state.x.data(),
          state.h.data()};
}

// Names the first force element whose force is not finite and the reason; empty if all are finite.
std::string explain_non_finite_force(const Model& model, const Properties<double>& properties,
                                     const State<double>& state, const Kinematics<double>& kinematics,
                                     AppliedForces<double>& forces);

}  // namespace sestina
