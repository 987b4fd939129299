#include "sestina/particles/ewald_sum.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sestina/base/error.h"
#include "sestina/parallel/executor.h"

namespace sestina {
namespace {

constexpr int kPointGrain = 16, kWaveGrain = 16;

}  // namespace

// exp(-s^2) is a tenth of the tolerance, since potentials of both signs nearly cancel.
EwaldSum::EwaldSum(double tolerance, Executor& executor) : executor_(executor) {
  if (!(tolerance >= 1e-14 && tolerance <= 0.1)) {
    throw InputError(fmt::format("the tolerance {} of Ewald's sum is not from 1e-14 to 0.1", tolerance));
  }
  reach_ = std::sqrt(-std::log(0.1 * tolerance));
}

void EwaldSum::calc(const Box& box, std::span<const double> x, std::span<const double> y,
                    std::span<const double> z, std::span<const double> charge, std::span<double> potential,
                    std::span<double> gx, std::span<double> gy, std::span<double> gz) {
  if (!box.is_periodic()) throw InputError("Ewald's sum is for a box that is periodic along all axes");
  const Points points{x, y, z, charge};
  choose_waves(box);
  calc_phases(box, points);
  calc_structure_factors(charge);
  executor_.parallel_for(static_cast<int>(x.size()), kPointGrain, [&](int begin, int end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const Field near = calc_near(box, points, i), far = calc_far(i);
      potential[i] = near.u + far.u;
      gx[i] = near.gx + far.gx, gy[i] = near.gy + far.gy, gz[i] = near.gz + far.gz;
    }
  });
}

// A wave stands for k and -k; the one chosen has a positive first nonzero coordinate.
void EwaldSum::choose_waves(const Box& box) {
  const double half = 0.5 * *std::ranges::min_element(box.length);
  splitting_ = reach_ / half;
  const double largest = 2.0 * splitting_ * reach_;
  for (int a = 0; a < 3; ++a) most_[a] = static_cast<int>(largest * box.length[a] / (2.0 * std::numbers::pi));
  waves_.clear();
  for (int nx = 0; nx <= most_[0]; ++nx) {
    for (int ny = nx == 0 ? 0 : -most_[1]; ny <= most_[1]; ++ny) {
      for (int nz = nx == 0 && ny == 0 ? 1 : -most_[2]; nz <= most_[2]; ++nz) {
        Wave wave{{nx, ny, nz}, {}, 0.0, 0.0, 0.0};
        double k2 = 0.0;
        for (int a = 0; a < 3; ++a) {
          wave.k[a] = 2.0 * std::numbers::pi * wave.n[a] / box.length[a];
          k2 += wave.k[a] * wave.k[a];
        }
        if (k2 > largest * largest) continue;
        wave.weight =
            8.0 * std::numbers::pi / box.volume() * std::exp(-k2 / (4.0 * splitting_ * splitting_)) / k2;
        waves_.push_back(wave);
      }
    }
  }
}

void EwaldSum::calc_phases(const Box& box, const Points& points) {
  const std::span<const double> at[] = {points.x, points.y, points.z};
  for (int a = 0; a < 3; ++a) {
    const auto width = static_cast<std::size_t>(most_[a]) + 1;
    cosines_[a].resize(width * points.x.size());
    sines_[a].resize(width * points.x.size());
    for (std::size_t i = 0; i < points.x.size(); ++i) {
      const double turns = at[a][i] / box.length[a],
                   angle = 2.0 * std::numbers::pi * (turns - std::floor(turns));
      for (std::size_t n = 0; n < width; ++n) {
        cosines_[a][width * i + n] = std::cos(static_cast<double>(n) * angle);
        sines_[a][width * i + n] = std::sin(static_cast<double>(n) * angle);
      }
    }
  }
}

// Returns the phase as the product of its three factors.
EwaldSum::Phase EwaldSum::phase(const Wave& wave, std::size_t i) const {
  Phase product{1.0, 0.0};
  for (int a = 0; a < 3; ++a) {
    const std::size_t place =
        (static_cast<std::size_t>(most_[a]) + 1) * i + static_cast<std::size_t>(std::abs(wave.n[a]));
    const double c = cosines_[a][place], s = wave.n[a] < 0 ? -sines_[a][place] : sines_[a][place];
    product = {product.real * c - product.imaginary * s, product.real * s + product.imaginary * c};
  }
  return product;
}

void EwaldSum::calc_structure_factors(std::span<const double> charge) {
  executor_.parallel_for(static_cast<int>(waves_.size()), kWaveGrain, [&](int begin, int end) {
    for (int w = begin; w < end; ++w) {
      Wave& wave = waves_[w];
      for (std::size_t i = 0; i < charge.size(); ++i) {
        const Phase e = phase(wave, i);
        wave.real += charge[i] * e.real, wave.imaginary += charge[i] * e.imaginary;
      }
    }
  });
}

EwaldSum::Field EwaldSum::calc_near(const Box& box, const Points& points, std::size_t i) const {
  const double most = reach_ / splitting_, slope_at_zero = 2.0 * splitting_ / std::sqrt(std::numbers::pi);
  Field field{-slope_at_zero * points.charge[i], 0.0, 0.0, 0.0};
  for (std::size_t j = 0; j < points.x.size(); ++j) {
    if (j == i) continue;
    const double dx = box.nearest(0, points.x[i] - points.x[j]),
                 dy = box.nearest(1, points.y[i] - points.y[j]),
                 dz = box.nearest(2, points.z[i] - points.z[j]);
    const double r2 = dx * dx + dy * dy + dz * dz;
    if (!(r2 < most * most) || r2 == 0.0) continue;
    const double r = std::sqrt(r2), q = points.charge[j], ar = splitting_ * r;
    const double u = q * std::erfc(ar) / r;
    const double slope = -(u + q * slope_at_zero * std::exp(-ar * ar)) / r2;  // u'/r
    field.u += u;
    field.gx += slope * dx, field.gy += slope * dy, field.gz += slope * dz;
  }
  return field;
}

EwaldSum::Field EwaldSum::calc_far(std::size_t i) const {
  Field field{};
  for (const Wave& wave : waves_) {
    const Phase e = phase(wave, i);
    field.u += wave.weight * (wave.real * e.real + wave.imaginary * e.imaginary);
    const double slope = wave.weight * (wave.imaginary * e.real - wave.real * e.imaginary);
    field.gx += slope * wave.k[0], field.gy += slope * wave.k[1], field.gz += slope * wave.k[2];
  }
  return field;
}

}  // namespace sestina
