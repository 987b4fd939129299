// Loops of jointed bodies, against rigid bonds (another formulation of the same motion), against the same
// loop that is cut elsewhere, and laws of mechanics.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jointed_models.h"
#include "message_of.h"
#include "sestina/base/error.h"
#include "sestina/parallel/executor.h"
#include "sestina/particles/articulated_bodies.h"
#include "sestina/particles/joint_bonds.h"
#include "sestina/particles/particle_system.h"

namespace sestina {
namespace {

using namespace testing_support;
using testing::HasSubstr;

// A ring of six beads at unit distances, bent, across the face of the box; with `is_crossed` a bond of
// another length from its second bead to the fifth makes two rings of it.
ParticleModel make_bead_rings(TermLaw law, int count, bool is_crossed = false, double inertia = 0.0) {
  ParticleModel model;
  model.box.length = {20.0, 20.0, 20.0};
  model.species = {{"light", 1.0}, {"heavy", 2.5}};
  const double flat = std::sqrt(1.0 - 0.09);
  model.term_types = {{law, 0.0, 1.0, 0.0, 1.0, 1, inertia},
                      {law, 0.0, std::hypot(2.0 * flat, 0.3), 0.0, 1.0, 1, inertia}};
  for (int m = 0; m < count; ++m) {
    const int first = kBeads * m;
    for (int b = 0; b < kBeads; ++b) {
      const double angle = b * M_PI / 3.0;
      model.position.insert(model.position.end(),
                            {3.2 * (m % 6) + flat * std::cos(angle),
                             3.2 * std::floor(m / 6.0) + flat * std::sin(angle), b % 2 == 0 ? 19.9 : 20.2});
      model.species_of.push_back((b + m) % 2);
      model.terms.push_back({0, {first + b, first + (b + 1) % kBeads, -1, -1}});
    }
    if (is_crossed) model.terms.push_back({1, {first + 1, first + 4, -1, -1}});
  }
  model.velocity = make_noise(3 * model.size(), 11);
  return model;
}

// The particles of the second model, in the order of the first one, whose loop is cut at body 0.
std::vector<double> in_order_of_first(const std::vector<double>& x, int cut) {
  std::vector<double> sorted(x.size());
  const std::size_t shift = 15 * static_cast<std::size_t>(cut);
  for (std::size_t i = 0; i < x.size(); ++i) sorted[(i + shift) % x.size()] = x[i];
  return sorted;
}

// By how much the place of the first body's first particle on the last body has left it.
double gap_of(const ParticleSystem& system) {
  const std::vector<double>& start = system.model().position;
  const std::vector<double> end = positions_of(system);
  const int last = system.size() - 5;
  const auto frame_of = [&](const std::vector<double>& x) {
    Eigen::Matrix3d frame;
    for (int a = 0; a < 3; ++a) frame.col(a) = vector_at(x, last + a + 1) - vector_at(x, last);
    return frame;
  };
  const Vector at_start = frame_of(start).inverse() * (vector_at(start, 0) - vector_at(start, last));
  return (vector_at(end, last) + frame_of(end) * at_start - vector_at(end, 0)).norm();
}

double speed_of_gap(const ParticleSystem& system) {
  const std::vector<double> x = positions_of(system), v = velocities_of(system);
  const int last = system.size() - 5;
  // The angular velocity of the last body, from three particles.
  const Vector a = vector_at(x, last + 1) - vector_at(x, last),
               b = vector_at(x, last + 2) - vector_at(x, last);
  const Vector va = vector_at(v, last + 1) - vector_at(v, last),
               vb = vector_at(v, last + 2) - vector_at(v, last);
  Eigen::Matrix<double, 6, 3> lhs;
  lhs << 0, a.z(), -a.y(), -a.z(), 0, a.x(), a.y(), -a.x(), 0,  //
      0, b.z(), -b.y(), -b.z(), 0, b.x(), b.y(), -b.x(), 0;
  Eigen::Matrix<double, 6, 1> rhs;
  rhs << va, vb;
  const Vector w = lhs.colPivHouseholderQr().solve(rhs);
  const Vector carried = vector_at(v, last) + w.cross(vector_at(x, 0) - vector_at(x, last));
  return (carried - vector_at(v, 0)).norm();
}

class LoopsOfEachSet : public testing::TestWithParam<InstructionSet> {};

INSTANTIATE_TEST_SUITE_P(ClosedLoops, LoopsOfEachSet,
                         testing::ValuesIn(available_instruction_sets().begin(),
                                           available_instruction_sets().end()),
                         [](const auto& set) { return std::string(to_string(set.param)); });

// Point beads on massless links: the multiplier of one bond, with joints for the others, or of all bonds.
TEST_P(LoopsOfEachSet, RingsOfPointBeadsMoveAsRigidBondsDo) {
  Executor executor(1);
  for (const bool is_crossed : {false, true}) {
    ParticleSystem bonds(make_bead_rings(TermLaw::kRigidBond, 11, is_crossed), executor, GetParam());
    ParticleSystem joints(make_bead_rings(TermLaw::kSphericalBond, 11, is_crossed), executor, GetParam());
    EXPECT_DOUBLE_EQ(joints.degrees_of_freedom(), bonds.degrees_of_freedom());
    EXPECT_LT(largest_difference(velocities_of(joints), velocities_of(bonds)), 1e-13);
    const double energy = bonds.measure().total();
    EXPECT_NEAR(joints.measure().total(), energy, 1e-12 * energy);
    const std::vector<double> start = positions_of(bonds);
    for (int i = 0; i < 200; ++i) bonds.step(0.02), joints.step(0.02);
    EXPECT_GT(largest_difference(positions_of(bonds), start), 1.0);
    EXPECT_LT(largest_difference(positions_of(joints), positions_of(bonds)), 1e-8);
    EXPECT_LT(largest_difference(velocities_of(joints), velocities_of(bonds)), 1e-8);
  }
}

// The motion does not know which joint closes the loop: the conditions of each kind of joint, against its
// coordinates.
TEST_P(LoopsOfEachSet, MotionIsTheSameWhereverTheLoopIsCut) {
  Executor executor(1);
  ParticleSystem first(make_ring(kAllJoints), executor, GetParam());
  const std::vector<double> start = positions_of(first), velocity = velocities_of(first);
  for (int i = 0; i < 100; ++i) first.step(0.01);
  const std::vector<double> end = positions_of(first);
  EXPECT_GT(largest_difference(start, end), 0.3);
  for (int cut = 1; cut < static_cast<int>(kAllJoints.size()); ++cut) {
    ParticleSystem other(make_ring(kAllJoints, 1, cut), executor, GetParam());
    EXPECT_EQ(other.degrees_of_freedom(), first.degrees_of_freedom());
    EXPECT_LT(largest_difference(in_order_of_first(positions_of(other), cut), start), 1e-13) << cut;
    EXPECT_LT(largest_difference(in_order_of_first(velocities_of(other), cut), velocity), 1e-12) << cut;
    for (int i = 0; i < 100; ++i) other.step(0.01);
    EXPECT_LT(largest_difference(in_order_of_first(positions_of(other), cut), end), 1e-8) << cut;
  }
}

TEST_P(LoopsOfEachSet, ConserveMomentaStayClosedAndAreReversible) {
  Executor executor(1);
  ParticleSystem system(make_ring(kAllJoints), executor, GetParam());
  const Momenta before = momenta_of(system);
  const std::vector<double> start = positions_of(system);
  double gap = 0.0, speed = speed_of_gap(system);
  for (int i = 0; i < 400; ++i) {
    system.step(0.01);
    gap = std::max(gap, gap_of(system)), speed = std::max(speed, speed_of_gap(system));
  }
  EXPECT_GT(largest_difference(positions_of(system), start), 1.0);
  EXPECT_LT(gap, 1e-12);
  EXPECT_LT(speed, 1e-11);
  EXPECT_LT((momenta_of(system).linear - before.linear).norm(), 1e-11);
  EXPECT_LT((momenta_of(system).angular - before.angular).norm(), 1e-10);
  for (int i = 0; i < 400; ++i) system.step(-0.01);
  EXPECT_LT(largest_difference(positions_of(system), start), 1e-7);
}

// The error of the energy falls with the square of the step and does not grow with time.
TEST(ClosedLoops, EnergyDoesNotDrift) {
  Executor executor(1);
  double errors[2] = {}, later = 0.0;
  for (const int refinement : {0, 1}) {
    ParticleSystem system(make_ring(std::vector(8, ParticleJoint::kSpherical)), executor);
    const double energy = system.measure().total(), h = 0.01 / (1 << refinement);
    const auto error_over = [&](int steps) {
      double error = 0.0;
      for (int i = 0; i < steps << refinement; ++i) {
        system.step(h);
        error = std::max(error, std::abs(system.measure().total() - energy));
      }
      return error / energy;
    };
    errors[refinement] = error_over(400);
    if (refinement > 0) continue;
    error_over(4000);
    later = error_over(4000);
  }
  EXPECT_NEAR(errors[0] / errors[1], 4.0, 0.4);
  EXPECT_LT(later, 4.0 * errors[0]);
  EXPECT_LT(errors[0], 1e-2);
}

TEST(ClosedLoops, ConditionsTakeDegreesOfFreedom) {
  Executor executor(1);
  const auto count = [&](const ParticleModel& model) {
    return ParticleSystem(model, executor).degrees_of_freedom() + 3.0;
  };
  // 12 of the joints of the ring less 6.
  EXPECT_EQ(count(make_ring(kAllJoints)), 6.0 + 12 - 6);
  EXPECT_EQ(count(make_ring(kAllJoints, 3)), 3 * 12.0);
  EXPECT_EQ(count(make_bead_rings(TermLaw::kSphericalBond, 1)), 3.0 * 6 - 6);
  EXPECT_EQ(count(make_bead_rings(TermLaw::kSphericalBond, 1, true)), 3.0 * 6 - 7);
  // Each bead with its bond is a body, and each bond has a ball joint.
  EXPECT_EQ(count(make_bead_rings(TermLaw::kSphericalBond, 1, false, 0.1)), 6.0 * 6 - 3 * 6);
  // The second ring's bond has no inertia.
  EXPECT_EQ(count(make_bead_rings(TermLaw::kSphericalBond, 1, true, 0.1)), 6.0 * 6 - 3 * 6 - 1);
}

TEST(ClosedLoops, VelocitiesAreDrawnAtTheTemperatureAndGoWithTheLoops) {
  Executor executor(1);
  ParticleModel model = make_ring(kAllJoints);
  draw_velocities(1.7, 3, model);
  ParticleSystem system(model, executor);
  EXPECT_NEAR(system.measure().temperature, 1.7, 1e-12);
  EXPECT_LT(speed_of_gap(system), 1e-12);
  EXPECT_LT(momenta_of(system).linear.norm(), 1e-12);
}

TEST(ClosedLoops, ThermostatsKeepTheTemperature) {
  Executor executor(2);
  for (const bool is_langevin : {true, false}) {
    ParticleModel model = make_ring(kAllJoints, 20);
    if (is_langevin) {
      model.langevin = Langevin{1.3, 2.0, 5};
    } else {
      model.nose_hoover = NoseHoover{1.3, 0.5};
      draw_velocities(1.3, 7, model);
    }
    ParticleSystem system(model, executor);
    double sum = 0.0;
    const int steps = 2000, first = 500;
    for (int i = 0; i < steps; ++i) {
      system.step(0.015);
      if (i >= first) sum += system.measure().temperature;
    }
    EXPECT_NEAR(sum / (steps - first), 1.3, is_langevin ? 0.04 : 0.01);
  }
}

TEST(ClosedLoops, RingsOfAGasPressAsPoints) {
  ParticleModel model = make_ring(kAllJoints, 12);
  draw_velocities(1.0, 3, model);
  Executor executor(1);
  ParticleSystem system(model, executor);
  const std::vector<double> v = velocities_of(system);
  double sum = 0.0;
  for (int m = 0; m < 12; ++m) {
    Vector p = Vector::Zero();
    double mass = 0.0;
    for (int i = 30 * m; i < 30 * (m + 1); ++i) {
      const double one = model.species[model.species_of[i]].mass;
      p += one * vector_at(v, i), mass += one;
    }
    sum += p.squaredNorm() / mass;
  }
  EXPECT_NEAR(system.measure().pressure, sum / (3.0 * model.box.volume()), 1e-12);
}

TEST(ClosedLoops, RunsContinueBitForBitWithAnyNumberOfThreads) {
  ParticleModel model = make_ring(kAllJoints, 20);
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
}

// A crown of eight beads, whose bonds and angles stay while it changes its shape.
TEST(ClosedLoops, RingsOfTorsionBondsKeepLengthsAndAngles) {
  constexpr int kCount = 8;
  ParticleModel model;
  model.box.length = {20.0, 20.0, 20.0};
  model.species = {{"A", 1.0}};
  model.term_types = {{TermLaw::kTorsionBond, 0.0, 1.0, 0.0, 1.0, 1, 0.02}};
  const double rise = 0.5, radius = 0.5 * std::sqrt(1.0 - rise * rise) / std::sin(M_PI / kCount);
  for (int b = 0; b < kCount; ++b) {
    const double angle = 2.0 * M_PI * b / kCount;
    model.position.insert(model.position.end(),
                          {radius * std::cos(angle), radius * std::sin(angle), b % 2 == 0 ? 0.0 : rise});
    model.species_of.push_back(0);
    model.terms.push_back({0, {b, (b + 1) % kCount, -1, -1}});
  }
  model.velocity = make_noise(3 * model.size(), 11);
  Executor executor(1);
  ParticleSystem system(model, executor);
  EXPECT_EQ(system.degrees_of_freedom() + 3.0, 6.0 + kCount - 6);
  const std::vector<double> start = positions_of(system);
  for (int i = 0; i < 300; ++i) system.step(0.02);
  const std::vector<double> end = positions_of(system);
  const auto distance = [&](const std::vector<double>& x, int b, int bonds) {
    return (vector_at(x, b) - vector_at(x, (b + bonds) % kCount)).norm();
  };
  double changed = 0.0;
  for (int b = 0; b < kCount; ++b) {
    EXPECT_NEAR(distance(end, b, 1), 1.0, 1e-11);
    EXPECT_NEAR(distance(end, b, 2), distance(start, b, 2), 1e-11);
    changed = std::max(changed, std::abs(distance(end, b, 4) - distance(start, b, 4)));
  }
  EXPECT_GT(changed, 0.05);
}

// Rods of two particles each, without inertia about their axes, at parts of the ways between five corners.
ParticleModel make_rods(double first_part, double second_part) {
  ParticleModel model;
  model.box.length = {20.0, 20.0, 20.0};
  model.species = {{"A", 1.0}};
  const auto corner = [](int b) {
    return Vector(std::cos(0.4 * M_PI * b), std::sin(0.4 * M_PI * b), 0.1 * (b % 5 % 2));
  };
  for (int b = 0; b < 5; ++b) {
    for (const double part : {first_part, second_part}) {
      const Vector x = corner(b) + part * (corner(b + 1) - corner(b));
      model.position.insert(model.position.end(), {x.x(), x.y(), x.z()});
      model.species_of.push_back(0);
    }
    ParticleBody& body = model.bodies.emplace_back();
    body.particles = {2 * b, 2 * b + 1};
    if (b > 0) body.parent = b - 1, body.joint = ParticleJoint::kSpherical, body.at = 2 * b;
  }
  model.closures = {{{4, 0}, ParticleJoint::kSpherical, 0, {}, {}, {}}};
  model.velocity = make_noise(3 * model.size(), 4);
  return model;
}

// With joints on their axes they turn about these as if they did not; joints beside them could turn them.
TEST(ClosedLoops, RodsTurnAboutTheirAxesFreely) {
  Executor executor(1);
  ParticleSystem system(make_rods(0.0, 0.6), executor);
  EXPECT_EQ(system.degrees_of_freedom() + 3.0, 5.0 * 5 - 3 * 5);
  const double energy = system.measure().total();
  const std::vector<double> start = positions_of(system);
  for (int i = 0; i < 500; ++i) system.step(0.005);
  EXPECT_GT(largest_difference(positions_of(system), start), 0.5);
  EXPECT_NEAR(system.measure().total(), energy, 1e-3 * energy);
  ParticleModel beside = make_rods(0.25, 0.75);
  EXPECT_THAT(message_of([&] { ParticleSystem refused(beside, executor); }), HasSubstr("without inertia"));
  for (ParticleBody& body : beside.bodies) body.inertia = 0.01;
  EXPECT_EQ(ParticleSystem(beside, executor).degrees_of_freedom() + 3.0, 6.0 * 5 - 3 * 5);
}

// ---- what is refused
// -----------------------------------------------------------------------------------------

TEST(ClosedLoops, BadLoopsAreNamed) {
  const auto with = [&](auto change) {
    ParticleModel model = make_ring(kAllJoints);
    change(model);
    Executor executor(1);
    return message_of([&] { ParticleSystem system(model, executor); });
  };
  EXPECT_EQ(with([](ParticleModel&) {}), testing_support::kNothingThrown);
  EXPECT_THAT(with([](ParticleModel& m) { m.closures[0].bodies[1] = 6; }),
              HasSubstr("closures[0].bodies: 6 is not one of the 6 bodies"));
  EXPECT_THAT(with([](ParticleModel& m) { m.closures[0].bodies[1] = 5; }),
              HasSubstr("closures[0].bodies: names bodies[5] twice"));
  EXPECT_THAT(
      with([](ParticleModel& m) { m.closures[0].at = 7; }),
      HasSubstr("closures[0].at: the joint has to be at a particle of bodies[5] or bodies[0], not at 7"));
  EXPECT_THAT(with([](ParticleModel& m) {
                m.closures[0].joint = ParticleJoint::kRevolute, m.closures[0].along = {0, 0};
              }),
              HasSubstr("closures[0].along: particles[0] and particles[0] are at one place"));
  EXPECT_THAT(with([](ParticleModel& m) { m.closures[0].joint = ParticleJoint::kDistance; }),
              HasSubstr("closures[0].between: has to name a particle of bodies[5] and one of bodies[0]"));
  EXPECT_THAT(with([](ParticleModel& m) { m.bodies[3].parent = -1; }),
              HasSubstr("no joints connect bodies[5] and bodies[0]"));
  EXPECT_THAT(with([](ParticleModel& m) { m.bodies[3].joint = ParticleJoint::kDistance; }),
              HasSubstr("bodies[3].joint: keeps a distance"));
  EXPECT_THAT(with([](ParticleModel& m) { m.closures.push_back(m.closures[0]); }),
              HasSubstr("the joint at particles[0] closes a loop and"));
  EXPECT_THAT(with([](ParticleModel& m) { m.fixman_temperature = 1.0; }),
              HasSubstr("fixman_temperature: molecules with loops"));
}

// Hinges with parallel axes keep the bodies in a plane, as a ball joint does, too.
TEST(ClosedLoops, DependentConditionsAreNamed) {
  ParticleModel model = make_ring(std::vector(4, ParticleJoint::kRevolute));
  model.species_of.push_back(0), model.species_of.push_back(0);
  model.position.insert(model.position.end(), {0, 0, 0, 0, 0, 1}), model.velocity.clear();
  for (std::size_t b = 1; b < 4; ++b) model.bodies[b].along = {20, 21};
  model.closures[0].joint = ParticleJoint::kSpherical;
  Executor executor(1);
  EXPECT_THAT(message_of([&] { ParticleSystem system(model, executor); }),
              HasSubstr("prevents a motion that other joints prevent already"));
}

// A ring of beads from face to face of the box, and bonds that are too long to close.
TEST(ClosedLoops, LoopsThatDoNotMeetAreNamed) {
  ParticleModel model = make_bead_rings(TermLaw::kSphericalBond, 1);
  model.velocity.clear();
  model.box.length = {6.0, 6.0, 6.0}, model.term_types[0].rest = 1.25;
  for (int b = 0; b < kBeads; ++b) {
    model.position[3 * b] = b, model.position[3 * b + 1] = 0.75 * (b % 2), model.position[3 * b + 2] = 1.0;
  }
  Executor executor(1);
  EXPECT_THAT(message_of([&] { ParticleSystem system(model, executor); }),
              HasSubstr("the loop of bodies that closes at particles[5] does not meet there: its ends are "
                        "3.80594 apart, as it winds round the periodic box"));
  ParticleModel open = make_bead_rings(TermLaw::kSphericalBond, 1);
  open.position[15] += 0.5;
  EXPECT_THAT(message_of([&] { ParticleSystem system(open, executor); }),
              HasSubstr("too far from the length 1 of their bond"));
}

}  // namespace
}  // namespace sestina
