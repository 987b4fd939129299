#include "sestina/state_time/element_choice.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "sestina/state_time/element_pair.h"

namespace sestina::test {
namespace {

// Errors as those of an exponential: C (h / T)^(k + 1) / k!.
std::vector<ElementError> errors_of(int degree, double h, double T, std::size_t count) {
  const auto error = [&](int k) { return std::pow(h / T, k + 1) / std::tgamma(k + 1.0); };
  return std::vector<ElementError>(count, {h, error(degree), error(degree - 1)});
}

TEST(ChooseElementsTest, TakesHigherDegreesForSmallerErrors) {
  int before = 0;
  for (const double tolerance : {1e-1, 1e-3, 1e-12}) {
    const ElementChoice choice =
        choose_elements(errors_of(4, 0.1, 0.3, 10), tolerance, 4, {kLeastDegree, kMostDegree});
    EXPECT_GT(choice.degree, before) << tolerance;
    before = choice.degree;
  }
  EXPECT_EQ(before, kMostDegree);
}

TEST(ChooseElementsTest, WantsTheLengthsThatEachDegreeNeeds) {
  for (int degree = kLeastDegree; degree <= kMostDegree; ++degree) {
    const ElementChoice choice = choose_elements(errors_of(4, 0.1, 0.3, 1), 1e-5, 4, {degree, degree});
    EXPECT_EQ(choice.degree, degree);
    // (l / T)^(k + 1) / k! = 1e-5, less a seventh for safety.
    const double length = 0.3 * std::pow(1e-5 * std::tgamma(degree + 1.0), 1.0 / (degree + 1));
    EXPECT_NEAR(choice.wanted[0], 0.85 * length, 1e-12) << degree;
  }
}

TEST(ChooseElementsTest, TrustsNoErrorsThatDoNotFallWithTheDegree) {
  const ElementChoice choice =
      choose_elements(std::vector<ElementError>(4, {0.1, 0.5, 0.4}), 1e-3, 4, {4, 8});
  for (const double length : choice.wanted) EXPECT_LT(length, 0.05);
}

TEST(SpreadElementsTest, CutsAndMergesToTheLengthsWanted) {
  const std::vector<double> lengths{1.0, 1.0, 1.0, 1.0}, wanted{4.0, 4.0, 0.5, 2.0};
  const std::vector<double> spread = spread_elements(lengths, wanted);
  EXPECT_NEAR(std::accumulate(spread.begin(), spread.end(), 0.0), 4.0, 1e-14);
  // 1/2 + 1/1 + 1/0.5 + 1/1 once neighbours differ by no more than two, rounded up.
  ASSERT_EQ(spread.size(), 5U);
  double t = 0.0;
  for (const double h : spread) {
    double least = 1e300;  // of the lengths wanted where this element is
    for (std::size_t e = 0; e < lengths.size(); ++e) {
      const double begin = static_cast<double>(e);
      if (t < begin + 1.0 && t + h > begin) least = std::min(least, wanted[e]);
    }
    EXPECT_GT(h, 0.0);
    if (least > 0.5) {
      EXPECT_GT(h, 0.5) << "at " << t;
    }
    t += h;
  }
}

TEST(SpreadElementsTest, KeepsWhatIsAsWanted) {
  const std::vector<double> lengths{0.5, 0.5, 0.25};
  EXPECT_EQ(spread_elements(lengths, lengths), lengths);
}

}  // namespace
}  // namespace sestina::test
