// The cost of a fork and join, with idle processors and with `load` busy threads.
// Read min_us and median_us; `Time` is the mean, which is dominated by rare interruptions.
//
// fork_join   as many empty chunks as threads, so that a fast caller may run them all itself
// ..._all     no chunk ends before all threads have begun one: the whole way there and back. Only for
//             a machine with that many free processors; elsewhere it measures the scheduler.
// levels      one level of parallel_levels
// work        8 chunks of 1 us per thread, less 8 us
// wake        a call after the threads went to sleep
// omp_...     the same by the compiler's OpenMP; OMP_WAIT_POLICY and its like change it
#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "sestina/parallel/executor.h"

namespace sestina {
namespace {

using Clock = std::chrono::steady_clock;

// Threads that do nothing but use a processor each.
class Load {
 public:
  explicit Load(int threads) {
    for (int k = 0; k < threads; ++k) {
      threads_.emplace_back([this] {
        while (!stop_.load(std::memory_order_relaxed)) {
        }
      });
    }
    if (threads > 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  ~Load() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

 private:
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

void work_for(std::chrono::nanoseconds time) {
  const auto end = Clock::now() + time;
  while (Clock::now() < end) {
  }
}

// Runs call() as often as asked, waiting `pause` before each. The distribution of its time says more than its
// mean, which rare interruptions spoil: counters in us, per part of `parts`, less `ideal` us.
void time_each(benchmark::State& state, const auto& call, double ideal = 0.0, int parts = 1,
               std::chrono::microseconds pause = std::chrono::microseconds(0)) {
  std::vector<double> times;  // us
  times.reserve(1 << 20);
  for (auto _ : state) {
    if (pause.count() > 0) std::this_thread::sleep_for(pause);
    const auto start = Clock::now();
    call();
    const std::chrono::duration<double> time = Clock::now() - start;
    state.SetIterationTime(time.count());
    times.push_back(1e6 * time.count() / parts - ideal);
  }
  std::sort(times.begin(), times.end());
  state.counters["min_us"] = times.front();
  state.counters["median_us"] = times[times.size() / 2];
  state.counters["p99_us"] = times[times.size() * 99 / 100];
}

void touch(int begin) { benchmark::DoNotOptimize(begin); }

void fork_join(benchmark::State& state) {
  const int threads = static_cast<int>(state.range(0));
  const Load load(static_cast<int>(state.range(1)));
  Executor executor(threads);
  time_each(state, [&] { executor.parallel_for(threads, 1, [](int begin, int) { touch(begin); }); });
}

// A chunk that no thread ends before all have begun one.
class Meeting {
 public:
  explicit Meeting(int threads) : threads_(threads) {}
  void operator()() {
    const int begun = begun_.fetch_add(1, std::memory_order_relaxed) + 1;
    const int all = (begun + threads_ - 1) / threads_ * threads_;
    for (int polls = 0; begun_.load(std::memory_order_relaxed) < all; ++polls) {
      if (polls > 10000) std::this_thread::yield();  // there are fewer free processors than threads
    }
  }

 private:
  int threads_;
  std::atomic<int> begun_{0};
};

void fork_join_all(benchmark::State& state) {
  const int threads = static_cast<int>(state.range(0));
  Executor executor(threads);
  Meeting meeting(threads);
  time_each(state, [&] { executor.parallel_for(threads, 1, [&](int, int) { meeting(); }); });
}

constexpr int kLevels = 100;

void levels(benchmark::State& state) {
  const int threads = static_cast<int>(state.range(0));
  Executor executor(threads);
  const std::vector<int> sizes(kLevels, threads);
  const auto call = [&] { executor.parallel_levels(sizes, 1, [](int, int begin, int) { touch(begin); }); };
  time_each(state, call, 0.0, kLevels);
}

void levels_all(benchmark::State& state) {
  const int threads = static_cast<int>(state.range(0));
  Executor executor(threads);
  const std::vector<int> sizes(kLevels, threads);
  Meeting meeting(threads);
  const auto call = [&] { executor.parallel_levels(sizes, 1, [&](int, int, int) { meeting(); }); };
  time_each(state, call, 0.0, kLevels);
}

constexpr int kChunksPerThread = 8;

void work(benchmark::State& state) {
  const int threads = static_cast<int>(state.range(0));
  const Load load(static_cast<int>(state.range(1)));
  Executor executor(threads);
  const auto chunk = [](int, int) { work_for(std::chrono::microseconds(1)); };
  time_each(
      state, [&] { executor.parallel_for(kChunksPerThread * threads, 1, chunk); }, kChunksPerThread);
}

void wake(benchmark::State& state) {
  const int threads = static_cast<int>(state.range(0));
  Executor executor(threads);
  const auto call = [&] { executor.parallel_for(threads, 1, [](int begin, int) { touch(begin); }); };
  time_each(state, call, 0.0, 1, std::chrono::microseconds(1000));
}

void wake_all(benchmark::State& state) {
  const int threads = static_cast<int>(state.range(0));
  Executor executor(threads);
  Meeting meeting(threads);
  const auto call = [&] { executor.parallel_for(threads, 1, [&](int, int) { meeting(); }); };
  time_each(state, call, 0.0, 1, std::chrono::microseconds(1000));
}

#ifdef _OPENMP
void omp_fork_join(benchmark::State& state) {
  const int threads = static_cast<int>(state.range(0));
  const Load load(static_cast<int>(state.range(1)));
  time_each(state, [&] {
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int k = 0; k < threads; ++k) touch(k);
  });
}

void omp_work(benchmark::State& state) {
  const int threads = static_cast<int>(state.range(0));
  const Load load(static_cast<int>(state.range(1)));
  const auto call = [&] {
#pragma omp parallel for num_threads(threads) schedule(static, kChunksPerThread)
    for (int k = 0; k < kChunksPerThread * threads; ++k) work_for(std::chrono::microseconds(1));
  };
  time_each(state, call, kChunksPerThread);
}
#endif

void with_threads(benchmark::internal::Benchmark* b) {
  b->ArgName("threads")->Arg(1)->Arg(2)->Arg(4)->UseManualTime();
}
void with_threads_and_load(benchmark::internal::Benchmark* b) {
  b->ArgNames({"threads", "load"})->ArgsProduct({{1, 2, 4}, {0, 4}})->UseManualTime();
}

BENCHMARK(fork_join)->Apply(with_threads_and_load);
BENCHMARK(fork_join_all)->Apply(with_threads);
BENCHMARK(levels)->Apply(with_threads);
BENCHMARK(levels_all)->Apply(with_threads);
BENCHMARK(work)->Apply(with_threads_and_load);
BENCHMARK(wake)->Apply(with_threads)->Iterations(300);
BENCHMARK(wake_all)->Apply(with_threads)->Iterations(300);
#ifdef _OPENMP
BENCHMARK(omp_fork_join)->Apply(with_threads_and_load);
BENCHMARK(omp_work)->Apply(with_threads_and_load);
#endif

}  // namespace
}  // namespace sestina
