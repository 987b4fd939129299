// Forward dynamics of model files by the recursion and by the function that is compiled for each of them.
//
//   bench_compiled MODEL... > table.md
//
// One evaluation through ForwardDynamics, forces included: the lowest of kRounds rounds of kCalls, all states
// on a circle around the initial one. "made": to make the function, which happens once. "tape" and "code":
// the force expressions alone, by the model's tape and compiled. Processor time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sestina/base/error.h"
#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/io/model_file.h"
#include "sestina/model/freeze.h"

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

}  // namespace
}  // namespace sestina

int main(int count, char** files) {
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
