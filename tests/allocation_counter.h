// Counts every operator new of a test program. Include it in one source file of the program only.
#pragma once

#include <cstdlib>
#include <new>

namespace sestina::testing_support {

inline long allocations = 0;

inline void* counted_allocation(std::size_t size) {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}

}  // namespace sestina::testing_support

// The array forms of the library end in these.
void* operator new(std::size_t size) {
  if (void* memory = sestina::testing_support::counted_allocation(size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return sestina::testing_support::counted_allocation(size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
