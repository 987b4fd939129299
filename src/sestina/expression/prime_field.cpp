#include "sestina/expression/prime_field.h"

#include <array>
#include <cmath>
#include <cstdlib>

namespace sestina {

std::uint64_t PrimeField::from_integer(std::int64_t n) const {
  const auto magnitude = static_cast<std::uint64_t>(std::abs(n)) % prime_;
  return n < 0 ? subtract(0, magnitude) : magnitude;
}

bool PrimeField::divides_denominator(const Coefficient& number) const {
  const Coefficient::Fraction* fraction = number.long_fraction();
  return fraction != nullptr && fraction->denominator.modulo(prime_) == 0;
}

FieldNumber PrimeField::from_number(const Coefficient& number) const {
  if (const Coefficient::Fraction* fraction = number.long_fraction()) {
    const std::uint64_t above = fraction->numerator.modulo(prime_);
    const std::uint64_t size = multiply(above, invert(fraction->denominator.modulo(prime_)));
    return {number.is_negative() ? subtract(0, size) : size, 0};
  }
  if (number.is_exact()) {
    const std::uint64_t numerator = from_integer(number.numerator());
    if (number.is_integer()) return {numerator, 0};
    return {multiply(numerator, invert(from_integer(number.denominator()))), 0};
  }
  int exponent = 0;
  const double mantissa = std::frexp(number.value(), &exponent);
  const auto whole = static_cast<std::int64_t>(std::ldexp(mantissa, 53));
  const FieldNumber scale = power(FieldNumber{2, 0}, std::int64_t{exponent - 53});
  return {multiply(from_integer(whole), scale.re), 0};
}

FieldNumber PrimeField::invert(FieldNumber a) const {
  const std::uint64_t scale = invert(add(multiply(a.re, a.re), multiply(a.im, a.im)));
  return {multiply(a.re, scale), multiply(subtract(0, a.im), scale)};
}

FieldNumber PrimeField::power(FieldNumber base, std::uint64_t exponent) const {
  FieldNumber result{1, 0};
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) result = multiply(result, base);
    base = multiply(base, base);
  }
  return result;
}

FieldNumber PrimeField::power(FieldNumber base, std::int64_t exponent) const {
  if (exponent < 0) return power(invert(base), static_cast<std::uint64_t>(-exponent));
  return power(base, static_cast<std::uint64_t>(exponent));
}

// Uses p = 3 modulo 4.
FieldNumber PrimeField::root(std::uint64_t a) const {
  const bool has_root = is_square(a);
  const std::uint64_t root = power(FieldNumber{has_root ? a : prime_ - a, 0}, (prime_ + 1) / 4).re;
  return has_root ? FieldNumber{root, 0} : FieldNumber{0, root};
}

FieldNumber PrimeField::circle_point(std::uint64_t t) const {
  const std::uint64_t square = multiply(t, t);
  const std::uint64_t scale = invert(add(1, square));  // 1 + t^2 is not 0: -1 has no root in the field
  return {multiply(subtract(1, square), scale), multiply(add(t, t), scale)};
}

// Returns exp(2 pi i/(p + 1)): a point whose power of an eighth turn is the diagonal point (1 + i)/sqrt(2)
// and not one of the other three.
FieldNumber PrimeField::calc_circle_generator() const {
  const std::uint64_t diagonal = root((prime_ + 1) / 2).re;
  for (std::uint64_t t = 2;; ++t) {
    const FieldNumber z = circle_point(t);
    if (power(z, (prime_ + 1) / 8) == FieldNumber{diagonal, diagonal}) return z;
  }
}

bool PrimeField::has_turn(std::uint64_t d) {
  if (d % 3 == 0) d /= 3;
  return (d & (d - 1)) == 0 && d <= (std::uint64_t{1} << 40);
}

FieldNumber PrimeField::turn(std::int64_t n, std::uint64_t d) const {
  static const std::array<FieldNumber, 2> kGenerators = {kFields[0].calc_circle_generator(),
                                                         kFields[1].calc_circle_generator()};
  const FieldNumber generator = kGenerators[prime_ == kFields[0].prime() ? 0 : 1];
  if (d % 3 != 0) return power(power(generator, (prime_ + 1) / 2 / d), n);
  // 1/d = u/3 + v/e with e = d/3: u e + 3 v = 1, where e is its own inverse modulo 3.
  const std::uint64_t e = d / 3;
  const auto u = static_cast<std::int64_t>(e % 3);
  const std::int64_t v = (1 - u * static_cast<std::int64_t>(e)) / 3;
  const FieldNumber half_root = half(root(3));
  // 1/2 + i sqrt(3)/2
  const FieldNumber third = add(FieldNumber{(prime_ + 1) / 2, 0}, multiply(FieldNumber{0, 1}, half_root));
  return power(multiply(power(third, u), power(turn(1, e), v)), n);
}

FieldNumber PrimeField::cosine_of(FieldNumber z) const {
  return is_on_circle(z) ? FieldNumber{z.re, 0} : half(add(z, invert(z)));
}

FieldNumber PrimeField::sine_of(FieldNumber z) const {
  if (is_on_circle(z)) return {z.im, 0};
  return multiply(half(subtract(z, invert(z))), FieldNumber{0, prime_ - 1});  // 1/i is -i
}

}  // namespace sestina
