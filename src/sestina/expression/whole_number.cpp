#include "sestina/expression/whole_number.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace sestina {
namespace {

constexpr int kLimbBits = 32;
constexpr std::uint64_t kBase = std::uint64_t{1} << kLimbBits;

std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }

using Limbs = std::vector<std::uint32_t>;

Limbs add(const Limbs& a, const Limbs& b) {
  const Limbs &longer = a.size() < b.size() ? b : a, &shorter = a.size() < b.size() ? a : b;
  Limbs sum(longer.size() + 1);
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < longer.size(); ++i) {
    carry += std::uint64_t{longer[i]} + (i < shorter.size() ? shorter[i] : 0u);
    sum[i] = low(carry);
    carry >>= kLimbBits;
  }
  sum.back() = low(carry);
  return sum;
}

// Requires a >= b.
Limbs subtract(const Limbs& a, const Limbs& b) {
  Limbs difference(a.size());
  std::uint64_t borrow = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::uint64_t taken = borrow + (i < b.size() ? b[i] : 0u);
    borrow = a[i] < taken ? 1 : 0;
    difference[i] = low(a[i] + borrow * kBase - taken);
  }
  return difference;
}

// One step of long division (Knuth, The Art of Computer Programming 2, algorithm 4.3.1D): returns the digit
// of the quotient at `place` and subtracts its multiple of the divisor from the remainder. The highest bit of
// the divisor is set.
std::uint32_t divide_step(Limbs& remainder, const Limbs& divisor, std::size_t place) {
  const std::size_t n = divisor.size();
  const std::uint64_t top = remainder[place + n] * kBase + remainder[place + n - 1];
  std::uint64_t digit = top / divisor[n - 1], rest = top % divisor[n - 1];
  while (digit >= kBase || digit * divisor[n - 2] > rest * kBase + remainder[place + n - 2]) {
    --digit;
    rest += divisor[n - 1];
    if (rest >= kBase) break;
  }
  std::uint64_t carry = 0, borrow = 0;
  for (std::size_t i = 0; i <= n; ++i) {
    carry += i < n ? digit * divisor[i] : 0;
    const std::uint64_t taken = (carry & (kBase - 1)) + borrow;
    borrow = remainder[place + i] < taken ? 1 : 0;
    remainder[place + i] = low(remainder[place + i] + borrow * kBase - taken);
    carry >>= kLimbBits;
  }
  if (borrow == 0) return low(digit);
  carry = 0;  // one too many: add the divisor back
  for (std::size_t i = 0; i <= n; ++i) {
    carry += std::uint64_t{remainder[place + i]} + (i < n ? divisor[i] : 0u);
    remainder[place + i] = low(carry);
    carry >>= kLimbBits;
  }
  return low(digit - 1);
}

}  // namespace

WholeNumber::WholeNumber(std::int64_t value) : is_negative_(value < 0) {
  auto magnitude = static_cast<std::uint64_t>(value);
  if (is_negative_) magnitude = 0 - magnitude;
  limbs_ = {low(magnitude), low(magnitude >> kLimbBits)};
  trim();
}

WholeNumber WholeNumber::from_digits(std::string_view decimal) {
  WholeNumber number;
  for (const char digit : decimal) {
    std::uint64_t carry = static_cast<std::uint64_t>(digit - '0');
    for (std::uint32_t& limb : number.limbs_) {
      carry += 10 * std::uint64_t{limb};
      limb = low(carry);
      carry >>= kLimbBits;
    }
    if (carry != 0) number.limbs_.push_back(low(carry));
  }
  return number;
}

void WholeNumber::trim() {
  while (!limbs_.empty() && limbs_.back() == 0) limbs_.pop_back();
  if (limbs_.empty()) is_negative_ = false;
}

std::size_t WholeNumber::bits() const {
  return limbs_.empty()
             ? 0
             : kLimbBits * (limbs_.size() - 1) + static_cast<std::size_t>(std::bit_width(limbs_.back()));
}

std::optional<std::int64_t> WholeNumber::small() const {
  if (bits() > 63) return std::nullopt;
  std::int64_t value = 0;
  for (std::size_t i = limbs_.size(); i-- > 0;) value = value << kLimbBits | limbs_[i];
  return is_negative_ ? -value : value;
}

std::uint64_t WholeNumber::modulo(std::uint64_t m) const {
  __extension__ using Wide = unsigned __int128;
  Wide rest = 0;
  for (std::size_t i = limbs_.size(); i-- > 0;) rest = ((rest << kLimbBits) | limbs_[i]) % m;
  return static_cast<std::uint64_t>(rest);
}

void WholeNumber::divide_by_limb(WholeNumber& a, std::uint32_t divisor, std::uint32_t& remainder) {
  std::uint64_t rest = 0;
  for (std::size_t i = a.limbs_.size(); i-- > 0;) {
    rest = rest << kLimbBits | a.limbs_[i];
    a.limbs_[i] = low(rest / divisor);
    rest %= divisor;
  }
  a.trim();
  remainder = low(rest);
}

std::string WholeNumber::magnitude_text() const {
  constexpr std::uint32_t kNineDigits = 1'000'000'000;
  if (is_zero()) return "0";
  std::string reversed;
  WholeNumber rest = *this;
  while (!rest.is_zero()) {
    std::uint32_t digits = 0;
    divide_by_limb(rest, kNineDigits, digits);
    for (int i = 0; i < 9 && (digits != 0 || !rest.is_zero()); ++i, digits /= 10) {
      reversed.push_back(static_cast<char>('0' + digits % 10));
    }
  }
  return {reversed.rbegin(), reversed.rend()};
}

// Newton's method from above.
std::optional<WholeNumber> WholeNumber::exact_sqrt() const {
  if (is_negative_) return std::nullopt;
  if (is_zero()) return WholeNumber();
  WholeNumber root = shift_left(WholeNumber(1), bits() / 2 + 1);
  for (;;) {
    const WholeNumber next = divide(root + divide(*this, root).first, WholeNumber(2)).first;
    if (next >= root) break;
    root = next;
  }
  return root * root == *this ? std::optional(root) : std::nullopt;
}

WholeNumber WholeNumber::operator-() const {
  WholeNumber result = *this;
  result.is_negative_ = !is_negative_ && !is_zero();
  return result;
}

std::strong_ordering WholeNumber::compare_magnitudes(const WholeNumber& a, const WholeNumber& b) {
  if (a.limbs_.size() != b.limbs_.size()) return a.limbs_.size() <=> b.limbs_.size();
  return std::lexicographical_compare_three_way(a.limbs_.rbegin(), a.limbs_.rend(), b.limbs_.rbegin(),
                                                b.limbs_.rend());
}

std::strong_ordering operator<=>(const WholeNumber& a, const WholeNumber& b) {
  if (a.is_negative_ != b.is_negative_) return b.is_negative_ <=> a.is_negative_;
  return a.is_negative_ ? WholeNumber::compare_magnitudes(b, a) : WholeNumber::compare_magnitudes(a, b);
}

WholeNumber operator+(const WholeNumber& a, const WholeNumber& b) {
  WholeNumber sum;
  if (a.is_negative_ == b.is_negative_) {
    sum.limbs_ = add(a.limbs_, b.limbs_);
    sum.is_negative_ = a.is_negative_;
  } else {
    const bool a_is_larger = WholeNumber::compare_magnitudes(a, b) > 0;
    sum.limbs_ = a_is_larger ? subtract(a.limbs_, b.limbs_) : subtract(b.limbs_, a.limbs_);
    sum.is_negative_ = a_is_larger ? a.is_negative_ : b.is_negative_;
  }
  sum.trim();
  return sum;
}

WholeNumber operator-(const WholeNumber& a, const WholeNumber& b) { return a + -b; }

WholeNumber operator*(const WholeNumber& a, const WholeNumber& b) {
  WholeNumber product;
  product.limbs_.assign(a.limbs_.size() + b.limbs_.size(), 0);
  for (std::size_t i = 0; i < a.limbs_.size(); ++i) {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; j < b.limbs_.size() || carry != 0; ++j) {
      carry += product.limbs_[i + j] + (j < b.limbs_.size() ? std::uint64_t{a.limbs_[i]} * b.limbs_[j] : 0);
      product.limbs_[i + j] = low(carry);
      carry >>= kLimbBits;
    }
  }
  product.is_negative_ = a.is_negative_ != b.is_negative_;
  product.trim();
  return product;
}

WholeNumber shift_left(const WholeNumber& a, std::size_t count) {
  WholeNumber result;
  result.limbs_.assign(count / kLimbBits, 0);
  const auto within = static_cast<int>(count % kLimbBits);
  std::uint64_t carry = 0;
  for (const std::uint32_t limb : a.limbs_) {
    carry |= std::uint64_t{limb} << within;
    result.limbs_.push_back(low(carry));
    carry >>= kLimbBits;
  }
  result.limbs_.push_back(low(carry));
  result.trim();
  return result;
}

std::pair<WholeNumber, WholeNumber> divide(const WholeNumber& a, const WholeNumber& b) {
  if (WholeNumber::compare_magnitudes(a, b) < 0) return {WholeNumber(), a.is_negative_ ? -a : a};
  WholeNumber quotient = a.is_negative_ ? -a : a, remainder;
  if (b.limbs_.size() == 1) {
    std::uint32_t rest = 0;
    WholeNumber::divide_by_limb(quotient, b.limbs_[0], rest);
    return {quotient, WholeNumber(rest)};
  }
  // Shifts until the highest bit of the divisor is set.
  const auto shift = static_cast<std::size_t>(std::countl_zero(b.limbs_.back()));
  const Limbs divisor = shift_left(b, shift).limbs_;
  Limbs rest = shift_left(a, shift).limbs_;
  if (rest.size() == a.limbs_.size()) rest.push_back(0);
  const std::size_t places = rest.size() - divisor.size();
  quotient.limbs_.assign(places, 0);
  for (std::size_t place = places; place-- > 0;) quotient.limbs_[place] = divide_step(rest, divisor, place);
  quotient.trim();
  for (std::size_t i = 0; i < divisor.size(); ++i) {
    const std::uint64_t next = i + 1 < divisor.size() ? rest[i + 1] : 0u;
    remainder.limbs_.push_back(low((next << kLimbBits | rest[i]) >> shift));
  }
  remainder.trim();
  return {quotient, remainder};
}

WholeNumber greatest_common_divisor(WholeNumber a, WholeNumber b) {
  while (!b.is_zero()) {
    WholeNumber rest = divide(a, b).second;
    a = std::move(b);
    b = std::move(rest);
  }
  return a.is_negative() ? -a : a;
}

WholeNumber power(WholeNumber base, std::uint64_t exponent) {
  WholeNumber result(1);
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) result = result * base;
    if (exponent > 1) base = base * base;
  }
  return result;
}

double nearest_quotient(const WholeNumber& a, const WholeNumber& b) {
  if (a.is_zero()) return 0.0;
  // Shifts so that the quotient has 63 or 64 bits, the last of which is set if there is a remainder.
  const auto shift = 63 - (static_cast<std::ptrdiff_t>(a.bits()) - static_cast<std::ptrdiff_t>(b.bits()));
  const WholeNumber above = shift > 0 ? shift_left(a, static_cast<std::size_t>(shift)) : a;
  const WholeNumber below = shift < 0 ? shift_left(b, static_cast<std::size_t>(-shift)) : b;
  const auto [quotient, remainder] = divide(above, below);
  std::uint64_t bits = quotient.modulo(std::uint64_t{1} << 62);
  const WholeNumber high = divide(quotient, shift_left(WholeNumber(1), 62)).first;
  bits |= static_cast<std::uint64_t>(high.small().value_or(0)) << 62;
  if (!remainder.is_zero()) bits |= 1;
  const auto exponent = static_cast<int>(std::clamp<std::ptrdiff_t>(-shift, -5000, 5000));
  const double magnitude = std::ldexp(static_cast<double>(bits), exponent);
  return a.is_negative() ? -magnitude : magnitude;
}

}  // namespace sestina
