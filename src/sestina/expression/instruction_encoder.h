// The bytes of the x86-64 instructions of compiled functions: arithmetic on doubles in SIMD registers, for
// one double, two (SSE2), four (AVX2) or eight (AVX-512).
//
// An instruction with three operands, to = a op b, where b may be in memory, is written in the VEX form
// (registers 0 to 15) or the EVEX form (0 to 31; offsets count in units of the operand, b may be one double
// for all lanes), the shorter of those that can express it. SSE2 has two operands and overwrites the first: a
// is copied to the register of the result first, if it is not there. Register 15 is then reserved for the
// encoder. Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, sections 2.1, 2.3
// and 2.7.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <span>
#include <vector>

namespace sestina {

// A growing array of bytes.
class CodeBytes {
 public:
  explicit CodeBytes(std::pmr::memory_resource& memory = *std::pmr::get_default_resource())
      : bytes_(&memory) {}
  void reserve(std::size_t count) {
    if (count > bytes_.size()) bytes_.resize(count);
  }
  // Appends the lowest `count` of `bytes`, the lowest first; at most 8.
  void put(std::uint64_t bytes, unsigned count) {
    if (bytes_.size() < size_ + sizeof bytes) bytes_.resize(2 * bytes_.size() + 64);
    if constexpr (std::endian::native == std::endian::little) {
      std::memcpy(bytes_.data() + size_, &bytes, sizeof bytes);  // all at once
    } else {
      for (unsigned k = 0; k < count; ++k) bytes_[size_ + k] = static_cast<std::uint8_t>(bytes >> 8 * k);
    }
    size_ += count;
  }
  std::size_t size() const { return size_; }
  std::span<const std::uint8_t> all() const { return std::span(bytes_).first(size_); }

 private:
  std::pmr::vector<std::uint8_t> bytes_;
  std::size_t size_ = 0;
};

class InstructionEncoder {
 public:
  // The widest form that the processor supports.
  enum class Encoding : std::uint8_t { kSse2, kVex, kEvex };
  enum class Operation : std::uint8_t { kAdd, kSubtract, kMultiply, kDivide, kAnd, kSqrt };
  // a*b + c, a*b - c, c - a*b
  enum class MultiplyAdd : std::uint8_t { kPlus, kMinusAddend, kMinusProduct };
  // The roles of `to`, `a` and `b` as factors and addend; b may be in memory.
  enum class Form : std::uint8_t { kToTimesBPlusA, kATimesToPlusB, kATimesBPlusTo };
  // General registers by their numbers in the machine.
  enum class Pointer : std::uint8_t { kRax = 0, kRcx = 1, kRdx = 2, kRsi = 6, kRdi = 7, kR8 = 8, kR9 = 9 };
  struct Memory {
    Pointer base;
    std::int32_t offset;            // bytes
    bool is_for_all_lanes = false;  // one double; for several lanes as an operand only with EVEX
    bool is_aligned = false;        // to the size of all lanes; required for operands of SSE2 (not for loads)
  };

  // lanes: 1; 2 with SSE2; 4 otherwise, or 8 with EVEX.
  InstructionEncoder(CodeBytes& code, int lanes, Encoding encoding)
      : code_(code), lanes_(lanes), encoding_(encoding) {}

  void calculate(Operation operation, unsigned to, unsigned a, unsigned b);
  void calculate(Operation operation, unsigned to, unsigned a, const Memory& b);
  // Not available with SSE2, which has no such instruction.
  void multiply_add(MultiplyAdd kind, Form form, unsigned to, unsigned a, unsigned b);
  void multiply_add(MultiplyAdd kind, Form form, unsigned to, unsigned a, const Memory& b);
  // Compares a < b, or a <= b, for each lane; with EVEX into a mask register, not `to`, which differs from b.
  void compare(bool or_equal, unsigned to, unsigned a, unsigned b);
  // Selects yes where the last comparison, into `condition`, holds, else no. `to` differs from the last two.
  void blend(unsigned to, unsigned no, unsigned yes, unsigned condition);
  void copy(unsigned to, unsigned from);
  void load(unsigned to, const Memory& from);  // for all lanes: copied to each lane
  void store(unsigned from, const Memory& to);
  void move(Pointer to, Pointer from);
  void add(Pointer to, Pointer other);
  void subtract(Pointer to, Pointer other);
  void add_multiple(Pointer to, Pointer other, int factor);  // 2, 4 or 8
  void multiply(Pointer to, Pointer from, std::int32_t factor);
  void return_from_function();

 private:
  // Opcode, its map (1: 0F, 2: 0F38, 3: 0F3A), the prefix (0: none, 1: 66, 2: F3, 3: F2) and bit W of VEX.
  struct Opcode {
    std::uint8_t byte, map, prefix;
    bool is_wide = false;
  };

  Opcode opcode_of(Operation operation) const;
  Opcode opcode_of(MultiplyAdd kind, Form form) const;
  void put(unsigned byte) { code_.put(byte, 1); }
  void put32(std::int32_t value) { code_.put(static_cast<std::uint32_t>(value), 4); }
  void put_general(unsigned opcode, Pointer reg, Pointer rm);
  void put_sse2(Opcode opcode, unsigned reg, unsigned rm_high);
  void put_vex(Opcode opcode, unsigned reg, unsigned v, unsigned rm_high);
  void put_evex(Opcode opcode, unsigned reg, unsigned v, unsigned rm_high, bool broadcast, unsigned mask = 0);
  void with_register(Opcode opcode, unsigned reg, unsigned v, unsigned rm);
  void with_memory(Opcode opcode, unsigned reg, unsigned v, const Memory& memory);
  void calculate_in_place(Operation operation, unsigned to, unsigned a, unsigned b);
  void load_two(unsigned to, const Memory& from);
  void blend_by_bits(unsigned to, unsigned no, unsigned yes, unsigned condition);

  CodeBytes& code_;
  int lanes_;
  Encoding encoding_;
};

}  // namespace sestina
