// Derivatives of inverse dynamics with respect to the parameters of the model, from the subtree sums of
// inverse_dynamics_derivatives.h: O(n) for a parameter, and less if it affects few bodies.
//
// State and udot are held fixed. In the notation of inverse_dynamics_derivatives.h a parameter changes
//   - a body's mass, mass moment and inertia by m', h', J', so that the body requires the additional force
//       [J' alpha + h' x a + w x J' w;  m' a + alpha x h' + w x (w x h')]                            (1)
//   - gravity by g': each subtree requires [h x -g'; -m g']                                          (2)
//   - the pose of the joint's frame F in the parent P. This displaces the subtree of the joint's body j
//     rigidly, by the rotation theta of F and the translation eta of Mo_j, as if by a joint between P and F
//     that rests. With s from Mo_P to Mo_j and r the velocity of j relative to P:
//       psi   = w_P x theta,   beta = alpha_P x theta + w_P x psi                                    (3)
//       gamma = alpha_P x eta + w_P x (w_P x eta) + 2 psi x r.v
//               + (a_P + alpha_P x s + w_P x (w_P x s)) x theta
//     and the terms of the joint itself cancel. Body i of the subtree then requires d'F_i, which is (6) there
//     with gamma + beta x p + 2 psi x (v_i - v_j); for the speeds of j and outboard of it
//       dresidual_l = H_l . d'F_i                                                                    (4)
//     and for those inboard of it (8) and (9) hold.
//   - joint springs and dampers, by their numbers; the other applied forces, by update_applied_forces on dual
//     numbers with the displaced motions of the bodies.
// If it changes an axis or a pitch of a joint, ParameterDerivatives is used.
#pragma once

#include <memory>
#include <optional>

#include "sestina/dynamics/dual_forces.h"
#include "sestina/dynamics/inverse_dynamics_derivatives.h"
#include "sestina/dynamics/parameter_derivatives.h"
#include "sestina/dynamics/virtual_motion.h"

namespace sestina {

class InverseDynamicsByParameters {
 public:
  // Evaluates at the values properties.parameters. The model and the properties must outlive this object.
  // Accepts the same models as InverseDynamicsDerivatives.
  InverseDynamicsByParameters(const Model& model, const Properties<double>& properties);

  // Sets the state to which `kinematics` belongs. `at` has been updated there, with udot (nu). All arguments
  // must live as long as calc() is called.
  void start(const State<double>& state, const Kinematics<double>& kinematics, std::span<const double> udot,
             const SubtreeSums& at);
  // Computes dresidual/dp (nu) for a parameter, given by its index in Model::parameters(). No allocation,
  // except for the first parameter that changes an axis or a pitch.
  void calc(int parameter, std::span<double> by);
  // The product of dresidual/dp with the virtual motion, whose sums belong to the same state: O(1) if the
  // only forces are joint springs and dampers.
  double calc_product(int parameter, const VirtualMotion& virtual_motion);

  // The displacement of a joint's frame: theta and eta as above, dv of Mo_j, and (3).
  struct Displacement {
    std::size_t body;
    Vec3<double> theta, eta, psi, dv, beta, gamma;
  };
  // Calls f(displacement) for each frame that the parameter displaces.
  template <class F>
  void for_each_displacement(int parameter, F&& f) {
    for (const Frame& frame : changes_by(parameter).frames) f(displace(frame));
  }
  // Whether the parameter changes an axis or a pitch of a joint.
  bool changes_joint(int parameter) { return changes_by(parameter).changes_joint; }

 private:
  // The quantities that a parameter changes, as derivatives. Members without a frame are in the body's joint
  // frame M.
  struct Mass {
    std::size_t body;
    double mass;
    Vec3<double> h;
    SymMat3<double> J;
  };
  struct Frame {
    std::size_t body;
    Vec3<double> theta, p;  // of X_PF, in the joint frame of the parent
    Vec3<double> p_PF;      // the value, without derivative
  };
  // A generalised force linear in udot, q and u: armatures, springs and dampers on a joint.
  struct Diagonal {
    std::size_t u, q;
    double by_udot, by_q, by_u, constant;
  };
  struct Changes {
    std::vector<Mass> masses;
    std::vector<Frame> frames;
    std::vector<Diagonal> diagonals;
    Vec3<double> gravity;
    bool changes_gravity = false, changes_joint = false;
    std::size_t forces_end = 0;                  // of the bodies on which additional forces act
    std::optional<Properties<Dual>> properties;  // numbers for the applied forces
  };
  const Changes& changes_by(int parameter);
  Changes find_changes(const Properties<Dual>& properties) const;
  SpatialForce<double> force_of(const Mass& mass) const;
  Displacement displace(const Frame& frame) const;
  void move_subtree(const Displacement& displacement);
  SpatialForce<double> force_on_parent(const Displacement& displacement) const;
  void add_displacement(const Displacement& displacement, std::span<double> by);
  void add_gravity(const Vec3<double>& gravity, std::span<double> by) const;
  double force_of(const Diagonal& diagonal) const;
  void update_forces(const Changes& changes);
  void stop_moving(const Changes& changes);
  void subtract_forces(const Changes& changes, std::span<double> by);

  const Model& model_;
  const Properties<double>& properties_;
  std::vector<std::optional<Changes>> changes_;  // by parameter, computed on first use
  std::vector<std::size_t> subtree_end_;         // by BodyIndex
  std::vector<SpatialForce<double>> force_;      // by BodyIndex: required forces, passed inward
  std::vector<MotionRates> moved_;               // by BodyIndex: zero except for displaced bodies
  std::optional<DualForces> dual_;               // if there are forces other than those on joints
  bool acts_on_bodies_ = false;
  const State<double>* state_ = nullptr;
  const Kinematics<double>* kinematics_ = nullptr;
  std::span<const double> udot_;
  const SubtreeSums* at_ = nullptr;
  std::unique_ptr<ParameterDerivatives> by_parameters_;  // for parameters of axes and pitches
  std::vector<double> column_;                           // (nu) scratch memory
};

}  // namespace sestina
