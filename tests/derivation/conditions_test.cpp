// Symbolic equations of mechanisms with loops and constraints, against the recursion with numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <Eigen/QR>
#include <cmath>

#include "message_of.h"
#include "repository.h"
#include "sestina/base/error.h"
#include "sestina/derivation/equation_text.h"
#include "sestina/dynamics/assembly.h"
#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/expression/compiled_function.h"
#include "sestina/io/model_file.h"
#include "sestina/model/freeze.h"

namespace sestina {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::HasSubstr;
using testing_support::message_of;

// Expressions of a model's equations as numbers at a state.
VectorXd evaluate(const ModelEquations& equations, const Properties<double>& properties,
                  const State<double>& state, const std::vector<Expression>& expressions) {
  Graph& graph = equations.mechanics().graph();
  std::vector<Expr> outputs, variables = {equations.mechanics().time().in(graph)}, constants;
  for (const Expression& e : expressions) outputs.push_back(e.in(graph));
  for (const auto* symbols : {&equations.q(), &equations.u()}) {
    for (const Expression& e : *symbols) variables.push_back(e.in(graph));
  }
  for (const Expression& e : equations.parameters()) constants.push_back(e.in(graph));
  const CompiledFunction function(graph, outputs, variables, constants);
  std::vector<double> inputs = {state.t}, scratch(function.scratch_size());
  inputs.insert(inputs.end(), state.q.begin(), state.q.end());
  inputs.insert(inputs.end(), state.u.begin(), state.u.end());
  VectorXd values(static_cast<Eigen::Index>(outputs.size()));
  function.evaluate(function.bind(properties.parameters), inputs, std::span(values.data(), outputs.size()),
                    scratch);
  return values;
}

MatrixXd evaluate(const ModelEquations& equations, const Properties<double>& properties,
                  const State<double>& state, const symbolic::Matrix& matrix) {
  const VectorXd values = evaluate(equations, properties, state, matrix.elements());
  return Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(
      values.data(), static_cast<Eigen::Index>(matrix.rows()), static_cast<Eigen::Index>(matrix.columns()));
}

constexpr const char* kBodies = R"(
sestina: 1
parameters: {a: 0.6, g: 9.81}
gravity: [0, -g, 0]
ground: {points: {right: [1.1, 0, 0], slope: {position: [0.2, 0.1, 0], axes: {rpy: [0, 0, 0.3]}}}}
bodies:
  - {name: left, mass: 0.8, center_of_mass: [0, -a/2, 0], inertia: {xx: 0.03, yy: 0.01, zz: 0.024}, points: {tip: [0, -a, 0]}}
  - {name: bar, mass: 2, center_of_mass: [0.5, 0.1, 0], inertia: {xx: 0.1, yy: 0.2, zz: 0.2}, points: {end: [1.1, 0, 0], middle: [0.5, 0, 0]}}
  - {name: other, mass: 0.8, center_of_mass: [0, -0.3, 0], inertia: {xx: 0.024, yy: 0.006, zz: 0.024}, points: {tip: [0, -0.7, 0]}}
joints:
  - {name: j1, type: revolute, parent: ground.origin, child: left.origin, axis: [0, 0, 1], q: 0.3, u: 1.5}
)";

// A mechanism in which one joint or constraint closes what is left open.
struct Mechanism {
  std::string name, rest;
};

std::string four_bar(const std::string& closing) {
  return R"(  - {name: j2, type: revolute, parent: left.tip, child: bar.origin, axis: [0, 0, 1], q: -0.3}
  - {name: j3, type: revolute, parent: ground.right, child: other.origin, axis: [0, 0, 1], q: 0.3}
)" + closing;
}

std::string pair_of_links(const std::string& closing) {
  return R"(  - {name: j2, type: spherical, parent: left.tip, child: bar.origin}
  - {name: j3, type: free, parent: ground.origin, child: other.origin, q: [1, -0.5, 0.1, 1, 0, 0, 0]}
)" + closing;
}

class SymbolicConditions : public testing::TestWithParam<Mechanism> {};

// M udot = f + C^T lambda, C udot = -b by least squares, and the embedded equations: udot of the recursion.
TEST_P(SymbolicConditions, GiveTheAccelerationsOfTheRecursion) {
  const auto model = freeze(read_model(kBodies + GetParam().rest));
  const Properties<double> properties = calc_properties(*model);
  const State<double> state = calc_assembled_state(*model, properties);
  ForwardDynamics dynamics(model, properties, "recursive");
  std::vector<double> expected(state.u.size());
  dynamics.calc_udot(state, expected);
  const Eigen::Map<const VectorXd> udot(expected.data(), static_cast<Eigen::Index>(expected.size()));

  const ModelEquations equations(*model);
  ASSERT_FALSE(equations.conditions().empty());
  const auto numbers = [&](const symbolic::Matrix& matrix) {
    return evaluate(equations, properties, state, matrix);
  };
  std::vector<Expression> zeros;
  for (const SymbolicCondition& condition : equations.conditions()) {
    if (condition.is_on_position) zeros.push_back(condition.zero);
  }
  if (!zeros.empty()) {
    EXPECT_LT(evaluate(equations, properties, state, zeros).cwiseAbs().maxCoeff(), 1e-12);
  }
  const MatrixXd M = numbers(equations.mass_matrix()), C = numbers(equations.condition_matrix());
  const VectorXd f = numbers(equations.forcing()), b = numbers(equations.condition_bias());
  const Eigen::Index n = M.rows(), m = C.rows();
  MatrixXd saddle = MatrixXd::Zero(n + m, n + m);
  saddle << M, -C.transpose(), C, MatrixXd::Zero(m, m);
  VectorXd right(n + m);
  right << f, -b;
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> solver;
  solver.setThreshold(1e-10);
  const VectorXd solved = solver.compute(saddle).solve(right);
  const double size = 1.0 + udot.cwiseAbs().maxCoeff();
  EXPECT_LT((solved.head(n) - udot).cwiseAbs().maxCoeff(), 1e-9 * size);

  const EmbeddedEquations embedded = equations.embed(state, properties.parameters);
  const VectorXd independent =
      numbers(embedded.mass_matrix).ldlt().solve(VectorXd(numbers(embedded.forcing)));
  const VectorXd dependent = numbers(embedded.A) * independent + VectorXd(numbers(embedded.s));
  for (std::size_t i = 0; i < embedded.independent.size(); ++i) {
    EXPECT_NEAR(independent[static_cast<Eigen::Index>(i)], expected[embedded.independent[i]], 1e-9 * size);
  }
  for (std::size_t i = 0; i < embedded.dependent.size(); ++i) {
    EXPECT_NEAR(dependent[static_cast<Eigen::Index>(i)], expected[embedded.dependent[i]], 1e-9 * size);
  }
}

std::string closing(const std::string& type, const std::string& more = "") {
  return "  - {name: pin, type: " + type + ", parent: other.tip, child: bar.end" + more + "}\n";
}

INSTANTIATE_TEST_SUITE_P(
    All, SymbolicConditions,
    testing::Values(
        Mechanism{"revolute", four_bar(closing("revolute", ", axis: [0, 0, 1]"))},
        Mechanism{"spherical", four_bar(closing("spherical"))},
        Mechanism{"cylindrical", four_bar(closing("cylindrical", ", axis: [0, 0, 2]"))},
        Mechanism{"universal", four_bar(closing("universal", ", axis: [0, 0, 1], second_axis: [0, 1, 0]"))},
        Mechanism{"prismatic", pair_of_links(closing("prismatic", ", axis: [0.6, 0, 0.8]"))},
        Mechanism{"planar", pair_of_links(closing("planar"))},
        Mechanism{"xyz", pair_of_links(closing("xyz"))}, Mechanism{"weld", pair_of_links(closing("weld"))},
        Mechanism{"distance",
                  four_bar("constraints: [{name: rod, type: distance, from: other.tip, to: bar.end, "
                           "length: \"0.3 + 0.05*sin(t)\"}]\n")},
        Mechanism{"gears",
                  four_bar("constraints: [{name: gears, type: coupling, coefficients: {j1.q: 2, j3.q: "
                           "-1}, value: \"0.3 + t^2\"}]\n")},
        Mechanism{"motor",
                  four_bar("constraints: [{name: motor, type: motion, joint: j3, value: \"2*sin(t)\", "
                           "level: velocity}]\n")},
        Mechanism{"law",
                  four_bar("constraints: [{name: law, type: expression, zero: \"j1.q^2 + j3.q - 0.39\"}]\n")},
        Mechanism{"line", four_bar("constraints: [{name: slot, type: point_on_line, point: bar.end, line: "
                                   "ground.slope, axis: [1, 0.5, 0]}]\n")},
        Mechanism{"plane",
                  four_bar("constraints: [{name: slot, type: point_on_plane, point: bar.middle, plane: "
                           "ground.slope, normal: [0, 1, 0]}]\n")}),
    [](const auto& test) { return test.param.name; });

TEST(SymbolicConditions, ConditionsAcrossThePlaneOfAMechanismAreLeftOut) {
  const auto model = freeze(read_model_file(repository() + "/examples/16_four_bar.yaml"));
  const ModelEquations equations(*model);
  EXPECT_EQ(equations.conditions().size(), 2U);
  const std::string text = write_equations(*model, equations, "four-bar", EquationFormat::kText);
  EXPECT_THAT(text, HasSubstr("M udot = f + C^T lambda, C udot = -b, by Kane's method"));
  EXPECT_THAT(text, HasSubstr("lam2"));
  const Properties<double> properties = calc_properties(*model);
  const EmbeddedEquations embedded =
      equations.embed(calc_assembled_state(*model, properties), properties.parameters);
  EXPECT_EQ(embedded.independent.size(), 1U);
  const auto write = [&](EquationFormat format) {
    return write_equations(*model, equations, "four-bar", format, false, {}, &embedded);
  };
  EXPECT_THAT(write(EquationFormat::kText), HasSubstr("dependent speeds"));
  EXPECT_THAT(write(EquationFormat::kLatex), HasSubstr("\\mathbf{A}"));
  EXPECT_THAT(write(EquationFormat::kJson), HasSubstr("\"dependent\": ["));
  EXPECT_THAT(write(EquationFormat::kC), HasSubstr("calc_rates"));
  EXPECT_THAT(write_equations(*model, equations, "four-bar", EquationFormat::kPython),
              HasSubstr("calc_equations"));
}

TEST(SymbolicConditions, RefusesWhatTheyDoNotKnow) {
  const auto message = [](const std::string& rest) {
    const auto model = freeze(read_model(kBodies + rest));
    return message_of<InputError>([&] { ModelEquations{*model}; });
  };
  EXPECT_THAT(
      message(four_bar("  - {name: pin, type: screw, parent: other.tip, child: bar.end, axis: [0, 0, 1], "
                       "pitch: 0.1}\n")),
      HasSubstr("do not support screw joints that close loops"));
  EXPECT_THAT(
      message(four_bar("  - {name: pin, type: revolute, parent: other.tip, child: bar.end, axis: [0, 0, 1]}\n"
                       "forces: [{name: spring, type: joint_spring, joint: pin, stiffness: 3}]\n")),
      HasSubstr("cut another joint"));
}

}  // namespace
}  // namespace sestina
