#include "sestina/flexible/beam_element.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sestina/numerics/dual.h"
#include "spatial/difference.h"
#include "spatial/random.h"

namespace sestina {
namespace {

using namespace testing_support;

// A section without symmetry, an element that is curved and twisted, and ends far from the unstressed ones.
BeamSegment<double> curved_segment(Random& random) {
  BeamSegment<double> segment;
  segment.length = 0.4;
  const double diagonal[6] = {0.33, 0.5, 0.2, 0.01, 0.025, 0.02};
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < i; ++j) {
      const double c = 0.2 * random.uniform(-1.0, 1.0) * std::sqrt(diagonal[i] * diagonal[j]);
      segment.compliance.m[i][j] = segment.compliance.m[j][i] = c;
    }
    segment.compliance.m[i][i] = diagonal[i];
  }
  segment.slope = make_vec6(random.vector(0.2), random.vector(0.03));
  const Vec6<double> strain = make_vec6(random.vector(0.5), Vec3<double>{1.0, 0.02, -0.03});
  const double a = segment.length / std::sqrt(12.0);
  segment.strain = unstressed_strain(
      segment.length, segment.length * (strain + a * commutator(strain, segment.slope)), segment.slope);
  return segment;
}

Vec6<double> unstressed_twist(const BeamSegment<double>& s) {
  return s.length * (s.strain + (s.length / std::sqrt(12.0)) * commutator(s.strain, s.slope));
}

struct Ends {
  Pose<double> a, b;
};
Ends deformed_ends(Random& random, const BeamSegment<double>& segment) {
  const Pose<double> X_a = random.pose();
  const Vec6<double> twist = unstressed_twist(segment) + make_vec6(random.vector(0.2), random.vector(0.02));
  return {X_a, X_a * exp_twist(twist)};
}

BeamSegment<Dual> dual(const BeamSegment<double>& s) {
  BeamSegment<Dual> r;
  r.length = s.length;
  for (int i = 0; i < 6; ++i) {
    r.strain[i] = s.strain[i], r.slope[i] = s.slope[i];
    for (int j = 0; j < 6; ++j) r.compliance.m[i][j] = s.compliance.m[i][j];
  }
  return r;
}
Pose<Dual> dual(const Pose<double>& X) {
  const auto v = [](const Vec3<double>& a) { return Vec3<Dual>{a.x, a.y, a.z}; };
  return {Mat3<Dual>::from_columns(v(X.R.column(0)), v(X.R.column(1)), v(X.R.column(2))), v(X.p)};
}

TEST(BeamElement, IsUnstressedWhereItWasMade) {
  Random random(1);
  const BeamSegment<double> segment = curved_segment(random);
  const Pose<double> X = random.pose();
  BeamElement<double> element;
  ASSERT_EQ(element.relax(segment, X, X * exp_twist(unstressed_twist(segment))), BeamRelaxation::done);
  EXPECT_LE(largest_of(element.lambda()), 1e-13);  // of a stiffness of some 100
  EXPECT_LE(element.energy(segment), 1e-26);
}

TEST(BeamElement, ForcesAreTheGradientOfTheEnergy) {
  Random random(2);
  for (int trial = 0; trial < 5; ++trial) {
    const BeamSegment<double> segment = curved_segment(random);
    const Ends ends = deformed_ends(random, segment);
    BeamElement<double> element;
    ASSERT_EQ(element.relax(segment, ends.a, ends.b), BeamRelaxation::done);
    const BeamElementForces<double> f = element.forces();
    EXPECT_GE(element.energy(segment), 1e-3);
    for (int k = 0; k < 12; ++k) {
      Vec6<Dual> chi;
      chi[k % 6] = Dual(0.0, 1.0);
      Pose<Dual> a = dual(ends.a), b = dual(ends.b);
      (k < 6 ? a : b) = (k < 6 ? a : b) * exp_twist(chi);
      BeamElement<Dual> moved;
      const BeamSegment<Dual> s = dual(segment);
      ASSERT_EQ(moved.relax(s, a, b), BeamRelaxation::done);
      EXPECT_NEAR(moved.energy(s).d, k < 6 ? f.a[k] : f.b[k - 6], 1e-12 * (1.0 + largest_of(f.b)))
          << trial << " " << k;
    }
  }
}

TEST(BeamElement, TangentIsTheDerivativeOfTheForces) {
  Random random(3);
  for (int trial = 0; trial < 5; ++trial) {
    const BeamSegment<double> segment = curved_segment(random);
    const Ends ends = deformed_ends(random, segment);
    BeamElement<double> element;
    ASSERT_EQ(element.relax(segment, ends.a, ends.b), BeamRelaxation::done);
    BeamElementTangent<double> K;
    BeamElementForces<double> f;
    element.update_tangent(K, f);
    for (int k = 0; k < 12; ++k) {
      Vec6<Dual> chi;
      chi[k % 6] = Dual(0.0, 1.0);
      Pose<Dual> a = dual(ends.a), b = dual(ends.b);
      (k < 6 ? a : b) = (k < 6 ? a : b) * exp_twist(chi);
      BeamElement<Dual> moved;
      ASSERT_EQ(moved.relax(dual(segment), a, b), BeamRelaxation::done);
      const BeamElementForces<Dual> g = moved.forces();
      for (int i = 0; i < 6; ++i) {
        // entries are up to 500
        EXPECT_NEAR((k < 6 ? K.aa : K.ab).m[i][k % 6], g.a[i].d, 1e-9) << trial << " " << k << " " << i;
        EXPECT_NEAR((k < 6 ? K.ba : K.bb).m[i][k % 6], g.b[i].d, 1e-9) << trial << " " << k << " " << i;
      }
    }
  }
}

// The strain at both Gauss points is what the section's compliance makes of the wrench there: (2) and (3) of
// beam_strain.h, to round-off and with a twist so large that N^4 is not small.
TEST(BeamElement, StrainsAreThoseOfTheSectionUnderItsWrench) {
  Random random(8);
  for (int trial = 0; trial < 10; ++trial) {
    BeamSegment<double> segment = curved_segment(random);
    segment.is_diagonal = trial >= 5;
    if (segment.is_diagonal) {
      for (int i = 0; i < 36; ++i) {
        if (i / 6 != i % 6) segment.compliance.m[i / 6][i % 6] = 0.0;
      }
    }
    const Pose<double> X = random.pose();
    const Vec6<double> twist = unstressed_twist(segment) + make_vec6(random.vector(0.6), random.vector(0.1));
    BeamElement<double> element;
    ASSERT_EQ(element.relax(segment, X, X * exp_twist(twist)), BeamRelaxation::done);
    for (double z : {-0.577350269189625765, 0.577350269189625765}) {
      const Vec6<double> unstressed = segment.strain + (std::sqrt(3.0) * z) * segment.slope;
      const Vec6<double> strain = element.section_strain(z) - unstressed;
      EXPECT_LE(largest_of(strain - segment.compliance * element.section_wrench(z)), 1e-14) << trial;
      EXPECT_GE(largest_of(strain), 0.1) << trial;
    }
  }
}

// Large rigid motions change nothing but round-off: strains, energy, forces in the axes of the ends.
TEST(BeamElement, IsObjectiveToRoundOff) {
  Random random(4);
  const BeamSegment<double> segment = curved_segment(random);
  const Ends ends = deformed_ends(random, segment);
  BeamElement<double> element;
  ASSERT_EQ(element.relax(segment, ends.a, ends.b), BeamRelaxation::done);
  for (int trial = 0; trial < 20; ++trial) {
    const Pose<double> X = random.pose();
    BeamElement<double> moved;
    ASSERT_EQ(moved.relax(segment, X * ends.a, X * ends.b), BeamRelaxation::done);
    EXPECT_LE(largest_of(moved.strain().middle - element.strain().middle), 2e-14);
    EXPECT_LE(largest_of(moved.forces().b - element.forces().b), 2e-13 * largest_of(element.forces().b) * 10);
    EXPECT_NEAR(moved.energy(segment), element.energy(segment), 1e-13 * element.energy(segment) * 10);
  }
}

// Balance of forces and moments in space: a consequence of objectivity that the forces must show.
TEST(BeamElement, ForcesOnTheEndsBalance) {
  Random random(5);
  const BeamSegment<double> segment = curved_segment(random);
  const Ends ends = deformed_ends(random, segment);
  BeamElement<double> element;
  ASSERT_EQ(element.relax(segment, ends.a, ends.b), BeamRelaxation::done);
  const auto at_origin = [](const Pose<double>& X, const Vec6<double>& f) {
    const Vec3<double> force = X.R * linear(f);
    return SpatialForce<double>{X.R * angular(f) + cross(X.p, force), force};
  };
  const SpatialForce<double> a = at_origin(ends.a, element.forces().a),
                             b = at_origin(ends.b, element.forces().b);
  EXPECT_LE(difference(a + b, SpatialForce<double>{}), 1e-13 * 20);
  EXPECT_GE(norm(b.force), 0.1);
}

// The direction in which the axis is counted is a convention: reversed, the element is the same.
TEST(BeamElement, DoesNotDependOnTheDirectionOfTheAxis) {
  Random random(6);
  BeamSegment<double> segment = curved_segment(random);
  segment.compliance = Mat6<double>();
  const double diagonal[6] = {0.33, 0.5, 0.2, 0.01, 0.025, 0.02};
  for (int i = 0; i < 6; ++i) segment.compliance.m[i][i] = diagonal[i];
  const Ends ends = deformed_ends(random, segment);
  // Turned by half a turn about z: x and y change their signs, and strain xi becomes -Ad xi.
  const Rotation<double> turn{-1, 0, 0, 0, -1, 0, 0, 0, 1};
  const auto turned = [&turn](const Vec6<double>& a) {
    return make_vec6(turn * angular(a), turn * linear(a));
  };
  BeamSegment<double> reversed = segment;
  reversed.strain = -turned(segment.strain), reversed.slope = turned(segment.slope);
  BeamElement<double> element, back;
  ASSERT_EQ(element.relax(segment, ends.a, ends.b), BeamRelaxation::done);
  ASSERT_EQ(back.relax(reversed, {ends.b.R * turn, ends.b.p}, {ends.a.R * turn, ends.a.p}),
            BeamRelaxation::done);
  EXPECT_LE(largest_of(turned(back.forces().a) - element.forces().b), 1e-12);
  EXPECT_LE(largest_of(turned(back.forces().b) - element.forces().a), 1e-12);
}

// Euler and Bernoulli's cubic is exact under loads at the ends: stiffness 12 EI/h^3 and so on, for every
// slenderness.
TEST(BeamElement, IsExactInSmallDisplacementsAtEverySlenderness) {
  for (double slenderness : {1.0, 1e2, 1e4}) {
    const double h = 1.0, EI = 1.0, GA = 12.0 * EI * slenderness * slenderness;
    BeamSegment<double> segment;
    segment.length = h;
    const double diagonal[6] = {1.0, 1.0 / EI, 1.0 / EI, 1.0 / GA, 1.0 / GA, 1.0 / GA};
    for (int i = 0; i < 6; ++i) segment.compliance.m[i][i] = diagonal[i];
    segment.strain[3] = 1.0;
    BeamElement<double> element;
    const Pose<double> a, b{Rotation<double>::identity(), {h, 0, 0}};
    ASSERT_EQ(element.relax(segment, a, b), BeamRelaxation::done);
    BeamElementTangent<double> K;
    BeamElementForces<double> f;
    element.update_tangent(K, f);
    const double phi = 12.0 * EI / (GA * h * h), factor = EI / (1.0 + phi);
    // Round-off of what is large (GA) against what is left (EI).
    const double tolerance = 1e-15 * GA + 1e-13;
    EXPECT_NEAR(K.bb.m[4][4], 12.0 * factor / (h * h * h), tolerance) << slenderness;
    EXPECT_NEAR(K.bb.m[4][2], -6.0 * factor / (h * h), tolerance) << slenderness;
    EXPECT_NEAR(K.bb.m[2][2], (4.0 + phi) * factor / h, tolerance) << slenderness;
    EXPECT_NEAR(K.ab.m[2][2], (2.0 - phi) * factor / h, tolerance) << slenderness;
    EXPECT_NEAR(K.bb.m[3][3], GA / h, 1e-14 * GA) << slenderness;
  }
}

// A rod that is rigid in shear has zeros in its compliance, and is a case like others.
TEST(BeamElement, TakesARodThatIsRigidInShear) {
  BeamSegment<double> segment;
  segment.length = 0.5;
  const double diagonal[6] = {1.0, 2.0, 0.5, 1e-3, 0.0, 0.0};
  for (int i = 0; i < 6; ++i) segment.compliance.m[i][i] = diagonal[i];
  segment.strain[3] = 1.0;
  BeamElement<double> element;
  const Pose<double> a,
      b = exp_twist(make_vec6(Vec3<double>{0.1, 0.2, -0.1}, Vec3<double>{0.5, 0.01, 0.005}));
  ASSERT_EQ(element.relax(segment, a, b), BeamRelaxation::done);
  EXPECT_LE(element.gap(segment), 1e-14);
  EXPECT_GE(largest_of(element.lambda()), 0.1);
  for (double z : {-0.577350269189625765, 0.577350269189625765}) {  // at the Gauss points there is no shear
    EXPECT_LE(std::abs(element.section_strain(z)[4]), 1e-14);
    EXPECT_LE(std::abs(element.section_strain(z)[5]), 1e-14);
  }
}

TEST(BeamElement, DampingDissipatesInEveryMotionButRigidOnes) {
  Random random(7);
  const BeamSegment<double> segment = curved_segment(random);
  const Ends ends = deformed_ends(random, segment);
  BeamElement<double> element;
  ASSERT_EQ(element.relax(segment, ends.a, ends.b), BeamRelaxation::done);
  for (int trial = 0; trial < 20; ++trial) {
    const Vec6<double> V_a = make_vec6(random.vector(), random.vector()),
                       V_b = make_vec6(random.vector(), random.vector());
    const Vec6<double> rate = element.twist_rate(V_a, V_b);
    const Vec6<double> wrench = element.damping_wrench(rate, 0.01);
    EXPECT_GT(dot(rate, wrench), 0.0);
    const BeamElementForces<double> f = element.forces(wrench);
    EXPECT_NEAR(dot(f.a, V_a) + dot(f.b, V_b), dot(rate, wrench), 1e-12 * dot(rate, wrench) + 1e-12);
  }
  // A rigid motion: the velocity of b is that of a, in the axes of b.
  const Vec3<double> w = random.vector(), v = random.vector();
  const auto at = [&](const Pose<double>& X) {
    return make_vec6(transpose_times(X.R, w), transpose_times(X.R, v + cross(w, X.p)));
  };
  EXPECT_LE(largest_of(element.twist_rate(at(ends.a), at(ends.b))), 1e-14 * 10);
}

}  // namespace
}  // namespace sestina
