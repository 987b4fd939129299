// Transposes a block of four rows of four numbers from one matrix to another, by shuffles of whole registers
// where these are wide enough.
#pragma once

#include <cstddef>
#include <cstring>

namespace sestina {

// to(j, i) = from(i, j); the strides are from row to row.
[[gnu::always_inline]] inline void transpose4(const double* from, std::ptrdiff_t from_stride, double* to,
                                              std::ptrdiff_t to_stride) {
  using Four = double __attribute__((vector_size(32)));
  Four a[4];
  for (int i = 0; i < 4; ++i) std::memcpy(&a[i], from + i * from_stride, sizeof(Four));
  const Four even_01 = __builtin_shufflevector(a[0], a[1], 0, 4, 2, 6);
  const Four odd_01 = __builtin_shufflevector(a[0], a[1], 1, 5, 3, 7);
  const Four even_23 = __builtin_shufflevector(a[2], a[3], 0, 4, 2, 6);
  const Four odd_23 = __builtin_shufflevector(a[2], a[3], 1, 5, 3, 7);
  const Four b[4] = {__builtin_shufflevector(even_01, even_23, 0, 1, 4, 5),
                     __builtin_shufflevector(odd_01, odd_23, 0, 1, 4, 5),
                     __builtin_shufflevector(even_01, even_23, 2, 3, 6, 7),
                     __builtin_shufflevector(odd_01, odd_23, 2, 3, 6, 7)};
  for (int j = 0; j < 4; ++j) std::memcpy(to + j * to_stride, &b[j], sizeof(Four));
}

}  // namespace sestina
