#include "sestina/symbolic/matrix.h"

#include <gmock/gmock.h>

#include "message_of.h"
#include "sestina/symbolic/lagrange.h"
#include "symbolic/symbolic_fixture.h"

namespace sestina::symbolic {
namespace {

class MatrixTest : public test::SymbolicTest {
 protected:
  // The largest of A x - b with the solution x by solve_linear.
  double calc_residual(const Matrix& A, const Matrix& b, const std::map<std::string, double>& values) {
    const Matrix x = solve_linear(mechanics, A, b, "x");
    double largest = 0.0;
    for (const double residual : evaluate(A * x - b, values)) {
      largest = std::max(largest, std::abs(residual));
    }
    return largest;
  }

  // The rounding error of zero if a right angle is a number.
  const double nothing = std::cos(M_PI / 2);
};

// The small number would make the fewest new elements.
TEST_F(MatrixTest, RoundOffIsNoPivot) {
  const double numbers[4][4] = {{nothing, 1, 0, 0}, {1, 1, 1, 1}, {0, 2, -1, 1}, {0, 1, 3, 1}};
  Matrix A(4, 4), b(4, 1);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) A(i, j) = numbers[i][j];
    b[i] = 1.3 + static_cast<double>(i);
  }
  EXPECT_LT(calc_residual(A, b, {}), 1e-14);
  A(1, 0) = mechanics.symbol("a");
  A(2, 1) = mechanics.symbol("a");
  EXPECT_LT(calc_residual(A, b, {{"a", 1.7}}), 1e-14);
}

// More unknowns than Cramer's rule is used for.
TEST_F(MatrixTest, RoundOffIsNoPivotAmongSymbols) {
  constexpr std::size_t n = kMostByCramer + 1;
  Matrix A(n, n), b(n, 1);
  std::map<std::string, double> values;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const std::string name = "a" + std::to_string(i) + std::to_string(j);
      A(i, j) = mechanics.symbol(name);
      values[name] = std::sin(static_cast<double>(3 * i * i + 7 * j + 1)) + (i == j ? 2.0 : 0.0);
    }
    b[i] = static_cast<double>(i) - 1.7;
  }
  A(0, 0) = nothing;
  values.erase("a00");
  EXPECT_LT(calc_residual(A, b, values), 1e-12);
}

// A number is small relative to larger ones, whatever the units.
TEST_F(MatrixTest, SmallUnitsAreSolvedIn) {
  Matrix A(3, 3), b(3, 1);
  const double numbers[3][3] = {{2, -1, 0.5}, {0.3, 1, 4}, {1, 1, -1}};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) A(i, j) = 1e-15 * numbers[i][j];
    b[i] = 1e-15 * static_cast<double>(i + 1);
  }
  EXPECT_LT(calc_residual(A, b, {}), 1e-29);
}

// A message names the unknown that is left open, and what can be done.
TEST_F(MatrixTest, EquationsWithoutASolutionNameTheUnknown) {
  const auto [a, b, c] = mechanics.symbols<3>("a b c");
  Matrix A(3, 3), right(3, 1);
  A(0, 0) = a;
  A(1, 1) = A(2, 1) = b;
  A(1, 2) = A(2, 2) = b * c;
  const EquationNames names("the balance", {a, b, c}, "ask for less");
  const auto message = [&, a = a](const Matrix& factors, const Matrix& of_right, const EquationNames& given) {
    return testing_support::message_of([&] { solve_linear(mechanics, factors, of_right, given); });
  };
  EXPECT_EQ(message(A, right, names),
            "the balance: the equations are linearly dependent and leave c open; ask for less");
  EXPECT_EQ(message(A, right, "the balance"),
            "the balance: the equations are linearly dependent and leave unknown 3 of 3 open");
  EXPECT_EQ(message(A.block(0, 0, 2, 3), Matrix(2, 1), names),
            "the balance: the number of equations is 2, that of unknowns 3; both must be the same");
  EXPECT_EQ(message(A, Matrix(2, 1), names),
            "the balance: the number of equations is 3, that of right sides 2; both must be the same");
  A(2, 2) = A(1, 2) = A(2, 1) = 0;
  EXPECT_THAT(testing_support::message_of([&] { solve_symmetric(mechanics, A, right, names); }),
              testing::StartsWith("the balance: c has the pivot zero; a mass matrix has that where"));
}

// The methods tell the coordinate or speed.
TEST_F(MatrixTest, MethodsNameTheSpeedThatNothingResists) {
  const ReferenceFrame N = mechanics.frame("N");
  const Point O = mechanics.point("O");
  const auto [x, y, u, v] = mechanics.dynamicsymbols<4>("x y u v");
  const Expression m = mechanics.symbol("m"), x_rate = mechanics.rate(x), y_rate = mechanics.rate(y);
  const Point P = O.locatenew("P", x * N.x());
  P.set_vel(N, u * N.x());
  const std::vector<Body> bodies = {Particle{"P", P, m}};
  const auto by_kane = [&, x = x, y = y, u = u, v = v](const Expression& second) {
    return testing_support::message_of([&] {
      (void)KanesMethod(N, {.q_ind = {x, y}, .u_ind = {u, v}, .kd_eqs = {x_rate - u, second}}, bodies, {})
          .rhs();
    });
  };
  EXPECT_EQ(by_kane(y_rate - v),
            "the equations of motion: the equations are linearly dependent and leave v' open; some mass or "
            "inertia must move with every speed");
  EXPECT_EQ(
      by_kane(x_rate - v),
      "the kinematic equations: the equations are linearly dependent and leave y' open; kd_eqs must give "
      "the rate of every coordinate");
  const LagrangesMethod lagrange(mechanics, m * x_rate * x_rate / 2 - m * y, {x, y});
  EXPECT_THAT(testing_support::message_of([&] { (void)lagrange.solve(); }),
              testing::HasSubstr("leave y'' open; some mass or inertia must move with every coordinate"));
}

}  // namespace
}  // namespace sestina::symbolic
