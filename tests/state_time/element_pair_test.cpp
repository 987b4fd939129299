#include "sestina/state_time/element_pair.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sestina {
namespace {

class EachPair : public testing::TestWithParam<std::string> {
 protected:
  ElementPair pair_ = make_element_pair(GetParam(), TestFunctions::kNatural);
  ElementPair upwind_ = make_element_pair(GetParam(), TestFunctions::kUpwind);
};
INSTANTIATE_TEST_SUITE_P(Pairs, EachPair, testing::ValuesIn(element_pair_names()),
                         [](const auto& test) { return test.param; });

// All numbers are of size one, except those of D, whose largest is about 4 k^2.
constexpr double kRoundOff = 1e-13;

TEST_P(EachPair, IntegratesPolynomialsOfDegreeTwoKMinusOne) {
  for (int degree = 0; degree <= 2 * pair_.degree; ++degree) {
    double sum = 0.0;
    for (std::size_t g = 0; g < pair_.points.size(); ++g) {
      sum += pair_.weights[g] * std::pow(pair_.points[g], degree);
    }
    if (degree < 2 * pair_.degree) {
      EXPECT_NEAR(sum, 1.0 / (degree + 1), kRoundOff) << degree;
    } else {
      EXPECT_GT(std::abs(sum - 1.0 / (degree + 1)), 1e-11) << "no rule of k points can do more";
    }
  }
}

TEST_P(EachPair, DifferentiatesAndContinuesPolynomialsOfDegreeK) {
  for (int degree = 0; degree <= pair_.degree; ++degree) {
    const auto value = [&](double s) { return std::pow(s - 0.3, degree); };
    const auto slope = [&](double s) { return degree == 0 ? 0.0 : degree * std::pow(s - 0.3, degree - 1); };
    double end = pair_.at_end[0] * value(0.0);
    for (int g = 0; g < pair_.degree; ++g) {
      const double s = pair_.points[static_cast<std::size_t>(g)];
      double rate = pair_.D(g, 0) * value(0.0), integral = 0.0;
      for (int j = 0; j < pair_.degree; ++j) {
        const double node = pair_.points[static_cast<std::size_t>(j)];
        rate += pair_.D(g, j + 1) * value(node);
        integral += pair_.A(g, j) * slope(node);
      }
      EXPECT_NEAR(rate, slope(s), 100.0 * kRoundOff) << degree;
      EXPECT_NEAR(integral, value(s) - value(0.0), kRoundOff) << degree;
      end += pair_.at_end[static_cast<std::size_t>(g + 1)] * value(s);
    }
    EXPECT_NEAR(end, value(1.0), 10.0 * kRoundOff) << degree;
  }
}

TEST_P(EachPair, ShapeFunctionsAreThoseOfTheNodes) {
  std::vector<double> shape(static_cast<std::size_t>(pair_.degree + 1));
  std::vector<double> integrals(static_cast<std::size_t>(pair_.degree));
  for (int i = 0; i <= pair_.degree; ++i) {
    pair_.calc_shape(i == 0 ? 0.0 : pair_.points[static_cast<std::size_t>(i - 1)], shape.data());
    for (int j = 0; j <= pair_.degree; ++j) {
      EXPECT_NEAR(shape[static_cast<std::size_t>(j)], i == j ? 1.0 : 0.0, kRoundOff);
    }
  }
  pair_.calc_integrals_of_point_values(1.0, integrals.data());
  for (std::size_t j = 0; j < integrals.size(); ++j) {
    EXPECT_NEAR(integrals[j], pair_.weights[j], kRoundOff);
  }
}

// v' = lambda v on one element: v(1)/v(0), by Gaussian elimination of its k equations.
double amplification(const ElementPair& pair, double lambda) {
  const int k = pair.degree;
  std::vector<std::vector<double>> rows;
  for (int g = 0; g < k; ++g) {
    std::vector<double> row;
    for (int j = 1; j <= k; ++j) row.push_back(pair.D(g, j) - (j == g + 1 ? lambda : 0.0));
    row.push_back(-pair.D(g, 0));
    rows.push_back(row);
  }
  const auto n = static_cast<std::size_t>(k);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t r = i + 1; r < n; ++r) {
      if (std::abs(rows[r][i]) > std::abs(rows[i][i])) std::swap(rows[r], rows[i]);
    }
    for (std::size_t r = 0; r < n; ++r) {
      if (r == i) continue;
      const double factor = rows[r][i] / rows[i][i];
      for (std::size_t c = i; c <= n; ++c) rows[r][c] -= factor * rows[i][c];
    }
  }
  double end = pair.at_end[0];
  for (std::size_t i = 0; i < n; ++i) end += pair.at_end[i + 1] * rows[i][n] / rows[i][i];
  return end;
}

TEST_P(EachPair, NaturalSetIsOfOrderTwoKAndUpwindOfTwoKMinusOne) {
  if (pair_.degree > 5) return;  // at the level of round-off
  // The logarithm of what an element does is in error by C lambda^(order + 1).
  const double large = pair_.degree < 4 ? 0.25 : 1.0;
  const auto order = [&](const ElementPair& pair) {
    const auto error = [&](double lambda) {
      return std::abs(std::log(amplification(pair, -lambda)) + lambda);
    };
    return std::log2(error(large) / error(0.5 * large)) - 1.0;
  };
  EXPECT_NEAR(order(pair_), 2 * pair_.degree, 0.5);
  EXPECT_NEAR(order(upwind_), 2 * pair_.degree - 1, 0.5);
}

TEST_P(EachPair, NaturalSetNeverGrowsAndUpwindForgetsWhatItDoesNotResolve) {
  for (double lambda = -1e-2; lambda > -1e9; lambda *= 10.0) {
    EXPECT_LE(std::abs(amplification(pair_, lambda)), 1.0 + 1e-9) << lambda;
    EXPECT_LE(std::abs(amplification(upwind_, lambda)), 1.0) << lambda;
  }
  EXPECT_NEAR(std::abs(amplification(pair_, -1e9)), 1.0, 1e-6);
  EXPECT_LT(std::abs(amplification(upwind_, -1e9)), 1e-6);
}

}  // namespace
}  // namespace sestina
