// The cost of the state-time formulation: schemes, methods for its linear equations, threads, and the work
// for a given error compared with time-stepping rules.
//
//   bench_state_time_cost schemes > table.md     Newton's method on all unknowns against the reduced one
//   bench_state_time_cost matrices > table.md    the linear equations along the tree, by elements, as a whole
//   bench_state_time_cost forces > table.md      a chain with and without springs and dampers in its joints
//   bench_state_time_cost degrees > table.md     a tolerance with each pair, and with the one it chooses
//   bench_state_time_cost scales > table.md      elements that each body alone would need
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
#include "sestina/model/analysis.h"
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
    // The window was made shorter, or marched but solved from the state that was held.
    const StateTimeStatistics& statistics = solver.statistics();
    const bool was_held = options.guess == FirstGuess::kMarch && statistics.held_windows > 0;
    if (statistics.shorter_windows > 0 || was_held) return elements - 1;
  }
  return kMost;
}

void compare_schemes() {
  constexpr int kElements = 16;
  fmt::print(
      "| system, {} elements | scheme | unknowns iterated | iterations, from a march | of these with a "
      "tangent | ms | "
      "longest window from a state held, s |\n|---|---|---|---|---|---|---|\n",
      kElements);
  for (const Case& c : cases()) {
    const auto model = freeze(c.system);
    for (const char* pair : {"LQ", "QC", "P5P6"}) {
      for (const auto scheme : {StateTimeScheme::kNewton, StateTimeScheme::kLinearQuadratic}) {
        StateTimeOptions options{.elements = kElements, .pair = pair, .scheme = scheme};
        const Solved solved = solve(model, c.duration, options);
        options.guess = FirstGuess::kHeld;
        const double element = c.duration / kElements;
        fmt::print("| {} {} | {} | {} | {} | {} | {:.1f} | {:.3f} |\n", c.name, pair,
                   scheme == StateTimeScheme::kNewton ? "newton" : "linear-quadratic",
                   solved.statistics.unknowns, solved.statistics.iterations, solved.statistics.factors,
                   1e3 * solved.seconds, element * longest_window(model, element, options));
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

void compare_forces() {
  fmt::print("| links | without springs, ms | with, ms | iterations |\n|---|---|---|---|\n");
  for (const int links : {4, 8, 16, 32}) {
    System with = test::sprung_chain(links), without = with;
    without.forces.clear();
    const StateTimeOptions options{.elements = 8, .pair = "QC"};
    const Solved bare = solve(freeze(without), 0.1, options), sprung = solve(freeze(with), 0.1, options);
    fmt::print("| {} | {:.1f} | {:.1f} | {} |\n", links, 1e3 * bare.seconds, 1e3 * sprung.seconds,
               sprung.statistics.iterations);
  }
}

// From 64 elements in one window: milliseconds, and elements in the end.
void compare_degrees() {
  const std::vector<Case> runs{{"double pendulum, 1 s", double_pendulum(), 1.0},
                               {"double pendulum, 5 s", double_pendulum(), 5.0},
                               {"heavy top, 1 s", test::heavy_top(), 1.0},
                               {"chain of 4, 1 s", spherical_chain(4), 1.0}};
  fmt::print("| run | tolerance |");
  std::vector<std::string> pairs = element_pair_names();
  pairs.emplace_back("auto");
  for (const std::string& pair : pairs) fmt::print(" {} |", pair);
  fmt::print("\n|---|---|---|---|---|---|---|---|---|---|\n");
  for (const Case& c : runs) {
    const auto model = freeze(c.system);
    for (const double tolerance : {1e-3, 1e-5, 1e-7, 1e-9, 1e-11}) {
      fmt::print("| {} | {:.0e} |", c.name, tolerance);
      for (const std::string& pair : pairs) {
        StateTimeSolver solver(model, calc_properties(*model), {.pair = pair, .tolerance = tolerance},
                               nullptr);
        const double seconds = seconds_of(
            [&] {
              solver.start(calc_initial_state(*model), c.duration);
              while (!solver.is_complete()) solver.solve_window();
            },
            kRounds);
        const int degree = solver.elements().back().form->pair.degree;
        fmt::print(" {:.1f} ({}{}) |", 1e3 * seconds, solver.elements().size(),
                   pair == kAutomaticPair ? " " + name_of_degree(degree) : "");
        std::fflush(stdout);
      }
      fmt::print("\n");
    }
  }
}

// Slow heavy links with one light link at the end, which turns at `spin` rad/s.
System fast_tip(int slow, double mass, double spin) {
  System system;
  system.gravity = {0, -9.81, 0};
  for (int i = 0; i <= slow; ++i) {
    const bool is_tip = i == slow;
    const std::string name = "link" + std::to_string(i);
    const double m = is_tip ? mass : 1.0, length = is_tip ? 0.1 : 0.5;
    BodySpec& body = system.add_body(name, m);
    body.center_of_mass = {0, -length / 2, 0};
    body.inertia = {.xx = m * length * length / 12, .zz = m * length * length / 12};
    body.add_point("tip", {0, -length, 0});
    JointSpec& joint = system.add_joint("joint" + std::to_string(i), "revolute",
                                        i == 0 ? "ground.origin" : "link" + std::to_string(i - 1) + ".tip",
                                        name + ".origin");
    joint.axis = {0, 0, 1}, joint.q = 0.2, joint.u = is_tip ? spin : 0.0;
  }
  return system;
}

// Elements that each body would need alone, by the estimates of its own errors, compared with the common
// mesh: the largest possible saving by a separate time scale for each body.
void compare_scales() {
  constexpr double kTolerance = 1e-6, kDuration = 0.5;
  constexpr int kDegree = 4;
  const std::vector<std::pair<std::string, System>> runs{
      {"double pendulum", double_pendulum()},
      {"chain of 16", spherical_chain(16)},
      {"branched tree", test::branched_tree()},
      {"2 links, tip of 1/10 at 30 rad/s", fast_tip(1, 0.1, 30.0)},
      {"2 links, tip of 1/1000 at 30 rad/s", fast_tip(1, 1e-3, 30.0)},
      {"8 links, tip of 1/10 at 30 rad/s", fast_tip(7, 0.1, 30.0)},
      {"8 links, tip of 1/1000 at 30 rad/s", fast_tip(7, 1e-3, 30.0)},
      {"8 links, tip of 1/1000 at 300 rad/s", fast_tip(7, 1e-3, 300.0)}};
  fmt::print(
      "| run | elements, common | of the slowest body | of the fastest | body elements, common | own | "
      "ratio |\n|---|---|---|---|---|---|---|\n");
  for (const auto& [name, system] : runs) {
    const auto model = freeze(system);
    StateTimeSolver solver(model, calc_properties(*model), {.pair = "P3P4", .tolerance = kTolerance},
                           nullptr);
    solver.start(calc_initial_state(*model), kDuration);
    while (!solver.is_complete()) solver.solve_window();
    const auto bodies = static_cast<std::size_t>(model->bodies().size() - 1);
    std::vector<BodyInstant> at(bodies);
    BodyError size{0.0, 0.0, 1.0, 0.0};
    for (const TimeElement& element : solver.elements()) {
      solver.calc_bodies(element.end(), at);
      for (const BodyInstant& body : at) {
        size.v = std::max(size.v, norm(body.v)), size.w = std::max(size.w, norm(body.w));
        size.x = std::max(size.x, norm(body.x));
      }
    }
    std::vector<double> own(bodies, 0.0);
    double common = 0.0;
    std::vector<BodyError> errors(bodies);
    for (std::size_t e = 0; e < solver.elements().size(); ++e) {
      solver.estimate_errors(static_cast<int>(e), errors);
      double most = 0.0;
      for (std::size_t b = 0; b < bodies; ++b) {
        const BodyError& of = errors[b];
        const double error = std::max({of.v / size.v, of.w / size.w, of.C / size.C, of.x / size.x});
        const double elements = std::pow(error / kTolerance, 1.0 / (kDegree + 1));
        own[b] += elements, most = std::max(most, elements);
      }
      common += most;
    }
    double sum = 0.0;
    for (const double elements : own) sum += elements;
    const auto [least, largest] = std::minmax_element(own.begin(), own.end());
    fmt::print("| {} | {:.1f} | {:.1f} | {:.1f} | {:.0f} | {:.0f} | {:.2f} |\n", name, common, *least,
               *largest, common * static_cast<double>(bodies), sum,
               common * static_cast<double>(bodies) / sum);
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

std::string threads_of(const Executor* executor) {
  return executor ? fmt::format("{} threads", executor->threads()) : "1 thread";
}

// A tolerance alone, and nothing else of the model's choice.
void measure_tolerances(const Case& c, const std::shared_ptr<const Model>& model,
                        const State<double>& reference, Executor* executor) {
  for (double tolerance = 1e-2; tolerance > 0.5e-12; tolerance /= 100.0) {
    const StateTimeOptions options{.pair = "auto", .tolerance = tolerance};
    try {
      const Solved run = solve(model, c.duration, options, executor);
      print_point(c.name, fmt::format("auto, {}", threads_of(executor)),
                  fmt::format("tolerance {:.0e}", tolerance), distance(*model, run.end, reference),
                  run.seconds);
    } catch (const ComputationError& error) {
      fmt::print(stderr, "{}: {}\n", c.name, error.what());
    }
  }
}

void measure_work() {
  fmt::print("system,method,parameter,error,seconds\n");
  Executor two(2), four(4);
  for (const Case& c : cases()) {
    const auto model = freeze(c.system);
    System exact = c.system;
    exact.analysis.step.rtol = exact.analysis.step.atol = 1e-13;
    const State<double> reference = march(exact, c.duration).value().end;
    measure_marches(c, *model, reference);
    for (Executor* executor : {static_cast<Executor*>(nullptr), &two, &four}) {
      measure_tolerances(c, model, reference, executor);
    }
    for (const char* pair : {"LQ", "QC", "P3P4", "P5P6"}) {
      for (int elements = 4; elements <= 64; elements *= 2) {
        for (Executor* executor : {static_cast<Executor*>(nullptr), &two, &four}) {
          try {
            const Solved run = solve(model, c.duration, {.elements = elements, .pair = pair}, executor);
            print_point(c.name, fmt::format("{}, {}", pair, threads_of(executor)),
                        fmt::format("{} elements", elements), distance(*model, run.end, reference),
                        run.seconds);
          } catch (const ComputationError&) {
            // Elements too long for Newton's method are not points of the curve.
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
  if (what == "forces") return sestina::compare_forces(), 0;
  if (what == "degrees") return sestina::compare_degrees(), 0;
  if (what == "scales") return sestina::compare_scales(), 0;
  if (what == "work") return sestina::measure_work(), 0;
  fmt::print(stderr, "usage: bench_state_time_cost schemes|matrices|forces|degrees|scales|work\n");
  return 2;
}
