#include "sestina/integrate/butcher_tableau.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sestina {
namespace {

using Vector = std::vector<double>;

Vector times(const Vector& a, const Vector& b) {
  Vector product(a);
  for (std::size_t i = 0; i < a.size(); ++i) product[i] *= b[i];
  return product;
}

Vector apply(const ButcherTableau& tableau, const Vector& x) {
  Vector product(x.size(), 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < tableau.a[i].size(); ++j) product[i] += tableau.a[i][j] * x[j];
  }
  return product;
}

struct OrderCondition {
  int order;
  double density;  // the condition is b . weights = 1 / density
  Vector weights;
};

// The conditions of the 17 rooted trees up to order 5: Hairer, Norsett, Wanner I, table II.2.1 (order 5 as
// in section II.1.5).
std::vector<OrderCondition> make_order_conditions(const ButcherTableau& tableau) {
  const Vector one(tableau.b.size(), 1.0);
  const Vector& c = tableau.c;
  const Vector c2 = times(c, c);
  const Vector c3 = times(c2, c);
  const auto a = [&](const Vector& x) { return apply(tableau, x); };
  return {{1, 1, one},
          {2, 2, c},
          {3, 3, c2},
          {3, 6, a(c)},
          {4, 4, c3},
          {4, 8, times(c, a(c))},
          {4, 12, a(c2)},
          {4, 24, a(a(c))},
          {5, 5, times(c3, c)},
          {5, 10, times(c2, a(c))},
          {5, 15, times(c, a(c2))},
          {5, 30, times(c, a(a(c)))},
          {5, 20, times(a(c), a(c))},
          {5, 20, a(c3)},
          {5, 40, a(times(c, a(c)))},
          {5, 60, a(a(c2))},
          {5, 120, a(a(a(c)))}};
}

double calc_defect(const OrderCondition& condition, const Vector& b, double theta = 1.0) {
  double sum = 0.0;
  for (std::size_t i = 0; i < b.size(); ++i) sum += b[i] * condition.weights[i];
  return std::abs(sum - std::pow(theta, condition.order) / condition.density);
}

// Coefficients up to 12 in magnitude, a handful of products each: rounding stays below 1e-14.
constexpr double kRounding = 1e-14;

class Tableau : public testing::TestWithParam<ButcherTableau> {};

TEST_P(Tableau, SatisfiesTheConditionsOfItsOrderAndNoHigher) {
  const ButcherTableau& tableau = GetParam();
  double defect_of_next_order = 0.0;
  for (const OrderCondition& condition : make_order_conditions(tableau)) {
    const double defect = calc_defect(condition, tableau.b);
    if (condition.order <= tableau.order) {
      EXPECT_LT(defect, kRounding) << "1/" << condition.density;
    }
    if (condition.order == tableau.order + 1) defect_of_next_order = std::max(defect_of_next_order, defect);
  }
  if (tableau.order < 5) {
    EXPECT_GT(defect_of_next_order, 1e-3);
  }
}

TEST_P(Tableau, EmbeddedSolutionSatisfiesTheConditionsOfItsOrderAndNoHigher) {
  const ButcherTableau& tableau = GetParam();
  if (tableau.embedded_order == 0) {
    EXPECT_TRUE(tableau.b_embedded.empty());
    return;
  }
  double defect_of_next_order = 0.0;
  for (const OrderCondition& condition : make_order_conditions(tableau)) {
    const double defect = calc_defect(condition, tableau.b_embedded);
    if (condition.order <= tableau.embedded_order) {
      EXPECT_LT(defect, kRounding) << "1/" << condition.density;
    }
    if (condition.order == tableau.embedded_order + 1) {
      defect_of_next_order = std::max(defect_of_next_order, defect);
    }
  }
  EXPECT_GT(defect_of_next_order, 1e-4);  // or it could not tell an error
}

TEST_P(Tableau, StagesStandAtTheSumsOfTheirRows) {
  const ButcherTableau& tableau = GetParam();
  ASSERT_EQ(tableau.a.size(), tableau.b.size());
  ASSERT_EQ(tableau.c.size(), tableau.b.size());
  for (std::size_t i = 0; i < tableau.a.size(); ++i) {
    ASSERT_EQ(tableau.a[i].size(), i);
    double sum = 0.0;
    for (const double a : tableau.a[i]) sum += a;
    EXPECT_NEAR(sum, tableau.c[i], kRounding) << "stage " << i;
  }
}

TEST_P(Tableau, LastStageThatIsFirstOfTheNextStepStandsAtItsEnd) {
  const ButcherTableau& tableau = GetParam();
  if (!tableau.first_same_as_last) {
    EXPECT_TRUE(tableau.dense.empty());
    return;
  }
  EXPECT_EQ(tableau.c.back(), 1.0);
  EXPECT_EQ(tableau.b.back(), 0.0);
  EXPECT_EQ(tableau.a.back(), Vector(tableau.b.begin(), tableau.b.end() - 1));
}

TEST_P(Tableau, DenseOutputSatisfiesTheConditionsOfOrderFourWithinTheStep) {
  const ButcherTableau& tableau = GetParam();
  if (tableau.dense.empty()) return;
  for (const double theta : {0.1, 0.25, 0.5, 0.8, 0.95}) {
    const double rest = 1.0 - theta;
    Vector weights = tableau.b;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weights[i] =
          theta * theta * (3.0 - 2.0 * theta) * tableau.b[i] + theta * theta * rest * rest * tableau.dense[i];
    }
    weights.front() += theta * rest * rest;
    weights.back() -= theta * theta * rest;
    for (const OrderCondition& condition : make_order_conditions(tableau)) {
      if (condition.order > 4) continue;
      EXPECT_LT(calc_defect(condition, weights, theta), kRounding) << theta << " 1/" << condition.density;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Tableau,
                         testing::ValuesIn(explicit_tableaus().begin(), explicit_tableaus().end()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace sestina
