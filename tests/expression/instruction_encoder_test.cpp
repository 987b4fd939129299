#include "sestina/expression/instruction_encoder.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace sestina {
namespace {

using Operation = InstructionEncoder::Operation;
using Pointer = InstructionEncoder::Pointer;
constexpr auto kSse2 = InstructionEncoder::Encoding::kSse2, kVex = InstructionEncoder::Encoding::kVex,
               kEvex = InstructionEncoder::Encoding::kEvex;

struct Case {
  const char* assembly;
  int lanes;
  InstructionEncoder::Encoding encoding;
  std::function<void(InstructionEncoder&)> write;
  std::vector<std::uint8_t> bytes;  // as the GNU assembler 2.40 writes them
};

std::vector<Case> scalar_cases() {
  const auto calculate = [](Operation operation, unsigned to, unsigned a, auto b) {
    return [=](InstructionEncoder& e) { e.calculate(operation, to, a, b); };
  };
  using Memory = InstructionEncoder::Memory;
  const Memory far{Pointer::kRdi, -1024};
  return {
      {"vaddsd %xmm2,%xmm1,%xmm0", 1, kVex, calculate(Operation::kAdd, 0, 1, 2u), {0xc5, 0xf3, 0x58, 0xc2}},
      {"vsubsd %xmm9,%xmm1,%xmm15",
       1,
       kVex,
       calculate(Operation::kSubtract, 15, 1, 9u),
       {0xc4, 0x41, 0x73, 0x5c, 0xf9}},
      {"vmulsd 64(%rdi),%xmm3,%xmm8",
       1,
       kEvex,
       calculate(Operation::kMultiply, 8, 3, Memory{Pointer::kRdi, 64}),
       {0xc5, 0x63, 0x59, 0x47, 0x40}},
      {"vdivsd (%rsi),%xmm3,%xmm4",
       1,
       kEvex,
       calculate(Operation::kDivide, 4, 3, Memory{Pointer::kRsi, 0, true}),
       {0xc5, 0xe3, 0x5e, 0x26}},
      {"vmovsd -1024(%rdi),%xmm5",
       1,
       kVex,
       [=](InstructionEncoder& e) { e.load(5, far); },
       {0xc5, 0xfb, 0x10, 0xaf, 0x00, 0xfc, 0xff, 0xff}},
  };
}

std::vector<Case> cases_of_many_registers() {
  const auto calculate = [](Operation operation, unsigned to, unsigned a, auto b) {
    return [=](InstructionEncoder& e) { e.calculate(operation, to, a, b); };
  };
  using Memory = InstructionEncoder::Memory;
  const Memory far{Pointer::kRdi, -1024};
  return {
      {"{evex} vmovsd -1024(%rdi),%xmm5",
       1,
       kEvex,
       [=](InstructionEncoder& e) { e.load(5, far); },
       {0x62, 0xf1, 0xff, 0x08, 0x10, 0x6f, 0x80}},
      {"vmulsd 1016(%rsi),%xmm17,%xmm30",
       1,
       kEvex,
       calculate(Operation::kMultiply, 30, 17, Memory{Pointer::kRsi, 1016, true}),
       {0x62, 0x61, 0xf7, 0x00, 0x59, 0x76, 0x7f}},
      {"vmulsd 4096(%rsi),%xmm17,%xmm30",
       1,
       kEvex,
       calculate(Operation::kMultiply, 30, 17, Memory{Pointer::kRsi, 4096, true}),
       {0x62, 0x61, 0xf7, 0x00, 0x59, 0xb6, 0x00, 0x10, 0x00, 0x00}},
      {"vaddsd %xmm24,%xmm12,%xmm3",
       1,
       kEvex,
       calculate(Operation::kAdd, 3, 12, 24u),
       {0x62, 0x91, 0x9f, 0x08, 0x58, 0xd8}},
      {"vmovsd %xmm20,8(%r8)",
       1,
       kEvex,
       [](InstructionEncoder& e) {
         e.store(20, {Pointer::kR8, 8});
       },
       {0x62, 0xc1, 0xff, 0x08, 0x11, 0x60, 0x01}},
      {"vmovsd %xmm7,5000(%rdx)",
       1,
       kEvex,
       [](InstructionEncoder& e) {
         e.store(7, {Pointer::kRdx, 5000});
       },
       {0xc5, 0xfb, 0x11, 0xba, 0x88, 0x13, 0x00, 0x00}},
      {"vsqrtsd %xmm6,%xmm6,%xmm7",
       1,
       kEvex,
       calculate(Operation::kSqrt, 7, 6, 6u),
       {0xc5, 0xcb, 0x51, 0xfe}},
      {"vandpd %xmm6,%xmm2,%xmm7", 1, kEvex, calculate(Operation::kAnd, 7, 2, 6u), {0xc5, 0xe9, 0x54, 0xfe}},
  };
}

std::vector<Case> cases_of_four() {
  const auto calculate = [](Operation operation, unsigned to, unsigned a, auto b) {
    return [=](InstructionEncoder& e) { e.calculate(operation, to, a, b); };
  };
  using Memory = InstructionEncoder::Memory;
  const auto load = [](unsigned to, Memory from) { return [=](InstructionEncoder& e) { e.load(to, from); }; };
  const auto store = [](unsigned from, Memory to) {
    return [=](InstructionEncoder& e) { e.store(from, to); };
  };
  return {
      {"vaddpd %ymm2,%ymm1,%ymm0", 4, kVex, calculate(Operation::kAdd, 0, 1, 2u), {0xc5, 0xf5, 0x58, 0xc2}},
      {"vmulpd 4064(%rdi),%ymm1,%ymm10",
       4,
       kVex,
       calculate(Operation::kMultiply, 10, 1, Memory{Pointer::kRdi, 4064}),
       {0xc5, 0x75, 0x59, 0x97, 0xe0, 0x0f, 0x00, 0x00}},
      {"vbroadcastsd 8(%rsi),%ymm3",
       4,
       kVex,
       load(3, {Pointer::kRsi, 8, true}),
       {0xc4, 0xe2, 0x7d, 0x19, 0x5e, 0x08}},
      {"vmovupd (%r9),%ymm3", 4, kVex, load(3, {Pointer::kR9, 0}), {0xc4, 0xc1, 0x7d, 0x10, 0x19}},
      {"vmovupd %ymm12,(%rax)", 4, kVex, store(12, {Pointer::kRax, 0}), {0xc5, 0x7d, 0x11, 0x20}},
      {"vsqrtpd %ymm12,%ymm1",
       4,
       kVex,
       calculate(Operation::kSqrt, 1, 12, 12u),
       {0xc4, 0xc1, 0x7d, 0x51, 0xcc}},
  };
}

std::vector<Case> cases_of_eight() {
  const auto calculate = [](Operation operation, unsigned to, unsigned a, auto b) {
    return [=](InstructionEncoder& e) { e.calculate(operation, to, a, b); };
  };
  using Memory = InstructionEncoder::Memory;
  const auto load = [](unsigned to, Memory from) { return [=](InstructionEncoder& e) { e.load(to, from); }; };
  const auto store = [](unsigned from, Memory to) {
    return [=](InstructionEncoder& e) { e.store(from, to); };
  };
  return {
      {"vsubpd %zmm31,%zmm16,%zmm9",
       8,
       kEvex,
       calculate(Operation::kSubtract, 9, 16, 31u),
       {0x62, 0x11, 0xfd, 0x40, 0x5c, 0xcf}},
      {"vdivpd 128(%rdi),%zmm3,%zmm21",
       8,
       kEvex,
       calculate(Operation::kDivide, 21, 3, Memory{Pointer::kRdi, 128}),
       {0x62, 0xe1, 0xe5, 0x48, 0x5e, 0x6f, 0x02}},
      {"vdivpd 64000(%rdi),%zmm3,%zmm21",
       8,
       kEvex,
       calculate(Operation::kDivide, 21, 3, Memory{Pointer::kRdi, 64000}),
       {0x62, 0xe1, 0xe5, 0x48, 0x5e, 0xaf, 0x00, 0xfa, 0x00, 0x00}},
      {"vmulpd -1024(%rsi){1to8},%zmm19,%zmm2",
       8,
       kEvex,
       calculate(Operation::kMultiply, 2, 19, Memory{Pointer::kRsi, -1024, true}),
       {0x62, 0xf1, 0xe5, 0x50, 0x59, 0x56, 0x80}},
      {"vbroadcastsd 1024(%rsi),%zmm25",
       8,
       kEvex,
       load(25, {Pointer::kRsi, 1024, true}),
       {0x62, 0x62, 0xfd, 0x48, 0x19, 0x8e, 0x00, 0x04, 0x00, 0x00}},
      {"vmovupd (%r9),%zmm11", 8, kEvex, load(11, {Pointer::kR9, 0}), {0x62, 0x51, 0xfd, 0x48, 0x10, 0x19}},
      {"vmovupd %zmm22,(%rax)",
       8,
       kEvex,
       store(22, {Pointer::kRax, 0}),
       {0x62, 0xe1, 0xfd, 0x48, 0x11, 0x30}},
      {"vandpd %zmm6,%zmm2,%zmm7",
       8,
       kEvex,
       calculate(Operation::kAnd, 7, 2, 6u),
       {0x62, 0xf1, 0xed, 0x48, 0x54, 0xfe}},
      {"vsqrtpd %zmm28,%zmm7",
       8,
       kEvex,
       calculate(Operation::kSqrt, 7, 28, 28u),
       {0x62, 0x91, 0xfd, 0x48, 0x51, 0xfc}},
  };
}

std::vector<Case> general_cases() {
  return {
      {"add %rcx,%rax",
       8,
       kEvex,
       [](InstructionEncoder& e) { e.add(Pointer::kRax, Pointer::kRcx); },
       {0x48, 0x01, 0xc8}},
      {"sub %rcx,%r9",
       8,
       kEvex,
       [](InstructionEncoder& e) { e.subtract(Pointer::kR9, Pointer::kRcx); },
       {0x49, 0x29, 0xc9}},
      {"lea (%rax,%rcx,4),%rax",
       8,
       kEvex,
       [](InstructionEncoder& e) { e.add_multiple(Pointer::kRax, Pointer::kRcx, 4); },
       {0x48, 0x8d, 0x04, 0x88}},
      {"lea (%r9,%rcx,8),%r9",
       8,
       kEvex,
       [](InstructionEncoder& e) { e.add_multiple(Pointer::kR9, Pointer::kRcx, 8); },
       {0x4d, 0x8d, 0x0c, 0xc9}},
      {"imul $300,%rcx,%r9",
       8,
       kEvex,
       [](InstructionEncoder& e) { e.multiply(Pointer::kR9, Pointer::kRcx, 300); },
       {0x4c, 0x69, 0xc9, 0x2c, 0x01, 0x00, 0x00}},
      {"mov %r8,%r9",
       8,
       kEvex,
       [](InstructionEncoder& e) { e.move(Pointer::kR9, Pointer::kR8); },
       {0x4d, 0x89, 0xc1}},
      {"mov %rdx,%rax",
       8,
       kEvex,
       [](InstructionEncoder& e) { e.move(Pointer::kRax, Pointer::kRdx); },
       {0x48, 0x89, 0xd0}},
      {"ret", 1, kEvex, [](InstructionEncoder& e) { e.return_from_function(); }, {0xc3}},
      {"vzeroupper; ret",
       8,
       kEvex,
       [](InstructionEncoder& e) { e.return_from_function(); },
       {0xc5, 0xf8, 0x77, 0xc3}},
  };
}

std::vector<Case> cases_of_products_with_sums() {
  using Kind = InstructionEncoder::MultiplyAdd;
  using Form = InstructionEncoder::Form;
  using Memory = InstructionEncoder::Memory;
  const auto make = [](Kind kind, Form form, unsigned to, unsigned a, auto b) {
    return [=](InstructionEncoder& e) { e.multiply_add(kind, form, to, a, b); };
  };
  return {
      {"vfmadd231sd %xmm2,%xmm1,%xmm0",
       1,
       kVex,
       make(Kind::kPlus, Form::kATimesBPlusTo, 0, 1, 2u),
       {0xc4, 0xe2, 0xf1, 0xb9, 0xc2}},
      {"vfmsub213sd 64(%rdi),%xmm3,%xmm8",
       1,
       kEvex,
       make(Kind::kMinusAddend, Form::kATimesToPlusB, 8, 3, Memory{Pointer::kRdi, 64}),
       {0xc4, 0x62, 0xe1, 0xab, 0x47, 0x40}},
      {"vfnmadd132sd (%rsi),%xmm3,%xmm4",
       1,
       kEvex,
       make(Kind::kMinusProduct, Form::kToTimesBPlusA, 4, 3, Memory{Pointer::kRsi, 0, true}),
       {0xc4, 0xe2, 0xe1, 0x9d, 0x26}},
      {"vfmadd231sd 1016(%rsi),%xmm17,%xmm30",
       1,
       kEvex,
       make(Kind::kPlus, Form::kATimesBPlusTo, 30, 17, Memory{Pointer::kRsi, 1016, true}),
       {0x62, 0x62, 0xf5, 0x00, 0xb9, 0x76, 0x7f}},
      {"vfmadd213pd 4064(%rdi),%ymm1,%ymm10",
       4,
       kVex,
       make(Kind::kPlus, Form::kATimesToPlusB, 10, 1, Memory{Pointer::kRdi, 4064}),
       {0xc4, 0x62, 0xf5, 0xa8, 0x97, 0xe0, 0x0f, 0x00, 0x00}},
      {"vfnmadd231pd %ymm9,%ymm1,%ymm15",
       4,
       kVex,
       make(Kind::kMinusProduct, Form::kATimesBPlusTo, 15, 1, 9u),
       {0xc4, 0x42, 0xf5, 0xbc, 0xf9}},
      {"vfmsub132pd %zmm31,%zmm16,%zmm9",
       8,
       kEvex,
       make(Kind::kMinusAddend, Form::kToTimesBPlusA, 9, 16, 31u),
       {0x62, 0x12, 0xfd, 0x40, 0x9a, 0xcf}},
      {"vfnmadd231pd -1024(%rsi){1to8},%zmm19,%zmm2",
       8,
       kEvex,
       make(Kind::kMinusProduct, Form::kATimesBPlusTo, 2, 19, Memory{Pointer::kRsi, -1024, true}),
       {0x62, 0xf2, 0xe5, 0x50, 0xbc, 0x56, 0x80}},
      {"vfmadd213pd 128(%rdi),%zmm3,%zmm21",
       8,
       kEvex,
       make(Kind::kPlus, Form::kATimesToPlusB, 21, 3, Memory{Pointer::kRdi, 128}),
       {0x62, 0xe2, 0xe5, 0x48, 0xa8, 0x6f, 0x02}},
  };
}

std::vector<Case> cases_of_conditions() {
  const auto compare = [](bool or_equal, unsigned to, unsigned a, unsigned b) {
    return [=](InstructionEncoder& e) { e.compare(or_equal, to, a, b); };
  };
  const auto blend = [](unsigned to, unsigned no, unsigned yes, unsigned condition) {
    return [=](InstructionEncoder& e) { e.blend(to, no, yes, condition); };
  };
  const auto copy = [](unsigned to, unsigned from) {
    return [=](InstructionEncoder& e) { e.copy(to, from); };
  };
  return {
      {"vcmplt_oqpd %ymm9,%ymm3,%ymm4",
       4,
       kVex,
       compare(false, 4, 3, 9),
       {0xc4, 0xc1, 0x65, 0xc2, 0xe1, 0x11}},
      {"vcmple_oqpd %zmm20,%zmm3,%k1",
       8,
       kEvex,
       compare(true, 9, 3, 20),
       {0x62, 0xb1, 0xe5, 0x48, 0xc2, 0xcc, 0x12}},
      {"vcmplt_oqpd %xmm5,%xmm17,%k1",
       1,
       kEvex,
       compare(false, 9, 17, 5),
       {0x62, 0xf1, 0xf5, 0x00, 0xc2, 0xcd, 0x11}},
      {"vblendvpd %ymm4,%ymm9,%ymm1,%ymm12",
       4,
       kVex,
       blend(12, 1, 9, 4),
       {0xc4, 0x43, 0x75, 0x4b, 0xe1, 0x40}},
      {"vblendmpd %zmm28,%zmm3,%zmm17{%k1}",
       8,
       kEvex,
       blend(17, 3, 28, 9),
       {0x62, 0x82, 0xe5, 0x49, 0x65, 0xcc}},
      {"vblendmpd %xmm2,%xmm3,%xmm7{%k1}", 1, kEvex, blend(7, 3, 2, 9), {0x62, 0xf2, 0xe5, 0x09, 0x65, 0xfa}},
      {"vmovapd %ymm9,%ymm3", 4, kVex, copy(3, 9), {0xc4, 0xc1, 0x7d, 0x28, 0xd9}},
      {"vmovapd %xmm3,%xmm12", 1, kVex, copy(12, 3), {0xc5, 0x79, 0x28, 0xe3}},
      {"vmovapd %zmm28,%zmm3", 8, kEvex, copy(3, 28), {0x62, 0x91, 0xfd, 0x48, 0x28, 0xdc}},
      {"vmovapd %xmm20,%xmm3", 1, kEvex, copy(3, 20), {0x62, 0xb1, 0xfd, 0x08, 0x28, 0xdc}},
  };
}

InstructionEncoder::Memory row(std::int32_t offset) { return {Pointer::kRdi, offset, false, true}; }

std::vector<Case> cases_of_sse2() {
  using Memory = InstructionEncoder::Memory;
  const auto calculate = [](Operation operation, unsigned to, unsigned a, auto b) {
    return [=](InstructionEncoder& e) { e.calculate(operation, to, a, b); };
  };
  return {
      {"addpd %xmm2,%xmm0", 2, kSse2, calculate(Operation::kAdd, 0, 0, 2u), {0x66, 0x0f, 0x58, 0xc2}},
      {"subsd %xmm9,%xmm15",
       1,
       kSse2,
       calculate(Operation::kSubtract, 15, 15, 9u),
       {0xf2, 0x45, 0x0f, 0x5c, 0xf9}},
      {"mulpd 64(%rdi),%xmm8",
       2,
       kSse2,
       calculate(Operation::kMultiply, 8, 8, row(64)),
       {0x66, 0x44, 0x0f, 0x59, 0x47, 0x40}},
      {"mulpd 4064(%rdi),%xmm10",
       2,
       kSse2,
       calculate(Operation::kMultiply, 10, 10, row(4064)),
       {0x66, 0x44, 0x0f, 0x59, 0x97, 0xe0, 0x0f, 0x00, 0x00}},
      {"divsd -1024(%rsi),%xmm4",
       1,
       kSse2,
       calculate(Operation::kDivide, 4, 4, Memory{Pointer::kRsi, -1024, true}),
       {0xf2, 0x0f, 0x5e, 0xa6, 0x00, 0xfc, 0xff, 0xff}},
      {"divpd %xmm14,%xmm3",
       2,
       kSse2,
       calculate(Operation::kDivide, 3, 3, 14u),
       {0x66, 0x41, 0x0f, 0x5e, 0xde}},
      {"andpd %xmm6,%xmm12",
       1,
       kSse2,
       calculate(Operation::kAnd, 12, 12, 6u),
       {0x66, 0x44, 0x0f, 0x54, 0xe6}},
      {"sqrtpd %xmm12,%xmm1",
       2,
       kSse2,
       calculate(Operation::kSqrt, 1, 12, 12u),
       {0x66, 0x41, 0x0f, 0x51, 0xcc}},
      {"sqrtsd %xmm6,%xmm7", 1, kSse2, calculate(Operation::kSqrt, 7, 6, 6u), {0xf2, 0x0f, 0x51, 0xfe}},
  };
}

// The first operand is not where the result goes.
std::vector<Case> cases_of_sse2_with_copies() {
  const auto calculate = [](Operation operation, unsigned to, unsigned a, auto b) {
    return [=](InstructionEncoder& e) { e.calculate(operation, to, a, b); };
  };
  return {
      {"movaps %xmm3,%xmm9; addpd %xmm1,%xmm9",
       2,
       kSse2,
       calculate(Operation::kAdd, 9, 3, 1u),
       {0x44, 0x0f, 0x28, 0xcb, 0x66, 0x44, 0x0f, 0x58, 0xc9}},
      {"addpd %xmm3,%xmm9", 2, kSse2, calculate(Operation::kAdd, 9, 3, 9u), {0x66, 0x44, 0x0f, 0x58, 0xcb}},
      {"movaps %xmm9,%xmm15; movaps %xmm3,%xmm9; subpd %xmm15,%xmm9",
       2,
       kSse2,
       calculate(Operation::kSubtract, 9, 3, 9u),
       {0x45, 0x0f, 0x28, 0xf9, 0x44, 0x0f, 0x28, 0xcb, 0x66, 0x45, 0x0f, 0x5c, 0xcf}},
      {"subpd %xmm9,%xmm9",
       2,
       kSse2,
       calculate(Operation::kSubtract, 9, 9, 9u),
       {0x66, 0x45, 0x0f, 0x5c, 0xc9}},
      {"movaps %xmm1,%xmm2; mulpd 64(%rdi),%xmm2",
       2,
       kSse2,
       calculate(Operation::kMultiply, 2, 1, row(64)),
       {0x0f, 0x28, 0xd1, 0x66, 0x0f, 0x59, 0x57, 0x40}},
  };
}

std::vector<Case> cases_of_sse2_moves() {
  using Memory = InstructionEncoder::Memory;
  const auto load = [](unsigned to, Memory from) { return [=](InstructionEncoder& e) { e.load(to, from); }; };
  const auto store = [](unsigned from, Memory to) {
    return [=](InstructionEncoder& e) { e.store(from, to); };
  };
  return {
      {"movsd -1024(%rdi),%xmm5",
       1,
       kSse2,
       load(5, row(-1024)),
       {0xf2, 0x0f, 0x10, 0xaf, 0x00, 0xfc, 0xff, 0xff}},
      {"movsd 1016(%rsi),%xmm11; unpcklpd %xmm11,%xmm11",
       2,
       kSse2,
       load(11, Memory{Pointer::kRsi, 1016, true}),
       {0xf2, 0x44, 0x0f, 0x10, 0x9e, 0xf8, 0x03, 0x00, 0x00, 0x66, 0x45, 0x0f, 0x14, 0xdb}},
      {"movsd 8(%rsi),%xmm3",
       1,
       kSse2,
       load(3, Memory{Pointer::kRsi, 8, true}),
       {0xf2, 0x0f, 0x10, 0x5e, 0x08}},
      {"movupd (%r9),%xmm3", 2, kSse2, load(3, Memory{Pointer::kR9, 0}), {0x66, 0x41, 0x0f, 0x10, 0x19}},
      {"movupd %xmm12,(%rax)", 2, kSse2, store(12, Memory{Pointer::kRax, 0}), {0x66, 0x44, 0x0f, 0x11, 0x20}},
      {"movapd 32(%rdi),%xmm13", 2, kSse2, load(13, row(32)), {0x66, 0x44, 0x0f, 0x28, 0x6f, 0x20}},
      {"movapd %xmm13,-2048(%rdi)",
       2,
       kSse2,
       store(13, row(-2048)),
       {0x66, 0x44, 0x0f, 0x29, 0xaf, 0x00, 0xf8, 0xff, 0xff}},
      {"movsd %xmm7,5000(%rdx)",
       1,
       kSse2,
       store(7, Memory{Pointer::kRdx, 5000}),
       {0xf2, 0x0f, 0x11, 0xba, 0x88, 0x13, 0x00, 0x00}},
      {"movaps %xmm1,%xmm14",
       2,
       kSse2,
       [](InstructionEncoder& e) { e.copy(14, 1); },
       {0x44, 0x0f, 0x28, 0xf1}},
      {"ret", 2, kSse2, [](InstructionEncoder& e) { e.return_from_function(); }, {0xc3}},
  };
}

std::vector<Case> cases_of_sse2_conditions() {
  const auto compare = [](bool or_equal, unsigned to, unsigned a, unsigned b) {
    return [=](InstructionEncoder& e) { e.compare(or_equal, to, a, b); };
  };
  const auto blend = [](unsigned to, unsigned no, unsigned yes, unsigned condition) {
    return [=](InstructionEncoder& e) { e.blend(to, no, yes, condition); };
  };
  return {
      {"cmpltpd %xmm9,%xmm4", 1, kSse2, compare(false, 4, 4, 9), {0x66, 0x41, 0x0f, 0xc2, 0xe1, 0x01}},
      {"movaps %xmm3,%xmm13; cmplepd %xmm2,%xmm13",
       2,
       kSse2,
       compare(true, 13, 3, 2),
       {0x44, 0x0f, 0x28, 0xeb, 0x66, 0x44, 0x0f, 0xc2, 0xea, 0x02}},
      {"movaps %xmm9,%xmm15; xorpd %xmm3,%xmm15; andpd %xmm4,%xmm15; xorpd %xmm15,%xmm3",
       2,
       kSse2,
       blend(3, 3, 9, 4),
       {0x45, 0x0f, 0x28, 0xf9, 0x66, 0x44, 0x0f, 0x57, 0xfb, 0x66, 0x44, 0x0f, 0x54, 0xfc, 0x66, 0x41, 0x0f,
        0x57, 0xdf}},
      {"movaps %xmm1,%xmm12; movaps %xmm9,%xmm15; xorpd %xmm12,%xmm15; andpd %xmm10,%xmm15; xorpd "
       "%xmm15,%xmm12",
       1,
       kSse2,
       blend(12, 1, 9, 10),
       {0x44, 0x0f, 0x28, 0xe1, 0x45, 0x0f, 0x28, 0xf9, 0x66, 0x45, 0x0f, 0x57,
        0xfc, 0x66, 0x45, 0x0f, 0x54, 0xfa, 0x66, 0x45, 0x0f, 0x57, 0xe7}},
  };
}

TEST(InstructionEncoderTest, WritesTheBytesOfTheAssembler) {
  std::vector<Case> cases = scalar_cases();
  for (const auto& more :
       {cases_of_many_registers(), cases_of_four(), cases_of_eight(), cases_of_products_with_sums(),
        cases_of_conditions(), cases_of_sse2(), cases_of_sse2_with_copies(), cases_of_sse2_moves(),
        cases_of_sse2_conditions(), general_cases()}) {
    cases.insert(cases.end(), more.begin(), more.end());
  }
  for (const Case& c : cases) {
    CodeBytes code;
    InstructionEncoder encoder(code, c.lanes, c.encoding);
    c.write(encoder);
    EXPECT_EQ(std::vector(code.all().begin(), code.all().end()), c.bytes) << c.assembly;
  }
}

}  // namespace
}  // namespace sestina
