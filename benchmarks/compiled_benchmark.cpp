// Forward dynamics of model files by the recursion and by the function that is compiled for each of them.
//
//   bench_compiled MODEL... > table.md
//   bench_compiled                       the compiled functions alone, on the mechanisms of peers/mechanism.h
//
// One evaluation through ForwardDynamics, forces included: the lowest of kRounds rounds of kCalls, all states
// on a circle around the initial one. "made": to make the function, which happens once. "tape" and "code":
// the force expressions alone, by the model's tape and compiled. Processor time. Of the functions alone: the
// number of instructions for one state, and the time for one state and for one of 64 in a call.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mechanism.h"
#include "mechanisms.h"
#include "sestina/base/error.h"
#include "sestina/dynamics/compiled_dynamics.h"
#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/io/model_file.h"
#include "sestina/model/freeze.h"
#include "sestina_model.h"

namespace sestina {
namespace {

constexpr int kRounds = 60, kCalls = 1000;

template <class F>
double microseconds_of(F&& work, int rounds, int calls) {
  double best = 1e300;
  for (int round = 0; round < rounds; ++round) {
    const std::clock_t begin = std::clock();
    for (int call = 0; call < calls; ++call) work(call);
    best = std::min(best, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  return 1e6 * best / calls;
}

std::vector<State<double>> states_around(const Model& model) {
  std::vector<State<double>> states(kCalls, calc_initial_state(model));
  for (std::size_t k = 0; k < states.size(); ++k) {
    states[k].t = 0.01 * static_cast<double>(k);
    for (std::size_t i = 0; i < states[k].u.size(); ++i) {
      states[k].u[i] += 0.1 * std::sin(0.06 * static_cast<double>(k + i));
    }
  }
  return states;
}

double time_solver(ForwardDynamics& dynamics, const std::vector<State<double>>& states) {
  std::vector<double> udot(static_cast<std::size_t>(dynamics.model().nu()));
  return microseconds_of([&](int k) { dynamics.calc_udot(states[static_cast<std::size_t>(k)], udot); },
                         kRounds, kCalls);
}

// By the tape and compiled; nothing without expressions.
std::optional<std::pair<double, double>> time_expressions(const Model& model,
                                                          const std::vector<State<double>>& states) {
  if (model.num_force_expressions() == 0) return std::nullopt;
  const Properties<double> properties = calc_properties(model);
  AppliedForces<double> forces(model);
  CompiledForceExpressions compiled(model, properties);
  const auto tape = [&](int k) {
    model.calc_force_expressions<double>(properties, states[static_cast<std::size_t>(k)], {},
                                         forces.tape_inputs, forces.tape_scratch, forces.expressions);
  };
  const auto code = [&](int k) {
    compiled.evaluate(states[static_cast<std::size_t>(k)], forces.expressions);
  };
  return std::pair(microseconds_of(tape, kRounds, kCalls), microseconds_of(code, kRounds, kCalls));
}

void measure(const char* file) {
  const auto model = freeze(read_model_file(file));
  const std::vector<State<double>> states = states_around(*model);
  ForwardDynamics recursive(model, calc_properties(*model), "recursive");
  std::optional<ForwardDynamics> compiled;
  const double made =
      microseconds_of([&](int) { compiled.emplace(model, calc_properties(*model), "compiled"); }, 3, 1);
  fmt::print("| {} | {:.3f} | {:.3f} | {:.2g} |", std::filesystem::path(file).stem().string(),
             time_solver(recursive, states), time_solver(*compiled, states), 1e-3 * made);
  const auto expressions = time_expressions(*model, states);
  fmt::print("{}", expressions ? fmt::format(" {:.3f} | {:.3f} |\n", expressions->first, expressions->second)
                               : std::string(" | |\n"));
}

// Numbers of instructions and times of one function at random inputs.
std::string measured(CompiledDynamics dynamics) {
  constexpr std::size_t kMany = 64;
  const CompiledFunction& function = dynamics.function();
  const std::size_t inputs = function.variable_count(), outputs = function.output_count();
  benchmarks::Random random(7);
  std::vector<double> rows(kMany * inputs), columns(rows.size()), results(kMany * outputs), one(outputs);
  for (double& x : rows) x = random.next();
  for (std::size_t k = 0; k < kMany; ++k) {
    for (std::size_t i = 0; i < inputs; ++i) columns[i * kMany + k] = rows[k * inputs + i];
  }
  const auto at_one = [&](int k) {
    dynamics.evaluate(std::span(rows).subspan(static_cast<std::size_t>(k) % kMany * inputs, inputs), one);
  };
  const auto at_many = [&](int) { dynamics.evaluate_many(kMany, columns, results); };
  at_many(0);
  return fmt::format("{} | {:.4f} | {:.4f}", function.instruction_count(),
                     microseconds_of(at_one, kRounds, kCalls),
                     microseconds_of(at_many, kRounds, kCalls / 10) / kMany);
}

void measure_functions(const std::string& name, const Model& model) {
  const Properties<double> properties = calc_properties(model);
  fmt::print("| {} | {} | {} | {} |\n", name, measured(compile_forward_dynamics(model, properties)),
             measured(compile_inverse_dynamics(model, properties)),
             measured(compile_mass_matrix(model, properties)));
}

// A binary tree whose joints are revolute and prismatic in turn from level to level.
System make_sliding_tree(int n) {
  System system = benchmarks::make_binary_tree(n);
  for (int i = 1; i < n; ++i) {
    const bool is_odd = static_cast<int>(std::log2(i + 1)) % 2 == 1;
    if (is_odd) system.joint("joint" + std::to_string(i)).type = "prismatic";
  }
  return system;
}

void measure_mechanisms() {
  fmt::print(
      "| mechanism | forward | one, us | of 64, us | inverse | one | of 64 | mass matrix | one | of 64 |\n");
  fmt::print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
  for (const int n : {7, 32}) {
    System planar = benchmarks::make_chain(n);
    for (JointSpec& joint : planar.joints) joint.axis = {0, 1, 0};
    measure_functions(fmt::format("planar chain {}", n), *freeze(planar));
  }
  measure_functions("sliding tree 15", *freeze(make_sliding_tree(15)));
  for (const peers::Mechanism& mechanism :
       {peers::make_chain(7, peers::Joint::kRevolute), peers::make_chain(30, peers::Joint::kRevolute),
        peers::make_chain(32, peers::Joint::kRevolute), peers::make_arm(), peers::make_skew_arm(),
        peers::make_binary_tree(31), peers::make_chain(7, peers::Joint::kSpherical),
        peers::make_humanoid()}) {
    measure_functions(mechanism.name, *peers::make_model(mechanism));
  }
}

}  // namespace
}  // namespace sestina

int main(int count, char** files) {
  if (count == 1) {
    sestina::measure_mechanisms();
    return 0;
  }
  fmt::print("| model | recursive, us | compiled, us | made, ms | tape, us | code, us |\n");
  fmt::print("|---|--:|--:|--:|--:|--:|\n");
  for (int i = 1; i < count; ++i) {
    try {
      sestina::measure(files[i]);
    } catch (const sestina::InputError& error) {
      fmt::print(stderr, "{}: {}\n", files[i], error.what());
      return 1;
    }
  }
}
