// Whole numbers of any size, for coefficients that exceed a machine word.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sestina {

class WholeNumber {
 public:
  WholeNumber() = default;  // 0
  explicit WholeNumber(std::int64_t value);
  static WholeNumber from_digits(std::string_view decimal);  // digits only

  bool is_zero() const { return limbs_.empty(); }
  bool is_negative() const { return is_negative_; }
  std::size_t bits() const;                     // of the magnitude
  std::optional<std::int64_t> small() const;    // nothing if it needs more than 63 bits
  std::uint64_t modulo(std::uint64_t m) const;  // of the magnitude; m < 2^63
  std::string magnitude_text() const;           // in decimal digits
  // Returns the square root of a square, otherwise nothing.
  std::optional<WholeNumber> exact_sqrt() const;

  WholeNumber operator-() const;
  friend WholeNumber operator+(const WholeNumber& a, const WholeNumber& b);
  friend WholeNumber operator*(const WholeNumber& a, const WholeNumber& b);
  // Returns quotient and remainder of the magnitudes; the divisor is not zero.
  friend std::pair<WholeNumber, WholeNumber> divide(const WholeNumber& a, const WholeNumber& b);
  // Returns the magnitude times 2^count.
  friend WholeNumber shift_left(const WholeNumber& a, std::size_t count);
  friend bool operator==(const WholeNumber& a, const WholeNumber& b) = default;
  friend std::strong_ordering operator<=>(const WholeNumber& a, const WholeNumber& b);

 private:
  void trim();
  static std::strong_ordering compare_magnitudes(const WholeNumber& a, const WholeNumber& b);
  static void divide_by_limb(WholeNumber& a, std::uint32_t divisor, std::uint32_t& remainder);

  bool is_negative_ = false;          // never of 0
  std::vector<std::uint32_t> limbs_;  // base 2^32, the lowest first, the highest not 0
};

WholeNumber operator-(const WholeNumber& a, const WholeNumber& b);
WholeNumber greatest_common_divisor(WholeNumber a, WholeNumber b);  // of the magnitudes
// Returns base^exponent.
WholeNumber power(WholeNumber base, std::uint64_t exponent);
// Returns a/b as the nearest double; b > 0.
double nearest_quotient(const WholeNumber& a, const WholeNumber& b);

}  // namespace sestina
