#include "sestina/expression/graph.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "sestina/base/error.h"
#include "sestina/expression/evaluate.h"
#include "sestina/expression/expression.h"
#include "sestina/expression/parse.h"
#include "sestina/expression/print.h"

namespace sestina {
namespace {

class GraphTest : public testing::Test {
 protected:
  Expr read(std::string_view text) { return parse(graph, text, resolve_to_symbols(graph)); }
  double value(std::string_view text) { return evaluate(graph, read(text), {}); }

  Graph graph;
};

TEST_F(GraphTest, GivesEqualExpressionsTheSameId) {
  constexpr std::pair<const char*, const char*> kEqual[] = {
      {"a + b", "b + a"},
      {"a*b*c", "c*(a*b)"},
      {"a + (b + c)", "(a + b) + c"},
      {"a + a", "2*a"},
      {"a*b + b*a", "2*a*b"},
      {"3*a - a", "2*a"},
      {"a - a", "0"},
      {"(a + b) - (a + b)", "0"},
      {"(a + b) + 2*(a + b)", "3*(a + b)"},
      {"c - 2*(a + b) + 2*(a + b)", "c"},
      {"a*a", "a^2"},
      {"a*a^2*b", "a^3*b"},
      {"1/a/a", "a^-2"},
      {"a/(b*c)", "a/b/c"},
      {"1/(2*a)", "0.5/a"},
      {"(a*b)^2", "a^2*b^2"},
      {"(a/b)^3", "a^3/b^3"},
      {"-(-a)", "a"},
      {"a - (-b)", "a + b"},
      {"0*a", "0"},
      {"1*a", "a"},
      {"0 + a", "a"},
      {"a^1", "a"},
      {"a^0", "1"},
      {"1^a", "1"},
      {"0/a", "0"},
      {"(a^2)^3", "a^6"},
      {"(a^2)^-1", "1/a^2"},
      {"1/3 + 1/6", "0.5"},
      {"0.1 + 0.2", "0.3"},
      {"2^10", "1024"},
      {"(2/3)^-2", "2.25"},
      {"a^0.5", "sqrt(a)"},
      {"sqrt(4/9)", "2/3"},
      {"sin(0) + cos(0) + exp(0) + ln(1)", "2"},
      {"sin(-a)", "-sin(a)"},
      {"cos(-2*a)", "cos(2*a)"},
      {"min(a, b)", "min(b, a)"},
      {"min(2, 3) + max(2, 3)", "5"},
      {"if(1 < 2, a, b)", "a"},
      {"if(a < a, b, c)", "c"},
      {"if(a < b, c, c)", "c"},
      {"if(a > b, c, d)", "if(b < a, c, d)"},
      {"ln(a)", "log(a)"},
      {"pow(a, b)", "a^b"},
  };
  for (const auto& [a, b] : kEqual) {
    EXPECT_EQ(read(a), read(b)) << a << " gives " << to_text(graph, read(a));
  }
}

TEST_F(GraphTest, KeepsDifferentExpressionsApart) {
  constexpr std::pair<const char*, const char*> kDifferent[] = {
      {"a - b", "b - a"},
      {"a/b", "b/a"},
      {"a^b", "b^a"},
      {"2*(a + b)", "2*a + 2*b"},  // nothing is expanded
      {"sqrt(a^2)", "a"},
      {"sqrt(a)^2", "a"},  // false below zero, and nan
      {"a/a", "1"},
      {"a^2/a", "a"},
      {"1/(1/a)", "a"},
      {"atan2(a, b)", "atan2(b, a)"},
      {"1/3", "0.3333333333333333"},
      {"sin(1)", "0.8414709848078965"},  // exact as it stands
  };
  for (const auto& [a, b] : kDifferent) EXPECT_NE(read(a), read(b)) << a << " and " << b;
}

TEST_F(GraphTest, KnowsTheSinesOfQuartersOfATurn) {
  for (int quarters = -9; quarters <= 9; ++quarters) {
    const Expr angle = graph.multiply(graph.fraction(quarters, 2), graph.pi());
    const double radians = quarters * std::numbers::pi / 2;
    EXPECT_EQ(graph.unary(Op::kSin, angle), graph.fraction(std::lround(std::sin(radians)))) << quarters;
    EXPECT_EQ(graph.unary(Op::kCos, angle), graph.fraction(std::lround(std::cos(radians)))) << quarters;
    const bool is_finite = quarters % 2 == 0;
    EXPECT_EQ(graph.is_number(graph.unary(Op::kTan, angle)), is_finite) << quarters;
  }
  EXPECT_EQ(read("tan(3*pi)"), graph.fraction(0));
  EXPECT_EQ(to_text(graph, read("sin(pi/5)")), "sin(pi/5)");
  EXPECT_EQ(to_text(graph, read("cos(0.25*pi/2)")), "cos(0.125*pi)");
}

TEST_F(GraphTest, SinesOfTwelfthsOfPiAreRoots) {
  constexpr std::array<std::array<const char*, 3>, 6> kValues = {
      {{"0", "1", "0"},
       {"sqrt(6)/4 - sqrt(2)/4", "sqrt(6)/4 + sqrt(2)/4", "2 - sqrt(3)"},
       {"1/2", "sqrt(3)/2", "sqrt(3)/3"},
       {"sqrt(2)/2", "sqrt(2)/2", "1"},
       {"sqrt(3)/2", "1/2", "sqrt(3)"},
       {"sqrt(6)/4 + sqrt(2)/4", "sqrt(6)/4 - sqrt(2)/4", "2 + sqrt(3)"}}};
  for (int k = 0; k < 6; ++k) {
    const auto& [sine, cosine, tangent] = kValues[static_cast<std::size_t>(k)];
    const std::string angle = fmt::format("{}*pi/12", k);
    EXPECT_EQ(read(fmt::format("sin({})", angle)), read(sine)) << angle;
    EXPECT_EQ(read(fmt::format("cos({})", angle)), read(cosine)) << angle;
    EXPECT_EQ(read(fmt::format("tan({})", angle)), read(tangent)) << angle;
  }
  for (int k = -50; k <= 50; ++k) {
    const double radians = k * std::numbers::pi / 12;
    EXPECT_NEAR(value(fmt::format("sin({}*pi/12)", k)), std::sin(radians), 1e-14) << k;
    EXPECT_NEAR(value(fmt::format("cos({}*pi/12)", k)), std::cos(radians), 1e-14) << k;
    if ((k - 6) % 12 == 0) continue;
    EXPECT_NEAR(value(fmt::format("tan({}*pi/12)", k)), std::tan(radians), 1e-13) << k;
    EXPECT_TRUE(graph.op(read(fmt::format("tan({}*pi/12)", k))) != Op::kTan) << k;
  }
}

TEST_F(GraphTest, TheInversesOfExactSinesAreTwelfthsOfPi) {
  for (int k = -6; k <= 6; ++k) {
    const std::string angle = fmt::format("{}*pi/12", k), other = fmt::format("{}*pi/12", 6 - k);
    EXPECT_EQ(read(fmt::format("asin(sin({}))", angle)), read(angle)) << k;
    EXPECT_EQ(read(fmt::format("acos(cos({}))", other)), read(other)) << k;
    if (k % 6 == 0) continue;
    EXPECT_EQ(read(fmt::format("atan(tan({}))", angle)), read(angle)) << k;
  }
  for (int k = -11; k <= 12; ++k) {
    const std::string angle = fmt::format("{}*pi/12", k);
    EXPECT_EQ(read(fmt::format("atan2(3*sin({0}), 3*cos({0}))", angle)), read(angle)) << k;
  }
  constexpr std::pair<const char*, const char*> kSame[] = {{"atan(1)", "pi/4"},
                                                           {"acos(0)", "pi/2"},
                                                           {"asin(0.5)", "pi/6"},
                                                           {"acos(-1)", "pi"},
                                                           {"asin(1/sqrt(2))", "pi/4"},
                                                           {"acos((sqrt(6) - sqrt(2))/4)", "5*pi/12"},
                                                           {"atan(1/(2 + sqrt(3)))", "pi/12"},
                                                           {"atan2(-1, sqrt(3))", "-pi/6"},
                                                           {"atan2(2, 0)", "pi/2"},
                                                           {"atan2(sqrt(2) - sqrt(8)/2, -1)", "pi"}};
  for (const auto& [a, b] : kSame) EXPECT_EQ(read(a), read(b)) << a;
  for (const char* text : {"asin(0.500000001)", "acos(1/3)", "atan(2)", "asin(sqrt(5)/4)", "atan2(1, 2)"}) {
    EXPECT_EQ(to_text(graph, read(text)).substr(0, 4), std::string(text).substr(0, 4)) << text;
  }
}

TEST_F(GraphTest, NeverHidesADivisionByZero) {
  constexpr const char* kFaults[] = {
      "1/0",
      "0/0",
      "-1/0",
      "0*(1/0)",
      "1/0 - 1/0",
      "(1/0)^0",
      "1^(1/0)",
      "x/(1 - 1)",
      "0*x/(2 - 2)",
      "0/(1/2 - 0.5)",
      "1/0^2",
      "0^-1",
      "0^-0.5",
      "(1/0)^-1*0/0",
      "x*(0/0)*0",
      "1/sin(0)",
      "1/(x - x)",
      "0*ln(0)",
      "0*sqrt(-1)",
      "1/(sin(0)*x)",
      "(0/0)^2",
      "2^99999",
      "10^308*10^308",
      "1e308 + 1e308",
      "0*(1e308*10)",
      "x - x + 1/0",
      "0*(x + 1/0)",
      "0*sin(x/0)",
      "(x/0)^0",
      "if(0/0 < 1, 2, 2)",
      "if(0/0 < 1, 2, 3)",
      "min(0/0, 1)",
      "max(1, 0/0)",
      "min(1, 0/0)",
  };
  for (const char* text : kFaults) {
    const Expr expr = read(text);
    EXPECT_TRUE(graph.has_constant_fault(expr)) << text << " gives " << to_text(graph, expr);
    const Binding x{graph.symbol("x"), 2.0};
    EXPECT_FALSE(std::isfinite(evaluate(graph, expr, std::span(&x, 1)))) << text;
  }
  EXPECT_EQ(value("1/0"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(value("-1/0"), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(value("0/0")));
}

TEST_F(GraphTest, KeepsADivisionBySymbolsThatMayBeZero) {
  const Binding zero{graph.symbol("x"), 0.0};
  for (const char* text : {"x/x", "x^2/x", "1/(1/x)*0 + 1/x", "x*x^-1*y^0", "(x/x)^2", "(x^-1)^-1/x"}) {
    EXPECT_FALSE(std::isfinite(evaluate(graph, read(text), std::span(&zero, 1)))) << text;
  }
}

TEST_F(GraphTest, TurnsInfinitiesIntoTheDivisionsTheyComeFrom) {
  EXPECT_EQ(graph.number(std::numeric_limits<double>::infinity()), read("1/0"));
  EXPECT_EQ(graph.number(-std::numeric_limits<double>::infinity()), read("-1/0"));
  EXPECT_EQ(graph.number(std::nan("")), read("0/0"));
  EXPECT_EQ(graph.fraction(3, 0), read("3/0"));
}

TEST_F(GraphTest, PutsOperandsBeforeWhatUsesThem) {
  const Expr expr = read("sin(a*b + c/d)^2 + if(a < b, exp(c), 2)/atan2(a, d)");
  for (const Expr e : graph.reachable(std::span(&expr, 1))) {
    for (const Expr operand : graph.operands(e)) EXPECT_LT(operand.id, e.id);
  }
}

TEST_F(GraphTest, KnowsTheValueOfConstantsOnly) {
  EXPECT_EQ(graph.constant_value(read("2*sin(0.5)")), 2.0 * std::sin(0.5));
  EXPECT_EQ(graph.constant_value(read("2*x")), std::nullopt);
}

TEST_F(GraphTest, ListsFreeSymbolsInOrderOfCreation) {
  graph.symbol("unused");
  const Expr a = graph.symbol("a"), b = graph.symbol("b");
  EXPECT_EQ(graph.free_symbols(read("sin(b) + a*b + a - a + pi")), (std::vector<Expr>{a, b}));
}

TEST_F(GraphTest, SubstitutesAllAtOnce) {
  const Expr a = graph.symbol("a"), b = graph.symbol("b");
  const std::array swap = {std::pair(a, b), std::pair(b, a)};
  EXPECT_EQ(graph.substitute(read("a - 2*sin(b)^a"), swap), read("b - 2*sin(a)^b"));
  const std::array zero = {std::pair(a, graph.fraction(0))};
  EXPECT_EQ(graph.substitute(read("a*b + cos(a)"), zero), graph.fraction(1));
  EXPECT_EQ(graph.substitute(read("b/a"), zero), read("b/0"));
}

TEST_F(GraphTest, StaysSmallForSharedSubexpressions) {
  Expr expr = graph.symbol("x");  // a tree of 2^200 nodes
  for (int i = 0; i < 200; ++i) expr = graph.add(graph.unary(Op::kSin, expr), graph.unary(Op::kCos, expr));
  EXPECT_LT(graph.size(), 700u);
  const Binding x{graph.symbol("x"), 0.5};
  EXPECT_TRUE(std::isfinite(evaluate(graph, expr, std::span(&x, 1))));
}

TEST_F(GraphTest, WorksOnGraphsDeeperThanTheStack) {
  const Expr x = graph.symbol("x");
  Expr expr = x;
  for (int i = 0; i < 100'000; ++i) expr = graph.unary(Op::kAtan, expr);
  EXPECT_EQ(graph.free_symbols(expr), std::vector<Expr>{x});
  EXPECT_TRUE(graph.diff(expr, x).is_valid());
  const std::array replacement = {std::pair(x, graph.fraction(0))};
  EXPECT_EQ(graph.substitute(expr, replacement), graph.fraction(0));
}

TEST_F(GraphTest, GrowsLinearlyWithARunningSum) {
  std::vector<Expr> sums = {graph.symbol("s")};
  std::size_t operands = 0;
  for (int i = 0; i < 1'000; ++i) {
    sums.push_back(graph.add(sums.back(), graph.symbol(fmt::format("s{}", i))));
    operands += graph.operands(sums.back()).size();
  }
  EXPECT_LE(operands, 1'000 * kMostMerged);
  for (const Expr sum : sums) ASSERT_EQ(read(to_text(graph, sum)), sum);
}

TEST(UnmergedGraph, KeepsSumsAndProductsAsTheyWereWritten) {
  Graph graph(0);
  const Expr a = graph.symbol("a"), b = graph.symbol("b"), c = graph.symbol("c");
  const Expr sum = graph.add(a, b), product = graph.multiply(a, b);
  const std::vector<Expr> terms{c, sum}, factors{c, product};
  const auto of = [&](Expr expr) {
    return std::vector<Expr>(graph.operands(expr).begin(), graph.operands(expr).end());
  };
  EXPECT_EQ(of(graph.add(sum, c)), terms);
  EXPECT_EQ(of(graph.multiply(product, c)), factors);
  EXPECT_EQ(graph.add(b, a), sum) << "equal ones still are one";
  EXPECT_EQ(graph.subtract(sum, sum), graph.fraction(0));
  EXPECT_EQ(graph.multiply(graph.fraction(0), product), graph.fraction(0));

  Graph merging;
  const Expr x = merging.symbol("x"), y = merging.symbol("y"), z = merging.symbol("z");
  EXPECT_EQ(merging.operands(merging.add(merging.add(x, y), z)).size(), 3u);
}

TEST_F(GraphTest, ReadsBackSumsAndProductsOfAnyWidth) {
  std::string sum = "-2*x0", product = "-x0", quotient = "-3/x0";
  for (int i = 1; i < 100; ++i) {
    sum += fmt::format(" {} x{}", i % 3 == 0 ? '-' : '+', i);
    product += fmt::format("*x{}", i);
    quotient += fmt::format("{}x{}^3", i % 2 == 0 ? '/' : '*', i);
    for (const std::string& text :
         {sum, product, quotient, fmt::format("1/({})", product), fmt::format("y*({})^2", product),
          fmt::format("2 - ({})/5", quotient), fmt::format("({0}) + 2*y - ({0})", sum)}) {
      const Expr expr = read(text);
      ASSERT_EQ(read(to_text(graph, expr)), expr) << to_text(graph, expr);
    }
  }
  EXPECT_EQ(read(fmt::format("({0}) - ({0})", sum)), graph.fraction(0));
}

TEST_F(GraphTest, KeepsIdsWhileTheTableGrows) {
  std::vector<Expr> sums;
  const Expr x = graph.symbol("x");
  for (int i = 0; i < 10'000; ++i) sums.push_back(graph.add(x, graph.fraction(i)));
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_EQ(graph.add(graph.fraction(i), x), sums[static_cast<std::size_t>(i)]);
  }
}

TEST_F(GraphTest, CopiesAreIndependent) {
  const Expr ab = read("a*b");
  Graph copy = graph;
  EXPECT_EQ(parse(copy, "b*a", resolve_to_symbols(copy)), ab);
  const std::size_t size = graph.size();
  parse(copy, "a*b + c", resolve_to_symbols(copy));
  EXPECT_EQ(graph.size(), size);
}

TEST_F(GraphTest, RefusesBadTableNames) {
  const Table line({0.0, 1.0}, {0.0, 1.0}, Interpolation::kLinear);
  graph.add_table("cam", line);
  for (const char* name : {"", "2x", "a.b", "sin", "pi", "if", "cam"}) {
    EXPECT_THROW(graph.add_table(name, line), InputError) << name;
  }
}

Coefficient whole(std::string_view digits) { return Coefficient::from_text(digits).value(); }

TEST(Coefficient, FoldsFractionsExactlyHoweverLongTheyAre) {
  const Coefficient third = Coefficient::fraction(1, 3);
  EXPECT_EQ(third + third + third, Coefficient::fraction(1, 1));
  EXPECT_EQ(Coefficient::fraction(6, -4), Coefficient::fraction(-3, 2));
  const Coefficient large = Coefficient::fraction(1ll << 52, 1);
  EXPECT_TRUE((large + large).is_exact());
  const Coefficient square = large * large;  // 2^104
  EXPECT_FALSE(square.is_exact());
  EXPECT_EQ(square.magnitude_text(), "20282409603651670423947251286016");
  EXPECT_EQ(square.value(), std::pow(2.0, 104));
  EXPECT_FALSE(square + third == square);
  EXPECT_EQ(square + third + -square, third);
  EXPECT_EQ(square * square.power(Coefficient::fraction(-1, 1)).value(), Coefficient::fraction(1, 1));
  EXPECT_TRUE(-square < third && third < square && square < square + third);
  EXPECT_EQ(square.exact_sqrt(), large);
  EXPECT_FALSE((square + third).exact_sqrt());
  EXPECT_EQ(Coefficient::fraction(3, 1).power(Coefficient::fraction(50, 1)),
            whole("717897987691852588770249"));
}

// 50! and the sums of 1/k up to 1/50, which have 65 and 21 digits.
TEST(Coefficient, HasTheDigitsOfFactorialsAndHarmonicNumbers) {
  Coefficient factorial = Coefficient::fraction(1, 1), sum;
  for (int k = 1; k <= 50; ++k) {
    factorial = factorial * Coefficient::fraction(k, 1);
    sum = sum + Coefficient::fraction(1, k);
  }
  EXPECT_EQ(factorial.magnitude_text(), "30414093201713378043612608166064768844377641568960512000000000000");
  EXPECT_EQ(sum.magnitude_text(), "13943237577224054960759/3099044504245996706400");
  EXPECT_EQ(sum.value(), 4.499205338329425);
  for (int k = 50; k >= 1; --k) {
    factorial = factorial * Coefficient::fraction(1, k);
    sum = sum + Coefficient::fraction(-1, k);
  }
  EXPECT_TRUE(factorial.is_one());
  EXPECT_TRUE(sum.is_zero());
}

// Halfway cases go to even, and what is a little more goes up.
TEST(Coefficient, HasTheNearestDouble) {
  EXPECT_EQ(whole("9007199254740993").value(), 9007199254740992.0);
  EXPECT_EQ(whole("9007199254740995").value(), 9007199254740996.0);
  EXPECT_EQ((whole("9007199254740993") + Coefficient::fraction(1, 1000)).value(), 9007199254740994.0);
  EXPECT_EQ(whole("1" + std::string(300, '0')).value(), 1e300);
  EXPECT_EQ(whole("1" + std::string(300, '0')).power(Coefficient::fraction(-1, 1))->value(), 1e-300);
}

// Decimal coefficients are rounded like doubles once they are long.
TEST(Coefficient, OfDecimalsStaysShort) {
  const Coefficient a(0.123456789), b(9.87654321);
  EXPECT_EQ((a * b).long_fraction(), nullptr);
  EXPECT_EQ((a * b).value(), 0.123456789 * 9.87654321);
  EXPECT_TRUE((a * Coefficient::fraction(1000000000, 1)).is_integer());
  const Coefficient c = Coefficient::fraction(123456789, 1000000000),
                    d = Coefficient::fraction(987654321, 100000000);
  EXPECT_EQ((c * d).magnitude_text(), "121932631112635269/100000000000000000");
}

// A number that has been given as a fraction as well counts as one from there on.
TEST(Coefficient, AGraphTakesWhatIsGivenAsAFractionForExact) {
  Graph graph;
  const Expr decimal = graph.number(0.123456789);
  const Expr x = graph.symbol("x");
  EXPECT_EQ(to_text(graph, graph.product(std::array{decimal, decimal, x})), "0.01524157875019052*x");
  EXPECT_EQ(graph.fraction(123456789, 1000000000), decimal);
  EXPECT_EQ(to_text(graph, graph.product(std::array{decimal, decimal, x})),
            "15241578750190521*x/1000000000000000000");
}

TEST_F(GraphTest, RootsOfFractionsAreRootsOfWholeNumbers) {
  constexpr std::pair<const char*, const char*> kSame[] = {{"sqrt(1/3)", "sqrt(3)/3"},
                                                           {"sqrt(12)", "2*sqrt(3)"},
                                                           {"sqrt(4/27)", "2*sqrt(3)/9"},
                                                           {"1/sqrt(3)", "sqrt(3)/3"},
                                                           {"sqrt(3)^2", "3"},
                                                           {"sqrt(3)^-3", "sqrt(3)/9"},
                                                           {"x*sqrt(2)*(y*sqrt(6))", "2*sqrt(3)*x*y"},
                                                           {"sqrt(2)*sqrt(3)", "sqrt(6)"},
                                                           {"abs(x)^2", "x^2"},
                                                           {"abs(x)^-4", "x^-4"}};
  for (const auto& [a, b] : kSame) EXPECT_EQ(read(a), read(b)) << a;
  EXPECT_EQ(to_text(graph, read("sqrt(1000003^2*5)")),
            "sqrt(5000030000045)");  // a factor that is not looked for
  EXPECT_NE(read("abs(x)^3"), read("x^3"));
}

TEST_F(GraphTest, RootsThatAreFractionsAreFolded) {
  constexpr std::pair<const char*, const char*> kSame[] = {
      {"8^(1/3)", "2"},       {"16^(1/4)", "2"},       {"(8/27)^(2/3)", "4/9"}, {"(27/8)^(-2/3)", "4/9"},
      {"4^1.5", "8"},         {"0.001^(2/3)", "0.01"}, {"x*27^(1/3)", "3*x"},   {"(2^53)^(1/53)", "2"},
      {"(3^33)^(2/33)", "9"}, {"x^8^(1/3)", "x^2"},    {"8^(1/3)*x - 2*x", "0"}};
  for (const auto& [a, b] : kSame) EXPECT_EQ(read(a), read(b)) << a;
  EXPECT_EQ(to_text(graph, read("9^(1/3)")), "9^(1/3)");
  EXPECT_EQ(to_text(graph, read("(2^53 - 1)^(1/53)")), "9007199254740991^(1/53)");
  EXPECT_EQ(pow(Expression(8), fraction(1, 3)), Expression(2));
  EXPECT_EQ(pow(fraction(8, 27), fraction(2, 3)), fraction(4, 9));
}

TEST(Coefficient, ReadsDoublesAsTheirShortestDecimal) {
  EXPECT_EQ(Coefficient(0.1), Coefficient::fraction(1, 10));
  EXPECT_EQ(Coefficient(-2.5e-3), Coefficient::fraction(-1, 400));
  EXPECT_FALSE(Coefficient(0.1 + 0.2).is_exact());
  EXPECT_EQ(Coefficient(0.1 + 0.2).value(), 0.1 + 0.2);
  EXPECT_TRUE(Coefficient(-0.0).is_zero());
}

// A node is its value: 0.8 and 4/5 are one, which is written as a fraction where it has been given as one.
TEST_F(GraphTest, FractionsAreWrittenAsTheyWereGiven) {
  EXPECT_EQ(to_text(graph, read("0.3*x")), "0.3*x");
  EXPECT_EQ(to_text(graph, read("4*x/5")), "4*x/5");
  EXPECT_EQ(to_text(graph, read("x^(2/5)/10")), "x^(2/5)/10");
  EXPECT_EQ(to_text(graph, read("3*x/10 - 0.7*y")), "3*x/10 - 0.7*y");
  EXPECT_EQ(to_text(graph, read("0.3*y")), "3*y/10");
  EXPECT_EQ(to_text(graph, read("9.81*x/4")), "2.4525*x");
  EXPECT_EQ(to_text(fraction(4, 5)), "4/5");
  EXPECT_EQ(to_text(Expression(0.8)), "0.8");
}

TEST(Coefficient, HasTextThatReadsBack) {
  for (const double value : {0.1, 1.0 / 3.0, 1e-300, 5e-324, 1.7976931348623157e308, 123456.789, 2e15, 1e22,
                             123456789012345680000.0}) {
    const Coefficient number(value);
    const auto read = Coefficient::from_text(number.magnitude_text());
    ASSERT_TRUE(read) << number.magnitude_text();
    EXPECT_EQ(*read, number);
    EXPECT_EQ(read->value(), value);
  }
}

}  // namespace
}  // namespace sestina
