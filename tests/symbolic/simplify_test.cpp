#include "sestina/symbolic/simplify.h"

#include <utility>

#include "sestina/base/error.h"
#include "sestina/symbolic/latex.h"
#include "sestina/symbolic/shared_parts.h"
#include "symbolic/n_pendulum.h"
#include "symbolic/symbolic_fixture.h"

namespace sestina::symbolic {
namespace {

class SimplifyTest : public test::SymbolicTest {
 protected:
  Expression read(std::string_view text) {
    Graph& graph = mechanics.graph();
    return {graph, parse(graph, text, resolve_to_symbols(graph))};
  }
};

TEST_F(SimplifyTest, UsesTheAdditionTheoremsAndThatOfPythagoras) {
  constexpr std::pair<const char*, const char*> kSame[] = {
      {"cos(a)*cos(b) + sin(a)*sin(b)", "cos(a - b)"},
      {"m*l*cos(a)*cos(b) - m*l*sin(a)*sin(b)", "m*l*cos(a + b)"},
      {"2*sin(a)*cos(b) + 2*cos(a)*sin(b)", "2*sin(a + b)"},
      {"sin(a)*cos(b) - cos(a)*sin(b) + x", "x + sin(a - b)"},
      {"m*sin(a)^2 + m*cos(a)^2", "m"},
      {"m - m*sin(a)^2", "m*cos(a)^2"},
      {"x*cos(a)^2 - x", "-x*sin(a)^2"},
      {"cos(a)^2 - sin(a)^2", "cos(2*a)"},
      {"a - (b - c) - (x + y)", "a - b + c - x - y"},
      {"x*cos(a)*y/cos(a)", "x*y"},
      {"x*sin(a)^2/cos(a)", "x*tan(a)*sin(a)"},
      {"(m*g*r*sin(a) + m*r^2*x/4)/(m*r^2)", "(x + 4*g*sin(a)/r)/4"},
      {"g*l^2*m^2/(l^2*m*(n + m) - l^2*m^2)", "g*m/n"},
      {"g*(n + m) - g*m", "g*n"},
      {"1/(4*(n + m) - 3*m)", "1/(4*n + m)"},
      // Three terms by two steps, also below other functions.
      {"exp(cos(a)^2*cos(b)^2 + cos(a)^2*sin(b)^2 + sin(a)^2)", "exp(1)"},
  };
  for (const auto& [given, expected] : kSame) {
    EXPECT_EQ(simplify(mechanics, read(given)), read(expected))
        << given << " became " << to_text(simplify(mechanics, read(given)));
  }
}

TEST_F(SimplifyTest, LeavesAloneWhatIsNoneOfThese) {
  for (const char* text : {"cos(a)*cos(b) + 2*sin(a)*sin(b)", "sin(a)^2 + cos(b)^2", "a^2 + b^2", "a - a*b^2",
                           "sin(a)*cos(b) + cos(a)*sin(c)", "3"}) {
    EXPECT_EQ(simplify(mechanics, read(text)), read(text)) << text;
  }
}

// A fraction whose parts expand to more terms than anyone reads stays as it is.
TEST_F(SimplifyTest, LongFractionsStay) {
  const Expression long_one = read("(a + b + c + d + e + f + g + h)^12/(x + y)");
  EXPECT_EQ(simplify(mechanics, long_one), long_one);
}

// Each is a product of two sums with the one before: written out, the last has 2^60 terms.
TEST_F(SimplifyTest, LooksAtSharedPartsOnce) {
  Graph& graph = mechanics.graph();
  Expr expr = graph.symbol("x");
  for (int i = 0; i < 60; ++i) {
    const std::string number = std::to_string(i);
    const Expr a = graph.add(expr, graph.symbol("a" + number)),
               b = graph.add(expr, graph.symbol("b" + number));
    expr = graph.multiply(a, b);
  }
  const Expression given(graph, expr);
  EXPECT_EQ(simplify(mechanics, given), given);
}

TEST_F(SimplifyTest, ThePendulumReadsAsInTheTextbook) {
  const KanesMethod kane = test::derive_n_pendulum(mechanics, 3);
  const Matrix M = simplify(mechanics, kane.mass_matrix());
  EXPECT_EQ(latex(mechanics, M(0, 1)),
            "l_{0} l_{1} \\left(m_{1} + m_{2}\\right) \\cos\\left(q_{0} - q_{1}\\right)");
  for (std::size_t i = 0; i < 9; ++i) EXPECT_TRUE(same(M[i], kane.mass_matrix()[i]));
}

// A shared part gets one name, and substituting it back gives the original.
TEST_F(SimplifyTest, SharedPartsAreNamedOnce) {
  Matrix matrix(2, 1);
  matrix[0] = read("(a*b + c*d)^2*x + sin(a*b + c*d)");
  matrix[1] = read("y/(a*b + c*d)");
  const SharedParts shared = share_parts(mechanics, {matrix}, 3);
  ASSERT_EQ(shared.definitions.size(), 1u);
  EXPECT_EQ(shared.definitions[0].second, read("a*b + c*d"));
  EXPECT_EQ(shared.matrices[0][1], read("y/z0"));
  EXPECT_EQ(written_size(mechanics, {matrix}), 3 + 1 + 1 + 1 + 1 + 3 + 3 + 1 + 1);
  Graph& graph = mechanics.graph();
  const std::pair<Expr, Expr> back = {shared.definitions[0].first.in(graph),
                                      shared.definitions[0].second.in(graph)};
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(mechanics.wrap(graph.substitute(shared.matrices[0][i].in(graph), std::span(&back, 1))),
              matrix[i]);
  }
}

TEST_F(SimplifyTest, SymmetricEquationsAreSolvedFromTheLastToTheFirst) {
  Matrix A(3, 3), b(3, 1);
  const char* elements[3][3] = {{"a", "b", "0"}, {"b", "c", "d"}, {"0", "d", "e"}};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) A(i, j) = read(elements[i][j]);
    b[i] = read(std::string(1, "xyz"[i]));
  }
  const Matrix residual = A * solve_symmetric(mechanics, A, b, "a test") - b;
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(same(residual[i], 0));
  A(2, 2) = 0;
  EXPECT_THROW(solve_symmetric(mechanics, A, b, "a test"), InputError);
}

}  // namespace
}  // namespace sestina::symbolic
