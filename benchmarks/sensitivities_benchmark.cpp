// The cost of a run's derivatives by 20 parameters (masses, lengths, springs and dampers of a chain of
// revolute joints, open, then with its last tip on a rod to the ground), compared with that of the
// run, with the same fixed steps: bench_sensitivities [REPEATS].
//
// For each number of links: processor time of a run of 1000 steps; what a parameter costs as a part of the
// run; and the gradient of a final coordinate by the parameters (run_gradient.h) in runs, the run itself
// included: with all states in memory, and where the run is repeated from two checkpoints. Medians.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "mechanisms.h"
#include "sestina/workspace/run_gradient.h"
#include "sestina/workspace/run_sensitivities.h"

namespace sestina::benchmarks {
namespace {

constexpr int kParameters = 20;

System make_damped_chain(int n, bool is_closed, std::vector<std::string>& names) {
  System system = make_chain(n);
  if (is_closed) {
    system.add_ground_point("hook", {0.5 * n, 0.5 * n, 0});
    for (JointSpec& joint : system.joints) joint.q.clear();
    system.add_distance("rod", "ground.hook", system.bodies.back().name.text + ".tip", 0.5 * n);
  }
  for (int i = 0; i < kParameters; ++i) {
    const std::string name = "p" + std::to_string(i);
    names.push_back(name);
    system.parameters.push_back({name, 1.0});
    const int link = (i / 4) % n;
    const std::string joint = "joint" + std::to_string(link);
    switch (i % 4) {
      case 0:
        system.bodies[static_cast<std::size_t>(link)].mass = name;
        break;
      case 1:
        system.bodies[static_cast<std::size_t>(link)].points.front().position = {name, 0, 0};
        break;
      case 2:
        system.add_joint_spring("spring" + name, joint, {name});
        break;
      default:
        system.add_joint_damper("damper" + name, joint, {name + "/10"});
        break;
    }
  }
  system.analysis.integrator.name = "rk4";
  system.analysis.step.driver = "fixed";
  system.analysis.step.dt = 1e-3;
  system.analysis.duration = 1.0;
  system.output.every = 1.0;
  return system;
}

template <class F>
double time_of(F&& body) {
  const std::clock_t begin = std::clock();
  body();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// Takes turns, so that other work on the machine slows down all alike.
void measure(int n, bool is_closed, int repeats) {
  std::vector<std::string> names;
  Workspace workspace(make_damped_chain(n, is_closed, names));
  const std::vector<std::string> columns{"joint0.q"};
  std::vector<double> runs, each, gradients, repeated;
  for (int i = 0; i < repeats; ++i) {
    runs.push_back(time_of([&] { (void)workspace.run(); }));
    const double with =
        time_of([&] { (void)calc_run_sensitivities(workspace, {.by = names, .columns = columns}); });
    each.push_back((with / runs.back() - 1.0) / kParameters);
    gradients.push_back(
        time_of([&] { (void)calc_run_gradient(workspace, {.by = names, .columns = columns}); }) /
        runs.back());
    repeated.push_back(
        time_of([&] { (void)calc_run_gradient(workspace, {.by = names, .columns = columns, .memory = 0}); }) /
        runs.back());
  }
  fmt::print("{:>6} {:6} {:10.3f} {:10.3f} {:10.3f} {:10.3f}\n", is_closed ? "closed" : "open", n,
             1e3 * median(runs), median(each), median(gradients), median(repeated));
}

}  // namespace
}  // namespace sestina::benchmarks

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 5;
  fmt::print("{:>6} {:>6} {:>10} {:>10} {:>10} {:>10}\n", "chain", "links", "run ms", "each", "gradient",
             "repeated");
  for (const int n : {2, 7, 20, 50}) sestina::benchmarks::measure(n, false, repeats);
  for (const int n : {3, 7, 20}) sestina::benchmarks::measure(n, true, repeats);
}
