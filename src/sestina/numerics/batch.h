// Several doubles side by side, one in each lane of a SIMD register. As the scalar of a recursion it
// evaluates `n` states at once.
//
// Lanes are independent: lane i of a result depends only on lane i of the operands, and every lane does the
// same operations, so that a result has the same bits in any lane. A NaN stays in its lane.
//
// Include this only in translation units that are compiled for one instruction set and linked with hidden
// symbols (docs/decisions/batch.md): Batch<8> needs AVX-512, Batch<4> AVX2, Batch<2> only x86-64.
#pragma once

#include <cstdint>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "sestina/numerics/scalar.h"

namespace sestina {

// The register types: g++ 12 accepts no vector_size that depends on a template parameter.
template <int n>
struct Registers;
#define SESTINA_REGISTERS(n)                                       \
  template <>                                                      \
  struct Registers<n> {                                            \
    using Doubles = double __attribute__((vector_size(8 * n)));    \
    using Bits = std::int64_t __attribute__((vector_size(8 * n))); \
  };
SESTINA_REGISTERS(2)
SESTINA_REGISTERS(4)
SESTINA_REGISTERS(8)
#undef SESTINA_REGISTERS

// One flag for each lane: all bits set or none.
template <int n>
struct BatchMask {
  using Vector = typename Registers<n>::Bits;
  Vector lanes{};

  BatchMask() = default;
  [[gnu::always_inline]] BatchMask(const Vector& v) : lanes(v) {}  // NOLINT: the same thing

  friend BatchMask operator||(const BatchMask& a, const BatchMask& b) { return a.lanes | b.lanes; }
  friend BatchMask operator&&(const BatchMask& a, const BatchMask& b) { return a.lanes & b.lanes; }
  friend BatchMask operator!(const BatchMask& a) { return ~a.lanes; }
};

// Bit i is the flag of lane i.
template <int n>
[[gnu::always_inline]] inline unsigned to_bits(const BatchMask<n>& mask) {
#if defined(__AVX512DQ__)
  if constexpr (n == 8) return _mm512_movepi64_mask(__builtin_bit_cast(__m512i, mask.lanes));
#endif
#if defined(__AVX__)
  if constexpr (n == 4) {
    return static_cast<unsigned>(_mm256_movemask_pd(__builtin_bit_cast(__m256d, mask.lanes)));
  }
#endif
  unsigned bits = 0;
  for (int i = 0; i < n; ++i) bits |= static_cast<unsigned>(mask.lanes[i] & 1) << i;
  return bits;
}
template <int n>
[[gnu::always_inline]] inline bool any(const BatchMask<n>& mask) {
  return to_bits(mask) != 0;
}

template <int n>
struct Batch {
  static constexpr int kLanes = n;
  using Vector = typename Registers<n>::Doubles;
  using Bits = typename Registers<n>::Bits;
  Vector lanes{};

  Batch() = default;
  [[gnu::always_inline]] Batch(double x) : lanes(x - Vector{}) {}  // NOLINT: the same number in all lanes
  [[gnu::always_inline]] Batch(const Vector& v) : lanes(v) {}      // NOLINT: the same thing
  [[gnu::always_inline]] double operator[](int i) const { return lanes[i]; }
  [[gnu::always_inline]] Bits bits() const { return __builtin_bit_cast(Bits, lanes); }
  [[gnu::always_inline]] static Batch from_bits(const Bits& b) { return __builtin_bit_cast(Vector, b); }

  [[gnu::always_inline]] Batch& operator+=(const Batch& b) { return lanes += b.lanes, *this; }
  [[gnu::always_inline]] Batch& operator-=(const Batch& b) { return lanes -= b.lanes, *this; }
  [[gnu::always_inline]] Batch& operator*=(const Batch& b) { return lanes *= b.lanes, *this; }
  [[gnu::always_inline]] Batch& operator/=(const Batch& b) { return lanes /= b.lanes, *this; }

  [[gnu::always_inline]] friend Batch operator+(const Batch& a) { return a; }
  [[gnu::always_inline]] friend Batch operator-(const Batch& a) { return -a.lanes; }
  [[gnu::always_inline]] friend Batch operator+(const Batch& a, const Batch& b) { return a.lanes + b.lanes; }
  [[gnu::always_inline]] friend Batch operator-(const Batch& a, const Batch& b) { return a.lanes - b.lanes; }
  [[gnu::always_inline]] friend Batch operator*(const Batch& a, const Batch& b) { return a.lanes * b.lanes; }
  [[gnu::always_inline]] friend Batch operator/(const Batch& a, const Batch& b) { return a.lanes / b.lanes; }

  using MaskType = BatchMask<n>;
  [[gnu::always_inline]] friend MaskType operator<(const Batch& a, const Batch& b) {
    return mask(a.lanes < b.lanes);
  }
  [[gnu::always_inline]] friend MaskType operator>(const Batch& a, const Batch& b) {
    return mask(a.lanes > b.lanes);
  }
  [[gnu::always_inline]] friend MaskType operator<=(const Batch& a, const Batch& b) {
    return mask(a.lanes <= b.lanes);
  }
  [[gnu::always_inline]] friend MaskType operator>=(const Batch& a, const Batch& b) {
    return mask(a.lanes >= b.lanes);
  }
  [[gnu::always_inline]] friend MaskType operator==(const Batch& a, const Batch& b) {
    return mask(a.lanes == b.lanes);
  }
  [[gnu::always_inline]] friend MaskType operator!=(const Batch& a, const Batch& b) {
    return mask(a.lanes != b.lanes);
  }

 private:
  template <class V>
  [[gnu::always_inline]] static MaskType mask(const V& v) {
    return __builtin_bit_cast(Bits, v);
  }
};

template <int n>
struct ScalarTraits<Batch<n>> {
  using Mask = BatchMask<n>;
};

template <int n>
[[gnu::always_inline]] inline Batch<n> select(const BatchMask<n>& mask, const Batch<n>& a,
                                              const Batch<n>& b) {
  return mask.lanes ? a.lanes : b.lanes;
}

// True if all lanes have this value: decisions about structure hold for all lanes together.
template <int n>
bool is_exactly(const Batch<n>& x, double number) {
  return !any(x != Batch<n>(number));
}

// Applies a function of plain numbers lane by lane.
template <int n, class F, class... More>
[[gnu::always_inline]] inline Batch<n> lane_by_lane(F&& f, const Batch<n>& a, const More&... more) {
  typename Batch<n>::Vector result{};
  for (int i = 0; i < n; ++i) result[i] = f(a[i], more[i]...);
  return result;
}

template <int n>
[[gnu::always_inline]] inline Batch<n> sqrt(const Batch<n>& a) {
  return lane_by_lane([](double x) { return __builtin_sqrt(x); }, a);
}
template <int n>
[[gnu::always_inline]] inline Batch<n> abs(const Batch<n>& a) {
  return Batch<n>::from_bits(a.bits() & INT64_MAX);
}

#define SESTINA_LANE_BY_LANE(f)                                 \
  template <int n>                                              \
  Batch<n> f(const Batch<n>& a) {                               \
    return lane_by_lane([](double x) { return std::f(x); }, a); \
  }
SESTINA_LANE_BY_LANE(tan)
SESTINA_LANE_BY_LANE(asin)
SESTINA_LANE_BY_LANE(acos)
SESTINA_LANE_BY_LANE(atan)
SESTINA_LANE_BY_LANE(sinh)
SESTINA_LANE_BY_LANE(cosh)
SESTINA_LANE_BY_LANE(tanh)
SESTINA_LANE_BY_LANE(exp)
SESTINA_LANE_BY_LANE(log)
#undef SESTINA_LANE_BY_LANE

template <int n>
Batch<n> pow(const Batch<n>& a, const Batch<n>& b) {
  return lane_by_lane([](double x, double y) { return std::pow(x, y); }, a, b);
}
template <int n>
Batch<n> atan2(const Batch<n>& y, const Batch<n>& x) {
  return lane_by_lane([](double b, double a) { return std::atan2(b, a); }, y, x);
}

// Computes sine and cosine as sincos(double) does, by the same polynomials but without the correction for the
// rounding error of the reduced angle: within 2 ulp.
template <int n>
[[gnu::always_inline]] inline SinCos<Batch<n>> sincos_of_moderate(const Batch<n>& angle) {
  using T = Batch<n>;
  using Bits = typename T::Bits;
  const T shifted = angle * T(6.36619772367581382433e-01) + T(6755399441055744.0);
  const T turns = shifted - T(6755399441055744.0);
  const T r = ((angle - turns * T(1.57079632673412561417e+00)) - turns * T(6.07710050630396597660e-11)) -
              turns * T(2.02226624879595063154e-21);
  const T z = r * r;
  const T p = T(8.33333333332248946124e-03) +
              z * (T(-1.98412698298579493134e-04) +
                   z * (T(2.75573137070700676789e-06) +
                        z * (T(-2.50507602534068634195e-08) + z * T(1.58969099521155010221e-10))));
  const T s = r + (z * r) * (T(-1.66666666666666324348e-01) + z * p);
  const T w = T(4.16666666666666019037e-02) +
              z * (T(-1.38888888888741095749e-03) +
                   z * (T(2.48015872894767294178e-05) +
                        z * (T(-2.75573143513906633035e-07) +
                             z * (T(2.08757232129817482790e-09) + z * T(-1.13596475577881948265e-11)))));
  const T c = T(1.0) + z * (T(-0.5) + z * w);
  const Bits quadrant = shifted.bits();
  const BatchMask<n> is_even = __builtin_bit_cast(Bits, (quadrant & 1) == 0);
  const Bits sine_sign = (quadrant & 2) << 62, cosine_sign = ((quadrant + 1) & 2) << 62;
  return {T::from_bits(select(is_even, s, c).bits() ^ sine_sign),
          T::from_bits(select(is_even, c, s).bits() ^ cosine_sign)};
}

// Recomputes lanes whose angle is beyond kLargestReducedAngle or not a number by the C library.
template <int n>
[[gnu::noinline]] void replace_large(const Batch<n>& angle, SinCos<Batch<n>>& result) {
  for (int i = 0; i < n; ++i) {
    if (std::fabs(angle[i]) <= kLargestReducedAngle) continue;
    result.sin.lanes[i] = std::sin(angle[i]);
    result.cos.lanes[i] = std::cos(angle[i]);
  }
}

template <int n>
[[gnu::always_inline]] inline SinCos<Batch<n>> sincos(const Batch<n>& angle) {
  SinCos<Batch<n>> result = sincos_of_moderate(angle);
  if (to_bits(abs(angle) <= Batch<n>(kLargestReducedAngle)) == (1U << n) - 1) [[likely]] {
    return result;
  }
  replace_large(angle, result);
  return result;
}
template <int n>
Batch<n> sin(const Batch<n>& a) {
  return sincos(a).sin;
}
template <int n>
Batch<n> cos(const Batch<n>& a) {
  return sincos(a).cos;
}
template <int n>
void sincos(const Batch<n>* angles, int count, SinCos<Batch<n>>* results) {
  for (int i = 0; i < count; ++i) results[i] = sincos(angles[i]);
}

// Returns the first lane.
template <int n>
double value_of(const Batch<n>& x) {
  return x[0];
}

}  // namespace sestina
