#include "sestina/expression/parse.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <numbers>

#include "expression/random_expression.h"
#include "sestina/expression/evaluate.h"
#include "sestina/expression/print.h"

namespace sestina {
namespace {

using testing::HasSubstr;

Expr parse_symbols(Graph& graph, std::string_view text) {
  return parse(graph, text, resolve_to_symbols(graph));
}

double value_of_text(std::string_view text) {
  Graph graph;
  const Expr expr = parse_symbols(graph, text);
  const std::vector<Binding> bindings = {{graph.symbol("x"), 3.0}, {graph.symbol("y"), 2.0}};
  return evaluate(graph, expr, bindings);
}

struct Known {
  const char* text;
  double value;
};

// x = 3, y = 2. All values are doubles exactly, or one library call away from it.
constexpr Known kPrecedence[] = {
    {"1 + 2*3", 7.0},
    {"(1 + 2)*3", 9.0},
    {"-2^2", -4.0},
    {"(-2)^2", 4.0},
    {"2^-1", 0.5},
    {"2**3", 8.0},
    {"-2 ** 2", -4.0},
    {"2**-1**2", 0.5},
    {"2**3^0", 2.0},
    {"2^-x", 0.125},
    {"2^3^2", 512.0},
    {"(2^3)^2", 64.0},
    {"-x^y", -9.0},
    {"x^-y^y", 1.0 / 81.0},
    {"12/3/2", 2.0},
    {"12/(3*2)", 2.0},
    {"12/3*2", 8.0},
    {"x/y*y", 3.0},
    {"10 - 3 - 2", 5.0},
    {"10 - (3 - 2)", 9.0},
    {"x - y - 1", 0.0},
    {"x - -y", 5.0},
    {"--x", 3.0},
    {"+-+x", -3.0},
    {"x*-y", -6.0},
    {"x/-y", -1.5},
    {"2*x^2", 18.0},
    {"-x*y", -6.0},
    {"1.5", 1.5},
    {".5", 0.5},
    {"1.", 1.0},
    {"1e-3", 1e-3},
    {"2.5E+3", 2500.0},
    {"pi", std::numbers::pi},
    {" \t\n1\r + 1 ", 2.0},
    {"min(x, y)", 2.0},
    {"max(x, y) - 1", 2.0},
    {"pow(x, y)", 9.0},
    {"ln(1)", 0.0},
    {"sqrt(x^2 + 16)", 5.0},
    {"abs(-x)", 3.0},
    {"sign(-x)", -1.0},
    {"step(0)", 1.0},
    {"step(-x)", 0.0},
    {"if(x < y, 1, 2)", 2.0},
    {"if(x > y, 1, 2)", 1.0},
    {"if(x <= 3, 1, 2)", 1.0},
    {"if(3 >= x, 1, 2)", 1.0},
    {"if(x < 3, 1, 2)", 2.0},
    {"if(x + 1 > y*2, x, 1/0)", 2.0},  // 4 > 4 is false, and the other branch counts: see below
};

TEST(Parse, KeepsThePrecedenceOfMathematics) {
  for (const auto& [text, value] : kPrecedence) {
    if (std::string_view(text).find("1/0") != std::string_view::npos) {
      EXPECT_TRUE(std::isinf(value_of_text(text))) << text;
    } else {
      EXPECT_DOUBLE_EQ(value_of_text(text), value) << text;
    }
  }
  EXPECT_DOUBLE_EQ(value_of_text("atan2(x, -y)"), std::atan2(3.0, -2.0));
  EXPECT_DOUBLE_EQ(value_of_text("sin(x)*cos(y)"), std::sin(3.0) * std::cos(2.0));
}

TEST(Parse, ReadsNumbersAsTheCompilerDoes) {
  EXPECT_EQ(value_of_text("0.1"), 0.1);
  EXPECT_EQ(value_of_text("1.7976931348623157e308"), 1.7976931348623157e308);
  EXPECT_EQ(value_of_text("2.2250738585072014e-308"), 2.2250738585072014e-308);
  EXPECT_EQ(value_of_text("123456789012345678901234567890"), 123456789012345678901234567890.0);
  EXPECT_EQ(value_of_text("0.1234567890123456789"), 0.1234567890123456789);
  EXPECT_EQ(value_of_text("9007199254740993"), 9007199254740993.0);
  EXPECT_EQ(value_of_text("0e999999999999"), 0.0);
}

TEST(Parse, GivesReferencesToTheResolver) {
  Graph graph;
  std::vector<std::string> seen;
  const Resolver resolver = [&](std::string_view reference) -> std::variant<Expr, std::string> {
    seen.emplace_back(reference);
    return graph.symbol(reference);
  };
  parse(graph, "l1 + hip.q*base.u[3] - _a9.b.c[0][12]", resolver);
  EXPECT_THAT(seen, testing::ElementsAre("l1", "hip.q", "base.u[3]", "_a9.b.c[0][12]"));
}

TEST(Parse, ReportsTheMessageOfTheResolverAtTheReference) {
  Graph graph;
  const Resolver resolver = [](std::string_view name) -> std::variant<Expr, std::string> {
    return "nothing is called " + std::string(name);
  };
  try {
    parse(graph, "2*(1 + hip.q)", resolver);
    FAIL();
  } catch (const ExpressionError& error) {
    EXPECT_EQ(error.offset(), 7u);
    EXPECT_STREQ(error.what(), "nothing is called hip.q");
  }
}

struct Malformed {
  const char* text;
  std::size_t offset;
  const char* part_of_message;
};

constexpr Malformed kMalformed[] = {
    {"", 0, "empty"},
    {"   ", 3, "empty"},
    {"1 +", 3, "expected a number, a name or '(', not the end"},
    {"1 + * 2", 4, "not '*'"},
    {"*2", 0, "not '*'"},
    {"/2", 0, "not '/'"},
    {"2***3", 3, "expected a number"},
    {"x * * y", 4, "expected a number"},
    {"2^", 2, "not the end"},
    {"2^*3", 2, "not '*'"},
    {"^2", 0, "not '^'"},
    {"(1", 2, "expected ')' for the '(' at 0, not the end"},
    {"(1 + (2*3)", 10, "for the '(' at 0"},
    {"1)", 1, "closes nothing"},
    {"()", 1, "not ')'"},
    {"(1, 2)", 2, "between the arguments"},
    {"1, 2", 1, "between the arguments"},
    {"2x", 1, "expected an operator between 2 and 'x'"},
    {"2 x", 2, "expected an operator or the end, not 'x'"},
    {"x y", 2, "not 'y'"},
    {"2(3)", 1, "not '('"},
    {"(1)(2)", 3, "not '('"},
    {"1..2", 2, "second '.'"},
    {"1.2.3", 3, "second '.'"},
    {".", 0, "digit"},
    {"1 + .e5", 4, "digit"},
    {"1e", 2, "digits of an exponent, not the end"},
    {"1e+", 3, "digits of an exponent"},
    {"1ex", 2, "not 'x'"},
    {"1e5e", 3, "expected an operator between 1e5 and 'e'"},
    {"0x10", 1, "'x10'"},
    {"1_000", 1, "'_000'"},
    {"3 + 1e999", 4, "outside the range"},
    {"1e-999", 0, "outside the range"},
    {"1e99999999999999999999", 0, "outside the range"},
    {"sinn(x)", 0, "did you mean 'sin'?"},
    {"2*sqr(x)", 2, "did you mean 'sqrt'?"},
    {"frobnicate(x)", 0, "unknown function 'frobnicate'"},
    {"sin", 3, "expected '(' after the function 'sin'"},
    {"sin + 1", 4, "expected '(' after the function 'sin'"},
    {"sin x", 4, "expected '(' after the function 'sin', not 'x'"},
    {"sin()", 4, "sin() takes 1 argument"},
    {"sin(x, y)", 5, "sin() takes 1 argument"},
    {"atan2(x)", 7, "atan2() takes 2 arguments"},
    {"atan2(x, y, 1)", 10, "atan2() takes 2 arguments"},
    {"min(x y)", 6, "expected ',' between arguments, not 'y'"},
    {"sin(x", 5, "expected ')' after the argument of sin, not the end"},
    {"pi(2)", 0, "unknown function 'pi'"},
    {"hip.q(2)", 0, "'hip.q' is not a function"},
    {"hip.", 4, "expected a name after '.', not the end"},
    {"hip.3", 4, "not '3'"},
    {"base.u[]", 7, "expected an index"},
    {"base.u[-1]", 7, "expected an index"},
    {"base.u[1.5]", 8, "expected ']'"},
    {"base.u[1", 8, "expected ']' after the index, not the end"},
    {"base.u[i]", 7, "expected an index"},
    {"x < 1", 2, "first argument of if()"},
    {"(x < 1)", 3, "first argument of if()"},
    {"sin(x < 1)", 6, "first argument of if()"},
    {"x = 1", 2, "conditions are written"},
    {"x == 1", 2, "conditions are written"},
    {"if(x, 1, 2)", 4, "expected <, <=, > or >="},
    {"if(x == 1, 1, 2)", 5, "expected <, <=, > or >="},
    {"if(x < 1 < 2, 1, 2)", 9, "one comparison"},
    {"if(x < 1)", 8, "if() takes 3 arguments"},
    {"if(x < 1, 2)", 11, "if() takes 3 arguments"},
    {"if(x < 1, 2, 3, 4)", 14, "if() takes 3 arguments"},
    {"if()", 3, "not ')'"},
    {"sin'(x)", 0, "only tables have derivatives"},
    {"x' + 1", 3, "expected '('"},
    {"x & y", 2, "not '&'"},
    {"x && y", 2, "not '&'"},
    {"x ? 1 : 2", 2, "not '?'"},
    {"x; y", 1, "not ';'"},
    {"\"x\"", 0, "not '\"'"},
    {"x \xC3\x97 y", 2, "not '\xC3\x97'"},
    {"\xE2\x88\x92x", 0, "not '\xE2\x88\x92'"},
    {"x \xFF", 2, "0xFF"},
    {"x \x01", 2, "0x01"},
    {"%", 0, "not '%'"},
    {"x!", 1, "not an operator"},
    {"[1]", 0, "not '['"},
    {"{x}", 0, "not '{'"},
};

TEST(Parse, PointsAtTheFirstThingThatIsWrong) {
  static_assert(std::size(kMalformed) >= 40);
  for (const auto& [text, offset, part] : kMalformed) {
    Graph graph;
    try {
      parse_symbols(graph, text);
      ADD_FAILURE() << text << " was accepted";
    } catch (const ExpressionError& error) {
      EXPECT_EQ(error.offset(), offset) << text << ": " << error.what();
      EXPECT_THAT(error.what(), HasSubstr(part)) << text;
    }
  }
}

TEST(Parse, StopsAtNulBytes) {
  Graph graph;
  EXPECT_THROW(parse_symbols(graph, std::string_view("x\0y", 3)), ExpressionError);
}

TEST(Parse, RefusesMonstersWithoutRunningOutOfStack) {
  Graph graph;
  const auto refused = [&](const std::string& text) {
    try {
      parse_symbols(graph, text);
      return std::string("accepted");
    } catch (const ExpressionError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_THAT(refused(std::string(1'000'000, '(')), HasSubstr("more than 65536"));
  EXPECT_THAT(refused(std::string(1'000'000, '-')), HasSubstr("more than 65536"));
  EXPECT_THAT(refused(std::string(60'000, '(')), HasSubstr("nested more than 200"));
  EXPECT_THAT(refused(std::string(60'000, '-')), HasSubstr("not the end"));
  std::string powers = "x";
  for (int i = 0; i < 20'000; ++i) powers += "^x";
  EXPECT_THAT(refused(powers), HasSubstr("nested more than 200"));
  std::string calls;
  for (int i = 0; i < 10'000; ++i) calls += "sin(";
  EXPECT_THAT(refused(calls), HasSubstr("nested more than 200"));
  EXPECT_THAT(refused(std::string(60'000, 'f') + "(x)"), HasSubstr("unknown function"));
  EXPECT_LT(refused(std::string(60'000, 'f') + "(x)").size(), 200u);
  EXPECT_THAT(refused("1e" + std::string(60'000, '9')), HasSubstr("outside the range"));
}

TEST(Parse, AcceptsWhatIsLongOnly) {
  Graph graph;
  const Expr x = graph.symbol("x");
  EXPECT_EQ(parse_symbols(graph, std::string(60'000, '-') + "x"), x);
  EXPECT_EQ(parse_symbols(graph, std::string(190, '(') + "x" + std::string(190, ')')), x);
  std::string sum = "x";
  for (int i = 1; i < 20'000; ++i) sum += "+x";
  EXPECT_EQ(parse_symbols(graph, sum), graph.multiply(graph.fraction(20'000), x));
  const std::string name(60'000, 'n');
  EXPECT_EQ(parse_symbols(graph, name), graph.symbol(name));
  EXPECT_EQ(parse_symbols(graph, "0." + std::string(60'000, '0')), graph.fraction(0));
  EXPECT_EQ(parse_symbols(graph, "1e" + std::string(60'000, '0')), graph.fraction(1));
  const Expr huge = parse_symbols(graph, "2^123456789");
  EXPECT_EQ(to_text(graph, huge), "2^123456789");
  EXPECT_TRUE(graph.has_constant_fault(huge));
}

TEST(Parse, KeepsHugeExponentsFinite) {
  Graph graph;
  std::string product = "x^9007199254740992", tower = product;
  for (int i = 0; i < 2'000; ++i) product += "*x^9007199254740992";
  for (int i = 0; i < 100; ++i) tower = fmt::format("({})^9007199254740992", tower);
  const Binding x{graph.symbol("x"), 1.0};
  for (const std::string& text :
       {product, fmt::format("1/({})", product), fmt::format("({})^-3", product), tower}) {
    const Expr expr = parse_symbols(graph, text);
    EXPECT_EQ(evaluate(graph, expr, std::span(&x, 1)), 1.0);
    EXPECT_EQ(parse_symbols(graph, to_text(graph, expr)), expr);
  }
}

TEST(Parse, NeverCrashesOnRandomBytes) {
  std::mt19937 random(7);
  constexpr std::string_view kAlphabet = "x1.e+-*/^(),<>= sin[]'";
  Graph graph;
  int accepted = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (unsigned n = random() % 12; n > 0; --n) text += kAlphabet[random() % kAlphabet.size()];
    try {
      parse_symbols(graph, text);
      ++accepted;
    } catch (const ExpressionError& error) {
      EXPECT_LE(error.offset(), text.size());
    }
  }
  EXPECT_GT(accepted, 100);
}

TEST(Print, ReadsWell) {
  constexpr std::pair<const char*, const char*> kTexts[] = {
      {"m*l^2/12", "m*l^2/12"},
      {"-l1/2", "-l1/2"},
      {"0.1*sin(3*t) - 0.2*w", "0.1*sin(3*t) - 0.2*w"},
      {"1 + a", "a + 1"},
      {"a - (b - c)", "a - (b - c)"},
      {"1/(l1 - l2)", "1/(l1 - l2)"},
      {"a/b/c/2", "a/(2*b*c)"},
      {"a^-2", "1/a^2"},
      {"a^(-1/3)", "a^(-1/3)"},
      {"(a + b)^2", "(a + b)^2"},
      {"a^b^c", "a^b^c"},
      {"(a^b)^c", "(a^b)^c"},
      {"if(a > b, -a, 2)", "if(b < a, -a, 2)"},
      {"1/0", "1/0"},
      {"0/0", "0/0"},
      {"-(-1/0)", "1/0"},
      {"1e22*x", "1e+22*x"},
      {"x/x", "x/x"},
  };
  for (const auto& [text, printed] : kTexts) {
    Graph graph;
    EXPECT_EQ(to_text(graph, parse_symbols(graph, text)), printed);
  }
}

// A fraction is exact as long as its numerator and its denominator are numbers that can be read.
TEST(Print, WritesLongFractionsThatReadBack) {
  for (const char* text : {"2^1022 + 1/3",
                           "2^1023 - 1",
                           "(2^1022 + 1)/3^600",
                           "1 - 4^-529",
                           "3^-400*7^-300",
                           "10^308",
                           "10^-308",
                           "1 - 10^-300 - 10^-307",
                           "x*2^1022*2^1022",
                           "x/2^1022/3^500",
                           "0.1^-323",
                           "0.1^323",
                           "x*0.1^309",
                           "0.1^-308",
                           "8.5^0.5",
                           "0.1*x*8.5^0.5",
                           "9.81^0.5 + 981/100",
                           "2.5*x*2.5^0.5",
                           "0.3^0.5*x",
                           "0.3^40*x + 3/10",
                           "(3/10)^40*x",
                           "(8/27)^(2/3)*x",
                           "0.001^(2/3)*x + 1/100",
                           "0.001^(100/3)",
                           "x*16^(1/3)",
                           "9^(2/3) + 8^(1/3)"}) {
    Graph graph;
    const Expr expr = parse_symbols(graph, text);
    const std::string printed = to_text(graph, expr);
    EXPECT_EQ(parse_symbols(graph, printed), expr) << text << " is printed as " << printed;
  }
}

TEST(Print, CutsLongText) {
  Graph graph;
  EXPECT_EQ(to_text(graph, parse_symbols(graph, "aaaaaaaa + bbbbbbbb"), 10), "aaaaaaa...");
}

TEST(Print, PrintsAnExpressionDeeperThanTheStack) {
  Graph graph;
  Expr expr = graph.symbol("x");
  for (int i = 0; i < 200'000; ++i) expr = graph.unary(Op::kSin, expr);
  EXPECT_EQ(to_text(graph, expr).size(), 200'000u * 5 + 1);
}

void expect_round_trip(unsigned seed, int depth) {
  test::RandomExpression random(seed, {0.7, -1.3, 2.1});
  const std::string text = random.make(depth).text;
  if (text.size() > kLongestExpression) return;
  Graph graph;
  const Expr expr = parse_symbols(graph, text);
  const std::string printed = to_text(graph, expr);
  ASSERT_EQ(parse_symbols(graph, printed), expr) << text << "\n" << printed;
}

TEST(Print, ParsesBackToTheSameExpression) {
  for (unsigned seed = 0; seed < 5'000; ++seed) expect_round_trip(seed, static_cast<int>(seed % 6));
  for (unsigned seed = 0; seed < 100; ++seed) expect_round_trip(seed, 10);  // wider than kMostMerged
}

}  // namespace
}  // namespace sestina
