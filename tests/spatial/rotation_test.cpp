#include "sestina/spatial/rotation.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "spatial/difference.h"
#include "spatial/dual_parts.h"
#include "spatial/random.h"

namespace sestina {
namespace {

using namespace testing_support;
using V = Vec3<double>;
using M = Mat3<double>;
using E = std::array<double, 4>;

constexpr double kPi = 3.14159265358979323846;
// Round-off of some ten operations on numbers up to one.
constexpr double kRotationRoundOff = 4e-15;
// Displacements on both sides of every threshold of the series, up to nearly a half turn.
constexpr double kAngles[] = {0.0,     1e-300,  1e-150, 1e-12, 1e-8, 1e-5, 1.9e-4, 2.1e-4,
                              0.00999, 0.01001, 0.3,    1.0,   2.0,  3.0,  3.14159};

E half_angle(const V& axis, double angle) {
  const double s = std::sin(angle / 2), c = std::cos(angle / 2);
  return {c, s * axis.x, s * axis.y, s * axis.z};
}
double squared_norm(const E& e) { return e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]; }
double determinant(const M& R) { return dot(R.column(0), cross(R.column(1), R.column(2))); }

TEST(AxisRotation, TurnsByTheRightHandRule) {
  const V x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  EXPECT_LE(difference(axis_rotation(z, kPi / 2) * x, y), kRotationRoundOff);
  EXPECT_LE(difference(axis_rotation(x, kPi / 2) * y, z), kRotationRoundOff);
  EXPECT_LE(difference(axis_rotation(y, kPi / 2) * z, x), kRotationRoundOff);
}

TEST(AxisRotation, IsOrthonormalAndKeepsItsAxis) {
  Random random(1);
  for (int i = 0; i < 50; ++i) {
    const V axis = random.unit_vector();
    const M R = axis_rotation(axis, random.uniform(-7, 7));
    EXPECT_LE(difference(R * R.transpose(), M::identity()), kRotationRoundOff);
    EXPECT_NEAR(determinant(R), 1.0, kRotationRoundOff);
    EXPECT_LE(difference(R * axis, axis), kRotationRoundOff);
  }
}

TEST(AxisRotation, AddsAnglesAboutOneAxis) {
  Random random(2);
  for (int i = 0; i < 50; ++i) {
    const V axis = random.unit_vector();
    const double a = random.uniform(-3, 3), b = random.uniform(-3, 3);
    EXPECT_LE(difference(axis_rotation(axis, a) * axis_rotation(axis, b), axis_rotation(axis, a + b)),
              kRotationRoundOff);
  }
}

// Rodrigues' formula for a vector: v cos + (k x v) sin + k (k.v) (1 - cos).
TEST(AxisRotation, IsRodriguesFormula) {
  Random random(3);
  for (int i = 0; i < 50; ++i) {
    const V k = random.unit_vector(), v = random.vector();
    const double a = random.uniform(-3, 3), c = std::cos(a), s = std::sin(a);
    const V turned = c * v + s * cross(k, v) + (dot(k, v) * (1 - c)) * k;
    EXPECT_LE(difference(axis_rotation(k, a) * v, turned), kRotationRoundOff);
  }
}

TEST(RpyRotation, IsYawTimesPitchTimesRoll) {
  const double r = 0.3, p = -0.8, y = 2.1;
  const double cr = std::cos(r), sr = std::sin(r), cp = std::cos(p), sp = std::sin(p), cy = std::cos(y),
               sy = std::sin(y);
  // Rz(y) Ry(p) Rx(r) multiplied out by hand.
  const M expected{cy * cp,
                   cy * sp * sr - sy * cr,
                   cy * sp * cr + sy * sr,
                   sy * cp,
                   sy * sp * sr + cy * cr,
                   sy * sp * cr - cy * sr,
                   -sp,
                   cp * sr,
                   cp * cr};
  EXPECT_LE(difference(rpy_rotation(r, p, y), expected), kRotationRoundOff);
}

TEST(EulerParameters, TurnByTwiceTheirAngle) {
  Random random(4);
  for (int i = 0; i < 50; ++i) {
    const V axis = random.unit_vector();
    const double angle = random.uniform(-6, 6);
    const E e = half_angle(axis, angle);
    EXPECT_LE(difference(euler_parameter_rotation(e.data()), axis_rotation(axis, angle)), kRotationRoundOff);
  }
}

TEST(EulerParameters, GiveARotationWhateverTheirNorm) {
  Random random(5);
  E e = half_angle(random.unit_vector(), 2.0);
  const M R = euler_parameter_rotation(e.data());
  for (double& component : e) component *= -1.3;
  EXPECT_LE(difference(euler_parameter_rotation(e.data()), R), kRotationRoundOff);
}

TEST(EulerParameters, RateTurnsTheRotationAtTheAngularVelocity) {
  Random random(6);
  for (int i = 0; i < 50; ++i) {
    const E e = half_angle(random.unit_vector(), random.uniform(-6, 6));
    const V w = random.vector(2.0);
    E rate{};
    euler_parameter_rate(e.data(), w, rate.data());
    std::array<Dual, 4> moving;
    for (std::size_t k = 0; k < 4; ++k) moving[k] = {e[k], rate[k]};
    EXPECT_LE(difference(angular_velocity(euler_parameter_rotation(moving.data())), w),
              2 * kRotationRoundOff);
    const double norm_rate = e[0] * rate[0] + e[1] * rate[1] + e[2] * rate[2] + e[3] * rate[3];
    EXPECT_NEAR(norm_rate, 0.0, kRotationRoundOff);
  }
}

TEST(TurnEulerParameters, TurnsFurtherInTheAxesOfF) {
  Random random(7);
  for (double angle : kAngles) {
    const V axis = random.unit_vector();
    const E e = half_angle(random.unit_vector(), 1.1);
    E turned{};
    turn_euler_parameters(e.data(), angle * axis, turned.data());
    const M expected = axis_rotation(axis, angle) * euler_parameter_rotation(e.data());
    EXPECT_LE(difference(euler_parameter_rotation(turned.data()), expected), kRotationRoundOff) << angle;
    EXPECT_NEAR(squared_norm(turned), 1.0, kRotationRoundOff) << angle;
  }
}

TEST(TurnEulerParameters, MayWriteOverItsInput) {
  Random random(8);
  const E e = half_angle(random.unit_vector(), 1.1);
  const V rotation = random.vector();
  E apart{}, in_place = e;
  turn_euler_parameters(e.data(), rotation, apart.data());
  turn_euler_parameters(in_place.data(), rotation, in_place.data());
  EXPECT_EQ(apart, in_place);
}

TEST(TurnEulerParameters, HasASmoothDerivativeAtNoRotation) {
  Random random(9);
  const E e = half_angle(random.unit_vector(), 1.1);
  const std::array<Dual, 4> still{e[0], e[1], e[2], e[3]};
  const V w = random.vector();
  std::array<Dual, 4> turned;
  turn_euler_parameters(still.data(), dual({0, 0, 0}, w), turned.data());
  E rate{};
  euler_parameter_rate(e.data(), w, rate.data());
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(turned[k].v, e[k]);
    EXPECT_NEAR(turned[k].d, rate[k], kRotationRoundOff);
  }
}

// At angles on both sides of the threshold of the series, whose branch not taken must leave no trace.
TEST(TurnEulerParameters, HasTheDerivativeOfADifferenceQuotientEverywhere) {
  Random random(10);
  const E one{1, 0, 0, 0};
  const std::array<Dual, 4> still{1.0, 0.0, 0.0, 0.0};
  for (double angle : kAngles) {
    const V x = angle * random.unit_vector(), w = random.vector();
    std::array<Dual, 4> turned;
    turn_euler_parameters(still.data(), dual(x, w), turned.data());
    constexpr double h = 1e-5;
    E ahead{}, behind{};
    turn_euler_parameters(one.data(), x + h * w, ahead.data());
    turn_euler_parameters(one.data(), x - h * w, behind.data());
    for (std::size_t k = 0; k < 4; ++k) {
      // h^2/6 f''' and round-off/h are both about 1e-11.
      EXPECT_NEAR(turned[k].d, (ahead[k] - behind[k]) / (2 * h), 1e-10) << angle;
    }
  }
}

TEST(RotationBetween, IsTheInverseOfTurning) {
  Random random(11);
  for (double angle : kAngles) {
    const V rotation = angle * random.unit_vector();
    const E a = half_angle(random.unit_vector(), random.uniform(-6, 6));
    E b{};
    turn_euler_parameters(a.data(), rotation, b.data());
    // The components of b are known to 1e-16, which is the absolute accuracy of the angle.
    EXPECT_LE(difference(rotation_between(b.data(), a.data()), rotation), kRotationRoundOff) << angle;
  }
}

// From the identity no digits are lost, however small the angle: the relative error is that of round-off.
// Below 1e-150 the squares of the components underflow, but the series needs none of them.
TEST(RotationBetween, KeepsTheRelativeAccuracyOfTinyRotationsFromTheIdentity) {
  const E one{1, 0, 0, 0};
  for (double angle : kAngles) {
    if (angle == 0.0) continue;
    const V rotation = angle * V{0.6, 0.0, -0.8};
    E e{};
    turn_euler_parameters(one.data(), rotation, e.data());
    EXPECT_LE(difference((1 / angle) * rotation_between(e.data(), one.data()), (1 / angle) * rotation),
              kRotationRoundOff)
        << angle;
  }
}

TEST(RotationBetween, IsUndoneByTurning) {
  Random random(12);
  for (int i = 0; i < 200; ++i) {
    const E a = half_angle(random.unit_vector(), random.uniform(-6, 6));
    const E b = half_angle(random.unit_vector(), random.uniform(-6, 6));
    E reached{};
    turn_euler_parameters(a.data(), rotation_between(b.data(), a.data()), reached.data());
    EXPECT_LE(difference(euler_parameter_rotation(reached.data()), euler_parameter_rotation(b.data())),
              kRotationRoundOff);
  }
}

TEST(RotationBetween, TakesTheShortWay) {
  Random random(13);
  for (int i = 0; i < 50; ++i) {
    const V axis = random.unit_vector();
    const E a = half_angle(random.unit_vector(), 1.0);
    E b{};
    turn_euler_parameters(a.data(), 4.0 * axis, b.data());
    const V back = rotation_between(b.data(), a.data());
    EXPECT_LE(difference(back, (4.0 - 2 * kPi) * axis), kRotationRoundOff);
    E minus_b = b;
    for (double& component : minus_b) component = -component;
    EXPECT_LE(difference(rotation_between(minus_b.data(), a.data()), back), kRotationRoundOff);
  }
}

TEST(RotationBetween, FindsAHalfTurn) {
  const E a{1, 0, 0, 0}, b{0, 0, 1, 0};
  EXPECT_LE(difference(rotation_between(b.data(), a.data()), {0, kPi, 0}), kRotationRoundOff);
}

TEST(RotationBetween, HasASmoothDerivativeAtNoRotation) {
  Random random(14);
  const E e = half_angle(random.unit_vector(), 1.1);
  const V w = random.vector();
  E rate{};
  euler_parameter_rate(e.data(), w, rate.data());
  std::array<Dual, 4> still, moving;
  for (std::size_t k = 0; k < 4; ++k) still[k] = e[k], moving[k] = {e[k], rate[k]};
  const Vec3<Dual> rotation = rotation_between(moving.data(), still.data());
  EXPECT_LE(difference(value(rotation), {0, 0, 0}), kRotationRoundOff);
  EXPECT_LE(difference(derivative(rotation), w), kRotationRoundOff);
}

TEST(RotationBetween, HasTheDerivativeThatUndoesThatOfTurning) {
  Random random(15);
  for (double angle : kAngles) {
    const E a = half_angle(random.unit_vector(), 0.8);
    const std::array<Dual, 4> start{a[0], a[1], a[2], a[3]};
    const V x = angle * random.unit_vector(), w = random.vector();
    std::array<Dual, 4> reached;
    turn_euler_parameters(start.data(), dual(x, w), reached.data());
    const V back = derivative(rotation_between(reached.data(), start.data()));
    EXPECT_LE(difference(back, w), kRotationRoundOff) << angle;
  }
}

TEST(Pose, ComposesAndInverts) {
  Random random(16);
  for (int i = 0; i < 20; ++i) {
    const Pose<double> X_AB = random.pose(), X_BC = random.pose();
    const V p_C = random.vector();
    EXPECT_LE(difference((X_AB * X_BC) * p_C, X_AB * (X_BC * p_C)), kRotationRoundOff);
    EXPECT_LE(difference(inverse(X_AB) * X_AB, Pose<double>{}), kRotationRoundOff);
    EXPECT_LE(difference(X_AB * inverse(X_AB), Pose<double>{}), kRotationRoundOff);
  }
}

TEST(Pose, TakesTheOriginOfBToItsPlaceInA) {
  const Pose<double> X_AB{axis_rotation(V{0, 0, 1}, kPi / 2), {1, 2, 3}};
  EXPECT_LE(difference(X_AB * V{0, 0, 0}, {1, 2, 3}), 0.0);
  EXPECT_LE(difference(X_AB * V{1, 0, 0}, {1, 3, 3}), kRotationRoundOff);
}

}  // namespace
}  // namespace sestina
