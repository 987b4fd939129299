#include "sestina/particles/kernels/particle_kernels.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sestina/numerics/cache_line_vector.h"
#include "test_models.h"

namespace sestina {
namespace {

using Doubles = CacheLineVector<double>;

TEST(CoulombKernel, SumsPotentialAndGradientOnEveryInstructionSet) {
  constexpr int kCount = 101, kPadded = 112;
  const auto noise = testing_support::make_noise(4 * kCount, 3);
  Doubles x(kPadded, 7.0), y(kPadded, 7.0), z(kPadded, 7.0), q(kPadded, 0.0);
  for (int i = 0; i < kCount; ++i) {
    x[i] = noise[4 * i], y[i] = noise[4 * i + 1], z[i] = noise[4 * i + 2], q[i] = noise[4 * i + 3];
  }
  x[50] = x[20], y[50] = y[20], z[50] = z[20];  // at one place: left out
  const int ranges[] = {0, 60, 60, kCount};
  for (const InstructionSet set : available_instruction_sets()) {
    Doubles u(kPadded, 0.0), gx(kPadded, 0.0), gy(kPadded, 0.0), gz(kPadded, 0.0);
    const Positions at{x.data(), y.data(), z.data()};
    particle_kernels(set).coulomb(
        {at, at, q.data(), 0, kCount, ranges, 2, u.data(), gx.data(), gy.data(), gz.data()});
    for (int i = 0; i < kCount; ++i) {
      long double sum = 0.0, slope = 0.0, size = 0.0, steepness = 0.0;
      for (int j = 0; j < kCount; ++j) {
        const long double dx = x[i] - x[j], dy = y[i] - y[j], dz = z[i] - z[j];
        const long double r = std::sqrt(dx * dx + dy * dy + dz * dz);
        if (r == 0.0L) continue;
        sum += q[j] / r, size += std::fabs(q[j] / r);
        slope -= q[j] * dy / (r * r * r), steepness += std::fabs(q[j] * dy / (r * r * r));
      }
      // Rounding of 101 terms, a few units each.
      EXPECT_NEAR(u[i], static_cast<double>(sum), 2e-15 * static_cast<double>(size)) << to_string(set);
      EXPECT_NEAR(gy[i], static_cast<double>(slope), 4e-15 * static_cast<double>(steepness));
    }
  }
}

}  // namespace
}  // namespace sestina
