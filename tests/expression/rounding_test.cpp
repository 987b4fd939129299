#include "sestina/expression/rounding.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "expression/random_expression.h"
#include "sestina/expression/evaluate.h"
#include "sestina/expression/parse.h"
#include "sestina/expression/print.h"

namespace sestina {
namespace {

class RoundingTest : public testing::Test {
 protected:
  Expr read(std::string_view text) { return parse(graph, text, resolve_to_symbols(graph)); }
  double at(Expr expr, double x, double y, double z = 1.0) {
    const std::array<Binding, 3> bindings = {
        {{graph.symbol("x"), x}, {graph.symbol("y"), y}, {graph.symbol("hip.q[1]"), z}}};
    return evaluate(graph, expr, bindings);
  }
  double size(std::string_view text, double x, double y) { return at(RoundingSize(graph)(read(text)), x, y); }

  Graph graph;
};

TEST_F(RoundingTest, CountsWhatCancels) {
  EXPECT_EQ(size("x - y", 3.0, 3.0), 6.0);
  EXPECT_EQ(size("x - 3", 3.0, 0.0), 6.0);
  EXPECT_EQ(size("x*(x - y)", 3.0, 3.0), 18.0);
  EXPECT_EQ(size("x^3", -2.0, 0.0), 3 * 8 + 8);
  EXPECT_NEAR(size("sin(x)", M_PI, 0.0), M_PI, 1e-15);
  EXPECT_EQ(size("1 - cos(x)", 0.0, 0.0), 2.0);
  EXPECT_EQ(size("if(x < y, x - y, 100)", 1.0, 2.0), 3.0 + 1.0);
}

TEST_F(RoundingTest, AZeroCountsToWhatItIsKnown) {
  RoundingSize size(graph);
  size.set_least(graph.symbol("x"), 1e-3);
  EXPECT_DOUBLE_EQ(at(size(read("5*x - 5*y")), 0.0, 0.0), 5e-3);
  EXPECT_DOUBLE_EQ(at(size(read("5*x - 5*y")), 2.0, -3.0), 25.005);
}

// Changes of the numbers change the value by no more than the bound.
TEST_F(RoundingTest, BoundsWhatChangesOfAllNumbersDo) {
  constexpr std::array<double, 3> kValues = {0.7, -1.3, 2.1};
  constexpr double kChange = 1e-9;
  int compared = 0;
  for (unsigned seed = 0; seed < 2'000; ++seed) {
    test::RandomExpression random(seed, kValues);
    const Expr expr = read(random.make(1 + static_cast<int>(seed % 4)).text);
    const double most = at(RoundingSize(graph)(expr), kValues[0], kValues[1], kValues[2]),
                 value = at(expr, kValues[0], kValues[1], kValues[2]);
    if (!std::isfinite(value) || !std::isfinite(most) || most > 1e6) continue;
    EXPECT_LE(std::abs(value), most * (1.0 + 1e-14)) << to_text(graph, expr);
    for (const double x : {1.0 - kChange, 1.0 + kChange}) {
      for (const double y : {1.0 - kChange, 1.0 + kChange}) {
        const double changed = at(expr, kValues[0] * x, kValues[1] * y, kValues[2]);
        EXPECT_LE(std::abs(changed - value), 1.001 * kChange * most + 1e-5 * kChange) << to_text(graph, expr);
      }
    }
    ++compared;
  }
  EXPECT_GT(compared, 1'000);
}

}  // namespace
}  // namespace sestina
