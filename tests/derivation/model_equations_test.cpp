#include "sestina/derivation/equation_text.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "repository.h"
#include "sestina/base/error.h"
#include "sestina/derivation/model_linearization.h"
#include "sestina/dynamics/comparison.h"
#include "sestina/dynamics/kane_solver.h"
#include "sestina/expression/compiled_function.h"
#include "sestina/io/model_file.h"
#include "sestina/model/freeze.h"

namespace sestina {
namespace {

// M, f and qdot of a model as numbers.
class Numbers {
 public:
  explicit Numbers(const Model& model) : equations_(model), nq_(model.nq()), nu_(model.nu()) {
    std::vector<Expr> outputs, variables, parameters;
    Graph& graph = equations_.mechanics().graph();
    const auto add = [&](const auto& from, std::vector<Expr>& to) {
      for (const Expression& e : from) to.push_back(e.in(graph));
    };
    add(equations_.mass_matrix().elements(), outputs);
    add(equations_.forcing().elements(), outputs);
    add(equations_.coordinate_rates().elements(), outputs);
    add(equations_.solve_accelerations().elements(), outputs);
    variables.push_back(equations_.mechanics().time().in(graph));
    add(equations_.q(), variables);
    add(equations_.u(), variables);
    add(equations_.parameters(), parameters);
    function_ = std::make_unique<CompiledFunction>(graph, outputs, variables, parameters);
    values_.resize(outputs.size());
  }

  void evaluate(const Properties<double>& properties, const State<double>& state) {
    std::vector<double> parameters = properties.parameters, variables = {state.t};
    parameters.insert(parameters.end(), state.d.begin(), state.d.end());
    variables.insert(variables.end(), state.q.begin(), state.q.end());
    variables.insert(variables.end(), state.u.begin(), state.u.end());
    std::vector<double> scratch(function_->scratch_size());
    function_->evaluate(function_->bind(parameters), variables, values_, scratch);
  }
  double M(int i, int j) const { return values_[static_cast<std::size_t>(i * nu_ + j)]; }
  double f(int i) const { return values_[static_cast<std::size_t>(nu_ * nu_ + i)]; }
  double q_dot(int i) const { return values_[static_cast<std::size_t>(nu_ * nu_ + nu_ + i)]; }
  double udot(int i) const { return values_[static_cast<std::size_t>(nu_ * nu_ + nu_ + nq_ + i)]; }

 private:
  ModelEquations equations_;
  int nq_, nu_;
  std::unique_ptr<CompiledFunction> function_;
  std::vector<double> values_;
};

// Against the mass matrix of the numeric Kane solver and the accelerations of the recursive one.
void expect_same_equations(const std::shared_ptr<const Model>& model, int states) {
  Numbers numbers(*model);
  const Properties<double> properties = calc_properties(*model);
  ForwardDynamics dynamics(model, properties, "recursive");
  KaneSolver<double> kane(*model);
  const int nu = model->nu();
  std::vector<double> udot(static_cast<std::size_t>(nu)), q_dot(static_cast<std::size_t>(model->nq()));
  int compared = 0;
  for (const State<double>& state : scatter_states(*model, states, 1.0, 7)) {
    try {
      dynamics.calc_udot(state, udot);
    } catch (const ComputationError&) {
      continue;  // outside of a force's domain
    }
    ++compared;
    numbers.evaluate(properties, state);
    kane.update_mass_matrix(properties, dynamics.kinematics());
    double largest = 0.0;
    for (int i = 0; i < nu; ++i) {
      for (int j = 0; j <= i; ++j) largest = std::max(largest, std::abs(kane.mass_matrix()(i, j)));
    }
    for (int i = 0; i < nu; ++i) {
      double residual = -numbers.f(i), terms = std::abs(numbers.f(i));
      for (int j = 0; j < nu; ++j) {
        const double M_ij = kane.mass_matrix()(std::max(i, j), std::min(i, j));
        ASSERT_NEAR(numbers.M(i, j), M_ij, 1e-13 * largest) << i << ", " << j;
        residual += numbers.M(i, j) * udot[static_cast<std::size_t>(j)];
        terms += std::abs(numbers.M(i, j) * udot[static_cast<std::size_t>(j)]);
      }
      // Residuals of the recursive solver itself are below 1e-12 of the terms (docs/notation.md).
      ASSERT_NEAR(residual, 0.0, 1e-12 * (terms + 1.0)) << model->u_names()[static_cast<std::size_t>(i)];
    }
    const double largest_rate = std::abs(*std::max_element(
        udot.begin(), udot.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }));
    for (int i = 0; i < nu; ++i) {
      // Formulations may differ by the limit of `sestina compare`; the chain of rods comes to 1.2 times that
      // at the worst of 1000 states.
      ASSERT_NEAR(numbers.udot(i), udot[static_cast<std::size_t>(i)],
                  2.0 * kUdotLimit * (1.0 + largest_rate));
    }
    calc_q_dot<double>(*model, state.q, state.u, q_dot);
    for (int i = 0; i < model->nq(); ++i) {
      const double expected = q_dot[static_cast<std::size_t>(i)];
      ASSERT_NEAR(numbers.q_dot(i), expected, 1e-14 * (1.0 + std::abs(expected)));
    }
  }
  EXPECT_GT(compared, states / 2);
}

class ExampleTest : public testing::TestWithParam<std::string> {};

TEST_P(ExampleTest, HasTheEquationsOfTheNumericSolvers) {
  const auto model = freeze(read_model_file(repository() + "/examples/" + GetParam() + ".yaml"));
  expect_same_equations(model, 1000);
}

INSTANTIATE_TEST_SUITE_P(All, ExampleTest,
                         testing::Values("01_double_pendulum", "02_n_pendulum", "03_puma_560", "04_heavy_top",
                                         "05_tennis_racket", "06_spherical_chain", "07_every_joint_and_force",
                                         "08_cart_pole", "09_springs_and_masses", "10_robot_arm", "11_gust",
                                         "12_bouncing_pendulum", "13_latch", "14_geneva", "15_state_time"),
                         [](const auto& example) { return "Example" + example.param; });

TEST(ModelEquationsTest, ALongSpatialChainHasTheEquationsOfTheNumericSolvers) {
  System system;
  system.set_parameter("g", 9.81);
  system.gravity = {0, "-g", 0};
  std::string parent = "ground.origin";
  for (int i = 0; i < 16; ++i) {
    const std::string name = "b" + std::to_string(i);
    system.set_parameter("l" + std::to_string(i), 0.3 + 0.01 * i);
    auto& body = system.add_body(name, 1.0 + 0.1 * i);
    body.center_of_mass = {("l" + std::to_string(i) + "/2").c_str(), 0.01, 0};
    body.inertia = {.xx = 0.02, .yy = 0.03, .zz = 0.025, .xy = 0.001};
    body.add_point("tip", {("l" + std::to_string(i)).c_str(), 0, 0});
    auto& joint = system.add_joint("j" + std::to_string(i), "revolute", parent, name + ".origin");
    if (i % 3 == 0) joint.axis = {0, 0, 1};
    if (i % 3 == 1) joint.axis = {0, 1, 0};
    if (i % 3 == 2) joint.axis = {1, 0, 0};
    parent = name + ".tip";
  }
  expect_same_equations(freeze(system), 1000);
}

TEST(ModelEquationsTest, ReadAsAPersonWouldWriteThem) {
  const auto model = freeze(read_model(R"(
sestina: 1
name: cart and pendulum
parameters: {M: 2, m: 1, l: 0.5, g: 9.81, k: 3}
gravity: [0, -g, 0]
bodies:
  - {name: cart, mass: M}
  - {name: bob, type: particle, mass: m, points: {hook: [0, l, 0]}}
joints:
  - {name: rail, type: prismatic, parent: ground.origin, child: cart.origin, axis: [1, 0, 0]}
  - {name: pivot, type: revolute, parent: cart.origin, child: bob.hook, axis: [0, 0, 1]}
forces:
  - {name: spring, type: joint_spring, joint: rail, stiffness: k}
)"));
  const ModelEquations equations(*model);
  EXPECT_EQ(write_equations(*model, equations, model->name(), EquationFormat::kText),
            R"(cart and pendulum: M udot = f by Kane's method

coordinates
  q_rail' = u_rail
  q_pivot' = u_pivot

speeds
  1  u_rail
  2  u_pivot

mass matrix; elements that are not listed are zero
  M(1, 1) = M + m
  M(1, 2) = M(2, 1) = m*l*cos(q_pivot)
  M(2, 2) = m*l^2

forcing
  f(1) = -k*q_rail + m*l*u_pivot^2*sin(q_pivot)
  f(2) = -m*l*g*sin(q_pivot)
)");
}

TEST(ModelEquationsTest, RefusesForcesThatHaveNoExpression) {
  struct Nothing : UserForce {
    void add_force(double, std::span<const BodyMotion<double>>,
                   std::span<SpatialForce<double>>) const override {}
  };
  System system;
  system.add_body("b", 1.0).inertia = {.xx = 1, .yy = 1, .zz = 1};
  system.add_user_force("wind", std::make_shared<Nothing>());
  EXPECT_THROW(ModelEquations{*freeze(system)}, InputError);
}

TEST(EquationText, ATableIsRefusedAsTheForceThatItIs) {
  const auto model = freeze(read_model_file(repository() + "/examples/11_gust.yaml"));
  const ModelEquations equations(*model);
  for (const EquationFormat format : {EquationFormat::kC, EquationFormat::kCpp, EquationFormat::kPython}) {
    try {
      write_equations(*model, equations, "sign", format);
      ADD_FAILURE();
    } catch (const InputError& error) {
      EXPECT_STREQ(error.what(),
                   "force gust: its table cannot be written as source code; allowed: text, latex, json");
    }
  }
  EXPECT_FALSE(write_equations(*model, equations, "sign", EquationFormat::kLatex).empty());
}

// Written out, A takes minutes to print.
TEST(EquationText, LongLinearisationsNameWhatTheyShare) {
  const auto model = freeze(read_model_file(repository() + "/examples/02_n_pendulum.yaml"));
  const ModelEquations equations(*model);
  const ModelLinearization linearization = linearize_model(*model, equations, LinearizeAt::kInitialState);
  for (const EquationFormat format : {EquationFormat::kText, EquationFormat::kLatex, EquationFormat::kJson}) {
    const std::string text = write_linearization(*model, equations, linearization, "pendulum", format);
    EXPECT_LT(text.size(), 1'000'000u);
    EXPECT_NE(text.find(format == EquationFormat::kLatex ? "z_{0} &=" : "z0"), std::string::npos);
    EXPECT_EQ(text.find("\\ldots"), std::string::npos);
  }
}

// A number instead of q0 would hold for one value of it.
TEST(ModelLinearization, KeepsTheSymbolOfAStartThatFollowsFromParameters) {
  const auto pendulum = [](const std::string& q) {
    return freeze(
        read_model("sestina: 1\nparameters: {q0: 0.3}\ngravity: [0, 0, -9.81]\n"
                   "bodies: [{name: bob, type: particle, mass: 1, points: {pivot: [0, 0, 0.5]}}]\n"
                   "joints: [{name: hinge, type: revolute, parent: ground.origin, child: bob.pivot, axis: "
                   "[0, 1, 0], q: " +
                   q + "}]\n"));
  };
  const auto model = pendulum("2*q0"), fixed_model = pendulum("0.6");
  const ModelEquations equations(*model), fixed_equations(*fixed_model);
  const ModelLinearization start = linearize_model(*model, equations, LinearizeAt::kInitialState);
  const ModelLinearization fixed = linearize_model(*fixed_model, fixed_equations, LinearizeAt::kInitialState);
  EXPECT_NE(to_text(start.linear.A(1, 0)).find("cos(q_hinge)"), std::string::npos);
  EXPECT_EQ(start.values.back().second, 0.6);
  EXPECT_EQ(to_text(fixed.linear.A(1, 0)).find("q_hinge"), std::string::npos);
  ASSERT_EQ(fixed.eigenvalues.size(), start.eigenvalues.size());
  EXPECT_NEAR(std::abs(fixed.eigenvalues[0]), std::abs(start.eigenvalues[0]), 1e-12);
}

std::string text_at_rest(const std::string& example, EquationFormat format = EquationFormat::kText) {
  const auto model = freeze(read_model_file(repository() + "/examples/" + example + ".yaml"));
  const ModelEquations equations(*model);
  const ModelLinearization linearization = linearize_model(*model, equations, LinearizeAt::kEquilibrium);
  return write_linearization(*model, equations, linearization, "it", format);
}

// The masses rest 0.1 m apart, and all factors of the matrices are whole numbers.
TEST(EquationText, StatesOfRestAreWithoutRoundOff) {
  const std::string text = text_at_rest("09_springs_and_masses");
  for (const char* line : {"  q_s1 = 0.1\n", "  q_s4 = 0.4\n", "  A(6, 6) = -2*c/m\n", "  A(6, 7) = c/m\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line;
  }
  EXPECT_EQ(text.find("99999"), std::string::npos);
}

// A rod on a torsion spring about z; its mass centre is at (x, y) in its axes.
std::shared_ptr<const Model> sprung_rod(double k, double reference, const std::string& centre) {
  return freeze(read_model(fmt::format(R"(
sestina: 1
parameters: {{k: {}, l: 0.5}}
gravity: [0, -9.81, 0]
bodies:
  - {{name: rod, mass: 2, center_of_mass: {}}}
joints:
  - {{name: hip, type: revolute, parent: ground.origin, child: rod.origin, axis: [0, 0, 1], q: 0.1}}
forces:
  - {{name: spring, type: joint_spring, joint: hip, stiffness: k, reference: {}}}
)",
                                       k, centre, reference)));
}

double frequency_squared(const symbolic::Matrix& A, const symbolic::ParameterValues& values,
                         symbolic::Mechanics& mechanics) {
  symbolic::CompiledExpressions element(mechanics, {-A(1, 0)}, {}, values, "A");
  return element({})[0];
}

// (k + m g l cos q)/(m l^2), with the q of rest for each k.
TEST(ModelLinearizationTest, AtRestHoldsForOtherParameters) {
  const auto model = sprung_rod(20.0, 2.0, "[0, -l, 0]");
  const ModelEquations equations(*model);
  const ModelLinearization soft = linearize_model(*model, equations, LinearizeAt::kEquilibrium);
  ASSERT_EQ(soft.values.size(), 3u);
  EXPECT_EQ(to_text(soft.values[2].first), "q_hip");
  EXPECT_NEAR(soft.values[2].second, soft.state.q[0], 0.0);
  const double omega2 = frequency_squared(soft.linear.A, soft.values, equations.mechanics());
  EXPECT_NEAR(omega2, (20.0 + 9.81 * std::cos(soft.state.q[0])) / 0.5, 1e-12);
  EXPECT_NEAR(std::norm(soft.eigenvalues[0]), omega2, 1e-10);

  const auto stiff_model = sprung_rod(30.0, 2.0, "[0, -l, 0]");
  const ModelEquations of_stiff(*stiff_model);
  const ModelLinearization stiff = linearize_model(*stiff_model, of_stiff, LinearizeAt::kEquilibrium);
  EXPECT_GT(std::abs(stiff.state.q[0] - soft.state.q[0]), 0.05);
  symbolic::ParameterValues values = soft.values;
  values[0].second = 30.0;
  values[2].second = stiff.state.q[0];
  EXPECT_NEAR(frequency_squared(soft.linear.A, values, equations.mechanics()),
              frequency_squared(stiff.linear.A, stiff.values, of_stiff.mechanics()), 1e-12);
  const std::string text = write_linearization(*model, equations, soft, "rod", EquationFormat::kText);
  EXPECT_NE(text.find("they depend on the parameters: q_hip\n"), std::string::npos) << text;
  const std::string source = write_linearization(*model, equations, soft, "rod", EquationFormat::kPython);
  EXPECT_NE(source.find("in:  k l q_hip\n"), std::string::npos) << source;
}

// Two rods on springs, whose mass matrix depends on the angle between them: at rest no acceleration
// multiplies its derivatives.
TEST(ModelLinearizationTest, AtRestHoldsNoAccelerations) {
  const auto model = freeze(read_model(R"(
sestina: 1
parameters: {k: 20}
gravity: [0, -9.81, 0]
bodies:
  - {name: upper, mass: 2, center_of_mass: [0, -0.5, 0], points: {tip: [0, -1, 0]}}
  - {name: lower, mass: 1, center_of_mass: [0, -0.5, 0]}
joints:
  - {name: hip, type: revolute, parent: ground.origin, child: upper.origin, axis: [0, 0, 1], q: 1}
  - {name: knee, type: revolute, parent: upper.tip, child: lower.origin, axis: [0, 0, 1], q: 0.5}
forces:
  - {name: w, type: joint_spring, joint: hip, stiffness: k, reference: 2}
  - {name: r, type: joint_spring, joint: knee, stiffness: k, reference: 1}
)"));
  const ModelEquations equations(*model);
  const ModelLinearization rest = linearize_model(*model, equations, LinearizeAt::kEquilibrium);
  ASSERT_EQ(rest.values.size(), 3u);
  // M A = dQ/dq in the rows of the speeds, with the generalised forces Q of gravity and springs.
  const symbolic::Matrix A = rest.linear.A.block(2, 0, 2, 2);
  const symbolic::Matrix slopes = jacobian(equations.mechanics(), equations.active_forces(), equations.q());
  const symbolic::Matrix gap = equations.mass_matrix() * A - slopes;
  for (const Expression& e : gap.elements()) {
    EXPECT_TRUE(equations.mechanics().identities().is_zero(e.in(equations.mechanics().graph())))
        << to_text(e);
  }
}

// Zero is the angle at rest whatever k is where the rod hangs, and by chance, as k/2 is m g l, where it lies.
TEST(ModelLinearizationTest, OnlyWhatHoldsForAllParametersIsANumber) {
  const auto hanging = sprung_rod(20.0, 0.0, "[0, -l, 0]"), lying = sprung_rod(19.62, 0.5, "[l, 0, 0]");
  const ModelEquations of_hanging(*hanging), of_lying(*lying);
  const ModelLinearization down = linearize_model(*hanging, of_hanging, LinearizeAt::kEquilibrium);
  EXPECT_EQ(down.state.q[0], 0.0);
  EXPECT_EQ(down.values.size(), 2u);
  EXPECT_EQ(to_text(down.linear.A(1, 0)).find("q_hip"), std::string::npos);
  const ModelLinearization across = linearize_model(*lying, of_lying, LinearizeAt::kEquilibrium);
  EXPECT_EQ(across.state.q[0], 0.0);
  ASSERT_EQ(across.values.size(), 3u);
  EXPECT_NE(to_text(across.linear.A(1, 0)).find("sin(q_hip)"), std::string::npos);
}

// A pendulum that stands on one that hangs, undamped.
TEST(EquationText, EigenvaluesAreWithoutRounding) {
  const std::string text = text_at_rest("01_double_pendulum");
  EXPECT_NE(text.find("\n  0 + 2.011268051 i\n  0 - 2.011268051 i\n"), std::string::npos) << text;
  const std::string latex = text_at_rest("01_double_pendulum", EquationFormat::kLatex);
  EXPECT_NE(latex.find(" &=  \\pm 2.01"), std::string::npos) << latex.substr(latex.find("\\lambda"));
}

TEST(EquationText, NameOfSeveralLinesStaysInItsComment) {
  System system;
  system.add_body("rod", 1.0);
  system.add_joint("hinge", "prismatic", "ground.origin", "rod.origin").axis = Triple{1, 0, 0};
  const auto model = freeze(system);
  const ModelEquations equations(*model);
  for (const EquationFormat format : {EquationFormat::kC, EquationFormat::kCpp, EquationFormat::kPython}) {
    const std::string source = write_equations(*model, equations, "two\nlines\r", format);
    EXPECT_NE(source.find(" two lines :"), std::string::npos) << source;
  }
}

}  // namespace
}  // namespace sestina
