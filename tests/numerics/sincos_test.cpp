#include "sestina/numerics/sincos.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace sestina {
namespace {

// In units of the last place of the exact value, which long double holds to 11 bits more.
double error_in_ulp(double computed, long double exact) {
  const double rounded = std::abs(static_cast<double>(exact));
  const double ulp = std::nextafter(rounded, std::numeric_limits<double>::infinity()) - rounded;
  return static_cast<double>(std::abs(static_cast<long double>(computed) - exact) /
                             static_cast<long double>(ulp));
}

void expect_within_one_ulp(double angle) {
  const auto [s, c] = sincos(angle);
  EXPECT_LT(error_in_ulp(s, std::sin(static_cast<long double>(angle))), 1.0) << std::hexfloat << angle;
  EXPECT_LT(error_in_ulp(c, std::cos(static_cast<long double>(angle))), 1.0) << std::hexfloat << angle;
}

TEST(SinCos, IsWithinOneUlp) {
  std::mt19937_64 random(1);
  for (const double range : {1e-8, 1e-3, 0.8, 4.0, 100.0, 1e4, kLargestReducedAngle}) {
    std::uniform_real_distribution<double> angle(-range, range);
    for (int i = 0; i < 20000; ++i) expect_within_one_ulp(angle(random));
  }
}

// There a quadrant ends or the result nearly vanishes: the reduction has to be known beyond double.
TEST(SinCos, IsWithinOneUlpNearMultiplesOfAnEighthOfATurn) {
  for (int n = 1; n < 800000; n = n < 1000 ? n + 1 : n + 997) {
    const double multiple = static_cast<double>(static_cast<long double>(n) * 0.785398163397448309616L);
    for (const double angle : {multiple, std::nextafter(multiple, 0.0), std::nextafter(multiple, 1e9)}) {
      expect_within_one_ulp(angle);
      expect_within_one_ulp(-angle);
    }
  }
}

TEST(SinCos, IsExactAtZeroAndOddAndEven) {
  EXPECT_EQ(sincos(0.0).sin, 0.0);
  EXPECT_FALSE(std::signbit(sincos(0.0).sin));
  EXPECT_TRUE(std::signbit(sincos(-0.0).sin));
  EXPECT_EQ(sincos(0.0).cos, 1.0);
  EXPECT_EQ(sincos(5e-324).sin, 5e-324);
  for (const double angle : {0.1, 1.0, 2.0, 3.0, 5.0, 123456.0}) {
    EXPECT_EQ(sincos(-angle).sin, -sincos(angle).sin);
    EXPECT_EQ(sincos(-angle).cos, sincos(angle).cos);
  }
}

TEST(SinCos, LeavesWhatIsBeyondItsRangeToTheCLibrary) {
  for (const double angle : {1.1e6, -3e9, 1e300}) {
    EXPECT_EQ(sincos(angle).sin, std::sin(angle));
    EXPECT_EQ(sincos(angle).cos, std::cos(angle));
  }
  for (const double angle :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_TRUE(std::isnan(sincos(angle).sin));
    EXPECT_TRUE(std::isnan(sincos(angle).cos));
  }
}

}  // namespace
}  // namespace sestina
