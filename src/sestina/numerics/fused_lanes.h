// As many numbers as one register of the target holds, for matrices in which many columns go through the same
// operations.
//
// Products are fused with sums where the target has an instruction for it: half the instructions and one
// rounding less. Results then differ in the last bits between targets with and without it, but not between
// compilers (docs/decisions/floating-point.md).
#pragma once

#include <cstddef>
#include <cstring>

#if defined(__AVX512F__) || defined(__FMA__)
#include <immintrin.h>
#endif

namespace sestina {

#if defined(__AVX512F__)
inline constexpr int kFusedLanes = 8;
#elif defined(__AVX__)
inline constexpr int kFusedLanes = 4;
#else
inline constexpr int kFusedLanes = 2;
#endif

struct FusedLanes {
  using Vector = double __attribute__((vector_size(8 * kFusedLanes)));
  Vector lanes = {};

  [[gnu::always_inline]] static FusedLanes load(const double* from) {
    FusedLanes a;
    std::memcpy(&a.lanes, from, sizeof(a.lanes));
    return a;
  }
  [[gnu::always_inline]] static FusedLanes all(double x) {
    FusedLanes a;
    for (int i = 0; i < kFusedLanes; ++i) a.lanes[i] = x;
    return a;
  }
  // Returns zeros, with a one at place `one` if there is such a place.
  [[gnu::always_inline]] static FusedLanes unit(std::ptrdiff_t one) {
    FusedLanes a;
    for (int i = 0; i < kFusedLanes; ++i) a.lanes[i] = i == one ? 1.0 : 0.0;
    return a;
  }
  [[gnu::always_inline]] void store(double* to) const { std::memcpy(to, &lanes, sizeof(lanes)); }

  [[gnu::always_inline]] FusedLanes& operator+=(const FusedLanes& b) { return lanes += b.lanes, *this; }
  [[gnu::always_inline]] FusedLanes& operator-=(const FusedLanes& b) { return lanes -= b.lanes, *this; }
  // this += a b
  [[gnu::always_inline]] void add(double a, const FusedLanes& b) {
#if defined(__AVX512F__)
    lanes = _mm512_fmadd_pd(_mm512_set1_pd(a), b.lanes, lanes);
#elif defined(__FMA__)
    lanes = _mm256_fmadd_pd(_mm256_set1_pd(a), b.lanes, lanes);
#else
    lanes += a * b.lanes;
#endif
  }
  // this -= a b
  [[gnu::always_inline]] void subtract(double a, const FusedLanes& b) {
#if defined(__AVX512F__)
    lanes = _mm512_fnmadd_pd(_mm512_set1_pd(a), b.lanes, lanes);
#elif defined(__FMA__)
    lanes = _mm256_fnmadd_pd(_mm256_set1_pd(a), b.lanes, lanes);
#else
    lanes -= a * b.lanes;
#endif
  }
};

[[gnu::always_inline]] inline FusedLanes operator*(double a, const FusedLanes& b) { return {a * b.lanes}; }

}  // namespace sestina
