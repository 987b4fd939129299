// Pendulums, oscillators and thrown points against their closed forms, from the description to the rows.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "analytic/orbits.h"
#include "analytic/oscillators.h"
#include "workspace/run_system.h"

namespace sestina::test {
namespace {

constexpr double kGravity = 9.81;

class ClosedForm : public EachSolver {};

// A rod with its mass centre l below the hinge, with an inertia of its own: I = m l^2 + J about the hinge.
void expect_pendulum_motion(System system, double theta0) {
  const double m = 1.7, l = 0.6, J = 0.25;
  system.gravity = {0, -kGravity, 0};
  auto& rod = system.add_body("rod", m);
  rod.center_of_mass = {0, -l, 0};
  rod.inertia = {.xx = J, .yy = 0, .zz = J};
  auto& hinge = system.add_joint("hinge", "revolute", "ground.origin", "rod.origin");
  hinge.axis = {0, 0, 1};
  hinge.q = {theta0};
  const analytic::Pendulum pendulum{std::sqrt(m * kGravity * l / (m * l * l + J)), theta0};
  set_accurate(system, 2.0 * pendulum.period(), pendulum.period() / 16.0);
  const RunResult run = run_system(system);
  ASSERT_EQ(run.table.rows(), 33u);
  for (std::size_t i = 0; i < run.table.rows(); ++i) {
    const double t = run.at(i, "t");
    EXPECT_NEAR(run.at(i, "hinge.q"), pendulum.angle(t), kAccurate * theta0) << t;
    EXPECT_NEAR(run.at(i, "hinge.u"), pendulum.rate(t), kAccurate * theta0 * pendulum.omega0) << t;
  }
  EXPECT_NEAR(run.at(8, "hinge.q"), -theta0, kAccurate);  // it swung to the other side
  EXPECT_NEAR(run.end("energy.total"), -m * kGravity * l * std::cos(theta0), 1e-9);
}

TEST_P(ClosedForm, PendulumSwingsLittle) { expect_pendulum_motion(make_system("pendulum"), 1e-3); }
TEST_P(ClosedForm, PendulumSwingsFar) { expect_pendulum_motion(make_system("pendulum"), 2.8); }

// A quarter turn of amplitude, whose period is 1.18 times that of small swings.
TEST_P(ClosedForm, PeriodOfAPendulumGrowsWithItsAmplitude) {
  const analytic::Pendulum pendulum{std::sqrt(kGravity), 0.5 * std::numbers::pi};
  EXPECT_NEAR(pendulum.period() / (2.0 * std::numbers::pi / pendulum.omega0), 1.1803405990, 1e-9);
  System system = make_system("bob");
  system.gravity = {0, -kGravity, 0};
  system.add_particle("bob", 2.0);
  system.bodies[0].add_point("hook", {0, 1, 0});
  auto& hinge = system.add_joint("hinge", "revolute", "ground.origin", "bob.hook");
  hinge.axis = {0, 0, 1};
  hinge.q = {"pi/2"};
  set_accurate(system, pendulum.period(), 1.0);
  EXPECT_NEAR(run_system(system).end("hinge.q"), 0.5 * std::numbers::pi, kAccurate);
}

TEST_P(ClosedForm, ThrownPointFollowsAParabola) {
  System system = make_system("ball");
  system.gravity = {0, 0, -kGravity};
  system.add_particle("ball", 0.3);
  auto& joint = system.add_joint("flight", "xyz", "ground.origin", "ball.origin");
  joint.q = {1, 2, 3};
  joint.u = {4, -5, 12};
  set_accurate(system, 2.0, 0.125);
  const RunResult run = run_system(system);
  for (std::size_t i = 0; i < run.table.rows(); ++i) {
    const double t = run.at(i, "t");
    // A quadratic is exact in every rule of order two: round-off of sums below 30 m.
    EXPECT_NEAR(run.at(i, "ball.origin.x"), 1.0 + 4.0 * t, 1e-13);
    EXPECT_NEAR(run.at(i, "ball.origin.y"), 2.0 - 5.0 * t, 1e-13);
    EXPECT_NEAR(run.at(i, "ball.origin.z"), 3.0 + 12.0 * t - 0.5 * kGravity * t * t, 1e-13);
  }
}

// The mass centre of a spinning body off its origin flies as a point would.
TEST_P(ClosedForm, MassCentreOfATumblingBodyFollowsAParabola) {
  System system = make_system("hammer");
  system.gravity = {0, 0, -kGravity};
  auto& hammer = system.add_body("hammer", 1.4);
  hammer.center_of_mass = {0.2, 0, 0.1};
  hammer.inertia = {.xx = 0.02, .yy = 0.05, .zz = 0.06, .xy = 0.004, .xz = -0.003, .yz = 0.001};
  system.add_joint("flight", "free", "ground.origin", "hammer.origin").u = {3, 7, -2, 1, 2, 10};
  set_accurate(system, 1.0, 1.0);
  const RunResult run = run_system(system);
  const double m = 1.4;
  // v_C = v_O + w x c
  const Vec3<double> v0 = Vec3<double>{1, 2, 10} + cross(Vec3<double>{3, 7, -2}, Vec3<double>{0.2, 0, 0.1});
  EXPECT_NEAR(run.end("momentum.x"), m * v0.x, kAccurate);
  EXPECT_NEAR(run.end("momentum.y"), m * v0.y, kAccurate);
  EXPECT_NEAR(run.end("momentum.z"), m * (v0.z - kGravity), kAccurate);
  const Vec3<double> axes_x =
      euler_parameter_rotation(run.table.row(1).data() + 4) * Vec3<double>{0.2, 0, 0.1};
  const Vec3<double> centre = run.vector(1, "hammer.origin") + axes_x;
  EXPECT_NEAR(centre.x, 0.2 + v0.x, kAccurate);
  EXPECT_NEAR(centre.y, v0.y, kAccurate);
  EXPECT_NEAR(centre.z, 0.1 + v0.z - 0.5 * kGravity, kAccurate);
  EXPECT_GT(norm(axes_x - Vec3<double>{0.2, 0, 0.1}), 0.1);  // it did turn
}

TEST_P(ClosedForm, DragBendsTheParabola) {
  System system = make_system("shuttlecock");
  system.set_parameter("c", 0.1);
  system.gravity = {0, 0, -kGravity};
  system.add_particle("ball", 0.2);
  system.add_joint("flight", "xyz", "ground.origin", "ball.origin").u = {5, 0, 12};
  auto& drag = system.add_force("drag", "joint_force");
  drag.joint = "flight";
  drag.value = {"-c*flight.u[0]", "-c*flight.u[1]", "-c*flight.u[2]"};
  set_accurate(system, 3.0, 0.5);
  const RunResult run = run_system(system);
  const analytic::ThrownWithDrag ball{0.2, 0.1, kGravity};
  for (std::size_t i = 0; i < run.table.rows(); ++i) {
    const double t = run.at(i, "t");
    EXPECT_NEAR(run.at(i, "ball.origin.x"), ball.across(t, 5.0), kAccurate);
    EXPECT_NEAR(run.at(i, "ball.origin.z"), ball.height(t, 12.0), 10 * kAccurate);
  }
  // The missing energy is the work of the drag; this quadrature is integrated without error control.
  EXPECT_NEAR(run.end("energy.total") - run.at(0, "energy.total"), run.end("energy.supplied"), 1e-8);
  EXPECT_LT(run.end("energy.supplied"), -5.0);
}

// A disc on a torsion spring with a damper.
TEST_P(ClosedForm, TorsionSpringDiesAwayWithItsDamper) {
  const analytic::DampedOscillator disc{0.4, 0.06, 2.5, 0.5, -1.0};
  System system = make_system("torsion");
  system.add_body("disc", 3.0).inertia = {.xx = 0.2, .yy = 0.2, .zz = disc.m};
  auto& shaft = system.add_joint("shaft", "revolute", "ground.origin", "disc.origin");
  shaft.axis = {0, 0, 2};  // any length
  shaft.q = {0.1 + disc.x0};
  shaft.u = {disc.v0};
  auto& spring = system.add_force("spring", "joint_spring");
  spring.joint = "shaft";
  spring.stiffness = {disc.k};
  spring.reference = {0.1};
  auto& damper = system.add_force("damper", "joint_damper");
  damper.joint = "shaft";
  damper.damping = {disc.c};
  set_accurate(system, 10.0, 0.25);
  const RunResult run = run_system(system);
  for (std::size_t i = 0; i < run.table.rows(); ++i) {
    const double t = run.at(i, "t");
    EXPECT_NEAR(run.at(i, "shaft.q"), 0.1 + disc.x(t), kAccurate);
    EXPECT_NEAR(run.at(i, "shaft.u"), disc.v(t), kAccurate);
    const double energy = 0.5 * disc.m * disc.v(t) * disc.v(t) + 0.5 * disc.k * disc.x(t) * disc.x(t);
    EXPECT_NEAR(run.at(i, "energy.total"), energy, kAccurate);
    EXPECT_NEAR(run.at(i, "energy.dissipated"), run.at(0, "energy.total") - energy, kAccurate);
  }
  EXPECT_GT(run.end("energy.dissipated"), 0.3);
}

// Rotor inertia counts as mass of the slide, and a force that grows and falls with time drives it.
TEST_P(ClosedForm, SineForceDrivesAnOscillatorWithARotor) {
  const analytic::ForcedOscillator slide{1.2 + 0.8, 18.0, 2.0, 5.0};
  System system = make_system("forced");
  system.add_particle("slide", 1.2);
  auto& rail = system.add_joint("rail", "prismatic", "ground.origin", "slide.origin");
  rail.axis = {1, 1, 0};
  rail.armature = 0.8;
  auto& spring = system.add_force("spring", "joint_spring");
  spring.joint = "rail";
  spring.stiffness = {slide.k};
  auto& drive = system.add_force("drive", "joint_force");
  drive.joint = "rail";
  drive.value = {"2*sin(5*t)"};
  set_accurate(system, 6.0, 0.2);
  const RunResult run = run_system(system);
  for (std::size_t i = 0; i < run.table.rows(); ++i) {
    const double t = run.at(i, "t");
    EXPECT_NEAR(run.at(i, "rail.q"), slide.x(t), kAccurate);
    EXPECT_NEAR(run.at(i, "rail.u"), slide.v(t), kAccurate);
    EXPECT_NEAR(run.at(i, "slide.origin.x"), slide.x(t) / std::numbers::sqrt2, kAccurate);
    EXPECT_NEAR(run.at(i, "energy.supplied"), run.at(i, "energy.total"), kAccurate);
  }
}

// The same oscillator twice, between two points: x'' = -k x - c x' exactly, since they stay in line.
TEST_P(ClosedForm, SpringAndDamperBetweenTwoMassesMoveTheReducedMass) {
  const double m1 = 2.0, m2 = 3.0;
  const analytic::DampedOscillator gap{m1 * m2 / (m1 + m2), 0.3, 40.0, 0.2, 0.0};
  System system = make_system("two masses");
  system.add_particle("left", m1);
  system.add_particle("right", m2);
  for (const char* body : {"left", "right"}) {
    auto& rail = system.add_joint(std::string(body) + "_rail", "prismatic", "ground.origin",
                                  std::string(body) + ".origin");
    rail.axis = {1, 0, 0};
  }
  system.joint("right_rail").q = {1.0 + gap.x0};
  auto& strut = system.add_force("strut", "spring_damper");
  strut.from = "left.origin";
  strut.to = "right.origin";
  strut.stiffness = {gap.k};
  strut.damping = {gap.c};
  strut.free_length = 1.0;
  set_accurate(system, 4.0, 0.1);
  const RunResult run = run_system(system);
  for (std::size_t i = 0; i < run.table.rows(); ++i) {
    const double t = run.at(i, "t");
    EXPECT_NEAR(run.at(i, "right_rail.q") - run.at(i, "left_rail.q"), 1.0 + gap.x(t), kAccurate);
    // The mass centre stays where it is.
    EXPECT_NEAR(m1 * run.at(i, "left_rail.q") + m2 * run.at(i, "right_rail.q"), m2 * 1.2, kAccurate);
  }
}

// Two equal oscillators with a soft spring between them: the motion beats from one to the other and back.
TEST_P(ClosedForm, CoupledOscillatorsBeat) {
  const double m = 1.0, k = 25.0, coupling = 1.0, x0 = 0.1;
  const double slow = std::sqrt(k / m), fast = std::sqrt((k + 2.0 * coupling) / m);
  System system = make_system("beat");
  for (const char* body : {"a", "b"}) {
    const std::string name = body;
    system.add_particle(name, m);
    auto& rail = system.add_joint(name + "_rail", "prismatic", "ground.origin", name + ".origin");
    rail.axis = {0, 1, 0};
    auto& spring = system.add_force(name + "_spring", "joint_spring");
    spring.joint = rail.name;
    spring.stiffness = {k};
  }
  system.bodies[1].add_point("end", {0, 1, 0});
  system.joint("a_rail").q = {x0};
  auto& link = system.add_force("link", "spring_damper");
  link.from = "a.origin";
  link.to = "b.end";
  link.stiffness = {coupling};
  link.free_length = 1.0;
  const double handed_over = std::numbers::pi / (fast - slow);
  set_accurate(system, handed_over, handed_over / 40.0);
  const RunResult run = run_system(system);
  double most_of_b = 0.0;
  for (std::size_t i = 0; i < run.table.rows(); ++i) {
    const double t = run.at(i, "t");
    EXPECT_NEAR(run.at(i, "a_rail.q"), 0.5 * x0 * (std::cos(slow * t) + std::cos(fast * t)), kAccurate);
    EXPECT_NEAR(run.at(i, "b_rail.q"), 0.5 * x0 * (std::cos(slow * t) - std::cos(fast * t)), kAccurate);
    most_of_b = std::max(most_of_b, std::abs(run.at(i, "b_rail.q")));
  }
  EXPECT_GT(most_of_b, 0.9 * x0);
}

// n masses in a line, each carried by the one before, so that the mass matrix is full; released in a mode.
System make_chain(System system, const analytic::Chain& chain, int mode, double amplitude) {
  for (int i = 1; i <= chain.n; ++i) {
    const std::string body = fmt::format("m{}", i);
    system.add_particle(body, chain.m);
    auto& rail = system.add_joint(body + "_rail", "prismatic",
                                  i == 1 ? std::string("ground.origin") : fmt::format("m{}.origin", i - 1),
                                  body + ".origin");
    rail.axis = {1, 0, 0};
    rail.q = {1.0 + amplitude * (chain.shape(mode, i) - chain.shape(mode, i - 1))};
    auto& spring = system.add_force(body + "_spring", "joint_spring");
    spring.joint = rail.name;
    spring.stiffness = {chain.k};
    spring.reference = {1};
  }
  system.add_ground_point("wall", {chain.n + 1, 0, 0});
  auto& last = system.add_force("last", "spring_damper");
  last.from = fmt::format("m{}.origin", chain.n);
  last.to = "ground.wall";
  last.stiffness = {chain.k};
  last.free_length = 1;
  return system;
}

TEST_P(ClosedForm, ChainKeepsToEachOfItsModes) {
  const analytic::Chain chain{12, 0.5, 40.0};
  const double amplitude = 0.05;
  for (const int mode : {1, 2, 5, 12}) {
    System system = make_chain(make_system("chain"), chain, mode, amplitude);
    set_accurate(system, 5.0, 0.1);
    const RunResult run = run_system(system);
    for (std::size_t row = 0; row < run.table.rows(); ++row) {
      const double swing = amplitude * std::cos(chain.omega(mode) * run.at(row, "t"));
      for (int i = 1; i <= chain.n; ++i) {
        EXPECT_NEAR(run.at(row, fmt::format("m{}.origin.x", i)), i + swing * chain.shape(mode, i), kAccurate)
            << mode;
      }
    }
  }
}

// Small oscillations of the double pendulum: the linear solution is off by the square of the amplitude.
TEST_P(ClosedForm, DoublePendulumHasItsTwoFrequencies) {
  const double l = 0.5, amplitude = 1e-4;
  for (const bool in_phase : {true, false}) {
    System system = make_system("double pendulum");
    system.gravity = {0, -kGravity, 0};
    for (const char* body : {"upper", "lower"}) {
      system.add_particle(body, 1.0);
      system.body(body).add_point("hook", {0, l, 0});
    }
    system.add_joint("hip", "revolute", "ground.origin", "upper.hook").axis = {0, 0, 1};
    system.add_joint("knee", "revolute", "upper.origin", "lower.hook").axis = {0, 0, 1};
    const double ratio = in_phase ? std::numbers::sqrt2 : -std::numbers::sqrt2;  // lower to upper angle
    system.joint("hip").q = {amplitude};
    system.joint("knee").q = {amplitude * (ratio - 1.0)};
    const double omega = analytic::double_pendulum_omega(kGravity, l, in_phase);
    set_accurate(system, 4.0 * 2.0 * std::numbers::pi / omega, 0.1);
    const RunResult run = run_system(system);
    for (std::size_t i = 0; i < run.table.rows(); ++i) {
      const double swing = amplitude * std::cos(omega * run.at(i, "t"));
      EXPECT_NEAR(run.at(i, "hip.q"), swing, 1e-6 * amplitude);
      EXPECT_NEAR(run.at(i, "hip.q") + run.at(i, "knee.q"), ratio * swing, 1e-6 * amplitude);
    }
  }
}

// A nut on a steep screw falls as if its mass were m + J / pitch^2.
TEST_P(ClosedForm, NutScrewsItselfDown) {
  const double m = 2.0, J = 0.3, pitch = 0.25;
  System system = make_system("nut");
  system.gravity = {0, 0, -kGravity};
  system.add_body("nut", m).inertia = {.xx = J, .yy = J, .zz = J};
  auto& thread = system.add_joint("thread", "screw", "ground.origin", "nut.origin");
  thread.axis = {0, 0, 1};
  thread.pitch = pitch;
  set_accurate(system, 1.0, 1.0);
  const RunResult run = run_system(system);
  const double acceleration = -kGravity * m / (m + J / (pitch * pitch));
  EXPECT_NEAR(run.end("nut.origin.z"), 0.5 * acceleration, kAccurate);
  EXPECT_NEAR(run.end("thread.q"), 0.5 * acceleration / pitch, kAccurate);
}

TEST_P(ClosedForm, PlanetKeepsToItsEllipse) {
  const analytic::KeplerOrbit orbit{3.0, 1.3, 0.6};
  System system = make_system("planet");
  system.set_parameter("mu", orbit.mu);
  system.add_particle("planet", 2.0);
  auto& flight = system.add_joint("p", "xyz", "ground.origin", "planet.origin");
  flight.q = {orbit.perihelion(), 0, 0};
  flight.u = {0, orbit.perihelion_speed(), 0};
  auto& pull = system.add_force("pull", "point_force");
  pull.at = "planet.origin";
  for (const char* i : {"0", "1", "2"}) {
    pull.value.push_back(fmt::format("-2*mu*p.q[{}]/(p.q[0]^2 + p.q[1]^2 + p.q[2]^2)^1.5", i));
  }
  set_accurate(system, orbit.period(), orbit.period() / 24.0);
  const RunResult run = run_system(system);
  for (std::size_t i = 0; i < run.table.rows(); ++i) {
    const double t = run.at(i, "t");
    // An early error in the mean motion grows with time: ten times the usual.
    EXPECT_NEAR(run.at(i, "planet.origin.x"), orbit.x(t), 10 * kAccurate);
    EXPECT_NEAR(run.at(i, "planet.origin.y"), orbit.y(t), 10 * kAccurate);
  }
  EXPECT_LT(run.at(12, "planet.origin.x"), -2.0);  // it went to the aphelion
}

// A spring without free length pulls like x'' = -k x in every direction: an ellipse around the middle.
TEST_P(ClosedForm, SpringWithoutFreeLengthDrawsAnEllipse) {
  const double m = 0.5, k = 8.0, omega = std::sqrt(k / m);
  System system = make_system("ellipse");
  system.add_particle("bob", m);
  auto& flight = system.add_joint("p", "xyz", "ground.origin", "bob.origin");
  flight.q = {1, 0, 0.5};
  flight.u = {0, 2, 1};
  auto& spring = system.add_force("spring", "spring_damper");
  spring.from = "ground.origin";
  spring.to = "bob.origin";
  spring.stiffness = {k};
  set_accurate(system, 3.0, 0.1);
  const RunResult run = run_system(system);
  for (std::size_t i = 0; i < run.table.rows(); ++i) {
    const double c = std::cos(omega * run.at(i, "t")), s = std::sin(omega * run.at(i, "t")) / omega;
    EXPECT_NEAR(run.at(i, "bob.origin.x"), c, kAccurate);
    EXPECT_NEAR(run.at(i, "bob.origin.y"), 2.0 * s, kAccurate);
    EXPECT_NEAR(run.at(i, "bob.origin.z"), 0.5 * c + s, kAccurate);
  }
}

// A stretched spring that holds a mass on a circle, k (r - L) = m w^2 r.
TEST_P(ClosedForm, SpringHoldsAMassOnACircle) {
  const double m = 0.5, k = 8.0, L = 1.0, r = 1.25, w = std::sqrt(k * (r - L) / (m * r));
  System system = make_system("sling");
  system.add_body("bob", m).inertia = {.xx = 0, .yy = 0.1, .zz = 0.1};
  system.add_joint("p", "planar", "ground.origin", "bob.origin");
  system.joint("p").q = {r, 0, 0};
  system.joint("p").u = {0, w * r, 0};
  auto& spring = system.add_force("spring", "spring_damper");
  spring.from = "ground.origin";
  spring.to = "bob.origin";
  spring.stiffness = {k};
  spring.free_length = L;
  set_accurate(system, 2.0 * std::numbers::pi / w, 0.1);
  const RunResult run = run_system(system);
  for (std::size_t i = 0; i < run.table.rows(); ++i) {
    const double angle = w * run.at(i, "t");
    EXPECT_NEAR(run.at(i, "bob.origin.x"), r * std::cos(angle), kAccurate);
    EXPECT_NEAR(run.at(i, "bob.origin.y"), r * std::sin(angle), kAccurate);
    EXPECT_NEAR(run.at(i, "p.q[2]"), 0.0, kAccurate);  // pulled at its mass centre, it does not turn
  }
}

SESTINA_FOR_EACH_SOLVER(ClosedForm);

}  // namespace
}  // namespace sestina::test
