// Beam elements: residual and tangent, forces alone, and one Newton iteration of a beam, each per element
// over n.
#include <benchmark/benchmark.h>

#include "sestina/flexible/beam_statics.h"

namespace {

using namespace sestina;

constexpr double kPi = 3.14159265358979323846;

// A beam bent to a quarter of a circle.
BeamStatics bent_beam(int elements) {
  const double L = 1.0, EI = 1.0;
  BeamStatics beam(make_beam_mesh(straight_frames({0, 0, 0}, {L, 0, 0}, {0, 0, 1}), L, elements,
                                  diagonal_section(1e4, 1e4, 1e4, EI, EI, EI)));
  beam.clamp(0);
  BeamLoad load;
  load.node = elements, load.moment = {0, 0, 0.5 * kPi * EI / L}, load.force = {0, 0.1, 0.2};
  beam.add(load);
  beam.solve_in_steps(1.0, 4);
  return beam;
}

void per_element(benchmark::State& state, int n) {
  state.counters["per element"] =
      benchmark::Counter(n, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void residual_and_tangent(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  const BeamStatics beam = bent_beam(n);
  BeamElement<double> element;
  BeamElementTangent<double> K;
  BeamElementForces<double> f;
  for (auto _ : state) {
    for (int k = 0; k < n; ++k) {
      const BeamSegment<double>& segment = beam.mesh().pieces[static_cast<std::size_t>(k)].segment;
      element.advance(segment, beam.mesh().pose_a(k), beam.mesh().pose_b(k), beam.wrench(k));
      element.update_tangent(K, f);
      benchmark::DoNotOptimize(K);
    }
  }
  per_element(state, n);
}
BENCHMARK(residual_and_tangent)->RangeMultiplier(8)->Range(8, 4096);

void forces_of_poses(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  const BeamStatics beam = bent_beam(n);
  BeamElement<double> element;
  for (auto _ : state) {
    for (int k = 0; k < n; ++k) {
      const BeamSegment<double>& segment = beam.mesh().pieces[static_cast<std::size_t>(k)].segment;
      element.relax(segment, beam.mesh().pose_a(k), beam.mesh().pose_b(k));
      benchmark::DoNotOptimize(element.forces());
    }
  }
  per_element(state, n);
}
BENCHMARK(forces_of_poses)->RangeMultiplier(8)->Range(8, 4096);

// From the equilibrium: one iteration finds that it is one.
void newton_iteration(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  BeamStatics beam = bent_beam(n);
  for (auto _ : state) benchmark::DoNotOptimize(beam.solve(1.0));
  per_element(state, n);
}
BENCHMARK(newton_iteration)->RangeMultiplier(8)->Range(8, 32768);

}  // namespace
