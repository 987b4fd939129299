#include "sestina/symbolic/matrix.h"

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

  // What is left of zero where a right angle is a number.
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

// Small is what stands beside larger numbers, whatever the units.
TEST_F(MatrixTest, SmallUnitsAreSolvedIn) {
  Matrix A(3, 3), b(3, 1);
  const double numbers[3][3] = {{2, -1, 0.5}, {0.3, 1, 4}, {1, 1, -1}};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) A(i, j) = 1e-15 * numbers[i][j];
    b[i] = 1e-15 * static_cast<double>(i + 1);
  }
  EXPECT_LT(calc_residual(A, b, {}), 1e-29);
}

}  // namespace
}  // namespace sestina::symbolic
