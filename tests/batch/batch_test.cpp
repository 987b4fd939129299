// The scalar of several lanes, with as many as every processor has.
#include "sestina/numerics/batch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sestina {
namespace {

using Two = Batch<2>;

Two pair(double a, double b) { return Two(Two::Vector{a, b}); }

// In units of the last place of the exact value.
double ulps(double value, long double exact) {
  const double rounded = static_cast<double>(exact);
  const double ulp = std::nextafter(std::abs(rounded), INFINITY) - std::abs(rounded);
  return static_cast<double>(std::abs(static_cast<long double>(value) - exact) / ulp);
}

TEST(Batch, SineAndCosineAreRightToTwoUlp) {
  double worst = 0.0;
  for (int k = -20000; k <= 20000; ++k) {
    const double x = 0.0013 * k * (k % 7 == 0 ? 3000.0 : 1.0), y = k * 1.5707963267948966;
    const auto [s, c] = sincos(pair(x, y));
    worst =
        std::max({worst, ulps(s[0], sinl(x)), ulps(c[0], cosl(x)), ulps(s[1], sinl(y)), ulps(c[1], cosl(y))});
  }
  EXPECT_LE(worst, 2.0);
  EXPECT_GT(worst, 0.4);
}

TEST(Batch, LanesThatCannotBeReducedDisturbNoOther) {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  const auto expected = sincos(pair(0.7, 0.7));
  for (const double odd : {nan, infinity, 3e9}) {
    const auto [s, c] = sincos(pair(odd, 0.7));
    EXPECT_EQ(s[1], expected.sin[1]);
    EXPECT_EQ(c[1], expected.cos[1]);
    EXPECT_EQ(std::isnan(s[0]), !std::isfinite(odd));
  }
  EXPECT_EQ(sincos(pair(3e9, 0.0)).sin[0], std::sin(3e9));
}

TEST(Batch, LanesChooseForThemselves) {
  const Two a = pair(1.0, -2.0);
  const auto is_negative = a < Two(0.0);
  EXPECT_EQ(to_bits(is_negative), 2U);
  EXPECT_TRUE(any(is_negative));
  EXPECT_FALSE(any(is_negative && a > Two(0.0)));
  const Two b = select(is_negative, -a, sqrt(a));
  EXPECT_EQ(b[0], 1.0);
  EXPECT_EQ(b[1], 2.0);
  EXPECT_EQ(abs(a)[1], 2.0);
  EXPECT_EQ(pow(a, Two(2.0))[1], 4.0);
  EXPECT_EQ(atan2(a, pair(1.0, 1.0))[0], std::atan2(1.0, 1.0));
  EXPECT_TRUE(is_exactly(Two(3.0), 3.0));
  EXPECT_FALSE(is_exactly(a, 1.0));
}

}  // namespace
}  // namespace sestina
