// Memory that holds machine code. It is written while it cannot be executed and executed when it can no
// longer be written: at no time both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sestina {

class ExecutableMemory {
 public:
  ExecutableMemory() = default;
  // A copy of `code`. Empty where the system has no such memory or refuses it.
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
  std::size_t size_ = 0;
};

}  // namespace sestina
