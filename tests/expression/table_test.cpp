#include "sestina/expression/table.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "sestina/base/error.h"

namespace sestina {
namespace {

const std::vector<double> kX = {-1.0, 0.0, 0.5, 2.0, 3.0, 4.0};
const std::vector<double> kY = {0.0, 1.0, 1.25, 4.0, 4.0, 2.0};

class TableTest : public testing::TestWithParam<Interpolation> {};

TEST_P(TableTest, PassesThroughItsPoints) {
  const Table table(kX, kY, GetParam());
  for (std::size_t i = 0; i < kX.size(); ++i) EXPECT_DOUBLE_EQ(table.calc(kX[i]), kY[i]);
}

TEST_P(TableTest, HoldsTheEndValuesOutside) {
  const Table table(kX, kY, GetParam());
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double x : {-1.5, -infinity}) {
    EXPECT_EQ(table.calc(x), 0.0);
    EXPECT_EQ(table.calc(x, 1), 0.0);
  }
  for (const double x : {4.0, 4.5, infinity}) {
    EXPECT_EQ(table.calc(x), 2.0);
    EXPECT_EQ(table.calc(x, 1), 0.0);
  }
  EXPECT_TRUE(std::isnan(table.calc(std::nan(""))));
  EXPECT_TRUE(std::isnan(table.calc(std::nan(""), 1)));
}

TEST_P(TableTest, KeepsTheShapeOfItsPoints) {
  const Table table(kX, kY, GetParam());
  for (std::size_t i = 0; i + 1 < kX.size(); ++i) {
    double last = kY[i];
    for (int k = 1; k <= 50; ++k) {
      const double y = table.calc(kX[i] + (kX[i + 1] - kX[i]) * k / 50.0);
      EXPECT_GE((y - last) * (kY[i + 1] - kY[i]), -1e-14);  // round-off of values of order 4
      if (kY[i] == kY[i + 1]) {
        EXPECT_NEAR(y, kY[i], 1e-14);
      }
      last = y;
    }
  }
}

TEST_P(TableTest, HasTheDerivativesOfItsPieces) {
  const Table table(kX, kY, GetParam());
  constexpr double h = 1e-6;
  for (const double x : {-0.7, 0.2, 1.1, 2.6, 3.9}) {
    for (int order = 0; order < 3; ++order) {
      const double slope = (table.calc(x + h, order) - table.calc(x - h, order)) / (2.0 * h);
      // Exact for quadratics; h^2 times the third derivative (of order 10) and eps/h besides.
      EXPECT_NEAR(table.calc(x, order + 1), slope, 1e-8) << x << ", order " << order;
    }
    EXPECT_EQ(table.calc(x, 4), 0.0);
  }
}

TEST_P(TableTest, GivesDualNumbersItsDerivative) {
  const Table table(kX, kY, GetParam());
  const Dual value = calc_table(table, 0, Dual{1.1, 2.0});
  EXPECT_EQ(value.v, table.calc(1.1));
  EXPECT_EQ(value.d, 2.0 * table.calc(1.1, 1));
  EXPECT_NE(value.d, 0.0);
  EXPECT_EQ(calc_table(table, 1, Dual{1.1, 2.0}).d, 2.0 * table.calc(1.1, 2));
}

INSTANTIATE_TEST_SUITE_P(Both, TableTest, testing::Values(Interpolation::kLinear, Interpolation::kPchip));

TEST(Table, IsOnceContinuouslyDifferentiableWhenCubic) {
  const Table table(kX, kY, Interpolation::kPchip);
  for (std::size_t i = 1; i + 1 < kX.size(); ++i) {
    // The slope changes by at most the second derivative (of order 10) times the distance.
    EXPECT_NEAR(table.calc(kX[i] - 1e-9, 1), table.calc(kX[i], 1), 1e-7);
  }
}

// PchipInterpolator of SciPy 1.17.1: x, value, slope.
TEST(Table, ReproducesPchipOfScipy) {
  const Table ours(kX, kY, Interpolation::kPchip);
  constexpr double kOurs[][3] = {{-0.5, 0.5863095238095238, 1.005952380952381},
                                 {0.3, 1.1412049689440995, 0.42819875776397515},
                                 {1.2, 2.6305442834138484, 2.5847342995169083},
                                 {2.5, 4.0, 0.0},
                                 {3.4, 3.5840000000000005, -1.9199999999999997}};
  const Table other({0.0, 1.0, 3.0, 4.0, 6.0}, {0.0, 2.0, 3.0, 1.0, 0.0}, Interpolation::kPchip);
  constexpr double kOther[][3] = {{0.5, 1.2053571428571428, 2.1607142857142856},
                                  {2.0, 2.7142857142857144, 0.5357142857142857},
                                  {3.5, 2.107142857142857, -2.785714285714285},
                                  {5.0, 0.2857142857142857, -0.5357142857142857}};
  // A few operations on numbers of order 4.
  for (const auto& [x, value, slope] : kOurs) {
    EXPECT_NEAR(ours.calc(x), value, 1e-14);
    EXPECT_NEAR(ours.calc(x, 1), slope, 1e-14);
  }
  for (const auto& [x, value, slope] : kOther) {
    EXPECT_NEAR(other.calc(x), value, 1e-14);
    EXPECT_NEAR(other.calc(x, 1), slope, 1e-14);
  }
}

// CubicSpline of SciPy 1.17: x, value, slope; ends not-a-knot, and periodic.
TEST(Table, ReproducesSplinesOfScipy) {
  const std::vector<double> x{0, 1, 2.5, 3, 4, 5}, y{1, 0.2, -0.9, -0.8, 0.1, 1};
  const Table open(x, y, Interpolation::kSpline), closed(x, y, Interpolation::kPeriodicSpline);
  constexpr double kOpen[][3] = {{0.3, 0.8258078212290503, -0.7071098696461824},
                                 {1.7, -0.4754100558659219, -0.8488305400372439},
                                 {2.7, -0.8972277094972068, 0.1400499068901306},
                                 {4.6, 0.7158417877094969, 0.8841996275605217}};
  constexpr double kClosed[][3] = {{0.3, 0.9094382022471912, -0.6202771535580525},
                                   {1.7, -0.5119830212234707, -0.8240374531835206},
                                   {2.7, -0.8935667415730337, 0.14595205992509375},
                                   {4.6, 0.7910687640449436, 0.8995385767790267}};
  for (const auto& [at, value, slope] : kOpen) {
    EXPECT_NEAR(open.calc(at), value, 1e-14);
    EXPECT_NEAR(open.calc(at, 1), slope, 1e-14);
  }
  for (const auto& [at, value, slope] : kClosed) {
    for (const double turn : {0.0, 5.0, -10.0}) {
      EXPECT_NEAR(closed.calc(at + turn), value, 3e-14);
      EXPECT_NEAR(closed.calc(at + turn, 1), slope, 3e-14);
    }
  }
  // Twice continuously differentiable, around the circle too.
  for (const double knot : {1.0, 2.5, 3.0, 4.0})
    EXPECT_NEAR(open.calc(knot - 1e-9, 2), open.calc(knot, 2), 1e-7);
  for (const double knot : {0.0, 1.0, 2.5, 3.0, 4.0, 5.0}) {
    EXPECT_NEAR(closed.calc(knot - 1e-9, 2), closed.calc(knot, 2), 1e-7);
  }
}

TEST(Table, GoesOnWithTheCubicWhoseValuesItHas) {
  const auto cubic = [](double x) { return 1 + x - 2 * x * x + 0.5 * x * x * x; };
  std::vector<double> x{-1, 0, 0.5, 2, 3}, y;
  for (const double at : x) y.push_back(cubic(at));
  const Table table(x, y, Interpolation::kSpline);
  for (const double at : {-2.0, 0.3, 1.0, 4.0}) EXPECT_NEAR(table.calc(at), cubic(at), 1e-13);
  EXPECT_NEAR(Table({0, 1, 3}, {0, 1, 9}, Interpolation::kSpline).calc(2), 4, 1e-14);
  EXPECT_NEAR(Table({0, 1, 2}, {0, 1, 0}, Interpolation::kPeriodicSpline).calc(2.5), 0.5, 1e-14);
}

TEST(Table, ReproducesAStraightLine) {
  const Table table({0.0, 0.1, 0.7, 2.0}, {1.0, 1.2, 2.4, 5.0}, Interpolation::kPchip);
  for (const double x : {0.05, 0.3, 1.0, 1.9}) EXPECT_NEAR(table.calc(x), 1.0 + 2.0 * x, 1e-14);
}

TEST(Table, NeedsTwoPointsInOrder) {
  const auto refused = [](std::vector<double> x, std::vector<double> y) {
    try {
      const Table table(std::move(x), std::move(y), Interpolation::kLinear);
      return std::string("accepted");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_THAT(refused({0.0, 1.0}, {0.0}), testing::HasSubstr("2 values of x but 1 of y"));
  EXPECT_THAT(refused({0.0}, {0.0}), testing::HasSubstr("needs two"));
  EXPECT_THAT(refused({0.0, 0.0}, {0.0, 1.0}), testing::HasSubstr("x[1] = 0"));
  EXPECT_THAT(refused({0.0, 2.0, 1.0}, {0.0, 1.0, 2.0}), testing::HasSubstr("x[2] = 1"));
  EXPECT_THAT(refused({0.0, 1.0}, {0.0, std::nan("")}), testing::HasSubstr("not finite"));
}

}  // namespace
}  // namespace sestina
