// Eight doubles, for the kernels alone: everything is in an unnamed namespace and inlined (CMakeLists.txt).
#pragma once

#include <cstdint>

namespace sestina {
namespace {

using Lanes = double __attribute__((vector_size(64)));
using LaneMask = std::int64_t __attribute__((vector_size(64)));

[[gnu::always_inline]] inline Lanes load(const double* from) {
  Lanes a;
  __builtin_memcpy(&a, from, sizeof(a));
  return a;
}
[[gnu::always_inline]] inline void store(const Lanes& a, double* to) { __builtin_memcpy(to, &a, sizeof(a)); }

// In pairs: a fixed order.
[[gnu::always_inline]] inline double sum_of(const Lanes& a) {
  return ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]));
}

}  // namespace
}  // namespace sestina
