// States with a rate: closed solutions by every rule, events, checkpoints, loops, Cartesian coordinates, and
// what refuses them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <filesystem>
#include <numbers>

#include "message_of.h"
#include "sestina/io/model_file.h"
#include "sestina/workspace/checkpoint.h"
#include "workspace/run_system.h"

namespace sestina::test {
namespace {

using testing::HasSubstr;
using testing_support::message_of;

// A block of 2 kg that is pulled back by 50 N for each metre of the state `way`, which follows its speed:
// with way = x at the start, x = 0.3 cos(5 t). `lag` follows x with a time constant of 0.2 s.
System block() {
  System system;
  system.add_particle("block", 2.0);
  JointSpec& rail = system.add_joint("rail", "prismatic", "ground.origin", "block.origin");
  rail.axis = {1, 0, 0};
  rail.q = {0.3};
  system.add_state("way", "rail.u", 0.3).unit = "m";
  system.add_state("lag", "(rail.q - lag)/T", "-l0");
  system.set_parameter("T", 0.2);
  system.set_parameter("l0", 0.1);
  system.add_joint_force("spring", "rail", "-50*way");
  return system;
}

double way_at(double t) { return 0.3 * std::cos(5.0 * t); }

// With w = 5/s and w T = 1: particular solution 0.15 (cos + sin).
double lag_at(double t) {
  const double particular = 0.15 * (std::cos(5.0 * t) + std::sin(5.0 * t));
  return particular + (-0.1 - 0.15) * std::exp(-5.0 * t);
}

struct Rule {
  std::string name;
  int stages;
  std::string driver;
  double step_or_rtol, error;
};

class StatesByEachRule : public testing::TestWithParam<Rule> {};

TEST_P(StatesByEachRule, FollowTheClosedSolution) {
  const Rule& rule = GetParam();
  System system = block();
  system.analysis.integrator.name = rule.name;
  if (rule.stages > 0) system.analysis.integrator.stages = rule.stages;
  system.analysis.step.driver = rule.driver;
  if (rule.driver == "fixed") {
    system.analysis.step.dt = rule.step_or_rtol;
  } else {
    system.analysis.step.rtol = rule.step_or_rtol;
    system.analysis.step.atol = 1e-2 * rule.step_or_rtol;
  }
  system.analysis.duration = 2.0;
  system.output.every = 0.1;
  const RunResult run = run_system(system);
  ASSERT_EQ(run.table.rows(), 21U);
  for (std::size_t row = 0; row < run.table.rows(); ++row) {
    const double t = run.at(row, "t");
    EXPECT_NEAR(run.at(row, "way"), way_at(t), rule.error) << t;
    EXPECT_NEAR(run.at(row, "rail.q"), way_at(t), rule.error) << t;
    EXPECT_NEAR(run.at(row, "lag"), lag_at(t), rule.error) << t;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, StatesByEachRule,
    testing::Values(
        Rule{"forward_euler", 0, "fixed", 1e-4, 2e-3}, Rule{"rk4", 0, "fixed", 0.005, 1e-7},
        Rule{"adams_bashforth_moulton", 0, "fixed", 0.005, 2e-6}, Rule{"rkf45", 0, "variable", 1e-9, 1e-7},
        Rule{"dormand_prince_54", 0, "variable", 1e-9, 1e-7}, Rule{"munthe_kaas_4", 0, "fixed", 0.005, 1e-7},
        Rule{"cvode_adams", 0, "variable", 1e-9, 1e-6}, Rule{"cvode_bdf", 0, "variable", 1e-9, 1e-6},
        Rule{"radau_iia", 2, "variable", 1e-8, 1e-5}, Rule{"radau_iia", 3, "variable", 1e-9, 1e-6},
        Rule{"radau_iia", 3, "fixed", 0.02, 1e-6}, Rule{"generalized_alpha", 0, "fixed", 0.001, 1e-4},
        Rule{"trapezoidal", 0, "fixed", 0.001, 1e-4}),
    [](const auto& test) {
      return test.param.name + "_" + std::to_string(test.param.stages) + "_" + test.param.driver;
    });

// The tangents are exact: Newton's method converges at once where everything is linear, at any stiffness.
TEST(States, OfStiffRatesTakeFewStepsImplicitly) {
  System system = block();
  system.set_parameter("T", 1e-6);
  system.analysis.integrator.name = "radau_iia";
  system.analysis.integrator.stages = 3;
  system.analysis.step.rtol = 1e-6;
  system.analysis.step.atol = 1e-8;
  system.analysis.duration = 2.0;
  const RunResult run = run_system(system);
  EXPECT_LT(run.report.steps.steps, 300);
  EXPECT_NEAR(run.end("lag"), way_at(2.0), 1e-5);
}

TEST(States, AreSetAndWatchedByEvents) {
  System system = block();
  // Where the way is 0.15 for the first time, the lag is reset and `count` rises.
  system.add_event("half", "way - 0.15", "falling");
  AssignmentSpec& lag = system.events.back().set.emplace_back();
  lag.target = "lag", lag.value = "2*lag + way";
  AssignmentSpec& count = system.events.back().set.emplace_back();
  count.target = "count", count.value = "count + 1";
  system.set_variable("count", 0.0);
  set_accurate(system, 1.0, 0.01);
  const RunResult run = run_system(system);
  const double t = std::acos(0.5) / 5.0;  // and once a period of 1.257 s
  EXPECT_EQ(run.end("count"), 1.0);
  const double before = lag_at(t), after = 2.0 * before + 0.15;
  EXPECT_NEAR(run.end("lag"), lag_at(1.0) + (after - before) * std::exp(-5.0 * (1.0 - t)), 1e-8);
}

TEST(States, GoOnInCartesianCoordinatesAndInLoops) {
  for (const char* coordinates : {"relative", "cartesian"}) {
    for (const char* rule : {"dormand_prince_54", "radau_iia"}) {
      System system = block();
      // A second block that a coupling moves twice as far: twice the work for the spring.
      system.add_particle("other", 0.5);
      JointSpec& other = system.add_joint("other_rail", "prismatic", "ground.origin", "other.origin");
      other.axis = {0, 1, 0};
      other.q = {0.6};
      system.add_coupling("gear", {{"rail.q", 2}, {"other_rail.q", -1}}, 0);
      system.analysis.coordinates = coordinates;
      set_accurate(system, 1.0, 0.1);
      system.analysis.integrator.name = rule;
      if (std::string(rule) == "radau_iia") {
        system.analysis.integrator.stages = 3;
        system.analysis.step.rtol = 1e-8;
        system.analysis.step.atol = 1e-10;
      }
      const RunResult run = run_system(system);
      const double w = std::sqrt(50.0 / (2.0 + 4.0 * 0.5));  // of the mass 4 kg
      EXPECT_NEAR(run.end("way"), 0.3 * std::cos(w), 1e-6) << coordinates << ", " << rule;
      EXPECT_NEAR(run.end("rail.q"), 0.3 * std::cos(w), 1e-6) << coordinates << ", " << rule;
    }
  }
}

TEST(States, AreWrittenAndReadBack) {
  const System system = block();
  const std::string text = write_model(system);
  EXPECT_THAT(text, HasSubstr("states:"));
  EXPECT_THAT(text, HasSubstr("rate: rail.u"));
  EXPECT_EQ(write_model(read_model(text)), text);
}

TEST(States, GoOnFromACheckpoint) {
  const auto folder = std::filesystem::temp_directory_path() / "sestina_states_test";
  std::filesystem::create_directories(folder);
  System system = block();
  set_accurate(system, 1.0, 0.1);
  const RunResult whole = run_system(system);
  Workspace first(system);
  first.set_limits({.steps = 40});
  first.set_checkpoint({.path = folder / "c.checkpoint", .result_file = folder / "r.csv"});
  EXPECT_NE(first.run(folder / "r.csv").status, RunStatus::kComplete);
  const Checkpoint checkpoint = read_checkpoint(folder / "c.checkpoint");
  EXPECT_EQ(checkpoint.step.state.x.size(), 2U);
  Workspace second(system);
  const RunReport report = second.resume(checkpoint, folder / "r.csv");
  ASSERT_EQ(report.status, RunStatus::kComplete) << report.failure;
  EXPECT_EQ(report.steps.steps, whole.report.steps.steps);
  EXPECT_EQ(report.final_state.x, whole.report.final_state.x);
  std::filesystem::remove_all(folder);
}

// The block on its spring is of 5/s; the lag decays by 1/T.
TEST(States, HaveModes) {
  System system = block();
  system.analysis.type = "modes";
  system.analysis.about = "initial";
  const RunResult run = run_system(system);
  ASSERT_EQ(run.table.rows(), 3U);  // zero too: way - rail.q does not change
  EXPECT_NEAR(run.at(0, "eigenvalue.real"), 0.0, 1e-7);
  for (const std::size_t row : {1, 2}) {
    const double real = run.at(row, "eigenvalue.real"), imag = run.at(row, "eigenvalue.imag");
    EXPECT_NEAR(real, imag > 0.0 ? 0.0 : -5.0, 1e-9);
    EXPECT_NEAR(imag, imag > 0.0 ? 5.0 : 0.0, 1e-9);
  }
}

// A cylinder pushes a block against a spring: 100 (0.5 - q) = 40 q at a pressure of 1e6 (0.5 - q).
System cylinder() {
  System system;
  system.add_particle("block", 2.0);
  system.add_joint("rail", "prismatic", "ground.origin", "block.origin").axis = {1, 0, 0};
  system.add_state("p", "(1e6*(0.5 - rail.q) - p)/T", 1e5).unit = "Pa";
  system.set_parameter("T", 0.1);
  system.add_joint_force("push", "rail", "1e-4*p - 40*rail.q");
  return system;
}

TEST(States, RestWhereTheirRatesAreZero) {
  System system = cylinder();
  system.analysis.type = "statics";
  const RunResult run = run_system(system);
  EXPECT_NEAR(run.end("rail.q"), 0.5 / 1.4, 1e-12);
  EXPECT_NEAR(run.end("p"), 1e6 * (0.5 - 0.5 / 1.4), 1e-6);
  // Nothing damps the motion, and the lag of the pressure makes it grow.
  EXPECT_THAT(run.report.remarks, testing::Contains(HasSubstr("not stable")));
  system.add_joint_force("brake", "rail", "-40*rail.u");
  EXPECT_THAT(run_system(system).report.remarks, testing::IsEmpty());
}

// A deviation grows by 3/s beside a state that decays by 1e7/s.
TEST(States, SlowGrowthBesideAFastStateIsNotStable) {
  System system = cylinder();
  system.set_parameter("T", 1e-7);
  system.add_joint_force("fall", "rail", "158*rail.q");
  system.analysis.type = "statics";
  EXPECT_THAT(run_system(system).report.remarks, testing::Contains(HasSubstr("not stable")));
}

TEST(States, WhatKeepsThemFromRestIsNamed) {
  System system = cylinder();
  system.analysis.type = "statics";
  system.add_state("counter", "2");
  EXPECT_THAT(run_anyhow(system).report.failure, HasSubstr("counter is left with a rate of 2"));
  System held = block();  // `way` does not change at rest, so that 15 N remain
  held.analysis.type = "statics";
  EXPECT_THAT(run_anyhow(held).report.failure, HasSubstr("rail is left with 15 N"));
}

// (2 s^2 + 40 s + 40) q = 1e-4 p + 2,  (0.1 s + 1) p = -1e6 q
TEST(States, RespondToAnInputThatOscillates) {
  System system = cylinder();
  system.set_parameter("input", 0.0);
  system.add_joint_force("shaker", "rail", "2*input - 40*rail.u");
  system.analysis.type = "frequency_response";
  system.analysis.input = "input";
  FrequenciesSpec& range = system.analysis.frequencies;
  range.from = range.to = 1.5;
  range.points = 1;
  const RunResult run = run_system(system);
  const std::complex<double> s(0.0, 3.0 * std::numbers::pi);
  const std::complex<double> q = 2.0 / (2.0 * s * s + 40.0 * s + 40.0 + 100.0 / (0.1 * s + 1.0));
  EXPECT_NEAR(run.end("rail.q.magnitude"), std::abs(q), 1e-8 * std::abs(q));
  EXPECT_NEAR(run.end("rail.q.phase"), std::arg(q), 1e-8);
  EXPECT_NEAR(run.end("p.magnitude"), std::abs(1e6 * q / (0.1 * s + 1.0)), 1e-2);
}

TEST(States, AreRefusedByNameWhereTheyAreUnknown) {
  const auto told = [](const auto& change) {
    System system = block();
    change(system);
    return message_of([&] { run_system(system); });
  };
  EXPECT_THAT(told([](System& s) { s.analysis.solver = "compiled"; }), HasSubstr("way"));
  EXPECT_THAT(told([](System& s) { s.analysis.coordinates = "state_time"; }), HasSubstr("way"));
  EXPECT_THAT(told([](System& s) { s.analysis.type = "statics", s.analysis.arc_length = true; }),
              HasSubstr("arc_length"));
  EXPECT_THAT(told([](System& s) { s.analysis.type = "kinematics"; }), HasSubstr("way"));
  EXPECT_THAT(told([](System& s) { s.analysis.integrator.name = "lobatto_iiia_iiib"; }),
              HasSubstr("lobatto_iiia_iiib"));
}

TEST(States, OfForceElementsAreRefusedAtTheElement) {
  const auto told = [](const auto& change) {
    System system;
    system.add_particle("block", 1.0);
    system.add_joint("rail", "prismatic", "ground.origin", "block.origin").axis = {1, 0, 0};
    system.add_joint_spring("spring", "rail", 3);
    system.add_second_order("own", {"rail.q"}, {"s"}, 1);
    change(system);
    return message_of([&] { run_system(system); });
  };
  const auto expected = HasSubstr("forces[1]: ");
  EXPECT_THAT(told([](System& s) { s.analysis.coordinates = "state_time"; }), expected);
  EXPECT_THAT(told([](System& s) { s.analysis.type = "kinematics"; }), expected);
  EXPECT_THAT(told([](System& s) { s.analysis.type = "statics", s.analysis.arc_length = true; }), expected);
  EXPECT_THAT(told([](System& s) { s.analysis.solver = "compiled"; }), HasSubstr("own.s"));
  EXPECT_THAT(told([](System& s) { s.analysis.integrator.name = "lobatto_iiia_iiib"; }),
              HasSubstr("lobatto_iiia_iiib"));
}

TEST(States, FaultsNameThePlace) {
  const auto told = [](const std::string& states) {
    return message_of([&] {
      run_system(
          read_model("sestina: 1\nbodies: [{name: b, mass: 1}]\nvariables: {v: 0}\nstates:\n" + states));
    });
  };
  EXPECT_THAT(told("  - {name: x}\n"), HasSubstr("states[0]"));
  EXPECT_THAT(told("  - {name: x, rate: y}\n"), HasSubstr("states[0].rate"));
  EXPECT_THAT(told("  - {name: b, rate: 1}\n"), HasSubstr("states[0].name"));
  EXPECT_THAT(told("  - {name: v, rate: 1}\n"), HasSubstr("states[0].name"));
  EXPECT_THAT(told("  - {name: x, rate: 1, begin: 2}\n"), HasSubstr("begin"));
  EXPECT_THAT(told("  - {name: x, rate: 1, start: b.q}\n"), HasSubstr("states[0].start"));
}

TEST(States, WhoseRateIsNotFiniteAreNamed) {
  for (const char* rule : {"dormand_prince_54", "radau_iia"}) {
    System system = block();
    system.add_state("root", "sqrt(0.5 - root)", 0.4);
    system.add_state("burst", "1/(0.5 - t)");
    system.analysis.integrator.name = rule;
    system.analysis.duration = 2.0;
    const RunResult run = run_anyhow(system);
    EXPECT_NE(run.report.status, RunStatus::kComplete);
    EXPECT_THAT(run.report.failure, testing::AnyOf(HasSubstr("burst"), HasSubstr("root"))) << rule;
  }
}

}  // namespace
}  // namespace sestina::test
