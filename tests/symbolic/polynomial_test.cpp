#include "sestina/symbolic/polynomial.h"

#include <gmock/gmock.h>

#include <array>
#include <utility>

#include "message_of.h"
#include "sestina/base/error.h"
#include "symbolic/n_pendulum.h"
#include "symbolic/symbolic_fixture.h"

namespace sestina::symbolic {
namespace {

using testing::HasSubstr;
using testing_support::message_of;

class PolynomialTest : public test::SymbolicTest {
 protected:
  Expression read(std::string_view text) {
    Graph& graph = mechanics.graph();
    return {graph, parse(graph, text, resolve_to_symbols(graph))};
  }
  using Pairs = std::vector<std::pair<const char*, const char*>>;
};

TEST_F(PolynomialTest, ExpandsProductsAndPowersOfSums) {
  for (const auto& [given, expected] :
       Pairs{{"m*(x + y)^2", "m*x^2 + 2*m*x*y + m*y^2"},
             {"(x + y)*(x - y)", "x^2 - y^2"},
             {"(a + b)*(c + d)*e", "a*c*e + a*d*e + b*c*e + b*d*e"},
             {"x - (y - (x + z))", "2*x - y + z"},
             {"sin(2*(q + r))", "sin(2*q + 2*r)"},
             {"1/(x*(y + 1) - x)", "1/(x*y)"},
             {"(x + 1)*(x + 1/2)/(x - 1)", "x^2/(x - 1) + 3/2*x/(x - 1) + 1/2/(x - 1)"},
             {"(cos(a) + sin(a))^3", "cos(a)^3 + 3*cos(a)^2*sin(a) + 3*cos(a)*sin(a)^2 + sin(a)^3"},
             {"x*y", "x*y"}}) {
    EXPECT_EQ(expand(mechanics, read(given)), read(expected))
        << given << " became " << to_text(expand(mechanics, read(given)));
  }
}

TEST_F(PolynomialTest, CollectsByPowers) {
  const auto collected = [&](const char* text, const std::vector<const char*>& of) {
    std::vector<Expression> exprs;
    for (const char* each : of) exprs.push_back(read(each));
    return collect(mechanics, read(text), exprs);
  };
  EXPECT_EQ(collected("a*x + b*x + c*x^2 + d", {"x"}), read("d + (a + b)*x + c*x^2"));
  EXPECT_EQ(collected("(x + a)*(x + b)", {"x"}), read("a*b + (a + b)*x + x^2"));
  EXPECT_EQ(collected("m*cos(q)*a + l*cos(q)*b", {"cos(q)"}), read("(m*a + l*b)*cos(q)"));
  EXPECT_EQ(collected("a*x*y + b*x*y + x*c + d*y", {"x", "y"}), read("d*y + (c + (a + b)*y)*x"));
  EXPECT_EQ(collected("a/x + b/x + x", {"x"}), read("(a + b)/x + x"));
  EXPECT_EQ(collected("a*x + sin(x)*x", {"x"}), read("(a + sin(x))*x"));
  // Other parts stay as they are written.
  EXPECT_EQ(collected("(a + b)^2*x + (c + d)*e", {"x"}), read("(a + b)^2*x + (c + d)*e"));
}

TEST_F(PolynomialTest, CoefficientsAreThoseThatDoNotVanish) {
  const auto all =
      coefficients_of(mechanics, read("(x + a)^2 - x^2 + c*x^3*(sin(b)^2 + cos(b)^2 - 1)"), read("x"));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].first, 0);
  EXPECT_TRUE(same(all[0].second, read("a^2")));
  EXPECT_EQ(all[1].first, 1);
  EXPECT_TRUE(same(all[1].second, read("2*a")));
  EXPECT_THROW(coefficients_of(mechanics, read("x"), read("2")), InputError);
}

TEST_F(PolynomialTest, FactorsTakesOutWhatTermsShare) {
  for (const auto& [given, expected] :
       Pairs{{"m*g*l*sin(a) + m*l^2*b", "m*l*(g*sin(a) + l*b)"},
             {"a*x + a*y + b*x + b*y", "(a + b)*(x + y)"},
             {"a*x - a*y - b*x + b*y", "(a - b)*(x - y)"},
             {"6*x^2*y + 4*x*y^2", "2*x*y*(3*x + 2*y)"},
             {"x/2 + y/2", "(x + y)/2"},
             {"x/2 + y/3", "(3*x + 2*y)/6"},
             {"-x - y", "-(x + y)"},
             {"a/x + b/x", "(a + b)/x"},
             {"x + y*z", "x + y*z"},
             {"a*b + a*c + d", "a*b + a*c + d"},  // no product as a whole
             {"exp(a*x + a*y)", "exp(a*(x + y))"},
             {"0.1234567890123456*x + 0.5*x*y", "x*(0.1234567890123456 + 0.5*y)"}}) {
    EXPECT_EQ(factor(mechanics, read(given)), read(expected))
        << given << " became " << to_text(factor(mechanics, read(given)));
  }
}

TEST_F(PolynomialTest, TheWayThereAndBackIsTheSameFunction) {
  const KanesMethod kane = test::derive_n_pendulum(mechanics, 4);
  const Matrix M = expand(mechanics, kane.mass_matrix()), f = expand(mechanics, kane.forcing());
  const Matrix back_M = factor(mechanics, M), back_f = factor(mechanics, f);
  for (std::size_t i = 0; i < 16; ++i) {
    EXPECT_TRUE(same(M[i], kane.mass_matrix()[i]));
    EXPECT_TRUE(same(back_M[i], kane.mass_matrix()[i]));
  }
  for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(same(back_f[i], kane.forcing()[i]));
}

TEST_F(PolynomialTest, RefusesWhatWouldFillTheMemory) {
  EXPECT_THAT(message_of([&] { expand(mechanics, read("(a + b + c + d + e + f + g + h)^40")); }),
              HasSubstr("more than 20000 terms"));
}

}  // namespace
}  // namespace sestina::symbolic
