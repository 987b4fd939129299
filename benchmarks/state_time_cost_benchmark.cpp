// What the state-time formulation costs: schemes, ways to solve its linear equations, threads, and the work
// for a given error beside rules that march.
//
//   bench_state_time_cost schemes > table.md     Newton's method on all unknowns against the reduced one
//   bench_state_time_cost matrices > table.md    the linear equations along the tree, by elements, as a whole
//   bench_state_time_cost work > points.csv      system, method, parameter, error, seconds
//
// Times are the best of kRounds rounds, of a solver that has been made before; the whole has one round, of
// which the analysis is a part, and takes minutes for the chain. Errors are the largest in q and u at the end
// against Dormand and Prince's rule with tolerances of 1e-13. A window is longest where one element more does
// not converge: elements of a fixed length are added until then.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sestina/base/error.h"
#include "sestina/parallel/executor.h"
#include "sestina/state_time/state_time_solver.h"
#include "sestina/workspace/workspace.h"
#include "state_time/state_time_systems.h"

namespace sestina {
namespace {

constexpr int kRounds = 3;

using test::double_pendulum;
using test::spherical_chain;

struct Case {
  const char* name;
  System system;
  double duration;
};
std::vector<Case> cases() {
  return {{"double pendulum", double_pendulum(), 1.0}, {"chain of 16", spherical_chain(16), 0.5}};
}

template <class F>
double seconds_of(F&& work, int rounds) {
  double best = 1e300;
  for (int round = 0; round < rounds; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

struct Solved {
  StateTimeStatistics statistics;
  State<double> end;
  double seconds = 0.0;
};

Solved solve(const std::shared_ptr<const Model>& model, double duration, const StateTimeOptions& options,
             Executor* executor = nullptr, int rounds = kRounds) {
  StateTimeSolver solver(model, calc_properties(*model), options, executor);
  Solved solved;
  solved.seconds = seconds_of(
      [&] {
        solver.start(calc_initial_state(*model), duration);
        while (!solver.is_complete()) solver.solve_window();
      },
      rounds);
  solved.statistics = solver.statistics();
  solver.calc_state(duration, solved.end);
  return solved;
}

// In elements, of one window.
int longest_window(const std::shared_ptr<const Model>& model, double element, StateTimeOptions options) {
  constexpr int kMost = 64;
  options.windows = 1;
  for (int elements = 1; elements <= kMost; ++elements) {
    options.elements = elements;
    StateTimeSolver solver(model, calc_properties(*model), options, nullptr);
    solver.start(calc_initial_state(*model), element * elements);
    try {
      solver.solve_window();
    } catch (const ComputationError&) {
      return elements - 1;
    }
    // Marched, but solved from the state that was held: the march has led nowhere.
    if (options.guess == FirstGuess::kMarch && solver.statistics().held_windows > 0) return elements - 1;
  }
  return kMost;
}

void compare_schemes() {
  constexpr int kElements = 16;
  fmt::print(
      "| system, {} elements | scheme | unknowns iterated | iterations, from a march | ms | "
      "longest window from a state held, s |\n|---|---|---|---|---|---|\n",
      kElements);
  for (const Case& c : cases()) {
    const auto model = freeze(c.system);
    for (const char* pair : {"LQ", "QC", "P5P6"}) {
      for (const auto scheme : {StateTimeScheme::kNewton, StateTimeScheme::kLinearQuadratic}) {
        StateTimeOptions options{.elements = kElements, .pair = pair, .scheme = scheme};
        const Solved solved = solve(model, c.duration, options);
        options.guess = FirstGuess::kHeld;
        const double element = c.duration / kElements;
        fmt::print("| {} {} | {} | {} | {} | {:.1f} | {:.3f} |\n", c.name, pair,
                   scheme == StateTimeScheme::kNewton ? "newton" : "linear-quadratic",
                   solved.statistics.unknowns, solved.statistics.iterations, 1e3 * solved.seconds,
                   element * longest_window(model, element, options));
      }
    }
  }
}

void compare_matrices() {
  constexpr int kElements = 16;
  fmt::print(
      "| system, {} elements | unknowns | iterations | along the tree, ms | by elements, ms | whole, ms | "
      "tree, 2 threads, ms |\n|---|---|---|---|---|---|---|\n",
      kElements);
  Executor executor(2);
  for (const Case& c : cases()) {
    const auto model = freeze(c.system);
    for (const char* pair : {"LQ", "QC", "P5P6"}) {
      StateTimeOptions options{.elements = kElements, .pair = pair};
      const Solved tree = solve(model, c.duration, options),
                   pairwise = solve(model, c.duration, options, &executor);
      options.matrix = TimeMatrixKind::kByElements;
      const double by_elements = solve(model, c.duration, options).seconds;
      options.matrix = TimeMatrixKind::kSparse;
      const double whole = solve(model, c.duration, options, nullptr, 1).seconds;
      fmt::print("| {} {} | {} | {} | {:.1f} | {:.1f} | {:.1f} | {:.1f} |\n", c.name, pair,
                 tree.statistics.unknowns, tree.statistics.iterations, 1e3 * tree.seconds, 1e3 * by_elements,
                 1e3 * whole, 1e3 * pairwise.seconds);
    }
  }
}

double distance(const Model& model, const State<double>& a, const State<double>& b) {
  std::vector<double> d(static_cast<std::size_t>(model.nu()));
  minus_q<double>(model, a.q, b.q, d);
  double largest = 0.0;
  for (std::size_t i = 0; i < d.size(); ++i) {
    largest = std::max({largest, std::abs(d[i]), std::abs(a.u[i] - b.u[i])});
  }
  return largest;
}

// A march to the end and its time, of the run alone; nothing where it fails.
std::optional<Solved> march(System system, double duration) {
  system.analysis.duration = duration;
  system.output.every = duration;
  Solved solved;
  solved.seconds = 1e300;
  for (int round = 0; round < kRounds; ++round) {
    Workspace workspace(system);
    workspace.set_threads(1);
    const RunReport report = workspace.run();
    if (report.status != RunStatus::kComplete) return std::nullopt;
    solved.seconds = std::min(solved.seconds, report.wall_seconds);
    solved.end = report.final_state;
  }
  return solved;
}

void print_point(const char* system, const std::string& method, const std::string& parameter, double error,
                 double seconds) {
  fmt::print("{},{},{},{:.3e},{:.3e}\n", system, method, parameter, error, seconds);
}

void measure_marches(const Case& c, const Model& model, const State<double>& reference) {
  System system = c.system;
  for (double rtol = 1e-4; rtol > 0.5e-12; rtol /= 100.0) {
    system.analysis.step.rtol = rtol, system.analysis.step.atol = rtol;
    const std::optional<Solved> run = march(system, c.duration);
    if (run)
      print_point(c.name, "dormand_prince_54", fmt::format("rtol {:.0e}", rtol),
                  distance(model, run->end, reference), run->seconds);
  }
  system.analysis.step.driver = "fixed";
  for (const char* rule : {"rk4", "lobatto_iiia_iiib"}) {
    system.analysis.integrator.name = rule;
    for (int steps = 32; steps <= 8192; steps *= 4) {
      system.analysis.step.dt = c.duration / steps;
      const std::optional<Solved> run = march(system, c.duration);
      if (run)
        print_point(c.name, rule, fmt::format("{} steps", steps), distance(model, run->end, reference),
                    run->seconds);
    }
  }
}

void measure_work() {
  fmt::print("system,method,parameter,error,seconds\n");
  Executor two(2);
  for (const Case& c : cases()) {
    const auto model = freeze(c.system);
    System exact = c.system;
    exact.analysis.step.rtol = exact.analysis.step.atol = 1e-13;
    const State<double> reference = march(exact, c.duration).value().end;
    measure_marches(c, *model, reference);
    for (const char* pair : {"LQ", "QC", "P3P4", "P5P6"}) {
      for (int elements = 4; elements <= 64; elements *= 2) {
        for (Executor* executor : {static_cast<Executor*>(nullptr), &two}) {
          try {
            const Solved run = solve(model, c.duration, {.elements = elements, .pair = pair}, executor);
            print_point(c.name, fmt::format("{}, {}", pair, executor ? "2 threads" : "1 thread"),
                        fmt::format("{} elements", elements), distance(*model, run.end, reference),
                        run.seconds);
          } catch (const ComputationError&) {
            // Elements too long for Newton's method are no point of the curve.
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace sestina

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "schemes") return sestina::compare_schemes(), 0;
  if (what == "matrices") return sestina::compare_matrices(), 0;
  if (what == "work") return sestina::measure_work(), 0;
  fmt::print(stderr, "usage: bench_state_time_cost schemes|matrices|work\n");
  return 2;
}
