// Memory for machine code. It is writable first and executable afterwards, never both at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sestina {

class ExecutableMemory {
 public:
  ExecutableMemory() = default;
  // Holds a copy of `code`; empty if the system refuses such memory.
  explicit ExecutableMemory(std::span<const std::uint8_t> code);
  ~ExecutableMemory();
  ExecutableMemory(ExecutableMemory&& other) noexcept;
  ExecutableMemory& operator=(ExecutableMemory&& other) noexcept;
  ExecutableMemory(const ExecutableMemory&) = delete;
  ExecutableMemory& operator=(const ExecutableMemory&) = delete;

  bool empty() const { return begin_ == nullptr; }
  void* at(std::size_t offset) const { return begin_ + offset; }

 private:
  std::uint8_t* begin_ = nullptr;
  std::size_t size_ = 0;  // bytes; whole pages
};

}  // namespace sestina
