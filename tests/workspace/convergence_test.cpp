// The integrators on multibody systems: the order of each rule, and the energy of a long chain.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sestina/integrate/rule_list.h"
#include "workspace/run_system.h"
#include "workspace/test_systems.h"

namespace sestina::test {
namespace {

constexpr double kDuration = 0.5;

State<double> end_of_fixed_steps(const std::string& rule, int steps) {
  System system = make_robot();
  set_fixed_step(system, rule, kDuration / steps, kDuration);
  return run_system(std::move(system)).report.final_state;
}

// Largest difference of any coordinate or speed.
double distance(const State<double>& a, const State<double>& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.q.size(); ++i) largest = std::max(largest, std::abs(a.q[i] - b.q[i]));
  for (std::size_t i = 0; i < a.u.size(); ++i) largest = std::max(largest, std::abs(a.u[i] - b.u[i]));
  return largest;
}

struct Expectation {
  const char* rule;
  int order;
  int steps;         // few enough that round-off is far, enough that the leading term of the error rules
  double tolerance;  // how far the next term shows: much in the rule whose leading term was made small
};

class ObservedOrder : public testing::TestWithParam<Expectation> {};

// Euler parameters, dampers, springs between bodies and quadratic velocity terms at once.
TEST_P(ObservedOrder, IsThatOfTheRule) {
  const auto [rule, order, steps, tolerance] = GetParam();
  const State<double> exact = end_of_fixed_steps("dormand_prince_54", 4000);  // to round-off
  const double coarse = distance(end_of_fixed_steps(rule, steps), exact);
  const double fine = distance(end_of_fixed_steps(rule, 2 * steps), exact);
  EXPECT_NEAR(std::log2(coarse / fine), order, tolerance) << coarse << " and " << fine;
  EXPECT_GT(fine, 1e-11);  // far above round-off
  RecordProperty("order", std::to_string(std::log2(coarse / fine)));
}

const std::vector<Expectation>& expectations() {
  static const std::vector<Expectation> list{{"forward_euler", 1, 4000, 0.05},
                                             {"velocity_verlet", 2, 400, 0.05},
                                             {"rk4", 4, 100, 0.1},
                                             {"rkf45", 5, 320, 0.2},
                                             {"dormand_prince_54", 5, 320, 0.45},
                                             {"adams_bashforth_moulton", 4, 400, 0.2},
                                             {"munthe_kaas_4", 4, 100, 0.1},
                                             {"verlet", 2, 400, 0.05},
                                             {"lobatto_iiia_iiib", 4, 100, 0.1},
                                             {"radau_iia", 5, 160, 0.3},
                                             {"generalized_alpha", 2, 400, 0.05},
                                             {"trapezoidal", 2, 400, 0.05},
                                             {"moreau", 4, 100, 0.1},
                                             {"time_stepping", 1, 4000, 0.05}};
  return list;
}

INSTANTIATE_TEST_SUITE_P(Rules, ObservedOrder, testing::ValuesIn(expectations()),
                         [](const auto& test) { return std::string(test.param.rule); });

TEST(ObservedOrder, IsTestedForEveryRule) {
  std::vector<std::string> tested;
  for (const Expectation& expectation : expectations()) tested.emplace_back(expectation.rule);
  std::vector<std::string> names(integration_rule_names().begin(), integration_rule_names().end());
  // The accuracy of those that choose their steps does not follow from dt.
  std::erase_if(names,
                [](const std::string& name) { return make_integration_rule(name)->chooses_its_steps(); });
  EXPECT_THAT(tested, testing::UnorderedElementsAreArray(names));
}

// What MuJoCo and Pinocchio reach on this chain with their fourth-order steps of the same length: 3.3e-5 J,
// with a peak kinetic energy of 484 J.
TEST(LongChain, KeepsItsEnergyAsWellAsOthersWithFourthOrderSteps) {
  System system = make_hanging_chain(10);
  set_fixed_step(system, "rk4", 1e-3, 10.0);
  system.output.every = 1e-3;
  const RunReport report = run_system(std::move(system)).report;
  EXPECT_LT(report.energy_drift, 3.5e-5);
  EXPECT_GT(report.energy_drift, 1e-6);
  RecordProperty("drift", fmt::format("{:.3g} J of {:.5g} J", report.energy_drift, report.kinetic_energy));
  EXPECT_NEAR(report.kinetic_energy, 484.0, 0.5);
}

TEST(LongChain, KeepsItsEnergyWithinTheTolerancesOfTheVariableStep) {
  System system = make_hanging_chain(10);
  set_accurate(system, 10.0, 0.01);
  system.analysis.step.rtol = 1e-8;
  system.analysis.step.atol = 1e-10;
  const RunReport report = run_system(std::move(system)).report;
  // With the tolerances that a model has by default, no worse than by those fixed steps.
  EXPECT_LT(report.energy_drift, 3.5e-5);
  RecordProperty("drift", fmt::format("{:.3g} J of {:.5g} J", report.energy_drift, report.kinetic_energy));
  EXPECT_GT(report.steps.steps, 500);
}

}  // namespace
}  // namespace sestina::test
