#include "sestina/expression/coefficient.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>

namespace sestina {
namespace {

__extension__ using Wide = __int128;  // holds products of two numbers of 53 bits

constexpr Wide kLargest = Wide{1} << 53;

Wide magnitude(Wide x) { return x < 0 ? -x : x; }

Wide greatest_common_divisor(Wide a, Wide b) {
  while (b != 0) {
    const Wide remainder = a % b;
    a = b;
    b = remainder;
  }
  return a;
}

struct ShortFraction {
  std::int64_t numerator, denominator;
};

// Reduces to lowest terms; nothing if a part exceeds 53 bits.
std::optional<ShortFraction> reduce(Wide numerator, Wide denominator) {
  if (denominator < 0) {
    numerator = -numerator;
    denominator = -denominator;
  }
  const Wide divisor = greatest_common_divisor(magnitude(numerator), denominator);
  numerator /= divisor;
  denominator /= divisor;
  if (magnitude(numerator) > kLargest || denominator > kLargest) return std::nullopt;
  return ShortFraction{static_cast<std::int64_t>(numerator), static_cast<std::int64_t>(denominator)};
}

// Returns the exact value of a decimal without sign, if it fits.
std::optional<ShortFraction> decimal_fraction(std::string_view text) {
  constexpr int kMostDigits = 19;
  constexpr Wide kRoom = Wide{1} << 62;
  Wide mantissa = 0;
  int exponent = 0;
  bool after_point = false;
  std::size_t i = 0;
  for (; i < text.size() && text[i] != 'e' && text[i] != 'E'; ++i) {
    if (text[i] == '.') {
      after_point = true;
      continue;
    }
    if (mantissa > kRoom / 10) return std::nullopt;
    mantissa = 10 * mantissa + (text[i] - '0');
    if (after_point && --exponent < -1000) return std::nullopt;
  }
  if (i < text.size()) {
    std::string_view digits = text.substr(i + 1);
    if (!digits.empty() && digits.front() == '+') digits.remove_prefix(1);
    int given = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), given);
    if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    if (std::abs(given) > 1000) return std::nullopt;
    exponent += given;
  }
  if (mantissa == 0) return ShortFraction{0, 1};
  for (; mantissa % 10 == 0; mantissa /= 10) ++exponent;
  if (std::abs(exponent) > kMostDigits) return std::nullopt;
  Wide power = 1;
  for (int k = 0; k < std::abs(exponent); ++k) power *= 10;
  return exponent < 0 ? reduce(mantissa, power) : reduce(mantissa * power, 1);
}

std::string shortest_text(double value) {
  std::array<char, 40> buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return std::string(buffer.data(), end);
}

WholeNumber to_whole(Wide n) {
  const Wide size = magnitude(n);
  constexpr Wide kPart = Wide{1} << 62;
  const WholeNumber high(static_cast<std::int64_t>(size / kPart)),
      low(static_cast<std::int64_t>(size % kPart));
  const WholeNumber whole = shift_left(high, 62) + low;
  return n < 0 ? -whole : whole;
}

// Returns the whole n-th root of a positive number, if there is one.
std::optional<std::int64_t> integer_root(std::int64_t power, std::int64_t n) {
  const auto root = std::llround(std::pow(static_cast<double>(power), 1.0 / static_cast<double>(n)));
  Wide product = 1;
  for (std::int64_t k = 0; k < n && product <= power; ++k) product *= root;
  return product == power ? std::optional<std::int64_t>(root) : std::nullopt;
}

}  // namespace

Coefficient Coefficient::short_fraction(std::int64_t numerator, std::int64_t denominator, bool is_decimal) {
  Coefficient result;
  result.numerator_ = numerator;
  result.denominator_ = denominator;
  result.value_ = static_cast<double>(numerator) / static_cast<double>(denominator);
  result.is_decimal_ = is_decimal && denominator != 1;
  return result;
}

Coefficient Coefficient::fraction(std::int64_t numerator, std::int64_t denominator) {
  if (const auto found = reduce(numerator, denominator)) {
    return short_fraction(found->numerator, found->denominator, false);
  }
  return fraction({WholeNumber(numerator), WholeNumber(denominator)});
}

Coefficient Coefficient::fraction(const Fraction& fraction) {
  const WholeNumber divisor = greatest_common_divisor(fraction.numerator, fraction.denominator);
  Fraction lowest{divide(fraction.numerator, divisor).first, divide(fraction.denominator, divisor).first};
  if (fraction.numerator.is_negative() != fraction.denominator.is_negative()) {
    lowest.numerator = -lowest.numerator;
  }
  return reduced(std::move(lowest));
}

Coefficient Coefficient::reduced(Fraction fraction) {
  const auto above = fraction.numerator.small(), below = fraction.denominator.small();
  if (above && below && std::abs(*above) <= kLargest && *below <= kLargest) {
    return short_fraction(*above, *below, false);
  }
  const double value = nearest_quotient(fraction.numerator, fraction.denominator);
  const bool has_room = fraction.numerator.bits() <= kMostBits && fraction.denominator.bits() <= kMostBits;
  if (!has_room || !std::isfinite(value)) return Coefficient(value);
  Coefficient result;
  result.denominator_ = 0;
  result.value_ = value;
  result.long_ = std::make_shared<const Fraction>(std::move(fraction));
  return result;
}

Coefficient::Coefficient(double value) : denominator_(0), value_(value) {
  if (!std::isfinite(value)) return;
  if (const auto exact = decimal_fraction(shortest_text(std::abs(value)))) {
    numerator_ = value < 0.0 ? -exact->numerator : exact->numerator;
    denominator_ = exact->denominator;
    is_decimal_ = denominator_ != 1;
    if (numerator_ == 0) value_ = 0.0;  // there is only one zero
  }
}

std::optional<Coefficient> Coefficient::from_text(std::string_view literal) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(literal.data(), literal.data() + literal.size(), value);
  if (literal.find_first_not_of("0123456789") == std::string_view::npos) {
    if (error != std::errc()) return std::nullopt;
    return fraction({WholeNumber::from_digits(literal), WholeNumber(1)});
  }
  if (const auto exact = decimal_fraction(literal)) {
    return short_fraction(exact->numerator, exact->denominator, true);
  }
  if (error != std::errc()) return std::nullopt;
  return Coefficient(value);
}

bool Coefficient::is_finite() const { return std::isfinite(value_); }

bool Coefficient::is_negative() const {
  if (long_) return long_->numerator.is_negative();
  return is_exact() ? numerator_ < 0 : value_ < 0.0;
}

Coefficient::Fraction Coefficient::as_fraction() const {
  return long_ ? *long_ : Fraction{WholeNumber(numerator_), WholeNumber(denominator_)};
}

Coefficient Coefficient::operator-() const {
  Coefficient result = *this;
  result.numerator_ = -result.numerator_;
  result.value_ = is_zero() ? 0.0 : -result.value_;
  if (long_) result.long_ = std::make_shared<const Fraction>(Fraction{-long_->numerator, long_->denominator});
  return result;
}

bool operator==(const Coefficient& a, const Coefficient& b) {
  if (a.long_ && b.long_) return a.value_ == b.value_ && *a.long_ == *b.long_;
  if (a.long_ || b.long_) return false;
  return a.numerator_ == b.numerator_ && a.denominator_ == b.denominator_ && a.value_ == b.value_;
}

Coefficient operator+(const Coefficient& a, const Coefficient& b) {
  const bool is_decimal = a.is_decimal_ || b.is_decimal_;
  if (a.is_exact() && b.is_exact()) {
    const Wide numerator = Wide{a.numerator_} * b.denominator_ + Wide{b.numerator_} * a.denominator_;
    const Wide denominator = Wide{a.denominator_} * b.denominator_;
    if (const auto sum = reduce(numerator, denominator)) {
      return Coefficient::short_fraction(sum->numerator, sum->denominator, is_decimal);
    }
    if (!is_decimal) return Coefficient::fraction({to_whole(numerator), to_whole(denominator)});
  } else if (a.is_rational() && b.is_rational() && !is_decimal) {
    const Coefficient::Fraction x = a.as_fraction(), y = b.as_fraction();
    return Coefficient::fraction(
        {x.numerator * y.denominator + y.numerator * x.denominator, x.denominator * y.denominator});
  }
  return Coefficient(a.value_ + b.value_);
}

Coefficient operator*(const Coefficient& a, const Coefficient& b) {
  const bool is_decimal = a.is_decimal_ || b.is_decimal_;
  if (a.is_exact() && b.is_exact()) {
    const Wide numerator = Wide{a.numerator_} * b.numerator_;
    const Wide denominator = Wide{a.denominator_} * b.denominator_;
    if (const auto product = reduce(numerator, denominator)) {
      return Coefficient::short_fraction(product->numerator, product->denominator, is_decimal);
    }
    if (!is_decimal) return Coefficient::fraction({to_whole(numerator), to_whole(denominator)});
  } else if (a.is_rational() && b.is_rational() && !is_decimal) {
    const Coefficient::Fraction x = a.as_fraction(), y = b.as_fraction();
    return Coefficient::fraction({x.numerator * y.numerator, x.denominator * y.denominator});
  }
  return Coefficient(a.value_ * b.value_);
}

bool operator<(const Coefficient& a, const Coefficient& b) {
  if (!a.is_rational() || !b.is_rational()) return a.value_ < b.value_;
  if (a.is_exact() && b.is_exact()) {
    return Wide{a.numerator_} * b.denominator_ < Wide{b.numerator_} * a.denominator_;
  }
  const Coefficient::Fraction x = a.as_fraction(), y = b.as_fraction();
  return x.numerator * y.denominator < y.numerator * x.denominator;
}

std::optional<Coefficient> Coefficient::power(const Coefficient& exponent) const {
  if (is_rational() && exponent.is_integer()) {
    const std::int64_t n = exponent.numerator_;
    const auto count = static_cast<std::uint64_t>(std::abs(n));
    if (n == 0) return fraction(1, 1);
    if (is_zero()) return n > 0 ? std::optional(Coefficient()) : std::nullopt;
    const Fraction base = as_fraction();
    const std::size_t bits = std::max(base.numerator.bits(), base.denominator.bits());
    const bool is_unit = is_exact() && std::abs(numerator_) == 1 && denominator_ == 1;
    if (is_unit) return fraction(n % 2 == 0 ? 1 : numerator_, 1);
    if (count <= kMostBits / (bits - 1)) {  // otherwise it is certainly too long
      Fraction result{sestina::power(base.numerator, count), sestina::power(base.denominator, count)};
      if (n < 0) std::swap(result.numerator, result.denominator);
      if (result.denominator.is_negative()) {
        result = {-result.numerator, -result.denominator};
      }
      Coefficient value = reduced(std::move(result));
      if (value.is_exact()) {
        value.is_decimal_ = is_decimal_ && !value.is_integer();
        return value;
      }
      if (value.is_rational() && !is_decimal_ && value.value() != 0.0) return value;
    }
    if (!is_decimal_) return std::nullopt;
  } else if (is_rational() && exponent.is_rational()) {
    const bool has_root = exponent.is_exact() && exponent.denominator_ <= kHighestRoot;
    const auto root = has_root ? exact_root(exponent.denominator_) : std::nullopt;
    return root ? root->power(fraction(exponent.numerator_, 1)) : std::nullopt;
  }
  const double result = std::pow(value_, exponent.value_);
  if (!std::isnormal(result)) return std::nullopt;  // nor for fewer digits, whose inverse is not known
  return Coefficient(result);
}

std::optional<Coefficient> Coefficient::exact_root(std::int64_t n) const {
  if (!is_exact() || numerator_ <= 0) return std::nullopt;
  const auto top = integer_root(numerator_, n), bottom = integer_root(denominator_, n);
  if (!top || !bottom) return std::nullopt;
  return short_fraction(*top, *bottom, is_decimal_);
}

std::optional<Coefficient> Coefficient::exact_sqrt() const {
  if (is_zero()) return *this;
  if (!long_) return exact_root(2);
  if (is_negative()) return std::nullopt;
  const auto top = long_->numerator.exact_sqrt(), bottom = long_->denominator.exact_sqrt();
  if (!top || !bottom) return std::nullopt;
  return fraction({*top, *bottom});
}

bool Coefficient::reads_as_decimal() const {
  const bool is_simple = denominator_ == 2 || denominator_ == 4;  // l/2 is more readable than 0.5*l
  if (!is_exact() || is_integer() || is_simple) return false;
  const auto exact = decimal_fraction(shortest_text(std::abs(value_)));
  return exact && exact->numerator == std::abs(numerator_) && exact->denominator == denominator_;
}

std::string Coefficient::magnitude_text() const {
  if (long_) {
    const std::string above = long_->numerator.magnitude_text();
    return long_->denominator == WholeNumber(1) ? above : above + "/" + long_->denominator.magnitude_text();
  }
  std::string decimal = shortest_text(std::abs(value_));
  const bool looks_whole = decimal.find_first_not_of("0123456789") == std::string::npos;
  if (!is_exact() && looks_whole) return decimal + ".0";
  if (!is_exact() || is_integer()) return is_integer() ? std::to_string(std::abs(numerator_)) : decimal;
  if (is_decimal_ && reads_as_decimal()) return decimal;
  return std::to_string(std::abs(numerator_)) + "/" + std::to_string(denominator_);
}

}  // namespace sestina
