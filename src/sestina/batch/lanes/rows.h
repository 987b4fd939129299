// Conversion between states one after the other and states in lanes.
#pragma once

#include <cstddef>
#include <utility>

#include "sestina/numerics/batch.h"

namespace sestina {

// Loads the first `count` numbers from `first` on, and zeros; does not read beyond them.
template <int n>
[[gnu::always_inline]] inline Batch<n> load_part(const double* first, int count) {
#if defined(__AVX512F__)
  if constexpr (n == 8) {
    const auto mask = static_cast<__mmask8>((1U << count) - 1);
    return __builtin_bit_cast(typename Batch<n>::Vector, _mm512_maskz_loadu_pd(mask, first));
  }
#endif
  typename Batch<n>::Vector lanes{};
  for (int i = 0; i < n; ++i) {
    if (i < count) lanes[i] = first[i];
  }
  return lanes;
}
template <int n>
[[gnu::always_inline]] inline void store_part(const Batch<n>& x, double* first, int count) {
#if defined(__AVX512F__)
  if constexpr (n == 8) {
    const auto mask = static_cast<__mmask8>((1U << count) - 1);
    _mm512_mask_storeu_pd(first, mask, __builtin_bit_cast(__m512d, x.lanes));
    return;
  }
#endif
  for (int i = 0; i < n; ++i) {
    if (i < count) first[i] = x[i];
  }
}
template <int n>
[[gnu::always_inline]] inline Batch<n> load(const double* first) {
  typename Batch<n>::Vector lanes;
  __builtin_memcpy(&lanes, first, sizeof lanes);
  return lanes;
}
template <int n>
[[gnu::always_inline]] inline void store(const Batch<n>& x, double* first) {
  __builtin_memcpy(first, &x.lanes, sizeof x.lanes);
}

// Swaps lane i of a with lane i - s of b, for all i that have bit s.
template <int n, int s, int... i>
[[gnu::always_inline]] inline void exchange(Batch<n>& a, Batch<n>& b, std::integer_sequence<int, i...>) {
  const auto x = a.lanes, y = b.lanes;
  a = __builtin_shufflevector(x, y, ((i & s) != 0 ? n + i - s : i)...);
  b = __builtin_shufflevector(x, y, ((i & s) != 0 ? n + i : i + s)...);
}
template <int n, int s = 1>
[[gnu::always_inline]] inline void transpose_lanes(Batch<n> (&rows)[n]) {
  for (int k = 0; k < n; ++k) {
    if ((k & s) == 0) exchange<n, s>(rows[k], rows[k + s], std::make_integer_sequence<int, n>());
  }
  if constexpr (2 * s < n) transpose_lanes<n, 2 * s>(rows);
}

// Loads eight numbers of each of eight rows, transposed on the way into the registers: halves of rows 0 and
// 2, 1 and 3, ... are combined, so that 16 exchanges of 24 remain.
#if defined(__AVX512F__)
[[gnu::always_inline]] inline void load_transposed(const double* (&rows)[8], Batch<8>* to) {
  const auto pair = [&](int k, int half) {
    const __m512d low = _mm512_castpd256_pd512(_mm256_loadu_pd(rows[k] + half));
    return _mm512_insertf64x4(low, _mm256_loadu_pd(rows[k + 2] + half), 1);
  };
  const auto put = [&](int i, const __m512d& x) { to[i] = __builtin_bit_cast(Batch<8>::Vector, x); };
  for (int half = 0; half < 8; half += 4) {
    const __m512d a = pair(0, half), b = pair(1, half), c = pair(4, half), d = pair(5, half);
    const __m512d even_ab = _mm512_unpacklo_pd(a, b), odd_ab = _mm512_unpackhi_pd(a, b);
    const __m512d even_cd = _mm512_unpacklo_pd(c, d), odd_cd = _mm512_unpackhi_pd(c, d);
    put(half, _mm512_shuffle_f64x2(even_ab, even_cd, 0x88));
    put(half + 1, _mm512_shuffle_f64x2(odd_ab, odd_cd, 0x88));
    put(half + 2, _mm512_shuffle_f64x2(even_ab, even_cd, 0xDD));
    put(half + 3, _mm512_shuffle_f64x2(odd_ab, odd_cd, 0xDD));
  }
}
#endif

// to[i] (width): number i of each row. With fewer rows than lanes the last row is repeated. Loops have a
// constant number of iterations, so that a block stays in registers.
template <int n>
void load_rows(const double* from, int width, int rows, Batch<n>* to) {
  const std::ptrdiff_t last = static_cast<std::ptrdiff_t>(rows - 1) * width;
  for (int i = 0; i < width; i += n) {
    const int count = width - i < n ? width - i : n;
#if defined(__AVX512F__)
    if constexpr (n == 8) {
      if (count == n) {
        const double* starts[n];
        std::ptrdiff_t start = i;
        for (int k = 0; k < n; ++k) {
          starts[k] = from + start;
          start = start < last ? start + width : start;
        }
        load_transposed(starts, to + i);
        continue;
      }
    }
#endif
    Batch<n> block[n];
    std::ptrdiff_t row = i;
    for (int k = 0; k < n; ++k) {
      block[k] = count == n ? load<n>(from + row) : load_part<n>(from + row, count);
      row = row < last ? row + width : row;
    }
    transpose_lanes(block);
    if (count == n) {
      for (int k = 0; k < n; ++k) to[i + k] = block[k];
    } else {
      for (int k = 0; k < n - 1; ++k) {
        if (k < count) to[i + k] = block[k];
      }
    }
  }
}
// Stores up to n rows, the inverse of load_rows().
template <int n>
void store_rows(const Batch<n>* from, int width, int rows, double* to) {
  for (int i = 0; i < width; i += n) {
    const int count = width - i < n ? width - i : n;
    Batch<n> block[n];
    for (int k = 0; k < n; ++k) block[k] = from[k < count ? i + k : i];
    transpose_lanes(block);
    double* row = to + i;
    for (int k = 0; k < n; ++k, row += width) {
      if (k >= rows) break;
      if (count == n) {
        store(block[k], row);
      } else {
        store_part(block[k], row, count);
      }
    }
  }
}

}  // namespace sestina
