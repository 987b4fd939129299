#include "sestina/expression/instruction_encoder.h"

#include <bit>
#include <cassert>
#include <utility>

namespace sestina {
namespace {

using Pointer = InstructionEncoder::Pointer;

unsigned number(Pointer pointer) { return static_cast<unsigned>(pointer); }
// Mask register for the comparison whose result would be in `condition` without EVEX: one for each half of
// the registers.
unsigned mask_of(unsigned condition) { return 1 + condition / 16; }
// Scratch register of the SSE2 encoder.
constexpr unsigned kSpare = 15;
bool fits_in_byte(std::int32_t value) { return value >= -128 && value <= 127; }

// Returns the ModRM byte, which names the operands.
unsigned mod_rm(unsigned mod, unsigned reg, unsigned rm) { return mod << 6 | (reg & 7) << 3 | (rm & 7); }

}  // namespace

InstructionEncoder::Opcode InstructionEncoder::opcode_of(Operation operation) const {
  const std::uint8_t prefix = lanes_ == 1 ? 3 : 1;
  switch (operation) {
    case Operation::kAdd:
      return {0x58, 1, prefix};
    case Operation::kSubtract:
      return {0x5c, 1, prefix};
    case Operation::kMultiply:
      return {0x59, 1, prefix};
    case Operation::kDivide:
      return {0x5e, 1, prefix};
    case Operation::kSqrt:
      return {0x51, 1, prefix};
    default:
      return {0x54, 1, 1};  // kAnd exists only for packed doubles
  }
}

InstructionEncoder::Opcode InstructionEncoder::opcode_of(MultiplyAdd kind, Form form) const {
  const unsigned first = kind == MultiplyAdd::kPlus ? 0x98 : kind == MultiplyAdd::kMinusAddend ? 0x9a : 0x9c;
  const unsigned byte = first + 0x10 * static_cast<unsigned>(form) + (lanes_ == 1 ? 1 : 0);
  return {static_cast<std::uint8_t>(byte), 2, 1, true};
}

void InstructionEncoder::put_sse2(Opcode opcode, unsigned reg, unsigned rm_high) {
  assert(opcode.map == 1);
  constexpr std::array<std::uint8_t, 4> kPrefixes{0, 0x66, 0xf3, 0xf2};
  if (opcode.prefix != 0) put(kPrefixes[opcode.prefix]);
  const unsigned high = (reg & 8) >> 1 | rm_high;
  if (high != 0) put(0x40u | high);
  put(0x0f);
  put(opcode.byte);
}

// rm_high: bits 3 and 4 of the register, or bit 3 of the base register.
void InstructionEncoder::put_vex(Opcode opcode, unsigned reg, unsigned v, unsigned rm_high) {
  const unsigned last = (~v & 15) << 3 | (lanes_ == 4 ? 4u : 0u) | opcode.prefix;
  const unsigned not_r = (~reg & 8) << 4;
  if (rm_high == 0 && opcode.map == 1) {
    code_.put(0xc5u | (not_r | last) << 8 | std::uint32_t{opcode.byte} << 16, 3);
  } else {
    const unsigned second = not_r | 0x40u | (rm_high != 0 ? 0u : 0x20u) | opcode.map;
    const unsigned third = last | (opcode.is_wide ? 0x80u : 0u);
    code_.put(0xc4u | second << 8 | third << 16 | std::uint32_t{opcode.byte} << 24, 4);
  }
}

void InstructionEncoder::put_evex(Opcode opcode, unsigned reg, unsigned v, unsigned rm_high, bool broadcast,
                                  unsigned mask) {
  const unsigned length = lanes_ == 8 ? 2 : lanes_ == 4 ? 1 : 0;
  const unsigned second = (~reg & 8) << 4 | ((rm_high & 2) != 0 ? 0u : 0x40u) |
                          ((rm_high & 1) != 0 ? 0u : 0x20u) | (~reg & 16) | opcode.map;
  const unsigned third = 0x80u | (~v & 15) << 3 | 4u | opcode.prefix;
  const unsigned fourth = length << 5 | (broadcast ? 0x10u : 0u) | (~v & 16) >> 1 | mask;
  code_.put(0x62u | second << 8 | third << 16 | fourth << 24 | std::uint64_t{opcode.byte} << 32, 5);
}

void InstructionEncoder::with_register(Opcode opcode, unsigned reg, unsigned v, unsigned rm) {
  if (encoding_ == Encoding::kSse2) {
    put_sse2(opcode, reg, rm >> 3);
  } else if (lanes_ == 8 || ((reg | v | rm) & 16) != 0) {
    put_evex(opcode, reg, v, rm >> 3, false);
  } else {
    put_vex(opcode, reg, v, rm >> 3);
  }
  put(mod_rm(3, reg, rm));
}

// The base is none of the registers that require another form (rsp, rbp, r12, r13).
void InstructionEncoder::with_memory(Opcode opcode, unsigned reg, unsigned v, const Memory& memory) {
  const unsigned base = number(memory.base);
  const bool broadcast = memory.is_for_all_lanes && lanes_ > 1 && (opcode.map == 1 || opcode.is_wide);
  // EVEX counts short offsets in units of 8 bytes or, for all lanes, of the register size.
  const int unit_shift = 3 + (memory.is_for_all_lanes ? 0 : std::countr_zero(static_cast<unsigned>(lanes_)));
  const std::int32_t units = memory.offset >> unit_shift;
  const bool has_short_evex = units << unit_shift == memory.offset && fits_in_byte(units);
  const bool is_evex = encoding_ != Encoding::kSse2 &&
                       (lanes_ == 8 || broadcast || ((reg | v) & 16) != 0 ||
                        (encoding_ == Encoding::kEvex && has_short_evex && !fits_in_byte(memory.offset)));
  if (encoding_ == Encoding::kSse2) {
    put_sse2(opcode, reg, base >> 3);
  } else if (is_evex) {
    put_evex(opcode, reg, v, base >> 3, broadcast);
  } else {
    put_vex(opcode, reg, v, base >> 3);
  }
  if (memory.offset == 0) {
    put(mod_rm(0, reg, base));
  } else if (is_evex ? has_short_evex : fits_in_byte(memory.offset)) {
    const auto offset = static_cast<unsigned>(is_evex ? units : memory.offset) & 0xff;
    code_.put(mod_rm(1, reg, base) | offset << 8, 2);
  } else {
    code_.put(mod_rm(2, reg, base) | std::uint64_t{static_cast<std::uint32_t>(memory.offset)} << 8, 5);
  }
}

void InstructionEncoder::calculate(Operation operation, unsigned to, unsigned a, unsigned b) {
  if (encoding_ == Encoding::kSse2) return calculate_in_place(operation, to, a, b);
  // The root of packed doubles has one operand; v is then zero and stored as its complement.
  if (operation == Operation::kSqrt && lanes_ > 1) a = 0;
  with_register(opcode_of(operation), to, a, b);
}

// Calculates by SSE2, which overwrites the first operand with the result.
void InstructionEncoder::calculate_in_place(Operation operation, unsigned to, unsigned a, unsigned b) {
  if (operation == Operation::kSqrt) return with_register(opcode_of(operation), to, to, b);
  if (to == b && to != a) {
    if (operation == Operation::kSubtract || operation == Operation::kDivide) {
      copy(kSpare, b);
      b = kSpare;
    } else {
      std::swap(a, b);
    }
  }
  if (to != a) copy(to, a);
  with_register(opcode_of(operation), to, to, b);
}

void InstructionEncoder::calculate(Operation operation, unsigned to, unsigned a, const Memory& b) {
  if (encoding_ == Encoding::kSse2 && to != a) copy(to, a);
  with_memory(opcode_of(operation), to, a, b);
}

void InstructionEncoder::multiply_add(MultiplyAdd kind, Form form, unsigned to, unsigned a, unsigned b) {
  assert(encoding_ != Encoding::kSse2);
  with_register(opcode_of(kind, form), to, a, b);
}

void InstructionEncoder::multiply_add(MultiplyAdd kind, Form form, unsigned to, unsigned a, const Memory& b) {
  assert(encoding_ != Encoding::kSse2);
  with_memory(opcode_of(kind, form), to, a, b);
}

// Compares as packed doubles even for one lane: the other half of the register is not used.
void InstructionEncoder::compare(bool or_equal, unsigned to, unsigned a, unsigned b) {
  constexpr Opcode kCompare{0xc2, 1, 1};
  constexpr unsigned kQuiet = 0x10;            // no exceptions for NaN; not available in SSE2
  const unsigned relation = or_equal ? 2 : 1;  // ordered
  if (encoding_ == Encoding::kSse2) {
    assert(to != b);
    if (to != a) copy(to, a);
    with_register(kCompare, to, to, b);
    return put(relation);
  }
  if (encoding_ == Encoding::kEvex) {
    to = mask_of(to);
    put_evex(kCompare, to, a, b >> 3, false);
  } else {
    put_vex(kCompare, to, a, b >> 3);
  }
  put(mod_rm(3, to, b));
  put(kQuiet | relation);
}

void InstructionEncoder::blend(unsigned to, unsigned no, unsigned yes, unsigned condition) {
  if (encoding_ == Encoding::kSse2) return blend_by_bits(to, no, yes, condition);
  if (encoding_ == Encoding::kEvex) {
    put_evex({0x65, 2, 1}, to, no, yes >> 3, false, mask_of(condition));
    put(mod_rm(3, to, yes));
  } else {
    put_vex({0x4b, 3, 1}, to, no, yes >> 3);
    put(mod_rm(3, to, yes));
    put(condition << 4);
  }
}

// Computes no ^ ((no ^ yes) & condition).
void InstructionEncoder::blend_by_bits(unsigned to, unsigned no, unsigned yes, unsigned condition) {
  assert(to != yes && to != condition);
  constexpr Opcode kAnd{0x54, 1, 1}, kXor{0x57, 1, 1};
  if (to != no) copy(to, no);
  copy(kSpare, yes);
  with_register(kXor, kSpare, kSpare, to);
  with_register(kAnd, kSpare, kSpare, condition);
  with_register(kXor, to, to, kSpare);
}

// Copies the whole register, so that the copy depends on nothing else; the form for SSE2 is a byte shorter.
void InstructionEncoder::copy(unsigned to, unsigned from) {
  const std::uint8_t prefix = encoding_ == Encoding::kSse2 ? 0 : 1;
  with_register({0x28, 1, prefix}, to, 0, from);
}

void InstructionEncoder::load(unsigned to, const Memory& from) {
  if (lanes_ == 1) {
    with_memory({0x10, 1, 3}, to, 0, from);
  } else if (encoding_ == Encoding::kSse2) {
    load_two(to, from);
  } else if (from.is_for_all_lanes) {
    with_memory({0x19, 2, 1}, to, 0, from);
  } else {
    with_memory({0x10, 1, 1}, to, 0, from);
  }
}

void InstructionEncoder::load_two(unsigned to, const Memory& from) {
  if (from.is_for_all_lanes) {
    with_memory({0x10, 1, 3}, to, 0, from);   // movsd
    with_register({0x14, 1, 1}, to, to, to);  // unpcklpd
  } else {
    with_memory({static_cast<std::uint8_t>(from.is_aligned ? 0x28 : 0x10), 1, 1}, to, 0, from);
  }
}

void InstructionEncoder::store(unsigned from, const Memory& to) {
  if (encoding_ == Encoding::kSse2 && lanes_ > 1 && to.is_aligned) {
    return with_memory({0x29, 1, 1}, from, 0, to);
  }
  with_memory({0x11, 1, static_cast<std::uint8_t>(lanes_ == 1 ? 3 : 1)}, from, 0, to);
}

// Writes an instruction with reg and rm in 64 bits.
void InstructionEncoder::put_general(unsigned opcode, Pointer reg, Pointer rm) {
  put(0x48u | (number(reg) >> 3) << 2 | number(rm) >> 3);
  put(opcode);
  put(mod_rm(3, number(reg), number(rm)));
}

void InstructionEncoder::move(Pointer to, Pointer from) { put_general(0x89, from, to); }
void InstructionEncoder::add(Pointer to, Pointer other) { put_general(0x01, other, to); }
void InstructionEncoder::subtract(Pointer to, Pointer other) { put_general(0x29, other, to); }

void InstructionEncoder::multiply(Pointer to, Pointer from, std::int32_t factor) {
  put_general(0x69, to, from);
  put32(factor);
}

void InstructionEncoder::add_multiple(Pointer to, Pointer other, int factor) {
  const unsigned scale = factor == 2 ? 1 : factor == 4 ? 2 : 3;
  const unsigned high = number(to) >> 3;
  put(0x48u | high << 2 | (number(other) >> 3) << 1 | high);
  put(0x8d);
  put(mod_rm(0, number(to), 4));
  put(scale << 6 | (number(other) & 7) << 3 | (number(to) & 7));
}

void InstructionEncoder::return_from_function() {
  if (lanes_ > 1 && encoding_ != Encoding::kSse2) {  // vzeroupper: SSE code may follow
    for (const unsigned byte : {0xc5u, 0xf8u, 0x77u}) put(byte);
  }
  put(0xc3);
}

}  // namespace sestina
