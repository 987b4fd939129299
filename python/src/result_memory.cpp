#include "result_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "numpy_api.h"

namespace sestina::python {

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;  // bytes

struct Block {
  void* memory;
  std::size_t size;
};

// The memory is never destroyed, since arrays may be freed while the process ends.
struct Kept {
  std::mutex mutex;
  std::vector<Block> blocks;  // the oldest first
  std::size_t size = 0;
};
Kept& kept() {
  static Kept* const all = new Kept;
  return *all;
}

void* allocate(std::size_t size) {
  if (size < 2 * kHugePage || size > SIZE_MAX - kHugePage) return std::malloc(size);
  const std::size_t whole = (size + kHugePage - 1) / kHugePage * kHugePage;
  void* const memory = std::aligned_alloc(kHugePage, whole);
#ifdef MADV_HUGEPAGE
  if (memory != nullptr) madvise(memory, whole, MADV_HUGEPAGE);  // as numpy does; a hint
#endif
  return memory;
}

void* take(void*, std::size_t size) {
  {
    Kept& all = kept();
    const std::lock_guard lock(all.mutex);
    const auto found = std::find_if(all.blocks.rbegin(), all.blocks.rend(),
                                    [size](const Block& block) { return block.size == size; });
    if (found != all.blocks.rend()) {
      void* const memory = found->memory;
      all.size -= size;
      all.blocks.erase(std::next(found).base());
      return memory;
    }
  }
  return allocate(size);
}

void give_back(void*, void* memory, std::size_t size) {
  if (memory == nullptr) return;
  if (size < kLargeResult || size > kMostKept) return std::free(memory);
  Kept& all = kept();
  const std::lock_guard lock(all.mutex);
  all.blocks.push_back({memory, size});
  all.size += size;
  while (all.size > kMostKept) {
    std::free(all.blocks.front().memory);
    all.size -= all.blocks.front().size;
    all.blocks.erase(all.blocks.begin());
  }
}

void* take_zeros(void*, std::size_t count, std::size_t size) { return std::calloc(count, size); }
void* change_size(void*, void* memory, std::size_t size) { return std::realloc(memory, size); }

PyObject* handler_capsule() {
  static PyDataMem_Handler handler{"sestina", 1, {nullptr, take, take_zeros, change_size, give_back}};
  static PyObject* const capsule = PyCapsule_New(&handler, "mem_handler", nullptr);
  return capsule;
}

}  // namespace

ResultMemory::ResultMemory() : former_(nb::steal(PyDataMem_SetHandler(handler_capsule()))) {
  if (!former_.is_valid()) nb::raise_python_error();
}

ResultMemory::~ResultMemory() { Py_XDECREF(PyDataMem_SetHandler(former_.ptr())); }

std::size_t kept_result_memory() {
  Kept& all = kept();
  const std::lock_guard lock(all.mutex);
  return all.size;
}

}  // namespace sestina::python
