// The loops of an Executor against the same loop written by hand, with any number of threads.
#include "sestina/parallel/executor.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "message_of.h"
#include "sestina/base/error.h"

namespace sestina {
namespace {

using testing_support::message_of;

// More threads than this machine's processors are among them, whatever the machine.
std::vector<int> thread_counts() { return {1, 2, 3, 4, 5, 8, 2 * available_processors() + 1}; }

TEST(Executor, VisitsEachElementOnce) {
  for (const int threads : thread_counts()) {
    Executor executor(threads);
    for (const int n : {0, 1, 2, 3, 7, 64, 1000, 70001}) {
      for (const int grain : {1, 2, 3, 64, 5000, 100000}) {
        std::vector<int> visits(static_cast<std::size_t>(n), 0);
        executor.parallel_for(n, grain, [&](int begin, int end) {
          ASSERT_LT(begin, end);
          for (int i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
        });
        EXPECT_EQ(visits, std::vector<int>(visits.size(), 1)) << threads << ' ' << n << ' ' << grain;
      }
    }
  }
}

TEST(Executor, CutsByTheGrainWhateverTheThreads) {
  for (const int threads : thread_counts()) {
    Executor executor(threads);
    std::vector<int> ends(10, 0);  // by begin
    executor.parallel_for(10, 3, [&](int begin, int end) { ends[static_cast<std::size_t>(begin)] = end; });
    EXPECT_EQ(ends, (std::vector<int>{3, 0, 0, 6, 0, 0, 9, 0, 0, 10}));
  }
}

TEST(Executor, CutsTheLargestLoopWithoutOverflow) {
  for (const int threads : {1, 3}) {
    Executor executor(threads);
    std::atomic<std::int64_t> sum = 0;
    const int n = std::numeric_limits<int>::max();
    executor.parallel_for(n, 1, [&](int begin, int end) { sum += end - begin; });
    EXPECT_EQ(sum, n);
  }
}

TEST(Executor, RunsManySmallLoopsOneAfterTheOther) {
  for (const int threads : thread_counts()) {
    Executor executor(threads);
    std::vector<int> counts(8, 0);
    for (int k = 0; k < 20000; ++k) {
      const int n = 1 + k % 8;
      executor.parallel_for(n, 1, [&](int begin, int) { ++counts[static_cast<std::size_t>(begin)]; });
    }
    // Loops of 1 to 8 elements come equally often: element i is in 8 - i of every 8.
    for (int i = 0; i < 8; ++i) EXPECT_EQ(counts[static_cast<std::size_t>(i)], 2500 * (8 - i)) << threads;
  }
}

TEST(Executor, RunsChunksAtTheSameTime) {
  // Each chunk waits until all four have begun, so that fewer than four threads never finish.
  Executor executor(4);
  std::atomic<int> begun = 0;
  executor.parallel_for(4, 1, [&](int, int) {
    ++begun;
    while (begun < 4) std::this_thread::yield();
  });
  EXPECT_EQ(begun, 4);
}

TEST(Executor, WakesItsThreadsAfterTheySlept) {
  Executor executor(4);
  for (int k = 0; k < 20; ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    std::atomic<int> begun = 0;
    executor.parallel_for(4, 1, [&](int, int) {
      ++begun;
      while (begun < 4) std::this_thread::yield();
    });
  }
}

TEST(Executor, LevelsBeginWhenTheLevelBeforeHasEnded) {
  // Sums pairs up a binary tree of 1024 leaves and hands the sum down again: every level reads what other
  // threads wrote in the level before.
  std::vector<int> sizes;
  for (int n = 512; n >= 1; n /= 2) sizes.push_back(n);
  for (int n = 2; n <= 1024; n *= 2) sizes.push_back(n);
  for (const int threads : thread_counts()) {
    Executor executor(threads);
    for (int repeat = 0; repeat < 50; ++repeat) {
      std::vector<std::vector<int>> nodes{std::vector<int>(1024, 1)};
      for (const int size : sizes) nodes.emplace_back(static_cast<std::size_t>(size), 0);
      executor.parallel_levels(sizes, 4, [&](int level, int begin, int end) {
        const std::vector<int>& from = nodes[static_cast<std::size_t>(level)];
        std::vector<int>& to = nodes[static_cast<std::size_t>(level) + 1];
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
          to[i] = to.size() < from.size() ? from[2 * i] + from[2 * i + 1] : from[i / 2];
        }
      });
      EXPECT_EQ(nodes.back(), std::vector<int>(1024, 1024)) << threads;
    }
  }
}

TEST(Executor, SkipsEmptyLevels) {
  for (const int threads : thread_counts()) {
    Executor executor(threads);
    std::atomic<int> visits = 0;
    const std::vector<int> sizes = {0, 5, 0, 0, 1, 0};
    executor.parallel_levels(sizes, 1, [&](int, int begin, int end) { visits += end - begin; });
    EXPECT_EQ(visits, 6);
    executor.parallel_levels({}, 1, [&](int, int, int) { ++visits; });
    EXPECT_EQ(visits, 6);
  }
}

TEST(Executor, RethrowsTheFirstExceptionByIndex) {
  for (const int threads : thread_counts()) {
    Executor executor(threads);
    for (int repeat = 0; repeat < 50; ++repeat) {
      const auto fail_from_17 = [&] {
        executor.parallel_for(100, 1, [](int begin, int) {
          if (begin >= 17 && begin % 2 == 1) throw std::runtime_error(std::to_string(begin));
        });
      };
      EXPECT_EQ(message_of<std::exception>(fail_from_17), "17") << threads;
    }
    std::atomic<int> visits = 0;
    executor.parallel_for(100, 1, [&](int, int) { ++visits; });
    EXPECT_EQ(visits, 100);
  }
}

TEST(Executor, RunsEveryChunkBeforeTheOneThatThrew) {
  for (const int threads : thread_counts()) {
    Executor executor(threads);
    std::vector<int> visits(100, 0);
    EXPECT_THROW(executor.parallel_for(100, 1,
                                       [&](int begin, int) {
                                         ++visits[static_cast<std::size_t>(begin)];
                                         if (begin == 60 || begin == 99) throw std::runtime_error("");
                                       }),
                 std::runtime_error);
    EXPECT_EQ(std::vector(visits.begin(), visits.begin() + 61), std::vector<int>(61, 1));
  }
}

TEST(Executor, OpensNoLevelAfterAnException) {
  for (const int threads : thread_counts()) {
    Executor executor(threads);
    for (const int failing : {0, 1, 2}) {
      std::atomic<int> last = -1;
      const std::vector<int> sizes = {50, 1, 50, 50};
      EXPECT_THROW(executor.parallel_levels(sizes, 1,
                                            [&](int level, int, int) {
                                              last = level;
                                              if (level == failing) throw std::runtime_error("");
                                            }),
                   std::runtime_error);
      EXPECT_EQ(last, failing);
    }
  }
}

TEST(Executor, RunsNestedCallsOnTheThreadThatMakesThem) {
  for (const int threads : thread_counts()) {
    Executor executor(threads);
    Executor other(2);
    std::atomic<int> visits = 0;
    std::atomic<int> strangers = 0;
    executor.parallel_for(8, 1, [&](int, int) {
      const std::thread::id self = std::this_thread::get_id();
      const auto inner = [&](int begin, int end) {
        visits += end - begin;
        strangers += std::this_thread::get_id() != self;
      };
      executor.parallel_for(10, 1, inner);
      if (threads > 1) other.parallel_for(10, 1, inner);
    });
    EXPECT_EQ(visits, threads > 1 ? 160 : 80);
    EXPECT_EQ(strangers, 0);
  }
}

TEST(Executor, ServesSeveralThreadsAtOnce) {
  Executor executor(3);
  std::atomic<int> wrong = 0;
  const auto use = [&] {
    for (int k = 0; k < 2000; ++k) {
      const int sum = executor.parallel_reduce(
          100, 7, 0,
          [](int begin, int end) {
            int partial = 0;
            for (int i = begin; i < end; ++i) partial += i;
            return partial;
          },
          std::plus<>());
      wrong += sum != 4950;
    }
  };
  std::vector<std::thread> users;
  for (int k = 0; k < 4; ++k) users.emplace_back(use);
  for (std::thread& user : users) user.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Executor, EndsWhileItsThreadsSleepAndBeforeTheyBegan) {
  for (int k = 0; k < 100; ++k) Executor executor(1 + k % 8);
  for (int k = 0; k < 10; ++k) {
    Executor executor(4);
    executor.parallel_for(4, 1, [](int, int) {});
    std::this_thread::sleep_for(std::chrono::milliseconds(k % 2));
  }
}

TEST(Executor, RefusesAThreadCountOutOfRange) {
  EXPECT_THROW(Executor(0), InputError);
  EXPECT_THROW(Executor(-1), InputError);
  EXPECT_EQ(message_of([] { Executor executor(kMaxThreads + 1); }),
            "1025 is not a number of threads from 1 to 1024");
}

}  // namespace
}  // namespace sestina
