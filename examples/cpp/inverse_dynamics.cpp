// The equations of motion taken apart: mass matrix, accelerations, driving torques, joint reactions, and a
// derivative by a parameter, all at one state. Nothing here integrates.
#include <cmath>
#include <cstdio>

#include "sestina/sestina.h"

namespace {

using namespace sestina;

// A two-link arm in the vertical plane; its length l is a parameter.
System make_arm() {
  System system;
  system.set_parameter("l", 0.5);
  system.gravity = {0, -9.81, 0};
  for (const char* name : {"upper", "lower"}) {
    BodySpec& link = system.add_body(name, 2.0);
    link.center_of_mass = {"l/2", 0, 0};
    link.inertia = {.xx = 1e-3, .yy = "2*l^2/12", .zz = "2*l^2/12"};
    link.add_point("tip", {"l", 0, 0});
  }
  system.add_joint("shoulder", "revolute", "ground.origin", "upper.origin").axis = {0, 0, 1};
  system.add_joint("elbow", "revolute", "upper.tip", "lower.origin").axis = {0, 0, 1};
  system.joint("shoulder").q = 0.3, system.joint("elbow").q = -0.7;
  system.joint("shoulder").u = 1.0, system.joint("elbow").u = 2.0;
  return system;
}

// The torques (nu) that hold udot at the model's initial state, for these values of its parameters. Every
// kernel takes any scalar: double, or Dual for derivatives.
template <class T>
InverseDynamics<T> inverse_dynamics(const Model& model, const std::vector<T>& parameters,
                                    const std::vector<T>& udot) {
  const Properties<T> properties = calc_properties<T>(model, parameters);
  const State<T> state = calc_initial_state<T>(model, parameters);
  Kinematics<T> kinematics(model);
  AppliedForces<T> forces(model);
  update_kinematics(model, properties, state, kinematics);
  update_applied_forces(model, properties, state, kinematics, forces);
  InverseDynamics<T> result(model);
  update_inverse_dynamics<T>(model, properties, kinematics, forces, udot, result);
  return result;
}

}  // namespace

int main() {
  const std::shared_ptr<const Model> model = freeze(make_arm());
  const Properties<double> properties = calc_properties(*model);
  const State<double> state = calc_initial_state(*model);
  std::vector<double> udot(2);

  // Accelerations by the recursion; kinematics and forces of this state come with them.
  ForwardDynamics dynamics(model, properties, "recursive");
  dynamics.calc_udot(state, udot);
  std::printf("udot             %10.6f %10.6f rad/s^2\n", udot[0], udot[1]);

  MassMatrix<double> mass_matrix(*model);
  mass_matrix.update(properties, dynamics.kinematics());
  const auto& M = mass_matrix.matrix();  // the lower triangle
  std::printf("mass matrix      %10.6f\n                 %10.6f %10.6f kg m^2\n", M(0, 0), M(1, 0), M(1, 1));

  // What the joints transmit: [torque; force] on the child, ground axes.
  const InverseDynamics<double> free = inverse_dynamics<double>(*model, {0.5}, udot);
  const auto elbow = static_cast<std::size_t>(model->body_of_joint("elbow").value());
  const Vec3<double>& force = free.reaction[elbow].force;
  std::printf("force in elbow   %10.6f %10.6f N\n", force.x, force.y);
  std::printf("residual         %10.1e N m\n", std::abs(free.residual[0]) + std::abs(free.residual[1]));

  // Torques that keep both joints at constant speed, and their derivatives by the length, exact to round-off.
  const InverseDynamics<Dual> held = inverse_dynamics<Dual>(*model, {Dual(0.5, 1.0)}, {0.0, 0.0});
  std::printf("torques to hold  %10.6f %10.6f N m\n", held.residual[0].v, held.residual[1].v);
  std::printf("  d/dl           %10.6f %10.6f N\n", held.residual[0].d, held.residual[1].d);

  // The same derivative by a difference quotient, good to h^2 and round-off/h.
  constexpr double h = 1e-5;
  const auto at = [&](double l) { return inverse_dynamics<double>(*model, {l}, {0.0, 0.0}).residual[0]; };
  const double quotient = (at(0.5 + h) - at(0.5 - h)) / (2 * h);
  return std::abs(quotient - held.residual[0].d) < 1e-8 * std::abs(quotient) ? 0 : 1;
}
