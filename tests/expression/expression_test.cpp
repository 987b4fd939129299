#include "sestina/expression/expression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "message_of.h"
#include "sestina/base/error.h"
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
  const Expression nan = std::nan("");
  for (const Expression& e : {min(1, nan), min(nan, 1), max(1, nan), max(nan, 1), if_less(nan, 1, 2, 3)}) {
    EXPECT_TRUE(std::isnan(e.number().value()));
  }
}

// No power turns silently into infinity, or into zero.
TEST(Expression, PowersThatAreNoNumbersAreErrors) {
  const auto is = [](const std::function<Expression()>& make, const std::string& message) {
    EXPECT_EQ(testing_support::message_of(make), message);
  };
  is([] { return pow(Expression(2), 10000); }, "2^10000 is beyond the range of numbers");
  is([] { return pow(Expression(2), -10000); }, "2^(-10000) is too small for a number other than zero");
  is([] { return pow(Expression(0), -1); }, "0^(-1) divides by zero");
  is([] { return pow(Expression(-2), 0.5); }, "(-2)^(1/2) is not a real number");
  is([] { return sqrt(Expression(-1)); }, "sqrt(-1) is not a real number");
  is([] { return log(Expression(0)); }, "log(0) is beyond the range of numbers");
  Graph graph;
  const Expression quarter = Expression(graph, graph.pi()) / 2;
  is([&] { return tan(quarter); }, "tan(pi/2) has no value");
  is([&] { return tan(3 * quarter); }, "tan(3*pi/2) has no value");
  EXPECT_EQ(pow(Expression(2), 50), Expression(1125899906842624.0));
  is([] { return pow(1 + pow(Expression(10), -9), 1000000); },
     "(1000000001/1000000000)^1000000 has more digits than an exact number may have");
  EXPECT_TRUE((Expression(0) * 1e-300).is_zero());
  EXPECT_EQ(to_text(pow(Expression(10), 300)), "1" + std::string(300, '0'));
  EXPECT_EQ(to_text(pow(Expression(1e300), 1)), "1e+300");
}

// If symbols are involved, the operation is kept, so that readers can see it.
TEST(Expression, AGraphKeepsTheOperationThatHasNoNumber) {
  Graph graph;
  const Expression x = symbol(graph, "x");
  EXPECT_EQ(to_text(x * pow(x / x * 0 + 2, 10000)), "x*2^10000");
  EXPECT_EQ(to_text(x / 0), "x/0");
  EXPECT_EQ(to_text(x * (1 / (0 * x))), "x/0");
}

TEST(Expression, NumbersBesideSymbolsThatLeaveTheRangeAreErrors) {
  Graph graph;
  const Expression x = symbol(graph, "x"), large = pow(Expression(2), 1022);
  const auto message = [](const std::function<Expression()>& make) {
    return testing_support::message_of(make);
  };
  EXPECT_EQ(message([&] { return (1e308 * x) * 10; }),
            "(1e+308*x) * (10) has a number that is beyond the range of numbers");
  EXPECT_NE(message([&] { return (large * x) * large; }), testing_support::kNothingThrown);
  EXPECT_NE(message([&] { return (large * x) / (1 / large); }), testing_support::kNothingThrown);
  EXPECT_NE(message([&] { return 3 * large * x + large * x; }), testing_support::kNothingThrown);
  EXPECT_NE(message([&] { return -3 * large * x - large * x; }), testing_support::kNothingThrown);
  EXPECT_EQ((large * x) / large, x);
}

}  // namespace
}  // namespace sestina
