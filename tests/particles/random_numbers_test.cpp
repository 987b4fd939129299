#include "sestina/particles/random_numbers.h"

#include <gtest/gtest.h>

namespace sestina {
namespace {

// kat_vectors of Random123 1.09, philox4x32 with 10 rounds.
TEST(Philox, GivesThePublishedNumbers) {
  using Four = std::array<std::uint32_t, 4>;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Four{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Four{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Four{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(NormalNumbers, HaveTheMomentsOfTheirDistribution) {
  double sum = 0.0, square = 0.0, fourth = 0.0;
  constexpr int kCount = 100000;
  for (int i = 0; i < kCount; ++i) {
    for (const double x : calc_normal(7, RandomUse::kLangevin, 3, static_cast<std::uint32_t>(i))) {
      sum += x, square += x * x, fourth += x * x * x * x;
    }
  }
  constexpr double n = 3.0 * kCount;
  // Four standard errors: 1/sqrt(n), sqrt(2/n), sqrt(96/n).
  EXPECT_NEAR(sum / n, 0.0, 4.0 / std::sqrt(n));
  EXPECT_NEAR(square / n, 1.0, 4.0 * std::sqrt(2.0 / n));
  EXPECT_NEAR(fourth / n, 3.0, 4.0 * std::sqrt(96.0 / n));
}

}  // namespace
}  // namespace sestina
