// Forward, reverse and time derivatives, and remembered substitutions: all against Graph::diff.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "expression/random_expression.h"
#include "sestina/base/error.h"
#include "sestina/expression/expression.h"
#include "sestina/expression/fingerprint.h"
#include "sestina/expression/jacobian.h"
#include "sestina/expression/parse.h"
#include "sestina/expression/print.h"
#include "sestina/expression/substitution.h"
#include "sestina/expression/tape.h"
#include "sestina/expression/time_variables.h"

namespace sestina {
namespace {

class DifferentiationTest : public testing::Test {
 protected:
  Expr read(std::string_view text) { return parse(graph, text, resolve_to_symbols(graph)); }

  std::vector<double> evaluate(std::span<const Expr> exprs) {
    const Tape tape(graph, exprs, xyz);
    std::vector<double> results(exprs.size()), scratch(tape.scratch_size());
    tape.evaluate<double>(values, results, scratch);
    return results;
  }

  Graph graph;
  std::array<Expr, 3> xyz = {graph.symbol("x"), graph.symbol("y"), graph.symbol("hip.q[1]")};
  std::array<double, 3> values = {0.7, -1.3, 2.1};
};

TEST_F(DifferentiationTest, ForwardAndReverseAgreeWithOneSymbolAtATime) {
  SparseDifferentiator forward(graph, xyz);
  int compared = 0;
  for (unsigned seed = 0; seed < 2'000; ++seed) {
    test::RandomExpression random(seed, values);
    const test::Reference reference = random.make(1 + static_cast<int>(seed % 4));
    const Expr expr = read(reference.text);
    std::vector<Expr> all = calc_gradient(graph, expr, xyz);
    for (const Expr symbol : xyz) all.push_back(graph.diff(expr, symbol));
    const auto row = forward.row(expr);  // a copy: nothing may change it
    std::vector<Expr> dense(3, graph.fraction(0));
    for (const auto& [column, value] : row) dense[column] = value;
    EXPECT_EQ(dense, std::vector(all.begin() + 3, all.end())) << reference.text;
    const std::vector<double> numbers = evaluate(all);
    const double condition =
        1.0 + static_cast<double>(reference.error / (1e-30L + std::abs(reference.value)));
    for (std::size_t i = 0; i < 3; ++i) {
      if (!std::isfinite(numbers[i]) || !std::isfinite(numbers[i + 3]) || !(condition < 1e5)) continue;
      // Other orders of the same operations.
      ASSERT_NEAR(numbers[i], numbers[i + 3], 1e-9 * (1.0 + std::abs(numbers[i + 3]))) << reference.text;
      compared += numbers[i] != 0.0 ? 1 : 0;
    }
  }
  EXPECT_GT(compared, 1'000);
}

TEST_F(DifferentiationTest, AJacobianHoldsOnlyWhatDoesNotVanish) {
  const auto jacobian = calc_jacobian(graph, std::array{read("x*y"), read("z"), read("y^2 + 1")}, xyz);
  ASSERT_EQ(jacobian.size(), 3u);
  using Row = SparseDifferentiator::Row;
  EXPECT_EQ(jacobian[0], (Row{{0, xyz[1]}, {1, xyz[0]}}));
  EXPECT_EQ(jacobian[1], Row{});
  EXPECT_EQ(jacobian[2], (Row{{1, read("2*y")}}));
}

TEST_F(DifferentiationTest, ReverseCostsASmallMultipleOfTheExpression) {
  constexpr int kSymbols = 200;
  std::vector<Expr> symbols;
  Expr expr = graph.fraction(1);
  for (int i = 0; i < kSymbols; ++i) {
    symbols.push_back(graph.symbol("s" + std::to_string(i)));
    expr = graph.unary(Op::kSin, graph.multiply(expr, symbols.back()));
  }
  const std::size_t before = graph.size();
  calc_gradient(graph, expr, symbols);
  EXPECT_LT(graph.size() - before, 8u * kSymbols);  // forward: one for each pair, 20'000
}

TEST_F(DifferentiationTest, ASubstitutionIsThatOfTheGraph) {
  const std::vector<std::pair<Expr, Expr>> swap = {{xyz[0], xyz[1]}, {xyz[1], read("x + 1")}};
  Substitution substitution(graph, swap);
  int changed = 0;
  for (unsigned seed = 0; seed < 500; ++seed) {
    test::RandomExpression random(seed, values);
    const Expr expr = read(random.make(3).text);
    EXPECT_EQ(substitution(expr), graph.substitute(expr, swap)) << to_text(graph, expr);
    changed += substitution(expr) != expr ? 1 : 0;
  }
  EXPECT_GT(changed, 200);
  EXPECT_EQ(substitution(std::array{read("x*y"), read("3")}),
            (std::vector{read("y*(x + 1)"), graph.fraction(3)}));
}

TEST(TimeVariables, DifferentiateByTimeToAnyOrder) {
  Graph graph;
  TimeVariables variables(graph);
  const Expression q(graph, variables.variable("q")), dq(graph, variables.variable("q", 1)),
      ddq(graph, variables.variable("q", 2)), l = symbol(graph, "l"), t(graph, variables.time());
  const auto rate = [&](const Expression& e) { return Expression(graph, variables.rate(e.in(graph))); };
  EXPECT_EQ(to_text(ddq), "q''");
  EXPECT_EQ(rate(q), dq);
  EXPECT_EQ(rate(l), Expression(0));
  EXPECT_EQ(rate(t * t), 2 * t);
  EXPECT_EQ(rate(l * sin(q)), l * cos(q) * dq);
  EXPECT_EQ(rate(l * cos(q) * dq), l * cos(q) * ddq - l * sin(q) * pow(dq, 2));
  EXPECT_EQ(rate(exp(-2 * t) * q), exp(-2 * t) * dq - 2 * exp(-2 * t) * q);
  EXPECT_EQ(variables.order(ddq.in(graph)), 2);
  EXPECT_EQ(variables.base(ddq.in(graph)), q.in(graph));
  EXPECT_FALSE(variables.is_variable(l.in(graph)));
}

TEST(TimeVariables, ASymbolMayBecomeAVariableLater) {
  Graph graph;
  TimeVariables variables(graph);
  const Expression m = symbol(graph, "m");
  const Expr momentum = (3 * m).in(graph);
  EXPECT_EQ(variables.rate(momentum), graph.fraction(0));
  variables.variable("m");
  EXPECT_EQ(to_text(graph, variables.rate(momentum)), "3*m'");
  EXPECT_THROW(variables.variable("m'"), InputError);
  EXPECT_THROW(variables.variable("t"), InputError);
  EXPECT_THROW(variables.variable(""), InputError);
}

}  // namespace
}  // namespace sestina
