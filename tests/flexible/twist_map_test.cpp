#include "sestina/flexible/twist_map.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sestina/numerics/dual.h"
#include "spatial/difference.h"
#include "spatial/random.h"

namespace sestina {
namespace {

using namespace testing_support;

// Angles on both sides of every threshold of the series, up to nearly a half turn.
constexpr double kAngles[] = {0.0,    1e-300, 1e-12,  1e-5,   0.0316, 0.0317, 0.0999,
                              0.1001, 0.5,    0.9999, 1.0001, 2.0,    3.1};
constexpr double kRoundOff = 4e-14;

Vec6<double> random_twist(Random& random, double angle) {
  return make_vec6(angle * random.unit_vector(), random.vector());
}
Vec6<Dual> dual(const Vec6<double>& value, const Vec6<double>& rate) {
  Vec6<Dual> r;
  for (int i = 0; i < 6; ++i) r[i] = Dual(value[i], rate[i]);
  return r;
}
Pose<double> value(const Pose<Dual>& X) {
  const auto v = [](const Vec3<Dual>& a) { return Vec3<double>{a.x.v, a.y.v, a.z.v}; };
  return {Mat3<double>::from_columns(v(X.R.column(0)), v(X.R.column(1)), v(X.R.column(2))), v(X.p)};
}

TEST(TwistMap, LogarithmInvertsTheExponentialAtEveryAngle) {
  Random random(1);
  for (double angle : kAngles) {
    const Vec6<double> d = random_twist(random, angle);
    // The logarithm near a half turn loses what its sine is small by.
    EXPECT_LE(largest_of(log_pose(exp_twist(d)) - d), angle > 3.0 ? 1e-13 : 4e-15) << angle;
  }
}

TEST(TwistMap, ExponentialIsARigidMotionAlongAHelix) {
  Random random(2);
  for (double angle : kAngles) {
    const Vec6<double> d = random_twist(random, angle);
    const Pose<double> X = exp_twist(d), half = exp_twist(0.5 * d);
    EXPECT_LE(difference(half * half, X), kRoundOff) << angle;
    EXPECT_LE(difference(X.R * X.R.transpose(), Mat3<double>::identity()), kRoundOff) << angle;
  }
}

// (2): the derivative of d = log(X_a^-1 X_b) by motions of both ends, by dual numbers.
TEST(TwistMap, GivesTheChangeOfTheTwistWithItsEnds) {
  Random random(3);
  for (double angle : kAngles) {
    const Vec6<double> d = random_twist(random, angle), chi = random_twist(random, 0.7);
    const TwistMap<double> map(d);
    const Vec6<Dual> none = dual(Vec6<double>(), Vec6<double>()), move = dual(Vec6<double>(), chi);
    const Vec6<Dual> by_b = log_pose(exp_twist(dual(d, Vec6<double>())) * exp_twist(move));
    const Vec6<Dual> by_a =
        log_pose(inverse(exp_twist(none) * exp_twist(move)) * exp_twist(dual(d, Vec6<double>())));
    const Vec6<double> expected_b = map.P(1.0) * chi, expected_a = -(map.P(-1.0) * chi);
    for (int i = 0; i < 6; ++i) {
      EXPECT_NEAR(by_b[i].d, expected_b[i], angle > 3.0 ? 1e-11 : 1e-12) << angle << " " << i;
      EXPECT_NEAR(by_a[i].d, expected_a[i], angle > 3.0 ? 1e-11 : 1e-12) << angle << " " << i;
    }
    EXPECT_LE(difference(value(exp_twist(dual(d, chi))), exp_twist(d)), 1e-300);
  }
}

// (6), by dual numbers, on both sides.
TEST(TwistMap, TransposedProductHasTheDerivativeThatIsStated) {
  Random random(4);
  for (double angle : kAngles) {
    for (double sign : {1.0, -1.0}) {
      const Vec6<double> d = random_twist(random, angle), f = random_twist(random, 2.0),
                         rate = random_twist(random, 1.0);
      Mat6<double> G_plus, G_minus;
      TwistMap<double>(d).set_derivatives_of_transpose(f, G_plus, G_minus);
      const Vec6<double> stated = (sign > 0.0 ? G_plus : G_minus) * rate;
      const Vec6<Dual> moved =
          TwistMap<Dual>(dual(d, sign * rate)).transpose_times(dual(f, Vec6<double>()), sign);
      const Vec6<double> product = transpose_times(TwistMap<double>(d).P(sign), f);
      for (int i = 0; i < 6; ++i) {
        EXPECT_NEAR(moved[i].d, stated[i], 1e-12) << angle << " " << sign << " " << i;
        EXPECT_NEAR(moved[i].v, product[i], kRoundOff) << angle << " " << sign << " " << i;
      }
    }
  }
}

TEST(TwistMap, CommutatorIsTheSecondOrderOfMotionsThatDoNotCommute) {
  Random random(5);
  const Vec6<double> a = random_twist(random, 1.0), b = random_twist(random, 1.0);
  const double e = 1e-3;
  const Pose<double> loop = exp_twist(e * a) * exp_twist(e * b) * exp_twist(-(e * a)) * exp_twist(-(e * b));
  const Vec6<double> second = (1.0 / (e * e)) * log_pose(loop);
  EXPECT_LE(largest_of(second - commutator(a, b)), 10 * e);
  EXPECT_GE(largest_of(commutator(a, b)), 0.1);
  const Vec6<double> f = random_twist(random, 1.0);
  EXPECT_NEAR(dot(commutator(a, b), f), dot(b, commutator_transpose(a, f)), kRoundOff);
}

}  // namespace
}  // namespace sestina
