#include "sestina/state_time/closing_conditions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "message_of.h"
#include "sestina/base/error.h"
#include "state_time/loop_systems.h"
#include "state_time/moved_element.h"
#include "state_time/solved_system.h"

namespace sestina::test {
namespace {

using testing_support::message_of;

ClosingConditions chosen_of(const Model& model, const Properties<double>& properties) {
  ClosingConditions closing(model, properties);
  closing.choose(calc_assembled_state(model, properties));
  return closing;
}

TEST(ClosingConditionsTest, LeaveOutWhatOthersImply) {
  struct Case {
    System system;
    int all, independent;  // by counting: speeds less degrees of freedom
  };
  const Case cases[] = {{example("16_four_bar.yaml"), 5, 2},
                        {example("17_slider_crank.yaml"), 4, 4},
                        {example("18_squeezer.yaml"), 15, 6},
                        {bricard_linkage(), 5, 4},
                        {example("26_leg_pair.yaml"), 12, 10},
                        {constrained_body(), 4, 4},
                        {driven_gear(), 3, 3}};
  for (const Case& c : cases) {
    const auto model = freeze(c.system);
    const Properties<double> properties = calc_properties(*model);
    const ClosingConditions closing = chosen_of(*model, properties);
    EXPECT_EQ(closing.count(), c.all) << c.system.name;
    EXPECT_EQ(count_multipliers(closing.chosen().joints) + static_cast<int>(closing.chosen().rows.size()),
              c.independent)
        << c.system.name;
  }
}

// The largest difference of the tangent from differences of the residual, relative to 1 or to these.
double largest_fault_of_tangent(const System& system) {
  MovedElement tried(system, 7, TestFunctions::kNatural);
  EXPECT_FALSE(tried.equations().closures().empty());
  const auto tangent = tried.tangent();
  double largest = 0.0, fault = 0.0;
  for (std::size_t column = 0; column < tangent.front().size(); ++column) {
    const std::vector<double> difference = tried.difference(column);
    for (std::size_t row = 0; row < difference.size(); ++row) {
      const double size = std::max(1.0, std::abs(difference[row]));
      largest = std::max(largest, std::abs(difference[row]));
      fault = std::max(fault, std::abs(tangent[row][column] - difference[row]) / size);
    }
  }
  EXPECT_GT(largest, 10.0);
  return fault;
}

TEST(ClosingConditionsTest, TangentIsTheDerivativeOfTheResidual) {
  for (const System& system : {constrained_body(), bricard_linkage(), example("17_slider_crank.yaml"),
                               example("16_four_bar.yaml")}) {
    // Central differences of polynomials of degree 3, by steps of 1e-5.
    EXPECT_LT(largest_fault_of_tangent(system), 1e-7) << system.name;
  }
  // What the iteration for q leaves out where joints are not closed is of the size of the gap, 0.01.
  EXPECT_LT(largest_fault_of_tangent(driven_gear()), 0.02);
}

TEST(ClosingConditionsTest, ErrorsHaveTheRatesThatTheConditionsState) {
  for (const System& system : {constrained_body(), example("17_slider_crank.yaml")}) {
    const auto model = freeze(system);
    const Properties<double> properties = calc_properties(*model);
    const ClosingConditions closing = chosen_of(*model, properties);
    testing_support::SplitMix random(3);
    const auto vector = [&] {
      return Vec3<double>{random.signed_unit(), random.signed_unit(), random.signed_unit()};
    };
    const auto n = static_cast<std::size_t>(model->bodies().size() - 1);
    std::vector<BodyInstant> bodies(n);
    for (BodyInstant& body : bodies) body = {axis_rotation({0.6, 0, 0.8}, 0.7), vector(), vector(), vector()};
    const auto moved = [&](double t) {
      std::vector<BodyInstant> at = bodies;
      for (BodyInstant& body : at) {
        const double angle = t * norm(body.w);
        body.x += t * body.v;
        body.C = body.C * axis_rotation((1.0 / norm(body.w)) * body.w, angle);
      }
      return at;
    };
    const auto rows = static_cast<std::size_t>(model->nu() + 60);
    std::vector<double> before(rows), after(rows), rates(rows);
    constexpr double kStep = 1e-6;
    for (const JointConditions& joint : closing.chosen().joints) {
      joint.calc_errors(moved(-kStep), before), joint.calc_errors(moved(kStep), after);
      joint.calc_rates(bodies, rates);
      for (const JointCondition& condition : joint.conditions) {
        const auto r = static_cast<std::size_t>(condition.first);
        EXPECT_NEAR((after[r] - before[r]) / (2.0 * kStep), rates[r], 1e-8);
      }
    }
  }
}

double largest_opening(const SolvedSystem& solved) {
  const Properties<double> properties = calc_properties(*solved.model);
  const ClosingConditions closing = chosen_of(*solved.model, properties);
  std::vector<BodyInstant> first(static_cast<std::size_t>(solved.model->bodies().size() - 1)), now = first;
  solved.solver->calc_bodies(0.0, first);
  double largest = 0.0;
  for (const TimeElement& element : solved.solver->elements()) {
    solved.solver->calc_bodies(element.end(), now);
    largest = std::max(largest, closing.largest_opening(first, now).size);
  }
  return largest;
}

struct LoopCase {
  const char* name;
  System system;
  double duration;
  int elements;
};
std::vector<LoopCase> loop_cases() {
  return {{"four-bar", example("16_four_bar.yaml"), 0.5, 64},
          {"slider-crank", example("17_slider_crank.yaml"), 0.5, 64},
          {"squeezer", example("18_squeezer.yaml"), 0.01, 64},
          {"Bricard", bricard_linkage(), 1.0, 64},
          {"body on rods, line and plane", constrained_body(), 0.5, 32},
          {"driven gear", driven_gear(), 0.5, 32}};
}

// The three formulations with tight tolerances; loops are closed at the ends of elements, conditions that
// were left out included.
TEST(StateTimeLoopsTest, AgreeWithRelativeAndCartesianCoordinates) {
  for (const LoopCase& c : loop_cases()) {
    const SolvedSystem solved =
        solve_in_time(c.system, c.duration, {.elements = c.elements, .pair = "P5P6", .windows = 8});
    const State<double> end = solved.at(c.duration);
    const State<double> reference = reference_state(c.system, c.duration);
    double size = 1.0;
    for (const double u : reference.u) size = std::max(size, std::abs(u));
    EXPECT_LT(distance_between(*solved.model, end, reference), 1e-8 * size) << c.name;
    System cartesian = c.system;
    cartesian.analysis.coordinates = "cartesian";
    set_accurate(cartesian, c.duration, c.duration);
    const RunResult run = run_system(std::move(cartesian));
    for (std::size_t i = 0; i < end.q.size(); ++i) {
      EXPECT_NEAR(run.end(solved.model->q_names()[i]), end.q[i], 1e-8) << c.name;
    }
    EXPECT_LT(largest_opening(solved), 1e-12) << c.name;
    EXPECT_GT(distance_between(*solved.model, solved.at(0.0), reference), 0.1) << c.name;
  }
}

TEST(StateTimeLoopsTest, EndsOfElementsAreSuperconvergent) {
  const System system = example("16_four_bar.yaml");
  const State<double> reference = reference_state(system, 0.5);
  const auto order = [&](const char* pair, int elements) {
    const auto error = [&](int n) {
      const SolvedSystem solved = solve_in_time(system, 0.5, {.elements = n, .pair = pair});
      return distance_between(*solved.model, solved.at(0.5), reference);
    };
    return std::log2(error(elements) / error(2 * elements));
  };
  EXPECT_NEAR(order("LQ", 128), 4.0, 0.4);
  EXPECT_NEAR(order("QC", 64), 6.0, 0.6);
}

// At the ends of elements, relative to the largest kinetic energy.
double energy_drift(const SolvedSystem& solved) {
  ForwardDynamics dynamics(solved.model, calc_properties(*solved.model), "recursive");
  const auto energy_at = [&](double t) {
    const State<double> state = solved.at(t);
    dynamics.update(state);
    return dynamics.energy(state);
  };
  const Energy<double> first = energy_at(0.0);
  double drift = 0.0, kinetic = 0.0;
  for (const TimeElement& element : solved.solver->elements()) {
    const Energy<double> now = energy_at(element.end());
    kinetic = std::max(kinetic, now.kinetic);
    drift = std::max(drift, std::abs(now.kinetic + now.potential - first.kinetic - first.potential));
  }
  EXPECT_GT(kinetic, 1.0);
  return drift / kinetic;
}

TEST(StateTimeLoopsTest, EnergyDoesNotDrift) {
  const SolvedSystem solved =
      solve_in_time(bricard_linkage(), 2.0, {.elements = 128, .pair = "P4P5", .windows = 16});
  EXPECT_LT(energy_drift(solved), 1e-9);
}

TEST(StateTimeLoopsTest, StretchesAndTolerancesGiveTheSameMotion) {
  const System system = example("16_four_bar.yaml");
  const State<double> whole = solve_in_time(system, 0.25, {.elements = 24, .pair = "P4P5"}).at(0.25);
  const SolvedSystem cut = solve_in_time(system, 0.25, {.elements = 24, .pair = "P4P5", .stretches = 3});
  EXPECT_LT(distance_between(*cut.model, cut.at(0.25), whole), 1e-9);
  const SolvedSystem within =
      solve_in_time(system, 0.25, {.elements = 4, .pair = "auto", .windows = 2, .tolerance = 1e-8});
  EXPECT_LT(distance_between(*cut.model, within.at(0.25), whole), 1e-5);
}

TEST(StateTimeLoopsTest, ReactionsAreThoseOfTheEquationsOfMotion) {
  const System system = example("17_slider_crank.yaml");
  const SolvedSystem solved = solve_in_time(system, 0.2, {.elements = 32, .pair = "P4P5"});
  ForwardDynamics dynamics(solved.model, calc_properties(*solved.model), "recursive");
  const State<double> state = solved.at(0.1);
  std::vector<double> udot(state.u.size());
  dynamics.calc_udot(state, udot);
  std::vector<SpatialForce<double>> recovered(static_cast<std::size_t>(solved.model->bodies().size()));
  std::vector<SpatialForce<double>> multipliers = recovered;
  dynamics.calc_reactions(udot, recovered);
  solved.solver->calc_multiplier_reactions(0.1, multipliers);
  for (std::size_t b = 1; b < recovered.size(); ++b) {
    EXPECT_LT(norm(recovered[b].force - multipliers[b].force), 1e-4);
    EXPECT_LT(norm(recovered[b].torque - multipliers[b].torque), 1e-4);
  }
  EXPECT_GT(norm(recovered[1].force), 1.0);
}

// A parallelogram begins flat: the conditions that are independent later are not so there.
TEST(StateTimeLoopsTest, TellThatAWindowBeginsInASingularPosition) {
  System system = example("16_four_bar.yaml");
  system.parameters = {{"a", 1.0}, {"b", 2.0}, {"c", 1.0}, {"d", 2.0}};
  system.joint("hip").q = 0.0, system.joint("hip").u = 3.0;
  const std::string message =
      message_of<ComputationError>([&] { solve_in_time(system, 0.5, {.elements = 16, .pair = "QC"}); });
  EXPECT_THAT(message, testing::HasSubstr("pin opens by "));
  EXPECT_THAT(message, testing::HasSubstr("singular position"));
}

// Within an element; error control of an explicit rule comes to a halt there.
TEST(StateTimeLoopsTest, PassAFlatPosition) {
  System system = example("16_four_bar.yaml");
  system.parameters = {{"a", 1.0}, {"b", 2.0}, {"c", 1.0}, {"d", 2.0}};
  system.joint("hip").u = -4.0;
  const SolvedSystem solved = solve_in_time(system, 1.0, {.elements = 64, .pair = "P4P5", .windows = 8});
  const State<double> end = solved.at(1.0);
  EXPECT_LT(end.q[0], -1.0);
  EXPECT_NEAR(end.q[0], end.q[2], 1e-9);  // crank and rocker remain parallel
  EXPECT_LT(energy_drift(solved), 1e-9);
  EXPECT_LT(largest_opening(solved), 1e-11);
}

TEST(StateTimeLoopsTest, RefuseWhatHasNoEquations) {
  const auto message = [](const std::function<void(System&)>& change) {
    System system = example("16_four_bar.yaml");
    change(system);
    const auto model = freeze(system);
    return message_of([&] { StateTimeSolver(model, calc_properties(*model), {}, nullptr); });
  };
  EXPECT_THAT(message([](System& s) { s.joint("pin").armature = 0.1; }), testing::HasSubstr("armature"));
  EXPECT_THAT(message([](System& s) { s.joint("pin").type = "screw", s.joint("pin").pitch = 0.0; }),
              testing::HasSubstr("a screw joint that closes a loop"));
  EXPECT_THAT(message([](System& s) { s.add_joint_damper("friction", "pin", 0.1); }),
              testing::HasSubstr("a joint which closes a loop, such as pin"));
  EXPECT_THAT(
      message([](System& s) { s.add_motion("motor", "pin", {"t"}); }),
      testing::HasSubstr("conditions on the coordinates of a joint which closes a loop, such as pin"));
  EXPECT_THAT(message([](System& s) { s.add_motion("motor", "hip", {"12"}).level = "velocity"; }),
              testing::HasSubstr("constraints[0]: state_time has no equations for conditions on speeds"));
  EXPECT_THAT(message([](System& s) {
                s.add_point_on_curve("wire", "coupler.tip", "ground.origin", {"s", "s", 0});
              }),
              testing::HasSubstr("no equations for point_on_curve constraints"));
}

}  // namespace
}  // namespace sestina::test
