// Rows hold finite numbers: where one is not, the run ends and says which.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sestina/workspace/ensemble.h"
#include "workspace/run_system.h"

namespace sestina::test {
namespace {

using testing::HasSubstr;

System make_cart(double mass, double speed) {
  System system;
  system.set_parameter("mass", mass);
  system.set_parameter("speed", speed);
  system.add_particle("cart", "mass");
  JointSpec& rail = system.add_joint("rail", "prismatic", "ground.origin", "cart.origin");
  rail.axis = {1, 0, 0};
  rail.u = {"speed"};
  return system;
}

void expect_finite_rows(const RunResult& run) {
  for (std::size_t row = 0; row < run.table.rows(); ++row) {
    for (const std::string& name : run.table.header().names()) {
      EXPECT_TRUE(std::isfinite(run.at(row, name))) << name << " in row " << row;
    }
  }
}

TEST(FiniteRows, MassOrSpeedBeyondWhatNumbersHoldEndsTheRun) {
  for (const auto& [mass, speed] : {std::pair{1e308, 10.0}, std::pair{1.0, 1e300}}) {
    for (const char* coordinates : {"relative", "state_time"}) {
      System system = make_cart(mass, speed);
      system.analysis.coordinates = coordinates;
      const RunResult run = run_anyhow(system);
      EXPECT_EQ(run.report.status, RunStatus::kFailed) << coordinates;
      EXPECT_THAT(run.report.failure, HasSubstr("t = 0 s: ")) << coordinates;
      EXPECT_THAT(run.report.failure, HasSubstr(" is not finite")) << coordinates;
      expect_finite_rows(run);
    }
  }
}

// The force grows with the cube of the place, and the cart reaches any place within a second.
TEST(FiniteRows, RunThatEscapesKeepsFiniteRowsAlone) {
  for (const char* rule : {"forward_euler", "rk4", "munthe_kaas_4", "verlet", "velocity_verlet"}) {
    System system = make_cart(1.0, 1.0);
    system.add_joint_force("escape", "rail", {"10*rail.q^3 + rail.u"});
    set_fixed_step(system, rule, 1e-2, 50.0);
    const RunResult run = run_anyhow(system);
    EXPECT_EQ(run.report.status, RunStatus::kFailed) << rule;
    EXPECT_THAT(run.report.failure, HasSubstr("finite")) << rule;
    EXPECT_GT(run.table.rows(), 1u) << rule;
    expect_finite_rows(run);
    EXPECT_TRUE(std::isfinite(run.report.energy_drift)) << rule;
  }
}

// A pendulum at an angle to which a step adds nothing would take speed from gravity and go nowhere.
TEST(FiniteRows, CoordinateThatAStepDoesNotChangeEndsTheRun) {
  for (const char* rule : {"rk4", "verlet", "radau_iia"}) {
    for (const auto& [q, is_stuck] :
         {std::pair{1e300, true}, std::pair{-1e17, true}, std::pair{1e6, false}}) {
      System system;
      system.gravity = {0, 0, -9.81};
      BodySpec& rod = system.add_body("rod", 1.0);
      rod.center_of_mass = {0, 0, -0.5};
      rod.inertia = {.xx = 0.1, .yy = 0.1};
      JointSpec& hinge = system.add_joint("hinge", "revolute", "ground.origin", "rod.origin");
      hinge.axis = {0, 1, 0};
      hinge.q = {q};
      set_fixed_step(system, rule, 1e-2, 1.0);
      const RunResult run = run_anyhow(system);
      EXPECT_EQ(run.report.status, is_stuck ? RunStatus::kFailed : RunStatus::kComplete) << rule << q;
      if (is_stuck) {
        EXPECT_THAT(run.report.failure, HasSubstr("hinge.q is ")) << rule;
      }
    }
  }
}

TEST(FiniteRows, MemberOfAnEnsembleThatIsNotFiniteFailsAlone) {
  std::vector<EnsembleMember> members(5);
  members[2].parameters = {{"speed", 1e300}};
  const std::vector<RunReport> reports = Workspace(make_cart(1.0, 1.0)).run_ensemble(members, {.threads = 1});
  for (std::size_t i = 0; i < members.size(); ++i) {
    EXPECT_EQ(reports[i].status, i == 2 ? RunStatus::kFailed : RunStatus::kComplete) << i;
  }
  EXPECT_THAT(reports[2].failure, HasSubstr("energy.kinetic is not finite (inf)"));
}

}  // namespace
}  // namespace sestina::test
