#include "sestina/expression/executable_memory.h"

#include <asmjit/core.h>

#include <cstring>
#include <utility>

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

namespace sestina {

namespace memory = asmjit::VirtMem;

ExecutableMemory::ExecutableMemory(std::span<const std::uint8_t> code) {
  const std::size_t page = memory::info().pageSize;
  const std::size_t size = (code.size() + page - 1) / page * page;
  void* begin = nullptr;
  if (memory::alloc(&begin, size, memory::MemoryFlags::kAccessRW) != asmjit::kErrorOk) return;
#ifdef MADV_POPULATE_WRITE
  madvise(begin, size, MADV_POPULATE_WRITE);  // all pages at once, since all of them are written
#endif
  std::memcpy(begin, code.data(), code.size());
  if (memory::protect(begin, size, memory::MemoryFlags::kAccessRX) != asmjit::kErrorOk) {
    memory::release(begin, size);
    return;
  }
  memory::flushInstructionCache(begin, code.size());
  begin_ = static_cast<std::uint8_t*>(begin);
  size_ = size;
}

ExecutableMemory::~ExecutableMemory() {
  if (begin_ != nullptr) memory::release(begin_, size_);
}

ExecutableMemory::ExecutableMemory(ExecutableMemory&& other) noexcept
    : begin_(std::exchange(other.begin_, nullptr)), size_(std::exchange(other.size_, 0)) {}

ExecutableMemory& ExecutableMemory::operator=(ExecutableMemory&& other) noexcept {
  std::swap(begin_, other.begin_);
  std::swap(size_, other.size_);
  return *this;
}

}  // namespace sestina
