#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "expression/random_expression.h"
#include "sestina/expression/parse.h"
#include "sestina/expression/print.h"
#include "sestina/expression/tape.h"

namespace sestina {
namespace {

class DerivativeTest : public testing::Test {
 protected:
  Expr read(std::string_view text) { return parse(graph, text, resolve_to_symbols(graph)); }
  std::string derivative(std::string_view text) { return to_text(graph, graph.diff(read(text), xyz[0])); }

  Graph graph;
  std::array<Expr, 3> xyz = {graph.symbol("x"), graph.symbol("y"), graph.symbol("hip.q[1]")};
};

TEST_F(DerivativeTest, FollowsTheTextbook) {
  constexpr std::pair<const char*, const char*> kDerivatives[] = {
      {"5", "0"},
      {"y", "0"},
      {"x", "1"},
      {"x^3", "3*x^2"},
      {"x^-1", "-1/x^2"},
      {"2*x*y", "2*y"},
      {"sin(x)", "cos(x)"},
      {"cos(x)", "-sin(x)"},
      {"tan(x)", "1 + tan(x)^2"},
      {"exp(2*x)", "2*exp(2*x)"},
      {"log(x)", "1/x"},
      {"sqrt(x)", "1/(2*sqrt(x))"},
      {"abs(x)", "sign(x)"},
      {"sign(x) + step(x)", "0"},
      {"x^y", "y*x^(y - 1)"},
      {"y^x", "y^x*log(y)"},
      {"atan(x)", "1/(1 + x^2)"},
      {"asin(x)", "1/sqrt(1 - x^2)"},
      {"acos(x)", "-1/sqrt(1 - x^2)"},
      {"sinh(x)", "cosh(x)"},
      {"cosh(x)", "sinh(x)"},
      {"tanh(x)", "1 - tanh(x)^2"},
      {"atan2(x, y)", "y/(x^2 + y^2)"},
      {"if(y < 1, x^2, x)", "if(y < 1, 2*x, 1)"},
      {"min(x, y)", "if(x <= y, 1, 0)"},
      {"max(x, y)", "if(y <= x, 1, 0)"},
      {"x/0", "1/0"},
  };
  for (const auto& [text, expected] : kDerivatives) {
    EXPECT_EQ(graph.diff(read(text), xyz[0]), read(expected)) << text << ": " << derivative(text);
  }
}

TEST_F(DerivativeTest, AgreesWithDualNumbersOnRandomExpressions) {
  const std::array<double, 3> values = {0.7, -1.3, 2.1};
  int compared = 0;
  for (unsigned seed = 0; seed < 4'000; ++seed) {
    test::RandomExpression random(seed, values);
    const test::Reference reference = random.make(1 + static_cast<int>(seed % 4));
    const Expr expr = read(reference.text), slope = graph.diff(expr, xyz[0]);
    const Tape tape(graph, std::array{expr, slope}, xyz);
    std::vector<Dual> results(2), scratch(tape.scratch_size());
    const std::array<Dual, 3> inputs = {Dual{values[0], 1.0}, Dual{values[1]}, Dual{values[2]}};
    tape.evaluate<Dual>(inputs, results, scratch);
    const double symbolic = results[1].v, dual = results[0].d;
    if (!std::isfinite(symbolic) || !std::isfinite(dual)) continue;
    // Both are exact but for round-off; what cancels on the way is at most the condition of the value.
    const double condition =
        1.0 + static_cast<double>(reference.error / (1e-30L + std::abs(reference.value)));
    if (!(condition < 1e5)) continue;
    ASSERT_NEAR(symbolic, dual, 1e-9 * (1.0 + std::abs(dual))) << to_text(graph, expr) << "\n"
                                                               << to_text(graph, slope);
    if (dual != 0.0) ++compared;
  }
  EXPECT_GT(compared, 1'000);
}

TEST_F(DerivativeTest, AgreesWithFiniteDifferences) {
  for (const char* text :
       {"x^y*sin(x/y)", "exp(-x^2)/(1 + x)", "atan2(x*y, 1 + x)", "sqrt(1 + x^2)^3", "log(x)/x^2.5",
        "tanh(x)*cosh(y*x) - asin(x/3)", "if(x < 1, x^2, 2*x - 1)*abs(x - y)", "max(x*y, 1/x)*min(x, y)"}) {
    const Expr expr = read(text);
    const Tape tape(graph, std::array{expr, graph.diff(expr, xyz[0])}, xyz);
    std::vector<double> scratch(tape.scratch_size());
    const auto at = [&](double x) {
      std::array<double, 2> results;
      tape.evaluate<double>(std::array{x, 1.4, 0.0}, results, scratch);
      return results;
    };
    constexpr double h = 1e-5;
    // Truncation h^2 f'''/6 with f''' up to 1000 (log(x)/x^2.5), and round-off eps f/h.
    EXPECT_NEAR(at(0.6)[1], (at(0.6 + h)[0] - at(0.6 - h)[0]) / (2.0 * h), 1e-7) << text;
  }
}

TEST_F(DerivativeTest, StaysSmallBecausePartsAreShared) {
  Expr expr = xyz[0];
  for (int i = 0; i < 200; ++i) expr = graph.unary(Op::kSin, graph.multiply(expr, expr));
  const std::size_t before = graph.size();
  graph.diff(expr, xyz[0]);
  EXPECT_LT(graph.size() - before, 12u * 200u);
  const std::size_t after = graph.size();
  graph.diff(expr, xyz[0]);  // remembered
  EXPECT_EQ(graph.size(), after);
}

TEST_F(DerivativeTest, RaisesTheOrderOfATable) {
  const TableId cam = graph.add_table("cam", Table({0.0, 1.0, 3.0}, {0.0, 1.0, 2.0}, Interpolation::kPchip));
  const TableId line = graph.add_table("line", Table({0.0, 1.0}, {0.0, 1.0}, Interpolation::kLinear));
  const Expr x = xyz[0];
  EXPECT_EQ(graph.diff(read("cam(2*x)"), x), read("2*cam'(2*x)"));
  EXPECT_EQ(graph.diff(graph.table(cam, x, 1), x), graph.table(cam, x, 2));
  EXPECT_EQ(graph.diff(graph.table(cam, x, 3), x), graph.fraction(0));
  EXPECT_EQ(graph.diff(graph.table(line, x, 1), x), graph.fraction(0));
  EXPECT_EQ(to_text(graph, graph.table(cam, x, 2)), "cam''(x)");
}

}  // namespace
}  // namespace sestina
