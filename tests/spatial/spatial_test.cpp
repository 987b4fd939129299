// Spatial algebra against first principles: clouds of point masses, and dense 6x6 matrices.
#include "sestina/spatial/spatial.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "spatial/difference.h"
#include "spatial/dual_parts.h"
#include "spatial/random.h"

namespace sestina {
namespace {

using namespace testing_support;
using V = Vec3<double>;
using Motion = SpatialMotion<double>;
using Force = SpatialForce<double>;

// Round-off of some fifty operations on numbers up to a few units.
constexpr double kSpatialRoundOff = 2e-14;

// --- a rigid cloud of point masses -------------------------------------------------------------------------

struct PointMass {
  double mass;  // kg
  V p;          // m, from O
};
using Cloud = std::vector<PointMass>;

Cloud random_cloud(Random& random) {
  Cloud cloud;
  for (int i = 0; i < 5; ++i) {
    const double mass = random.uniform(0.2, 2.0);
    cloud.push_back({mass, random.vector()});
  }
  return cloud;
}

RigidInertia<double> inertia_of(const Cloud& cloud) {
  RigidInertia<double> M;
  V moment;
  for (const PointMass& point : cloud) {
    M.mass += point.mass;
    moment += point.mass * point.p;
    M.J += point_inertia(point.mass, point.p);
  }
  M.c = (1 / M.mass) * moment;
  return M;
}

Cloud seen_from(const V& origin, Cloud cloud) {
  for (PointMass& point : cloud) point.p -= origin;
  return cloud;
}

Force momentum(const Cloud& cloud, const Motion& V_O) {
  Force h;
  for (const PointMass& point : cloud) {
    const V linear = point.mass * (V_O.v + cross(V_O.w, point.p));
    h += {cross(point.p, linear), linear};
  }
  return h;
}

TEST(RigidInertia, TimesVelocityIsTheMomentumOfItsPoints) {
  Random random(1);
  for (int i = 0; i < 20; ++i) {
    const Cloud cloud = random_cloud(random);
    const Motion V_O = random.motion();
    EXPECT_LE(difference(inertia_of(cloud) * V_O, momentum(cloud, V_O)), kSpatialRoundOff);
  }
}

// Newton's law of each point: its acceleration is a + alpha x p + w x (w x p), whatever v.
TEST(GyroscopicForce, CompletesNewtonEulerOfTheClassicalAcceleration) {
  Random random(2);
  for (int i = 0; i < 20; ++i) {
    const Cloud cloud = random_cloud(random);
    const Motion A_O = random.motion();
    const V w = random.vector(2.0);
    Force needed;
    for (const PointMass& point : cloud) {
      const V a = A_O.v + cross(A_O.w, point.p) + cross(w, cross(w, point.p));
      needed += {point.mass * cross(point.p, a), point.mass * a};
    }
    const RigidInertia<double> M = inertia_of(cloud);
    EXPECT_LE(difference(M * A_O + gyroscopic_force(M, w), needed), kSpatialRoundOff);
  }
}

// The same without writing an acceleration down: let the body move freely in its pose for an instant and
// take the derivative of its momentum about the fixed point where O is now.
TEST(GyroscopicForce, IsTheRateOfMomentumOfABodyWithoutAcceleration) {
  Random random(3);
  for (int i = 0; i < 20; ++i) {
    const Cloud cloud = random_cloud(random);
    const V w = random.vector(2.0);  // O rests and does not accelerate; neither does w change
    Vec3<Dual> torque, force;
    for (const PointMass& point : cloud) {
      const Vec3<Dual> p = dual(point.p, cross(w, point.p));
      const Vec3<Dual> linear = Dual(point.mass) * cross(dual(w, {}), p);
      torque += cross(p, linear);
      force += linear;
    }
    const Force rate{derivative(torque), derivative(force)};
    EXPECT_LE(difference(gyroscopic_force(inertia_of(cloud), w), rate), kSpatialRoundOff);
  }
}

// --- shifts ------------------------------------------------------------------------------------------------

TEST(Shift, GivesThePointItsOwnVelocity) {
  const Motion spin{{0, 0, 2}, {1, 0, 0}};
  EXPECT_EQ(difference(shift(spin, {3, 0, 0}), {{0, 0, 2}, {1, 6, 0}}), 0.0);
}

TEST(ShiftBack, GivesAForceItsMoment) {
  const Force pull{{0, 0, 1}, {0, 5, 0}};
  EXPECT_EQ(difference(shift_back(pull, {3, 0, 0}), {{0, 0, 16}, {0, 5, 0}}), 0.0);
}

TEST(Shift, LeavesPowerAsItIs) {
  Random random(4);
  for (int i = 0; i < 20; ++i) {
    const Motion V_P = random.motion();
    const Force F_Q = random.force();
    const V s = random.vector(3.0);
    EXPECT_NEAR(dot(shift(V_P, s), F_Q), dot(V_P, shift_back(F_Q, s)), kSpatialRoundOff);
  }
}

TEST(Shift, AddsUp) {
  Random random(5);
  const Motion V_P = random.motion();
  const V s = random.vector(), t = random.vector();
  EXPECT_LE(difference(shift(shift(V_P, s), t), shift(V_P, s + t)), kSpatialRoundOff);
}

TEST(SpatialVectors, TurnWithoutChangeOfPower) {
  Random random(6);
  const Rotation<double> R = random.rotation();
  const Motion a = random.motion();
  const Force f = random.force();
  EXPECT_NEAR(dot(rotate(R, a), Force{R * f.torque, R * f.force}), dot(a, f), kSpatialRoundOff);
}

TEST(SpatialVectors, AddSubtractAndScaleByPart) {
  Random random(7);
  const Motion a = random.motion(), b = random.motion();
  const Force f = random.force(), g = random.force();
  EXPECT_EQ(difference(2.0 * a + b, {2.0 * a.w + b.w, 2.0 * a.v + b.v}), 0.0);
  EXPECT_EQ(difference(2.0 * f - g, {2.0 * f.torque - g.torque, 2.0 * f.force - g.force}), 0.0);
  Force h = f;
  h += g;
  h -= f;
  EXPECT_LE(difference(h, g), kSpatialRoundOff);
}

// --- articulated inertia as a dense matrix -----------------------------------------------------------------

using Dense = std::array<std::array<double, 6>, 6>;

Dense product(const Dense& A, const Dense& B) {
  Dense C{};
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j) {
      for (std::size_t k = 0; k < 6; ++k) C[i][j] += A[i][k] * B[k][j];
    }
  }
  return C;
}
Dense transpose(const Dense& A) {
  Dense T{};
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j) T[i][j] = A[j][i];
  }
  return T;
}
Motion unit_motion(int j) {
  Motion e;
  (j < 3 ? e.w : e.v)[j % 3] = 1.0;
  return e;
}
double component(const Force& f, int i) { return i < 3 ? f.torque[i] : f.force[i - 3]; }

// Column by column, by its action.
template <class Inertia>
Dense dense(const Inertia& I) {
  Dense A{};
  for (int j = 0; j < 6; ++j) {
    const Force column = I * unit_motion(j);
    for (int i = 0; i < 6; ++i)
      A[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = component(column, i);
  }
  return A;
}
double largest_difference(const Dense& A, const Dense& B) {
  double most = 0.0;
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j) most = largest({most, A[i][j] - B[i][j]});
  }
  return most;
}

// No structure but symmetry: what is left of a rigid body after a few joints.
ArticulatedInertia<double> random_articulated_inertia(Random& random) {
  ArticulatedInertia<double> I(inertia_of(random_cloud(random)));
  for (int i = 0; i < 3; ++i) I.subtract_outer(random.force(), -random.uniform(0.1, 1.0));
  return I;
}

TEST(ArticulatedInertia, OfARigidBodyActsLikeIt) {
  Random random(8);
  const RigidInertia<double> M = inertia_of(random_cloud(random));
  EXPECT_LE(largest_difference(dense(ArticulatedInertia<double>(M)), dense(M)), kSpatialRoundOff);
}

TEST(ArticulatedInertia, IsSymmetric) {
  Random random(9);
  const Dense A = dense(random_articulated_inertia(random));
  EXPECT_EQ(largest_difference(A, transpose(A)), 0.0);
}

TEST(ArticulatedInertia, AddsUp) {
  Random random(10);
  const ArticulatedInertia<double> a = random_articulated_inertia(random),
                                   b = random_articulated_inertia(random);
  ArticulatedInertia<double> sum = a;
  sum += b;
  const Motion A = random.motion();
  EXPECT_LE(difference(sum * A, a * A + b * A), kSpatialRoundOff);
}

TEST(ArticulatedInertia, SubtractsAScaledOuterProduct) {
  Random random(11);
  const ArticulatedInertia<double> before = random_articulated_inertia(random);
  const Force U = random.force();
  ArticulatedInertia<double> after = before;
  after.subtract_outer(U, 0.7);
  Dense expected = dense(before);
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) {
      expected[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] -=
          0.7 * component(U, i) * component(U, j);
    }
  }
  EXPECT_LE(largest_difference(dense(after), expected), kSpatialRoundOff);
}

TEST(ArticulatedInertia, ShiftsBackByDenseAlgebra) {
  Random random(12);
  for (int i = 0; i < 20; ++i) {
    const ArticulatedInertia<double> I_Q = random_articulated_inertia(random);
    const V s = random.vector(2.0);
    // I_P = Phi I_Q Phi^T with Phi = [1, [s]x; 0, 1]
    const Dense phi{{{1, 0, 0, 0, -s.z, s.y},
                     {0, 1, 0, s.z, 0, -s.x},
                     {0, 0, 1, -s.y, s.x, 0},
                     {0, 0, 0, 1, 0, 0},
                     {0, 0, 0, 0, 1, 0},
                     {0, 0, 0, 0, 0, 1}}};
    const Dense expected = product(product(phi, dense(I_Q)), transpose(phi));
    // Elements reach 50: 2^2 m + 2 2 B + J.
    EXPECT_LE(largest_difference(dense(shift_back(I_Q, s)), expected), 5 * kSpatialRoundOff);
  }
}

TEST(ArticulatedInertia, ShiftedBackFeelsTheMotionOfQ) {
  Random random(13);
  for (int i = 0; i < 20; ++i) {
    const ArticulatedInertia<double> I_Q = random_articulated_inertia(random);
    const V s = random.vector(2.0);
    const Motion A_P = random.motion();
    EXPECT_LE(difference(shift_back(I_Q, s) * A_P, shift_back(I_Q * shift(A_P, s), s)), 5 * kSpatialRoundOff);
  }
}

// The parallel axis theorem, from the points themselves.
TEST(ArticulatedInertia, OfARigidBodyShiftsLikeItsPoints) {
  Random random(14);
  for (int i = 0; i < 20; ++i) {
    const Cloud from_Q = random_cloud(random);
    const V s = random.vector(2.0);  // p_PQ
    const Cloud from_P = seen_from(-s, from_Q);
    const ArticulatedInertia<double> shifted = shift_back(ArticulatedInertia<double>(inertia_of(from_Q)), s);
    EXPECT_LE(largest_difference(dense(shifted), dense(inertia_of(from_P))), 5 * kSpatialRoundOff);
  }
}

}  // namespace
}  // namespace sestina
