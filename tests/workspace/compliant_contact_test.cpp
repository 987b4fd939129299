// Contacts that are force elements, under rules with error control, against closed forms.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "message_of.h"
#include "sestina/base/error.h"
#include "sestina/contact/compliant_contact.h"
#include "sestina/io/model_file.h"
#include "sestina/model/freeze.h"
#include "workspace/run_system.h"

namespace sestina {
namespace {

using namespace test;
using testing::HasSubstr;
using testing_support::message_of;

constexpr double kMass = 2.0, kRadius = 0.1, kStiffness = 1e7;

// A ball above a floor, for the coordinates and speeds of `start`.
System ball_on_floor(const std::string& start, const std::string& contact, double duration, double g = 0.0) {
  System system = read_model(fmt::format(R"(
sestina: 1
gravity: [0, 0, {}]
ground: {{shapes: [{{name: floor, type: plane}}]}}
bodies:
  - {{name: ball, mass: 2, inertia: {{xx: 0.008, yy: 0.008, zz: 0.008}}, shapes: [{{name: skin, type: sphere, radius: 0.1}}]}}
joints: [{{name: fly, type: free, parent: ground.origin, child: ball.origin, {}}}]
contacts: [{{name: touch, between: [floor, skin], {}}}]
)",
                                         -g, start, contact));
  set_accurate(system, duration, duration / 400);
  return system;
}

System impact(double speed, const std::string& contact, double duration) {
  return ball_on_floor(fmt::format("q: [0, 0, 0.1, 1, 0, 0, 0], u: [0, 0, 0, 0, 0, {}]", -speed), contact,
                       duration);
}

// Largest depth and duration of an impact by Hertz's law: v^2 = 4 k delta^(5/2)/(5 m), and
// delta/v * 2 integral from 0 to 1 of dx/sqrt(1 - x^(5/2)).
struct HertzImpact {
  double depth, time;
};
HertzImpact hertz_impact(double m, double k, double v) {
  const double depth = std::pow(1.25 * m * v * v / k, 0.4);
  const double integral = std::sqrt(std::numbers::pi) * std::tgamma(1.4) / std::tgamma(0.9);
  return {depth, 2.0 * integral * depth / v};
}

TEST(CompliantContact, HertzsImpactHasItsDepthAndItsDuration) {
  const HertzImpact expected = hertz_impact(kMass, kStiffness, 1.5);
  // The factors of the textbooks.
  EXPECT_NEAR(expected.time, 2.94 * expected.depth / 1.5, 3e-3 * expected.time);
  for (const char* rule : {"dormand_prince_54", "radau_iia"}) {
    SCOPED_TRACE(rule);
    System half = impact(1.5, "law: hertz, stiffness: 1.0e7", expected.time / 2);
    half.analysis.integrator.name = rule;
    const RunResult deepest = run_system(half);
    EXPECT_NEAR(deepest.end("touch.gap"), -expected.depth, 1e-9 * expected.depth);
    EXPECT_NEAR(deepest.end("touch.normal_force"), kStiffness * std::pow(expected.depth, 1.5),
                1e-8 * kStiffness * std::pow(expected.depth, 1.5));
    System whole = impact(1.5, "law: hertz, stiffness: 1.0e7", 1.5 * expected.time);
    whole.analysis.integrator.name = rule;
    const RunResult run = run_system(whole);
    const double since = 0.5 * expected.time;
    EXPECT_NEAR(run.end("fly.u[5]"), 1.5, 1e-9);
    EXPECT_NEAR(run.end("touch.gap"), 1.5 * since, 1e-8 * since);
    EXPECT_EQ(run.end("touch.normal_force"), 0.0);
    EXPECT_LT(run.report.energy_drift, 1e-9);
  }
}

TEST(CompliantContact, ModuliGiveHertzsStiffness) {
  const double E = 1e9, nu = 0.3, E_star = 1.0 / (2.0 * (1 - nu * nu) / E);
  const double k = 4.0 / 3.0 * E_star * std::sqrt(kRadius);
  const HertzImpact expected = hertz_impact(kMass, k, 1.0);
  const RunResult run =
      run_system(impact(1.0, "law: hertz, young: 1.0e9, poisson: [0.3, 0.3]", expected.time / 2));
  EXPECT_NEAR(run.end("touch.gap"), -expected.depth, 1e-9 * expected.depth);
}

TEST(CompliantContact, HuntAndCrossleysImpactHasTheRestitutionThatIsGiven) {
  for (const double e : {0.2, 0.7, 0.95}) {
    for (const double exponent : {1.0, 1.5, 2.2}) {
      SCOPED_TRACE(fmt::format("e = {}, exponent {}", e, exponent));
      const RunResult run = run_system(
          impact(0.8,
                 fmt::format("law: hunt_crossley, stiffness: 1.0e6, exponent: {}, restitution: {}, "
                             "impact_speed: 0.8",
                             exponent, e),
                 0.3));
      EXPECT_EQ(run.end("touch.normal_force"), 0.0);
      EXPECT_NEAR(run.end("fly.u[5]"), 0.8 * e, 1e-8);
      EXPECT_NEAR(run.end("energy.dissipated"), 0.5 * kMass * 0.64 * (1 - e * e), 1e-8);
      EXPECT_LT(run.report.energy_drift, 1e-8);
    }
  }
}

// Restitution against an integration of m v' = -k d^1.5 (1 + c v) by fixed steps of a rule of order 4 for the
// speed over the depth.
TEST(CompliantContact, DissipationAgreesWithAnIndependentIntegration) {
  const double c = 0.4, v0 = 1.2, k = 1e6;
  double x = 0.0, v = v0;
  const double h = 1e-6;
  const auto rate = [&](double depth, double speed) {
    return depth > 0.0 ? -k / kMass * std::pow(depth, 1.5) * (1.0 + c * speed) : 0.0;
  };
  double out = 0.0;
  while (true) {
    const double k1x = v, k1v = rate(x, v), k2x = v + h / 2 * k1v,
                 k2v = rate(x + h / 2 * k1x, v + h / 2 * k1v);
    const double k3x = v + h / 2 * k2v, k3v = rate(x + h / 2 * k2x, v + h / 2 * k2v);
    const double k4x = v + h * k3v, k4v = rate(x + h * k3x, v + h * k3v);
    x += h / 6 * (k1x + 2 * k2x + 2 * k3x + k4x), v += h / 6 * (k1v + 2 * k2v + 2 * k3v + k4v);
    if (x <= 0.0) {
      out = -v;
      break;
    }
  }
  ASSERT_LT(out, 0.9 * v0);
  const RunResult run = run_system(impact(v0, "law: hunt_crossley, stiffness: 1.0e6, dissipation: 0.4", 0.2));
  EXPECT_NEAR(run.end("fly.u[5]"), out, 1e-7);
}

TEST(CompliantContact, ImpactNumberAndItsDerivativeAreThoseOfTheEquation) {
  for (const double e : {0.1, 0.5, 0.9, 0.999}) {
    const double s = impact_number(e);
    EXPECT_NEAR((1 + e) * s, std::log1p(s) - std::log1p(-e * s), 1e-13 * (1 + s));
    const double h = 1e-5 * e * (1 - e);
    EXPECT_NEAR(impact_number(Dual(e, 1.0)).d, (impact_number(e + h) - impact_number(e - h)) / (2 * h),
                1e-5 * std::abs(impact_number(Dual(e, 1.0)).d));
  }
  EXPECT_EQ(impact_number(1.0), 0.0);
  // Of a small restitution s is 1/e to rounding.
  EXPECT_NEAR(impact_number(1e-3), 1000.0, 1e-9);
  EXPECT_NEAR(impact_number(Dual(1e-3, 1.0)).d, -1e6, 1.0);
}

// Thrown with slip, a ball ends at 5/7 of its first speed, whatever its friction: its angular momentum about
// the floor stays. The friction vanishes with the slip, so that it rolls without creeping.
TEST(CompliantContact, BallBeginsToRoll) {
  const double g = 9.81, depth = std::pow(kMass * g / kStiffness, 2.0 / 3.0);
  for (const char* rule : {"dormand_prince_54", "radau_iia"}) {
    SCOPED_TRACE(rule);
    // The moment of inertia of a solid ball of 2 kg and 0.1 m is 0.008 kg m^2. The arm of the friction is the
    // radius less half of the depth.
    System system =
        ball_on_floor(fmt::format("q: [0, 0, {:.17g}, 1, 0, 0, 0], u: [0, 0, 0, 3, 0, 0]", kRadius - depth),
                      "law: hertz, stiffness: 1.0e7, friction: 0.3, creep_speed: 1.0e-2", 1.0, g);
    system.analysis.integrator.name = rule;
    system.analysis.step.rtol = 1e-9, system.analysis.step.atol = 1e-11;
    const RunResult run = run_system(system);
    const double arm = kRadius - depth / 2, rolling = 3 * kMass * arm * arm / (kMass * arm * arm + 0.008);
    EXPECT_NEAR(rolling, 3 * 5.0 / 7.0, 1e-3);
    EXPECT_NEAR(run.end("fly.u[3]"), rolling, 1e-6);
    EXPECT_NEAR(run.end("fly.u[1]"), rolling / arm, 1e-5);
    EXPECT_LT(run.end("touch.slip"), 1e-6);
    EXPECT_NEAR(run.end("touch.normal_force"), kMass * g, 1e-3);
    EXPECT_GT(run.at(1, "touch.slip"), 2.9);
    EXPECT_NEAR(run.at(1, "touch.friction_force"), 0.3 * kMass * g, 1e-3 * kMass * g);
    EXPECT_NEAR(run.end("energy.dissipated"),
                0.5 * kMass * 9 - 0.5 * kMass * rolling * rolling - 0.5 * 0.008 * std::pow(rolling / arm, 2),
                1e-5);
    EXPECT_LT(run.report.energy_drift, 1e-6);
  }
}

// A box that friction holds on a slope creeps with the speed at which friction balances its weight.
TEST(CompliantContact, BoxCreepsOnASlope) {
  const double angle = 0.3, g = 9.81, mu = 0.6, creep = 1e-3;
  System system = read_model(fmt::format(R"(
sestina: 1
gravity: [{:.17g}, 0, {:.17g}]
ground: {{shapes: [{{name: slope, type: plane}}]}}
bodies:
  - {{name: block, mass: 3, inertia: {{xx: 0.02, yy: 0.03, zz: 0.04}}, shapes: [{{type: box, size: [0.2, 0.15, 0.1]}}]}}
joints: [{{name: fly, type: free, parent: ground.origin, child: block.origin, q: [0, 0, 0.05, 1, 0, 0, 0]}}]
contacts: [{{name: feet, between: [block, slope], law: linear, stiffness: 1.0e5, damping: 200, friction: 0.6,
             creep_speed: 1.0e-3}}]
analysis: {{duration: 3, integrator: radau_iia, step: {{rtol: 1.0e-8, atol: 1.0e-10}}}}
)",
                                         g * std::sin(angle), -g * std::cos(angle)));
  const RunResult run = run_system(system);
  EXPECT_NEAR(run.end("fly.u[3]"), creep * std::atanh(std::tan(angle) / mu), 1e-7);
  EXPECT_NEAR(run.end("feet.normal_force"), 3 * g * std::cos(angle), 1e-3);
  EXPECT_NEAR(run.end("feet.friction_force"), 3 * g * std::sin(angle), 1e-3);
  EXPECT_LT(run.report.steps.steps, 800);  // with steps of the speed of sliding, not of the stiffness
}

// The force element does not refuse other contacts beside it: those act by impulses.
TEST(CompliantContact, StandsBesideRigidContact) {
  System system = read_model(R"(
sestina: 1
gravity: [0, 0, -10]
ground: {shapes: [{name: floor, type: plane}]}
bodies:
  - {name: hard, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}, shapes: [{name: stone, type: sphere, radius: 0.1}]}
  - {name: soft, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}, shapes: [{name: rubber, type: sphere, radius: 0.1}]}
joints:
  - {name: h, type: free, parent: ground.origin, child: hard.origin, q: [0, 0, 0.1, 1, 0, 0, 0]}
  - {name: s, type: free, parent: ground.origin, child: soft.origin, q: [1, 0, 0.1, 1, 0, 0, 0]}
contacts:
  - {name: rigid, between: [stone, floor]}
  - {name: yielding, between: [rubber, floor], law: linear, stiffness: 1000, damping: 100}
analysis: {duration: 2}
)");
  const RunResult run = run_system(system);
  EXPECT_NEAR(run.end("rigid.gap"), 0.0, 1e-12);
  EXPECT_NEAR(run.end("rigid.normal_force"), 10.0, 1e-6);
  EXPECT_NEAR(run.end("yielding.gap"), -0.01, 1e-6);
  EXPECT_NEAR(run.end("yielding.normal_force"), 10.0, 1e-3);
}

TEST(CompliantContact, KeysThatDoNotBelongAreRefused) {
  const auto refusal = [](const std::string& contact) {
    return message_of([&] { freeze(impact(1.0, contact, 1.0)); });
  };
  EXPECT_THAT(refusal("law: hertz"), HasSubstr("needs one, or young and poisson"));
  EXPECT_THAT(refusal("law: hertz, stiffness: 1, young: 1, poisson: 0"), HasSubstr("give either"));
  EXPECT_THAT(refusal("law: hertz, young: [1, 2, 3], poisson: 0"),
              HasSubstr("expected one for both shapes, or two"));
  EXPECT_THAT(refusal("law: hertz, young: 1, poisson: 0.6"), HasSubstr("0.6 is above 0.5"));
  EXPECT_THAT(refusal("law: hertz, stiffness: 1, friction: 0.1"), HasSubstr("needs a creep_speed"));
  EXPECT_THAT(refusal("law: hertz, stiffness: 1, damping: 1"), HasSubstr("is for the law linear"));
  EXPECT_THAT(refusal("law: linear, stiffness: 1, exponent: 2"), HasSubstr("is for the law hunt_crossley"));
  EXPECT_THAT(refusal("law: hunt_crossley, stiffness: 1, restitution: 0.5"),
              HasSubstr("needs the impact_speed"));
  EXPECT_THAT(refusal("law: hunt_crossley, stiffness: 1, impact_speed: 1"), HasSubstr("restitution above 0"));
  EXPECT_THAT(refusal("law: hunt_crossley, stiffness: 1, impact_speed: 1, restitution: 0.5, dissipation: 1"),
              HasSubstr("cannot stand beside"));
  EXPECT_THAT(refusal("creep_speed: 1"), HasSubstr("with stronge a contact sticks"));
  EXPECT_THAT(refusal("law: hertz, stiffness: -1"), HasSubstr("-1"));
  System cylinder = impact(1.0, "law: hertz, stiffness: 1", 1.0);
  cylinder.bodies[0].shapes[0].type = "cylinder", cylinder.bodies[0].shapes[0].length = 1;
  EXPECT_THAT(message_of([&] { freeze(cylinder); }), HasSubstr("does not take a plane with a cylinder"));
  System box = impact(1.0, "law: hertz, young: 1, poisson: 0", 1.0);
  box.bodies[0].shapes[0].type = "box", box.bodies[0].shapes[0].size = {1, 1, 1};
  EXPECT_THAT(message_of([&] { freeze(box); }), HasSubstr("needs radii"));
}

}  // namespace
}  // namespace sestina
