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

BeamMesh straight_mesh(double length, int elements, const BeamSection& section) {
  return make_beam_mesh(straight_frames({0, 0, 0}, {length, 0, 0}, {0, 0, 1}), length, elements, section);
}

BeamSection section_of_mass(double mass, const SymMat3<double>& inertia) {
  BeamSection section = diagonal_section(1e8, 1e8, 1e8, 1e4, 1.0, 4.0);
  section.mass = mass;
  section.inertia = inertia;
  return section;
}

// The integral of m x^n.
double sum_of_powers(const BeamMesh& mesh, int n) {
  const std::vector<NodeInertia> nodes = calc_node_inertias(mesh);
  double sum = 0.0;
  for (std::size_t k = 0; k < nodes.size(); ++k) sum += nodes[k].mass * std::pow(mesh.nodes[k].p.x, n);
  return sum;
}

TEST(BeamInertia, IntegratesCubicPolynomialsExactly) {
  for (const int elements : {1, 2, 3, 4, 5, 9}) {
    const BeamMesh mesh = straight_mesh(0.7, elements, section_of_mass(2.0, {}));
    for (const int n : {0, 1, 2, 3}) {
      if (elements == 1 && n > 1) continue;  // the trapezoidal rule
      EXPECT_NEAR(sum_of_powers(mesh, n), 2.0 * std::pow(0.7, n + 1) / (n + 1), 1e-15)
          << elements << " " << n;
    }
  }
}

TEST(BeamInertia, HasSimpsonsRuleForTwoElements) {
  const std::vector<NodeInertia> nodes = calc_node_inertias(straight_mesh(1.0, 2, section_of_mass(6.0, {})));
  EXPECT_NEAR(nodes[0].mass, 1.0, 1e-15);
  EXPECT_NEAR(nodes[1].mass, 4.0, 1e-15);
  EXPECT_NEAR(nodes[2].mass, 1.0, 1e-15);
}

TEST(BeamInertia, IntegratesElementsOfUnequalLengthExactly) {
  const BeamMesh mesh = make_beam_mesh(straight_frames({0, 0, 0}, {1, 0, 0}, {0, 0, 1}),
                                       {0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 0.85, 1.0}, section_of_mass(1.0, {}));
  for (const int n : {0, 1, 2, 3}) EXPECT_NEAR(sum_of_powers(mesh, n), 1.0 / (n + 1), 1e-15) << n;
}

// At a corner, sections of the second line have its directions.
TEST(BeamInertia, CornersHaveTheMassOfBothLines) {
  const BeamSection section = section_of_mass(3.0, {0.1, 0.2, 0.3, 0.0, 0.0, 0.0});
  BeamMesh mesh = straight_mesh(1.0, 3, section);
  join(mesh, make_beam_mesh(straight_frames({1, 0, 0}, {1, 1, 0}, {0, 0, 1}), 1.0, 3, section));
  const NodeInertia corner = calc_node_inertias(mesh)[3];
  const double share = 3.0 / 8.0 / 3.0;  // m, of each line
  EXPECT_NEAR(corner.mass, 2.0 * share * 3.0, 1e-15);
  EXPECT_NEAR(corner.inertia.xx, share * (0.1 + 0.2), 1e-15);
  EXPECT_NEAR(corner.inertia.yy, share * (0.2 + 0.1), 1e-15);
  EXPECT_NEAR(corner.inertia.zz, 2.0 * share * 0.3, 1e-15);
}

// Frequencies (rad/s, increasing) of an unstressed straight beam along x with or without a clamp at its first
// node.
std::vector<double> frequencies(int elements, const BeamSection& section, double length, bool clamped) {
  const BeamMesh mesh = straight_mesh(length, elements, section);
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
    const Eigen::Index a = 6 * k, b = a + 6;
    add(K, a, a, tangent.aa), add(K, a, b, tangent.ab), add(K, b, a, tangent.ba), add(K, b, b, tangent.bb);
  }
  const std::vector<NodeInertia> nodes = calc_node_inertias(mesh);
  for (int k = 0; k <= elements; ++k) {
    const NodeInertia& node = nodes[static_cast<std::size_t>(k)];
    Mat6<double> mass;
    set_block(mass, 0, 0, full(node.inertia));
    set_block(mass, 3, 3, node.mass * Mat3<double>::identity());
    add(M, 6 * k, 6 * k, mass);
  }
  const Eigen::Index first = clamped ? 6 : 0, count = n - first;
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> solver(
      K.bottomRightCorner(count, count), M.bottomRightCorner(count, count), Eigen::EigenvaluesOnly);
  std::vector<double> result;
  for (Eigen::Index i = 0; i < count; ++i)
    result.push_back(std::sqrt(std::max(0.0, solver.eigenvalues()[i])));
  return result;
}

// Slender in both directions, stiff in torsion, so that bending comes first.
BeamSection slender_section() { return section_of_mass(1.0, {1e-3, 1e-9, 1e-9, 0.0, 0.0, 0.0}); }

TEST(BeamInertia, CantileverHasTheFrequenciesOfTheory) {
  // cos x cosh x = -1; EIy = 1, EIz = 4, m = L = 1: omega = x^2 and 2 x^2
  const double x1 = 1.8751040687119612, x2 = 4.694091132974175;
  const std::vector<double> w = frequencies(8, slender_section(), 1.0, true);
  EXPECT_NEAR(w[0], x1 * x1, 1e-4 * x1 * x1);
  EXPECT_NEAR(w[1], 2.0 * x1 * x1, 2e-4 * x1 * x1);
  EXPECT_NEAR(w[2], x2 * x2, 6e-4 * x2 * x2);
}

TEST(BeamInertia, FrequenciesOfACantileverConvergeWithTheFourthOrder) {
  std::vector<double> errors;
  for (int elements : {4, 8, 16}) {
    const double x = 1.8751040687119612;
    errors.push_back(std::abs(frequencies(elements, slender_section(), 1.0, true)[0] / (x * x) - 1.0));
  }
  EXPECT_NEAR(errors[0], 1.7e-3, 1e-5);
  EXPECT_GE(std::log2(errors[0] / errors[1]), 4.0);
  EXPECT_GE(std::log2(errors[1] / errors[2]), 4.0);
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
