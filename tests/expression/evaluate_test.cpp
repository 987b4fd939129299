#include "sestina/expression/evaluate.h"

#include <gtest/gtest.h>

#include "sestina/expression/parse.h"

namespace sestina {
namespace {

class NonFiniteTest : public testing::Test {
 protected:
  std::string message(std::string_view text) {
    const Expr expr = parse(graph, text, resolve_to_symbols(graph));
    const auto fault = find_non_finite(graph, expr, bindings);
    return fault ? fault->message : "finite";
  }

  Graph graph;
  std::vector<Binding> bindings = {{graph.symbol("l1"), 2.0},
                                   {graph.symbol("l2"), 2.0},
                                   {graph.symbol("m"), -1.0},
                                   {graph.symbol("bad"), std::nan("")}};
};

TEST_F(NonFiniteTest, NamesTheSubexpressionAtFault) {
  constexpr std::pair<const char*, const char*> kMessages[] = {
      {"1/(l1 - l2)", "division by zero in 1/(l1 - l2)"},
      {"3 + sin(m/(l1 - l2))", "division by zero in m/(l1 - l2)"},
      {"(l1 - l2)^-2*m", "division by zero in m/(l1 - l2)^2"},
      {"(l1 - l2)/(l1 - l2)", "division by zero in (l1 - l2)/(l1 - l2)"},
      {"1/0", "division by zero in 1/0"},
      {"l1*ln(m)", "logarithm of a negative number in log(m)"},
      {"1/ln(l1 - l2)", "finite"},  // 1/-inf is 0
      {"2*ln(l1 - l2)", "logarithm of zero in log(l1 - l2)"},
      {"sqrt(m - 1)^3", "square root of a negative number in sqrt(m - 1)"},
      {"asin(l1)", "argument outside [-1, 1] in asin(l1)"},
      {"m^0.3", "fractional power of a negative number in m^0.3"},
      {"exp(1000*l1)", "overflow in exp(1000*l1)"},
      {"2*bad + 1/(l1 - l2)", "bad is nan"},
      {"1 + missing", "missing is nan"},
      {"if(l1 < 3, l2, 1/(l1 - l2))", "finite"},
      {"if(l1 > 3, l2, 1/(l1 - l2))", "division by zero in 1/(l1 - l2)"},
      {"if(bad < 3, l1, l2)", "bad is nan"},
      {"l1 + l2", "finite"},
  };
  for (const auto& [text, expected] : kMessages) EXPECT_EQ(message(text), expected) << text;
}

TEST_F(NonFiniteTest, CutsLongSubexpressions) {
  std::string sum = "l1 - l2";
  for (int i = 0; i < 100; ++i) sum += " + 0*l1 + (l1 - l2)*sin(l1 + " + std::to_string(i) + ")";
  EXPECT_LT(message("1/(" + sum + ")").size(), 150u);
  EXPECT_NE(message("1/(" + sum + ")"), "finite");
}

TEST(EvaluatorTest, EvaluatesSharedPartsOnce) {
  Graph graph;
  Evaluator evaluator(graph);
  const Expr x = graph.symbol("x");
  evaluator.bind(x, 0.5);
  Expr expr = x;
  double expected = 0.5;
  for (int i = 0; i < 1000; ++i) {
    expr = graph.unary(Op::kSin, expr);
    expected = std::sin(expected);
    EXPECT_EQ(evaluator(expr), expected);
  }
  EXPECT_EQ(evaluator.evaluated_nodes(), 1000u);
}

TEST(EvaluatorTest, EvaluatesWhatIsUsedInManyPlacesOnce) {
  Graph graph;
  Expr expr = graph.symbol("x");
  for (int i = 0; i < 60; ++i) expr = graph.atan2(expr, graph.unary(Op::kCos, expr));  // 2^60 as a tree
  Evaluator evaluator(graph);
  evaluator.bind(graph.symbol("x"), 0.5);
  EXPECT_TRUE(std::isfinite(evaluator(expr)));
  EXPECT_EQ(evaluator.evaluated_nodes(), 120u);
}

}  // namespace
}  // namespace sestina
