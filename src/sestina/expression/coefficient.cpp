#include "sestina/expression/coefficient.h"

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

struct Fraction {
  std::int64_t numerator, denominator;
};

// In lowest terms, or nothing when a part exceeds 53 bits.
std::optional<Fraction> reduce(Wide numerator, Wide denominator) {
  if (denominator < 0) {
    numerator = -numerator;
    denominator = -denominator;
  }
  const Wide divisor = greatest_common_divisor(magnitude(numerator), denominator);
  numerator /= divisor;
  denominator /= divisor;
  if (magnitude(numerator) > kLargest || denominator > kLargest) return std::nullopt;
  return Fraction{static_cast<std::int64_t>(numerator), static_cast<std::int64_t>(denominator)};
}

// The exact value of a decimal without sign, when it fits.
std::optional<Fraction> decimal_fraction(std::string_view text) {
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
  if (mantissa == 0) return Fraction{0, 1};
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

// base^exponent for exponent >= 0, or nothing when it does not fit.
std::optional<Wide> integer_power(Wide base, std::int64_t exponent) {
  if (exponent == 0 || base == 1) return Wide{1};
  if (base == 0) return Wide{0};
  if (base == -1) return exponent % 2 == 0 ? Wide{1} : Wide{-1};
  Wide result = 1;
  for (std::int64_t k = 0; k < exponent; ++k) {
    result *= base;
    if (magnitude(result) > kLargest) return std::nullopt;
  }
  return result;
}

std::optional<std::int64_t> integer_root(std::int64_t square) {
  const auto root = static_cast<std::int64_t>(std::llround(std::sqrt(static_cast<double>(square))));
  return root * root == square ? std::optional(root) : std::nullopt;
}

}  // namespace

Coefficient Coefficient::fraction(std::int64_t numerator, std::int64_t denominator) {
  if (const auto reduced = reduce(numerator, denominator)) {
    Coefficient result;
    result.numerator_ = reduced->numerator;
    result.denominator_ = reduced->denominator;
    result.value_ = static_cast<double>(result.numerator_) / static_cast<double>(result.denominator_);
    return result;
  }
  return Coefficient(static_cast<double>(numerator) / static_cast<double>(denominator));
}

Coefficient::Coefficient(double value) : denominator_(0), value_(value) {
  if (!std::isfinite(value)) return;
  if (const auto exact = decimal_fraction(shortest_text(std::abs(value)))) {
    numerator_ = value < 0.0 ? -exact->numerator : exact->numerator;
    denominator_ = exact->denominator;
    if (numerator_ == 0) value_ = 0.0;  // one zero only
  }
}

std::optional<Coefficient> Coefficient::from_text(std::string_view literal) {
  if (const auto exact = decimal_fraction(literal)) return fraction(exact->numerator, exact->denominator);
  double value = 0.0;
  const auto [end, error] = std::from_chars(literal.data(), literal.data() + literal.size(), value);
  if (error != std::errc()) return std::nullopt;
  return Coefficient(value);
}

bool Coefficient::is_finite() const { return std::isfinite(value_); }

Coefficient Coefficient::operator-() const {
  Coefficient result = *this;
  result.numerator_ = -result.numerator_;
  result.value_ = is_zero() ? 0.0 : -result.value_;
  return result;
}

Coefficient operator+(const Coefficient& a, const Coefficient& b) {
  if (a.is_exact() && b.is_exact()) {
    const Wide numerator = Wide{a.numerator_} * b.denominator_ + Wide{b.numerator_} * a.denominator_;
    if (const auto sum = reduce(numerator, Wide{a.denominator_} * b.denominator_)) {
      return Coefficient::fraction(sum->numerator, sum->denominator);
    }
  }
  return Coefficient(a.value_ + b.value_);
}

Coefficient operator*(const Coefficient& a, const Coefficient& b) {
  if (a.is_exact() && b.is_exact()) {
    const auto product = reduce(Wide{a.numerator_} * b.numerator_, Wide{a.denominator_} * b.denominator_);
    if (product) return Coefficient::fraction(product->numerator, product->denominator);
  }
  return Coefficient(a.value_ * b.value_);
}

bool operator<(const Coefficient& a, const Coefficient& b) {
  if (!a.is_exact() || !b.is_exact()) return a.value_ < b.value_;
  return Wide{a.numerator_} * b.denominator_ < Wide{b.numerator_} * a.denominator_;
}

std::optional<Coefficient> Coefficient::power(const Coefficient& exponent) const {
  if (is_exact() && exponent.is_integer()) {
    const std::int64_t n = exponent.numerator_;
    if (n == 0) return fraction(1, 1);
    if (numerator_ == 0) return n > 0 ? std::optional(Coefficient()) : std::nullopt;
    const auto top = integer_power(n > 0 ? numerator_ : denominator_, std::abs(n));
    const auto bottom = integer_power(n > 0 ? denominator_ : numerator_, std::abs(n));
    if (top && bottom) {
      return fraction(static_cast<std::int64_t>(*top), static_cast<std::int64_t>(*bottom));
    }
  } else if (is_exact() && exponent.is_exact()) {
    return std::nullopt;
  }
  const double result = std::pow(value_, exponent.value_);
  if (!std::isfinite(result) || result == 0.0) return std::nullopt;
  return Coefficient(result);
}

std::optional<Coefficient> Coefficient::exact_sqrt() const {
  if (!is_exact() || numerator_ < 0) return std::nullopt;
  const auto top = integer_root(numerator_), bottom = integer_root(denominator_);
  if (!top || !bottom) return std::nullopt;
  return fraction(*top, *bottom);
}

std::string Coefficient::magnitude_text() const {
  std::string decimal = shortest_text(std::abs(value_));
  if (!is_exact() || is_integer()) return is_integer() ? std::to_string(std::abs(numerator_)) : decimal;
  const bool is_simple = denominator_ == 2 || denominator_ == 4;  // l/2 reads better than 0.5*l
  if (!is_simple) {
    const auto exact = decimal_fraction(decimal);
    if (exact && exact->numerator == std::abs(numerator_) && exact->denominator == denominator_) {
      return decimal;
    }
  }
  return std::to_string(std::abs(numerator_)) + "/" + std::to_string(denominator_);
}

}  // namespace sestina
