// Reduced flexible bodies in models: motions, forces at interfaces, statics and modes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "flexible/reduced_models.h"
#include "message_of.h"
#include "sestina/dynamics/comparison.h"
#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/dynamics/implicit_motion.h"
#include "sestina/io/model_writer.h"
#include "sestina/model/freeze.h"
#include "sestina/model/properties.h"
#include "sestina/workspace/simulator.h"
#include "workspace/flexible_motion.h"
#include "workspace/run_system.h"

namespace sestina {
namespace {

using namespace test;
using testing::HasSubstr;
using testing_support::make_particle_body;
using testing_support::message_of;

constexpr std::size_t kModes = 4;

System flexible(unsigned seed = 1) {
  System system;
  system.add_reduced_body("flex", make_particle_body(seed, 8, kModes).reduced);
  return system;
}

// A pendulum of a reduced body with a rigid one at its end.
System pendulum() {
  System system = flexible();
  system.gravity = {0, 0, -9.81};
  BodySpec& bob = system.add_body("bob", 2);
  bob.inertia = {.xx = 0.2, .yy = 0.3, .zz = 0.4};
  system.add_joint("hinge", "revolute", "ground.origin", "flex.left").axis = {0, 1, 0};
  system.add_joint("wrist", "spherical", "flex.right", "bob.origin");
  return system;
}

// Momenta and energy of a body that flies and vibrates: its rotation deforms it.
TEST(ReducedBodies, FlyingBodyKeepsEnergyAndMomenta) {
  for (const char* coordinates : {"relative", "cartesian"}) {
    System system = flexible();
    system.analysis.coordinates = coordinates;
    const std::shared_ptr<const Model> model = freeze(system);
    for (const char* rule : {"dormand_prince_54", "radau_iia", "generalized_alpha"}) {
      const double rtol = std::string(rule) == "generalized_alpha" ? 1e-6 : 1e-9;
      Simulator simulator(
          model, {.rule = {.name = rule}, .tolerances = ErrorTolerances{.rtol = rtol, .atol = rtol}});
      State<double> state = simulator.state();
      const auto first = static_cast<std::size_t>(model->bodies()[BodyIndex(1)].u_start);
      state.u[first] = 3.0, state.u[first + 1] = -2.0, state.u[first + 4] = 1.0;
      state.u[static_cast<std::size_t>(model->reduced_bodies()[0].u_start)] = 0.5;
      simulator.reset(0.0, state.q, state.u);
      const Kept start = measure(*model, simulator.state());
      for (int k = 0; k < 20; ++k) simulator.step(0.1);
      const Kept end = measure(*model, simulator.state());
      EXPECT_NEAR(end.energy, start.energy, 300.0 * rtol * start.energy) << rule;
      EXPECT_LE(norm(end.momentum.linear - start.momentum.linear), 300.0 * rtol) << rule;
      EXPECT_LE(norm(end.momentum.angular - start.momentum.angular), 1000.0 * rtol) << rule;
      const std::size_t mode = static_cast<std::size_t>(model->reduced_bodies()[0].q_start);
      EXPECT_GT(std::abs(simulator.state().q[mode]), 1e-4) << "it does not deform";
    }
  }
}

TEST(ReducedBodies, LedgerClosesWithDampingAndForcesAtInterfaces) {
  System system = pendulum();
  system.bodies[0].reduced->damping = 0.05;
  system.add_spring_damper("spring", "ground.origin", "flex.right", 40, 2, 0.5);
  ForceSpec& push = system.add_point_force("push", "flex.right", {"3*sin(5*t)", 2, 0});
  push.axes = "body";
  system.analysis.duration = 1.0;
  system.analysis.step.rtol = 1e-8, system.analysis.step.atol = 1e-10;
  for (const char* coordinates : {"relative", "cartesian"}) {
    for (const char* rule : {"dormand_prince_54", "radau_iia"}) {
      system.analysis.coordinates = coordinates, system.analysis.integrator.name = rule;
      const RunResult run = run_system(system);
      EXPECT_GT(run.end("energy.dissipated"), 0.1);
      EXPECT_NEAR(run.end("energy.total"),
                  run.at(0, "energy.total") + run.end("energy.supplied") - run.end("energy.dissipated"), 1e-5)
          << coordinates << ' ' << rule;
      EXPECT_LE(run.end("constraints.position_error"), 1e-8);
      EXPECT_NEAR(run.end("flex.left.x"), 0.0, 1e-8);
    }
  }
}

TEST(ReducedBodies, AllFormulationsAgree) {
  System system = pendulum(), cartesian = system;
  cartesian.analysis.coordinates = "cartesian";
  const std::shared_ptr<const Model> model = freeze(system);
  std::vector<State<double>> states = scatter_states(*model, 10, 0.1, 1);
  const Comparison comparison =
      compare_formulations(model, calc_properties(*model), states, freeze(cartesian));
  EXPECT_TRUE(comparison.agrees());
  EXPECT_EQ(comparison.states, 11);
}

// K, D and M of the implicit equations against differences of the residual.
TEST(ReducedBodies, TangentsAreThoseOfTheResidual) {
  System system = pendulum();
  for (const char* coordinates : {"relative", "cartesian"}) {
    system.analysis.coordinates = coordinates;
    const std::shared_ptr<const Model> model = freeze(system);
    ImplicitMotion motion(*model, calc_properties(*model));
    State<double> state = calc_initial_state(*model);
    std::vector<double> udot(state.u.size()), move(state.u.size());
    for (std::size_t i = 0; i < udot.size(); ++i) {
      const double x = std::sin(1.0 + 7.0 * static_cast<double>(i));
      state.u[i] = 0.5 * x, udot[i] = 1.0 - x, move[i] = 0.05 * x * x;
    }
    plus_q<double>(*model, state.q, move, state.q);
    const std::vector<double> lambda(static_cast<std::size_t>(model->constraint_rows()), 0.7);
    motion.update_tangents(state, udot, lambda);
    const std::vector<double> K = motion.K, D = motion.D, M = motion.M;
    const auto residual = [&](const State<double>& at, const std::vector<double>& accelerations) {
      motion.update(at, accelerations, lambda, {});
      std::vector<double> r;
      for (std::size_t i = 0; i < udot.size(); ++i) r.push_back(motion.r(i));
      return r;
    };
    constexpr double kStep = 1e-6;
    for (std::size_t k = 0; k < udot.size(); ++k) {
      std::vector<double> r[3][2];
      for (const int side : {0, 1}) {
        const double step = side == 0 ? -kStep : kStep;
        std::vector<double> unit(udot.size());
        unit[k] = step;
        State<double> moved = state, faster = state;
        plus_q<double>(*model, state.q, unit, moved.q);
        faster.u[k] += step;
        std::vector<double> more = udot;
        more[k] += step;
        r[0][side] = residual(moved, udot), r[1][side] = residual(faster, udot);
        r[2][side] = residual(state, more);
      }
      motion.pattern().for_each([&](int i, int j, int p) {
        if (j != static_cast<int>(k)) return;
        const auto row = static_cast<std::size_t>(i), place = static_cast<std::size_t>(p);
        const auto slope = [&](int of) { return (r[of][1][row] - r[of][0][row]) / (2.0 * kStep); };
        EXPECT_NEAR(K[place], slope(0), 2e-6 * (1.0 + std::abs(K[place])));
        EXPECT_NEAR(D[place], slope(1), 2e-6 * (1.0 + std::abs(D[place])));
        EXPECT_NEAR(M[place], slope(2), 2e-6 * (1.0 + std::abs(M[place])));
      });
    }
  }
}

TEST(ReducedBodies, ModesOfTheFreeBodyAreItsOwn) {
  System system = flexible();
  system.analysis.type = "modes";
  const RunResult run = run_system(system);
  ASSERT_EQ(run.table.rows(), 6 + kModes);
  for (std::size_t i = 0; i < kModes; ++i) {
    const double frequency = system.bodies[0].reduced->modes->frequencies[i] / (2.0 * std::numbers::pi);
    EXPECT_NEAR(run.at(6 + i, "frequency"), frequency, 1e-10 * frequency);
  }
}

// In statics the modes give way to the load: m omega^2 eta = phi.F + psi.T, small.
TEST(ReducedBodies, GiveWayInStatics) {
  System system = flexible();
  system.add_joint("clamp", "weld", "ground.origin", "flex.left");
  system.add_point_force("load", "flex.right", {1e-4, 2e-4, -1e-4});
  system.analysis.type = "statics";
  const RunResult run = run_system(system);
  const ReducedModes& modes = *system.bodies[0].reduced->modes;
  // Against least energy with the clamp's conditions linear in the amplitudes: the interface turns with the
  // body, so that the point of the load moves by the modes relative to the clamp.
  const Vec3<double> F{1e-4, 2e-4, -1e-4};
  const ReducedModes::Interface &left = modes.interfaces[0], &right = modes.interfaces[1];
  const Rotation<double> to_ground = left.axes.transpose();  // the clamp's axes are the ground's
  double compliance = 0.0;
  for (std::size_t i = 0; i < kModes; ++i) {
    const Vec3<double> shift =
        right.shifts[i] - left.shifts[i] - cross(left.turns[i], right.position - left.position);
    const double along = dot(to_ground * shift, F);
    compliance += along * along / (modes.mass * modes.frequencies[i] * modes.frequencies[i]);
  }
  const Vec3<double> unloaded = to_ground * (right.position - left.position);
  const std::size_t last = run.table.rows() - 1;
  EXPECT_NEAR(dot(run.vector(last, "flex.right") - unloaded, F), compliance, 1e-3 * compliance);
  EXPECT_NEAR(run.at(last, "energy.strain"), 0.5 * compliance, 1e-3 * compliance);
}

TEST(ReducedBodies, StartAtTheirPose) {
  System system = flexible();
  ReducedSpec& spec = *system.bodies[0].reduced;
  spec.position = Triple{1, 2, "3*2"};
  spec.axes = RotationSpec::rpy(0, 0, std::numbers::pi / 2);
  const RunResult run = run_system(system);
  const Vec3<double>& p = spec.modes->interfaces[0].position;
  EXPECT_NEAR(norm(run.vector(0, "flex.left") - Vec3<double>{1.0 - p.y, 2.0 + p.x, 6.0 + p.z}), 0.0, 1e-14);
}

// A mode that shrinks the body to a point: less inertia than the share of its rigid part.
TEST(ReducedBodies, TellOfADeformationThatIsTooLarge) {
  System system = flexible();
  auto modes = std::make_shared<ReducedModes>(*system.bodies[0].reduced->modes);
  for (std::size_t i = 0; i < kModes * kModes; ++i) modes->g[i] = {}, modes->J2[i] = {};
  modes->J1[0] = reduced_body::scaled<double>(-2.0, modes->J0), modes->J2[0] = modes->J0;
  system.bodies[0].reduced->modes = modes;
  const std::shared_ptr<const Model> model = freeze(system);
  ForwardDynamics dynamics(model, calc_properties(*model), "recursive");
  State<double> state = calc_initial_state(*model);
  state.q[static_cast<std::size_t>(model->reduced_bodies()[0].q_start)] = 1.0;
  std::vector<double> udot(state.u.size());
  try {
    dynamics.calc_udot(state, udot);
    FAIL() << "no error";
  } catch (const ComputationError& error) {
    EXPECT_THAT(error.what(), HasSubstr("flex deforms so much that its modes lose their meaning"));
  }
}

// The rule that a program gives is taken and written, even the one that rigid bodies would get.
TEST(ReducedBodies, RunWithTheRuleThatIsGiven) {
  System system = flexible();
  EXPECT_EQ(freeze_with_analysis(system).analysis.integrator, "radau_iia");
  system.analysis.integrator.name = "dormand_prince_54";
  EXPECT_EQ(freeze_with_analysis(system).analysis.integrator, "dormand_prince_54");
  system.bodies[0].reduced->file = "flex.h5";
  EXPECT_THAT(write_model(system), HasSubstr("integrator: dormand_prince_54"));
}

TEST(ReducedBodies, AreRefusedWhereNothingKnowsThem) {
  System system = flexible();
  system.analysis.solver = "compiled";
  EXPECT_THAT(message_of([&] { Workspace workspace(system); }), HasSubstr("the model has flex"));
  System other = flexible();
  other.analysis.coordinates = "state_time";
  EXPECT_THAT(message_of([&] { run_system(other); }), HasSubstr("the model has flex"));
  System on_origin = flexible();
  on_origin.add_joint("clamp", "weld", "ground.origin", "flex.origin");
  EXPECT_THAT(message_of([&] { freeze(on_origin); }), HasSubstr("'flex' has no point 'origin'"));
  System bare;
  bare.add_reduced_body("flex", nullptr);
  EXPECT_THAT(message_of([&] { freeze(bare); }), HasSubstr("a reduced body needs its modes"));
}

TEST(ReducedBodies, RefuseDataOfRigidBodiesThatWouldHaveNoEffect) {
  System system = flexible();
  system.bodies[0].mass = 7;
  system.bodies[0].add_point("tip", {1, 0, 0});
  EXPECT_THAT(message_of([&] { freeze(system); }),
              AllOf(HasSubstr("bodies[0].mass: does not fit a body of type reduced"),
                    HasSubstr("bodies[0].points: does not fit a body of type reduced")));
}

}  // namespace
}  // namespace sestina
