#include "sestina/flexible/reduced_stress.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sestina {
namespace {

// Nodes 3, 8 and 11: tension and shear by two modes.
ReducedModes stressed() {
  ReducedModes modes;
  modes.count = 2;
  modes.stress_nodes = {3, 8, 11};
  modes.stresses = {1, 0,  0, 0, 0, 0, 0, 0, 0, 2, 0, 0,    // tension; shear
                    0, 0,  0, 0, 0, 0, 5, 5, 5, 0, 0, 0,    // nothing; pressure from all sides
                    0, -4, 0, 0, 0, 0, 0, 0, 0, 0, 1, -1};  // compression; shear
  return modes;
}

TEST(ReducedStress, IsTheLargestEquivalentStressWithItsNode) {
  const ReducedModes modes = stressed();
  const double tension[] = {1.5, 0.0}, shear[] = {0.0, -1.0}, both[] = {1.0, 3.0};
  EXPECT_DOUBLE_EQ(calc_largest_stress(modes, tension).mises, 6.0);
  EXPECT_EQ(calc_largest_stress(modes, tension).node, 11);
  EXPECT_DOUBLE_EQ(calc_largest_stress(modes, shear).mises, 2.0 * std::sqrt(3.0));
  EXPECT_EQ(calc_largest_stress(modes, shear).node, 3);
  EXPECT_DOUBLE_EQ(calc_largest_stress(modes, both).mises, std::sqrt(1.0 + 3.0 * 36.0));
  EXPECT_EQ(calc_largest_stress(modes, both).node, 3);
}

TEST(ReducedStress, PressureFromAllSidesIsNone) {
  ReducedModes modes = stressed();
  modes.stress_nodes = {8};
  modes.stresses.erase(modes.stresses.begin(), modes.stresses.begin() + 12);
  modes.stresses.resize(12);
  const double eta[] = {2.0, 7.0};
  EXPECT_DOUBLE_EQ(calc_largest_stress(modes, eta).mises, 0.0);
  EXPECT_EQ(calc_largest_stress(modes, eta).node, 8);
}

}  // namespace
}  // namespace sestina
