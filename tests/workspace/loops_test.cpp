// Mechanisms with closed loops, run from beginning to end, against closed forms, published values and the
// same mechanism described in another way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <numbers>

#include "message_of.h"
#include "repository.h"
#include "sestina/base/error.h"
#include "sestina/dynamics/assembly.h"
#include "sestina/dynamics/comparison.h"
#include "sestina/dynamics/mobility.h"
#include "sestina/io/model_file.h"
#include "state_time/loop_systems.h"
#include "workspace/run_system.h"

namespace sestina {
namespace {

using namespace test;
using testing_support::message_of;

JointSpec& add_hinge(System& system, const std::string& name, const std::string& parent,
                     const std::string& child, Triple axis = {0, 0, 1}) {
  JointSpec& hinge = system.add_joint(name, "revolute", parent, child);
  hinge.axis = std::move(axis);
  return hinge;
}

double largest_in(const RunResult& run, std::string_view column) {
  double largest = 0.0;
  for (std::size_t row = 0; row < run.table.rows(); ++row)
    largest = std::max(largest, std::abs(run.at(row, column)));
  return largest;
}

Mobility mobility_of(const System& system) {
  const auto model = freeze(system);
  const Properties<double> properties = calc_properties(*model);
  return calc_mobility(*model, properties, calc_assembled_state(*model, properties));
}

// ---- published and closed ---------------------------------------------------------------------------------

// The values stand in the example's own text; rtol is 1e-10.
TEST(Loops, SqueezerReachesThePublishedAngles) {
  const RunResult run = run_system(example("18_squeezer.yaml"));
  EXPECT_NEAR(run.end("beta.q"), 15.81077119629904, 1e-8);
  EXPECT_NEAR(run.end("theta.q"), -15.75637105984298, 1e-8);
  EXPECT_NEAR(run.end("gamma.q"), 0.04082224013073101, 1e-9);
  EXPECT_NEAR(run.end("phi.q"), -0.5347301163226948, 1e-9);
  EXPECT_NEAR(run.end("delta.q"), 0.5244099658805304, 1e-9);
  EXPECT_NEAR(run.end("omega.q"), 0.5347301163226948, 1e-9);
  EXPECT_NEAR(run.end("epsilon.q"), 1.048080741042263, 1e-9);
}

// At the start only the motor's bodies accelerate: published values of the same problem.
TEST(Loops, SqueezerStartsWithThePublishedAccelerations) {
  Workspace workspace(example("18_squeezer.yaml"));
  for (const char* solver : {"recursive", "kane"}) {
    ForwardDynamics dynamics(workspace.shared_model(), workspace.properties(), solver);
    std::vector<double> udot(7);
    dynamics.calc_udot(workspace.calc_initial_state(), udot);
    const auto of = [&](const char* joint) {
      const Model& model = workspace.model();
      return udot[static_cast<std::size_t>(model.bodies()[model.body_of_joint(joint)].u_start)];
    };
    EXPECT_NEAR(of("beta"), 14222.4439199541, 1e-7);
    EXPECT_NEAR(of("theta"), -10666.8329399655, 1e-7);
    for (const char* joint : {"gamma", "phi", "delta", "omega", "epsilon"}) EXPECT_NEAR(of(joint), 0.0, 1e-7);
  }
}

// The same pendulum with an angle for its coordinate.
TEST(Loops, PointOnARodIsAPendulum) {
  System free_point;
  free_point.gravity = {0, -9.81, 0};
  free_point.add_particle("bob", 1.0);
  free_point.add_joint("p", "xyz", "ground.origin", "bob.origin").q = {-1, 0, 0};
  free_point.add_distance("rod", "ground.origin", "bob.origin", 1.0);
  System pendulum;
  pendulum.gravity = {0, -9.81, 0};
  pendulum.add_particle("bob", 1.0).add_point("pivot", {1, 0, 0});
  add_hinge(pendulum, "hip", "ground.origin", "bob.pivot");
  for (System* system : {&free_point, &pendulum}) set_accurate(*system, 10.0, 0.1);
  const RunResult a = run_system(free_point), b = run_system(pendulum);
  for (std::size_t row = 0; row < a.table.rows(); ++row) {
    EXPECT_NEAR(a.at(row, "bob.origin.x"), b.at(row, "bob.origin.x"), 1e-9);
    EXPECT_NEAR(a.at(row, "bob.origin.y"), b.at(row, "bob.origin.y"), 1e-9);
    // Tension: m (v^2 / L - g y / L).
    const double v2 = 2.0 * a.at(row, "energy.kinetic");
    EXPECT_NEAR(a.at(row, "rod.force"), v2 - 9.81 * a.at(row, "p.q[1]"), 1e-8);
  }
  EXPECT_LT(largest_in(a, "rod.error"), 1e-12);
  EXPECT_GT(largest_in(a, "rod.force"), 29.0);  // 3 m g below
}

// The Euler-Bernoulli lever: gears of ratio r make I1 + r^2 I2 of two inertias.
TEST(Loops, GearsAddInertias) {
  System system;
  for (const char* name : {"a", "b"}) system.add_body(name, 1.0).inertia = {.xx = 1, .yy = 1, .zz = 2};
  add_hinge(system, "ja", "ground.origin", "a.origin").u = 1.0;
  add_hinge(system, "jb", "ground.origin", "b.origin");
  system.add_coupling("gears", {{"ja.q", 3}, {"jb.q", -1}});
  system.add_joint_force("drive", "ja", 5.0);
  set_accurate(system, 1.0, 0.1);
  const RunResult run = run_system(system);
  EXPECT_NEAR(run.end("ja.u"), 1.0 + 5.0 / (2.0 + 9.0 * 2.0), 1e-12);
  EXPECT_NEAR(run.end("jb.u"), 3.0 * run.end("ja.u"), 1e-12);
  // Coordinate i feels its coefficient times the force: b alone is driven by -1 times it.
  EXPECT_NEAR(-run.end("gears.force"), 2.0 * 3.0 * 0.25, 1e-12);
}

// The crank is driven at constant speed: its motor does the work that the energy gains.
TEST(Loops, PrescribedMotionIsKeptAndItsWorkIsCounted) {
  System system = example("16_four_bar.yaml");
  system.joint("hip").u = {};
  system.add_motion("motor", "hip", "1 + 12*t");
  set_accurate(system, 2.0, 0.01);
  const RunResult run = run_system(system);
  for (std::size_t row = 0; row < run.table.rows(); ++row) {
    EXPECT_NEAR(run.at(row, "hip.q"), 1.0 + 12.0 * run.at(row, "t"), 1e-11);
  }
  EXPECT_LT(run.report.energy_drift, 1e-7 * run.report.kinetic_energy);
  double least = 0.0, most = 0.0;
  for (std::size_t row = 0; row < run.table.rows(); ++row) {
    least = std::min(least, run.at(row, "energy.supplied")),
    most = std::max(most, run.at(row, "energy.supplied"));
  }
  EXPECT_GT(most - least, 5.0);
}

// ---- the same in another way
// --------------------------------------------------------------------------------

TEST(Loops, MotionDoesNotDependOnWhichJointIsCut) {
  std::vector<RunResult> runs;
  for (const char* cut : {"fork", "ball", "rail"}) {
    System system = example("17_slider_crank.yaml");
    system.joint(cut).cut = true;
    set_accurate(system, 1.0, 0.1);
    if (std::string(cut) == "rail") {
      system.add_joint("float", "free", "ground.origin", "slider.origin").q = {0.2, 0, 0, 1, 0, 0, 0};
    }
    runs.push_back(run_system(system));
  }
  for (std::size_t i = 1; i < runs.size(); ++i) {
    for (const char* column : {"crank.origin.x", "slider.origin.x", "energy.kinetic", "energy.potential"}) {
      for (std::size_t row = 0; row < runs[0].table.rows(); ++row) {
        EXPECT_NEAR(runs[i].at(row, column), runs[0].at(row, column), 1e-8) << column << " with cut " << i;
      }
    }
  }
}

// Springs, dampers, motors, expressions and rotors on joints: a joint that closes a loop has them as it would
// if it carried a body.
TEST(Loops, ForcesOnAJointDoNotDependOnWhetherItIsCut) {
  std::vector<RunResult> runs;
  for (const char* cut : {"pin", "elbow"}) {
    for (const char* solver : {"recursive", "kane"}) {
      System system = example("16_four_bar.yaml");
      system.joint(cut).cut = true;
      system.joint("pin").armature = 0.7, system.joint("elbow").armature = 0.4;
      system.add_joint_spring("spring", "pin", 30.0, 0.2);
      system.add_joint_damper("friction", "elbow", 0.4);
      system.add_joint_force("motor", "elbow", "20*sin(3*t) - 3*pin.q");
      system.add_joint_force("drag", "pin", "-0.5*elbow.u*abs(pin.u)");
      set_accurate(system, 2.0, 0.1);
      system.analysis.solver = solver;
      runs.push_back(run_system(system));
    }
  }
  for (std::size_t i = 1; i < runs.size(); ++i) {
    for (const char* column : {"hip.q", "heel.u", "pin.q", "pin.u", "elbow.q", "elbow.u", "energy.kinetic",
                               "energy.potential", "energy.supplied", "energy.dissipated"}) {
      for (std::size_t row = 0; row < runs[0].table.rows(); ++row) {
        EXPECT_NEAR(runs[i].at(row, column), runs[0].at(row, column), 1e-8) << column << " in run " << i;
      }
    }
  }
  EXPECT_LT(runs[0].report.energy_drift, 1e-8);
  EXPECT_GT(runs[0].end("energy.dissipated"), 1.0);
}

TEST(Loops, ForcesOnJointsOfSeveralSpeedsDoNotDependOnWhichIsCut) {
  std::vector<RunResult> runs;
  for (const char* cut : {"fork", "ball"}) {
    System system = example("17_slider_crank.yaml");
    system.joint(cut).cut = true;
    system.add_joint_spring("spring", "fork", 0.3, 0.1);
    system.add_joint_damper("d", "fork", 0.01);
    system.add_joint_force("motor", "ball", std::vector<Number>{"0.02*sin(5*t)", "0.01*fork.u[1]", "-0.03"});
    set_accurate(system, 1.0, 0.1);
    Workspace workspace(system);
    workspace.record_reactions();
    runs.push_back(run_anyhow(workspace));
    ASSERT_EQ(runs.back().report.status, RunStatus::kComplete) << runs.back().report.failure;
  }
  for (const char* column :
       {"rail.q", "fork.q[0]", "fork.q[1]", "fork.u[0]", "ball.u[2]", "energy.kinetic", "energy.potential",
        "energy.supplied", "energy.dissipated", "fork.reaction.torque.x", "fork.reaction.torque.z",
        "ball.reaction.force.y", "ball.reaction.torque.x", "drive.reaction.torque.y"}) {
    for (std::size_t row = 0; row < runs[0].table.rows(); ++row) {
      EXPECT_NEAR(runs[1].at(row, column), runs[0].at(row, column), 1e-7) << column;
    }
  }
}

// A condition may name one joint that closes a loop.
TEST(Loops, ConditionsOnACutJointAreThoseOnAJointThatCarriesABody) {
  const auto frozen = freeze(example("16_four_bar.yaml"));
  const double start = calc_assembled_state(*frozen, calc_properties(*frozen)).h[0];  // of pin
  const auto run = [&](const char* cut, const std::function<void(System&)>& constrain) {
    System system = example("16_four_bar.yaml");
    system.joint(cut).cut = true;
    system.joint("hip").u = {};
    system.set_parameter("start", start);
    constrain(system);
    set_accurate(system, 0.5, 0.05);
    return run_system(system);
  };
  const std::vector<std::pair<const char*, std::function<void(System&)>>> cases = {
      {"motion of the speed", [](System& s) { s.add_motion("drive", "pin", "-0.5*t").level = "velocity"; }},
      {"motion", [](System& s) { s.add_motion("drive", "pin", "start - t^2/4"); }},
      {"expression",
       [](System& s) { s.add_condition("drive", "pin.q*(1 + 0.1*hip.q) - 1.1*start + t^2/4"); }},
      {"coupling of speeds", [](System& s) {
         s.add_coupling("drive", {{"pin.u", 2}, {"heel.u", -1}}, "t").level = "velocity";
       }}};
  for (const auto& [name, constrain] : cases) {
    const RunResult a = run("pin", constrain), b = run("elbow", constrain);
    for (const char* column :
         {"hip.q", "heel.u", "pin.q", "pin.u", "elbow.u", "drive.force", "drive.error"}) {
      for (std::size_t row = 0; row < a.table.rows(); ++row) {
        EXPECT_NEAR(a.at(row, column), b.at(row, column), 1e-7) << name << ": " << column;
      }
    }
    EXPECT_GT(std::abs(a.end("drive.force")), 0.1) << name;
    EXPECT_LT(a.report.energy_drift, 1e-7) << name;
  }
}

TEST(Loops, EventsReadJointsThatAreCut) {
  std::vector<double> times;
  for (const char* cut : {"pin", "elbow"}) {
    System system = example("16_four_bar.yaml");
    system.joint(cut).cut = true;
    system.add_event("slow", "pin.q*pin.u - 0.5*elbow.u").terminal = true;
    set_accurate(system, 2.0, 0.1);
    times.push_back(run_system(system).end("t"));
  }
  EXPECT_LT(times[0], 2.0);
  EXPECT_NEAR(times[0], times[1], 1e-9);
}

TEST(Loops, SolversGiveTheSameMotion) {
  for (const char* name : {"16_four_bar.yaml", "17_slider_crank.yaml"}) {
    System system = example(name);
    set_accurate(system, 1.0, 0.1);
    const RunResult recursive = run_system(system);
    for (const char* solver : {"kane", "divide_and_conquer", "hybrid"}) {
      system.analysis.solver = solver;
      const RunResult other = run_system(system);
      for (std::size_t c = 0; c < recursive.table.columns(); ++c) {
        const std::string& column = recursive.table.header().columns[c].name;
        if (column.starts_with("constraints.")) continue;
        EXPECT_NEAR(recursive.end(column), other.end(column), 1e-8) << name << ' ' << solver << ' ' << column;
      }
    }
  }
}

TEST(Loops, FormulationsAgree) {
  for (const char* name : {"16_four_bar.yaml", "17_slider_crank.yaml", "18_squeezer.yaml"}) {
    const auto model = freeze(example(name));
    const Comparison comparison =
        compare_formulations(model, calc_properties(*model), scatter_states(*model, 5, 0.05, 1));
    EXPECT_TRUE(comparison.agrees()) << name;
    EXPECT_GE(comparison.states, 3) << name;
  }
}

// ---- redundancy
// ---------------------------------------------------------------------------------------------

TEST(Loops, RedundantConditionsAreCountedAndNamed) {
  const Mobility four_bar = mobility_of(example("16_four_bar.yaml"));
  EXPECT_EQ(four_bar.degrees_of_freedom(), 1);
  EXPECT_EQ(four_bar.redundant(), 3);
  EXPECT_THAT(four_bar.undetermined, testing::ElementsAre("pin", "hip", "elbow", "heel"));
  const Mobility squeezer = mobility_of(example("18_squeezer.yaml"));
  EXPECT_EQ(squeezer.degrees_of_freedom(), 1);
  EXPECT_EQ(squeezer.redundant(), 9);
  const Mobility crank = mobility_of(example("17_slider_crank.yaml"));
  EXPECT_EQ(crank.degrees_of_freedom(), 1);
  EXPECT_EQ(crank.redundant(), 0);
}

TEST(Loops, BricardMovesThoughCountingSaysItCannot) {
  System system = bricard_linkage();
  const Mobility mobility = mobility_of(system);
  EXPECT_EQ(mobility.degrees_of_freedom(), 1);
  EXPECT_EQ(mobility.redundant(), 1);
  set_accurate(system, 10.0, 0.05);
  for (const char* coordinates : {"relative", "cartesian"}) {
    system.analysis.coordinates = coordinates;
    const RunResult run = run_system(system);
    EXPECT_LT(largest_in(run, "constraints.position_error"), 1e-12) << coordinates;
    EXPECT_LT(run.report.energy_drift, 1e-7 * run.report.kinetic_energy) << coordinates;
    EXPECT_GT(run.report.kinetic_energy, 1.0) << coordinates;
  }
}

// ---- staying closed
// -------------------------------------------------------------------------------------------

TEST(Loops, StayClosedToRoundOffOverManySteps) {
  for (const char* rule : {"rk4", "dormand_prince_54", "adams_bashforth_moulton"}) {
    System system = example("16_four_bar.yaml");
    system.analysis.integrator.name = rule;
    system.analysis.step.driver = "fixed";
    system.analysis.step.dt = 1e-3;
    system.analysis.duration = 10.0;
    system.output.every = 0.1;
    const RunResult run = run_system(system);
    EXPECT_LT(largest_in(run, "constraints.position_error"), 1e-12) << rule;
    EXPECT_LT(largest_in(run, "constraints.velocity_error"), 1e-11) << rule;
  }
}

// A parallelogram of hinged bars, whose bar b stays parallel to the ground, is a pendulum:
//   (M + 2m/3) a^2 q'' = -(M + m) g a sin q
// Twice in each turn all bars are in line, and the mechanism could go on as a crossed one. Round-off of the
// coordinates, 1e-16 m, moves the bars there by that divided by their distance from the line.
TEST(Loops, ParallelogramPassesItsChangePoints) {
  const auto make = [](const char* solver, double tolerance) {
    return read_model(fmt::format(R"(
sestina: 1
parameters: {{a: 0.6, b: 1.1, m: 0.8, M: 2.0, w: 15}}
gravity: [0, -9.81, 0]
ground: {{points: {{right: [b, 0, 0]}}}}
bodies:
  - {{name: left, mass: m, center_of_mass: [0, -a/2, 0], inertia: {{xx: m*a^2/12, zz: m*a^2/12}}, points: {{tip: [0, -a, 0]}}}}
  - {{name: bar, mass: M, center_of_mass: [b/2, 0, 0], inertia: {{yy: M*b^2/12, zz: M*b^2/12}}, points: {{end: [b, 0, 0]}}}}
  - {{name: right, mass: m, center_of_mass: [0, -a/2, 0], inertia: {{xx: m*a^2/12, zz: m*a^2/12}}, points: {{tip: [0, -a, 0]}}}}
  - {{name: pendulum, mass: (M + m)^2/(M + 2*m/3), center_of_mass: [0, -(M + 2*m/3)/(M + m)*a, 0]}}
joints:
  - {{name: j1, type: revolute, parent: ground.origin, child: left.origin, axis: [0, 0, 1], q: 0.3, u: w}}
  - {{name: j2, type: revolute, parent: left.tip, child: bar.origin, axis: [0, 0, 1], q: -0.3, u: -w}}
  - {{name: j3, type: revolute, parent: ground.right, child: right.origin, axis: [0, 0, 1], q: 0.3, u: w}}
  - {{name: pin, type: revolute, parent: right.tip, child: bar.end, axis: [0, 0, 1]}}
  - {{name: exact, type: revolute, parent: ground.origin, child: pendulum.origin, axis: [0, 0, 1], q: 0.3, u: w}}
analysis: {{solver: {}, duration: 4, step: {{rtol: {}, atol: {}}}}}
)",
                                  solver, tolerance, tolerance));
  };
  for (const char* solver : {"recursive", "kane"}) {
    for (const double tolerance : {1e-8, 1e-10, 1e-12}) {
      const RunResult run = run_system(make(solver, tolerance));
      EXPECT_GT(run.end("exact.q"), 15.0 * std::numbers::pi);
      EXPECT_NEAR(run.end("j1.q"), run.end("exact.q"), 3e3 * tolerance) << solver << ' ' << tolerance;
      EXPECT_NEAR(run.end("j3.q"), run.end("j1.q"), 1e-12) << solver << ' ' << tolerance;
      EXPECT_LT(run.report.steps.rejected, 0.2 * run.report.steps.steps) << solver << ' ' << tolerance;
    }
  }
}

TEST(Loops, CutJointsCountTurns) {
  System system = example("16_four_bar.yaml");
  system.analysis.duration = 4.0;
  const RunResult run = run_system(system);
  // The sum of the angles around the loop: hip + elbow - heel - pin is constant.
  const double start = run.at(0, "hip.q") + run.at(0, "elbow.q") - run.at(0, "heel.q") - run.at(0, "pin.q");
  for (std::size_t row = 0; row < run.table.rows(); ++row) {
    const double sum =
        run.at(row, "hip.q") + run.at(row, "elbow.q") - run.at(row, "heel.q") - run.at(row, "pin.q");
    EXPECT_NEAR(sum, start, 1e-10);
  }
  EXPECT_GT(run.end("hip.q"), 40.0);
}

TEST(Loops, RefuseWhatDoesNotKnowThem) {
  const auto message = [](const std::function<void(System&)>& change) {
    System system = example("16_four_bar.yaml");
    change(system);
    return message_of([&] { Workspace workspace(system); });
  };
  EXPECT_THAT(message([](System& s) { s.analysis.solver = "compiled"; }),
              testing::AllOf(testing::HasSubstr("analysis.solver"), testing::HasSubstr("compiled"),
                             testing::HasSubstr("the cut joint pin")));
  for (const char* rule : {"velocity_verlet", "lobatto_iiia_iiib", "cvode_adams"}) {
    EXPECT_THAT(message([&](System& s) {
                  s.analysis.integrator.name = rule;
                  s.analysis.step.driver = "fixed", s.analysis.step.dt = 1e-3;
                }),
                testing::HasSubstr(std::string(rule) + " does not keep loops closed"));
  }
  EXPECT_THAT(message([](System& s) {
                s.analysis.coordinates = "state_time";
                s.add_joint_damper("friction", "pin", 0.1);
              }),
              testing::HasSubstr("joints[3]: state_time does not support forces that use a joint which "
                                 "closes a loop, such as pin"));
}

// ---- assembly
// -------------------------------------------------------------------------------------------------

TEST(Assembly, KeepsWhatIsGivenAndSolvesForTheRest) {
  const auto model = freeze(example("16_four_bar.yaml"));
  const Properties<double> properties = calc_properties(*model);
  AssemblyReport report;
  const State<double> state = calc_assembled_state(*model, properties, &report);
  EXPECT_EQ(state.q[0], 1.0);
  EXPECT_EQ(state.u[0], 12.0);
  EXPECT_TRUE(report.moved.empty());
}

TEST(Assembly, MovesGivenCoordinatesWhereTheyContradictTheLoops) {
  System system = example("16_four_bar.yaml");
  system.joint("elbow").q = -0.4, system.joint("heel").q = 1.6;
  const auto model = freeze(system);
  AssemblyReport report;
  calc_assembled_state(*model, calc_properties(*model), &report);
  ASSERT_FALSE(report.moved.empty());
  EXPECT_LT(report.moved[0].by, 0.1);
  system.joint("hip").hold = system.joint("elbow").hold = system.joint("heel").hold = true;
  const auto held = freeze(system);
  const std::string message = message_of([&] { calc_assembled_state(*held, calc_properties(*held)); });
  EXPECT_THAT(message, testing::HasSubstr("pin cannot be closed"));
  EXPECT_THAT(message, testing::HasSubstr("held: hip, elbow, heel"));
}

// The crank and the slider are given such that the rod fits between them but for its last digits. The ball
// joint, which is not given, has far to turn; the others hardly move for it.
TEST(Assembly, MovesGivenCoordinatesByNoMoreThanTheirContradiction) {
  for (const double change : {-1e-5, 1e-5}) {
    System system = example("17_slider_crank.yaml");
    for (BodySpec& body : system.bodies) {
      if (body.name == "rod") body.points.back().position = {0.3 + change, 0, 0};
    }
    const Workspace workspace(system);
    AssemblyReport report;
    const State<double> state = workspace.calc_initial_state(&report);
    EXPECT_FALSE(report.moved.empty());
    for (const AssemblyReport::Moved& moved : report.moved) EXPECT_LT(moved.by, 1e-3) << moved.name;
    EXPECT_NE(state.q[0], 0.0);
  }
}

TEST(Assembly, KeepsWhatIsGivenOfAJointThatIsCut) {
  System system = example("16_four_bar.yaml");
  system.joint("hip").q = {}, system.joint("hip").u = {};
  system.joint("pin").q = -1.0, system.joint("pin").u = 2.0;
  const auto model = freeze(system);
  AssemblyReport report;
  const State<double> state = calc_assembled_state(*model, calc_properties(*model), &report);
  EXPECT_TRUE(report.moved.empty());
  EXPECT_NEAR(state.h[0], -1.0, 1e-11);
  const RunResult run = run_system(system);
  EXPECT_NEAR(run.at(0, "pin.q"), -1.0, 1e-11);
  EXPECT_NEAR(run.at(0, "pin.u"), 2.0, 1e-10);
}

TEST(Assembly, TellsByHowMuchACutJointHadToMove) {
  System system = example("16_four_bar.yaml");
  system.joint("pin").q = 0.3;  // beside hip.q = 1
  const auto model = freeze(system);
  AssemblyReport report;
  calc_assembled_state(*model, calc_properties(*model), &report);
  ASSERT_FALSE(report.moved.empty());
  EXPECT_EQ(report.moved.back().name, "pin");
  system.joint("hip").hold = system.joint("pin").hold = true;
  const auto held = freeze(system);
  EXPECT_THAT(message_of([&] { calc_assembled_state(*held, calc_properties(*held)); }),
              testing::HasSubstr("held: hip, pin"));
}

TEST(Assembly, NamesTheJointThatStaysOpenAndByHowMuch) {
  System system = example("16_four_bar.yaml");
  system.set_parameter("d", 10.0);  // further than the bars reach: 4 m
  const std::string message = message_of([&] { run_system(system); });
  EXPECT_THAT(message, testing::HasSubstr("joints[3]: pin cannot be closed"));
  EXPECT_THAT(message, testing::HasSubstr(" m are left"));
}

TEST(Assembly, RefusesSpeedsThatNoMotionHas) {
  System system = example("16_four_bar.yaml");
  system.add_motion("first", "hip", "3*t").level = "velocity";
  system.add_motion("second", "hip", "3*t + 1").level = "velocity";
  EXPECT_THAT(message_of([&] { run_system(system); }), testing::HasSubstr("no initial speeds agree with"));
}

// ---- events
// ---------------------------------------------------------------------------------------------------

TEST(Loops, EventThatSetsASpeedLeavesSpeedsThatTheLoopsAllow) {
  System system = example("16_four_bar.yaml");
  EventSpec& event = system.add_event("kick", "t - 0.5");
  event.set.push_back({"hip.u", "2*hip.u"});
  set_accurate(system, 1.0, 0.05);
  const RunResult run = run_system(system);
  EXPECT_EQ(run.report.event_counts, std::vector<long>{1});
  EXPECT_LT(largest_in(run, "constraints.velocity_error"), 1e-10);
  EXPECT_LT(run.report.energy_drift, 1e-6 * run.report.kinetic_energy);
}

// The values of the row just after the first event.
std::size_t row_after_event(const RunResult& run) {
  std::size_t row = 0;
  while (row + 1 < run.table.rows() && run.at(row, "event") == 0.0) ++row;
  return row;
}

// The closed form is the same four-bar, assembled at the start with the crank at the angle.
TEST(Loops, EventsKeepWhatTheySetAndMoveTheOthers) {
  for (const char* coordinates : {"relative", "cartesian"}) {
    System system = example("16_four_bar.yaml");
    system.analysis.coordinates = coordinates;
    System started = example("16_four_bar.yaml");
    system.add_event("rev", "hip.q - 2").set = {{"hip.q", "1.5"}, {"hip.u", "-hip.u/3"}};
    set_accurate(system, 0.2, 0.05);
    const RunResult run = run_system(system);
    const std::size_t after = row_after_event(run);
    EXPECT_NEAR(run.at(after - 1, "hip.q"), 2.0, 1e-12) << coordinates;
    EXPECT_NEAR(run.at(after, "hip.q"), 1.5, 1e-14) << coordinates;
    EXPECT_NEAR(run.at(after, "hip.u"), -run.at(after - 1, "hip.u") / 3.0, 1e-12) << coordinates;
    for (JointSpec& joint : started.joints) {
      if (joint.name == "hip") joint.q = {1.5}, joint.u = {run.at(after, "hip.u")};
    }
    set_accurate(started, 0.01, 0.01);
    const RunResult expected = run_system(started);
    for (const char* column : {"elbow.u", "heel.u"}) {
      EXPECT_NEAR(run.at(after, column), expected.at(0, column), 1e-10) << coordinates << column;
    }
    EXPECT_NEAR(std::remainder(run.at(after, "heel.q") - expected.at(0, "heel.q"), 6.283185307179586), 0.0,
                1e-12);
    EXPECT_LT(largest_in(run, "constraints.position_error"), 1e-12);
  }
}

TEST(Loops, EventsThatNoPositionOrSpeedAllowsAreNamed) {
  for (const char* coordinates : {"relative", "cartesian"}) {
    System system = example("16_four_bar.yaml");
    system.analysis.coordinates = coordinates;
    System fast = system;
    system.add_event("rev", "hip.q - 2").set = {{"hip.q", "1.5"}, {"elbow.q", "0"}};
    EXPECT_THAT(
        run_anyhow(system).report.failure,
        testing::ContainsRegex("event rev sets hip.q to 1.5, elbow.q to 0, but then .* cannot be kept "
                               "closed: .* m are left"));
    fast.add_event("rev", "hip.q - 2").set = {{"hip.u", "3"}, {"elbow.u", "0"}};
    EXPECT_THAT(
        run_anyhow(fast).report.failure,
        testing::ContainsRegex("event rev sets hip.u to 3, elbow.u to 0, but then no speeds agree with "
                               ".*: .* m/s are left"));
  }
}

}  // namespace
}  // namespace sestina
