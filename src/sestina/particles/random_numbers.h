// Stateless random numbers: a function of a seed, a step and a particle, so that they depend neither on the
// number of threads nor on the order of particles, and a resumed run draws the same numbers.
//
// Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers, SC'11): ten rounds
//   (c0, c1, c2, c3) -> (hi(M1 c2) ^ c1 ^ k0, lo(M1 c2), hi(M0 c0) ^ c3 ^ k1, lo(M0 c0))
// between which the key (k0, k1) grows by the Weyl constants.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

namespace sestina {

inline std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> c, std::array<std::uint32_t, 2> key) {
  constexpr std::uint64_t kM0 = 0xD2511F53, kM1 = 0xCD9E8D57;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = kM0 * c[0], b = kM1 * c[2];
    c = {static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ key[0], static_cast<std::uint32_t>(b),
         static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9E3779B9, key[1] += 0xBB67AE85;
  }
  return c;
}

// Independent streams of one seed.
enum class RandomUse : std::uint32_t {
  kVelocity = 1,
  kLangevin = 2,
  kWalk = 3,
  kBarostat = 4,
  kTurn = 5,  // rotation of bodies, by a thermostat
  kMotion = 6,
  kDrawnTurn = 7,  // rotation of bodies, at the start
  kDrawnMotion = 8,
};

// Returns four numbers in (0, 1) for an item in a step.
inline std::array<double, 4> calc_uniform(std::uint32_t seed, RandomUse use, std::uint64_t step,
                                          std::uint32_t item) {
  const auto bits =
      philox({item, static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(step >> 32), 0},
             {seed, static_cast<std::uint32_t>(use)});
  std::array<double, 4> u{};
  for (int i = 0; i < 4; ++i) u[i] = (bits[i] + 0.5) * 0x1p-32;
  return u;
}

// Returns three numbers from the normal distribution (mean 0, variance 1), by the Box-Muller method.
inline std::array<double, 3> calc_normal(std::uint32_t seed, RandomUse use, std::uint64_t step,
                                         std::uint32_t item) {
  constexpr double kTwoPi = 6.28318530717958647692;
  const auto u = calc_uniform(seed, use, step, item);
  const double r = std::sqrt(-2.0 * std::log(u[0])), s = std::sqrt(-2.0 * std::log(u[2]));
  return {r * std::cos(kTwoPi * u[1]), r * std::sin(kTwoPi * u[1]), s * std::cos(kTwoPi * u[3])};
}

}  // namespace sestina
