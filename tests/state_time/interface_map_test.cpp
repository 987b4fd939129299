#include "sestina/state_time/interface_map.h"

#include <gtest/gtest.h>

#include "sestina/state_time/element_equations.h"
#include "state_time/state_time_systems.h"

namespace sestina::test {
namespace {

struct Interface {
  explicit Interface(const System& system)
      : model(freeze(system)),
        properties(calc_properties(*model)),
        to_joints(*model, properties),
        to_start(*model, properties),
        state(calc_initial_state(*model)),
        start(at(ElementLayout::kEndNumbers * (model->bodies().size() - 1))) {
    to_start.put_state(state, start);
  }

  std::shared_ptr<const Model> model;
  Properties<double> properties;
  EndToJoints to_joints;
  JointsToStart to_start;
  State<double> state;
  std::vector<double> start;
};

std::vector<System> systems() {
  std::vector<System> all{double_pendulum(), branched_tree(), spherical_chain(3)};
  for (std::uint64_t seed = 1; seed <= 6; ++seed) all.push_back(random_state_time_system(seed, 6));
  return all;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

TEST(InterfaceMapTest, TheStateOfAMotionIsTheOneItWasMadeFrom) {
  for (const System& system : systems()) {
    Interface interface(system);
    State<double> found = interface.state;
    for (double& u : found.u) u = 0.0;
    // From a guess near it.
    std::vector<double> step(found.u.size(), 0.02);
    plus_q<double>(*interface.model, found.q, step, found.q);
    interface.to_joints.find_state(interface.start, found);
    std::vector<double> misfit(found.u.size());
    minus_q<double>(*interface.model, found.q, interface.state.q, misfit);
    EXPECT_LT(distance(misfit, std::vector<double>(misfit.size())), 1e-12) << system.name;
    EXPECT_LT(distance(found.u, interface.state.u), 1e-11) << system.name;
  }
}

TEST(InterfaceMapTest, ADisplacementComesThroughTheMotionUnchanged) {
  for (const System& system : systems()) {
    Interface interface(system);
    State<double> found = interface.state;
    interface.to_joints.find_state(interface.start, found);
    const std::vector<double> displacement = random_numbers(2 * found.u.size(), 3);
    std::vector<double> change(interface.start.size()), back(displacement.size());
    interface.to_start.calc_change(displacement, change);
    interface.to_joints.calc_displacement(change, back);
    EXPECT_LT(distance(displacement, back), 1e-10) << system.name;
  }
}

// The derivative of the start that follows from an end that is not a motion of the mechanism.
TEST(InterfaceMapTest, ChangesAreDerivativesOfTheStartByTheEnd) {
  constexpr double kStep = 1e-6;
  for (const System& system : systems()) {
    Interface interface(system);
    std::vector<double> end = interface.start;
    const std::vector<double> direction = random_numbers(end.size(), 5);
    const auto start_of = [&](double step) {
      std::vector<double> moved = end, start(end.size());
      for (std::size_t i = 0; i < end.size(); ++i) moved[i] += step * direction[i];
      State<double> state = interface.state;
      interface.to_joints.find_state(moved, state);
      interface.to_start.put_state(state, start);
      return start;
    };
    const std::vector<double> above = start_of(kStep), below = start_of(-kStep);
    start_of(0.0);
    std::vector<double> displacement(2 * at(interface.model->nu())), change(end.size());
    interface.to_joints.calc_displacement(direction, displacement);
    interface.to_start.calc_change(displacement, change);
    double largest = 0.0;
    for (std::size_t i = 0; i < end.size(); ++i) {
      const double difference = (above[i] - below[i]) / (2.0 * kStep);
      // Terms of third order, and round-off over the step.
      EXPECT_NEAR(change[i], difference, 1e-7 * (1.0 + std::abs(difference))) << system.name << " " << i;
      largest = std::max(largest, std::abs(change[i]));
    }
    EXPECT_GT(largest, 0.1);
  }
}

}  // namespace
}  // namespace sestina::test
