// Forces that the time switches on and off: no run steps over them.
//
// A mass of 2 kg on a rail, at rest until it is pushed: its momentum is the integral of the force, and every
// rule integrates forces that are constant or linear in the time to rounding. The tolerances are those of the
// model file, 1e-8 and 1e-10.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "message_of.h"
#include "sestina/integrate/rule_list.h"
#include "sestina/workspace/checkpoint.h"
#include "sestina/workspace/ensemble.h"
#include "workspace/run_system.h"

namespace sestina::test {
namespace {

using testing_support::message_of;

constexpr double kMass = 2.0;

System make_cart(double duration) {
  System system;
  system.add_particle("cart", kMass);
  system.add_joint("rail", "prismatic", "ground.origin", "cart.origin").axis = {1, 0, 0};
  system.add_joint_force("push", "rail", {0.0});
  system.analysis.duration = duration;
  return system;
}
System make_cart(double duration, const std::string& force) {
  System system = make_cart(duration);
  system.force("push").value = {force};
  return system;
}

struct Variant {
  const char* rule;
  const char* control;
};
constexpr Variant kVariants[] = {
    {"dormand_prince_54", "pi"},       {"dormand_prince_54", "pid"}, {"rkf45", "pi"},
    {"adams_bashforth_moulton", "pi"}, {"cvode_bdf", "pi"},          {"cvode_adams", "pi"}};
constexpr double kWidths[] = {0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 4.0};  // s, of 100 s
constexpr double kStart = 50.3;                                     // s

void expect_momentum(const System& system, double momentum) {
  for (const Variant& variant : kVariants) {
    System varied = system;
    varied.analysis.integrator.name = variant.rule;
    varied.analysis.step.control = variant.control;
    const RunResult run = run_system(varied);
    EXPECT_NEAR(kMass * run.end("rail.u"), momentum, 1e-6 * std::max(1.0, momentum))
        << variant.rule << ' ' << variant.control;
  }
}

TEST(TimeSwitch, PulsesOfTablesAreMetByEveryRuleOfVariableStep) {
  for (const char* interpolation : {"linear", "cubic"}) {
    for (const double width : kWidths) {
      System system = make_cart(100.0);
      system.force("push").value.clear();
      TableSpec table;
      table.time = {0.0, kStart, kStart + 0.5 * width, kStart + width, 100.0};
      table.values = {{0.0, 0.0, 10.0, 0.0, 0.0}};
      table.interpolation = interpolation;
      system.force("push").table = table;
      expect_momentum(system, 5.0 * width);  // both halves of the cubic are symmetric about their middle
    }
  }
}

// Zero at both ends, where steps end.
TEST(TimeSwitch, SmoothPulsesBetweenSwitchesAreMetByEveryRuleOfVariableStep) {
  const std::pair<const char*, double> forces[] = {
      {"if(t >= start, if(t < start + width, 10*sin(pi*(t - start)/width), 0), 0)", 20.0 / std::numbers::pi},
      {"40/width^2*max(0, (t - start)*(start + width - t))", 20.0 / 3.0}};
  for (const auto& [force, area] : forces) {
    for (const double width : {0.05, 1.0}) {
      for (const std::string& rule : names_of_rules_with_error_estimate()) {
        System system = make_cart(100.0, force);
        system.set_parameter("start", kStart);
        system.set_parameter("width", width);
        system.analysis.integrator.name = rule;
        system.analysis.step.rtol = 1e-5;
        system.analysis.step.atol = 1e-7;
        const RunResult run = run_system(system);
        EXPECT_NEAR(kMass * run.end("rail.u"), area * width, 1e-2 * area * width) << rule << ' ' << force;
      }
    }
  }
}

TEST(TimeSwitch, PulsesOfConditionsAreMetByEveryRuleOfVariableStep) {
  for (const double width : kWidths) {
    System system = make_cart(100.0, "if(t >= start, if(t < start + width, 10, 0), 0)");
    system.set_parameter("start", kStart);
    system.set_parameter("width", width);
    expect_momentum(system, 10.0 * width);
  }
}

TEST(TimeSwitch, OtherWordsForAPulseAreMetToo) {
  expect_momentum(make_cart(100.0, "5*(sign(t - 50.3) - sign(t - 50.4))"), 1.0);
  expect_momentum(make_cart(100.0, "10*(step(t/3 - 20) - step(t/3 - 20.1))"), 3.0);
  expect_momentum(make_cart(100.0, "10*max(0, 0.1 - abs(t - 50.3))"), 0.1);
  expect_momentum(make_cart(100.0, "10*min(step(t - 99), 1)"), 10.0);
}

// Conditions that are not linear in t: on for 0.0142 s in each second, and a clock that runs ever faster.
TEST(TimeSwitch, EveryPulseOfATrainIsMet) {
  const double on = std::acos(0.999) / std::numbers::pi;
  expect_momentum(make_cart(20.0, "if(sin(2*pi*t) > 0.999, 10, 0)"), 20.0 * 10.0 * on);
  double time = 0.0;  // that t^2 spends between 2k + 1 and 2k + 1.1
  for (int k = 0; 2.0 * k + 1.1 < 100.0; ++k) time += std::sqrt(2.0 * k + 1.1) - std::sqrt(2.0 * k + 1.0);
  const std::string phase = "cos(pi*(t^2 - 1.05))";
  expect_momentum(make_cart(10.0, "if(" + phase + " > cos(0.05*pi), 10, 0)"), 10.0 * time);
}

// Each step sees one side of a jump alone: then the force is constant over every step.
TEST(TimeSwitch, NoStepIsRejectedForAForceThatIsConstantBetweenJumps) {
  for (const char* rule : {"dormand_prince_54", "rkf45", "adams_bashforth_moulton"}) {
    System system = make_cart(10.0, "if(t < 3, 0, if(t <= 7, 10, -4)) + sign(sin(3*t))");
    system.analysis.integrator.name = rule;
    const RunResult run = run_system(system);
    EXPECT_EQ(run.report.steps.rejected, 0) << rule;
    EXPECT_LT(run.report.steps.steps, 400) << rule;
  }
}

TEST(TimeSwitch, EverySolverEndsStepsThere) {
  for (const std::string& solver : solver_names()) {
    System system = make_cart(100.0, "if(t >= 50.3, if(t < 50.4, 10, 0), 0)");
    system.analysis.solver = solver;
    EXPECT_NEAR(kMass * run_system(system).end("rail.u"), 1.0, 1e-7) << solver;
  }
}

// The variable `due` tells when the push begins; it is set at 40 s.
TEST(TimeSwitch, ConditionsInVariablesThatEventsSetCount) {
  System system = make_cart(100.0, "if(t >= due, if(t < due + 0.1, 10, 0), 0)");
  system.set_variable("due", 1e9);
  system.add_event("call", "t - 40", "rising").set = {{"due", "t + 20.7"}};
  expect_momentum(system, 1.0);
}

TEST(TimeSwitch, AnEventOfTheTimeAloneIsNotSteppedOver) {
  System system = make_cart(100.0);
  system.set_variable("count", 0);
  system.add_event("peak", "sin(2*pi*t) - 0.9999", "rising").set = {{"count", "count + 1"}};
  for (const Variant& variant : kVariants) {
    system.analysis.integrator.name = variant.rule;
    EXPECT_EQ(run_system(system).report.event_counts, std::vector<long>{100}) << variant.rule;
  }
}

TEST(TimeSwitch, RunsInLanesMeetPulsesAsOthersDo) {
  System system = make_cart(100.0, "if(t >= start, if(t < start + width, 10, 0), 0)");
  system.set_parameter("start", kStart);
  system.set_parameter("width", 1.0);
  std::vector<EnsembleMember> members;
  for (const double width : kWidths) {
    EnsembleMember member;
    member.parameters = {{"width", width}, {"start", 30.0 + width}};
    members.push_back(member);
  }
  for (const char* rule : {"dormand_prince_54", "rkf45"}) {
    system.analysis.integrator.name = rule;
    const std::vector<RunReport> reports = Workspace(system).run_ensemble(members, {.threads = 1});
    for (std::size_t i = 0; i < members.size(); ++i) {
      EXPECT_GT(reports[i].lanes, 1);
      EXPECT_EQ(reports[i].steps.rejected, 0);
      EXPECT_NEAR(kMass * reports[i].final_state.u[0], 10.0 * kWidths[i], 1e-7) << rule;
    }
  }
}

TEST(TimeSwitch, FixedStepsAreWhatTheUserAsksFor) {
  System system = make_cart(1.0, "if(t < 0.55, 10, 0)");
  set_fixed_step(system, "dormand_prince_54", 0.1, 1.0);
  EXPECT_EQ(run_system(system).report.steps.steps, 10);
}

// ---- the longest step -----------------------------------------------------------------------------

// But for the rounding of instants.
constexpr double kRounding = 1.0 + 1e-12;

double largest_step(System system) { return run_system(std::move(system)).report.steps.largest_step; }

TEST(LongestStep, IsATenthOfTheDurationUnlessTheTimeDrivesTheSystem) {
  EXPECT_LE(largest_step(make_cart(50.0)), 5.0 * kRounding);
  EXPECT_GT(largest_step(make_cart(50.0)), 4.0);
  EXPECT_LE(largest_step(make_cart(50.0, "0*rail.q + t/100")), 0.5 * kRounding);
  System timed = make_cart(50.0);
  timed.add_event("end", "t - 60 + rail.q");
  EXPECT_LE(largest_step(timed), 0.5 * kRounding);
}

TEST(LongestStep, SmoothPulseThatIsNotShorterThanAHundredthIsMet) {
  expect_momentum(make_cart(100.0, "10*exp(-(t - 50.3)^2)"), 10.0 * std::sqrt(std::numbers::pi));
}

TEST(LongestStep, IsWhatTheModelAsksFor) {
  System system = make_cart(50.0);
  for (const Variant& variant : kVariants) {
    system.analysis.integrator.name = variant.rule;
    system.analysis.step.max_step = 0.25;
    EXPECT_LE(largest_step(system), 0.25 * kRounding) << variant.rule;
  }
  system.analysis.step.max_step = 1e9;
  system.analysis.integrator.name = "dormand_prince_54";
  EXPECT_GT(largest_step(system), 5.0);
  system.analysis.step.max_step = 0.0;
  try {
    Workspace workspace(system);
    FAIL() << "expected an InputError";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("analysis.step.max_step: 0 is not positive"));
  }
}

// ---- resumed runs ---------------------------------------------------------------------------------

// Interrupts the run once the time is beyond an instant.
class Stop final : public UserForce {
 public:
  Stop(std::atomic<bool>& stops, double at) : stops_(stops), at_(at) {}
  void add_force(double t, std::span<const BodyMotion<double>>,
                 std::span<SpatialForce<double>>) const override {
    if (t > at_) stops_ = true;
  }

 private:
  std::atomic<bool>& stops_;
  double at_;
};

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(TimeSwitch, ResumedRunIsTheOneThatWasNotInterrupted) {
  std::string name = (std::filesystem::temp_directory_path() / "sestina-switch-XXXXXX").string();
  const std::filesystem::path folder = mkdtemp(name.data());
  std::atomic<bool> stops{false};
  const auto make = [&](const char* rule, double stop_at) {
    System system = make_cart(5.0, "if(sin(2*pi*t) > 0.9, 10, 0) + if(t < 3.5, -rail.q, rail.u)");
    system.add_user_force("stop", std::make_shared<Stop>(stops, stop_at));
    system.analysis.integrator.name = rule;
    return system;
  };
  for (const Variant& variant : kVariants) {
    {
      Workspace workspace(make(variant.rule, 1e9));
      workspace.set_checkpoint({.path = folder / "c", .result_file = folder / "whole.csv"});
      ASSERT_EQ(workspace.run(folder / "whole.csv").status, RunStatus::kComplete);
    }
    for (const double at : {0.1781, 3.5, 3.5001}) {
      stops = false;
      Workspace workspace(make(variant.rule, at));
      workspace.set_interrupt(&stops);
      workspace.set_checkpoint({.path = folder / "c", .result_file = folder / "parts.csv"});
      ASSERT_EQ(workspace.run(folder / "parts.csv").status, RunStatus::kInterrupted);
      stops = false;
      Workspace rest(make(variant.rule, 1e9));
      rest.set_checkpoint({.path = folder / "c", .result_file = folder / "parts.csv"});
      ASSERT_EQ(rest.resume(read_checkpoint(folder / "c"), folder / "parts.csv").status,
                RunStatus::kComplete);
      EXPECT_EQ(contents(folder / "parts.csv"), contents(folder / "whole.csv")) << variant.rule << ' ' << at;
    }
  }
  std::filesystem::remove_all(folder);
}

// A pendulum under a cart that is driven.
System make_driven_cart(const std::string& position) {
  System system = read_model(R"(
sestina: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: cart, type: particle, mass: 1}
  - {name: bob, mass: 1, center_of_mass: [0, 0, -1], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
joints:
  - {name: rail, type: prismatic, parent: ground.origin, child: cart.origin, axis: [1, 0, 0]}
  - {name: pivot, type: revolute, parent: cart.origin, child: bob.origin, axis: [0, 1, 0]}
analysis: {duration: 1, step: {rtol: 1e-10, atol: 1e-12}}
)");
  system.add_motion("drive", "rail", position);
  return system;
}

// The speed of the cart changes from -0.8 to 1.2 m/s: 1.1 kg m^2 d(omega) = 1 kg m 2 m/s.
TEST(TimeSwitch, KinksOfMotionsAreImpulses) {
  for (const char* rule : {"dormand_prince_54", "cvode_bdf", "radau_iia", "generalized_alpha"}) {
    System system = make_driven_cart("abs(t - 0.5) + 0.2*t");
    system.analysis.integrator.name = rule;
    const bool is_second_order = std::string(rule) == "generalized_alpha";
    if (is_second_order) system.analysis.step.rtol = 1e-6, system.analysis.step.atol = 1e-8;
    const double tolerance = is_second_order ? 1e-3 : 1e-6;
    const RunResult run = run_system(system);
    const double omega = 2.0 / 1.1, q = run.end("pivot.q"), u = run.end("pivot.u");
    EXPECT_NEAR(0.5 * 1.1 * u * u - 9.81 * std::cos(q), 0.5 * 1.1 * omega * omega - 9.81, tolerance) << rule;
    EXPECT_GT(std::abs(q), 0.1) << rule;
    EXPECT_LT(run.report.energy_drift, tolerance) << rule;
    EXPECT_LT(run.report.steps.rejected, 10) << rule;
  }
}

TEST(TimeSwitch, JumpsOfMotionsAreRefused) {
  const auto refusal = [](System system) { return message_of([&] { run_anyhow(std::move(system)); }); };
  EXPECT_THAT(
      refusal(make_driven_cart("0.3*step(t - 0.25)")),
      testing::HasSubstr("constraints[0]: drive jumps by 0.3 m at t = 0.25 s, which no motion follows"));
  System fixed = make_driven_cart("abs(t - 0.5)");
  fixed.analysis.step.driver = "fixed";
  fixed.analysis.step.dt = 0.01;
  fixed.analysis.integrator.name = "rk4";
  EXPECT_THAT(refusal(fixed), testing::HasSubstr("the speed of drive jumps by 2 m/s at t = 0.5 s"));
  fixed.constraints.front().value = {"abs(t - 0.5)^3"};  // smooth enough
  run_system(fixed);
}

TEST(TimeSwitch, MotionsThatAreNotFiniteAreNamed) {
  const std::string message = message_of([] { run_anyhow(make_driven_cart("sqrt(t)")); });
  EXPECT_THAT(message, testing::HasSubstr("constraint drive is not finite"));
  EXPECT_THAT(message, testing::HasSubstr("sqrt(t)"));
}

}  // namespace
}  // namespace sestina::test
