// Eight numbers side by side: one cache line, one or more SIMD registers. All operations are elementwise, so
// that the result does not depend on the width of the processor's registers.
#pragma once

#include <cstring>

namespace sestina {

inline constexpr int kLanes8 = 8;

template <class T>
struct Lanes8 {
  T lane[kLanes8] = {};

  static Lanes8 load(const T* from) {
    Lanes8 a;
    for (int i = 0; i < kLanes8; ++i) a.lane[i] = from[i];
    return a;
  }
  void store(T* to) const {
    for (int i = 0; i < kLanes8; ++i) to[i] = lane[i];
  }
  // this += s b
  void add(const T& s, const Lanes8& b) {
    for (int i = 0; i < kLanes8; ++i) lane[i] += s * b.lane[i];
  }
};

// All members are inlined: as an argument, the class would be passed in memory where registers are narrower.
template <>
struct Lanes8<double> {
  using Vector = double __attribute__((vector_size(64)));
  Vector lanes = {};

  [[gnu::always_inline]] static Lanes8 load(const double* from) {
    Lanes8 a;
    std::memcpy(&a.lanes, from, sizeof(a.lanes));
    return a;
  }
  [[gnu::always_inline]] void store(double* to) const { std::memcpy(to, &lanes, sizeof(lanes)); }
  [[gnu::always_inline]] void add(double s, const Lanes8& b) { lanes += s * b.lanes; }
};

}  // namespace sestina
