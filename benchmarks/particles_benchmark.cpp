// Time per particle and step of the Lennard-Jones fluid of LAMMPS' benchmark (density 0.8442, T = 1.44 at the
// start, cutoff 2.5, skin 0.3, step 0.005), for the sizes given, or for 32,000 particles:
//   bench_particles [CELLS]... [--threads N]
// 4 CELLS^3 particles each. benchmarks/peers/lammps_fluid.py compares it with LAMMPS.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "particles/test_models.h"
#include "sestina/parallel/executor.h"
#include "sestina/particles/particle_system.h"

namespace {

using namespace sestina;
using Clock = std::chrono::steady_clock;

void run(int cells, int steps, Executor& executor) {
  ParticleModel model = testing_support::make_fluid(cells);
  draw_velocities(1.44, 87287, model);
  ParticleSystem system(model, executor);
  for (int i = 0; i < 20; ++i) system.step(0.005);
  const std::int64_t builds = system.list_builds();
  const std::clock_t used = std::clock();
  const auto start = Clock::now();
  for (int i = 0; i < steps; ++i) system.step(0.005);
  const double per_step = 1e9 / (static_cast<double>(steps) * system.size());
  const double processor = static_cast<double>(std::clock() - used) / CLOCKS_PER_SEC;
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const ParticleMeasures m = system.measure();
  fmt::print(
      "{} particles, {} steps, {} threads, {}: {:.4g} ns per particle and step ({:.4g} ns of the processor), "
      "{} "
      "lists, T = {:.5f}, E/n = {:.7f}\n",
      system.size(), steps, executor.threads(), to_string(default_instruction_set()), per_step * seconds,
      per_step * processor, system.list_builds() - builds, m.temperature, m.total() / system.size());
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<int> sizes;
  int threads = 1;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--threads" && i + 1 < argc) {
      threads = std::atoi(argv[++i]);
    } else {
      sizes.push_back(std::atoi(argv[i]));
    }
  }
  if (sizes.empty()) sizes = {20};
  Executor executor(threads);
  for (const int cells : sizes) run(cells, cells > 40 ? 50 : 200, executor);
}
