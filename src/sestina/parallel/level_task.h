// What an Executor runs: levels one after the other, each cut into chunks that may run in any order.
#pragma once

#include <algorithm>
#include <cassert>
#include <memory>
#include <span>
#include <type_traits>

namespace sestina {

inline constexpr int kMaxChunks = 65535;  // of one level; the Team counts them in 16 bits

// The length of a chunk of a level of n elements. It depends on n and grain alone, never on the number of
// threads: `grain`, or more where there would be more than max_chunks.
constexpr int chunk_length(int n, int grain, int max_chunks = kMaxChunks) {
  assert(n >= 0 && grain > 0);
  return std::max(grain, n / max_chunks + (n % max_chunks != 0));
}
constexpr int chunk_count(int n, int length) { return n / length + (n % length != 0); }

// Refers to a callable f(level, begin, end) and to the sizes of the levels; owns neither.
class LevelTask {
 public:
  template <class F>
  LevelTask(std::span<const int> sizes, int grain, F& f)
      : sizes_(sizes), grain_(grain), context_(const_cast<std::remove_const_t<F>*>(std::addressof(f))) {
    call_ = [](void* context, int level, int begin, int end) {
      (*static_cast<F*>(context))(level, begin, end);
    };
  }

  int levels() const { return static_cast<int>(sizes_.size()); }
  int chunks(int level) const { return chunk_count(size(level), length(level)); }

  void run_chunk(int level, int chunk) const {
    const int begin = chunk * length(level);
    call_(context_, level, begin, begin + std::min(length(level), size(level) - begin));
  }

 private:
  int size(int level) const { return sizes_[static_cast<std::size_t>(level)]; }
  int length(int level) const { return chunk_length(size(level), grain_); }

  std::span<const int> sizes_;  // by level
  int grain_;
  void* context_;
  void (*call_)(void* context, int level, int begin, int end);
};

}  // namespace sestina
