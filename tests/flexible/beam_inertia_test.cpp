#include "sestina/flexible/beam_inertia.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <vector>

#include "flexible/beam_references.h"
#include "spatial/difference.h"
#include "spatial/random.h"

namespace sestina {
namespace {

using namespace testing_support;

BeamMass<double> thick_element() { return {0.7, 2.0, {0.3, 0.1, 0.2, 0.01, -0.02, 0.03}}; }

BeamEnd<double> random_end(Random& random) { return {random.pose(), random.motion(), random.motion()}; }

// The end after the small time e, with constant acceleration.
BeamEnd<double> later(const BeamEnd<double>& end, double e) {
  BeamEnd<double> r = end;
  const Vec3<double> turn = e * end.V.w + (0.5 * e * e) * end.A.w;
  const double angle = norm(turn);
  r.X.R = axis_rotation((1.0 / angle) * turn, angle) * end.X.R;
  r.X.p = end.X.p + e * end.V.v + (0.5 * e * e) * end.A.v;
  r.V.w = end.V.w + e * end.A.w;
  r.V.v = end.V.v + e * end.A.v;
  return r;
}

TEST(BeamInertia, PowerOfItsForcesIsTheRateOfKineticEnergy) {
  Random random(1);
  for (int trial = 0; trial < 10; ++trial) {
    const BeamEnd<double> a = random_end(random), b = random_end(random);
    const BeamEndForces<double> f = inertia_forces(thick_element(), a, b);
    const double e = 1e-5;
    const double rate = (kinetic_energy(thick_element(), later(a, e), later(b, e)) -
                         kinetic_energy(thick_element(), later(a, -e), later(b, -e))) /
                        (2.0 * e);
    EXPECT_NEAR(dot(a.V, f.a) + dot(b.V, f.b), rate, 1e-8);
    EXPECT_GE(std::abs(rate), 1e-2);
  }
}

TEST(BeamInertia, ForcesAreTheMassMatrixTimesAccelerationAtRest) {
  Random random(2);
  BeamEnd<double> a = random_end(random), b = random_end(random);
  a.V = b.V = {};
  const BeamEndForces<double> f = inertia_forces(thick_element(), a, b);
  const BeamMassMatrix<double> M = mass_matrix(thick_element(), a.X.R, b.X.R);
  const Vec6<double> at_a = M.aa * to_vec6(a.A) + M.ab * to_vec6(b.A);
  const Vec6<double> at_b = transpose(M.ab) * to_vec6(a.A) + M.bb * to_vec6(b.A);
  EXPECT_LE(difference(to_force(at_a), f.a), 1e-14);
  EXPECT_LE(difference(to_force(at_b), f.b), 1e-14);
}

// A straight element that moves as a rigid body has the energy of a rod.
TEST(BeamInertia, RigidRodHasItsExactEnergy) {
  const double h = 0.7, m = 2.0;
  const BeamMass<double> element{h, m, {}};
  BeamEnd<double> a, b;
  b.X.p = {h, 0, 0};
  const Vec3<double> w{0.3, -0.5, 0.8}, v{0.1, 0.2, -0.4};
  a.V = {w, v}, b.V = {w, v + cross(w, b.X.p)};
  const Vec3<double> center = v + 0.5 * cross(w, b.X.p);
  const double expected =
      0.5 * m * h * dot(center, center) + 0.5 * (m * h * h * h / 12.0) * (w.y * w.y + w.z * w.z);
  EXPECT_NEAR(kinetic_energy(element, a, b), expected, 1e-15);
}

TEST(BeamInertia, WeightWorksAsTheForceOnTheCentreOfMass) {
  Random random(3);
  const BeamEnd<double> a = random_end(random), b = random_end(random);
  const Vec3<double> g{0.3, -9.0, 2.0};
  const BeamMass<double> element = thick_element();
  const BeamEndForces<double> f = weight_forces(element, a.X.R, b.X.R, g);
  // Velocity of the centre of mass of (1): the mean of r'.
  const Vec3<double> bubble = cross(a.V.w, a.X.R.column(0)) - cross(b.V.w, b.X.R.column(0));
  const Vec3<double> mean = 0.5 * (a.V.v + b.V.v) + (element.length / 12.0) * bubble;
  EXPECT_NEAR(dot(a.V, f.a) + dot(b.V, f.b), element.mass * element.length * dot(g, mean), 1e-13);
}

// Frequencies (rad/s, increasing) of an unstressed straight beam along x with or without a clamp at its first
// node.
std::vector<double> frequencies(int elements, const BeamSection& section, double length, bool clamped) {
  const BeamMesh mesh =
      make_beam_mesh(straight_frames({0, 0, 0}, {length, 0, 0}, {0, 0, 1}), length, elements, section);
  const Eigen::Index n = 6 * (elements + 1);
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n, n), M = Eigen::MatrixXd::Zero(n, n);
  const auto add = [](Eigen::MatrixXd& A, Eigen::Index row, Eigen::Index column, const Mat6<double>& block) {
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j < 6; ++j) A(row + i, column + j) += block.m[i][j];
    }
  };
  for (int k = 0; k < elements; ++k) {
    const BeamSegment<double>& segment = mesh.pieces[static_cast<std::size_t>(k)].segment;
    BeamElement<double> element;
    EXPECT_EQ(element.relax(segment, mesh.pose_a(k), mesh.pose_b(k)), BeamRelaxation::done);
    BeamElementTangent<double> tangent;
    BeamElementForces<double> f;
    element.update_tangent(tangent, f);
    const BeamMassMatrix<double> mass =
        mass_matrix({segment.length, section.mass, section.inertia}, mesh.pose_a(k).R, mesh.pose_b(k).R);
    const Eigen::Index a = 6 * k, b = a + 6;
    add(K, a, a, tangent.aa), add(K, a, b, tangent.ab), add(K, b, a, tangent.ba), add(K, b, b, tangent.bb);
    add(M, a, a, mass.aa), add(M, a, b, mass.ab), add(M, b, a, transpose(mass.ab)), add(M, b, b, mass.bb);
  }
  const Eigen::Index first = clamped ? 6 : 0, count = n - first;
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> solver(
      K.bottomRightCorner(count, count), M.bottomRightCorner(count, count), Eigen::EigenvaluesOnly);
  std::vector<double> result;
  for (Eigen::Index i = 0; i < count; ++i)
    result.push_back(std::sqrt(std::max(0.0, solver.eigenvalues()[i])));
  return result;
}

// Slender in both directions, stiff in torsion, so that bending comes first; rotary inertia only about the
// axis.
BeamSection slender_section() {
  BeamSection section = diagonal_section(1e8, 1e8, 1e8, 1e4, 1.0, 4.0);
  section.mass = 1.0;
  section.inertia = {1e-3, 0.0, 0.0, 0.0, 0.0, 0.0};
  return section;
}

TEST(BeamInertia, CantileverFrequenciesConvergeWithTheFourthOrder) {
  // cos x cosh x = -1; EIy = 1, EIz = 4, m = L = 1: omega = x^2 and 2 x^2
  const double x1 = 1.8751040687119612, x2 = 4.694091132974175;
  std::vector<double> errors;
  for (int elements : {2, 4, 8}) {
    const std::vector<double> w = frequencies(elements, slender_section(), 1.0, true);
    errors.push_back(std::abs(w[2] / (x2 * x2) - 1.0));
    if (elements == 8) {
      EXPECT_NEAR(w[0], x1 * x1, 1e-5 * x1 * x1);
      EXPECT_NEAR(w[1], 2.0 * x1 * x1, 2e-5 * x1 * x1);
    }
  }
  EXPECT_NEAR(std::log2(errors[1] / errors[2]), 4.0, 0.4);
}

TEST(BeamInertia, FreeBeamHasSixRigidModesAndThenBends) {
  const double x1 = 4.730040744862704, x2 = 7.853204624095838;  // cos x cosh x = 1
  // A free beam needs rotary inertia against all nodes turning alike, which shear resists: both are small
  // here, and lower the frequencies by some x^2/2 (1e-5 + 1e-5).
  BeamSection section = diagonal_section(1e6, 4e5, 1e5, 1e4, 1.0, 4.0);
  section.mass = 1.0;
  section.inertia = {1e-3, 1e-5, 1e-5, 0.0, 0.0, 0.0};
  const std::vector<double> w = frequencies(16, section, 1.0, false);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_LE(w[i], 1e-2) << i;  // the root of round-off
  EXPECT_NEAR(w[6], x1 * x1, 1e-3 * x1 * x1);
  EXPECT_NEAR(w[7], 2.0 * x1 * x1, 1e-3 * 2.0 * x1 * x1);
  EXPECT_NEAR(w[8], x2 * x2, 2e-3 * x2 * x2);
}

}  // namespace
}  // namespace sestina
