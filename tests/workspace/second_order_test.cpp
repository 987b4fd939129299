// Equations of second order of one's own: against bodies, closed forms, and each other's formulations.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <complex>

#include "workspace/run_system.h"

namespace sestina {
namespace {

using namespace test;

// Two blocks in a row between springs; the second is a body on a joint, or the coordinate `s` of an element.
System two_blocks(bool own) {
  System system;
  system.set_parameter("m", 0.5), system.set_parameter("k", 40.0), system.set_parameter("d", 0.7);
  system.add_particle("block", 2.0).add_point("side", {0, 0, 0});
  JointSpec& rail = system.add_joint("rail", "prismatic", "ground.origin", "block.origin");
  rail.axis = {1, 0, 0}, rail.q = {0.1};
  system.add_joint_spring("spring", "rail", 90);
  if (own) {
    ForceSpec& absorber = system.add_second_order("absorber", {"rail.q"}, {"s"}, "m");
    absorber.stiffness_matrix = {"k", "-k", "-k", "k"};
    absorber.damping_matrix = {"d", "-d", "-d", "d"};
    absorber.value = {0, "3*cos(2*t)"};
    absorber.initial = {0.05}, absorber.initial_rates = {0.3};
    absorber.unit = "m";
  } else {
    system.add_particle("mass", "m").add_point("middle", {0, 0, 0});
    JointSpec& slide = system.add_joint("slide", "prismatic", "block.side", "mass.origin");
    slide.axis = {1, 0, 0}, slide.q = {-0.05}, slide.u = {0.3};
    system.add_joint_spring("absorber", "slide", "k"), system.add_joint_damper("loss", "slide", "d");
    system.add_point_force("push", "mass.middle", {"3*cos(2*t)", 0, 0});
  }
  set_accurate(system, 3.0, 0.1);
  return system;
}

TEST(SecondOrder, OneCoordinateIsABodyOnASpring) {
  const RunResult own = run_system(two_blocks(true)), body = run_system(two_blocks(false));
  for (std::size_t row = 0; row < own.table.rows(); ++row) {
    EXPECT_NEAR(own.at(row, "rail.q"), body.at(row, "rail.q"), kAccurate);
    EXPECT_NEAR(own.at(row, "absorber.s"), body.at(row, "rail.q") + body.at(row, "slide.q"), kAccurate);
    EXPECT_NEAR(own.at(row, "absorber.s.rate"), body.at(row, "rail.u") + body.at(row, "slide.u"), 1e-8);
    for (const char* energy : {"kinetic", "potential", "supplied", "dissipated"}) {
      const std::string column = std::string("energy.") + energy;
      EXPECT_NEAR(own.at(row, column), body.at(row, column), 1e-8) << column;
    }
  }
  EXPECT_GT(own.end("energy.dissipated"), 0.1);
  EXPECT_GT(std::abs(own.end("energy.supplied")), 0.1);
}

TEST(SecondOrder, RunsWithEverySolver) {
  const RunResult expected = run_system(two_blocks(true));
  for (const char* solver : {"kane", "divide_and_conquer", "hybrid"}) {
    System system = two_blocks(true);
    system.analysis.solver = solver;
    EXPECT_NEAR(run_system(std::move(system)).end("absorber.s"), expected.end("absorber.s"), kAccurate)
        << solver;
  }
}

TEST(SecondOrder, ModesAreThoseOfTheBody) {
  const auto eigenvalues = [](bool own) {
    System system = two_blocks(own);
    system.force(own ? "absorber" : "push").value = own ? Numbers{0, 0} : Numbers{0, 0, 0};
    system.analysis.type = "modes";
    const RunResult run = run_system(std::move(system));
    std::vector<std::complex<double>> found;
    for (std::size_t row = 0; row < run.table.rows(); ++row) {
      if (run.at(row, "eigenvalue.imag") <= 0) continue;
      found.emplace_back(run.at(row, "eigenvalue.real"), run.at(row, "eigenvalue.imag"));
    }
    std::ranges::sort(found, {}, [](const auto& value) { return value.imag(); });
    return found;
  };
  const auto of_own = eigenvalues(true), of_body = eigenvalues(false);
  ASSERT_EQ(of_own.size(), 2u);
  ASSERT_EQ(of_body.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_LT(std::abs(of_own[i] - of_body[i]), 1e-9);
}

// A model needs a body.
System one_body_at_rest() {
  System system;
  system.add_particle("idle", 1.0);
  system.add_joint("rail", "prismatic", "ground.origin", "idle.origin").axis = {1, 0, 0};
  return system;
}

// Four coordinates with a full mass matrix and no joint: s(t) = Phi cos(w t) Phi^T M s(0), M-normalised.
TEST(SecondOrder, FullMatricesVibrateInTheirModes) {
  Eigen::Matrix4d A, B;
  A << 1, 2, 0, 1, 0, 1, 3, 1, 2, 0, 1, 1, 1, 1, 0, 2;
  B << 2, 0, 1, 1, 1, 3, 0, 1, 0, 1, 2, 2, 1, 0, 1, 4;
  const Eigen::Matrix4d M = A * A.transpose() + Eigen::Matrix4d::Identity(), K = 50 * B * B.transpose();
  const auto rows = [](const Eigen::Matrix4d& matrix) {
    std::vector<Number> numbers;
    for (int k = 0; k < 16; ++k) numbers.emplace_back(matrix(k / 4, k % 4));
    return Numbers(numbers);
  };
  System system = one_body_at_rest();
  system.add_second_order("own", {}, {"a", "b", "c", "d"}, rows(M)).stiffness_matrix = rows(K);
  system.force("own").initial = {0.4, -0.1, 0.2, 0.3};
  set_accurate(system, 2.0, 0.25);
  const RunResult run = run_system(system);

  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::Matrix4d> modes(K, M);
  const Eigen::Vector4d start(0.4, -0.1, 0.2, 0.3);
  const Eigen::Vector4d amplitudes = modes.eigenvectors().transpose() * M * start;
  for (std::size_t row = 0; row < run.table.rows(); ++row) {
    const double t = run.at(row, "t");
    Eigen::Vector4d s = Eigen::Vector4d::Zero();
    for (int k = 0; k < 4; ++k) {
      s += modes.eigenvectors().col(k) * amplitudes[k] * std::cos(std::sqrt(modes.eigenvalues()[k]) * t);
    }
    const char* names[] = {"own.a", "own.b", "own.c", "own.d"};
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(run.at(row, names[i]), s[i], 1e-9) << names[i];
    EXPECT_NEAR(run.at(row, "energy.total"), 0.5 * start.dot(K * start), 1e-8);
  }
  EXPECT_GT(run.at(5, "energy.kinetic"), 1.0);
}

// A charge in a magnetic field goes round in a circle: M = m, D = B [0 1; -1 0].
TEST(SecondOrder, AnAntisymmetricDampingDissipatesNothing) {
  System system = one_body_at_rest();
  ForceSpec& charge = system.add_second_order("charge", {}, {"x", "y"}, {2, 0, 0, 2});
  charge.damping_matrix = {0, 3, -3, 0};
  charge.initial_rates = {1, 0};
  set_accurate(system, 4.0, 0.5);
  const RunResult run = run_system(system);
  const double w = 3.0 / 2.0;
  for (std::size_t row = 0; row < run.table.rows(); ++row) {
    const double t = run.at(row, "t");
    EXPECT_NEAR(run.at(row, "charge.x"), std::sin(w * t) / w, kAccurate);
    EXPECT_NEAR(run.at(row, "charge.y"), (1 - std::cos(w * t)) / w, kAccurate);
    EXPECT_NEAR(run.at(row, "energy.kinetic"), 1.0, kAccurate);
  }
  EXPECT_NEAR(run.end("energy.dissipated"), 0.0, 1e-12);
}

// A pendulum on a rail: the element acts on both joints and on the position of a free body. A cut joint of
// type `free` measures where a point is, so that the element is coupled to the point.
System pendulum_and_membrane() {
  System system;
  system.gravity = {0, -9.81, 0};
  system.add_particle("cart", 2.0);
  JointSpec& rail = system.add_joint("rail", "prismatic", "ground.origin", "cart.origin");
  rail.axis = {1, 0, 0};
  BodySpec& rod = system.add_body("rod", 1.0);
  rod.center_of_mass = {0, -0.5, 0}, rod.inertia = {.xx = 0.1, .yy = 0.02, .zz = 0.1};
  rod.add_point("tip", {0, -1, 0});
  JointSpec& pin = system.add_joint("pin", "revolute", "cart.origin", "rod.origin");
  pin.axis = {0, 0, 1}, pin.q = 0.7;
  JointSpec& place = system.add_joint("place", "free", "ground.origin", "rod.tip");
  place.cut = true;
  ForceSpec& membrane = system.add_second_order("membrane", {"rail.q", "pin.q", "place.q[1]"}, {"a", "b"},
                                                {0.4, 0.1, 0.1, 0.3});
  // B B^T, so that it is positive semidefinite.
  Eigen::Matrix<double, 5, 5> B;
  B << 3, 1, 0, 2, 1, 0, 2, 1, 1, 1, 1, 0, 4, 1, 0, 2, 1, 0, 3, 1, 1, 0, 2, 1, 5;
  const Eigen::Matrix<double, 5, 5> K = 2 * B * B.transpose();
  std::vector<Number> stiffness, damping;
  for (int k = 0; k < 25; ++k) {
    stiffness.emplace_back(K(k / 5, k % 5));
    damping.emplace_back(0.01 * K(k / 5, k % 5) + (k / 5 < k % 5 ? 0.2 : k / 5 > k % 5 ? -0.2 : 0.0));
  }
  membrane.stiffness_matrix = Numbers(stiffness), membrane.damping_matrix = Numbers(damping);
  membrane.value = {"sin(3*t)", 0, "-2*place.q[1]^3", "rail.u*membrane.a", 1};
  membrane.initial = {0.1, 0}, membrane.initial_rates = {0, -0.4};
  set_accurate(system, 1.5, 0.1);
  return system;
}

TEST(SecondOrder, AgreesInEveryFormulationAndBalancesItsEnergy) {
  const RunResult relative = run_system(pendulum_and_membrane());
  const auto balance = [&](std::size_t row) {
    return relative.at(row, "energy.total") - relative.at(row, "energy.supplied") +
           relative.at(row, "energy.dissipated");
  };
  for (std::size_t row = 1; row < relative.table.rows(); ++row) EXPECT_NEAR(balance(row), balance(0), 1e-9);
  EXPECT_GT(relative.end("energy.dissipated"), 0.1);

  const auto expect_same = [&](System system, double tolerance, const char* what) {
    const RunResult run = run_system(std::move(system));
    for (const char* column : {"pin.q", "membrane.a", "membrane.b", "membrane.b.rate", "energy.total"}) {
      EXPECT_NEAR(run.end(column), relative.end(column), tolerance) << what << " " << column;
    }
  };
  System by_kane = pendulum_and_membrane();
  by_kane.analysis.solver = "kane";
  expect_same(by_kane, kAccurate, "kane");
  System cartesian = pendulum_and_membrane();
  cartesian.analysis.coordinates = "cartesian";
  expect_same(cartesian, 1e-8, "cartesian");
  for (const char* coordinates : {"relative", "cartesian"}) {
    System system = pendulum_and_membrane();
    system.analysis.coordinates = coordinates;
    set_fixed_step(system, "radau_iia", 2e-3, 1.5);
    expect_same(system, 1e-7, coordinates);
  }
}

TEST(SecondOrder, StaticsSolvesItsStiffness) {
  System system = two_blocks(true);
  system.force("absorber").value = {1.0, 3.0};
  system.analysis.type = "statics";
  const RunResult run = run_system(std::move(system));
  // 90 q + 40 (q - s) = 1, 40 (s - q) = 3
  EXPECT_NEAR(run.end("rail.q"), 4.0 / 90.0, 1e-10);
  EXPECT_NEAR(run.end("absorber.s"), 4.0 / 90.0 + 3.0 / 40.0, 1e-10);
}

// Parameters change without freezing, and events set its states.
TEST(SecondOrder, FollowsParametersAndEvents) {
  System system = two_blocks(true);
  system.set_parameter("m", 0.8);
  const RunResult expected = run_system(system);
  const Workspace light(two_blocks(true));
  const ParameterValue heavier[] = {{"m", 0.8}};
  const std::unique_ptr<Workspace> heavy = light.with_parameters(heavier);
  EXPECT_EQ(run_anyhow(*heavy).end("absorber.s"), expected.end("absorber.s"));

  System stopped = two_blocks(true);
  stopped.add_event("stop", "t - 1.05", "rising").set = {{"absorber.s.rate", 0}};
  const RunResult run = run_system(std::move(stopped));
  std::size_t after = 0;
  while (run.at(after, "event") == 0) ++after;
  EXPECT_EQ(run.at(after, "absorber.s.rate"), 0.0);
  const auto balance = [&](std::size_t row) {
    return run.at(row, "energy.total") - run.at(row, "energy.supplied") + run.at(row, "energy.dissipated");
  };
  EXPECT_NEAR(balance(run.table.rows() - 1), balance(0), 1e-9);
}

}  // namespace
}  // namespace sestina
