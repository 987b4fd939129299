#include "sestina/expression/tape.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "expression/allocation_count.h"
#include "expression/random_expression.h"
#include "sestina/expression/evaluate.h"
#include "sestina/expression/parse.h"
#include "sestina/expression/print.h"

namespace sestina {
namespace {

constexpr std::array<double, 3> kValues = {0.7, -1.3, 2.1};

class TapeTest : public testing::Test {
 protected:
  Expr read(std::string_view text) { return parse(graph, text, resolve_to_symbols(graph)); }

  template <class T>
  std::vector<T> run(std::span<const Expr> outputs, std::span<const Expr> inputs, std::vector<T> values) {
    const Tape tape(graph, outputs, inputs);
    std::vector<T> results(outputs.size()), scratch(tape.scratch_size());
    tape.evaluate<T>(values, results, scratch);
    return results;
  }

  Graph graph;
  std::array<Expr, 3> xyz = {graph.symbol("x"), graph.symbol("y"), graph.symbol("hip.q[1]")};
};

bool same_bits(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || a == b;  // a zero may differ in its sign
}

TEST_F(TapeTest, AgreesWithTheArithmeticOfTheText) {
  int compared = 0;
  for (unsigned seed = 0; seed < 6'000; ++seed) {
    test::RandomExpression random(seed, kValues);
    const test::Reference reference = random.make(2 + static_cast<int>(seed % 4));
    if (!std::isfinite(static_cast<double>(reference.error))) continue;  // somewhere inf or nan
    const Expr expr = read(reference.text);
    const double value = run<double>(std::array{expr}, xyz, {kValues.begin(), kValues.end()})[0];
    // The error bound is of first order, for any order of evaluation; 32 covers chains of 2^5 operations.
    const long double tolerance = 32.0L * std::numeric_limits<double>::epsilon() * reference.error;
    if (tolerance > 1e-6L * std::abs(reference.value) + 1e-9L) continue;  // too ill-conditioned to tell
    ASSERT_NEAR(value, static_cast<double>(reference.value), static_cast<double>(tolerance) + 1e-300)
        << reference.text << "\n"
        << to_text(graph, expr);
    ++compared;
  }
  EXPECT_GT(compared, 3'000);
}

TEST_F(TapeTest, RoundsLikeTheEvaluationNodeByNode) {
  std::vector<Binding> bindings;
  for (std::size_t i = 0; i < 3; ++i) bindings.emplace_back(xyz[i], kValues[i]);
  for (unsigned seed = 0; seed < 4'000; ++seed) {
    test::RandomExpression random(seed, kValues);
    const Expr expr = read(random.make(2 + static_cast<int>(seed % 5)).text);
    const double value = run<double>(std::array{expr}, xyz, {kValues.begin(), kValues.end()})[0];
    ASSERT_TRUE(same_bits(value, evaluate(graph, expr, bindings))) << to_text(graph, expr);
  }
}

TEST_F(TapeTest, ComputesManyOutputsAtOnceAsOneByOne) {
  std::vector<Expr> outputs;
  for (unsigned seed = 0; seed < 300; ++seed) {
    test::RandomExpression random(seed, kValues);
    outputs.push_back(read(random.make(4).text));
  }
  outputs.push_back(outputs.front());       // twice the same
  outputs.push_back(xyz[1]);                // an input
  outputs.push_back(graph.fraction(5, 2));  // a constant
  const std::vector<double> values(kValues.begin(), kValues.end());
  const std::vector<double> together = run<double>(outputs, xyz, values);
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const double alone = run<double>(std::array{outputs[k]}, xyz, values)[0];
    ASSERT_TRUE(same_bits(together[k], alone)) << to_text(graph, outputs[k]);
  }
  EXPECT_EQ(together.back(), 2.5);
}

TEST_F(TapeTest, CarriesDualNumbersThroughEveryOperation) {
  graph.add_table("cam", Table({-1.0, 0.0, 2.0, 3.0}, {0.0, 1.0, 4.0, 4.5}, Interpolation::kPchip));
  for (const char* text : {"x + y - 2*x*y",
                           "x/y",
                           "1/(x*y)",
                           "x^3 - x^-2 + x^20",
                           "x^y",
                           "sin(x)*cos(x)",
                           "tan(x)",
                           "asin(x/2)",
                           "acos(x/2)",
                           "atan(x*y)",
                           "sinh(x)",
                           "cosh(x)",
                           "tanh(x)",
                           "exp(x)",
                           "log(x)",
                           "sqrt(x)",
                           "abs(-x*y)",
                           "sign(x)*x",
                           "step(x)*x",
                           "atan2(x, y)",
                           "min(x, y)*x",
                           "max(x, y)*x",
                           "if(x < y, x^2, x^3)",
                           "if(x <= y, x^2, x^3)",
                           "cam(x)",
                           "cam'(x)",
                           "cam''(x)"}) {
    const Expr expr = read(text);
    constexpr double h = 1e-6;
    const auto at = [&](double x) { return run<double>(std::array{expr}, xyz, {x, 1.3, 0.0})[0]; };
    const Dual value = run<Dual>(std::array{expr}, xyz, {{0.7, 1.0}, {1.3}, {0.0}})[0];
    EXPECT_DOUBLE_EQ(value.v, at(0.7)) << text;
    // Central differences: h^2 f'''/6 + eps f/h, with f''' and f of order 10.
    EXPECT_NEAR(value.d, (at(0.7 + h) - at(0.7 - h)) / (2.0 * h), 1e-8) << text;
  }
}

TEST_F(TapeTest, AllocatesNothingWhenEvaluated) {
  graph.add_table("cam", Table({-1.0, 0.0, 2.0}, {0.0, 1.0, 4.0}, Interpolation::kPchip));
  const std::array outputs = {read("cam(x)*sin(y)/cos(y) + if(x < y, x^7, y^0.3)"),
                              read("atan2(x, y) + 1/x")};
  const Tape tape(graph, outputs, xyz);
  std::array<double, 2> results;
  std::array<Dual, 2> duals;
  std::vector<double> scratch(tape.scratch_size());
  std::vector<Dual> dual_scratch(tape.scratch_size());
  const std::array<Dual, 3> dual_values = {Dual{0.7, 1.0}, Dual{-1.3}, Dual{2.1}};
  const long before = test::allocation_count();
  tape.evaluate<double>(kValues, results, scratch);
  tape.evaluate<Dual>(dual_values, duals, dual_scratch);
  EXPECT_EQ(test::allocation_count(), before);
  const auto* volatile proof = new int(1);  // the count does count
  EXPECT_GT(test::allocation_count(), before);
  delete proof;
}

TEST_F(TapeTest, ComputesSharedPartsOnce) {
  // sincos, 2 products of them, one sum, 2 stores
  EXPECT_LE(
      Tape(graph, std::array{read("sin(x)*cos(x)"), read("sin(x)*cos(x) + cos(x)")}, xyz).instruction_count(),
      5u);
  // x^8 by three squarings; x^4 is one of them
  EXPECT_EQ(Tape(graph, std::array{read("x^8 + x^4")}, xyz).instruction_count(), 3u + 1u + 1u);
  // a running sum shares its beginning
  EXPECT_EQ(Tape(graph, std::array{read("x + y"), read("x + y + hip.q[1]")}, xyz).instruction_count(), 4u);
  // constants are computed beforehand: one multiplication, one store
  EXPECT_EQ(Tape(graph, std::array{read("x*(sin(2) + pi/3)")}, xyz).instruction_count(), 2u);
  // a - 2b: multiply, subtract, store
  EXPECT_EQ(Tape(graph, std::array{read("x - 2*y")}, xyz).instruction_count(), 3u);
  // a/b: divide, store
  EXPECT_EQ(Tape(graph, std::array{read("x/y")}, xyz).instruction_count(), 2u);
}

TEST_F(TapeTest, UsesScratchAgain) {
  Expr expr = xyz[0];
  for (int i = 0; i < 1'000; ++i) expr = graph.unary(Op::kSin, graph.add(expr, xyz[1]));
  EXPECT_LE(Tape(graph, std::array{expr}, xyz).scratch_size(), 3u);
}

TEST_F(TapeTest, AllowsOutputsToOverwriteInputs) {
  const std::array outputs = {read("x + y"), read("x - y"), read("x*y*hip.q[1]")};
  const Tape tape(graph, outputs, xyz);
  std::array<double, 3> values = {3.0, 2.0, 5.0};
  std::vector<double> scratch(tape.scratch_size());
  tape.evaluate<double>(values, values, scratch);
  EXPECT_EQ(values, (std::array<double, 3>{5.0, 1.0, 30.0}));
}

TEST_F(TapeTest, GivesATapeForEachOutputWithTheSameBits) {
  const TableId id = graph.add_table("gust", Table({0.0, 1.0, 2.0}, {0.0, 1.0, 0.5}, Interpolation::kPchip));
  const std::array outputs = {read("sin(x + y)*cos(x + y)"),
                              read("if(x < y, x^3, atan2(y, x)/y)"),
                              graph.table(id, xyz[0]),
                              graph.table(id, graph.add(xyz[0], xyz[1])),
                              read("cos(x + y) + exp(hip.q[1])/3"),
                              xyz[1],
                              read("7/2")};
  const Tape tape(graph, outputs, xyz);
  const std::vector<double> all = run<double>(outputs, xyz, {0.3, 0.7, -0.2});
  const std::array<double, 3> values = {0.3, 0.7, -0.2};
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Tape one = tape.for_output(i);
    std::vector<double> scratch(one.scratch_size());
    double result = 0.0;
    one.evaluate<double>(values, std::span(&result, 1), scratch);
    EXPECT_EQ(result, all[i]) << i;
    EXPECT_LE(one.instruction_count(), Tape(graph, std::span(&outputs[i], 1), xyz).instruction_count() + 1)
        << i;
  }
}

TEST_F(TapeTest, NamesASymbolWithoutValue) {
  try {
    const Tape tape(graph, std::array{read("x + mass")}, xyz);
    FAIL();
  } catch (const ExpressionError& error) {
    EXPECT_STREQ(error.what(), "'mass' has no value here");
  }
}

TEST_F(TapeTest, YieldsInfinityAndNanQuietly) {
  const std::array outputs = {read("1/(x - 3)"), read("(x - 3)/(x - 3)"), read("ln(x - 4)"), read("1/0")};
  const auto results = run<double>(outputs, xyz, {3.0, 0.0, 0.0});
  EXPECT_TRUE(std::isinf(results[0]));
  EXPECT_TRUE(std::isnan(results[1]));
  EXPECT_TRUE(std::isnan(results[2]));
  EXPECT_TRUE(std::isinf(results[3]));
}

TEST_F(TapeTest, HasNothingToDoWithoutOutputs) {
  const Tape tape;
  EXPECT_EQ(tape.scratch_size(), 0u);
  tape.evaluate<double>({}, {}, {});
}

}  // namespace
}  // namespace sestina
