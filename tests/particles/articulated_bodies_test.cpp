// Molecules of jointed rigid bodies, against rigid bonds (another formulation of the same motion), laws of
// mechanics, and statistics.
#include "sestina/particles/articulated_bodies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "jointed_models.h"
#include "message_of.h"
#include "sestina/base/error.h"
#include "sestina/parallel/executor.h"
#include "sestina/particles/joint_bonds.h"
#include "sestina/particles/particle_system.h"

namespace sestina {
namespace {

using namespace testing_support;  // NOLINT
using testing::HasSubstr;

class OfEachSet : public testing::TestWithParam<InstructionSet> {};

INSTANTIATE_TEST_SUITE_P(ArticulatedBodies, OfEachSet,
                         testing::ValuesIn(available_instruction_sets().begin(),
                                           available_instruction_sets().end()),
                         [](const auto& set) { return std::string(to_string(set.param)); });

// Point beads on massless links: coordinates of joints and multipliers of lengths are the same discrete
// motion.
TEST_P(OfEachSet, PointBeadsMoveAsRigidBondsDo) {
  Executor executor(1);
  for (const bool is_tree : {false, true}) {
    ParticleSystem bonds(make_beads(TermLaw::kRigidBond, 11, is_tree), executor, GetParam());
    ParticleSystem joints(make_beads(TermLaw::kSphericalBond, 11, is_tree), executor, GetParam());
    EXPECT_DOUBLE_EQ(joints.degrees_of_freedom(), bonds.degrees_of_freedom());
    EXPECT_LT(largest_difference(velocities_of(joints), velocities_of(bonds)), 1e-13);
    const ParticleMeasures at_bonds = bonds.measure(), at_joints = joints.measure();
    EXPECT_NEAR(at_joints.total(), at_bonds.total(), 1e-12 * at_bonds.total());
    for (int i = 0; i < 200; ++i) bonds.step(0.02), joints.step(0.02);
    EXPECT_LT(largest_difference(positions_of(joints), positions_of(bonds)), 1e-8);
    EXPECT_LT(largest_difference(velocities_of(joints), velocities_of(bonds)), 1e-8);
  }
}

TEST_P(OfEachSet, MomentaAreConservedAndStepsAreReversible) {
  Executor executor(1);
  ParticleSystem system(make_bodies(kAllJoints), executor, GetParam());
  const Momenta before = momenta_of(system);
  const std::vector<double> start = positions_of(system);
  const double energy = system.measure().total();
  for (int i = 0; i < 400; ++i) system.step(0.01);
  EXPECT_GT(largest_difference(positions_of(system), start), 1.0);
  EXPECT_LT((momenta_of(system).linear - before.linear).norm(), 1e-11);
  EXPECT_LT((momenta_of(system).angular - before.angular).norm(), 1e-10);
  EXPECT_NEAR(system.measure().total(), energy, 1e-3 * energy);
  for (int i = 0; i < 400; ++i) system.step(-0.01);
  EXPECT_LT(largest_difference(positions_of(system), start), 1e-8);
}

// The energy's error falls with the square of the step, and the particles of a body keep their distances.
TEST(ArticulatedBodies, TheErrorIsOfSecondOrder) {
  Executor executor(1);
  double errors[2] = {};
  std::vector<double> ends[3];
  for (const int refinement : {0, 1, 2}) {
    ParticleSystem system(make_bodies(kAllJoints), executor);
    const double energy = system.measure().total(), h = 0.01 / (1 << refinement);
    for (int i = 0; i < 100 << refinement; ++i) {
      system.step(h);
      if (refinement < 2)
        errors[refinement] = std::max(errors[refinement], std::abs(system.measure().total() - energy));
    }
    ends[refinement] = positions_of(system);
    for (const ParticleBody& body : system.model().bodies) {
      const auto distance = [&](const std::vector<double>& x, int j) {
        return (vector_at(x, body.particles[static_cast<std::size_t>(j)]) - vector_at(x, body.particles[0]))
            .norm();
      };
      for (int j = 1; j < 5; ++j) {
        EXPECT_NEAR(distance(ends[refinement], j), distance(system.model().position, j), 1e-12);
      }
    }
  }
  EXPECT_NEAR(errors[0] / errors[1], 4.0, 0.4);
  EXPECT_NEAR(largest_difference(ends[0], ends[1]) / largest_difference(ends[1], ends[2]), 4.0, 0.4);
}

// What a joint does not let move: directions that parent and body share, and points that stay on lines.
TEST(ArticulatedBodies, JointsLetNothingElseMove) {
  Executor executor(1);
  for (const ParticleJoint joint : kAllJoints) {
    ParticleSystem system(make_bodies({joint}), executor);
    const std::vector<double> start = positions_of(system);
    for (int i = 0; i < 200; ++i) system.step(0.02);
    const std::vector<double> end = positions_of(system);
    // The axes of a body, by its particles.
    const auto frame_of = [](const std::vector<double>& x, int body) {
      Eigen::Matrix3d frame;
      for (int a = 0; a < 3; ++a) frame.col(a) = vector_at(x, 5 * body + a + 1) - vector_at(x, 5 * body);
      return frame;
    };
    const auto turn_of = [&](int body) {
      return Eigen::Matrix3d(frame_of(end, body) * frame_of(start, body).inverse());
    };
    // The joint's point and axes, as far as the parent carries them.
    const Eigen::Matrix3d relative = turn_of(0).transpose() * turn_of(1);
    const Vector axis = (vector_at(start, 6) - vector_at(start, 5)).normalized();
    const Vector side = (vector_at(start, 7) - vector_at(start, 5)).normalized();
    const Vector carried = turn_of(0) * (vector_at(start, 5) - vector_at(start, 0)) + vector_at(end, 0);
    const Vector moved = turn_of(0).transpose() * (vector_at(end, 5) - carried);
    const double along = moved.dot(axis), across = (moved - along * axis).norm();
    const double turned_axis = (relative * axis - axis).norm(),
                 turned = (relative - Eigen::Matrix3d::Identity()).norm();
    const bool slides = joint == ParticleJoint::kPrismatic || joint == ParticleJoint::kCylindrical;
    const bool keeps_axis = joint != ParticleJoint::kSpherical && joint != ParticleJoint::kUniversal;
    EXPECT_EQ(std::abs(along) > 1e-9, slides) << along;
    EXPECT_EQ(across > 1e-9, joint == ParticleJoint::kPlanar) << across;
    EXPECT_EQ(turned_axis < 1e-9, keeps_axis) << turned_axis;
    EXPECT_EQ(turned < 1e-9, joint == ParticleJoint::kPrismatic) << turned;
    if (joint == ParticleJoint::kUniversal) {
      EXPECT_NEAR(axis.dot(relative * side), 0.0, 1e-9);
    }
  }
}

// A free body without forces: angular velocity and energy are those of Euler's equations, here of a symmetric
// top whose axis precesses about the angular momentum at the rate L / J.
TEST(ArticulatedBodies, SymmetricTopPrecesses) {
  ParticleModel model;
  model.box.length = {40, 40, 40};
  model.species = {{"A", 1.0}};
  // A square in the plane and a pair on the axis; J about the axis 4, across 2 + 2 * 0.49.
  model.position = {1, 0, 0, 0, 1, 0, -1, 0, 0, 0, -1, 0, 0, 0, 0.7, 0, 0, -0.7};
  model.species_of.assign(6, 0);
  model.bodies = {{{0, 1, 2, 3, 4, 5}}};
  const double across = 2.0 + 2.0 * 0.49, spin = 3.0, tilt = 1.0;
  for (int i = 0; i < 6; ++i) {
    const Vector v = Vector(tilt, 0, spin).cross(vector_at(model.position, i));
    model.velocity.insert(model.velocity.end(), {v.x(), v.y(), v.z()});
  }
  const Vector L(across * tilt, 0, 4.0 * spin);
  const double rate = L.norm() / across, duration = 1.0;
  double errors[2] = {};
  for (const int refinement : {0, 1}) {
    Executor executor(1);
    ParticleSystem system(model, executor);
    const int steps = 200 << refinement;
    for (int i = 0; i < steps; ++i) system.step(duration / steps);
    const Vector axis = vector_at(positions_of(system), 4) / 0.7;
    errors[refinement] = (axis - Eigen::AngleAxisd(rate * duration, L.normalized()) * Vector(0, 0, 1)).norm();
  }
  EXPECT_LT(errors[0], 1e-3);
  EXPECT_NEAR(errors[0] / errors[1], 4.0, 0.1);
}

TEST(ArticulatedBodies, DegreesOfFreedomAreThoseOfTheJoints) {
  Executor executor(1);
  const auto count = [&](const ParticleModel& model) {
    return ParticleSystem(model, executor).degrees_of_freedom() + 3.0;
  };
  EXPECT_EQ(count(make_bodies({})), 6.0);
  EXPECT_EQ(count(make_bodies(kAllJoints)), 6.0 + 3 + 1 + 2 + 1 + 2 + 3);
  EXPECT_EQ(count(make_beads(TermLaw::kSphericalBond, 1, false)), 3.0 + 2 * 5);
  EXPECT_EQ(count(make_beads(TermLaw::kSphericalBond, 1, false, 0.1)), 6.0 + 3 * 5);
  EXPECT_EQ(count(make_beads(TermLaw::kTorsionBond, 1, false)), 6.0 + 3);
  // Three bonds meet at the second bead: one body of the first bead and these, then one torsion for each of
  // two arms.
  EXPECT_EQ(count(make_beads(TermLaw::kTorsionBond, 1, true, 0.1)), 6.0 + 1);
  ParticleModel rod = make_bodies({});
  rod.position.resize(6), rod.velocity.resize(6), rod.species_of.resize(2), rod.bodies = {{{0, 1}}};
  EXPECT_EQ(count(rod), 5.0);
}

// Torsion bonds keep the angles between bonds.
TEST(ArticulatedBodies, TorsionBondsKeepAngles) {
  Executor executor(1);
  ParticleSystem system(make_beads(TermLaw::kTorsionBond, 3, false, 0.05), executor);
  const auto cosine = [](const std::vector<double>& x, int b) {
    return (vector_at(x, b + 1) - vector_at(x, b)).dot(vector_at(x, b + 2) - vector_at(x, b + 1));
  };
  const std::vector<double> start = positions_of(system);
  for (int i = 0; i < 300; ++i) system.step(0.02);
  const std::vector<double> end = positions_of(system);
  EXPECT_GT(largest_difference(start, end), 0.5);
  for (int b = 0; b + 2 < kBeads; ++b) EXPECT_NEAR(cosine(end, b), cosine(start, b), 1e-10);
}

// The mean of each joint's energy is that of its degrees of freedom, for velocities that are drawn and for
// those that a thermostat makes.
TEST(ArticulatedBodies, DrawnVelocitiesHaveTheTemperature) {
  Executor executor(1);
  for (ParticleModel model : {make_bodies(kAllJoints, 3), make_beads(TermLaw::kSphericalBond, 9, true)}) {
    draw_velocities(1.7, 3, model);
    ParticleSystem system(model, executor);
    EXPECT_NEAR(system.measure().temperature, 1.7, 1e-12);
    EXPECT_LT(momenta_of(system).linear.norm(), 1e-12);
  }
}

TEST(ArticulatedBodies, ThermostatsKeepTheTemperature) {
  Executor executor(2);
  for (const bool is_langevin : {true, false}) {
    ParticleModel model = make_bodies(kAllJoints, 20);
    if (is_langevin) {
      model.langevin = Langevin{1.3, 2.0, 5};
    } else {
      model.nose_hoover = NoseHoover{1.3, 0.5};
      draw_velocities(1.3, 7, model);
    }
    ParticleSystem system(model, executor);
    double sum = 0.0;
    const int steps = 3000, first = 500;
    const double energy = is_langevin ? 0.0 : system.measure().total();
    for (int i = 0; i < steps; ++i) {
      system.step(0.02);
      if (i >= first) sum += system.measure().temperature;
    }
    EXPECT_NEAR(sum / (steps - first), 1.3, is_langevin ? 0.03 : 0.01);
    if (!is_langevin) {
      EXPECT_NEAR(system.measure().total(), energy, 1e-2 * energy);
    }
  }
}

// The end of a thermostat takes the total momentum away, and the molecules of a gas press as points do.
TEST(ArticulatedBodies, MoleculesOfAGasPressAsPoints) {
  ParticleModel model = make_bodies(kAllJoints, 12);
  draw_velocities(1.0, 3, model);
  Executor executor(1);
  ParticleSystem system(model, executor);
  const std::vector<double> v = velocities_of(system);
  double sum = 0.0;
  for (int m = 0; m < 12; ++m) {
    Vector p = Vector::Zero();
    double mass = 0.0;
    for (int i = 35 * m; i < 35 * (m + 1); ++i) {
      const double one = model.species[model.species_of[i]].mass;
      p += one * vector_at(v, i), mass += one;
    }
    sum += p.squaredNorm() / mass;
  }
  EXPECT_NEAR(system.measure().pressure, sum / (3.0 * model.box.volume()), 1e-12);
}

// With forces: the pressure is the derivative of the energy by the volume, of molecules that move as they
// are.
TEST(ArticulatedBodies, PressureIsTheWorkOfMovingMolecules) {
  ParticleModel model = make_beads(TermLaw::kSphericalBond, 12, true);
  model.box.length = {9.0, 9.0, 9.0};
  model.pairs = {{0, 0, 1.0, 1.2, 2.4, true}, {0, 1, 1.0, 1.2, 2.4, true}, {1, 1, 1.0, 1.2, 2.4, true}};
  model.velocity.clear();
  for (int m = 0; m < 12; ++m) {
    for (int i = kBeads * m; i < kBeads * (m + 1); ++i) {
      const double to[] = {2.9 * (m % 3) - 3.2 * (m % 6), 2.9 * (m / 3 % 3) - 3.2 * std::floor(m / 6.0),
                           4.5 * std::floor(m / 9.0) - 19.9};
      for (int a = 0; a < 3; ++a) model.position[3 * i + a] += to[a];
    }
  }
  Executor executor(1);
  // It may not be large: particles overlap a little.
  ParticleSystem first(model, executor);
  first.relax(50, 0.05);
  ParticleModel relaxed = model;
  relaxed.position = positions_of(first);
  const auto energy_at = [&](double factor) {
    ParticleModel moved = relaxed;
    for (double& length : moved.box.length) length *= factor;
    for (int m = 0; m < 12; ++m) {
      Vector centre = Vector::Zero();
      double mass = 0.0;
      for (int i = kBeads * m; i < kBeads * (m + 1); ++i) {
        const double one = model.species[model.species_of[i]].mass;
        centre += one * vector_at(moved.position, i), mass += one;
      }
      centre *= (factor - 1.0) / mass;
      for (int i = kBeads * m; i < kBeads * (m + 1); ++i) {
        for (int a = 0; a < 3; ++a) moved.position[3 * i + a] += centre[a];
      }
    }
    return ParticleSystem(moved, executor).measure().potential();
  };
  const double step = 1e-6, volume = relaxed.box.volume();
  const double slope = (energy_at(1.0 + step) - energy_at(1.0 - step)) / (2.0 * step);
  const double pressure = ParticleSystem(relaxed, executor).measure().pressure;
  ASSERT_GT(std::abs(slope), 1e-2);
  EXPECT_NEAR(pressure, -slope / (3.0 * volume), 1e-6 * std::abs(slope / volume));
}

TEST(ArticulatedBodies, RunsContinueBitForBitWithAnyNumberOfThreads) {
  ParticleModel model = make_bodies(kAllJoints, 20);
  model.pairs = {{0, 0, 1.0, 0.2, 0.5, true}, {0, 1, 1.0, 0.2, 0.5, true}, {1, 1, 1.0, 0.2, 0.5, true}};
  model.langevin = Langevin{1.0, 0.5, 3};
  model.thermostat_until = 0.6;
  Executor one(1), two(2);
  ParticleSystem system(model, one), again(model, two), other(model, one);
  system.relax(20, 0.02), again.relax(20, 0.02);
  for (int i = 0; i < 100; ++i) system.step(0.01), again.step(0.01);
  EXPECT_EQ(positions_of(system), positions_of(again));
  const ParticleCheckpoint saved = system.save();
  system.measure();
  for (int i = 0; i < 100; ++i) system.step(0.01);
  other.restore(saved);
  for (int i = 0; i < 100; ++i) other.step(0.01);
  EXPECT_EQ(positions_of(system), positions_of(other));
  EXPECT_EQ(velocities_of(system), velocities_of(other));
  ParticleCheckpoint wrong = saved;
  wrong.bodies.pop_back();
  EXPECT_THAT(message_of([&] { other.restore(wrong); }), HasSubstr("numbers of rigid bodies"));
}

// ---- what is refused
// -----------------------------------------------------------------------------------------

std::string refusal_of(const ParticleModel& model) {
  Executor executor(1);
  return message_of([&] { ParticleSystem system(model, executor); });
}

TEST(ArticulatedBodies, BadBodiesAreNamed) {
  const ParticleModel good = make_bodies({ParticleJoint::kUniversal});
  const auto with = [&](auto change) {
    ParticleModel model = good;
    change(model);
    return refusal_of(model);
  };
  EXPECT_EQ(with([](ParticleModel&) {}), testing_support::kNothingThrown);
  EXPECT_THAT(with([](ParticleModel& m) { m.bodies[1].particles[2] = 3; }),
              HasSubstr("bodies[1]: particles[3] belongs to bodies[0] already"));
  EXPECT_THAT(with([](ParticleModel& m) { m.bodies[1].particles[2] = 99; }),
              HasSubstr("particles[99] does not exist"));
  EXPECT_THAT(with([](ParticleModel& m) { m.bodies[1].particles.clear(); }),
              HasSubstr("bodies[1].particles: is empty"));
  EXPECT_THAT(with([](ParticleModel& m) { m.bodies[1].parent = 1; }),
              HasSubstr("bodies[1].parent: 1 is not one of"));
  EXPECT_THAT(with([](ParticleModel& m) { m.bodies[1].at = -1; }), HasSubstr("bodies[1].at"));
  EXPECT_THAT(with([](ParticleModel& m) { m.bodies[1].along[1] = -1; }), HasSubstr("bodies[1].along"));
  EXPECT_THAT(with([](ParticleModel& m) { m.bodies[1].across = m.bodies[1].along; }),
              HasSubstr("at right angles"));
  EXPECT_THAT(with([](ParticleModel& m) { m.bodies[1].inertia = -1.0; }), HasSubstr("bodies[1].inertia: -1"));
  EXPECT_THAT(with([](ParticleModel& m) { m.barostat.emplace(), m.langevin.emplace(); }),
              HasSubstr("rigid bonds and bodies do not allow"));
  EXPECT_THAT(with([](ParticleModel& m) {
                m.term_types = {{TermLaw::kRigidBond, 0.0, 1.0}}, m.terms = {{0, {0, 1, -1, -1}}};
              }),
              HasSubstr("has particles[0], which a rigid bond holds"));
  EXPECT_THAT(with([](ParticleModel& m) {
                m.term_types = {{TermLaw::kSphericalBond, 0.0, 1.0}}, m.terms = {{0, {0, 1, -1, -1}}};
                m.position[3] = 1.0, m.position[4] = m.position[1], m.position[5] = m.position[2];
              }),
              HasSubstr("particles[0] would belong to two bodies"));
}

TEST(ArticulatedBodies, BadBondsAreNamed) {
  ParticleModel stretched = make_beads(TermLaw::kSphericalBond, 1, false);
  stretched.term_types[0].rest = 0.7;
  EXPECT_THAT(refusal_of(stretched), HasSubstr("particles[0] and particles[1] are 1 apart"));
  ParticleModel negative = make_beads(TermLaw::kTorsionBond, 1, false, -0.1);
  EXPECT_THAT(refusal_of(negative), HasSubstr("inertia: -0.1 is negative"));
}

// A bead at the end of a hinge, on the hinge's axis, has nothing that resists its turning.
TEST(ArticulatedBodies, MotionsWithoutInertiaAreNamed) {
  ParticleModel model = make_bodies({ParticleJoint::kRevolute});
  model.bodies[1].particles = {5}, model.bodies[1].at = 5;
  model.bodies.push_back({{6, 7, 8, 9}});
  EXPECT_THAT(refusal_of(model), HasSubstr("can turn or slide without inertia"));
  model.bodies[1].inertia = 0.1;
  EXPECT_EQ(refusal_of(model), testing_support::kNothingThrown);
}

TEST(ArticulatedBodies, StepsThatAreTooLongAreNamed) {
  ParticleModel model = make_bodies(kAllJoints);
  for (double& v : model.velocity) v *= 50.0;
  Executor executor(1);
  ParticleSystem system(model, executor);
  EXPECT_THAT(message_of<ComputationError>([&] {
                for (int i = 0; i < 100; ++i) system.step(0.5);
              }),
              HasSubstr("the step is too long"));
}

}  // namespace
}  // namespace sestina
