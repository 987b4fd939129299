#include "sestina/expression/fingerprint.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "expression/random_expression.h"
#include "sestina/expression/parse.h"
#include "sestina/expression/print.h"
#include "sestina/expression/tape.h"

namespace sestina {
namespace {

class FingerprintTest : public testing::Test {
 protected:
  Expr read(std::string_view text) { return parse(graph, text, resolve_to_symbols(graph)); }
  bool are_equal(std::string_view a, std::string_view b) { return test.are_equal(read(a), read(b)); }

  Graph graph;
  IdentityTest test{graph};
};

TEST_F(FingerprintTest, KnowsTheIdentitiesOfTheTextbook) {
  constexpr std::pair<const char*, const char*> kEqual[] = {
      {"(x + y)^2", "x^2 + 2*x*y + y^2"},
      {"(x^2 - y^2)/(x - y)", "x + y"},
      {"x/3 + x/6", "x/2"},
      {"sin(x)^2 + cos(x)^2", "1"},
      {"sin(x + y)", "sin(x)*cos(y) + cos(x)*sin(y)"},
      {"cos(x - 2*y)", "cos(x)*cos(2*y) + sin(x)*sin(2*y)"},
      {"sin(3*x)", "3*sin(x) - 4*sin(x)^3"},
      {"cos(x)", "2*cos(x/2)^2 - 1"},
      {"tan(x/2)", "sin(x)/(1 + cos(x))"},
      {"sin(x + pi/2)", "cos(x)"},
      {"cos(x + 7*pi)", "-cos(x)"},
      {"sin(pi/4)^2", "1/2"},
      {"sin(x*y + y*z)", "sin(x*y)*cos(y*z) + cos(x*y)*sin(y*z)"},
      {"sin(1 + x)", "sin(1)*cos(x) + cos(1)*sin(x)"},
      {"exp(x + y)", "exp(x)*exp(y)"},
      {"sin(2*(x + y))", "2*sin(x + y)*cos(x + y)"},
      {"sin(2*(x - pi/4))", "-cos(2*x)"},
      {"cos((x + y)/2)", "cos(x/2 + y/2)"},
      {"sin(x*(y + z))", "sin(x*y + x*z)"},
      {"cos((x + 1)*(y - z)/2)", "cos(x*y/2 - x*z/2 + y/2 - z/2)"},
      {"exp(-(x + y))", "1/exp(x + y)"},
      {"exp(x/2)^2", "exp(x)"},
      {"cosh(x)^2 - sinh(x)^2", "1"},
      {"sqrt(x^2 + y)^2", "x^2 + y"},
      {"x/sqrt(x)", "sqrt(x)"},
      {"(x + 1)^(3/2)", "(x + 1)*sqrt(1 + x)"},
      {"sqrt(12*x)", "2*sqrt(3)*sqrt(x)"},
      {"sqrt(18*x + 27*y)", "3*sqrt(2*x + 3*y)"},
      {"sqrt(-x/45)", "sqrt(-x/5)/3"},
      {"sqrt(x^4)", "x^2"},
      {"abs(x)^2", "x^2"},
      {"abs(x)*sign(x)", "x"},
      {"sign(x)^2", "1"},
      {"sqrt(x^2)", "abs(x)"},
      {"sqrt(x^2*y)", "abs(x)*sqrt(y)"},
      {"abs(-3*x*y)", "3*abs(x)*abs(y)"},
      {"abs(x^2 + 2*x*y + y^2)", "(x + y)^2"},
      {"sqrt((x^2 + 1)^2)", "x^2 + 1"},
      {"sqrt(x^4 + 2*x^2 + 1)", "x^2 + 1"},
      {"sqrt((x^2 + 1)*y)", "sqrt(x^2 + 1)*sqrt(y)"},
      {"abs(x*(y^2 + 3))", "(y^2 + 3)*abs(x)"},
      {"sqrt((x^2 + y^2)^2*(exp(x) + 2)^2)", "(x^2 + y^2)*(exp(x) + 2)"},
      {"sqrt(1/3)*sqrt(3)", "1"},
      {"cos(pi/4)*sqrt(3)/2", "sqrt(6)/4"},
      {"(sqrt(3)/2*x + x/2)^2", "x^2*(1 + sqrt(3)/2)"},
      {"(x + 1/3)^20*3^40", "(3*x + 1)^20*3^20"},
      {"(2^61 - 1)*x + x", "2^61*x"},
      {"x/(2^61 - 1) + y/(2^61 - 1)", "(x + y)/(2^61 - 1)"},
      {"sqrt(2)*sqrt(3)*sqrt(x)", "sqrt(6*x)"},
      {"1/(sqrt(x) + sqrt(y))", "(sqrt(x) - sqrt(y))/(x - y)"},
      {"sin(pi/4)", "sqrt(2)/2"},
      {"1 + cos(2*pi/3) + cos(4*pi/3)", "0"},
      {"sin(x + pi/3)", "sin(x)/2 + sqrt(3)/2*cos(x)"},
      {"cos(x + 7*pi/12)", "cos(x)*cos(7*pi/12) - sin(x)*sin(7*pi/12)"},
      {"tan(x - pi/6)", "(sqrt(3)*tan(x) - 1)/(sqrt(3) + tan(x))"},
      {"8*cos(pi/24)^4 - 8*cos(pi/24)^2 + 1", "sqrt(3)/2"},
      {"(sqrt(2) + sqrt(3))*(sqrt(3) - sqrt(2))", "1"},
      {"1/(1 + sqrt(2) + sqrt(3))", "1/2 + sqrt(2)/4 - sqrt(6)/4"},
      {"log(x*(y + 1))", "log(x*y + x)"},
      {"atan2(2*x*(x + 1), y)", "atan2(2*x^2 + 2*x, y)"},
      {"if(x < y, (x + 1)^2, y) - if(x < y, 2*x, y)", "if(x < y, x^2 + 1, 0)"},
      {"max(x*(x + 1), y)", "max(x^2 + x, y)"},
      {"1e-3*1e-3", "1e-6"},
      {"3*(0.12345678901234567*x)", "0.12345678901234567*(x + x + x)"},
  };
  for (const auto& [a, b] : kEqual) {
    EXPECT_TRUE(are_equal(a, b)) << a << " = " << b;
    EXPECT_FALSE(are_equal(a, std::string(b) + " + x/1000")) << a;
  }
}

TEST_F(FingerprintTest, TellsApartWhatDiffers) {
  constexpr std::pair<const char*, const char*> kDifferent[] = {
      {"x", "y"},
      {"x^2", "x^3"},
      {"sin(x)", "cos(x)"},
      {"sin(x)", "sin(2*x)"},
      {"sin(2*(x + y))", "sin(2*x + y)"},
      {"1/x", "x"},
      {"0.1 + 0.2", "0.30000000000000004"},
      {"sqrt(x)", "x"},
      {"sqrt(3*x)", "3*sqrt(x)"},
      {"2^61*x", "x"},
      {"(2^61 - 1)*x", "0"},
      {"108086391056891903*x", "0"},
      {"x + 9007199254740993", "x + 9007199254740992"},
      {"sin(2^61*x)", "sin(x)"},
      {"x^(2^61)", "x"},
      {"x/(2^61 - 1)", "0"},
      {"abs(x)", "x"},
      {"abs(x^2 - 1)", "x^2 - 1"},
      {"sign(x)", "1"},
      {"sign(x*y)", "1"},
      {"abs(x + y)", "abs(x) + abs(y)"},
      {"sqrt((x^2 - 1)^2)", "x^2 - 1"},
      {"sqrt(x^2 + 1)", "-sqrt(x^2 + 1)"},
      {"sin(pi/4)", "-sqrt(2)/2"},
      {"max(x, y)", "min(x, y)"},
      {"if(x < y, 1, 2)", "if(x <= y, 1, 2)"},
  };
  for (const auto& [a, b] : kDifferent) EXPECT_FALSE(are_equal(a, b)) << a << ", " << b;
}

TEST_F(FingerprintTest, TellsWhetherItIsKnown) {
  const auto compare = [&](std::string_view a, std::string_view b) { return test.compare(read(a), read(b)); };
  constexpr std::pair<const char*, const char*> kFails[] = {
      {"x", "x + 1/10^30"},  // by the fingerprint alone
      {"sin(x)^2", "1 - cos(x)^2 + 1/10^30"},
      {"sqrt(2)", "sqrt(2) + 1/10^40"},
      {"cos(pi/5)", "0.8"},              // by the values
      {"sqrt(x)*sqrt(y)", "sqrt(x*y)"},  // where both are negative
      {"sqrt(x^2)", "x"},
      {"x/0", "x"},
      {"abs(x + y)", "abs(x) + abs(y)"},
      {"asin(sin(x))", "x"},
      {"cos(asin(x))", "-sqrt(1 - x^2)"},
      {"acos(x)", "-acos(x)"},
      {"log(2*x)", "2*log(x)"},
      {"log(abs(x))", "log(2*abs(x))"},
      {"acos(x)", "asin(x)"},
      {"if(x < y, 1, 2)", "if(x < z, 1, 2)"},
      {"atan2(y, x)", "atan(y/x)"},
      {"min(x, y)", "max(x, y)"},
      {"x^1.5", "x"},
      {"2^x", "3^x"},
      {"cosh(sin(x))", "cosh(cos(x))"},
  };
  for (const auto& [a, b] : kFails) EXPECT_EQ(compare(a, b), Identity::kFails) << a << ", " << b;
  constexpr std::pair<const char*, const char*> kHolds[] = {
      {"sin(x + pi/3) - sin(x - pi/3)", "sqrt(3)*cos(x)"},
      {"cos(pi/3)", "1/2"},
      {"asin(x) + acos(x)", "pi/2"},
      {"acos(x) + acos(-x)", "pi"},
      {"cos(asin(x))", "sqrt(1 - x^2)"},
      {"cos(asin(x/3))", "sqrt(9 - x^2)/3"},
      {"cos(asin(x))^2 + x^2", "1"},
      {"sin(2*acos(x + y))", "2*(x + y)*sqrt(1 - (x + y)^2)"},
      {"sin(asin(x) + asin(y))", "x*sqrt(1 - y^2) + y*sqrt(1 - x^2)"},
      {"sin(asin(x) + y)", "x*cos(y) + sqrt(1 - x^2)*sin(y)"},
      {"tan(atan(x))", "x"},
      {"cos(atan(x/y))", "1/sqrt(1 + (x/y)^2)"},
      {"tan(asin(x))", "x/sqrt(1 - x^2)"},
      {"atan(-x) + atan(x)", "0"},
      {"atan(x - y)", "-atan(y - x)"},
      {"log(2*x) - log(x)", "log(2)"},
      {"log(12)", "2*log(2) + log(3)"},
      {"log(x/3)", "log(x) - log(3)"},
      {"log(sqrt(x))", "log(x)/2"},
      {"log(x^3*exp(y))", "3*log(x) + y"},
      {"log(exp(x))", "x"},
      {"exp(log(x) - 2*log(y))", "x/y^2"},
      {"acos(x)", "pi/2 - asin(x)"},
  };
  for (const auto& [a, b] : kHolds) EXPECT_EQ(compare(a, b), Identity::kHolds) << a << ", " << b;
  constexpr std::pair<const char*, const char*> kUnknown[] = {
      {"cos(pi/5)", "(1 + sqrt(5))/4"},                                    // all of them true
      {"max(x, y)", "(x + y + abs(x - y))/2"},  {"log(x^2)", "2*log(x)"},  // where both have values
      {"log(x*y)", "log(x) + log(y)"},          {"atan(x) + atan(1/x)", "pi/2*sign(x)"},
      {"sin((x + 1)^2)", "sin(x^2 + 2*x + 1)"}, {"x/0", "y/0"},
  };
  for (const auto& [a, b] : kUnknown) EXPECT_EQ(compare(a, b), Identity::kUnknown) << a << ", " << b;
}

// Values at a point, evaluated in doubles, may differ by rounding alone, here by 2e-10 of about 3.
TEST_F(FingerprintTest, RoundingIsNoDifference) {
  const std::string large =
      "log(sinh(1e6 + abs(x)/1e6) + cosh(1e6 + abs(x)/1e6)) - 1e6";  // neither overflow nor the digits that
                                                                     // are lost
  EXPECT_EQ(test.compare(read(large), read("abs(x)/1e6")), Identity::kUnknown);
  EXPECT_EQ(
      test.compare(read("log(sinh(1e2 + abs(x)/1e12) + cosh(1e2 + abs(x)/1e12)) - 1e2"), read("abs(x)/1e12")),
      Identity::kUnknown);
}

// For negative numbers the sides differ, whatever the symbols are called.
TEST_F(FingerprintTest, RootsKnowNoSignOfTheirSymbols) {
  for (const std::string a : {"x", "y", "a", "m1", "length", "q"}) {
    for (const std::string b : {"z", "w", "b", "m2", "k_0", "u"}) {
      EXPECT_FALSE(are_equal("sqrt(" + a + "^2)", a));
      EXPECT_FALSE(are_equal("sqrt(" + a + "^2)", "-" + a));
      EXPECT_FALSE(are_equal("sqrt(" + a + ")*sqrt(" + b + ")", "sqrt(" + a + "*" + b + ")"));
      EXPECT_FALSE(are_equal("sqrt(" + a + "/" + b + ")", "sqrt(" + a + ")/sqrt(" + b + ")"));
      EXPECT_FALSE(are_equal("sqrt(" + a + "^2*" + b + ")", a + "*sqrt(" + b + ")"));
    }
  }
}

TEST_F(FingerprintTest, DivisionByADisguisedZeroIsNotZero) {
  EXPECT_FALSE(test.is_zero(read("1/((x + 1)^2 - x^2 - 2*x - 1)")));
  EXPECT_FALSE(are_equal("1/((x + 1)^2 - x^2 - 2*x - 1)", "1/(x*0)"));
  EXPECT_TRUE(test.is_zero(read("(x + 1)^2 - x^2 - 2*x - 1")));
  Fingerprinter fingerprinter(graph, 7);
  EXPECT_FALSE(fingerprinter.calc(read("3 + 1/(sin(x)^2 + cos(x)^2 - 1)")).has_value());
}

// Two random expressions of the same value at a point differ almost always; where fingerprints call them
// equal, their values at another point must agree too.
TEST_F(FingerprintTest, EqualFingerprintsMeanEqualValues) {
  const std::array<Expr, 3> xyz = {graph.symbol("x"), graph.symbol("y"), graph.symbol("hip.q[1]")};
  const std::array<double, 3> at = {0.3, 1.7, -0.4};
  std::vector<std::pair<Expr, double>> seen;
  int equal = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    test::RandomExpression random(seed, at);
    const Expr expr = read(random.make(2).text);
    const Tape tape(graph, std::array{expr}, xyz);
    std::vector<double> result(1), scratch(tape.scratch_size());
    tape.evaluate<double>(at, result, scratch);
    for (const auto& [other, value] : seen) {
      if (other == expr || !test.are_equal(other, expr)) continue;
      ++equal;
      if (std::isfinite(value) && std::isfinite(result[0])) {
        EXPECT_NEAR(value, result[0], 1e-9 * (1.0 + std::abs(value)))
            << to_text(graph, other) << " and " << to_text(graph, expr);
      }
    }
    seen.emplace_back(expr, result[0]);
  }
  EXPECT_GT(equal, 0);
}

TEST_F(FingerprintTest, DoesNotDependOnTheGraph) {
  Graph other;
  other.symbol("something");
  const Expr there = parse(other, "sin(q)*x - sqrt(y)", resolve_to_symbols(other));
  EXPECT_EQ(Fingerprinter(graph, 3).calc(read("sin(q)*x - sqrt(y)")), Fingerprinter(other, 3).calc(there));
  EXPECT_NE(Fingerprinter(graph, 3).calc(read("sin(q)")), Fingerprinter(graph, 4).calc(read("sin(q)")));
}

}  // namespace
}  // namespace sestina
