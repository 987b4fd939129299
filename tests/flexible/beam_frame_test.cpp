// The right-angle frame of Argyris: two legs, clamped at one end, a force at the tip in its plane.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "flexible/beam_references.h"
#include "sestina/flexible/beam_statics.h"

namespace sestina {
namespace {

using namespace testing_support;

constexpr double kLeg = 0.24;                 // m
constexpr double kBucklingLoad = 1.08751794;  // N, by shooting; literature 1.088

// Leg 1 along x from the clamp, leg 2 along -y; the force at the tip along x, outward. Lateral is z.
BeamStatics right_angle_frame(int elements_per_leg, double force_sign = 1.0) {
  const double h = 0.03, w = 0.0006, E = 7.124e10, nu = 0.31;
  // Weak about the section's y-axis, so that it deflects along z; J = h w^3/3, shear factors 1.
  const BeamSection section = make_section(
      {h * w, h * w * w * w / 12.0, w * h * h * h / 12.0, h * w * w * w / 3.0, 1.0, 1.0}, {E, nu, 0.0});
  BeamMesh mesh =
      make_beam_mesh(straight_frames({0, 0, 0}, {kLeg, 0, 0}, {0, 0, 1}), kLeg, elements_per_leg, section);
  join(mesh, make_beam_mesh(straight_frames({kLeg, 0, 0}, {kLeg, -kLeg, 0}, {0, 0, 1}), kLeg,
                            elements_per_leg, section));
  BeamStatics frame(mesh);
  frame.clamp(0);
  BeamLoad load;
  load.node = 2 * elements_per_leg, load.force = {force_sign, 0, 0};
  frame.add(load);
  return frame;
}

TEST(RightAngleFrame, BucklesSidewaysAtTheLoadOfTheRod) {
  std::vector<double> errors;
  for (int elements : {2, 4, 8, 16}) {
    BeamStatics frame = right_angle_frame(elements);
    const double load = frame.find_critical(0.9, 1.3, 1e-11);
    errors.push_back(std::abs(load - kBucklingLoad));
    RecordProperty("error_" + std::to_string(elements), std::to_string(errors.back() * 1e6) + " uN");
  }
  EXPECT_LE(errors[3], 1e-5 * kBucklingLoad);
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 4.0, 0.5);
  EXPECT_NEAR(std::log2(errors[1] / errors[2]), 4.0, 0.5);
}

// From the bifurcation into the branch and on by arc length: the tip leaves the plane by a quarter of a leg,
// and comes nearer again while the load grows on; the last point is an equilibrium that Newton's method at
// its load keeps.
TEST(RightAngleFrame, BranchIsFollowedThroughByArcLength) {
  const auto tip = [](const BeamStatics& frame) { return frame.mesh().nodes.back().p; };
  BeamStatics frame = right_angle_frame(4), fine = right_angle_frame(8);
  double most_lateral[2] = {};
  for (BeamStatics* beam : {&frame, &fine}) {
    double& most = most_lateral[beam == &fine];
    const double critical = beam->find_critical(0.9, 1.3, 1e-9);
    ASSERT_EQ(beam->branch_off(beam->critical_mode(), 0.01, critical).status, BeamSolution::converged);
    EXPECT_GT(std::abs(tip(*beam).z), 1e-3);
    EXPECT_NEAR(beam->factor(), critical, 1e-3 * critical);
    double before = critical;
    for (int step = 0; step < 30; ++step) {
      ASSERT_EQ(beam->follow(0.05, critical).status, BeamSolution::converged) << step;
      EXPECT_GT(beam->factor(), before);
      before = beam->factor();
      most = std::max(most, std::abs(tip(*beam).z));
    }
    EXPECT_GE(beam->factor(), 1.9 * critical);
    EXPECT_LE(std::abs(tip(*beam).z), most - 5e-3);
    const Vec3<double> last = tip(*beam);
    ASSERT_EQ(beam->solve(beam->factor()).status, BeamSolution::converged);
    EXPECT_LE(norm(tip(*beam) - last), 1e-9);
  }
  EXPECT_NEAR(most_lateral[0], 0.061, 5e-4);
  EXPECT_NEAR(most_lateral[0], most_lateral[1], 2e-4);  // points of the path are not the same
}

// The force the other way about, along the clamped leg inward: another critical load.
TEST(RightAngleFrame, ReversedLoadBucklesToo) {
  BeamStatics frame = right_angle_frame(8, -1.0), fine = right_angle_frame(16, -1.0);
  const double load = frame.find_critical(0.3, 1.2, 1e-9);
  EXPECT_NEAR(load, fine.find_critical(0.3, 1.2, 1e-9), 1e-5 * load);
  EXPECT_NEAR(load, 0.680427, 3e-6);
}

TEST(RightAngleFrame, CriticalModeIsSideways) {
  BeamStatics frame = right_angle_frame(8);
  frame.find_critical(0.9, 1.3, 1e-10);
  double lateral = 0.0, in_plane = 0.0;
  for (const Vec6<double>& x : frame.critical_mode()) {
    lateral = std::max({lateral, std::abs(x[0]), std::abs(x[1])});
    in_plane = std::max(in_plane, std::abs(x[2]));
  }
  EXPECT_GE(lateral, 0.1);
  EXPECT_LE(in_plane, 1e-6 * lateral);
}

}  // namespace
}  // namespace sestina
