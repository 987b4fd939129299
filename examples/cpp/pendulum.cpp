#include "sestina/sestina.h"

int main() {
  sestina::System system;
  system.gravity = {0, -9.81, 0};              // m/s^2
  auto& rod = system.add_body("rod", 1.0);     // kg
  rod.center_of_mass = {0, -0.5, 0};           // m
  rod.inertia = {.xx = "1/12", .zz = "1/12"};  // kg m^2; a number may be an expression
  auto& hinge = system.add_joint("hinge", "revolute", "ground.origin", "rod.origin");
  hinge.axis = {0, 0, 1};
  hinge.q = 2.0;                                      // rad
  system.add_joint_damper("friction", "hinge", 0.1);  // N m s/rad
  system.analysis.duration = 10;                      // s
  sestina::Workspace(system).run("pendulum.csv");
}
