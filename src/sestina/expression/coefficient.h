// Constants of an expression: an exact fraction where it fits, a double otherwise.
//
// Numerator and denominator stay within 2^53, where doubles hold every integer, so that the fraction's
// double is rounded only once: 1/10 evaluates to the same bits as the literal 0.1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sestina {

class Coefficient {
 public:
  constexpr Coefficient() = default;  // 0
  // Exact when the shortest decimal that reads back as `value` fits: Coefficient(0.1) is 1/10. May be inf or
  // nan.
  explicit Coefficient(double value);
  // In lowest terms; a double when it does not fit. The denominator is not zero.
  static Coefficient fraction(std::int64_t numerator, std::int64_t denominator);
  // A literal such as 12, .5 or 2.5E+3, without sign; nothing when its size exceeds a double's range.
  static std::optional<Coefficient> from_text(std::string_view literal);

  bool is_exact() const { return denominator_ != 0; }
  bool is_integer() const { return denominator_ == 1; }
  bool is_finite() const;
  bool is_zero() const { return is_exact() && numerator_ == 0; }
  bool is_one() const { return numerator_ == 1 && denominator_ == 1; }
  bool is_negative() const { return is_exact() ? numerator_ < 0 : value_ < 0.0; }
  std::int64_t numerator() const { return numerator_; }      // of an exact number
  std::int64_t denominator() const { return denominator_; }  // > 0; 0 marks a plain double
  double value() const { return value_; }

  Coefficient operator-() const;
  friend Coefficient operator+(const Coefficient& a, const Coefficient& b);
  friend Coefficient operator*(const Coefficient& a, const Coefficient& b);
  friend bool operator==(const Coefficient& a, const Coefficient& b) = default;
  friend bool operator<(const Coefficient& a, const Coefficient& b);

  // this^exponent when it is known exactly or is a plain double; nothing for 0^-1, for roots of fractions
  // and where the result is not a finite number other than zero.
  std::optional<Coefficient> power(const Coefficient& exponent) const;
  // The exact square root of a fraction of squares.
  std::optional<Coefficient> exact_sqrt() const;
  // Text of the magnitude that reads back as the same number: `12`, `0.1`, `5/3`, `1e+22`.
  std::string magnitude_text() const;

 private:
  std::int64_t numerator_ = 0;
  std::int64_t denominator_ = 1;
  double value_ = 0.0;
};

}  // namespace sestina
