// Arithmetic modulo primes p = c 2^k - 1, extended by i with i^2 = -1.
//
// These primes are 3 modulo 4, so that -1 has no root and the p^2 numbers a + i b form a field. The circle
// a^2 + b^2 = 1 has p + 1 = c 2^k points, so that a turn is divisible by every power of two up to 2^k.
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
  // Returns a number above 0 and below p.
  std::uint64_t from_hash(std::uint64_t hash) const { return 1 + hash % (prime_ - 1); }
  // True if the prime divides the denominator of an exact number, which then has no value in the field.
  bool divides_denominator(const Coefficient& number) const;
  // Converts exactly: a double is a whole number times a power of two.
  FieldNumber from_number(const Coefficient& number) const;

  std::uint64_t add(std::uint64_t a, std::uint64_t b) const { return reduce(a + b); }
  std::uint64_t subtract(std::uint64_t a, std::uint64_t b) const { return reduce(a + (prime_ - b)); }
  std::uint64_t multiply(std::uint64_t a, std::uint64_t b) const {
    __extension__ using Wide = unsigned __int128;
    const Wide wide = static_cast<Wide>(a) * b;
    const auto low = static_cast<std::uint64_t>(wide) & ((std::uint64_t{1} << k_) - 1);
    const auto high = static_cast<std::uint64_t>(wide >> k_);
    // high 2^k = (c q + r) 2^k, and c 2^k is 1 in the field.
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
  FieldNumber invert(FieldNumber a) const;  // for a number other than zero
  FieldNumber power(FieldNumber base, std::uint64_t exponent) const;
  FieldNumber power(FieldNumber base, std::int64_t exponent) const;
  FieldNumber half(FieldNumber a) const { return multiply(a, FieldNumber{(prime_ + 1) / 2, 0}); }

  // Returns the root of a that is a square itself; if a has no root, the root of -a, times i.
  FieldNumber root(std::uint64_t a) const;
  // Returns the point of the circle with tangent t of half its angle.
  FieldNumber circle_point(std::uint64_t t) const;
  // True if exp(i pi/d) is known: d is a power of two up to 2^40, or three times one.
  static bool has_turn(std::uint64_t d);
  // Returns exp(i pi n/d) for such d. Its sine and cosine agree with the roots of 2 and 3.
  FieldNumber turn(std::int64_t n, std::uint64_t d) const;
  // Return (z + 1/z)/2 and (z - 1/z)/(2i): the cosine and the sine of the angle of z.
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

// The two fields of the fingerprints, with 61 and 57 bits. In both, 2 is a square and -1 is not, but 2^61 is
// 1 only in the first.
inline constexpr PrimeField kFields[] = {PrimeField(1, 61), PrimeField(3, 55)};

}  // namespace sestina
