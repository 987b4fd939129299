#include "sestina/flexible/beam_statics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "flexible/beam_references.h"
#include "spatial/difference.h"
#include "spatial/random.h"

namespace sestina {
namespace {

using namespace testing_support;

Vec3<double> tip_of(const BeamStatics& beam) { return beam.mesh().nodes.back().p; }
int last_node(const BeamStatics& beam) { return static_cast<int>(beam.mesh().nodes.size()) - 1; }

// log2 of the ratio of errors of two meshes, one with half the length of the other's elements.
double order_of(double coarse, double fine) { return std::log2(coarse / fine); }

BeamLoad tip_force(const BeamStatics& beam, const Vec3<double>& force, const Vec3<double>& moment = {}) {
  BeamLoad load;
  load.node = last_node(beam), load.force = force, load.moment = moment;
  return load;
}

struct Cantilever {
  double shortening, deflection;
};
Cantilever solve_cantilever(int elements, int steps = 4) {
  BeamStatics beam = clamped_beam(2.0, elements, nachbagauer_section());
  beam.add(tip_force(beam, {0, kNachbagauerForce, 0}));
  EXPECT_EQ(beam.solve_in_steps(1.0, steps).status, BeamSolution::converged) << elements;
  return {2.0 - tip_of(beam).x, tip_of(beam).y};
}

TEST(BeamStatics, CantileverConvergesWithTheFourthOrderToSevenDigits) {
  std::vector<double> errors;
  for (int elements : {2, 4, 8, 16, 32}) {
    const Cantilever tip = solve_cantilever(elements);
    errors.push_back(std::max(std::abs(tip.shortening - kNachbagauerShortening),
                              std::abs(tip.deflection - kNachbagauerDeflection)));
    RecordProperty("error_" + std::to_string(elements), std::to_string(errors.back()));
  }
  EXPECT_LE(errors[4], 1e-8);
  for (std::size_t k = 2; k < errors.size(); ++k) EXPECT_NEAR(order_of(errors[k - 1], errors[k]), 4.0, 0.2);
}

TEST(BeamStatics, PrincetonBeamHasSixDigitsAtAllAnglesAndLoads) {
  for (const PrincetonTip& reference : kPrincetonTips) {
    BeamStatics beam = clamped_beam(kPrincetonLength, 32, princeton_section());
    const double beta = angle_of(reference.beta);
    beam.add(tip_force(beam, reference.force * Vec3<double>{0, std::cos(beta), std::sin(beta)}));
    ASSERT_EQ(beam.solve_in_steps(1.0, 2).status, BeamSolution::converged);
    const Vec3<double> tip = 1000.0 * tip_of(beam);  // mm
    EXPECT_NEAR(tip.y, reference.y, 1e-6 * std::abs(reference.y) + 1e-9)
        << reference.force << " " << reference.beta;
    EXPECT_NEAR(tip.z, reference.z, 1e-6 * std::abs(reference.z) + 1e-9)
        << reference.force << " " << reference.beta;
  }
}

Vec3<double> solve_bend(const BendTip& reference, int elements, int steps) {
  const BeamSection section = make_section({1.0, 1.0 / 12, 1.0 / 12, reference.J, 1.0, 1.0}, {1e7, 0.0, 0.0});
  BeamStatics beam(make_beam_mesh(bend_frames(), 100.0 * kPi / 4, elements, section));
  beam.clamp(0);
  beam.add(tip_force(beam, {0, 0, reference.force}));
  EXPECT_EQ(beam.solve_in_steps(1.0, steps).status, BeamSolution::converged);
  return tip_of(beam);
}

TEST(BeamStatics, FortyFiveDegreeBendHasSixDigits) {
  for (const BendTip& reference : kBendTips) {
    const Vec3<double> tip = solve_bend(reference, 32, 6);
    EXPECT_NEAR(tip.x, reference.x, 1e-6 * reference.x) << reference.J << " " << reference.force;
    EXPECT_NEAR(tip.y, reference.y, 1e-6 * reference.y) << reference.J << " " << reference.force;
    EXPECT_NEAR(tip.z, reference.z, 1e-6 * reference.z) << reference.J << " " << reference.force;
  }
}

TEST(BeamStatics, FortyFiveDegreeBendConvergesWithTheFourthOrder) {
  const BendTip& reference = kBendTips[3];
  std::vector<double> errors;
  for (int elements : {4, 8, 16}) {
    errors.push_back(difference(solve_bend(reference, elements, 6), {reference.x, reference.y, reference.z}));
    RecordProperty("error_" + std::to_string(elements), std::to_string(errors.back()));
  }
  for (std::size_t k = 1; k < errors.size(); ++k) EXPECT_NEAR(order_of(errors[k - 1], errors[k]), 4.0, 0.3);
}

// The wrench is an unknown of its own: the whole load in one step, where the stretch of nodes that move along
// straight lines would throw off a method that computes forces from it.
TEST(BeamStatics, TakesTheWholeLoadInOneStep) {
  for (int elements : {4, 8, 32}) {
    BeamStatics beam = clamped_beam(2.0, elements, nachbagauer_section());
    beam.add(tip_force(beam, {0, kNachbagauerForce, 0}));
    const BeamNewtonReport report = beam.solve(1.0);
    EXPECT_EQ(report.status, BeamSolution::converged) << elements;
    EXPECT_LE(report.iterations, 8) << elements;
    EXPECT_LE(report.residual, 1e-9 * kNachbagauerForce) << elements;
  }
}

// Rolled up by an end moment into two full circles: strain is constant, so that the element is exact.
TEST(BeamStatics, EndMomentRollsUpIntoTwoFullCirclesExactly) {
  const double L = 10.0, EI = 100.0;
  for (int elements : {6, 10, 20}) {
    BeamStatics beam = clamped_beam(L, elements, diagonal_section(1e4, 1e4, 1e4, EI, EI, EI));
    BeamLoad load = tip_force(beam, {}, {0, 0, 4.0 * kPi * EI / L});
    beam.add(load);
    ASSERT_EQ(beam.solve_in_steps(1.0, 8).status, BeamSolution::converged) << elements;
    EXPECT_LE(norm(tip_of(beam)), 1e-10) << elements;  // at the clamp again
    for (std::size_t k = 0; k < beam.mesh().nodes.size(); ++k) {
      const double s = L * static_cast<double>(k) / elements, radius = L / (4.0 * kPi);
      const Vec3<double> circle{radius * std::sin(s / radius), radius * (1.0 - std::cos(s / radius)), 0.0};
      EXPECT_LE(difference(beam.mesh().nodes[k].p, circle), 1e-10) << elements << " " << k;
    }
  }
}

// Ibrahimbegovic's helical roll-up: a moment that winds the beam up ten times and a force across the circles.
TEST(BeamStatics, HelicalRollUpFollowsTheRodAtFourLoads) {
  struct Reference {
    double factor;
    Vec3<double> tip;
  };
  const Reference references[] = {{0.05, {0.711481029, 6.285664431, 2.750736205}},
                                  {0.1, {0.410203353, 0.053770903, -1.091729019}},
                                  {0.5, {0.019106995, 0.000573980, -0.226637441}},
                                  {1.0, {0.004803250, 0.000072497, -0.076441742}}};
  const double L = 10.0, EI = 100.0;
  BeamStatics beam = clamped_beam(L, 200, diagonal_section(1e4, 1e4, 1e4, EI, EI, EI));
  beam.add(tip_force(beam, {0, 0, 50.0}, {0, 0, 20.0 * kPi * EI / L}));
  for (const Reference& reference : references) {
    ASSERT_EQ(beam.solve_in_steps(reference.factor, 40).status, BeamSolution::converged) << reference.factor;
    const Vec3<double> tip = tip_of(beam);
    for (int i = 0; i < 3; ++i) {
      // The beam is 10 long; its elements turn by 18 degrees each at the end. Halving them divides the error
      // by 16.
      EXPECT_NEAR(tip[i], reference.tip[i], 1e-5) << reference.factor << " " << i;
    }
  }
}

TEST(BeamStatics, LFrameHasTheTipOfTheRod) {
  const double E = 2.1e11, nu = 0.3, b = 0.1, h = 0.05, k = 10.0 * (1.0 + nu) / (12.0 + 11.0 * nu);
  const double I = b * h * h * h / 12.0;
  const BeamSection section = make_section({b * h, I, I, I, k, k}, {E, nu, 0.0});
  std::vector<double> errors;
  for (int elements : {2, 4, 8}) {
    BeamMesh mesh = make_beam_mesh(straight_frames({0, 0, 0}, {1, 0, 0}, {0, 0, 1}), 1.0, elements, section);
    join(mesh, make_beam_mesh(straight_frames({1, 0, 0}, {1, 1, 0}, {0, 0, 1}), 1.0, elements, section));
    BeamStatics beam(mesh);
    beam.clamp(0);
    beam.add(tip_force(beam, {1e6, 0, 0}));
    ASSERT_EQ(beam.solve_in_steps(1.0, 10).status, BeamSolution::converged);
    // The rod by shooting; Exudyn's 4 elements a leg give -0.91815.
    errors.push_back(
        std::max(std::abs(tip_of(beam).x - 1.859228475393), std::abs(tip_of(beam).y - 0.085947950337)));
  }
  EXPECT_LE(errors[2], 1e-5);
  EXPECT_NEAR(order_of(errors[1], errors[2]), 4.0, 0.5);
}

// Nachbagauer, 2013: tip moments about x and y.
TEST(BeamStatics, GeneralBendingHasTheTipOfTheRod) {
  const double h = 0.2, w = 0.4;
  const double Iy = h * w * w * w / 12.0, Iz = w * h * h * h / 12.0;
  const BeamSection section =
      make_section({h * w, Iy, Iz, 0.5768 * (Iy + Iz), 0.8331, 0.7961}, {2.07e11, 0.3, 0.0});
  BeamStatics beam = clamped_beam(2.0, 8, section);
  beam.add(tip_force(beam, {}, {5e5, 2e6, 0}));
  ASSERT_EQ(beam.solve(1.0).status, BeamSolution::converged);
  EXPECT_NEAR(tip_of(beam).x, 1.99989056, 5e-9);
  EXPECT_NEAR(tip_of(beam).y, -1.86436456e-4, 1e-10);
  EXPECT_NEAR(tip_of(beam).z, -1.81174027e-2, 5e-9);
}

// Slenderness 1e4 under a tip force: the coarse mesh is as good as for a thick beam.
TEST(BeamStatics, DoesNotLockUpToSlendernessTenThousand) {
  for (double slenderness : {10.0, 1e2, 1e3, 1e4}) {
    const double L = 1.0, h = L / slenderness, E = 1.0, I = h * h * h * h / 12.0;
    const BeamSection section =
        make_section({h * h, I, I, rectangle_torsion_constant(h, h), 5.0 / 6, 5.0 / 6}, {E, 0.0, 0.0});
    const double force = 2.0 * E * I / (L * L);  // deflects by half of the length
    const auto tip_with = [&](int elements) {
      BeamStatics beam = clamped_beam(L, elements, section);
      beam.add(tip_force(beam, {0, force, 0}));
      EXPECT_EQ(beam.solve_in_steps(1.0, 4).status, BeamSolution::converged)
          << slenderness << " " << elements;
      return tip_of(beam);
    };
    const Vec3<double> fine = tip_with(64);
    EXPECT_LE(norm(tip_with(4) - fine), 2e-4) << slenderness;
    EXPECT_GE(fine.y, 0.4) << slenderness;
  }
}

TEST(BeamStatics, ResultDoesNotDependOnThePath) {
  const auto bent = [](bool by_steps_and_back) {
    BeamStatics beam = clamped_beam(1.0, 8, diagonal_section(1e4, 5e3, 5e3, 1.0, 2.0, 3.0));
    beam.add(tip_force(beam, {1.0, 2.0, 3.0}, {0.5, 1.0, -1.0}));
    if (by_steps_and_back) {
      EXPECT_EQ(beam.solve_in_steps(-1.5, 7).status, BeamSolution::converged);
      EXPECT_EQ(beam.solve_in_steps(0.3, 5).status, BeamSolution::converged);
    }
    EXPECT_EQ(beam.solve_in_steps(1.0, by_steps_and_back ? 9 : 2).status, BeamSolution::converged);
    return beam;
  };
  const BeamStatics a = bent(false), b = bent(true);
  for (std::size_t k = 0; k < a.mesh().nodes.size(); ++k) {
    EXPECT_LE(difference(a.mesh().nodes[k].pose(), b.mesh().nodes[k].pose()), 1e-12) << k;
  }
  EXPECT_GE(norm(tip_of(a) - Vec3<double>{1, 0, 0}), 0.1);
}

// Clamp and loads turned together turn the answer, whatever the rotation.
TEST(BeamStatics, TurningTheProblemTurnsTheAnswer) {
  Random random(1);
  const BeamSection section = diagonal_section(1e4, 5e3, 5e3, 1.0, 2.0, 3.0);
  const auto solve_turned = [&section](const Pose<double>& X) {
    const BeamFrames frames = [X](double s) { return X * bend_frames(1.0)(s); };
    BeamStatics beam(make_beam_mesh(frames, 1.0, 6, section));
    beam.clamp(0);
    beam.add(tip_force(beam, X.R * Vec3<double>{1.0, 2.0, 3.0}, X.R * Vec3<double>{0.5, 1.0, -1.0}));
    EXPECT_EQ(beam.solve_in_steps(1.0, 3).status, BeamSolution::converged);
    return beam;
  };
  const BeamStatics straight = solve_turned({});
  for (int trial = 0; trial < 3; ++trial) {
    const Pose<double> X = random.pose();
    const BeamStatics turned = solve_turned(X);
    EXPECT_LE(difference(turned.mesh().nodes.back().pose(), X * straight.mesh().nodes.back().pose()), 1e-12);
  }
}

// A clamped beam under its weight, small deflection: w = q L^4/(8 EI), and the moment of the clamp q L^2/2.
TEST(BeamStatics, LineLoadBendsAsTheTheoryOfSmallDeflectionsSays) {
  const double L = 2.0, EI = 10.0, q = 1e-5;
  BeamStatics beam = clamped_beam(L, 3, diagonal_section(1e6, 1e6, 1e6, EI, EI, EI));
  beam.add(BeamLineLoad{{0, 0, -q}});
  ASSERT_EQ(beam.solve(1.0).status, BeamSolution::converged);
  EXPECT_NEAR(tip_of(beam).z / (-q * L * L * L * L / (8.0 * EI)), 1.0, 3e-5);  // shear adds 4 EI/(GA L^2)
  const SpatialForce<double> reaction = beam.reaction(0);
  EXPECT_NEAR(reaction.force.z, q * L, 1e-12);
  EXPECT_NEAR(reaction.torque.y, -q * L * L / 2.0, 1e-12);
}

TEST(BeamStatics, HeavyBeamConvergesWithTheFourthOrder) {
  std::vector<Vec3<double>> tips;
  for (int elements : {4, 8, 16, 32}) {
    BeamStatics beam = clamped_beam(1.0, elements, diagonal_section(1e6, 1e6, 1e6, 1.0, 1.0, 1.0));
    beam.add(BeamLineLoad{{0, 0, -20.0}});
    ASSERT_EQ(beam.solve_in_steps(1.0, 4).status, BeamSolution::converged);
    tips.push_back(tip_of(beam));
  }
  const double coarse = norm(tips[1] - tips[0]), middle = norm(tips[2] - tips[1]),
               fine = norm(tips[3] - tips[2]);
  EXPECT_NEAR(order_of(coarse, middle), 4.0, 0.4);
  EXPECT_NEAR(order_of(middle, fine), 4.0, 0.3);
  EXPECT_LE(tips[3].z, -0.7);
}

// A follower force does not have a potential: the tangent is unsymmetric. Beck's rod bends under a transverse
// follower.
TEST(BeamStatics, FollowerForceStaysAcrossTheTip) {
  BeamStatics beam = clamped_beam(1.0, 16, diagonal_section(1e6, 1e6, 1e6, 1.0, 1.0, 1.0));
  BeamLoad load = tip_force(beam, {0, 5.0, 0});
  load.follows = true;
  beam.add(load);
  const BeamNewtonReport report = beam.solve_in_steps(1.0, 4);
  ASSERT_EQ(report.status, BeamSolution::converged);
  const Pose<double> tip = beam.mesh().nodes.back().pose();
  // Balance: the clamp has the force in the turned direction, and its moment about the clamp.
  const Vec3<double> force = tip.R * Vec3<double>{0, 5.0, 0};
  const SpatialForce<double> reaction = beam.reaction(0);
  EXPECT_LE(difference(reaction.force, -force), 1e-9);
  EXPECT_LE(difference(reaction.torque, -cross(tip.p, force)), 1e-9);
  EXPECT_LE(tip.R.xx, 0.0);  // turned by more than a right angle
}

}  // namespace
}  // namespace sestina
