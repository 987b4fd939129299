// Eight doubles, or SESTINA_LANES of them where a kernel defines it, for the kernels only: everything is in
// an unnamed namespace and inlined (CMakeLists.txt).
#pragma once

#include <cstdint>

#ifndef SESTINA_LANES
#define SESTINA_LANES 8
#endif

namespace sestina {
namespace {

constexpr int kWidth = SESTINA_LANES;
using Lanes = double __attribute__((vector_size(8 * SESTINA_LANES)));
using LaneMask = std::int64_t __attribute__((vector_size(8 * SESTINA_LANES)));

[[gnu::always_inline]] inline Lanes load(const double* from) {
  Lanes a;
  __builtin_memcpy(&a, from, sizeof(a));
  return a;
}
[[gnu::always_inline]] inline void store(const Lanes& a, double* to) { __builtin_memcpy(to, &a, sizeof(a)); }

#if SESTINA_LANES == 8
// Sums in pairs, in a fixed order.
[[gnu::always_inline]] inline double sum_of(const Lanes& a) {
  return ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]));
}
#endif

}  // namespace
}  // namespace sestina
