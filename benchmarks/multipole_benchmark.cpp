// Seconds of the fast multipole method for potential and gradient of N uniform charges of both signs in the
// unit cube, against the direct sum, and its error at 1000 of the points:
//   bench_multipole [N]... [--threads N]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "particles/test_models.h"
#include "sestina/parallel/executor.h"
#include "sestina/particles/fast_multipole.h"

namespace {

using namespace sestina;

struct Field {
  std::vector<double> u, x, y, z;
  explicit Field(std::size_t n) : u(n), x(n), y(n), z(n) {}
};

// Of the processor, of all threads together.
template <class F>
double seconds(F&& f) {
  const std::clock_t start = std::clock();
  f();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

// The exact field at the first points.
Field calc_exact(const std::vector<double>& x, const std::vector<double>& y, const std::vector<double>& z,
                 const std::vector<double>& q, std::size_t count) {
  Field f(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) {
      const double dx = x[i] - x[j], dy = y[i] - y[j], dz = z[i] - z[j];
      const double r2 = dx * dx + dy * dy + dz * dz;
      if (r2 == 0.0) continue;
      const double u = q[j] / std::sqrt(r2);
      f.u[i] += u, f.x[i] -= u * dx / r2, f.y[i] -= u * dy / r2, f.z[i] -= u * dz / r2;
    }
  }
  return f;
}

void run(int n, Executor& executor) {
  const auto count = static_cast<std::size_t>(n);
  std::vector<double> x(count), y(count), z(count), q(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto u = calc_uniform(5, RandomUse::kWalk, 0, static_cast<std::uint32_t>(i));
    x[i] = u[0], y[i] = u[1], z[i] = u[2], q[i] = 2.0 * u[3] - 1.0;
  }
  const Field exact = calc_exact(x, y, z, q, std::min<std::size_t>(count, 1000));
  if (n <= 100000) {
    Field f(count);
    const double time = seconds([&] { calc_direct_sum(x, y, z, q, f.u, f.x, f.y, f.z, executor); });
    fmt::print("{:>9} direct {:>34.4g} s of the processor, {:.3g} ns per pair\n", n, time,
               1e9 * time / n / n);
  }
  for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
    FastMultipole method({.tolerance = tolerance}, executor);
    Field f(count);
    const double time = seconds([&] { method.calc(x, y, z, q, f.u, f.x, f.y, f.z); });
    double du = 0.0, u = 0.0, dg = 0.0, g = 0.0;
    for (std::size_t i = 0; i < exact.u.size(); ++i) {
      du += std::pow(f.u[i] - exact.u[i], 2), u += std::pow(exact.u[i], 2);
      dg += std::pow(f.x[i] - exact.x[i], 2) + std::pow(f.y[i] - exact.y[i], 2) +
            std::pow(f.z[i] - exact.z[i], 2);
      g += std::pow(exact.x[i], 2) + std::pow(exact.y[i], 2) + std::pow(exact.z[i], 2);
    }
    fmt::print(
        "{:>9} {:.0e}, order {:>2}, levels {}, boxes {:>7} {:>9.4g} s of the processor, {:.4g} us per point, "
        "errors {:.2g} {:.2g}\n",
        n, tolerance, method.order(), method.tree().levels(), method.tree().nodes().size(), time,
        1e6 * time / n, std::sqrt(du / u), std::sqrt(dg / g));
  }
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
  if (sizes.empty()) sizes = {10000, 100000, 1000000};
  Executor executor(threads);
  for (const int n : sizes) run(n, executor);
}
