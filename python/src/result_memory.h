// The memory of large results.
//
// The operating system provides new memory page by page, each cleared when it is first written: for 100 000
// states this takes some tenth of the time in which SIMD lanes and threads compute them.
// The memory of deleted results is therefore kept for new ones of the same size, up to kMostKept bytes.
#pragma once

#include <cstddef>

#include "bind.h"

namespace sestina::python {

inline constexpr std::size_t kLargeResult = std::size_t{1} << 20, kMostKept = std::size_t{64} << 20;  // bytes

// During its lifetime, numpy allocates the memory of new arrays of this thread from here. The arrays own it
// as usual. The interpreter's lock is held.
class ResultMemory {
 public:
  ResultMemory();
  ~ResultMemory();
  ResultMemory(const ResultMemory&) = delete;
  ResultMemory& operator=(const ResultMemory&) = delete;

 private:
  nb::object former_;
};

// The number of bytes kept at the moment.
std::size_t kept_result_memory();

}  // namespace sestina::python
