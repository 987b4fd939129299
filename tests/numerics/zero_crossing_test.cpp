// Narrowing a bracket around a zero.
#include "sestina/numerics/zero_crossing.h"

#include <gtest/gtest.h>

#include <functional>

namespace sestina {
namespace {

struct Narrowed {
  Bracket bracket;
  int evaluations = 0;
};

Narrowed narrow_counted(double a, double b, double tolerance, const std::function<double(double)>& g) {
  Narrowed result{{a, b, g(a), g(b)}, 0};
  narrow(result.bracket, tolerance, [&](double x) {
    ++result.evaluations;
    return g(x);
  });
  return result;
}

TEST(ZeroCrossing, IsBracketedWithinTheTolerance) {
  for (const double root : {1e-9, 0.1, 0.5, 0.777, 0.999999}) {
    for (const double sign : {-1.0, 1.0}) {
      const Narrowed x = narrow_counted(
          0.0, 1.0, 1e-13, [&](double t) { return sign * (std::exp(t) - std::exp(root)) * (1.0 + t * t); });
      EXPECT_TRUE(x.bracket.b - x.bracket.a <= 1e-13 || x.bracket.gb == 0.0);
      EXPECT_LE(x.bracket.a, root + 1e-15);
      EXPECT_GE(x.bracket.b, root - 1e-15);
      EXPECT_NE(sign_of(x.bracket.gb), sign_of(x.bracket.ga));
      // Bisection would take 44; a secant of a smooth function is at the end of its digits far sooner.
      EXPECT_LE(x.evaluations, 14) << root;
    }
  }
}

// Functions on which the secant creeps.
TEST(ZeroCrossing, NeverTakesMuchMoreThanBisection) {
  const int bisection = static_cast<int>(std::ceil(std::log2(1.0 / 1e-12)));
  const std::vector<std::function<double(double)>> functions = {
      [](double t) { return std::pow(t - 0.3, 9.0); }, [](double t) { return t < 0.618 ? -1e-8 : 1e6; },
      [](double t) { return std::copysign(std::pow(std::abs(t - 0.7), 0.1), t - 0.7); },
      [](double t) { return std::tanh(1e4 * (t - 0.123)); },
      [](double t) { return t * t * t * t * t * t * t * t * t * t - 1e-30; }};
  for (const auto& g : functions) {
    const Narrowed x = narrow_counted(0.0, 1.0, 1e-12, g);
    EXPECT_LE(x.evaluations, bisection + 2);
    EXPECT_TRUE(x.bracket.b - x.bracket.a <= 1e-12 || x.bracket.gb == 0.0);
  }
}

TEST(ZeroCrossing, StopsAtNeighbours) {
  const double one = 1.0, next = std::nextafter(one, 2.0);
  Bracket x{one, next, -1.0, 1.0};
  narrow(x, 0.0, [](double) -> double { throw std::logic_error("nothing lies between"); });
  EXPECT_EQ(x.a, one);
  EXPECT_EQ(x.b, next);
}

TEST(ZeroCrossing, DirectionsAreTold) {
  for (const int towards : {-1, 1}) {
    EXPECT_TRUE(is_wanted(CrossingDirection::kBoth, towards));
    EXPECT_EQ(is_wanted(CrossingDirection::kRising, towards), towards > 0);
    EXPECT_EQ(is_wanted(CrossingDirection::kFalling, towards), towards < 0);
  }
}

}  // namespace
}  // namespace sestina
