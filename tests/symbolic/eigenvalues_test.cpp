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
