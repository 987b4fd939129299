// Arithmetic on arrays of numbers in lanes (count x lanes) for BatchKernel, whose header describes it.
#pragma once

#include <span>

#include "sestina/batch/lanes/rows.h"

namespace sestina {

// Independent sums side by side.
template <int n, int width>
void lane_add_weighted_at(const double* from, const Batch<n>& h, std::span<const double> weights,
                          const double* terms, std::ptrdiff_t stride, double* to) {
  Batch<n> sum[width];
  for (std::size_t j = 0; j < weights.size(); ++j, terms += stride) {
    if (weights[j] == 0.0) continue;
    for (int k = 0; k < width; ++k) sum[k] += Batch<n>(weights[j]) * load<n>(terms + k * n);
  }
  for (int k = 0; k < width; ++k) {
    const Batch<n> start = from == nullptr ? Batch<n>(0.0) : load<n>(from + k * n);
    store(start + h * sum[k], to + k * n);
  }
}

template <int n>
void lane_add_weighted(int count, const double* from, const double* h, std::span<const double> weights,
                       const double* terms, double* to) {
  constexpr int kWidth = 4;
  const Batch<n> step = load<n>(h);
  const std::ptrdiff_t stride = std::ptrdiff_t{count} * n;
  const auto start_of = [from](std::ptrdiff_t i) { return from == nullptr ? nullptr : from + i; };
  std::ptrdiff_t i = 0;
  for (; i + kWidth * n <= stride; i += kWidth * n) {
    lane_add_weighted_at<n, kWidth>(start_of(i), step, weights, terms + i, stride, to + i);
  }
  for (; i < stride; i += n) {
    lane_add_weighted_at<n, 1>(start_of(i), step, weights, terms + i, stride, to + i);
  }
}

template <int n>
void lane_calc_largest_ratio(int count, const double* error, const double* a, const double* b,
                             const double* rtol, const double* atol, double* ratio) {
  const Batch<n> relative = load<n>(rtol), absolute = load<n>(atol);
  Batch<n> largest(0.0), zero(0.0);
  for (std::ptrdiff_t i = 0; i < std::ptrdiff_t{count} * n; i += n) {
    const Batch<n> x = abs(load<n>(a + i)), y = abs(load<n>(b + i));
    const Batch<n> one = abs(load<n>(error + i)) / (absolute + relative * select(x < y, y, x));
    largest = select(largest < one, one, largest);
    zero += Batch<n>(0.0) * one;  // or NaN
  }
  store(largest + zero, ratio);
}

template <int n>
unsigned lane_find_not_finite(int count, const double* numbers) {
  Batch<n> zero(0.0);
  for (std::ptrdiff_t i = 0; i < std::ptrdiff_t{count} * n; i += n) {
    zero += Batch<n>(0.0) * load<n>(numbers + i);
  }
  return to_bits(!(zero == Batch<n>(0.0)));
}

template <int n>
void lane_copy(unsigned lanes, int count, const double* from, double* to) {
  BatchMask<n> mask;
  for (int l = 0; l < n; ++l) mask.lanes[l] = (lanes >> l & 1) != 0 ? -1 : 0;
  for (std::ptrdiff_t i = 0; i < std::ptrdiff_t{count} * n; i += n) {
    store(select(mask, load<n>(from + i), load<n>(to + i)), to + i);
  }
}

}  // namespace sestina
