#include "sestina/flexible/beam_section.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "message_of.h"
#include "sestina/base/error.h"

namespace sestina {
namespace {

using testing_support::message_of;

constexpr double kPi = 3.14159265358979323846;

TEST(BeamSection, TorsionConstantOfRectanglesIsTheTabulatedOne) {
  // Timoshenko and Goodier, Theory of Elasticity, table of k1: J = k1 b^3 a.
  EXPECT_NEAR(rectangle_torsion_constant(1.0, 1.0), 0.1406, 5e-5);
  EXPECT_NEAR(rectangle_torsion_constant(2.0, 1.0), 0.229 * 2.0, 2e-3);
  EXPECT_NEAR(rectangle_torsion_constant(1.0, 10.0), 0.312 * 10.0, 1e-2);
  // Square by Roark to more digits: 2.25 (a/2)^4 = 0.140577... is Saint-Venant's series.
  EXPECT_NEAR(rectangle_torsion_constant(1.0, 1.0), 0.14057701, 1e-8);
  // A strip: a b^3/3 (1 - 0.630249 b/a).
  EXPECT_NEAR(rectangle_torsion_constant(1000.0, 1.0) / (1000.0 / 3.0), 1.0 - 0.630249e-3, 1e-9);
}

TEST(BeamSection, TubeWithoutHoleIsACircle) {
  const SectionArea tube = tube_area(0.0, 0.02, 0.3), circle = circle_area(0.02, 0.3);
  EXPECT_DOUBLE_EQ(tube.A, circle.A);
  EXPECT_DOUBLE_EQ(tube.Iy, circle.Iy);
  EXPECT_DOUBLE_EQ(tube.J, circle.J);
  EXPECT_DOUBLE_EQ(tube.ky, circle.ky);
  // A thin tube: Iy = pi r^3 t, shear factor 2 (1 + nu)/(4 + 3 nu) of Cowper.
  const SectionArea thin = tube_area(0.99999, 1.0, 0.3);
  EXPECT_NEAR(thin.Iy / (kPi * 1e-5), 1.0, 2e-5);
  EXPECT_NEAR(thin.ky, 2.0 * 1.3 / 4.9, 1e-5);
}

TEST(BeamSection, StiffnessAndMassFollowFromAreaAndMaterial) {
  const BeamSection s = make_section(rectangle_area(0.1, 0.5, 0.3), {2e11, 0.3, 7850});
  EXPECT_DOUBLE_EQ(s.stiffness.m[3][3], 2e11 * 0.05);
  EXPECT_DOUBLE_EQ(s.stiffness.m[1][1], 2e11 * 0.1 * 0.125 / 12.0);  // EIy: deflects along z, the height
  EXPECT_DOUBLE_EQ(s.stiffness.m[2][2], 2e11 * 0.5 * 0.001 / 12.0);  // EIz
  EXPECT_DOUBLE_EQ(s.stiffness.m[4][4], 2e11 / 2.6 * 0.05 * 13.0 / 15.3);  // 10 (1 + nu)/(12 + 11 nu)
  EXPECT_DOUBLE_EQ(s.mass, 7850 * 0.05);
  EXPECT_DOUBLE_EQ(s.inertia.xx, s.inertia.yy + s.inertia.zz);
}

TEST(BeamSection, ComplianceInvertsAFullStiffness) {
  BeamSection s = diagonal_section(1e8, 3e7, 2e7, 5e3, 2e4, 1e4);
  s.stiffness.m[0][3] = s.stiffness.m[3][0] = 2e5;  // twist and stretch of a rope
  s.stiffness.m[1][2] = s.stiffness.m[2][1] = 3e3;
  const Mat6<double> one = s.stiffness * section_compliance(s);
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) EXPECT_NEAR(one.m[i][j], i == j ? 1.0 : 0.0, 1e-13 * (i == j ? 1.0 : 1e4));
  }
}

TEST(BeamSection, AnInfiniteStiffnessIsRigid) {
  const double infinite = std::numeric_limits<double>::infinity();
  const Mat6<double> C = section_compliance(diagonal_section(1e8, infinite, infinite, 5e3, 2e4, 1e4));
  EXPECT_EQ(C.m[4][4], 0.0);
  EXPECT_EQ(C.m[5][5], 0.0);
  EXPECT_DOUBLE_EQ(C.m[3][3], 1e-8);
}

TEST(BeamSection, RefusesWhatIsNoStiffness) {
  EXPECT_NE(message_of([] { section_compliance(diagonal_section(1, 1, 1, -2, 1, 1)); }).find("GJ = -2"),
            std::string::npos);
  BeamSection s = diagonal_section(1, 1, 1, 1, 1, 1);
  s.stiffness.m[0][3] = 0.5;
  EXPECT_NE(message_of([&] { section_compliance(s); }).find("not symmetric"), std::string::npos);
  s.stiffness.m[0][3] = s.stiffness.m[3][0] = 1.5;
  EXPECT_NE(message_of([&] { section_compliance(s); }).find("not positive definite"), std::string::npos);
}

}  // namespace
}  // namespace sestina
