#include "sestina/flexible/beam_mesh.h"

#include <gtest/gtest.h>

#include <cmath>

#include "flexible/beam_references.h"
#include "message_of.h"
#include "spatial/difference.h"

namespace sestina {
namespace {

using namespace testing_support;

BeamSection unit_section() { return diagonal_section(1, 1, 1, 1, 1, 1); }

TEST(BeamMesh, UpGivesTheSectionsZAxisAsFarAsItIsAcross) {
  const Pose<double> X = straight_frames({1, 2, 3}, {3, 2, 3}, {5, 0, 2})(0.5);
  EXPECT_LE(difference(X.R, Rotation<double>::identity()), 1e-15);
  EXPECT_LE(difference(X.p, {1.5, 2, 3}), 1e-15);
}

TEST(BeamMesh, RefusesAnAxisWithoutLengthOrUpAlongIt) {
  EXPECT_NE(message_of([] {
              straight_frames({0, 0, 0}, {1, 0, 0}, {2, 0, 0});
            }).find("is along the beam's axis"),
            std::string::npos);
  EXPECT_NE(message_of([] {
              straight_frames({1, 0, 0}, {1, 0, 0}, {0, 0, 1});
            }).find("no length"),
            std::string::npos);
}

// A helix has constant curvature and torsion: the strains of the unstressed elements are those of the curve.
TEST(BeamMesh, HelixHasItsCurvatureAndTorsion) {
  const double r = 0.5, c = 0.2, g = std::sqrt(r * r + c * c);
  const auto tangent = [=](double s) {
    return Vec3<double>{-r / g * std::sin(s / g), r / g * std::cos(s / g), c / g};
  };
  // Frenet's frame: z-axis the binormal, so that the curvature is about z.
  const BeamFrames frenet = [=](double s) {
    const Vec3<double> x = tangent(s), y{-std::cos(s / g), -std::sin(s / g), 0.0};
    return Pose<double>{Rotation<double>::from_columns(x, y, cross(x, y)),
                        {r * std::cos(s / g), r * std::sin(s / g), c * s / g}};
  };
  const BeamMesh mesh = make_beam_mesh(frenet, 3.0, 6, unit_section());
  for (const BeamPiece& piece : mesh.pieces) {
    const Vec6<double>& xi = piece.segment.strain;
    EXPECT_NEAR(xi[0], c / (g * g), 1e-12);
    EXPECT_NEAR(xi[1], 0.0, 1e-12);
    EXPECT_NEAR(xi[2], r / (g * g), 1e-12);
    EXPECT_NEAR(xi[3], 1.0, 1e-12);
  }
  EXPECT_NEAR(mesh.length(), 3.0, 1e-14);
}

TEST(BeamMesh, UnstressedNodesOfACurveOfChangingCurvatureHaveNoWrench) {
  // A clothoid by its angle s^2: curvature 2 s.
  const auto position = [](double s) {
    Vec3<double> p;
    constexpr int kSteps = 2000;  // Simpson's rule
    for (int k = 0; k <= kSteps; ++k) {
      const double x = s * k / kSteps, weight = (k == 0 || k == kSteps ? 1.0
                                                 : k % 2               ? 4.0
                                                                       : 2.0) *
                                                s / (3.0 * kSteps);
      p += weight * Vec3<double>{std::cos(x * x), std::sin(x * x), 0.0};
    }
    return p;
  };
  const auto tangent = [](double s) { return Vec3<double>{std::cos(s * s), std::sin(s * s), 0.0}; };
  const BeamMesh mesh = make_beam_mesh(curve_frames(position, tangent, {0, 0, 1}), 1.0, 5, unit_section());
  for (int k = 0; k < mesh.element_count(); ++k) {
    const BeamSegment<double>& segment = mesh.pieces[static_cast<std::size_t>(k)].segment;
    BeamElement<double> element;
    ASSERT_EQ(element.relax(segment, mesh.pose_a(k), mesh.pose_b(k)), BeamRelaxation::done);
    EXPECT_LE(norm(angular(element.lambda())) + norm(linear(element.lambda())), 1e-13) << k;
    const double middle = 0.2 * k + 0.1;
    EXPECT_NEAR(segment.strain[2], 2.0 * middle, 2e-3) << k;                // curvature in the middle
    EXPECT_NEAR(segment.slope[2], 2.0 * 0.2 / std::sqrt(12.0), 1e-3) << k;  // and its change
  }
}

TEST(BeamMesh, CornerKeepsTheSectionsFrames) {
  BeamMesh mesh = make_beam_mesh(straight_frames({0, 0, 0}, {1, 0, 0}, {0, 0, 1}), 1.0, 2, unit_section());
  const BeamMesh leg =
      make_beam_mesh(straight_frames({1, 0, 0}, {1, 0, -1}, {0, 1, 0}), 1.0, 2, unit_section());
  join(mesh, leg);
  ASSERT_EQ(mesh.nodes.size(), 5u);
  EXPECT_LE(difference(mesh.pose_a(2), leg.nodes[0].pose()), 1e-15);
  EXPECT_LE(difference(mesh.pose_b(2), leg.nodes[1].pose()), 1e-15);
  EXPECT_NE(message_of([&] { join(mesh, leg); }).find("from where the first ends"), std::string::npos);
}

TEST(BeamNode, MovesInItsOwnAxes) {
  BeamNode node = BeamNode::at({axis_rotation<double>({0, 0, 1}, kPi / 2), {1, 0, 0}});
  node.move(make_vec6(Vec3<double>{0, 0, kPi / 2}, Vec3<double>{1, 0, 0}));
  EXPECT_LE(difference(node.p, {1, 1, 0}), 1e-15);
  EXPECT_LE(difference(node.pose().R.column(0), {-1, 0, 0}), 1e-15);
}

}  // namespace
}  // namespace sestina
