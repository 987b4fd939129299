#include "sestina/state_time/element_equations.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sestina/base/error.h"
#include "state_time/moved_element.h"

namespace sestina::test {
namespace {

TEST(ElementEquationsTest, TangentIsTheDerivativeOfTheResidual) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    MovedElement tried(random_state_time_system(seed, 5), seed,
                       seed % 2 == 0 ? TestFunctions::kNatural : TestFunctions::kUpwind);
    const auto tangent = tried.tangent();
    double largest = 0.0;
    for (std::size_t column = 0; column < tangent.front().size(); ++column) {
      const std::vector<double> difference = tried.difference(column);
      for (std::size_t row = 0; row < difference.size(); ++row) {
        // Forces of random expressions vary by up to 1e4; central differences lose half of the digits. What
        // the iteration for q leaves out where joints are not closed is of the size of the gap, 0.01.
        const double size = std::max(1.0, std::abs(difference[row]));
        largest = std::max(largest, std::abs(difference[row]));
        ASSERT_NEAR(tangent[row][column], difference[row], 0.05 * size)
            << "seed " << seed << ", row " << row << ", column " << column;
      }
    }
    EXPECT_GT(largest, 10.0);
  }
}

TEST(ElementEquationsTest, RefusesWhatHasNoEquations) {
  System system = double_pendulum();
  system.joint("knee").armature = 0.2;
  system.joint("hip").armature = 0.1;
  const auto model = freeze(system);
  const Properties<double> properties = calc_properties(*model);
  try {
    make_joint_conditions(*model, properties);
    FAIL() << "nothing was refused";
  } catch (const InputError& error) {
    EXPECT_EQ(error.faults().size(), 2U) << error.what();
  }
}

}  // namespace
}  // namespace sestina::test
