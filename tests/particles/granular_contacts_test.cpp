#include "sestina/particles/granular_contacts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "message_of.h"
#include "sestina/base/error.h"
#include "sestina/parallel/executor.h"
#include "sestina/particles/granular_walls.h"
#include "test_models.h"

namespace sestina {
namespace {

using testing::HasSubstr;
using testing_support::make_noise;
using testing_support::message_of;
using testing_support::positions_of;
using testing_support::velocities_of;

constexpr double kRadius = 0.01, kMass = 0.005;

ParticleModel make_grains(const GrainContact& contact) {
  ParticleModel model;
  model.box = {{-1, -1, -1}, {2, 2, 2}, {false, false, false}};
  Species species{"grain", kMass};
  species.radius = kRadius;
  model.species = {species};
  model.grain_contacts = {contact};
  model.skin = 0.1 * kRadius;
  return model;
}

GrainContact make_hooke(double stiffness) {
  GrainContact contact;
  contact.stiffness = stiffness, contact.tangential_stiffness = 2.0 / 7.0 * stiffness;
  return contact;
}

// Two spheres that fly along x towards each other with the speed v (m/s) of each.
ParticleModel make_pair(const GrainContact& contact, double v) {
  ParticleModel model = make_grains(contact);
  model.position = {-1.01 * kRadius, 0, 0, 1.01 * kRadius, 0, 0};
  model.species_of = {0, 0};
  model.velocity = {v, 0, 0, -v, 0, 0};
  return model;
}

// A sphere on the plane z = 0 that has sunk in by its weight; gravity is inclined by `angle`.
ParticleModel make_slope(GrainContact contact, double angle) {
  constexpr double kGravity = 9.81;
  contact.damping = 200.0, contact.tangential_damping = 100.0;
  ParticleModel model = make_grains(contact);
  const double sunk = kMass * kGravity * std::cos(angle) / contact.stiffness;
  model.position = {0, 0, kRadius - sunk};
  model.species_of = {0};
  model.walls = {GrainWall{}};
  ParticleField gravity;
  gravity.vector = {kGravity * std::sin(angle), 0, -kGravity * std::cos(angle)};
  model.fields = {gravity};
  return model;
}

std::vector<double> spins_of(const ParticleSystem& system) {
  std::vector<double> w(3 * static_cast<std::size_t>(system.size()));
  system.copy_spins(w);
  return w;
}

void advance(ParticleSystem& system, double h, double until) {
  while (system.t() < until - 0.5 * h) system.step(h);
}

// Grains of three sizes that fall into a funnel.
ParticleModel make_pile(bool is_hertz) {
  ParticleModel model;
  model.box = {{-0.1, -0.1, 0}, {0.2, 0.2, 0.3}, {false, false, false}};
  for (const double radius : {0.004, 0.005, 0.006}) {
    Species species{"grain" + std::to_string(model.species.size()),
                    2500.0 * 4.0 / 3.0 * M_PI * std::pow(radius, 3)};
    species.radius = radius;
    model.species.push_back(species);
  }
  for (int a = 0; a < 3; ++a) {
    for (int b = a; b < 3; ++b) {
      GrainContact contact;
      contact.first = a, contact.second = b, contact.is_hertz = is_hertz;
      contact.set_material(5e6, 0.3);
      if (!is_hertz) contact.stiffness = 2e3, contact.tangential_stiffness = 6e2;
      contact.restitution = 0.5 + 0.1 * a, contact.friction = 0.4, contact.rolling_friction = 0.05;
      model.grain_contacts.push_back(contact);
    }
  }
  model.walls = {GrainWall{},
                 {GrainWall::Shape::kCone, {0, 0, 0.02}, {0, 0, 1}, 0.02, 0.06, 0.04},
                 {GrainWall::Shape::kCone, {0, 0, 0.06}, {0, 0, 2}, 0.06, 0.06, 0.3}};
  const std::vector<double> noise = make_noise(1200, 3);
  for (int i = 0; i < 400; ++i) {
    const int level = i / 25, row = i % 25 / 5, column = i % 5;
    for (int a = 0; a < 3; ++a) {
      const double at = a == 0 ? 0.0145 * (column - 2) : a == 1 ? 0.0145 * (row - 2) : 0.07 + 0.0145 * level;
      model.position.push_back(at + 5e-4 * noise[static_cast<std::size_t>(3 * i + a)]);
    }
    model.species_of.push_back(i % 3);
  }
  model.skin = 8e-4;
  ParticleField gravity;
  gravity.vector = {0, 0, -9.81};
  model.fields = {gravity};
  return model;
}

TEST(GranularContacts, HeadOnSpheresReturnWithTheGivenRestitution) {
  Executor executor(1);
  for (const bool is_hertz : {false, true}) {
    for (const double e : {0.3, 0.9, 1.0}) {
      for (const double v : {0.05, 0.5}) {
        GrainContact contact = make_hooke(is_hertz ? 1e8 : 1e5);
        contact.is_hertz = is_hertz, contact.restitution = e;
        ParticleSystem system(make_pair(contact, v), executor);
        const double before = system.measure().total();
        advance(system, 5e-7, 3e-4 / v + 4e-3);
        const std::vector<double> after = velocities_of(system);
        EXPECT_NEAR(after[3], e * v, 1e-3 * v) << is_hertz << " " << e << " " << v;
        EXPECT_NEAR(after[0], -after[3], 1e-12);
        const ParticleMeasures m = system.measure();
        EXPECT_NEAR(m.dissipated, (1.0 - e * e) * kMass * v * v, 2e-3 * kMass * v * v);
        EXPECT_NEAR(m.total(), before, 1e-9 * before);
        EXPECT_EQ(m.pair, 0.0);
      }
    }
  }
}

// With the damping g the spheres part after half a period: e = exp(-pi g/(2 w)), w^2 = k/m - g^2/4.
TEST(GranularContacts, DampingOfHookeHasItsClosedForm) {
  Executor executor(1);
  GrainContact contact = make_hooke(1e5);
  contact.damping = 2000.0;
  ParticleSystem system(make_pair(contact, 0.2), executor);
  advance(system, 1e-7, 2e-3);
  const double w = std::sqrt(contact.stiffness / (0.5 * kMass) - 0.25 * contact.damping * contact.damping);
  EXPECT_NEAR(velocities_of(system)[3], 0.2 * std::exp(-0.5 * M_PI * contact.damping / w), 1e-4);
}

// Where spheres stick, the tangential velocity at the contact is that of a spring, v cos(W t), with
// W^2 = k_t (1 + 5/2)/m, for the half period of the normal motion.
TEST(GranularContacts, StickingImpactTurnsTangentialVelocityAsASpring) {
  Executor executor(1);
  for (const double ratio : {2.0 / 7.0, 0.15}) {
    GrainContact contact = make_hooke(1e6);
    contact.tangential_stiffness = ratio * contact.stiffness, contact.friction = 1e3;
    ParticleModel model = make_pair(contact, 0.05);
    model.velocity[1] = 0.01, model.velocity[4] = -0.01;
    // The spheres have come nearer at an angle when they touch: they start beside the line.
    const double t = 0.01 * kRadius / 0.05;
    model.position[1] = -0.01 * t, model.position[4] = 0.01 * t;
    ParticleSystem system(model, executor);
    advance(system, 1e-7, 8e-3);
    const std::vector<double> v = velocities_of(system), w = spins_of(system);
    const double slip = v[1] - v[4] + kRadius * (w[2] + w[5]);
    EXPECT_NEAR(slip, 0.02 * std::cos(M_PI * std::sqrt(3.5 * ratio)), 2e-3 * 0.02);
    EXPECT_NEAR(v[1] + v[4], 0.0, 1e-15);
    // n x F_t acts with the arms R, which together are longer than the distance by the overlap.
    const auto momentum = [&](const std::vector<double>& x) {
      double sum = 0.0;
      for (std::size_t i = 0; i < 6; i += 3) {
        sum += kMass * (x[i] * v[i + 1] - x[i + 1] * v[i]) + 0.4 * kMass * kRadius * kRadius * w[i + 2];
      }
      return sum;
    };
    EXPECT_NEAR(momentum(positions_of(system)), -2.0 * kMass * kRadius * 0.01, 1e-3 * kMass * kRadius * 0.02);
    EXPECT_GT(std::abs(w[2]), 0.05);
  }
}

// Spheres that slip all the time have the tangential impulse friction times the normal one.
TEST(GranularContacts, SlippingImpactHasTheImpulseOfCoulomb) {
  Executor executor(1);
  GrainContact contact = make_hooke(1e8);
  contact.friction = 0.1;
  ParticleModel model = make_pair(contact, 0.05);
  model.velocity[1] = 0.4, model.velocity[4] = -0.4;
  const double t = 0.01 * kRadius / 0.05;
  model.position[1] = -0.4 * t, model.position[4] = 0.4 * t;
  ParticleSystem system(model, executor);
  advance(system, 1e-7, 6e-3);
  const double impulse = 2.0 * kMass * 0.05;
  EXPECT_NEAR(velocities_of(system)[1], 0.4 - contact.friction * impulse / kMass, 0.02 * 0.01);
  EXPECT_NEAR(spins_of(system)[2], -contact.friction * impulse / (0.4 * kMass * kRadius), 0.02 * 2.5);
}

TEST(GranularContacts, SphereRollsDownAPlaneOrSlipsAboveTheLimit) {
  Executor executor(1);
  GrainContact contact = make_hooke(1e4);
  contact.friction = 0.2;
  const double limit = std::atan(3.5 * contact.friction);
  for (const double angle : {0.5 * limit, 0.95 * limit, 1.05 * limit, 1.5 * limit}) {
    ParticleSystem system(make_slope(contact, angle), executor);
    advance(system, 2e-6, 0.1);
    const double v1 = velocities_of(system)[0], w1 = spins_of(system)[1];
    advance(system, 2e-6, 0.2);
    const double a = (velocities_of(system)[0] - v1) / 0.1, turn = (spins_of(system)[1] - w1) / 0.1;
    if (angle < limit) {
      EXPECT_NEAR(a, 5.0 / 7.0 * 9.81 * std::sin(angle), 1e-6) << angle;
      EXPECT_NEAR(turn * kRadius, a, 1e-6);
    } else {
      EXPECT_NEAR(a, 9.81 * (std::sin(angle) - contact.friction * std::cos(angle)), 1e-6) << angle;
      EXPECT_NEAR(turn * kRadius, 2.5 * contact.friction * 9.81 * std::cos(angle), 1e-6);
    }
    const Vector3d force = system.calc_wall_forces().at(0);
    EXPECT_NEAR(force[2], kMass * 9.81 * std::cos(angle), 1e-8);
  }
}

// The couple R rolling_friction m g: a = -5/7 rolling_friction g.
TEST(GranularContacts, RollingFrictionSlowsARollingSphere) {
  Executor executor(1);
  GrainContact contact = make_hooke(1e4);
  contact.friction = 0.5, contact.rolling_friction = 0.02;
  ParticleModel model = make_slope(contact, 0.0);
  model.velocity = {0.5, 0, 0}, model.grain_spin = {0, 0.5 / kRadius, 0};
  ParticleSystem system(model, executor);
  advance(system, 2e-6, 0.1);
  const double v1 = velocities_of(system)[0];
  advance(system, 2e-6, 0.2);
  EXPECT_NEAR((velocities_of(system)[0] - v1) / 0.1, -5.0 / 7.0 * 0.02 * 9.81, 1e-5);
  advance(system, 2e-6, 6.0);
  EXPECT_NEAR(velocities_of(system)[0], 0.0, 1e-10);
}

TEST(GranularContacts, EnergyOfAPileIsConservedToTheOrderOfTheStep) {
  Executor executor(2);
  double drift[2] = {};
  for (const int k : {0, 1}) {
    ParticleSystem system(make_pile(false), executor);
    const ParticleMeasures before = system.measure();
    advance(system, k == 0 ? 4e-5 : 2e-5, 0.25);
    const ParticleMeasures m = system.measure();
    drift[k] = std::abs(m.total() - before.total()) / (before.potential() - m.potential());
    EXPECT_GT(m.dissipated, 0.3 * (before.potential() - m.potential()));
    EXPECT_GT(m.rotational, 0.0);
  }
  EXPECT_LT(drift[1], 1e-3);
  EXPECT_LT(drift[1], 0.5 * drift[0]);
}

TEST(GranularContacts, SameBitsForAnyNumberOfThreadsAndAfterRestart) {
  for (const bool is_hertz : {false, true}) {
    Executor one(1), three(3);
    ParticleSystem a(make_pile(is_hertz), one), b(make_pile(is_hertz), three), c(make_pile(is_hertz), one);
    for (int i = 0; i < 4000; ++i) a.step(4e-5), b.step(4e-5);
    c.restore(a.save());
    EXPECT_EQ(a.measure().pressure, c.measure().pressure);
    EXPECT_EQ(a.measure().total(), c.measure().total());
    EXPECT_EQ(a.calc_wall_forces(), c.calc_wall_forces());
    const std::int64_t builds = a.list_builds();
    for (int i = 0; i < 1000; ++i) a.step(4e-5), b.step(4e-5), c.step(4e-5);
    EXPECT_GT(a.list_builds(), builds);
    EXPECT_EQ(positions_of(a), positions_of(b));
    EXPECT_EQ(spins_of(a), spins_of(b));
    EXPECT_EQ(positions_of(a), positions_of(c));
    EXPECT_EQ(velocities_of(a), velocities_of(c));
    EXPECT_EQ(spins_of(a), spins_of(c));
    EXPECT_EQ(a.measure().dissipated, b.measure().dissipated);
    EXPECT_EQ(a.measure().dissipated, c.measure().dissipated);
  }
}

TEST(GranularContacts, InstructionSetsAgree) {
  Executor executor(1);
  ParticleSystem one(make_pile(true), executor, InstructionSet::kPortable), other(make_pile(true), executor);
  for (int i = 0; i < 2500; ++i) one.step(4e-5), other.step(4e-5);
  const std::vector<double> a = positions_of(one), b = positions_of(other);
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-9);
  EXPECT_GT(one.measure().dissipated, 0.0);
}

// Contacts through the faces of a periodic box are those of a box that is shifted.
TEST(GranularContacts, PeriodicBoxHasNoFaces) {
  Executor executor(1);
  GrainContact contact = make_hooke(1e4);
  contact.friction = 0.5, contact.restitution = 0.8;
  std::vector<double> results[2];
  for (const int k : {0, 1}) {
    ParticleModel model = make_grains(contact);
    model.box = {{-0.0251 + 0.025 * k, -0.025, -0.025}, {0.05, 0.05, 0.05}, {true, true, true}};
    model.species_of = {0, 0, 0};
    model.position = {-0.0245, 0, 0, 0.0045, 0.001, 0.002, 0.024 - 0.05, 0.0201, 0.001};
    model.velocity = {0.3, 0, 0, -0.3, 0.1, 0, 0, -0.2, 0.1};
    ParticleSystem system(model, executor);
    for (int i = 0; i < 20000; ++i) system.step(1e-5);
    results[k] = velocities_of(system);
    EXPECT_GT(system.measure().dissipated, 1e-5);
  }
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(results[0][i], results[1][i], 1e-6);
}

// The nearest of many points of the surface.
TEST(GranularWalls, NearestPointOfAConeIsNearerThanAllOthers) {
  const GrainWall wall =
      with_unit_axis({GrainWall::Shape::kCone, {0.1, 0.2, -0.1}, {1, 2, -0.5}, 0.3, 0.05, 0.6});
  const Vector3d across{wall.axis[1], -wall.axis[0], 0};
  const double size = std::hypot(across[0], across[1]);
  const Vector3d e{across[0] / size, across[1] / size, 0};
  const Vector3d f{wall.axis[1] * e[2] - wall.axis[2] * e[1], wall.axis[2] * e[0] - wall.axis[0] * e[2],
                   wall.axis[0] * e[1] - wall.axis[1] * e[0]};
  const std::vector<double> noise = make_noise(90, 7);
  for (std::size_t k = 0; k < 90; k += 3) {
    const Vector3d x{noise[k], noise[k + 1], noise[k + 2]};
    double least = HUGE_VAL;
    for (int i = 0; i <= 200; ++i) {
      for (int j = 0; j < 400; ++j) {
        const double s = i / 200.0, r = 0.3 - 0.25 * s, angle = 2.0 * M_PI * j / 400.0;
        double square = 0.0;
        for (std::size_t a = 0; a < 3; ++a) {
          const double p =
              wall.at[a] + 0.6 * s * wall.axis[a] + r * (std::cos(angle) * e[a] + std::sin(angle) * f[a]);
          square += (x[a] - p) * (x[a] - p);
        }
        least = std::min(least, std::sqrt(square));
      }
    }
    const WallPoint point = find_wall_point(wall, x);
    EXPECT_LE(point.distance, least + 1e-12);
    EXPECT_NEAR(point.distance, least, 2e-3);
  }
}

TEST(GranularContacts, NamesTheSphereBehindAPlane) {
  Executor executor(1);
  ParticleModel model = make_slope(make_hooke(1e4), 0.1);
  model.position[2] = -0.001;
  try {
    const ParticleSystem system(model, executor);
    FAIL() << "nothing was thrown";
  } catch (const ComputationError& error) {
    EXPECT_THAT(error.what(), HasSubstr("the centre of particles[0] is behind walls[0], at [0, 0, -0.001]"));
  }
}

TEST(GranularContacts, RefusesWrongModels) {
  Executor executor(1);
  const auto message = [&](auto&& change) {
    ParticleModel model = make_slope(make_hooke(1e4), 0.1);
    change(model);
    return message_of([&] { ParticleSystem(model, executor); });
  };
  EXPECT_EQ(message([](ParticleModel&) {}), testing_support::kNothingThrown);
  EXPECT_THAT(message([](ParticleModel& m) { m.species[0].radius = 0.0; }),
              HasSubstr("species[0].radius: 0 is not a positive number"));
  EXPECT_THAT(message([](ParticleModel& m) { m.grain_contacts[0].friction = -1.0; }),
              HasSubstr("pairs[0].friction: -1 is not zero or a positive number"));
  EXPECT_THAT(message([](ParticleModel& m) { m.grain_contacts[0].restitution = 0.5; }),
              HasSubstr("pairs[0].restitution: gives the damping, which is given as well"));
  EXPECT_THAT(message([](ParticleModel& m) { m.walls[0].axis = {}; }),
              HasSubstr("walls[0].normal: has no direction"));
  EXPECT_THAT(message([](ParticleModel& m) { m.box.periodic[2] = true; }),
              HasSubstr("walls[0].normal: the box is periodic along z"));
  EXPECT_THAT(message([](ParticleModel& m) { m.langevin.emplace(); }),
              HasSubstr("thermostat: cannot be together with contacts"));
  EXPECT_THAT(message([](ParticleModel& m) {
                m.species.push_back({"steel", 1.0});
                m.walls[0].species = 1;
              }),
              HasSubstr("pairs: there is no contact of 'grain' with 'steel', which may touch"));
  EXPECT_THAT(message([](ParticleModel& m) { m.grain_contacts.clear(); }),
              HasSubstr("walls: touch grains: give pairs of type hooke or hertz"));
  EXPECT_THAT(message([](ParticleModel& m) { m.grain_spin = {1.0}; }),
              HasSubstr("spins: has 1 numbers for 1 particles; expected 3"));
  EXPECT_THAT(message([](ParticleModel& m) {
                m.box.periodic[0] = true;
                m.walls[0] = {GrainWall::Shape::kCone, {0, 0, 0}, {0, 0, 1}, 2.0, 2.0, 1.0};
              }),
              HasSubstr("walls[0]: reaches from -2 to 2 along x"));
}

}  // namespace
}  // namespace sestina
