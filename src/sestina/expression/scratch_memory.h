// Memory for what is made and forgotten while expressions are compiled.
//
// Every thread keeps a block of it for the next time: pages that the system gives and clears anew took a
// seventh of the time that a function of some thousand instructions takes to compile.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <vector>

namespace sestina {

// A resource that frees all at once, when it ends: what it has of the thread's block is then that of the next
// one. One that is made while another one lives ends before it, and the other one allocates nothing
// meanwhile. What the block has no room for comes from the heap.
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
