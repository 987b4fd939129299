#include "sestina/expression/scratch_memory.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <new>

namespace sestina {
namespace {

constexpr std::size_t kMostKept = std::size_t{4} << 20;  // bytes for each thread

// `used` and `wanted` count from the beginning; `wanted` includes requests for which there was no room.
struct Block {
  std::unique_ptr<std::byte[]> memory;
  std::size_t size = 0, used = 0, wanted = 0;
  int users = 0;
};

Block& block_of_thread() {
  thread_local Block block;
  return block;
}

}  // namespace

ScratchMemory::ScratchMemory() {
  Block& block = block_of_thread();
  begin_ = block.used;
  ++block.users;
}

// Enlarges the block, once it is not in use, for the next time.
ScratchMemory::~ScratchMemory() {
  Block& block = block_of_thread();
  block.used = begin_;
  if (--block.users > 0) return;
  const std::size_t wanted = std::min(block.wanted + block.wanted / 4, kMostKept);
  block.wanted = 0;
  if (wanted <= block.size) return;
  block.memory.reset(new (std::nothrow) std::byte[wanted]);  // not cleared
  block.size = block.memory ? wanted : 0;
}

void* ScratchMemory::do_allocate(std::size_t bytes, std::size_t alignment) {
  Block& block = block_of_thread();
  const std::size_t at = (block.used + alignment - 1) / alignment * alignment;
  block.wanted = std::max(block.wanted, at) + bytes;
  if (alignment > alignof(std::max_align_t) || at + bytes > block.size) {
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  block.used = at + bytes;
  return block.memory.get() + at;
}

void ScratchMemory::do_deallocate(void* pointer, std::size_t bytes, std::size_t alignment) {
  const Block& block = block_of_thread();
  const auto* const address = static_cast<std::byte*>(pointer);
  const std::byte* const begin = block.memory.get();
  const bool is_of_block =
      begin != nullptr && std::less_equal<>()(begin, address) && std::less<>()(address, begin + block.size);
  if (!is_of_block) std::pmr::new_delete_resource()->deallocate(pointer, bytes, alignment);
}

}  // namespace sestina
