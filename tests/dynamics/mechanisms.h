// The mechanisms on which engines are compared, and the states for them: links of mass 1 with the mass centre
// at (0.5, 0, 0) and the inertia diag(0.01, 0.0833, 0.0833) about it, the next joint at (1, 0, 0), gravity
// (0, 0, -9.81). Link frames are parallel at q = 0.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "dynamics/random_systems.h"
#include "sestina/joints/joint.h"
#include "sestina/model/freeze.h"

namespace sestina::testing_support {

inline BodySpec& add_link(System& system, int i) {
  BodySpec& link = system.add_body(fmt::format("link{}", i), 1.0);
  link.center_of_mass = {0.5, 0, 0};
  link.inertia = {.xx = 0.01, .yy = 0.0833, .zz = 0.0833};
  return link;
}

// Revolute joints about y, z, y, z, ...
inline System revolute_chain(int links) {
  System system;
  system.gravity = {0, 0, -9.81};
  for (int i = 0; i < links; ++i) {
    add_link(system, i).add_point("tip", {1, 0, 0});
    const std::string parent = i == 0 ? "ground.origin" : fmt::format("link{}.tip", i - 1);
    JointSpec& joint =
        system.add_joint(fmt::format("joint{}", i), "revolute", parent, fmt::format("link{}.origin", i));
    joint.axis = i % 2 == 0 ? Triple{0, 1, 0} : Triple{0, 0, 1};
  }
  return system;
}

inline System ball_chain(int links) {
  System system = revolute_chain(links);
  for (JointSpec& joint : system.joints) joint.type = "spherical", joint.axis.reset();
  return system;
}

// The children of i are 2i+1 at (1, 0.2, 0) and 2i+2 at (1, -0.2, 0).
inline System binary_tree(int links) {
  System system = revolute_chain(links);
  for (int i = 0; i < links; ++i) {
    const auto k = static_cast<std::size_t>(i);
    system.bodies[k].points = {{"left", {1, 0.2, 0}, {}}, {"right", {1, -0.2, 0}, {}}};
    if (i > 0) system.joints[k].parent = fmt::format("link{}.{}", (i - 1) / 2, i % 2 == 1 ? "left" : "right");
  }
  return system;
}

struct DrivenState {
  State<double> state;
  std::vector<double> tau;  // (nu) in addition to the model's own forces
};

// Joint after joint, in the order in which `system` gives them: for a revolute joint q, u and tau in
// [-1, 1); for a ball its Euler parameters (normalised), then the angular velocity and the torque in the
// child's axes.
inline DrivenState driven_state(const System& system, const Model& model, std::uint64_t seed) {
  SplitMix random(seed);
  DrivenState result{calc_initial_state(model), std::vector<double>(static_cast<std::size_t>(model.nu()))};
  for (const JointSpec& spec : system.joints) {
    const BodyInfo& joint = model.bodies()[model.body_of_joint(spec.name.text)];
    double* q = result.state.q.data() + joint.q_start;
    double* u = result.state.u.data() + joint.u_start;
    double* tau = result.tau.data() + joint.u_start;
    for (int k = 0; k < joint.nq; ++k) q[k] = random.signed_unit();
    for (int k = 0; k < joint.nu; ++k) u[k] = random.signed_unit();
    for (int k = 0; k < joint.nu; ++k) tau[k] = random.signed_unit();
    if (joint.joint_type != JointType::kSpherical) continue;
    EulerParameters<double>::normalize(q);
    const Rotation<double> R_FM = euler_parameter_rotation(q);
    const auto turn = [&](double* x) {
      const Vec3<double> v = R_FM * Vec3<double>{x[0], x[1], x[2]};
      x[0] = v.x, x[1] = v.y, x[2] = v.z;
    };
    turn(u), turn(tau);
  }
  return result;
}

}  // namespace sestina::testing_support
