#include "sestina/state_time/initial_guess.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sestina/state_time/joint_coordinates.h"
#include "sestina/state_time/state_time_solver.h"
#include "state_time/state_time_systems.h"

namespace sestina::test {
namespace {

std::vector<BodyInstant> instants_of(const Kinematics<double>& kinematics,
                                     const Properties<double>& properties) {
  std::vector<BodyInstant> bodies;
  for (BodyIndex b{1}; b.value() < static_cast<int>(kinematics.motion.size()); ++b) {
    const Pose<double>& X = kinematics.motion[static_cast<std::size_t>(b.value())].X_WB;
    bodies.push_back({X.R, X.p + X.R * properties.bodies[b].M.c, {}, {}});
  }
  return bodies;
}

const Mat3<double>& axes_of(const std::vector<BodyInstant>& bodies, int body) {
  static const Mat3<double> ground = Mat3<double>::identity();
  return body == kNoBody ? ground : bodies[static_cast<std::size_t>(body)].C;
}

// For any joint in any orientation, without the force of its motor.
TEST(InitialGuessTest, FindsTheMultipliersOfReactions) {
  int turns = 0, slides = 0, points = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto model = freeze(random_state_time_system(seed, 6));
    const Properties<double> properties = calc_properties(*model);
    const State<double> state = calc_initial_state(*model);
    Kinematics<double> kinematics(*model);
    update_kinematics<double>(*model, properties, state, kinematics);
    const std::vector<BodyInstant> bodies = instants_of(kinematics, properties);
    const auto joints = make_joint_conditions(*model, properties);
    std::vector<double> f(static_cast<std::size_t>(count_multipliers(joints)));
    for (std::size_t i = 0; i < f.size(); ++i) f[i] = std::cos(7.0 * static_cast<double>(i));
    std::vector<double> found(f.size());
    for (const JointConditions& joint : joints) {
      for (const JointCondition& condition : joint.conditions) {
        turns += condition.kind == JointCondition::Kind::kTurn;
        slides += condition.kind == JointCondition::Kind::kSlide;
        points += condition.kind == JointCondition::Kind::kPoint;
      }
      const BodyIndex child(joint.child + 1);
      const auto& body = properties.bodies[child];
      const Mat3<double>& C_P = axes_of(bodies, joint.parent);
      SpatialForce<double> reaction = joint.calc_reaction(bodies, f);
      const double* q = state.q.data() + model->bodies()[child].q_start;
      const double tau[] = {3.0, -2.0, 5.0, 1.0, 4.0, -6.0};
      const SpatialForce<double> motor =
          visit_joint(body.joint, [&](const auto& kind) { return calc_joint_force<double>(kind, q, tau); });
      const Mat3<double> R_WF = C_P * body.X_PF.R;
      reaction += SpatialForce<double>{R_WF * motor.torque, R_WF * motor.force};
      joint.find_multipliers(C_P, axes_of(bodies, joint.child), reaction, found);
    }
    for (std::size_t i = 0; i < f.size(); ++i) EXPECT_NEAR(found[i], f[i], 1e-12) << seed << ' ' << i;
  }
  EXPECT_GT(std::min({turns, slides, points}), 5);
}

// Its mass centre goes round at a distance: the force that holds it belongs to the tangent from the first on.
TEST(InitialGuessTest, RotorsTurnAsOftenInAWindowAsTheyLike) {
  for (const bool is_hinge : {true, false}) {
    System system;
    BodySpec& rotor = system.add_body("rotor", 1.0);
    rotor.center_of_mass = {0, -0.5, 0};
    rotor.inertia = {.xx = 0.08, .yy = 0.03, .zz = 0.09};
    JointSpec& joint =
        system.add_joint("joint", is_hinge ? "revolute" : "spherical", "ground.origin", "rotor.origin");
    if (is_hinge) {
      joint.axis = {0, 0, 1}, joint.u = 100.0;
    } else {
      joint.u = {0, 0, 100.0};
    }
    const auto model = freeze(system);
    StateTimeSolver solver(model, calc_properties(*model), {.elements = 200, .pair = "P5P6"}, nullptr);
    solver.start(calc_initial_state(*model), 1.0);
    solver.solve_window();
    ASSERT_TRUE(solver.is_complete());
    EXPECT_EQ(solver.statistics().held_windows, 0);
    BodyInstant end;
    solver.calc_bodies(1.0, {&end, 1});
    EXPECT_NEAR(end.C.xx, std::cos(100.0), 1e-8);
    EXPECT_NEAR(end.C.yx, std::sin(100.0), 1e-8);
  }
}

}  // namespace
}  // namespace sestina::test
