// Counts every operator new of a test program, and the bytes that it takes. Include it in one source file of
// the program only.
#pragma once

#include <atomic>
#include <cstdlib>
#include <new>

namespace sestina::testing_support {

inline std::atomic<long> allocations{0};
inline std::atomic<long> allocated_bytes{0};  // never less

inline void* counted_allocation(std::size_t size) {
  ++allocations;
  allocated_bytes += static_cast<long>(size);
  return std::malloc(size == 0 ? 1 : size);
}
inline void* counted_allocation(std::size_t size, std::align_val_t alignment) {
  ++allocations;
  allocated_bytes += static_cast<long>(size);
  const auto a = static_cast<std::size_t>(alignment);
  return std::aligned_alloc(a, (size + a - 1) / a * a);
}
inline void* or_throw(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace sestina::testing_support

// The array forms of the library end in these.
void* operator new(std::size_t size) {
  return sestina::testing_support::or_throw(sestina::testing_support::counted_allocation(size));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return sestina::testing_support::or_throw(sestina::testing_support::counted_allocation(size, alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return sestina::testing_support::counted_allocation(size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
