// Temporary memory for the compilation of expressions.
//
// Every thread keeps a block for reuse: new pages, which the system must clear, took a seventh of the time to
// compile a function of some thousand instructions.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <vector>

namespace sestina {

// A resource that frees everything when it is destroyed; the next one then uses the same part of the thread's
// block. If one is created while another one lives, it must be destroyed first, and the other one must not
// allocate meanwhile. Requests beyond the block come from the heap.
class ScratchMemory : public std::pmr::memory_resource {
 public:
  ScratchMemory();
  ~ScratchMemory() override;
  ScratchMemory(const ScratchMemory&) = delete;
  ScratchMemory& operator=(const ScratchMemory&) = delete;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* pointer, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  std::size_t begin_;  // in the block
};

template <class T>
using ScratchVector = std::pmr::vector<T>;

}  // namespace sestina
