// Potential and gradient of charges by the fast multipole method, one thread:
//   bench_multipole                            100,000 random charges in a cube, three tolerances
//   bench_multipole POINTS TOLERANCE RESULT    of a file, for benchmarks/peers/fmm3d.py
// POINTS has x, y, z and the charge of each point, RESULT then the potential and its gradient, all as doubles
// in the order of the processor. Prints seconds of the processor; the first call, which builds tables, does
// not count.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <vector>

#include "sestina/parallel/executor.h"
#include "sestina/particles/fast_multipole.h"
#include "sestina/particles/random_numbers.h"

namespace {

using namespace sestina;
using Columns = std::array<CacheLineVector<double>, 4>;  // x, y, z, charge; potential and gradient

Columns read_points(const char* name) {
  std::ifstream file(name, std::ios::binary | std::ios::ate);
  const auto n = static_cast<std::size_t>(file.tellg()) / (4 * sizeof(double));
  std::vector<double> points(4 * n);
  file.seekg(0);
  file.read(reinterpret_cast<char*>(points.data()), static_cast<std::streamsize>(4 * n * sizeof(double)));
  Columns columns;
  for (std::size_t k = 0; k < 4; ++k) {
    columns[k].resize(n);
    for (std::size_t i = 0; i < n; ++i) columns[k][i] = points[4 * i + k];
  }
  return columns;
}

Columns draw_points(std::uint32_t n) {
  Columns columns;
  for (CacheLineVector<double>& column : columns) column.resize(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    const auto u = calc_uniform(1, RandomUse::kWalk, 0, i);
    for (std::size_t k = 0; k < 4; ++k) columns[k][i] = k < 3 ? u[k] : 2.0 * u[k] - 1.0;
  }
  return columns;
}

// Seconds of the second of two calls.
double time_of(const Columns& points, double tolerance, Columns& found) {
  Executor executor(1);
  FastMultipole multipole({.tolerance = tolerance}, executor);
  double seconds = 0.0;
  for (int repeat = 0; repeat < 2; ++repeat) {
    for (CacheLineVector<double>& values : found) values.assign(points[0].size(), 0.0);
    const std::clock_t begin = std::clock();
    multipole.calc(points[0], points[1], points[2], points[3], found[0], found[1], found[2], found[3]);
    seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  }
  return seconds;
}

}  // namespace

int main(int argc, char** argv) {
  Columns found;
  if (argc != 4) {
    const Columns points = draw_points(100'000);
    for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
      fmt::print("100000 charges, tolerance {}: {:.3f} s\n", tolerance, time_of(points, tolerance, found));
    }
    return 0;
  }
  fmt::print("{}\n", time_of(read_points(argv[1]), std::atof(argv[2]), found));
  std::ofstream result(argv[3], std::ios::binary);
  for (std::size_t i = 0; i < found[0].size(); ++i) {
    const double row[] = {found[0][i], found[1][i], found[2][i], found[3][i]};
    result.write(reinterpret_cast<const char*>(row), sizeof(row));
  }
}
