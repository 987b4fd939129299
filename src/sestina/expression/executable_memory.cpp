#include "sestina/expression/executable_memory.h"

#include <cstring>
#include <utility>

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

namespace sestina {

#if __has_include(<sys/mman.h>)
ExecutableMemory::ExecutableMemory(std::span<const std::uint8_t> code) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS;
#ifdef MAP_POPULATE
  flags |= MAP_POPULATE;  // all of it is written at once
#endif
  void* const memory = mmap(nullptr, code.size(), PROT_READ | PROT_WRITE, flags, -1, 0);
  if (memory == MAP_FAILED) return;
  std::memcpy(memory, code.data(), code.size());
  if (mprotect(memory, code.size(), PROT_READ | PROT_EXEC) != 0) {
    munmap(memory, code.size());
    return;
  }
  begin_ = static_cast<std::uint8_t*>(memory);
  size_ = code.size();
}

ExecutableMemory::~ExecutableMemory() {
  if (begin_ != nullptr) munmap(begin_, size_);
}
#else
ExecutableMemory::ExecutableMemory(std::span<const std::uint8_t>) {}
ExecutableMemory::~ExecutableMemory() = default;
#endif

ExecutableMemory::ExecutableMemory(ExecutableMemory&& other) noexcept
    : begin_(std::exchange(other.begin_, nullptr)), size_(std::exchange(other.size_, 0)) {}

ExecutableMemory& ExecutableMemory::operator=(ExecutableMemory&& other) noexcept {
  std::swap(begin_, other.begin_);
  std::swap(size_, other.size_);
  return *this;
}

}  // namespace sestina
