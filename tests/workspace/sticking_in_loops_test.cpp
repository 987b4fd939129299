// Friction of joints that sticks, in mechanisms with loops.
#include <fmt/format.h>

#include "workspace/run_system.h"

namespace sestina::test {
namespace {

System slider_crank(const std::string& solver, const std::string& friction, const std::string& rule) {
  return read_model(fmt::format(R"(
sestina: 1
gravity: [0, -9.81, 0]
bodies:
  - {{name: crank, mass: 1, center_of_mass: [0.1, 0, 0], inertia: {{xx: 0.001, yy: 0.01, zz: 0.01}}, points: {{tip: [0.2, 0, 0]}}}}
  - {{name: rod, mass: 1, center_of_mass: [0.3, 0, 0], inertia: {{xx: 0.001, yy: 0.03, zz: 0.03}}, points: {{tip: [0.6, 0, 0]}}}}
  - {{name: block, mass: 0.5, inertia: {{xx: 0.001, yy: 0.001, zz: 0.001}}}}
joints:
  - {{name: a, type: revolute, parent: ground.origin, child: crank.origin, axis: [0, 0, 1], q: 0.7, u: 12, hold: true}}
  - {{name: b, type: revolute, parent: crank.tip, child: rod.origin, axis: [0, 0, 1]}}
  - {{name: s, type: prismatic, parent: ground.origin, child: block.origin, axis: [1, 0, 0], q: 0.7}}
  - {{name: p, type: revolute, parent: rod.tip, child: block.origin, axis: [0, 0, 1]}}
forces: [{{name: f, type: coordinate_friction, joint: s, friction: 2{}}}]
analysis: {{duration: 1, integrator: {}, solver: {}, step: {{rtol: 1.0e-8, atol: 1.0e-10}}}}
)",
                                friction, rule, solver));
}

// At a dead centre the slider rests for an instant, whatever the crank does: it does not stop the crank. The
// reference is friction that creeps.
TEST(StickingInLoops, SliderPassesItsDeadCentres) {
  const RunResult reference = run_system(slider_crank("recursive", ", creep_speed: 1.0e-5", "radau_iia"));
  for (const char* solver : {"recursive", "kane", "hybrid", "divide_and_conquer"}) {
    const RunResult run = run_system(slider_crank(solver, "", "moreau"));
    EXPECT_NEAR(run.end("a.q"), reference.end("a.q"), 1e-4) << solver;
    EXPECT_NEAR(run.end("energy.total") + run.end("energy.dissipated"), run.at(0, "energy.total"), 1e-6)
        << solver;
  }
}

}  // namespace
}  // namespace sestina::test
