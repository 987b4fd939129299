// The effect of a tolerance if bodies are at rest, forces are not smooth, or too many elements are needed.
#include <gtest/gtest.h>

#include <cmath>

#include "sestina/base/error.h"
#include "sestina/state_time/state_time_solver.h"
#include "state_time/state_time_systems.h"
#include "workspace/run_system.h"

namespace sestina::test {
namespace {

struct Reached {
  std::shared_ptr<const Model> model;
  std::unique_ptr<StateTimeSolver> solver;
};

Reached reach(const System& system, double duration, StateTimeOptions options) {
  Reached solved{freeze(system), nullptr};
  solved.solver = std::make_unique<StateTimeSolver>(solved.model, calc_properties(*solved.model),
                                                    std::move(options), nullptr);
  solved.solver->start(calc_initial_state(*solved.model), duration);
  while (!solved.solver->is_complete()) solved.solver->solve_window();
  return solved;
}

// A rod that hangs, as far as its coordinate tells.
System rod(const std::string& type) {
  System system;
  system.gravity = {0, -9.81, 0};
  BodySpec& body = system.add_body("rod", 1.0);
  body.center_of_mass = {0, -0.5, 0};
  body.inertia = {.xx = 0.08, .yy = 0.01, .zz = 0.08};
  body.add_point("tip", {0, -1, 0});
  JointSpec& joint = system.add_joint("joint", type, "ground.origin", "rod.origin");
  if (type == "revolute") joint.axis = {0, 0, 1};
  return system;
}

TEST(ToleranceTest, RoundOffOfWhatIsAtRestIsNoError) {
  System hangs = rod("revolute");
  System tilted = rod("revolute");  // its weight's torque vanishes but for round-off
  tilted.gravity = {9.81 * std::sin(0.3), -9.81 * std::cos(0.3), 0};
  tilted.joint("joint").q = 0.3;
  System welded = rod("weld");
  welded.add_point_force("push", "rod.tip", {"sin(t)", 1.0, 2.0});
  System slides = rod("prismatic");  // never turns
  slides.body("rod").center_of_mass = {0.3, 0.2, 0.1};
  slides.joint("joint").axis = {1, 0, 0.3}, slides.joint("joint").u = 1.0;
  slides.add_joint_spring("spring", "joint", 10.0);
  for (const System& system : {hangs, tilted, welded, slides}) {
    for (const TestFunctions tests : {TestFunctions::kNatural, TestFunctions::kUpwind}) {
      const Reached solved =
          reach(system, 1.0,
                {.elements = 8, .pair = "auto", .tests = tests, .tolerance = 1e-8, .most_memory = 1e8});
      EXPECT_LE(solved.solver->elements().size(), 16U) << system.joints[0].type.text;
    }
  }
}

// Against an angle from closed form: (J + m r^2) angle'' = M(t) with no weight.
TEST(ToleranceTest, KinksAndJumpsGetShortElements) {
  constexpr double kInertia = 0.08 + 0.25, kAt = 1.0 / 3.0;
  for (const bool is_jump : {false, true}) {
    System system = rod("revolute");
    system.gravity = {0, 0, 0};
    system.add_joint_force("motor", "joint", is_jump ? "10*step(t-1/3)" : "10*max(0,t-1/3)");
    for (const double tolerance : {1e-6, 1e-9}) {
      const Reached solved =
          reach(system, 1.0, {.elements = 4, .pair = "auto", .tolerance = tolerance, .most_memory = 1e8});
      State<double> end;
      solved.solver->calc_state(1.0, end);
      const double t = 1.0 - kAt;
      const double u = 10.0 / kInertia * (is_jump ? t : t * t / 2);
      EXPECT_NEAR(end.u[0], u, 100.0 * tolerance * u) << is_jump << ' ' << tolerance;
      double shortest = 1.0, longest = 0.0;
      for (const TimeElement& element : solved.solver->elements()) {
        shortest = std::min(shortest, element.h), longest = std::max(longest, element.h);
      }
      EXPECT_LT(10.0 * shortest, longest);
      EXPECT_LT(solved.solver->elements().size(), 250U);
    }
  }
}

// Where the kink is depends on the motion.
TEST(ToleranceTest, AStopIsHitWhereItIs) {
  System system = rod("revolute");
  system.joint("joint").q = 1.0;
  system.add_joint_force("stop", "joint", "100*max(0,-joint.q)");
  System march = system;
  set_accurate(march, 1.0, 1.0);
  const double reference = run_system(std::move(march)).report.final_state.u[0];
  for (const double tolerance : {1e-6, 1e-8, 1e-9}) {
    const Reached solved = reach(system, 1.0, {.elements = 4, .pair = "auto", .tolerance = tolerance});
    State<double> end;
    solved.solver->calc_state(1.0, end);
    EXPECT_NEAR(end.u[0], reference, 1000.0 * tolerance) << tolerance;
    EXPECT_LT(solved.solver->elements().size(), 1000U);
  }
}

TEST(ToleranceTest, ElementsForWhichThereIsNoMemoryAreRefused) {
  try {
    reach(double_pendulum(), 5.0, {.elements = 8, .pair = "LQ", .tolerance = 1e-9, .most_memory = 2e6});
    FAIL() << "thousands of elements do not fit into two megabytes";
  } catch (const ComputationError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("the tolerance 1.0e-09 requires"), std::string::npos) << message;
    EXPECT_NE(message.find("and 2 MB are available; more windows, a larger tolerance, or forces"),
              std::string::npos)
        << message;
  }
}

TEST(ToleranceTest, AWindowThatIsTooLongIsShortenedAndTheNextOnesBeginWithItsLength) {
  // From a state that is held Newton's method does not see far.
  const StateTimeOptions options{
      .elements = 100, .pair = "QC", .tolerance = 1e-4, .guess = FirstGuess::kHeld};
  const Reached solved = reach(double_pendulum(), 60.0, options);
  const StateTimeStatistics& statistics = solved.solver->statistics();
  EXPECT_LE(statistics.error, 1e-4);
  EXPECT_GT(statistics.shorter_windows, 0);
  EXPECT_NEAR(solved.solver->solved_to(), 60.0, 1e-12);
  // The first has to be halved often, those that follow now and then: each that tried all the rest would be
  // halved five times.
  EXPECT_LT(statistics.shorter_windows, 40);
}

TEST(ToleranceTest, WithoutToleranceTooLongAWindowIsHalved) {
  const System system = double_pendulum();
  const StateTimeOptions options{.elements = 800, .pair = "QC", .guess = FirstGuess::kHeld};
  const Reached solved = reach(system, 40.0, options);
  EXPECT_GT(solved.solver->statistics().shorter_windows, 0);
  ASSERT_EQ(solved.solver->elements().size(), 800U);
  for (const TimeElement& element : solved.solver->elements()) EXPECT_NEAR(element.h, 0.05, 1e-12);
}

}  // namespace
}  // namespace sestina::test
