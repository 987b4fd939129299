#include "sestina/expression/whole_number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace sestina {
namespace {

// From limbs of 32 bits, the highest first.
WholeNumber from_limbs(const std::vector<std::uint32_t>& limbs) {
  WholeNumber number;
  for (const std::uint32_t limb : limbs) number = shift_left(number, 32) + WholeNumber(std::int64_t{limb});
  return number;
}

void expect_division(const WholeNumber& a, const WholeNumber& b) {
  const auto [quotient, remainder] = divide(a, b);
  EXPECT_EQ(quotient * b + remainder, a);
  EXPECT_TRUE(remainder >= WholeNumber() && remainder < b);
}

TEST(WholeNumber, QuotientAndRemainderMakeTheNumberAgain) {
  std::mt19937_64 random(1);
  // Limbs at the ends of their range, where the digits of a quotient are guessed wrong most often.
  const std::vector<std::uint32_t> limbs = {0,          1,          2,          0x7fffffff,
                                            0x80000000, 0x80000001, 0xfffffffe, 0xffffffff};
  const auto draw = [&](std::size_t most) {
    std::vector<std::uint32_t> drawn(1 + random() % most);
    for (std::uint32_t& limb : drawn) limb = limbs[random() % limbs.size()];
    return from_limbs(drawn);
  };
  int count = 0;
  for (int i = 0; i < 20000; ++i) {
    const WholeNumber a = draw(6), b = draw(4);
    if (b.is_zero()) continue;
    expect_division(a, b);
    ++count;
  }
  EXPECT_GT(count, 15000);
}

// Cases in which the first guess is one too many although two limbs were examined (Warren, Hacker's
// Delight, section 9-2).
TEST(WholeNumber, CorrectsAWrongGuess) {
  const WholeNumber a = from_limbs({0x7fff, 0x8000, 0, 0}), b = from_limbs({0x8000, 0, 1});
  expect_division(a, b);
  EXPECT_EQ(divide(a, b).first, WholeNumber(0xfffe0000));
  const WholeNumber c = from_limbs({0x80000000, 0, 3}), d = from_limbs({0x20000000, 0, 1});
  expect_division(c, d);
  EXPECT_EQ(divide(c, d).first, WholeNumber(3));
}

TEST(WholeNumber, HasDecimalDigits) {
  const WholeNumber number = WholeNumber::from_digits("1000000000000000000000000000000000000000007");
  EXPECT_EQ(number.magnitude_text(), "1000000000000000000000000000000000000000007");
  EXPECT_EQ(number.modulo(1000), 7u);
  EXPECT_EQ(WholeNumber().magnitude_text(), "0");
  EXPECT_EQ(power(WholeNumber(-2), 127).magnitude_text(), "170141183460469231731687303715884105728");
  EXPECT_TRUE(power(WholeNumber(-2), 127).is_negative());
  EXPECT_EQ(WholeNumber(INT64_MIN).magnitude_text(), "9223372036854775808");
  EXPECT_FALSE(WholeNumber(INT64_MIN).small());
  EXPECT_EQ((WholeNumber(INT64_MIN) + WholeNumber(1)).small(), INT64_MIN + 1);
}

TEST(WholeNumber, KnowsCommonDivisorsAndSquareRoots) {
  const WholeNumber a = power(WholeNumber(6), 80), b = power(WholeNumber(10), 70);
  EXPECT_EQ(greatest_common_divisor(a, b), power(WholeNumber(2), 70));
  EXPECT_EQ(a.exact_sqrt(), power(WholeNumber(6), 40));
  EXPECT_FALSE((a + WholeNumber(1)).exact_sqrt());
  EXPECT_FALSE((-a).exact_sqrt());
}

TEST(WholeNumber, QuotientsRoundToTheNearestDouble) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 1000; ++i) {  // of numbers that doubles hold, a quotient is rounded once
    const auto a = static_cast<std::int64_t>(random() >> 11),
               b = static_cast<std::int64_t>(random() >> 11) + 1;
    EXPECT_EQ(nearest_quotient(WholeNumber(a), WholeNumber(b)),
              static_cast<double>(a) / static_cast<double>(b));
  }
  EXPECT_EQ(nearest_quotient(power(WholeNumber(2), 2000), WholeNumber(1)), HUGE_VAL);
  EXPECT_EQ(nearest_quotient(WholeNumber(1), power(WholeNumber(2), 2000)), 0.0);
  EXPECT_EQ(nearest_quotient(WholeNumber(-3), power(WholeNumber(2), 1000)), -3.0 * std::ldexp(1.0, -1000));
}

}  // namespace
}  // namespace sestina
