// Many runs of one model: in SIMD lanes and by themselves, on one thread:
//
//   bench_ensemble [RUNS [ROUNDS]]
//
// The double pendulum of examples/01 for 10 s and a chain of 7 revolute joints for 2 s, each run with another
// parameter, at the default tolerance or with a fixed step; as an ensemble, whose results stay in memory, and
// as a sweep, which writes the last rows to a file. The ways take turns, round after round; runs per second
// of processor time are those of the median round.
//
// Then the set-up alone: a workspace for each run, whose system is frozen again, and one that shares the
// model.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "mechanisms.h"
#include "sestina/sweep/sweep.h"
#include "sestina/workspace/ensemble.h"

namespace {

using namespace sestina;

System make_double_pendulum() {
  System system;
  system.gravity = {0, -2, 0};
  system.set_parameter("l", 0.8);
  system.set_parameter("m", 1.0);
  for (const char* name : {"upper", "lower"}) {
    BodySpec& rod = system.add_body(name, "m");
    rod.center_of_mass = {0, "-l/2", 0};
    rod.inertia.xx = rod.inertia.zz = "m*l^2/12";
    rod.add_point("tip", {0, "-l", 0});
  }
  JointSpec& hip = system.add_joint("hip", "revolute", "ground.origin", "upper.origin");
  JointSpec& knee = system.add_joint("knee", "revolute", "upper.tip", "lower.origin");
  hip.axis = knee.axis = {0, 0, 1};
  hip.q = {1.0}, hip.u = {1.0};
  knee.q = {0.2}, knee.u = {-2.0};
  system.analysis.duration = 10;
  return system;
}

System make_chain_of_7() {
  System system = benchmarks::make_chain(7);
  system.set_parameter("l", 1.0);
  for (BodySpec& body : system.bodies) body.points.front().position = {"l", 0, 0};
  system.analysis.duration = 2;
  return system;
}

System with_fixed_step(System system) {
  system.analysis.integrator.name = "rk4";
  system.analysis.step.driver = "fixed";
  system.analysis.step.dt = 0.002;
  return system;
}

// Processor time, so that other programs have little influence.
double seconds_of(const std::function<void()>& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// `compute` with lanes, or without.
void compare(const std::string& name, int runs, int rounds, const std::function<void(bool)>& compute) {
  std::vector<double> alone, in_lanes, ratios;
  for (int i = 0; i < rounds; ++i) {
    alone.push_back(seconds_of([&] { compute(false); }));
    in_lanes.push_back(seconds_of([&] { compute(true); }));
    ratios.push_back(alone.back() / in_lanes.back());
  }
  fmt::print("{:<40} {:>10.0f} {:>10.0f} {:>8.2f}\n", name, runs / median(alone), runs / median(in_lanes),
             median(ratios));
  std::fflush(stdout);
}

void compare_ensemble(const std::string& name, const System& system, int runs, int rounds) {
  const Workspace workspace(system);
  std::vector<EnsembleMember> members(static_cast<std::size_t>(runs));
  for (int i = 0; i < runs; ++i) {
    members[static_cast<std::size_t>(i)].parameters = {{"l", 0.5 + 1.0 * i / runs}};
  }
  compare(name + ", ensemble", runs, rounds, [&](bool lanes) {
    for (const RunReport& report : workspace.run_ensemble(members, {.threads = 1, .lanes = lanes})) {
      if (report.status != RunStatus::kComplete || (report.lanes > 0) != lanes) std::abort();
    }
  });
}

void compare_sweep(const std::string& name, const System& system, int runs, int rounds) {
  const ModelTree model = parse_model_tree(write_model(system), "model.yaml");
  const auto axes = parse_sweep_axes({fmt::format("parameters.l=0.5:1.5:{}", runs)});
  SweepOptions options;
  options.out = std::filesystem::temp_directory_path() / "bench_ensemble.sweep.h5";
  options.record = {"none"};
  compare(name + ", sweep", runs, rounds, [&](bool lanes) {
    options.lanes = lanes;
    const SweepReport report = run_sweep(model, axes, options);
    if (report.complete != static_cast<std::size_t>(runs)) std::abort();
  });
  std::filesystem::remove(options.out);
}

void compare_set_up(const std::string& name, const System& system, int runs, int rounds) {
  const Workspace workspace(system);
  std::vector<double> anew, shared, ratios;
  const auto for_each_run = [&](const auto& make) {
    return 1e6 / runs * seconds_of([&] {
             for (int i = 0; i < runs; ++i) make(0.5 + 1.0 * i / runs);
           });
  };
  for (int i = 0; i < rounds; ++i) {
    anew.push_back(for_each_run([&](double l) {
      System own = system;
      own.set_parameter("l", l);
      const Workspace of_run(std::move(own));
    }));
    shared.push_back(for_each_run([&](double l) {
      const ParameterValue value{"l", l};
      if (workspace.share_model(std::span(&value, 1)) == nullptr) std::abort();
    }));
    ratios.push_back(anew.back() / shared.back());
  }
  fmt::print("{:<40} {:>10.2f} {:>10.2f} {:>8.1f}\n", name, median(anew), median(shared), median(ratios));
}

}  // namespace

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::atoi(argv[1]) : 1000;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 5;
  fmt::print("{} runs, one thread, {} rounds, lanes of {}\n\n", runs, rounds,
             to_string(default_instruction_set()));
  fmt::print("{:<40} {:>21} {:>8}\n{:<40} {:>10} {:>10} {:>8}\n", "", "runs per second", "", "", "alone",
             "in lanes", "ratio");
  const std::vector<std::pair<std::string, System>> systems{
      {"double pendulum", make_double_pendulum()},
      {"chain of 7", make_chain_of_7()},
      {"chain of 7, fixed step", with_fixed_step(make_chain_of_7())}};
  for (const auto& [name, system] : systems) {
    compare_ensemble(name, system, runs, rounds);
    compare_sweep(name, system, runs, rounds);
  }
  fmt::print("\n{:<40} {:>21} {:>8}\n{:<40} {:>10} {:>10} {:>8}\n", "", "set-up, us a run", "", "", "anew",
             "shared", "ratio");
  for (const auto& [name, system] : systems) compare_set_up(name, system, runs, rounds);
}
