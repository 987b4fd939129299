// The laws of force.h, for any force element. An element defined elsewhere is checked by
//
//   #include "forces/force_laws.h"
//   template <> struct RandomElement<MyElement> { template <class T> static MyElement<T> make(Random&); };
//   INSTANTIATE_TYPED_TEST_SUITE_P(Mine, ForceLaws, testing::Types<ElementFamily<MyElement>>);
//
// in namespace sestina::force_laws. It acts on the bodies, coordinates and expressions of a ForceRig, which
// moves at random with positions, speeds and constants of size one.
#pragma once

#include <gtest/gtest.h>

#include "forces/force_rig.h"
#include "spatial/difference.h"
#include "spatial/dual_parts.h"

namespace sestina::force_laws {

using namespace testing_support;

// Specialised for each element: make<T>(random) draws its constants, the same ones for every T.
template <template <class> class Element>
struct RandomElement;

template <template <class> class Element>
struct ElementFamily {
  template <class T>
  using Of = Element<T>;
  using Source = RandomElement<Element>;
};

// Round-off of about a hundred operations on forces and powers up to some ten.
constexpr double kRoundOff = 5e-13;
constexpr int kTries = 50;

template <class Family>
class ForceLaws : public testing::Test {
 protected:
  struct Case {
    typename Family::template Of<double> element;
    typename Family::template Of<Dual> dual_element;
    ForceRig<double> rig;
    ForceRigAcceleration acceleration;
  };
  static Case random_case(int seed) {
    Random random(static_cast<unsigned>(seed)), again(static_cast<unsigned>(seed));
    Case c{Family::Source::template make<double>(random), Family::Source::template make<Dual>(again), {}, {}};
    c.rig = random_rig(random);
    c.acceleration = random_acceleration(random);
    return c;
  }
};

TYPED_TEST_SUITE_P(ForceLaws);

TYPED_TEST_P(ForceLaws, PowerIsLostPotentialLessHeatPlusSupply) {
  double most_power = 0.0;
  for (int i = 0; i < kTries; ++i) {
    const auto c = this->random_case(i);
    const ForceSums<double> sums = force_of(c.element, c.rig);
    double power = 0.0;
    for (std::size_t k = 0; k < sums.tau.size(); ++k) power += sums.tau[k] * c.rig.u[k];
    for (std::size_t b = 0; b < sums.frame_forces.size(); ++b) {
      power += dot(c.rig.bodies[b].V_WB, sums.frame_forces[b]);
    }
    const double potential_rate =
        c.dual_element.potential_energy(moved(c.rig, c.acceleration, Dual(0.0, 1.0)).input()).d;
    EXPECT_NEAR(
        power,
        -potential_rate - c.element.dissipated_power(c.rig.input()) + c.element.supplied_power(c.rig.input()),
        kRoundOff);
    most_power = std::max(most_power, std::abs(power));
  }
  EXPECT_GT(most_power, 0.1) << "no power, no balance";
}

TYPED_TEST_P(ForceLaws, PositiveDampingTurnsPowerIntoHeat) {
  for (int i = 0; i < kTries; ++i) {
    const auto c = this->random_case(i);
    EXPECT_GE(c.element.dissipated_power(c.rig.input()), 0.0);
  }
}

TYPED_TEST_P(ForceLaws, AddsToWhatIsThere) {
  for (int i = 0; i < kTries; ++i) {
    const auto c = this->random_case(i);
    const ForceSums<double> once = force_of(c.element, c.rig);
    ForceSums<double> twice = once;
    ForceOutput<double> out{twice.tau.data(), twice.frame_forces.data()};
    c.element.add_force(c.rig.input(), out);
    for (std::size_t k = 0; k < once.tau.size(); ++k) {
      EXPECT_NEAR(twice.tau[k], 2.0 * once.tau[k], kRoundOff);
    }
    for (std::size_t b = 0; b < once.frame_forces.size(); ++b) {
      EXPECT_LE(difference(twice.frame_forces[b], 2.0 * once.frame_forces[b]), kRoundOff);
    }
  }
}

TYPED_TEST_P(ForceLaws, DualForceIsTheForceAndItsRate) {
  // Richardson's extrapolation of central differences with h and h/2: truncation h^4/480 of the fifth
  // derivative, which is up to 1e8 where an element is near a singular position, and round-off/h = 1e-10.
  constexpr double h = 1e-4;
  constexpr double kTolerance = 1e-8;
  for (int i = 0; i < kTries; ++i) {
    const auto c = this->random_case(i);
    const ForceSums<double> now = force_of(c.element, c.rig);
    const auto at = [&](double step) { return force_of(c.element, moved(c.rig, c.acceleration, step)); };
    const ForceSums<double> ahead = at(h), behind = at(-h), near_ahead = at(h / 2), near_behind = at(-h / 2);
    const auto rate_of = [&](const auto& far_ahead, const auto& far_behind, const auto& close_ahead,
                             const auto& close_behind) {
      return (4.0 / (3.0 * h)) * (close_ahead - close_behind) - (1.0 / (6.0 * h)) * (far_ahead - far_behind);
    };
    const ForceSums<Dual> dual_sums = force_of(c.dual_element, moved(c.rig, c.acceleration, Dual(0.0, 1.0)));
    for (std::size_t k = 0; k < now.tau.size(); ++k) {
      EXPECT_NEAR(dual_sums.tau[k].v, now.tau[k], kRoundOff);
      EXPECT_NEAR(dual_sums.tau[k].d,
                  rate_of(ahead.tau[k], behind.tau[k], near_ahead.tau[k], near_behind.tau[k]), kTolerance);
    }
    for (std::size_t b = 0; b < now.frame_forces.size(); ++b) {
      EXPECT_LE(difference(value(dual_sums.frame_forces[b]), now.frame_forces[b]), kRoundOff);
      EXPECT_LE(difference(derivative(dual_sums.frame_forces[b]),
                           rate_of(ahead.frame_forces[b], behind.frame_forces[b], near_ahead.frame_forces[b],
                                   near_behind.frame_forces[b])),
                kTolerance);
    }
  }
}

REGISTER_TYPED_TEST_SUITE_P(ForceLaws, PowerIsLostPotentialLessHeatPlusSupply,
                            PositiveDampingTurnsPowerIntoHeat, AddsToWhatIsThere,
                            DualForceIsTheForceAndItsRate);

}  // namespace sestina::force_laws
