// The interface that users implement, by an example: gravitation between two bodies.
#include "sestina/forces/user_force.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "forces/force_rig.h"

namespace sestina {
namespace {

using namespace testing_support;
using Bodies = std::span<const BodyMotion<double>>;

class Gravitation : public UserForce {
 public:
  Gravitation(std::string first, std::string second, double strength)
      : names_{std::move(first), std::move(second)}, strength_(strength) {}

  void prepare(std::span<const std::string> body_names) override {
    for (std::size_t i = 0; i < 2; ++i) {
      index_[i] = static_cast<std::size_t>(std::find(body_names.begin(), body_names.end(), names_[i]) -
                                           body_names.begin());
    }
  }
  void add_force(double, Bodies bodies, std::span<SpatialForce<double>> forces) const override {
    const Vec3<double> f = pull_on_first(bodies);
    forces[index_[0]] += {{}, f};
    forces[index_[1]] += {{}, -f};
  }
  double potential_energy(double, Bodies bodies) const override { return -strength_ / norm(gap(bodies)); }
  double conservative_power(double, Bodies bodies) const override {
    return dot(pull_on_first(bodies), bodies[index_[0]].V_WB.v - bodies[index_[1]].V_WB.v);
  }

 private:
  Vec3<double> gap(Bodies bodies) const { return bodies[index_[1]].X_WB.p - bodies[index_[0]].X_WB.p; }
  Vec3<double> pull_on_first(Bodies bodies) const {
    const Vec3<double> d = gap(bodies);
    return (strength_ / (norm(d) * dot(d, d))) * d;
  }
  std::string names_[2];
  std::size_t index_[2] = {};
  double strength_;  // G m m, N m^2
};

const std::vector<std::string> kNames{"ground", "moon", "earth"};

double power_of(const UserForce& force, const ForceRig<double>& rig) {
  std::vector<SpatialForce<double>> forces(kNames.size());
  force.add_force(rig.t, rig.bodies, forces);
  double power = 0.0;
  for (std::size_t b = 0; b < forces.size(); ++b) power += dot(rig.bodies[b].V_WB, forces[b]);
  return power;
}

TEST(UserForce, ConservativePowerIsThePotentialLostAndThePowerOfTheForces) {
  Gravitation gravitation("moon", "earth", 3.0);
  gravitation.prepare(kNames);
  Random random(1);
  double most_power = 0.0;
  for (int i = 0; i < 50; ++i) {
    const ForceRig<double> rig = random_rig(random);
    constexpr double h = 1e-5;
    const auto energy = [&](double step) {
      return gravitation.potential_energy(rig.t, moved(rig, {}, step).bodies);
    };
    const double power = gravitation.conservative_power(rig.t, rig.bodies);
    EXPECT_NEAR(power, power_of(gravitation, rig), 1e-14);  // round-off of a few products
    // Truncation h^2/6 f''' and round-off 1e-16/h are both about 1e-11.
    EXPECT_NEAR(power, -(energy(h) - energy(-h)) / (2 * h), 1e-9);
    most_power = std::max(most_power, std::abs(power));
  }
  EXPECT_GT(most_power, 0.1) << "no power, no balance";
}

TEST(UserForce, HasNoPotentialUnlessItSaysSo) {
  class Thrust : public UserForce {
    void add_force(double t, Bodies, std::span<SpatialForce<double>> forces) const override {
      forces[1] += {{}, {t, 0, 0}};
    }
  };
  Thrust thrust;
  thrust.prepare(kNames);
  Random random(2);
  const ForceRig<double> rig = random_rig(random);
  EXPECT_NE(power_of(thrust, rig), 0.0);
  EXPECT_EQ(thrust.potential_energy(rig.t, rig.bodies), 0.0);
  EXPECT_EQ(thrust.conservative_power(rig.t, rig.bodies), 0.0);
}

}  // namespace
}  // namespace sestina
