// Models of linked bodies as the rules see them.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "sestina/integrate/integration_rule.h"
#include "sestina/model/freeze.h"
#include "sestina/workspace/system_equations.h"

namespace sestina::test {

struct ArticulatedSystem {
  explicit ArticulatedSystem(const System& system)
      : model(freeze(system)), dynamics(model, calc_properties(*model), "recursive"), equations(dynamics) {}

  State<double> start() const {
    State<double> state = calc_initial_state(*model);
    state.z.assign(static_cast<std::size_t>(equations.sizes().nz), 0.0);
    return state;
  }
  double energy(const State<double>& state) {
    dynamics.update(state);
    const Energy<double> energy = dynamics.energy(state);
    return energy.kinetic + energy.potential;
  }

  std::shared_ptr<const Model> model;
  ForwardDynamics dynamics;
  SystemEquations equations;
};

// Two rods of 1 kg and 1 m, hinged one below the other, released from rest where the lower one stands out:
// a large motion, yet without chaos. Period about 1.6 s.
inline System hinged_rods() {
  System system;
  system.gravity = {0, -9.81, 0};
  for (const char* name : {"upper", "lower"}) {
    BodySpec& rod = system.add_body(name, 1.0);
    rod.center_of_mass = {0, -0.5, 0};
    rod.inertia = {.xx = 1.0 / 12, .yy = 0, .zz = 1.0 / 12};
    rod.add_point("tip", {0, -1, 0});
  }
  JointSpec& hip = system.add_joint("hip", "revolute", "ground.origin", "upper.origin");
  hip.axis = {0, 0, 1};
  hip.q = {0.6};
  JointSpec& knee = system.add_joint("knee", "revolute", "upper.tip", "lower.origin");
  knee.axis = {0, 0, 1};
  knee.q = {0.5};
  return system;
}

// A top that stands on a ball joint, slightly asymmetric, with a rod on a universal joint at its head.
inline System top_with_rod() {
  System system;
  system.gravity = {0, 0, -9.81};
  BodySpec& top = system.add_body("top", 1.0);
  top.center_of_mass = {0.01, 0, 0.2};
  top.inertia = {.xx = 0.02, .yy = 0.03, .zz = 0.04, .xz = 0.002};
  top.add_point("head", {0, 0.02, 0.4});
  BodySpec& rod = system.add_body("rod", 0.2);
  rod.center_of_mass = {0, 0, -0.15};
  rod.inertia = {.xx = 0.002, .yy = 0.003, .zz = 0.001};
  JointSpec& foot = system.add_joint("foot", "spherical", "ground.origin", "top.origin");
  foot.q = {0.96, 0.28, 0, 0};
  foot.u = {0.3, -0.4, 9.0};
  JointSpec& head = system.add_joint("neck", "universal", "top.head", "rod.origin");
  head.axis = {1, 0, 0};
  head.second_axis = {0, 1, 0};
  head.q = {0.3, -0.4};
  head.u = {1, 0.5};
  return system;
}

// A free body that carries another one on a ball joint and a third on a slider with a spring.
inline System free_bodies() {
  System system;
  BodySpec& hull = system.add_body("hull", 2.0);
  hull.inertia = {.xx = 0.2, .yy = 0.3, .zz = 0.4};
  hull.add_point("socket", {0.3, 0.1, 0});
  hull.add_point("rail", {-0.2, 0, 0.1});
  BodySpec& arm = system.add_body("arm", 0.5);
  arm.center_of_mass = {0.2, 0, 0.05};
  arm.inertia = {.xx = 0.01, .yy = 0.02, .zz = 0.02};
  BodySpec& slider = system.add_body("slider", 0.4);
  slider.inertia = {.xx = 0.003, .yy = 0.003, .zz = 0.003};
  JointSpec& float_ = system.add_joint("float", "free", "ground.origin", "hull.origin");
  float_.q = {0.1, 0.2, 0.3, 0.8, 0, 0.6, 0};
  float_.u = {0.9, -0.3, 1.6, 0.2, 0.1, -0.3};
  JointSpec& ball = system.add_joint("ball", "spherical", "hull.socket", "arm.origin");
  ball.q = {0.6, 0, 0.8, 0};
  ball.u = {-0.5, 1.2, 0.7};
  JointSpec& rail = system.add_joint("rail", "prismatic", "hull.rail", "slider.origin");
  rail.axis = {0, 1, 0};
  rail.u = {0.4};
  system.add_joint_spring("spring", "rail", {20.0});
  return system;
}

// The top with a motor and friction at its neck, and friction at its foot.
inline System driven_top() {
  System system = top_with_rod();
  system.add_joint_force("motor", "neck", {"0.02*cos(7*t)", "0.01*sin(t)"});
  system.add_joint_damper("neck_friction", "neck", {0.002, 0.003});
  system.add_joint_force("foot_friction", "foot", {"-0.01*foot.u[0]", "-0.01*foot.u[1]", "-0.01*foot.u[2]"});
  return system;
}

}  // namespace sestina::test
