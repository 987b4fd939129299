// Sections of beams by a stiffness matrix, graded sections and pretwist, against the linear theory of beams:
// the strain C sigma of the wrench that equilibrium gives, integrated along the axis.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <functional>
#include <numbers>

#include "message_of.h"
#include "sestina/io/model_file.h"
#include "sestina/model/check.h"
#include "sestina/model/freeze.h"
#include "sestina/model/properties.h"
#include "workspace/run_system.h"

namespace sestina {
namespace {

using namespace test;
using testing::AllOf;
using testing::HasSubstr;
using testing_support::message_of;
using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Vector6 = Eigen::Matrix<double, 6, 1>;
using Eigen::Vector3d;

constexpr double kLength = 2.0;
// A box of two cells of a laminate, say: twist couples with bending about y, stretch with bending about z.
constexpr double kStiffness[6][6] = {{80, 30, 0, 0, 200, 0},   {30, 120, 15, 0, 0, 0},
                                     {0, 15, 500, 900, 0, 0},  {0, 0, 900, 9.0e4, 0, 300},
                                     {200, 0, 0, 0, 3.0e4, 0}, {0, 0, 0, 300, 0, 2.0e4}};

Matrix6 stiffness() {
  Matrix6 K;
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) K(i, j) = kStiffness[i][j];
  }
  return K;
}

std::string rows_of(const Matrix6& K) {
  std::string rows;
  for (int i = 0; i < 6; ++i) {
    rows += fmt::format("{}[{}, {}, {}, {}, {}, {}]", i > 0 ? ", " : "", K(i, 0), K(i, 1), K(i, 2), K(i, 3),
                        K(i, 4), K(i, 5));
  }
  return "[" + rows + "]";
}

// A cantilever along x with the keys of the beam and a force (N) and torque (N m) at its tip.
System loaded(int elements, const std::string& keys, const Vector3d& F,
              const Vector3d& T = Vector3d::Zero()) {
  return read_model(fmt::format(R"(
sestina: 1
bodies:
  - name: blade
    type: beam
    centerline: {{from: [0, 0, 0], to: [{}, 0, 0]}}
    elements: {}
{}
joints: [{{name: clamp, type: weld, parent: ground.origin, child: blade.start}}]
forces:
  - {{name: load, type: point_force, at: blade.end, value: [{}, {}, {}]}}
  - {{name: turn, type: point_torque, at: blade.end, value: [{}, {}, {}]}}
analysis: {{type: statics}}
)",
                                kLength, elements, keys, F[0], F[1], F[2], T[0], T[1], T[2]));
}

// Half the difference of the deflections under opposite loads, which has no part of second order.
Vector3d find_deflection(int elements, const std::string& keys, const Vector3d& F,
                         const Vector3d& T = Vector3d::Zero()) {
  const RunResult plus = run_system(loaded(elements, keys, F, T));
  const RunResult minus = run_system(loaded(elements, keys, -F, -T));
  const Vec3<double> d =
      plus.vector(plus.table.rows() - 1, "blade.end") - minus.vector(minus.table.rows() - 1, "blade.end");
  return {0.5 * d.x, 0.5 * d.y, 0.5 * d.z};
}

// The deflection of the tip by linear theory: with sections that are turned by twist(s) about x,
//   u = integral of gamma + kappa x (L - s) e_x,   [kappa; gamma] = R C(s) R^T [T + (L - s) e_x x F; F],
// by Gauss's rule with three points on many parts.
Vector3d linear_deflection(const std::function<Matrix6(double)>& compliance,
                           const std::function<double(double)>& twist, const Vector3d& F, const Vector3d& T) {
  constexpr int kParts = 400;
  const double places[] = {-std::sqrt(0.6), 0.0, std::sqrt(0.6)}, weights[] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
  const double half = 0.5 * kLength / kParts;
  Vector3d u = Vector3d::Zero();
  for (int part = 0; part < kParts; ++part) {
    for (int g = 0; g < 3; ++g) {
      const double s = (2 * part + 1 + places[g]) * half;
      const Vector3d arm(kLength - s, 0, 0);
      const Eigen::Matrix3d R = Eigen::AngleAxisd(twist(s), Vector3d::UnitX()).toRotationMatrix();
      Vector6 wrench;
      wrench << R.transpose() * (T + arm.cross(F)), R.transpose() * F;
      const Vector6 strain = compliance(s) * wrench;
      u += half * weights[g] * (R * strain.tail<3>() + (R * strain.head<3>()).cross(arm));
    }
  }
  return u;
}

double no_twist(double) { return 0.0; }

// ---- stiffness matrices -----------------------------------------------------------------------------------

// Elements are exact for small displacements under loads at nodes; opposite loads leave terms of third order.
TEST(BeamSections, CoupledCantileverDeflectsAsTheInverseOfItsStiffness) {
  const std::string keys = fmt::format("    section: {{stiffness: {}, mass: 1}}", rows_of(stiffness()));
  const Matrix6 C = stiffness().inverse();
  for (const Vector3d& F : {Vector3d(0, 0, 1e-3), Vector3d(0, 1e-3, 0), Vector3d(1e-3, 0, 0)}) {
    const Vector3d T = 0.3 * F;
    const Vector3d expected = linear_deflection([&](double) { return Matrix6(C); }, no_twist, F, T);
    ASSERT_GT(expected.norm(), 1e-8);
    const Vector3d found = find_deflection(3, keys, F, T);
    EXPECT_LE((found - expected).norm(), 1e-7 * expected.norm() + 1e-13) << F.transpose();
  }
  // Bending about y twists the blade, which a diagonal stiffness does not.
  const RunResult run = run_system(loaded(3, keys, {0, 0, 1e-3}));
  EXPECT_GE(run.end("blade.section[0].curvature.x"), 1e-6);
}

// Rows are twist, bending about y and z, stretch, shear along y and z.
TEST(BeamSections, DiagonalMatrixIsTheSectionByItsStiffnesses) {
  const Matrix6 K = Vector6(80, 120, 500, 9.0e4, 3.0e4, 2.0e4).asDiagonal();
  const std::string by_matrix = fmt::format("    section: {{stiffness: {}, mass: 1.5}}", rows_of(K));
  const std::string by_numbers =
      "    section: {GJ: 80, EIy: 120, EIz: 500, EA: 9.0e4, GAy: 3.0e4, GAz: 2.0e4, mass: 1.5}";
  System systems[] = {loaded(4, by_matrix, {2, 30, 20}, {3, 0, 0}),
                      loaded(4, by_numbers, {2, 30, 20}, {3, 0, 0})};
  const RunResult a = run_system(systems[0]), b = run_system(systems[1]);
  ASSERT_GE(b.end("blade.end.z"), 0.1);
  for (const char* column : {"blade.end.x", "blade.end.y", "blade.end.z", "blade.section[1].moment.x"}) {
    EXPECT_NEAR(a.end(column), b.end(column), 1e-9) << column;
  }
  for (System& system : systems) system.analysis.type = "modes";
  const RunResult c = run_system(systems[0]), d = run_system(systems[1]);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(c.at(k, "frequency"), d.at(k, "frequency"), 1e-8 * d.at(k, "frequency")) << k;
  }
}

TEST(BeamSections, DampedCoupledBeamLosesWhatTheLedgerSays) {
  System system =
      loaded(4,
             fmt::format("    section: {{stiffness: {}, mass: 1}}\n    material: {{damping: 3.0e-3}}",
                         rows_of(stiffness())),
             {0, 5, 20});
  system.analysis.type = "dynamics", system.analysis.duration = 0.4;
  system.analysis.step.rtol = 1e-7, system.analysis.step.atol = 1e-9;
  const RunResult run = run_system(system);
  EXPECT_GE(run.end("energy.dissipated"), 0.02);
  EXPECT_NEAR(run.end("energy.total") + run.end("energy.dissipated") - run.end("energy.supplied"),
              run.at(0, "energy.total"), 1e-5);
}

TEST(BeamSections, MatrixThatAParameterMakesIndefiniteIsRefusedWithItsPlace) {
  System system =
      loaded(2, fmt::format("    section: {{stiffness: {}, mass: 1}}", rows_of(stiffness())), {0, 0, 1});
  system.set_parameter("c", 30);
  system.bodies[0].beam->section.stiffness[1] = "c", system.bodies[0].beam->section.stiffness[6] = "c";
  const std::shared_ptr<const Model> model = freeze(system);
  const auto check_with = [&](double c) {
    const std::vector<double> parameters{c};
    check(*model, calc_properties<double>(*model, parameters));
  };
  check_with(40);
  EXPECT_THAT(message_of([&] { check_with(100); }),
              AllOf(HasSubstr("bodies[0].section.stiffness"), HasSubstr("not positive definite")));
}

// ---- graded sections --------------------------------------------------------------------------------------

// A rectangle of width b whose height falls from h0 to h1: with x from the tip and h = h1 + g x, the
// deflection is
//   12 F/(E b) integral of x^2/h^3 + F/(k G b) integral of 1/h.
TEST(BeamSections, TaperedCantileverConvergesToTheClosedForm) {
  const double E = 2e8, nu = 0.25, G = E / (2 * (1 + nu)), b = 0.05, h0 = 0.2, h1 = 0.08, F = 1e-3;
  const double g = (h0 - h1) / kLength, k = 10 * (1 + nu) / (12 + 11 * nu);
  const auto primitive = [&](double h) { return std::log(h) + 2 * h1 / h - h1 * h1 / (2 * h * h); };
  const double expected = 12 * F / (E * b) * (primitive(h0) - primitive(h1)) / (g * g * g) +
                          F / (k * G * b) * std::log(h0 / h1) / g;
  const std::string keys = R"(    section: {rectangle: [0.05, "0.2 - 0.06*s"]}
    material: {E: 2.0e8, nu: 0.25, density: 1000})";
  double before = 0.0;
  for (const int elements : {4, 8, 16}) {
    const double error = std::abs(find_deflection(elements, keys, {0, 0, F})[2] / expected - 1.0);
    if (before > 0.0) {
      EXPECT_NEAR(std::log2(before / error), 2.0, 0.1) << elements;
    }
    before = error;
  }
  EXPECT_LE(before, 3e-3);
}

TEST(BeamSections, GradedStiffnessesDeflectAsTheirIntegral) {
  const std::string per_length =
      "    section: {EA: 1.0e6, GJ: \"400/(1 + s)\", EIy: \"300*exp(-s)\", EIz: \"200 - 40*s\", mass: \"3 - "
      "s\"}";
  const std::string matrix = fmt::format("    section: {{stiffness: {}, mass: 1}}",
                                         "[[80 + 10*s, 30, 0, 0, 0, 0], [30, 120 - 20*s, 0, 0, 0, 0], "
                                         "[0, 0, 500*exp(-s), 0, 0, 0], [0, 0, 0, 9.0e4, 0, 0], "
                                         "[0, 0, 0, 0, 3.0e4, 0], [0, 0, 0, 0, 0, 2.0e4]]");
  const auto by_length = [](double s) {
    Matrix6 C = Matrix6::Zero();
    C(0, 0) = (1 + s) / 400, C(1, 1) = std::exp(s) / 300, C(2, 2) = 1 / (200 - 40 * s), C(3, 3) = 1e-6;
    return C;
  };
  const auto by_matrix = [](double s) {
    Matrix6 K = Vector6(80 + 10 * s, 120 - 20 * s, 500 * std::exp(-s), 9.0e4, 3.0e4, 2.0e4).asDiagonal();
    K(0, 1) = K(1, 0) = 30;
    return Matrix6(K.inverse());
  };
  const Vector3d F(0, 1e-3, 2e-3), T(1e-3, 0, 0);
  const auto expect_order = [&](const std::string& keys, const std::function<Matrix6(double)>& compliance) {
    const Vector3d expected = linear_deflection(compliance, no_twist, F, T);
    const double coarse = (find_deflection(8, keys, F, T) - expected).norm();
    const double fine = (find_deflection(16, keys, F, T) - expected).norm();
    EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.1) << keys;
    EXPECT_LE(fine, 2e-3 * expected.norm()) << keys;
  };
  expect_order(per_length, by_length);
  expect_order(matrix, by_matrix);
}

// The momentum of the beam that moves with unit speed.
double mass_of(System system) {
  system.joints.clear(), system.forces.clear();
  system.bodies[0].beam->velocity = Triple{1, 0, 0};
  system.analysis.type = "dynamics", system.analysis.duration = 0.0;
  return run_system(std::move(system)).end("momentum.x");
}

// Two Gauss points integrate cubic polynomials exactly.
TEST(BeamSections, MassOfAGradedBeamIsTheIntegral) {
  const std::string pyramid = R"(    section: {rectangle: ["0.1 - 0.03*s", "0.2 - 0.06*s"]}
    material: {E: 2.0e8, nu: 0.25, density: 1000})";
  const auto cube = [](double s) { return std::pow(0.1 - 0.03 * s, 3) * 2; };  // of b h = 2 b^2
  EXPECT_NEAR(mass_of(loaded(3, pyramid, {0, 0, 0})), 1000 * (cube(0) - cube(kLength)) / 0.09, 1e-10);
  const std::string rope = R"(    formulation: ancf_cable
    section: {circle: "0.02 - 0.008*s"}
    material: {E: 1.0e7, density: 1000})";
  EXPECT_NEAR(mass_of(loaded(3, rope, {0, 0, 0})),
              1000 * std::numbers::pi * (std::pow(0.02, 3) - std::pow(0.004, 3)) / 0.024, 1e-10);
}

// The moment of the middle, with the section of the middle.
TEST(BeamSections, StressesAreThoseOfTheSectionThere) {
  const std::string keys = R"(    section: {rectangle: [0.05, "0.2 - 0.06*s"]}
    material: {E: 2.0e8, nu: 0.25, density: 1000})";
  const RunResult run = run_system(loaded(8, keys, {0, 0, 2.0}));
  for (const int k : {0, 3, 7}) {
    const std::string section = fmt::format("blade.section[{}]", k);
    const double h = 0.2 - 0.06 * (k + 0.5) * kLength / 8, M = run.end(section + ".moment.y");
    ASSERT_GE(std::abs(M), 0.2);
    const double axial = run.end(section + ".force.x") / (0.05 * h);
    EXPECT_NEAR(run.end(section + ".stress.max"), axial + 6 * std::abs(M) / (0.05 * h * h), 1e-6) << k;
  }
}

TEST(BeamSections, TaperedCableStretchesAsTheIntegral) {
  const std::string rope = R"(    formulation: ancf_cable
    section: {EA: 1.0e3*(1 + s), EI: 0.1, mass: 1})";
  double before = 0.0;
  for (const int elements : {8, 16, 32}) {
    System system = loaded(elements, rope, {1e-2, 0, 0});
    system.forces.pop_back(), system.joints[0].type = "spherical";
    const RunResult run = run_system(system);
    const double error = std::abs(run.end("blade.end.x") - kLength - 1e-5 * std::log(1 + kLength));
    if (before > 0.0) {
      EXPECT_NEAR(std::log2(before / error), 2.0, 0.2) << elements;
    }
    before = error;
  }
  EXPECT_LE(before, 5e-9);
}

TEST(BeamSections, FaultOfAGradedSectionHasItsPlaceAndTheArcLength) {
  System system = loaded(4, R"(    section: {circle: "r - 0.03*s"}
    material: {E: 2.0e8, nu: 0.25, density: 1000})",
                         {0, 0, 1});
  system.set_parameter("r", 0.1);
  const std::shared_ptr<const Model> model = freeze(system);
  const std::vector<double> thin{0.05};
  EXPECT_THAT(
      message_of([&] { calc_properties<double>(*model, thin); }),
      AllOf(HasSubstr("bodies[0].section.circle: r - 0.03*s = "), HasSubstr("is negative at s = 1.75 m")));
  const std::vector<Dual> varied{Dual{0.1, 1.0}};
  EXPECT_THAT(message_of([&] { calc_properties<Dual>(*model, varied); }), HasSubstr("has no derivatives"));
}

// ---- pretwist ---------------------------------------------------------------------------------------------

constexpr const char* kTwisted = R"(    twist: "0.4*s + 0.2*s^2"
    section: {EA: 1.0e6, GAy: 3.0e5, GAz: 2.0e5, GJ: 50, EIy: 20, EIz: 400, mass: 1})";

double twist_of(double s) { return 0.4 * s + 0.2 * s * s; }

TEST(BeamSections, PretwistedCantileverConvergesToTheLinearTheory) {
  const Matrix6 C =
      Vector6(1.0 / 50, 1.0 / 20, 1.0 / 400, 1e-6, 1.0 / 3.0e5, 1.0 / 2.0e5).asDiagonal().toDenseMatrix();
  const Vector3d F(0, 0, 1e-3);
  const Vector3d expected =
      linear_deflection([&](double) { return Matrix6(C); }, twist_of, F, Vector3d::Zero());
  ASSERT_GT(std::abs(expected[1]), 0.1 * std::abs(expected[2]));  // bending is coupled
  double before = 0.0;
  for (const int elements : {4, 8, 16}) {
    const double error = (find_deflection(elements, kTwisted, F) - expected).norm() / expected.norm();
    if (before > 0.0 && before > 1e-6) {
      EXPECT_NEAR(std::log2(before / error), 4.0, 0.3) << elements;
    }
    before = error;
  }
  EXPECT_LE(before, 1e-5);
}

TEST(BeamSections, PretwistedBeamIsUnstressedAtRestAndItsSectionsAreTurned) {
  System system = loaded(5, std::string(kTwisted) + "\n    points: {mid: {at: 0.5}}", {0, 0, 0});
  system.joints.clear(), system.forces.clear();
  system.analysis.type = "dynamics", system.analysis.duration = 0.0;
  const RunResult run = run_system(system);
  EXPECT_NEAR(run.end("energy.strain"), 0.0, 1e-20);
  EXPECT_NEAR(run.end("blade.section[2].moment.x"), 0.0, 1e-9);
  for (const auto& [point, s] : {std::pair{"mid", 1.0}, {"end", 2.0}}) {
    EXPECT_NEAR(run.end(fmt::format("blade.{}.axes[0]", point)), std::cos(twist_of(s) / 2), 1e-12);
    EXPECT_NEAR(run.end(fmt::format("blade.{}.axes[1]", point)), std::sin(twist_of(s) / 2), 1e-12);
  }
}

// A twist of a quarter turn exchanges the two bending stiffnesses.
TEST(BeamSections, ConstantTwistTurnsTheSection) {
  const std::string flat = "    section: {EA: 1.0e6, GJ: 50, EIy: 20, EIz: 400, mass: 1}";
  const std::string turned = flat + "\n    twist: pi/2\n    up: [0, 0, 1]";
  System system = loaded(4, turned, {0, 0, 1e-3});
  // The weld takes the axes of the section.
  system.ground_points = {{"root", {0, 0, 0}, RotationSpec::axis_angle({1, 0, 0}, "pi/2")}};
  system.joints[0].parent = "ground.root";
  const RunResult run = run_system(system);
  EXPECT_NEAR(run.end("blade.end.z"), 1e-3 * 8 / (3 * 400), 1e-10);
}

// ---- description ------------------------------------------------------------------------------------------

TEST(BeamSections, AreWrittenAsTheyWereRead) {
  System system = loaded(2,
                         fmt::format("    twist: 0.3*s\n    section: {{stiffness: {}, mass: \"2 - s/4\"}}",
                                     rows_of(stiffness())),
                         {0, 0, 1});
  system.bodies[0].beam->section.stiffness[0] = "80 + s";
  const System again = read_model(write_model(system));
  const BeamSpec& beam = *again.bodies[0].beam;
  EXPECT_EQ(beam.twist.expression(), "0.3*s");
  ASSERT_EQ(beam.section.stiffness.size(), 36u);
  EXPECT_EQ(beam.section.stiffness[0].expression(), "80 + s");
  EXPECT_EQ(beam.section.stiffness[21].value(), 9.0e4);
  EXPECT_EQ(beam.section.mass->expression(), "2 - s/4");
}

}  // namespace
}  // namespace sestina
