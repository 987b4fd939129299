// Source code of the examples' equations, compiled and run, against the numeric solver.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "repository.h"
#include "sestina/base/error.h"
#include "sestina/derivation/equation_text.h"
#include "sestina/dynamics/comparison.h"
#include "sestina/io/model_file.h"
#include "sestina/model/freeze.h"

namespace sestina {
namespace {

// Rates of q and u at states of a model.
struct Motions {
  std::vector<std::vector<double>> inputs, rates;
};

Motions calc_motions(const std::shared_ptr<const Model>& model, int states) {
  const Properties<double> properties = calc_properties(*model);
  ForwardDynamics dynamics(model, properties, "recursive");
  const auto nq = static_cast<std::size_t>(model->nq()), nu = static_cast<std::size_t>(model->nu());
  Motions motions;
  for (const State<double>& state : scatter_states(*model, states, 1.0, 11)) {
    std::vector<double> rates(nq), udot(nu), input = {state.t};
    try {
      dynamics.calc_udot(state, udot);
    } catch (const ComputationError&) {
      continue;  // outside of a force's domain
    }
    calc_q_dot<double>(*model, state.q, state.u, rates);
    rates.insert(rates.end(), udot.begin(), udot.end());
    for (const auto* part : {&state.q, &state.u, &properties.parameters, &state.d}) {
      input.insert(input.end(), part->begin(), part->end());
    }
    motions.inputs.push_back(input);
    motions.rates.push_back(rates);
  }
  return motions;
}

struct Compiler {
  EquationFormat format;
  const char *program, *file, *main, *command;
};

constexpr const char* kMain = R"(
#include <stdio.h>
int main(void) {{
  double in[{0}], out[{1}];
  for (;;) {{
    for (int i = 0; i < {0}; ++i) if (scanf("%lf", in + i) != 1) return 0;
    calc_rates(in, out);
    for (int i = 0; i < {1}; ++i) printf("%.17g\n", out[i]);
  }}
}}
)";
constexpr const char* kPythonMain = R"(

import sys
numbers = [float(word) for word in sys.stdin.read().split()]
for i in range(0, len(numbers), {0}):
    for value in calc_rates(numbers[i:i + {0}]):
        print(repr(float(value)))
)";
constexpr Compiler kCompilers[] = {
    {EquationFormat::kC, "cc", "f.c", kMain, "cc -std=c99 -Wall -Wextra -Werror -O0 f.c -o f -lm && ./f"},
    {EquationFormat::kCpp, "c++", "f.cpp", kMain, "c++ -Wall -Wextra -Werror -O0 f.cpp -o f && ./f"},
    {EquationFormat::kPython, "python3", "f.py", kPythonMain, "python3 f.py"}};

class SourceTextTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "sestina_source_text_" + std::to_string(::getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  bool run(const std::string& command) const {
    return std::system(("cd '" + folder_ + "' && " + command).c_str()) == 0;
  }

  // The output of the program for all inputs.
  std::vector<double> run(const Compiler& compiler, const std::string& source, const Motions& motions) const {
    const std::size_t n = motions.inputs[0].size(), m = motions.rates[0].size();
    std::ofstream(folder_ + "/" + compiler.file) << source << fmt::format(fmt::runtime(compiler.main), n, m);
    std::ofstream in(folder_ + "/in");
    for (const auto& input : motions.inputs) in << fmt::format("{}\n", fmt::join(input, " "));
    in.close();
    EXPECT_TRUE(run(std::string(compiler.command) + " < in > out")) << compiler.command;
    std::ifstream out(folder_ + "/out");
    std::vector<double> values;
    for (std::string word; out >> word;) values.push_back(std::strtod(word.c_str(), nullptr));
    return values;
  }

  std::string folder_;
};

TEST_P(SourceTextTest, GivesTheRatesOfTheNumericSolver) {
  const auto model = freeze(read_model_file(repository() + "/examples/" + GetParam() + ".yaml"));
  const Motions motions = calc_motions(model, 20);
  ASSERT_GT(motions.inputs.size(), 10u);
  for (const DerivationMethod method : {DerivationMethod::kKane, DerivationMethod::kLagrange}) {
    std::unique_ptr<ModelEquations> equations;
    try {
      equations = std::make_unique<ModelEquations>(*model, method);
    } catch (const InputError&) {
      ASSERT_EQ(method, DerivationMethod::kLagrange);  // of spherical and free joints
      break;
    }
    for (const Compiler& compiler : kCompilers) {
      if (!run(std::string("command -v ") + compiler.program + " > /dev/null")) continue;
      const std::vector<double> values =
          run(compiler, write_equations(*model, *equations, GetParam(), compiler.format), motions);
      std::size_t next = 0;
      for (const std::vector<double>& rates : motions.rates) {
        double largest = 1.0;
        for (const double rate : rates) largest = std::max(largest, std::abs(rate));
        for (const double rate : rates) {
          ASSERT_LT(next, values.size()) << compiler.command;
          // The same limit as in model_equations_test.cpp.
          ASSERT_NEAR(values[next++], rate, 2.0 * kUdotLimit * (1.0 + largest)) << compiler.command;
        }
      }
      ASSERT_EQ(next, values.size());
    }
  }
}

// Not the spatial chain of 48 speeds, at which a compiler works for minutes, nor forces by a table.
INSTANTIATE_TEST_SUITE_P(All, SourceTextTest,
                         testing::Values("01_double_pendulum", "02_n_pendulum", "03_puma_560", "04_heavy_top",
                                         "05_tennis_racket", "08_cart_pole", "09_springs_and_masses",
                                         "10_robot_arm", "12_bouncing_pendulum", "13_latch", "14_geneva",
                                         "15_state_time"),
                         [](const auto& example) { return "Example" + example.param; });

}  // namespace
}  // namespace sestina
