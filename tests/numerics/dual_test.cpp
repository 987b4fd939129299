// Every function of Dual, twice: against central differences, which use no rule of differentiation,
// and by identities between functions, which hold to round-off.
#include "sestina/numerics/dual.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <ostream>
#include <vector>

namespace sestina {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Function {
  const char* name;
  std::function<Dual(Dual)> dual;
  std::function<double(double)> plain;
  std::vector<double> at;
};
void PrintTo(const Function& f, std::ostream* out) { *out << f.name; }

#define SESTINA_FUNCTION(name, ...)                                                               \
  Function {                                                                                      \
#name, [](Dual x) { return name(x); }, [](double x) { return std::name(x); }, { __VA_ARGS__ } \
  }

const std::vector<Function> kFunctions{
    SESTINA_FUNCTION(sqrt, 0.3, 1.0, 7.0),
    SESTINA_FUNCTION(sin, -4.0, 0.0, 0.7, 2.5),
    SESTINA_FUNCTION(cos, -4.0, 0.0, 0.7, 2.5),
    SESTINA_FUNCTION(tan, -1.2, 0.0, 0.7, 2.5),
    SESTINA_FUNCTION(asin, -0.9, 0.0, 0.4),
    SESTINA_FUNCTION(acos, -0.9, 0.0, 0.4),
    SESTINA_FUNCTION(atan, -3.0, 0.0, 0.4, 5.0),
    SESTINA_FUNCTION(sinh, -2.0, 0.0, 1.5),
    SESTINA_FUNCTION(cosh, -2.0, 0.0, 1.5),
    SESTINA_FUNCTION(tanh, -2.0, 0.0, 1.5),
    SESTINA_FUNCTION(exp, -2.0, 0.0, 1.5),
    SESTINA_FUNCTION(log, 0.2, 1.0, 9.0),
    SESTINA_FUNCTION(abs, -2.0, 3.0),
};

class DualFunction : public testing::TestWithParam<Function> {};

TEST_P(DualFunction, HasTheValueOfTheFunctionOfDouble) {
  for (double x : GetParam().at) EXPECT_EQ(GetParam().dual({x, 1.0}).v, GetParam().plain(x)) << "at " << x;
}

TEST_P(DualFunction, HasTheDerivativeOfTheFunctionTimesTheDirection) {
  constexpr double h = 1e-5, direction = -1.7;
  for (double x : GetParam().at) {
    const double slope = (GetParam().plain(x + h) - GetParam().plain(x - h)) / (2.0 * h);
    // Truncation 1.7 h^2/6 |f'''| with |f'''| <= 320 (tan at -1.2), and round-off 1e-16/h = 1e-11.
    EXPECT_NEAR(GetParam().dual({x, direction}).d, slope * direction, 1e-8) << "at " << x;
  }
}

INSTANTIATE_TEST_SUITE_P(Every, DualFunction, testing::ValuesIn(kFunctions),
                         [](const auto& tested) { return std::string(tested.param.name); });

// Round-off of a handful of operations on numbers of size one.
constexpr double kRoundOff = 1e-14;

void expect_near(Dual a, Dual b) {
  EXPECT_NEAR(a.v, b.v, kRoundOff * (1.0 + std::abs(b.v)));
  EXPECT_NEAR(a.d, b.d, kRoundOff * (1.0 + std::abs(b.d)));
}

TEST(Dual, ObeysProductAndQuotientRules) {
  const Dual a{1.3, 0.7}, b{-2.1, 0.4};
  expect_near(a * b, {1.3 * -2.1, 1.3 * 0.4 + 0.7 * -2.1});
  expect_near(a / b, {1.3 / -2.1, (0.7 * -2.1 - 1.3 * 0.4) / (2.1 * 2.1)});
  expect_near(a / b * b, a);
  expect_near((a + b) * (a - b), a * a - b * b);
  expect_near(-a + (+a), {0.0, 0.0});
}

TEST(Dual, UpdatesInPlaceEvenFromItself) {
  Dual a{1.3, 0.7};
  const Dual& itself = a;
  a += itself;
  expect_near(a, {2.6, 1.4});
  a *= itself;
  expect_near(a, {6.76, 7.28});
  a /= itself;
  expect_near(a, {1.0, 0.0});
  a -= itself;
  expect_near(a, {0.0, 0.0});
}

TEST(Dual, TakesPlainNumbersAsConstants) {
  const Dual a{1.3, 0.7};
  expect_near(2.0 * a + 1.0, {3.6, 1.4});
  expect_near(1.0 / a, {1.0 / 1.3, -0.7 / 1.69});
}

TEST(Dual, ComparesByValueAlone) {
  EXPECT_TRUE((Dual{1.0, 5.0} < Dual{2.0, -5.0}));
  EXPECT_TRUE((Dual{1.0, 5.0} == Dual{1.0, -5.0}));
  EXPECT_TRUE((Dual{1.0, 5.0} <= Dual{1.0, -5.0} && Dual{1.0, 5.0} >= Dual{1.0, -5.0}));
  EXPECT_FALSE((Dual{1.0, 5.0} != Dual{1.0, -5.0} || Dual{1.0, 5.0} > Dual{1.0, -5.0}));
}

TEST(Dual, KeepsTheIdentitiesBetweenFunctions) {
  for (double x : {-1.4, -0.3, 0.0, 0.6, 1.1}) {
    const Dual a{x, 0.8};
    expect_near(sin(a) * sin(a) + cos(a) * cos(a), 1.0);
    expect_near(sin(a) / cos(a), tan(a));
    expect_near(cosh(a) * cosh(a) - sinh(a) * sinh(a), 1.0);
    expect_near(sinh(a) / cosh(a), tanh(a));
    expect_near((exp(a) - exp(-a)) / 2.0, sinh(a));
    expect_near(asin(sin(a)), a);
    expect_near(atan(tan(a)), a);
    expect_near(acos(sin(a)), 2.0 * std::atan(1.0) - a);
    expect_near(log(exp(a)), a);
    expect_near(sqrt(exp(a)) * sqrt(exp(a)), exp(a));
    expect_near(sincos(a).sin, sin(a));
    expect_near(sincos(a).cos, cos(a));
  }
}

TEST(Dual, Atan2FollowsTheAngleThroughAllQuadrants) {
  for (double angle : {-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0}) {
    const Dual a{angle, 0.8}, r{2.5, -0.3};
    expect_near(atan2(r * sin(a), r * cos(a)), a);
  }
}

TEST(Dual, PowIsTheExponentialOfTheLogarithm) {
  const Dual a{1.7, 0.4}, b{-2.3, 0.9};
  expect_near(pow(a, b), exp(b * log(a)));
  expect_near(pow(a, 3.0), a * a * a);
  expect_near(pow(2.0, a), exp(a * std::log(2.0)));
}

TEST(Dual, PowTakesBasesThatAreNotPositive) {
  const Dual minus{-1.5, 0.4}, zero{0.0, 0.4};
  expect_near(pow(minus, 2.0), minus * minus);
  expect_near(pow(minus, -1.0), 1.0 / minus);
  expect_near(pow(zero, 2.0), 0.0);
  expect_near(pow(zero, 1.0), zero);
  expect_near(pow(zero, 0.0), 1.0);
  expect_near(pow(0.0, Dual{2.0, 1.0}), 0.0);
}

// Otherwise one sqrt(0) among the constants of a model turns every derivative into not-a-number.
TEST(Dual, AConstantHasNoDerivativeEvenAtAVerticalTangent) {
  EXPECT_EQ(sqrt(Dual(0.0)).d, 0.0);
  EXPECT_EQ(pow(Dual(0.0), 0.5).d, 0.0);
  EXPECT_EQ(asin(Dual(1.0)).d, 0.0);
  EXPECT_EQ(acos(Dual(-1.0)).d, 0.0);
  EXPECT_EQ(log(Dual(0.0)).d, 0.0);
  EXPECT_EQ(atan2(Dual(0.0), Dual(0.0)).d, 0.0);
}

TEST(Dual, AVariableHasAnInfiniteDerivativeAtAVerticalTangent) {
  EXPECT_EQ(sqrt(Dual(0.0, 1.0)).d, kInfinity);
  EXPECT_EQ(asin(Dual(1.0, 1.0)).d, kInfinity);
  EXPECT_EQ(acos(Dual(1.0, 1.0)).d, -kInfinity);
}

TEST(Dual, SelectCarriesTheDerivativeOfTheBranchTaken) {
  const Dual a{1.0, 2.0}, b{3.0, 4.0};
  EXPECT_EQ(select(a < b, a, b).d, 2.0);
  EXPECT_EQ(select(a > b, a, b).d, 4.0);
}

// The branch not taken may be a division by zero, as in the series near zero rotation.
TEST(Dual, SelectLeavesNothingOfTheBranchNotTaken) {
  const Dual zero{0.0, 1.0};
  EXPECT_EQ(select(zero < 1e-4, zero, 1.0 / zero).d, 1.0);
}

}  // namespace
}  // namespace sestina
