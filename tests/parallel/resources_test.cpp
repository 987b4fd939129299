// Resources of an Executor: no memory per call, no processor time when idle; and its state after
// fork().
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "sestina/parallel/executor.h"

namespace {
std::atomic<long> allocations = 0;

void* allocate(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
}  // namespace

// The array forms of the library end in these. Not inline: g++ would take free() for a mistake there.
[[gnu::noinline]] void* operator new(std::size_t size) { return allocate(size); }
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace sestina {
namespace {

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

TEST(ExecutorResources, CallsDoNotAllocate) {
  std::vector<double> x(1000, 1.0);  // so large that a callable that held it by value would allocate
  for (const int threads : {1, 4}) {
    Executor executor(threads);
    const std::array<int, 3> sizes = {100, 1, 50};
    std::atomic<int> visits = 0;
    const long before = allocations;
    for (int k = 0; k < 1000; ++k) {
      executor.parallel_for(1000, 10, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) x[static_cast<std::size_t>(i)] += k;
      });
      executor.parallel_reduce(
          1000, 10, 0.0, [&](int begin, int) { return x[static_cast<std::size_t>(begin)]; }, std::plus<>());
      executor.parallel_levels(sizes, 3, [&](int, int begin, int end) { visits += end - begin; });
    }
    EXPECT_EQ(allocations, before);
    EXPECT_EQ(visits, 151000);
  }
}

TEST(ExecutorResources, AllocationIsCounted) {
  const long before = allocations;
  ::operator delete(::operator new(100));  // not a new-expression, which a compiler may leave out
  EXPECT_EQ(allocations, before + 1);
}

TEST(ExecutorResources, IdleThreadsUseNoProcessor) {
  Executor executor(4);
  executor.parallel_for(4, 1, [](int, int) {});
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const double before = processor_seconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  // One thread that polled would use 0.5 s; under 1 % of the time is what measuring itself takes.
  EXPECT_LT(processor_seconds() - before, 0.005);
}

TEST(ExecutorResources, AnExecutorMadeBeforeForkWorksInTheChild) {
  auto executor = std::make_unique<Executor>(4);
  executor->parallel_for(4, 1, [](int, int) {});
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(30);  // a child that waits for the missing workers ends as a failure
    const int sum = executor->parallel_reduce(
        100, 1, 0, [](int begin, int) { return begin; }, std::plus<>());
    executor.reset();
    _exit(sum == 4950 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace sestina
