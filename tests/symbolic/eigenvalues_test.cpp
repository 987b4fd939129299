#include "sestina/symbolic/eigenvalues.h"

#include <cmath>

#include "sestina/base/error.h"
#include "sestina/symbolic/linearize.h"
#include "symbolic/bicycle.h"
#include "symbolic/symbolic_fixture.h"

namespace sestina::symbolic {
namespace {

class EigenvalueTest : public test::SymbolicTest {};

// x'' + c x' + x = 0: two real roots meet at c = 2 and become a pair, which crosses the axis at c = 0.
TEST_F(EigenvalueTest, FollowsBranchesAndFindsWhereTheyCross) {
  const Expression c = mechanics.symbol("c"), k = mechanics.symbol("k");
  Matrix A(2, 2);
  A(0, 1) = 1;
  A(1, 0) = -k;
  A(1, 1) = -c;
  std::vector<double> values;
  for (int i = 0; i <= 70; ++i) values.push_back(3.0 - 0.07 * i);
  const EigenvalueBranches branches = calc_eigenvalue_branches(mechanics, A, c, values, {{k, 1.0}});
  ASSERT_EQ(branches.branches.size(), 2u);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::complex<double> a = branches.branches[0][i], b = branches.branches[1][i];
    EXPECT_NEAR((a + b).real(), -values[i], 1e-13);
    EXPECT_NEAR(std::abs(a * b - 1.0), 0.0, 1e-13);
    if (i > 0 && std::abs(values[i] - 2.0) > 0.2) {
      EXPECT_LT(std::abs(a - branches.branches[0][i - 1]), 0.2);
    }
  }
  ASSERT_EQ(branches.changes.size(), 1u);
  EXPECT_NEAR(branches.changes[0].value, 0.0, 1e-12);
  EXPECT_NEAR(branches.changes[0].eigenvalue.imag(), 1.0, 1e-12);
  EXPECT_TRUE(branches.changes[0].is_stabilised);  // with growing c
  EXPECT_THROW((void)calc_eigenvalues(mechanics, Matrix(1, 2)), InputError);
}

using Changes = std::vector<EigenvalueBranches::Change>;

Matrix square(const std::vector<Expression>& elements) {
  const auto n = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(elements.size()))));
  Matrix matrix(n, n);
  for (std::size_t i = 0; i < elements.size(); ++i) matrix[i] = elements[i];
  return matrix;
}

TEST_F(EigenvalueTest, AChangeIsFoundOnceWhereverTheValuesLie) {
  const Expression p = mechanics.symbol("p");
  const Matrix alone = square({p}), pair = square({0, 1, -1, p}), poles = square({1 / p}),
               touch = square({p * p}), both = square({p, 0, 0, -p});
  const auto changes = [&](const Matrix& A, std::vector<double> values) {
    return calc_eigenvalue_branches(mechanics, A, p, values).changes;
  };
  const auto is_one_at_zero = [](const Changes& found, double tolerance, double imag, bool is_stabilised) {
    return found.size() == 1 && std::abs(found[0].value) <= tolerance &&
           std::abs(found[0].eigenvalue - std::complex(0.0, imag)) <= 1e-9 &&
           found[0].is_stabilised == is_stabilised;
  };
  for (const std::vector<double>& values : {std::vector{-1.0, 0.0, 1.0},
                                            {-1.0, 1.0},
                                            {-0.3, 1.0},
                                            {1.0, 0.0, -1.0},
                                            {1.0, -0.3},
                                            {0.0, 1.0},
                                            {-5.0, 0.0, 0.0, 3.0},
                                            {-2.5, 2.5},
                                            {2.5, 0.0, -2.5}}) {
    EXPECT_TRUE(is_one_at_zero(changes(alone, values), 1e-11, 0.0, false)) << testing::PrintToString(values);
    EXPECT_TRUE(is_one_at_zero(changes(pair, values), 1e-11, 1.0, false)) << testing::PrintToString(values);
    if (values.front() == 0.0) continue;  // no longer positive from the beginning
    EXPECT_TRUE(is_one_at_zero(changes(-alone, values), 1e-11, 0.0, true)) << testing::PrintToString(values);
  }
  EXPECT_TRUE(changes(alone, {-1.0, 0.0}).empty());  // not yet positive
  EXPECT_TRUE(changes(touch, {-1.0, 0.0, 1.0}).empty());
  EXPECT_TRUE(changes(poles, {-1.0, 1.0}).empty());
  EXPECT_TRUE(changes(poles, {-1.0, 0.7}).empty());
  EXPECT_EQ(changes(both, {-1.0, -0.6, -0.2, 0.3, 1.0}).size(), 2u);
  EXPECT_EQ(changes(both, {-1.0, -0.5, 0.0, 0.5}).size(), 2u);
  EXPECT_THROW((void)changes(poles, {-1.0, 0.0}), InputError);
}

// A follower load P on the double link of Ziegler (masses 2 m and m, springs k, lengths l): the two modes
// meet at P l / k = 7/2 - sqrt(2), and flutter begins. A weight instead makes it buckle where the determinant
// of its stiffness vanishes, P l / k = (3 - sqrt(5))/2.
TEST_F(EigenvalueTest, UndampedModesBecomeUnstableWhereTheyMeet) {
  const Expression P = mechanics.symbol("P");
  const Matrix inverse_mass =
      square({Expression(1) / 2, -Expression(1) / 2, -Expression(1) / 2, Expression(3) / 2});
  const auto system = [&](const Matrix& stiffness) {
    const Matrix acceleration = -(inverse_mass * stiffness);
    Matrix A(4, 4);
    A(0, 2) = A(1, 3) = 1;
    for (std::size_t i = 0; i < 4; ++i) A(2 + i / 2, i % 2) = acceleration[i];
    return A;
  };
  const Matrix follower = square({2 - P, P - 1, -1, 1}), weight = square({2 - P, -1, -1, 1 - P});
  for (const double step : {0.4, 0.25, 0.1, 0.01}) {
    std::vector<double> loads;
    for (int i = 0; i * step <= 2.45; ++i) loads.push_back(i * step);
    const Changes flutter = calc_eigenvalue_branches(mechanics, system(follower), P, loads).changes;
    ASSERT_EQ(flutter.size(), 1u) << step;
    EXPECT_NEAR(flutter[0].value, 3.5 - std::sqrt(2.0), 1e-9) << step;
    EXPECT_NEAR(flutter[0].eigenvalue.imag(), std::pow(0.5, 0.25), 1e-4) << step;
    EXPECT_FALSE(flutter[0].is_stabilised);
    const Changes buckling = calc_eigenvalue_branches(mechanics, system(weight), P, loads).changes;
    ASSERT_EQ(buckling.size(), 1u) << step;
    EXPECT_NEAR(buckling[0].value, (3.0 - std::sqrt(5.0)) / 2.0, 1e-9) << step;
    EXPECT_NEAR(std::abs(buckling[0].eigenvalue), 0.0, 1e-4) << step;
  }
}

// Modes of very different pace and in very different units, of which the slowest is hardly unstable.
TEST_F(EigenvalueTest, SlowModesAreNotLostBesideFastOnes) {
  const Expression p = mechanics.symbol("p");
  Matrix A(4, 4);
  A(0, 1) = 1;
  A(1, 0) = -1e10;
  A(1, 1) = -3;
  A(2, 3) = 1e8;
  A(3, 2) = -1e-8;
  A(3, 3) = 2e-6 * p;
  A(0, 2) = 1e-3;
  const Changes found = calc_eigenvalue_branches(mechanics, A, p, std::vector{-1.0, -0.4, 1.0}).changes;
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].value, 0.0, 1e-3);
  EXPECT_NEAR(found[0].eigenvalue.imag(), 1.0, 1e-9);
}

// A branch that falls steeply from far away, and one beside it that changes.
TEST_F(EigenvalueTest, BranchesThatComeFromFarAreNotTakenForOthers) {
  const Expression p = mechanics.symbol("p");
  for (const double first : {1e-2, 1e-3, 1e-4, 1e-6}) {
    const Changes found =
        calc_eigenvalue_branches(mechanics, square({p - 1, 0, 0, -1 / p}), p, std::vector{first, 2.0})
            .changes;
    ASSERT_EQ(found.size(), 1u) << first;
    EXPECT_NEAR(found[0].value, 1.0, 1e-11);
  }
}

// Zero eigenvalues of which three are one chain, in coordinates where none of it is zero: rounding scatters
// them by its cube root.
TEST_F(EigenvalueTest, ScatteredZerosDoNotChange) {
  const Expression p = mechanics.symbol("p");
  Matrix chain(5, 5), mix(5, 5);
  chain(0, 1) = chain(1, 2) = 1;
  chain(3, 3) = -4;
  chain(4, 4) = p - 5;
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 5; ++j) mix(i, j) = (i == j ? 3.7 : 0.0) + std::sin(1.0 + 5.0 * i + 3.0 * j);
  }
  const Matrix A = solve_linear(mechanics, mix, chain * mix, "the mixed coordinates");
  std::vector<double> values;
  for (int i = 0; i <= 48; ++i) values.push_back(0.25 * i + 0.1);
  const Changes found = calc_eigenvalue_branches(mechanics, A, p, values).changes;
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].value, 5.0, 1e-4);
}

// A fast part that does not act on the rest does not affect its accuracy.
TEST_F(EigenvalueTest, AFastPartDownstreamHidesNothing) {
  const Expression p = mechanics.symbol("p");
  for (const double fast : {1e6, 1e9, 1e12}) {
    const Matrix A = square({0, 1, 0, -1, p, 0, 0, 0.5, -fast});
    for (const std::vector<double>& values : {std::vector{-1.0, 0.7, 1.3}, {-1e-4, 0.7e-4}}) {
      const Changes found = calc_eigenvalue_branches(mechanics, A, p, values).changes;
      ASSERT_EQ(found.size(), 1u) << fast;
      EXPECT_NEAR(found[0].value, 0.0, 1e-11);
      EXPECT_NEAR(found[0].eigenvalue.imag(), 1.0, 1e-9);
    }
  }
}

// Two roots are real at both values, and a pair crosses the axis between them.
TEST_F(EigenvalueTest, APairBetweenRealValuesIsListedOnce) {
  const Expression p = mechanics.symbol("p");
  const Matrix A = square({0, 1, -1, p});
  const Changes found = calc_eigenvalue_branches(mechanics, A, p, std::vector{-3.0, 3.0}).changes;
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].value, 0.0, 1e-11);
  EXPECT_NEAR(found[0].eigenvalue.imag(), 1.0, 1e-9);
}

// The bicycle of Meijaard et al. 2007 is stable between its weave speed, about 4.292 m/s, and its capsize
// speed, about 6.024 m/s. To all digits they are those of the conditions of Hurwitz on the characteristic
// polynomial and of a vanishing determinant.
TEST_F(EigenvalueTest, TheBicycleIsStableBetweenItsWeaveAndItsCapsizeSpeed) {
  test::Bicycle bicycle(mechanics);
  const Matrix full = linearize(bicycle.derive(), bicycle.riding()).A;
  Matrix A(4, 4);
  constexpr std::size_t kPlaces[] = {1, 2, 3, 5};
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) A(i, j) = full(kPlaces[i], kPlaces[j]);
  }
  const Expression v = mechanics.symbol("v");
  std::vector<double> speeds;
  for (int i = 0; i <= 100; ++i) speeds.push_back(0.1 * i);
  const EigenvalueBranches branches = calc_eigenvalue_branches(mechanics, A, v, speeds);
  ASSERT_EQ(branches.changes.size(), 2u);
  const auto& [weave, capsize] = std::pair(branches.changes[0], branches.changes[1]);
  EXPECT_NEAR(weave.value, 4.292, 5e-4);
  EXPECT_TRUE(weave.is_stabilised);
  EXPECT_GT(weave.eigenvalue.imag(), 3.0);
  EXPECT_NEAR(capsize.value, 6.024, 5e-4);
  EXPECT_FALSE(capsize.is_stabilised);
  EXPECT_EQ(capsize.eigenvalue.imag(), 0.0);

  // s^4 + b s^3 + c s^2 + d s + e of [0 1; K D].
  const auto polynomial = [&](double speed) {
    const std::vector<double> a = evaluate(A, {{"v", speed}});
    const double k11 = a[8], k12 = a[9], d11 = a[10], d12 = a[11], k21 = a[12], k22 = a[13], d21 = a[14],
                 d22 = a[15];
    return std::array{-d11 - d22, d11 * d22 - d12 * d21 - k11 - k22,
                      d11 * k22 + k11 * d22 - d12 * k21 - k12 * d21, k11 * k22 - k12 * k21};
  };
  const auto [b, c, d, unused] = polynomial(weave.value);
  const double e = polynomial(weave.value)[3];
  EXPECT_NEAR(b * c * d - d * d - b * b * e, 0.0, 1e-9 * b * c * d) << unused;
  EXPECT_NEAR(polynomial(capsize.value)[3], 0.0, 1e-9);
  // The castering branch stays real and falls throughout.
  for (std::size_t i = 1; i < speeds.size(); ++i) {
    int falling = 0;
    for (const auto& branch : branches.branches) {
      if (branch[i].imag() == 0.0 && branch[i].real() < -5.0 && branch[i].real() < branch[i - 1].real())
        ++falling;
    }
    EXPECT_EQ(falling, 1) << speeds[i];
  }
}

}  // namespace
}  // namespace sestina::symbolic
