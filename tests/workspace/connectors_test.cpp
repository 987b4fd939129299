// Connectors in motion, against closed forms and against joints that do the same.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sestina/dynamics/force_derivatives.h"
#include "workspace/run_system.h"

namespace sestina {
namespace {

using namespace test;

BodySpec& add_block(System& system, const std::string& name, double mass, double inertia) {
  BodySpec& body = system.add_body(name, mass);
  body.inertia = {.xx = inertia, .yy = inertia, .zz = inertia};
  return body;
}

// A free body whose centre lies where its bushing has zero length.
TEST(Connectors, BodyOnABushingSwingsAlongAndAboutAnAxisAsAnOscillator) {
  System system;
  add_block(system, "block", 2.0, 0.5);
  JointSpec& flight = system.add_joint("flight", "free", "ground.origin", "block.origin");
  const double angle = 1.2;  // rad: a large one, for which the rotation vector still is proportional
  flight.q = {0.3, 0, 0, std::cos(angle / 2), 0, 0, std::sin(angle / 2)};
  ForceSpec& mount = system.add_bushing("mount", "ground.origin", "block.origin");
  mount.stiffness = {18, 50, 70}, mount.rotational_stiffness = {1, 1, 8};
  set_accurate(system, 3.0, 0.1);
  const RunResult run = run_system(system);
  for (std::size_t row = 0; row < run.table.rows(); ++row) {
    const double t = run.at(row, "t");
    EXPECT_NEAR(run.at(row, "flight.q[0]"), 0.3 * std::cos(3 * t), kAccurate);
    const double turned = 2 * std::atan2(run.at(row, "flight.q[6]"), run.at(row, "flight.q[3]"));
    EXPECT_NEAR(turned, angle * std::cos(4 * t), 2 * kAccurate);
  }
}

// Both ends move and turn, all axes are coupled: energy, and without weight the momenta too, are kept.
TEST(Connectors, CoupledBushingKeepsEnergyAndMomenta) {
  System system;
  add_block(system, "a", 2.0, 0.5).add_point("p", {0.1, 0.2, 0});
  add_block(system, "b", 1.0, 0.2).add_point("p", {-0.1, 0, 0.3});
  system.add_joint("ja", "free", "ground.origin", "a.origin").u = {0.4, 0.3, -0.6, 0, 0.2, 0};
  JointSpec& jb = system.add_joint("jb", "free", "ground.origin", "b.origin");
  jb.q = {0.3, 0.1, -0.2, 1, 0, 0, 0}, jb.u = {-0.5, 1.5, 0.5, 0.3, 0, 0.1};
  ForceSpec& mount = system.add_bushing("mount", "a.p", "b.p");
  std::vector<Number> K;
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) K.emplace_back(i == j ? 20.0 + i : 0.5 * (i + j));
  }
  mount.stiffness_matrix = K;
  set_accurate(system, 5.0, 0.25);
  const RunResult run = run_system(system);
  double most = 0;
  for (std::size_t row = 0; row < run.table.rows(); ++row) {
    EXPECT_NEAR(run.at(row, "energy.total"), run.at(0, "energy.total"), kAccurate);
    EXPECT_LT(norm(run.vector(row, "angular_momentum") - run.vector(0, "angular_momentum")), kAccurate);
    EXPECT_LT(norm(run.vector(row, "momentum") - run.vector(0, "momentum")), kAccurate);
    most = std::max(most, run.at(row, "energy.potential"));
  }
  EXPECT_GT(most, 0.5);
}

TEST(Connectors, TorsionalSpringIsAJointsOwnSpring) {
  const auto run_of = [](bool by_joint) {
    System system;
    system.gravity = {0, -9.81, 0};
    add_block(system, "rod", 1.0, 0.1).center_of_mass = {0.5, 0, 0};
    JointSpec& hinge = system.add_joint("hinge", "revolute", "ground.origin", "rod.origin");
    hinge.axis = {0, 0, 1}, hinge.u = 1;
    if (by_joint) {
      system.add_joint_spring("spring", "hinge", 20, 0.3), system.add_joint_damper("damper", "hinge", 0.4);
    } else {
      ForceSpec& spring =
          system.add_torsional_spring_damper("spring", "ground.origin", "rod.origin", {0, 0, 1}, 20);
      spring.damping = 0.4, spring.reference = 0.3;
    }
    set_accurate(system, 2.0, 0.1);
    return run_system(system);
  };
  const RunResult joint = run_of(true), between = run_of(false);
  for (std::size_t row = 0; row < joint.table.rows(); ++row) {
    for (const char* column : {"hinge.q", "hinge.u", "energy.potential", "energy.dissipated"}) {
      EXPECT_NEAR(between.at(row, column), joint.at(row, column), kAccurate) << column;
    }
  }
}

System slide(double mass, double speed) {
  System system;
  add_block(system, "block", mass, 1);
  JointSpec& joint = system.add_joint("slide", "prismatic", "ground.origin", "block.origin");
  joint.axis = {1, 0, 0}, joint.u = speed;
  return system;
}

// m v' = -F tanh(v/v_s) has sinh(v/v_s) = sinh(v_0/v_s) e^(-F t/(m v_s)).
TEST(Connectors, FrictionBringsABlockToRest) {
  System system = slide(2, 1.5);
  system.add_coordinate_friction("friction", "slide", 3, 0.2);
  set_accurate(system, 2.0, 0.1);
  const RunResult run = run_system(system);
  for (std::size_t row = 0; row < run.table.rows(); ++row) {
    const double v = 0.2 * std::asinh(std::sinh(1.5 / 0.2) * std::exp(-3 * run.at(row, "t") / (2 * 0.2)));
    EXPECT_NEAR(run.at(row, "slide.u"), v, kAccurate);
    EXPECT_NEAR(run.at(row, "energy.kinetic") + run.at(row, "energy.dissipated"), 2.25, kAccurate);
  }
}

// At constant speed v the bristles follow z' = v - sigma0 v z/g, z = g/sigma0 (1 - exp(-sigma0 v t/g)); the
// motor overcomes the friction, whose work is stored in the bristles or dissipated.
TEST(Connectors, BristlesThatAreDraggedFollowTheirClosedForm) {
  const double v = 0.02, sigma0 = 300, sigma1 = 5, sigma2 = 0.4, coulomb = 1, at_rest = 1.5, stribeck = 0.03;
  System system = slide(2, v);
  ForceSpec& friction = system.add_lugre_friction("friction", "slide", coulomb, at_rest, stribeck, sigma0);
  friction.sigma1 = sigma1, friction.sigma2 = sigma2;
  system.add_motion("motor", "slide", "0.02*t");
  set_accurate(system, 1.0, 0.05);
  const double g = coulomb + (at_rest - coulomb) * std::exp(-(v / stribeck) * (v / stribeck));
  const double rate = sigma0 * v / g;
  for (const char* coordinates : {"relative", "cartesian"}) {
    system.analysis.coordinates = coordinates;
    const RunResult run = run_system(system);
    for (std::size_t row = 0; row < run.table.rows(); ++row) {
      const double t = run.at(row, "t"), decay = std::exp(-rate * t);
      const double z = g / sigma0 * (1 - decay), z_rate = v * decay;
      EXPECT_NEAR(run.at(row, "friction.bristle"), z, kAccurate);
      EXPECT_NEAR(run.at(row, "motor.force"), sigma0 * z + sigma1 * z_rate + sigma2 * v, 1e3 * kAccurate);
      const double stored = sigma0 * z * z / 2;
      const double work = g * (v * t - z) + sigma1 * v * v * (1 - decay) / rate + sigma2 * v * v * t;
      EXPECT_NEAR(run.at(row, "energy.potential"), stored, kAccurate);
      EXPECT_NEAR(run.at(row, "energy.dissipated"), work - stored, kAccurate);
    }
    EXPECT_GT(run.end("energy.dissipated"), 0.01);
  }
}

// Stick and slip of the example, which writes the same law as the rate of a state and a force.
TEST(Connectors, BristlesStickAndSlipAsInTheExample) {
  System written = example("23_stick_slip.yaml");
  written.analysis.duration = 16;  // two slips
  System system = written;
  system.states.clear();
  std::erase_if(system.forces, [](const ForceSpec& force) { return force.name == "friction"; });
  ForceSpec& friction = system.add_lugre_friction("friction", "table", "Fc", "Fs", "vs", "sigma0");
  friction.sigma1 = "sigma1", friction.sigma2 = "sigma2";
  const RunResult expected = run_system(written), run = run_system(system);
  double slowest = 1, fastest = 0;
  for (std::size_t row = 0; row < run.table.rows(); ++row) {
    EXPECT_NEAR(run.at(row, "table.q"), expected.at(row, "table.q"), 1e-7);
    EXPECT_NEAR(run.at(row, "table.u"), expected.at(row, "table.u"), 1e-6);
    EXPECT_NEAR(run.at(row, "friction.bristle"), expected.at(row, "z"), 1e-9);
    slowest = std::min(slowest, std::abs(run.at(row, "table.u")));
    fastest = std::max(fastest, run.at(row, "table.u"));
  }
  EXPECT_LT(slowest, 1e-5);
  EXPECT_GT(fastest, 0.2);
  // The example's force by value supplies what this one stores and dissipates.
  EXPECT_GT(run.end("energy.dissipated"), 0.5);
  EXPECT_LT(std::abs(run.report.energy_drift), 1e-5);
}

// A joint with two speeds, in a loop that is cut there.
TEST(Connectors, BristlesOfAJointThatClosesALoopAreThoseOfTheSameJointInTheTree) {
  const auto run_of = [](bool is_cut) {
    System system;
    system.gravity = {0, -9.81, 0};
    add_block(system, "rod", 1.0, 0.1).center_of_mass = {0.5, 0, 0};
    JointSpec& joint = system.add_joint("fork", "universal", "ground.origin", "rod.origin");
    joint.axis = {0, 0, 1}, joint.second_axis = {0, 1, 0};
    joint.q = {0.3, 0.2}, joint.u = {1, -0.5};
    joint.cut = is_cut;
    ForceSpec& friction = system.add_lugre_friction("friction", "fork", 0.5, 0.8, 0.1, 100);
    friction.sigma1 = 2, friction.sigma2 = 0.1;
    set_accurate(system, 1.0, 0.1);
    return run_system(system);
  };
  const RunResult tree = run_of(false), loop = run_of(true);
  for (std::size_t row = 0; row < tree.table.rows(); ++row) {
    for (const char* column :
         {"fork.q[0]", "fork.u[1]", "friction.bristle_0", "friction.bristle_1", "energy.dissipated"})
      EXPECT_NEAR(loop.at(row, column), tree.at(row, column), 10 * kAccurate) << column;
  }
  EXPECT_GT(tree.end("energy.dissipated"), 0.1);
}

// Against an elastic stop a block is half a period of its oscillator.
TEST(Connectors, ElasticStopSendsABlockBack) {
  System system = slide(2, 1.5);
  ForceSpec& stops = system.add_force("stops", "coordinate_friction");
  stops.joint = "slide", stops.lower = -1, stops.upper = 0.75, stops.stop_stiffness = 800;
  set_accurate(system, 1.0, 1.0);
  system.analysis.step.max_step = 1e-3;  // so that no step jumps over the stop
  const RunResult run = run_system(system);
  const double contact = std::numbers::pi * std::sqrt(2.0 / 800.0);
  EXPECT_NEAR(run.end("slide.u"), -1.5, 1e-7);
  EXPECT_NEAR(run.end("slide.q"), 0.75 - 1.5 * (1 - 0.5 - contact), 1e-6);
}

// Two masses on a rope over a sheave; stretched so that its tension is that of the steady fall.
TEST(Connectors, RopeOverASheaveIsAtwoodsMachine) {
  System system;
  system.gravity = {0, 0, -9.81};
  system.add_ground_point("sheave", {0.5, 0, 2});
  const double m1 = 3, m2 = 1, tension = 2 * 9.81 * m1 * m2 / (m1 + m2), k = 5000;
  add_block(system, "left", m1, 1), add_block(system, "right", m2, 1);
  system.add_ground_point("rail", {0.5, 0, 0});  // straight below the sheave
  system.add_joint("fall", "prismatic", "ground.rail", "left.origin").axis = {0, 0, 1};
  system.add_joint("rise", "prismatic", "ground.rail", "right.origin").axis = {0, 0, 1};
  ForceSpec& rope = system.add_rope("rope", {"left.origin", "ground.sheave", "right.origin"}, k);
  rope.free_length = 4 - tension / k, rope.damping = 10;
  set_accurate(system, 0.5, 0.1);
  const RunResult run = run_system(system);
  const double acceleration = 9.81 * (m1 - m2) / (m1 + m2);
  for (std::size_t row = 0; row < run.table.rows(); ++row) {
    const double t = run.at(row, "t"), way = acceleration * t * t / 2;
    EXPECT_NEAR(run.at(row, "fall.q"), -way, kAccurate);
    EXPECT_NEAR(run.at(row, "rise.q"), way, kAccurate);
  }
  EXPECT_NEAR(run.end("energy.dissipated"), 0, kAccurate);  // the length does not change
}

// A circular orbit of two masses around their common centre.
TEST(Connectors, TwoMassesGoAroundEachOther) {
  System system;
  const double m1 = 3, m2 = 1, strength = 12, r = 2;
  system.add_particle("a", m1), system.add_particle("b", m2);
  const double omega = std::sqrt(strength * (m1 + m2) / (m1 * m2 * r * r * r));
  const double ra = r * m2 / (m1 + m2), rb = r * m1 / (m1 + m2);
  JointSpec& ja = system.add_joint("ja", "xyz", "ground.origin", "a.origin");
  ja.q = {ra, 0, 0}, ja.u = {0, ra * omega, 0};
  JointSpec& jb = system.add_joint("jb", "xyz", "ground.origin", "b.origin");
  jb.q = {-rb, 0, 0}, jb.u = {0, -rb * omega, 0};
  system.add_gravity_between("pull", "a.origin", "b.origin", strength);
  set_accurate(system, 2 * std::numbers::pi / omega, 1.0);
  const RunResult run = run_system(system);
  EXPECT_NEAR(run.end("ja.q[0]"), ra, kAccurate);
  EXPECT_NEAR(run.end("jb.q[1]"), 0, 10 * kAccurate);
  EXPECT_NEAR(run.end("energy.potential"), -strength / r, kAccurate);
}

TEST(Connectors, CartesianSpringPullsToItsReference) {
  System system;
  add_block(system, "block", 2.0, 1);
  JointSpec& place = system.add_joint("place", "xyz", "ground.origin", "block.origin");
  place.q = {0.5, 0, 0};
  ForceSpec& spring = system.add_cartesian_spring("spring", "ground.origin", "block.origin", {8, 18, 32});
  spring.reference = {0.2, 0.1, 0};
  set_accurate(system, 2.0, 0.1);
  const RunResult run = run_system(system);
  for (std::size_t row = 0; row < run.table.rows(); ++row) {
    const double t = run.at(row, "t");
    EXPECT_NEAR(run.at(row, "place.q[0]"), 0.2 + 0.3 * std::cos(2 * t), kAccurate);
    EXPECT_NEAR(run.at(row, "place.q[1]"), 0.1 - 0.1 * std::cos(3 * t), kAccurate);
  }
}

}  // namespace
}  // namespace sestina
