// The task of an Executor: consecutive levels, each cut into chunks that may run in any order.
#pragma once

#include <algorithm>
#include <cassert>
#include <memory>
#include <span>
#include <type_traits>

namespace sestina {

inline constexpr int kMaxChunks = 65535;  // of one level; the Team counts them in 16 bits

// Returns the length of a chunk of a level of n elements, from n and grain only, never from the number of
// threads: `grain`, or more if there would be more than max_chunks.
constexpr int chunk_length(int n, int grain, int max_chunks = kMaxChunks) {
  assert(n >= 0 && grain > 0);
  return std::max(grain, n / max_chunks + (n % max_chunks != 0));
}
constexpr int chunk_count(int n, int length) { return n / length + (n % length != 0); }

// One level of a LevelTask.
class Level {
 public:
  using Call = void (*)(void* context, int level, int begin, int end);

  Level() = default;
  Level(Call call, void* context, int index, int size, int length)
      : call_(call), context_(context), index_(index), size_(size), length_(length) {}

  int chunks() const { return chunk_count(size_, length_); }
  void run_chunk(int chunk) const {
    const int begin = chunk * length_;
    call_(context_, index_, begin, begin + std::min(length_, size_ - begin));
  }

 private:
  Call call_ = nullptr;
  void* context_ = nullptr;
  int index_ = 0;
  int size_ = 0;
  int length_ = 1;  // of a chunk
};

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
  Level level(int index) const {
    const int size = sizes_[static_cast<std::size_t>(index)];
    return {call_, context_, index, size, chunk_length(size, grain_)};
  }

 private:
  std::span<const int> sizes_;  // by level
  int grain_;
  void* context_;
  Level::Call call_;
};

}  // namespace sestina
