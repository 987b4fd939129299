// Free and heavy tops against their closed forms, from the description to the rows.
#include <gtest/gtest.h>

#include <numbers>

#include "analytic/rigid_body.h"
#include "workspace/run_system.h"

namespace sestina::test {
namespace {

class RotationClosedForm : public EachSolver {};

// The orientation of the body whose Euler parameters begin at this column of q.
Rotation<double> orientation(const RunResult& run, std::size_t row, const std::string& first) {
  return euler_parameter_rotation(run.table.row(row).data() + run.table.column_index(first));
}
Vec3<double> three(const RunResult& run, std::size_t row, const std::string& first) {
  const double* values = run.table.row(row).data() + run.table.column_index(first);
  return {values[0], values[1], values[2]};
}
void expect_near(const Vec3<double>& a, const Vec3<double>& b, double tolerance) {
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(a[i], b[i], tolerance) << "component " << i;
}
void expect_near(const Rotation<double>& a, const Rotation<double>& b, double tolerance) {
  for (const Vec3<double>& axis : {Vec3<double>{1, 0, 0}, Vec3<double>{0, 1, 0}, Vec3<double>{0, 0, 1}}) {
    expect_near(a * axis, b * axis, tolerance);
  }
}

TEST_P(RotationClosedForm, FreeSymmetricTopPrecesses) {
  const double I = 0.8, I_axis = 0.3;
  System system = make_system("top");
  auto& top = system.add_body("top", 2.0);
  top.inertia = {.xx = I, .yy = I, .zz = I_axis};
  const Vec3<double> w0{1.5, -0.7, 6.0};
  system.add_joint("flight", "free", "ground.origin", "top.origin").u = {w0.x, w0.y, w0.z, 0, 0, 0};
  set_accurate(system, 5.0, 0.25);
  const RunResult run = run_system(system);
  for (std::size_t i = 0; i < run.table.rows(); ++i) {
    const double t = run.at(i, "t");
    const Rotation<double> R =
        analytic::free_symmetric_orientation(I, I_axis, Rotation<double>::identity(), w0, t);
    expect_near(orientation(run, i, "flight.q[3]"), R, kAccurate);
    // The body axis circles around the angular momentum at h / I.
    expect_near(run.vector(i, "angular_momentum"), {I * w0.x, I * w0.y, I_axis * w0.z}, kAccurate);
  }
}

// Both sides of the separatrix: about the largest and about the smallest axis.
void expect_asymmetric_motion(System system, const analytic::AsymmetricBody& body, double start) {
  auto& brick = system.add_body("brick", 1.0);
  brick.inertia = {.xx = body.I1, .yy = body.I2, .zz = body.I3};
  const Vec3<double> w0 = body.angular_velocity(start);
  system.add_joint("pivot", "spherical", "ground.origin", "brick.origin").u = {w0.x, w0.y, w0.z};
  set_accurate(system, 2.0 * body.period(), body.period() / 20.0);
  const RunResult run = run_system(system);
  for (std::size_t i = 0; i < run.table.rows(); ++i) {
    const double t = run.at(i, "t");
    const Rotation<double> R = orientation(run, i, "pivot.q[0]");
    const Vec3<double> w_body = transpose_times(R, three(run, i, "pivot.u[0]"));
    expect_near(w_body, body.angular_velocity(start + t), 10 * kAccurate);  // of about 10 rad/s
    expect_near(run.vector(i, "angular_momentum"), {body.I1 * w0.x, body.I2 * w0.y, body.I3 * w0.z},
                kAccurate);
  }
  EXPECT_GT(body.period(), 0.5);
}

TEST_P(RotationClosedForm, BodyWobblesAboutItsAxisOfLargestInertia) {
  expect_asymmetric_motion(make_system("brick"), {0.2, 0.5, 0.6, 1.0, 4.0}, 0.0);
}
TEST_P(RotationClosedForm, BodyWobblesAboutItsAxisOfSmallestInertia) {
  expect_asymmetric_motion(make_system("brick"), {0.2, 0.5, 0.6, 8.0, 1.0}, 0.0);
}

// Spun about the middle axis with a wobble of a thousandth, the body turns over, again and again, at the
// times that the elliptic integral tells (the tennis racket, or Dzhanibekov's nut).
TEST_P(RotationClosedForm, BodySpunAboutItsMiddleAxisTurnsOver) {
  const double I1 = 0.2, I2 = 0.5, I3 = 0.6, spin = 5.0;
  // From the separatrix, w1 / w3 there, a little towards the largest axis.
  const double w3 = spin * std::sqrt(I2 * (I2 - I1) / (I3 * (I3 - I1)));
  const double w1 = spin * std::sqrt(I2 * (I3 - I2) / (I1 * (I3 - I1))) * (1.0 - 1e-4);
  const analytic::AsymmetricBody body{I1, I2, I3, w1, w3};
  const double quarter = 0.25 * body.period();
  System system = make_system("racket");
  system.add_body("racket", 1.0).inertia = {.xx = I1, .yy = I2, .zz = I3};
  const Vec3<double> w0 = body.angular_velocity(-quarter);  // all but along -y
  EXPECT_LT(std::hypot(w0.x, w0.z), 0.02 * spin);
  system.add_joint("pivot", "spherical", "ground.origin", "racket.origin").u = {w0.x, w0.y, w0.z};
  set_accurate(system, 6.0 * quarter, quarter);
  const RunResult run = run_system(system);
  for (std::size_t i = 0; i < run.table.rows(); ++i) {
    const Vec3<double> w_body =
        transpose_times(orientation(run, i, "pivot.q[0]"), three(run, i, "pivot.u[0]"));
    // The invariants stand 1e-4 from where the body would never turn over. Errors of 1e-12 in them change
    // that distance by 1e-8 of itself, and by as much the time to each turn, at up to 10 rad/s^2.
    expect_near(w_body, body.angular_velocity((static_cast<double>(i) - 1.0) * quarter), 5e-7);
  }
  const Vec3<double> turned = transpose_times(orientation(run, 2, "pivot.q[0]"), three(run, 2, "pivot.u[0]"));
  EXPECT_GT(turned.y, 0.99 * spin);
}

TEST_P(RotationClosedForm, HeavyTopPrecessesSteadily) {
  const double m = 0.5, l = 0.1, J = 0.002, I_axis = 0.001, g = 9.81;
  const double I = J + m * l * l, tilt = 0.4, precession = 3.0;
  const double along = analytic::steady_top_spin(I, I_axis, m * g * l, tilt, precession);
  const Vec3<double> axis0{0, -std::sin(tilt), std::cos(tilt)};
  // The part of the precession along the axis belongs to `along` already.
  const Vec3<double> w0 = Vec3<double>{0, 0, precession} + (along - precession * std::cos(tilt)) * axis0;
  System system = make_system("heavy top");
  system.gravity = {0, 0, -g};
  auto& top = system.add_body("top", m);
  top.center_of_mass = {0, 0, l};
  top.inertia = {.xx = J, .yy = J, .zz = I_axis};
  auto& pivot = system.add_joint("pivot", "spherical", "ground.origin", "top.origin");
  pivot.q = {std::cos(0.5 * tilt), std::sin(0.5 * tilt), 0, 0};
  pivot.u = {w0.x, w0.y, w0.z};
  set_accurate(system, 2.0 * std::numbers::pi / precession, 0.1);
  const RunResult run = run_system(system);
  for (std::size_t i = 0; i < run.table.rows(); ++i) {
    const Vec3<double> axis = orientation(run, i, "pivot.q[0]") * Vec3<double>{0, 0, 1};
    expect_near(axis, axis_rotation(Vec3<double>{0, 0, 1}, precession * run.at(i, "t")) * axis0, kAccurate);
  }
  EXPECT_GT(along, 50.0);  // a fast top
}

// The same top on a universal joint with its spin about the axis of a revolute joint: a gyroscope in gimbals
// without mass goes where the spherical joint lets it go.
TEST_P(RotationClosedForm, MasslessGimbalsDoNotDisturbTheTop) {
  const double m = 0.5, l = 0.1, J = 0.002, I_axis = 0.001, g = 9.81;
  const double I = J + m * l * l, tilt = 0.4, precession = 3.0;
  const double along = analytic::steady_top_spin(I, I_axis, m * g * l, tilt, precession);
  System system = make_system("gimbals");
  system.gravity = {0, 0, -g};
  system.add_body("ring", 0.0);
  system.add_body("frame", 0.0);
  auto& top = system.add_body("top", m);
  top.center_of_mass = {0, 0, l};
  top.inertia = {.xx = J, .yy = J, .zz = I_axis};
  system.add_joint("turn", "revolute", "ground.origin", "ring.origin").axis = {0, 0, 1};
  system.add_joint("tilt", "revolute", "ring.origin", "frame.origin").axis = {1, 0, 0};
  system.add_joint("spin", "revolute", "frame.origin", "top.origin").axis = {0, 0, 1};
  system.joint("turn").u = {precession};
  system.joint("tilt").q = {tilt};
  system.joint("spin").u = {along - precession * std::cos(tilt)};
  set_accurate(system, 2.0 * std::numbers::pi / precession, 0.1);
  const RunResult run = run_system(system);
  for (std::size_t i = 0; i < run.table.rows(); ++i) {
    EXPECT_NEAR(run.at(i, "turn.q"), precession * run.at(i, "t"), kAccurate);
    EXPECT_NEAR(run.at(i, "tilt.q"), tilt, kAccurate);
    EXPECT_NEAR(run.at(i, "spin.u"), along - precession * std::cos(tilt), 100 * kAccurate);  // of 80 rad/s
  }
}

SESTINA_FOR_EACH_SOLVER(RotationClosedForm);

}  // namespace
}  // namespace sestina::test
