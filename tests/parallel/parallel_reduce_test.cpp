// Reductions give the same bits with any number of threads.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "sestina/parallel/executor.h"

namespace sestina {
namespace {

// Magnitudes over 20 decades, so that a sum in another order has other bits.
std::vector<double> random_values(int n) {
  std::mt19937_64 generator(17);
  std::uniform_real_distribution<double> mantissa(-1.0, 1.0);
  std::uniform_real_distribution<double> exponent(-10.0, 10.0);
  std::vector<double> values(static_cast<std::size_t>(n));
  for (double& value : values) value = mantissa(generator) * std::pow(10.0, exponent(generator));
  return values;
}

double sum(Executor& executor, const std::vector<double>& values, int grain) {
  return executor.parallel_reduce(
      static_cast<int>(values.size()), grain, 0.0,
      [&](int begin, int end) {
        double partial = 0.0;
        for (int i = begin; i < end; ++i) partial += values[static_cast<std::size_t>(i)];
        return partial;
      },
      std::plus<>());
}

TEST(ParallelReduce, GivesTheSameBitsWithAnyNumberOfThreads) {
  for (const int n : {1, 10, 1000, 12345}) {
    const std::vector<double> values = random_values(n);
    for (const int grain : {1, 7, 64, 1000}) {
      Executor alone(1);
      const auto expected = std::bit_cast<std::uint64_t>(sum(alone, values, grain));
      for (int threads = 2; threads <= 8; ++threads) {
        Executor executor(threads);
        for (int repeat = 0; repeat < 20; ++repeat) {
          EXPECT_EQ(std::bit_cast<std::uint64_t>(sum(executor, values, grain)), expected)
              << n << ' ' << grain << ' ' << threads;
        }
      }
    }
  }
}

TEST(ParallelReduce, TestDataTellOrdersApart) {
  // Without this the test above could not fail.
  Executor executor(1);
  const std::vector<double> values = random_values(12345);
  std::set<double> sums;
  for (const int grain : {64, 100, 1000, 5000}) sums.insert(sum(executor, values, grain));
  EXPECT_GT(sums.size(), 1u);
}

TEST(ParallelReduce, CombinesNeighboursInABinaryTree) {
  for (const int threads : {1, 2, 4, 7}) {
    Executor executor(threads);
    const auto combined = [&](int n, int grain) {
      return executor.parallel_reduce(
          n, grain, std::string("identity"),
          [](int begin, int end) { return std::to_string(begin) + "-" + std::to_string(end); },
          [](const std::string& a, const std::string& b) { return "(" + a + " " + b + ")"; });
    };
    EXPECT_EQ(combined(0, 1), "identity");
    EXPECT_EQ(combined(3, 4), "0-3");
    EXPECT_EQ(combined(10, 2), "(((0-2 2-4) (4-6 6-8)) 8-10)");
    EXPECT_EQ(combined(6, 1), "(((0-1 1-2) (2-3 3-4)) (4-5 5-6))");
  }
}

TEST(ParallelReduce, LengthensChunksOfLargeLoops) {
  Executor executor(3);
  const auto chunks = [&](int n) {
    return executor.parallel_reduce(
        n, 1, 0, [](int, int) { return 1; }, std::plus<>());
  };
  EXPECT_EQ(chunks(Executor::kMaxPartials), Executor::kMaxPartials);
  EXPECT_EQ(chunks(Executor::kMaxPartials + 1), Executor::kMaxPartials / 2 + 1);  // of 2, the last of 1
  EXPECT_EQ(chunks(std::numeric_limits<int>::max()), Executor::kMaxPartials);
}

TEST(ParallelReduce, PassesExceptionsOn) {
  for (const int threads : {1, 4}) {
    Executor executor(threads);
    EXPECT_THROW(executor.parallel_reduce(
                     100, 1, std::string(40, 'x'),
                     [](int begin, int) -> std::string {
                       if (begin == 50) throw std::runtime_error("50");
                       return std::string(40, 'y');
                     },
                     std::plus<>()),
                 std::runtime_error);
  }
}

}  // namespace
}  // namespace sestina
