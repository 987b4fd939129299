#include "sestina/expression/expression.h"

#include <gtest/gtest.h>

#include <limits>

#include "sestina/expression/parse.h"

namespace sestina {
namespace {

// By what the text reads as: the order in which a compiler evaluates operands decides the order of terms.
TEST(Expression, WritesFormulasAsTheyStandOnPaper) {
  Graph graph;
  const auto read = [&](std::string_view text) {
    return Expression(graph, parse(graph, text, resolve_to_symbols(graph)));
  };
  const Expression m = symbol(graph, "m"), q = symbol(graph, "q"), l = symbol(graph, "l");
  EXPECT_EQ(m * pow(l, 2) / 12 - 0.1 * sin(3 * q), read("m*l^2/12 - 0.1*sin(3*q)"));
  EXPECT_EQ(-(q + 1), read("-(q + 1)"));
  EXPECT_EQ(fraction(1, 3) * q + fraction(1, 6) * q, read("q/2"));
  EXPECT_EQ(if_less(q, m, min(q, l), max(l, 2)), read("if(q < m, min(q, l), max(2, l))"));
  EXPECT_EQ(diff(atan2(q, l), q), read("l/(q^2 + l^2)"));
  EXPECT_EQ(to_text(2 * sqrt(m)), "2*sqrt(m)");
  Expression sum = q;
  sum += 2 * m;
  sum *= l;
  sum -= l;
  sum /= m;
  EXPECT_EQ(sum, read("((q + 2*m)*l - l)/m"));
}

TEST(Expression, KeepsNumbersExactBeforeTheyMeetASymbol) {
  EXPECT_EQ(Expression(0.1) + Expression(0.2), Expression(0.3));
  EXPECT_EQ(Expression(1) / 3 * 3, Expression(1));
  EXPECT_EQ(pow(fraction(2, 3), -2), fraction(9, 4));
  EXPECT_EQ(sqrt(fraction(4, 9)), fraction(2, 3));
  EXPECT_TRUE(sin(Expression(0)).is_zero());
  EXPECT_TRUE(cos(Expression(0)).is_one());
  EXPECT_EQ(tan(Expression(1)).number().value(), std::tan(1.0));
  EXPECT_EQ((Expression(1) / 0).number().value(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(min(Expression(1), Expression(2)), max(Expression(1), Expression(-3)));
}

}  // namespace
}  // namespace sestina
