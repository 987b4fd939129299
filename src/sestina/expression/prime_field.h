// Arithmetic modulo primes p = c 2^k - 1, extended by i with i^2 = -1.
//
// Such primes are 3 modulo 4, so that -1 has no root and p^2 numbers a + i b form a field; and the circle
// a^2 + b^2 = 1 has p + 1 = c 2^k points, among which every power of two divides a turn.
#pragma once

#include <cstdint>

#include "sestina/expression/coefficient.h"

namespace sestina {

// re + i im, both below p.
struct FieldNumber {
  std::uint64_t re = 0;
  std::uint64_t im = 0;
  bool is_zero() const { return re == 0 && im == 0; }
  friend bool operator==(const FieldNumber&, const FieldNumber&) = default;
};

class PrimeField {
 public:
  // p = c 2^k - 1 < 2^62
  constexpr PrimeField(std::uint64_t c, int k) : c_(c), k_(k), prime_((c << k) - 1) {}

  std::uint64_t prime() const { return prime_; }
  std::uint64_t from_integer(std::int64_t n) const;
  // A number below p and above 0.
  std::uint64_t from_hash(std::uint64_t hash) const { return 1 + hash % (prime_ - 1); }
  // Whether the prime divides the denominator of an exact number, which then has no value here.
  bool divides_denominator(const Coefficient& number) const;
  // Exactly what it is: a double is a whole number times a power of two.
  FieldNumber from_number(const Coefficient& number) const;

  std::uint64_t add(std::uint64_t a, std::uint64_t b) const { return reduce(a + b); }
  std::uint64_t subtract(std::uint64_t a, std::uint64_t b) const { return reduce(a + (prime_ - b)); }
  std::uint64_t multiply(std::uint64_t a, std::uint64_t b) const {
    __extension__ using Wide = unsigned __int128;
    const Wide wide = static_cast<Wide>(a) * b;
    const auto low = static_cast<std::uint64_t>(wide) & ((std::uint64_t{1} << k_) - 1);
    const auto high = static_cast<std::uint64_t>(wide >> k_);
    // high 2^k = (c q + r) 2^k, and c 2^k is 1
    if (c_ == 1) return reduce(low + high);
    return (low + high / c_ + (high % c_ << k_)) % prime_;
  }
  std::uint64_t invert(std::uint64_t a) const { return power({a, 0}, prime_ - 2).re; }
  bool is_square(std::uint64_t a) const { return a == 0 || power({a, 0}, (prime_ - 1) / 2).re == 1; }

  FieldNumber add(FieldNumber a, FieldNumber b) const { return {add(a.re, b.re), add(a.im, b.im)}; }
  FieldNumber subtract(FieldNumber a, FieldNumber b) const {
    return {subtract(a.re, b.re), subtract(a.im, b.im)};
  }
  FieldNumber multiply(FieldNumber a, FieldNumber b) const {
    if (a.im == 0 && b.im == 0) return {multiply(a.re, b.re), 0};
    return {subtract(multiply(a.re, b.re), multiply(a.im, b.im)),
            add(multiply(a.re, b.im), multiply(a.im, b.re))};
  }
  FieldNumber invert(FieldNumber a) const;  // of a number other than zero
  FieldNumber power(FieldNumber base, std::uint64_t exponent) const;
  FieldNumber power(FieldNumber base, std::int64_t exponent) const;
  FieldNumber half(FieldNumber a) const { return multiply(a, FieldNumber{(prime_ + 1) / 2, 0}); }

  // The root that is a square itself, where there is one; else that of -a, times i.
  FieldNumber root(std::uint64_t a) const;
  // The point of the circle that belongs to a number t, as to the tangent of half an angle.
  FieldNumber circle_point(std::uint64_t t) const;
  // Whether exp(i pi/d) is known: d is a power of two up to 2^40, or three times one.
  static bool has_turn(std::uint64_t d);
  // exp(i pi n/d) for such d. Its sine and cosine agree with the roots of 2 and 3.
  FieldNumber turn(std::int64_t n, std::uint64_t d) const;
  // (z + 1/z)/2 and (z - 1/z)/(2i): the cosine and the sine of the angle of z.
  FieldNumber cosine_of(FieldNumber z) const;
  FieldNumber sine_of(FieldNumber z) const;

 private:
  std::uint64_t reduce(std::uint64_t a) const { return a >= prime_ ? a - prime_ : a; }
  FieldNumber calc_circle_generator() const;
  bool is_on_circle(FieldNumber z) const { return add(multiply(z.re, z.re), multiply(z.im, z.im)) == 1; }

  std::uint64_t c_;
  int k_;
  std::uint64_t prime_;
};

// The two that fingerprints use: of 61 and of 57 bits. Modulo either 2 and -1 behave alike, as square and as
// no square, but 2^61 is 1 only modulo the first.
inline constexpr PrimeField kFields[] = {PrimeField(1, 61), PrimeField(3, 55)};

}  // namespace sestina
