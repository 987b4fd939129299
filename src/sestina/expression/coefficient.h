// Constants of an expression: exact fractions of whole numbers, and doubles.
//
//   short   numerator and denominator within 2^53, where doubles hold every whole number: 1/10 evaluates to
//           the same bits as the literal 0.1, rounded once
//   long    a fraction of larger numbers up to kMostBits, each of which can be written and read as a literal:
//           2^61 + 1, 1/3^40
//   double  everything else
//
// Values given as whole numbers and fractions stay exact. A value given as a decimal or a double counts as
// that decimal (0.1 is 1/10) and stays exact while it is short; longer results are rounded to a double, since
// measured numbers have no more digits.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sestina/expression/whole_number.h"

namespace sestina {

class Coefficient {
 public:
  // Limit for the numerator and the denominator of a long fraction: below 1e308, the largest literal.
  static constexpr std::size_t kMostBits = 1023;
  struct Fraction {
    WholeNumber numerator, denominator;  // in lowest terms, the latter > 0
    friend bool operator==(const Fraction&, const Fraction&) = default;
  };

  Coefficient() = default;  // 0
  // Exact if the shortest decimal that reads back as `value` is short: Coefficient(0.1) is 1/10. May be inf
  // or nan.
  explicit Coefficient(double value);
  // Returns the fraction in lowest terms. The denominator is not zero.
  static Coefficient fraction(std::int64_t numerator, std::int64_t denominator);
  // Returns the fraction, or a double if it has too many digits; inf beyond the range of doubles.
  static Coefficient fraction(const Fraction& fraction);
  // Reads a literal such as 12, .5 or 2.5E+3, without sign; nothing if it exceeds a double's range.
  static std::optional<Coefficient> from_text(std::string_view literal);

  bool is_exact() const { return denominator_ != 0; }  // and short
  const Fraction* long_fraction() const { return long_.get(); }
  bool is_rational() const { return is_exact() || long_; }
  // True if it was given as a decimal: see above.
  bool is_decimal() const { return is_decimal_; }
  void forget_decimal() { is_decimal_ = false; }
  bool is_integer() const { return denominator_ == 1; }
  bool is_finite() const;
  bool is_zero() const { return is_exact() && numerator_ == 0; }
  bool is_one() const { return numerator_ == 1 && denominator_ == 1; }
  bool is_negative() const;
  std::int64_t numerator() const { return numerator_; }      // of a short fraction
  std::int64_t denominator() const { return denominator_; }  // > 0; 0 if this is not a short fraction
  double value() const { return value_; }
  // Returns a short or long exact number as a fraction.
  Fraction as_fraction() const;

  Coefficient operator-() const;
  friend Coefficient operator+(const Coefficient& a, const Coefficient& b);
  friend Coefficient operator*(const Coefficient& a, const Coefficient& b);
  // True for equal numbers, whatever their form.
  friend bool operator==(const Coefficient& a, const Coefficient& b);
  friend bool operator<(const Coefficient& a, const Coefficient& b);

  // Returns this^exponent if it is known exactly or a plain double: 8^(2/3) is 4. Nothing for 0^-1, for
  // irrational roots of fractions, for exact results with too many digits and for results that are not normal
  // numbers.
  std::optional<Coefficient> power(const Coefficient& exponent) const;
  // Returns the exact square root of a fraction of squares.
  std::optional<Coefficient> exact_sqrt() const;
  // Returns text of the magnitude that reads back as the same number: `12`, `5/3`, `1e+22`, and `4/5` or
  // `0.8` in the form in which it was given.
  std::string magnitude_text() const;
  bool reads_as_decimal() const;  // 1/10 does, 1/2 and 1/3 do not

 private:
  // Reduces to lowest terms; the result is a decimal if both operands are decimals or whole numbers.
  static Coefficient short_fraction(std::int64_t numerator, std::int64_t denominator, bool is_decimal);
  static Coefficient reduced(Fraction fraction);
  // Returns the exact n-th root of a short positive fraction; n > 0.
  std::optional<Coefficient> exact_root(std::int64_t n) const;
  static constexpr std::int64_t kHighestRoot = 64;  // of a number up to 2^53 other than 1

  std::int64_t numerator_ = 0;
  std::int64_t denominator_ = 1;
  double value_ = 0.0;
  std::shared_ptr<const Fraction> long_;
  bool is_decimal_ = false;  // only for short fractions that are not whole numbers
};

}  // namespace sestina
