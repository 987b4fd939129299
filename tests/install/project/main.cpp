#include <sestina/sestina.h>

#include <cmath>
#include <cstdio>

// A body falls for a second.
int main() {
  sestina::System system;
  system.gravity = {0, 0, -9.81};
  system.add_body("stone", 1.0).inertia = {.xx = 1, .yy = 1, .zz = 1};
  const sestina::RunReport report = sestina::Workspace(system).run();
  const double z = report.final_state.q[2];
  std::printf("sestina %s: z = %.17g m\n", sestina::version().c_str(), z);
  return std::abs(z + 9.81 / 2) < 1e-12 ? 0 : 1;
}
