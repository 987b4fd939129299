// Loops on several threads, whose results do not depend on the number of threads, bit for bit.
//
// Every loop is cut into chunks by its size and grain only; threads differ only in which chunks they run. A
// reduction combines the results of chunks in a fixed binary tree. Results can therefore depend on the grain,
// never on threads().
//
//   Executor executor;                                  // SESTINA_THREADS, else the processors available
//   executor.parallel_for(n, 64, [&](int begin, int end) {
//     for (int i = begin; i < end; ++i) y[i] = f(x[i]);
//   });
//   const double sum = executor.parallel_reduce(
//       n, 256, 0.0, [&](int begin, int end) { return sum_of(x, begin, end); }, std::plus<>());
//
// Choose the grain so that a chunk takes some microseconds: a fork and join costs one or two.
//
// Exceptions: the exception of the first throwing chunk, by index, is rethrown in the caller after the
// join; later chunks may or may not have run, later levels have not. The executor remains usable.
// Nested calls (from within a chunk, of any executor) run on the calling thread. Calls from several
// threads at once: the first has the workers, the others run on their own threads; none waits for
// another.
// Calls do not allocate memory.
// fork(): the child process has no workers; an executor made before runs everything on its caller. Do not
// fork inside a chunk unless exec or _exit follows.
// Workers keep the floating-point environment (rounding, denormals) of the thread that made the executor.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <span>

#include "sestina/parallel/level_task.h"
#include "sestina/parallel/thread_count.h"

namespace sestina {

class Team;

class Executor {
 public:
  // The caller is one of the threads: starts threads - 1 workers, which live as long as the executor. Throws
  // InputError if threads is not 1 to kMaxThreads.
  explicit Executor(int threads = default_thread_count());
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  int threads() const { return threads_; }

  // Calls f(begin, end) for the chunks of 0..n.
  template <class F>
  void parallel_for(int n, int grain, F&& f) {
    if (n <= grain) {
      if (n > 0) f(0, n);
      return;
    }
    auto chunk = [&f](int, int begin, int end) { f(begin, end); };
    run(LevelTask({&n, 1}, grain, chunk));
  }

  // Combines the results T map(begin, end) of all chunks; returns `identity` if n is 0. In combine(a, b) the
  // elements of a precede those of b. There are at most kMaxPartials chunks: they are longer for n >
  // kMaxPartials * grain.
  template <class T, class Map, class Combine>
  T parallel_reduce(int n, int grain, const T& identity, Map&& map, Combine&& combine);

  // Calls f(level, begin, end) for the chunks of 0..sizes[level], level after level: a level begins when the
  // previous one has ended, and sees its results. Cheaper than separate calls of parallel_for, especially for
  // levels with a single chunk, as near the root of a tree.
  template <class F>
  void parallel_levels(std::span<const int> sizes, int grain, F&& f) {
    run(LevelTask(sizes, grain, f));
  }

  static constexpr int kMaxPartials = 256;

 private:
  void run(const LevelTask& task);

  int threads_;
  std::unique_ptr<Team> team_;  // null with one thread
};

// Results of the chunks of a reduction, on the stack.
template <class T>
class Partials {
 public:
  Partials(int count, const T& value) : count_(static_cast<std::size_t>(count)) {
    std::uninitialized_fill_n(data(), count_, value);
  }
  ~Partials() { std::destroy_n(data(), count_); }
  Partials(const Partials&) = delete;
  Partials& operator=(const Partials&) = delete;
  T& operator[](int i) { return data()[i]; }

 private:
  static_assert(Executor::kMaxPartials * sizeof(T) <= 256 * 1024, "too large for the stack");
  T* data() { return std::launder(reinterpret_cast<T*>(memory_.data())); }

  std::size_t count_;
  alignas(T) std::array<std::byte, Executor::kMaxPartials * sizeof(T)> memory_;
};

template <class T, class Map, class Combine>
T Executor::parallel_reduce(int n, int grain, const T& identity, Map&& map, Combine&& combine) {
  if (n == 0) return identity;
  const int length = chunk_length(n, grain, kMaxPartials);
  const int count = chunk_count(n, length);
  if (count == 1) return map(0, n);
  Partials<T> partials(count, identity);
  parallel_for(n, length, [&](int begin, int end) { partials[begin / length] = map(begin, end); });
  for (int stride = 1; stride < count; stride *= 2) {
    for (int i = 0; i + stride < count; i += 2 * stride) {
      partials[i] = combine(partials[i], partials[i + stride]);
    }
  }
  return partials[0];
}

}  // namespace sestina
