#include "sestina/flexible/reduced_body.h"

#include <gtest/gtest.h>

#include "reduced_models.h"
#include "sestina/numerics/dual.h"
#include "sestina/spatial/rotation_vector.h"

namespace sestina {
namespace {

constexpr std::size_t kModes = 4, kParticles = 7;

struct Motion {
  std::vector<double> eta, etadot, etaddot;
  Vec3<double> w, wdot, v, vdot;
};

Motion random_motion(unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  Motion motion;
  for (std::size_t i = 0; i < kModes; ++i) {
    motion.eta.push_back(0.2 * any(random)), motion.etadot.push_back(any(random));
    motion.etaddot.push_back(any(random));
  }
  for (auto* vector : {&motion.w, &motion.wdot, &motion.v, &motion.vdot}) {
    *vector = {any(random), any(random), any(random)};
  }
  return motion;
}

double scale_of(const testing_support::ParticleBody& body) { return 1e-13 * body.reduced->mass; }

TEST(ReducedInertia, GivesTheInertialForcesOfItsParticles) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const testing_support::ParticleBody body = testing_support::make_particle_body(seed, kParticles, kModes);
    const Motion motion = random_motion(seed);
    ReducedInertia<double> inertia;
    inertia.update(*body.reduced, motion.eta.data(), motion.etadot.data(), motion.w);
    // Sums over the particles.
    Vec3<double> force, torque;
    std::vector<double> of_modes(kModes);
    double energy = 0.0;
    for (std::size_t a = 0; a < kParticles; ++a) {
      Vec3<double> r = body.places[a], rate, rate_of_rate;
      for (std::size_t i = 0; i < kModes; ++i) {
        r += motion.eta[i] * body.modes[i][a];
        rate += motion.etadot[i] * body.modes[i][a], rate_of_rate += motion.etaddot[i] * body.modes[i][a];
      }
      const Vec3<double> velocity = motion.v + cross(motion.w, r) + rate;
      const Vec3<double> acceleration = motion.vdot + cross(motion.wdot, r) +
                                        cross(motion.w, cross(motion.w, r)) + 2.0 * cross(motion.w, rate) +
                                        rate_of_rate;
      energy += 0.5 * body.masses[a] * dot(velocity, velocity);
      force += body.masses[a] * acceleration, torque += body.masses[a] * cross(r, acceleration);
      for (std::size_t i = 0; i < kModes; ++i) {
        of_modes[i] += body.masses[a] * dot(body.modes[i][a], acceleration);
      }
    }
    const double mass = body.reduced->mass, tolerance = 20.0 * scale_of(body);
    Vec3<double> own_torque = inertia.J * motion.wdot + inertia.c_w;
    double own_energy = 0.5 * mass * dot(motion.v, motion.v) + 0.5 * dot(motion.w, inertia.J * motion.w);
    for (std::size_t i = 0; i < kModes; ++i) {
      own_torque += motion.etaddot[i] * inertia.G[i];
      own_energy +=
          motion.etadot[i] * dot(motion.w, inertia.G[i]) + 0.5 * mass * motion.etadot[i] * motion.etadot[i];
      EXPECT_NEAR(dot(inertia.G[i], motion.wdot) + mass * motion.etaddot[i] + inertia.c_eta[i], of_modes[i],
                  tolerance);
    }
    EXPECT_NEAR(norm(own_torque - torque), 0.0, tolerance);
    EXPECT_NEAR(norm(mass * motion.vdot - force), 0.0, tolerance);
    EXPECT_NEAR(own_energy, energy, tolerance);
  }
}

// The rates of the pose and of the velocity along a motion, by dual numbers.
TEST(Interface, VelocityAndBiasAreTheRatesOfItsPose) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const testing_support::ParticleBody body = testing_support::make_particle_body(seed, kParticles, kModes);
    const ReducedModes::Interface& interface = body.reduced->interfaces[0];
    const Motion motion = random_motion(seed);
    std::vector<Dual> eta, etadot;
    for (std::size_t i = 0; i < kModes; ++i) {
      eta.emplace_back(motion.eta[i], motion.etadot[i]),
          etadot.emplace_back(motion.etadot[i], motion.etaddot[i]);
    }
    const InterfaceMotion<Dual> dual =
        calc_interface_motion(*body.reduced, interface, eta.data(), etadot.data());
    const InterfaceMotion<double> plain =
        calc_interface_motion(*body.reduced, interface, motion.eta.data(), motion.etadot.data());
    const Rotation<Dual>& R = dual.X.R;
    const Mat3<double> rate{R.xx.d, R.xy.d, R.xz.d, R.yx.d, R.yy.d, R.yz.d, R.zx.d, R.zy.d, R.zz.d};
    const Mat3<double> turning = rate * plain.X.R.transpose();
    EXPECT_NEAR(norm(Vec3<double>{turning.zy, turning.xz, turning.yx} - plain.V.w), 0.0, 1e-14);
    EXPECT_NEAR(norm(Vec3<double>{dual.X.p.x.d, dual.X.p.y.d, dual.X.p.z.d} - plain.V.v), 0.0, 1e-14);
    const Mat3<double> one = plain.X.R * plain.X.R.transpose();
    EXPECT_NEAR(one.xx, 1.0, 1e-14);
    EXPECT_NEAR(one.xy, 0.0, 1e-14);
    SpatialMotion<double> A = plain.bias;
    for (std::size_t i = 0; i < kModes; ++i) {
      A.w += motion.etaddot[i] * (plain.D * interface.turns[i]);
      A.v += motion.etaddot[i] * calc_interface_shift(interface, i, motion.eta.data());
    }
    EXPECT_NEAR(norm(Vec3<double>{dual.V.w.x.d, dual.V.w.y.d, dual.V.w.z.d} - A.w), 0.0, 1e-13);
    EXPECT_NEAR(norm(Vec3<double>{dual.V.v.x.d, dual.V.v.y.d, dual.V.v.z.d} - A.v), 0.0, 1e-13);
    Vec3<double> theta;
    for (std::size_t i = 0; i < kModes; ++i) theta += motion.eta[i] * interface.turns[i];
    EXPECT_NEAR(norm(rotation_vector_of(plain.X.R * interface.axes.transpose()) - theta), 0.0, 1e-14);
  }
}

}  // namespace
}  // namespace sestina
