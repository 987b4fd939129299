#include "sestina/expression/x86_writer.h"

#include <bit>
#include <cassert>
#include <utility>

namespace sestina {
namespace {

namespace x86 = asmjit::x86;
namespace Inst = x86::Inst;
using Code = MachineInstruction::Code;
using Where = MachineInstruction::Where;

// Arguments of a segment by the System V ABI.
const x86::Gp kRows = x86::rdi, kUniforms = x86::rsi, kOut = x86::rdx, kStride = x86::rcx,
              kVariables = x86::r8;
// Pointers to the last output and the last variable.
const x86::Gp kOutput = x86::rax, kVariable = x86::r9;

// Scratch register of SSE2.
constexpr unsigned kSpare = 15;
constexpr unsigned kSecondStream = 16;  // its first register

bool fits_in_byte(std::int32_t value) { return value >= -128 && value <= 127; }

// Mask register for the comparison whose result would be in `condition` without EVEX: one for each half of
// the registers.
x86::KReg mask_of(unsigned condition) { return x86::k(1 + condition / kSecondStream); }

MachineInstruction of_stream(MachineInstruction i, int stream) {
  if (stream == 0) return i;
  i.to += kSecondStream;
  i.a += kSecondStream;
  i.condition += kSecondStream;
  if (i.where == Where::kRegister) i.b += kSecondStream;
  return i;
}

asmjit::OperandSignature signature_of(int lanes) {
  return x86::Reg::signatureOf(lanes == 8   ? asmjit::RegType::kX86_Zmm
                               : lanes == 4 ? asmjit::RegType::kX86_Ymm
                                            : asmjit::RegType::kX86_Xmm);
}

// One lane or several with VEX and EVEX, one or several with SSE2.
constexpr std::array<asmjit::InstId, 4> forms_of(Code code) {
  switch (code) {
    case Code::kAdd:
      return {Inst::kIdVaddsd, Inst::kIdVaddpd, Inst::kIdAddsd, Inst::kIdAddpd};
    case Code::kSubtract:
      return {Inst::kIdVsubsd, Inst::kIdVsubpd, Inst::kIdSubsd, Inst::kIdSubpd};
    case Code::kMultiply:
      return {Inst::kIdVmulsd, Inst::kIdVmulpd, Inst::kIdMulsd, Inst::kIdMulpd};
    case Code::kDivide:
      return {Inst::kIdVdivsd, Inst::kIdVdivpd, Inst::kIdDivsd, Inst::kIdDivpd};
    case Code::kSqrt:
      return {Inst::kIdVsqrtsd, Inst::kIdVsqrtpd, Inst::kIdSqrtsd, Inst::kIdSqrtpd};
    default:  // kAnd exists only for packed doubles
      return {Inst::kIdVandpd, Inst::kIdVandpd, Inst::kIdAndpd, Inst::kIdAndpd};
  }
}

// Multiply-adds by kind and form, for one lane and for several.
constexpr std::array<std::array<std::array<asmjit::InstId, 2>, 3>, 3> kMultiplyAdds{{
    {{{Inst::kIdVfmadd132sd, Inst::kIdVfmadd132pd},
      {Inst::kIdVfmadd213sd, Inst::kIdVfmadd213pd},
      {Inst::kIdVfmadd231sd, Inst::kIdVfmadd231pd}}},
    {{{Inst::kIdVfmsub132sd, Inst::kIdVfmsub132pd},
      {Inst::kIdVfmsub213sd, Inst::kIdVfmsub213pd},
      {Inst::kIdVfmsub231sd, Inst::kIdVfmsub231pd}}},
    {{{Inst::kIdVfnmadd132sd, Inst::kIdVfnmadd132pd},
      {Inst::kIdVfnmadd213sd, Inst::kIdVfnmadd213pd},
      {Inst::kIdVfnmadd231sd, Inst::kIdVfnmadd231pd}}},
}};

}  // namespace

X86Writer::X86Writer(asmjit::CodeHolder& code, const CodeShape& shape, std::uint32_t row_count)
    : assembler_(&code),
      shape_(shape),
      row_count_(static_cast<std::int32_t>(row_count)),
      lane_shift_(std::countr_zero(static_cast<unsigned>(shape.lanes))),
      form_((shape.backend == CompiledFunction::Backend::kSse2 ? 2 : 0) + (shape.lanes > 1 ? 1 : 0)) {
  for (unsigned k = 0; k < vectors_.size(); ++k) vectors_[k] = {signature_of(shape.lanes), k};
}

std::size_t X86Writer::begin_segment() {
  output_ = variable_ = kNowhere;
  return assembler_.offset();
}

void X86Writer::end_segment() {
  if (shape_.lanes > 1 && !is_sse2()) assembler_.vzeroupper();  // SSE code may follow
  assembler_.ret();
}

void X86Writer::write(const MachineInstruction& instruction, int stream) {
  const MachineInstruction i = of_stream(instruction, stream);
  switch (i.code) {
    case Code::kLoad:
      return i.where == Where::kRegister ? copy(i.to, i.b) : load(i, stream);
    case Code::kStore:
      return store(i, stream);
    case Code::kMultiplyAdd:
      return multiply_add(i, stream);
    case Code::kLess:
    case Code::kLessEqual:
      return compare(i);
    case Code::kBlend:
      return blend(i);
    default:
      return calculate(i, stream);
  }
}

// Also requests the EVEX form of the next instruction if only that one has a short offset, which counts in
// units of 8 bytes or, for all lanes, of the register size.
x86::Mem X86Writer::address_of(const MachineInstruction& i, int stream) {
  const auto index = static_cast<std::int32_t>(i.b);
  const bool is_one = shape_.lanes == 1;
  const int shift = i.where == Where::kUniform ? 3 : 3 + lane_shift_;
  const x86::Gp* base = &kRows;
  std::int32_t offset = stream;
  switch (i.where) {
    case Where::kRow:
      offset = index + stream * row_count_ - shape_.middle;
      break;
    case Where::kUniform:
      base = &kUniforms;
      offset = index - shape_.middle;
      break;
    case Where::kVariable:
      base = is_one ? &kVariables : &kVariable;
      if (is_one) {
        offset = index;
      } else {
        point(kVariable, kVariables, variable_, i.b);
      }
      break;
    default:
      base = is_one ? &kOut : &kOutput;
      if (is_one) {
        offset = index;
      } else {
        point(kOutput, kOut, output_, i.b);
      }
      break;
  }
  const std::int32_t bytes = offset * (1 << shift);
  if (is_evex() && fits_in_byte(offset) && !fits_in_byte(bytes)) assembler_.evex();
  return {*base, bytes};
}

// pointer = base + index*stride; it pointed to `before` until now.
void X86Writer::point(const x86::Gp& pointer, const x86::Gp& base, std::uint32_t& before,
                      std::uint32_t index) {
  const std::uint32_t step = index - before;
  if (before == index) return;
  if (index == 0) {
    assembler_.mov(pointer, base);
  } else if (before == kNowhere || (step > 2 && step != 4 && step != 8 && step != kNowhere)) {
    assembler_.imul(pointer, kStride, index);
    assembler_.add(pointer, base);
  } else if (step == 1) {
    assembler_.add(pointer, kStride);
  } else if (step == kNowhere) {
    assembler_.sub(pointer, kStride);
  } else {
    assembler_.lea(pointer, x86::ptr(pointer, kStride, static_cast<std::uint32_t>(std::countr_zero(step))));
  }
  before = index;
}

void X86Writer::emit_with_second(InstructionId id, const MachineInstruction& i, int stream) {
  if (i.where == Where::kRegister) return emit(id, vector(i.to), vector(i.a), vector(i.b));
  x86::Mem second = address_of(i, stream);
  if (i.where == Where::kUniform && shape_.lanes > 1) second.setBroadcast(x86::Mem::Broadcast::k1To8);
  emit(id, vector(i.to), vector(i.a), second);
}

void X86Writer::calculate(const MachineInstruction& i, int stream) {
  const InstructionId id = choose(forms_of(i.code));
  if (is_sse2()) return calculate_in_place(i, id, stream);
  // The root of packed doubles has one operand.
  if (i.code == Code::kSqrt && shape_.lanes > 1) return emit(id, vector(i.to), vector(i.b));
  emit_with_second(id, i, stream);
}

// Calculates by SSE2, which overwrites the first operand with the result.
void X86Writer::calculate_in_place(const MachineInstruction& i, InstructionId id, int stream) {
  if (i.where != Where::kRegister) {
    if (i.to != i.a) copy(i.to, i.a);
    return emit(id, vector(i.to), address_of(i, stream));
  }
  unsigned a = i.a, b = i.b;
  if (i.code == Code::kSqrt) a = i.to;
  if (i.to == b && i.to != a) {
    if (i.code == Code::kSubtract || i.code == Code::kDivide) {
      copy(kSpare, b);
      b = kSpare;
    } else {
      std::swap(a, b);
    }
  }
  if (i.to != a) copy(i.to, a);
  emit(id, vector(i.to), vector(b));
}

// Not available with SSE2, which has no such instruction.
void X86Writer::multiply_add(const MachineInstruction& i, int stream) {
  assert(!is_sse2());
  const auto kind = static_cast<std::size_t>(i.kind), form = static_cast<std::size_t>(i.form);
  emit_with_second(kMultiplyAdds[kind][form][form_], i, stream);
}

// Compares as packed doubles even for one lane: the other half of the register is not used. With EVEX the
// result is in a mask register, not in `to`.
void X86Writer::compare(const MachineInstruction& i) {
  const bool or_equal = i.code == Code::kLessEqual;
  if (is_sse2()) {
    assert(i.to != i.b);
    if (i.to != i.a) copy(i.to, i.a);
    return emit(Inst::kIdCmppd, vector(i.to), vector(i.b),
                asmjit::Imm(or_equal ? x86::CmpImm::kLE : x86::CmpImm::kLT));
  }
  // Ordered, without exceptions for NaN.
  const asmjit::Imm relation(or_equal ? x86::VCmpImm::kLE_OQ : x86::VCmpImm::kLT_OQ);
  if (is_evex()) {
    assembler_.vcmppd(mask_of(i.to), vector(i.a), vector(i.b), relation);
  } else {
    assembler_.vcmppd(vector(i.to), vector(i.a), vector(i.b), relation);
  }
}

// Selects b where the last comparison, into `condition`, holds, else a.
void X86Writer::blend(const MachineInstruction& i) {
  if (is_sse2()) return blend_by_bits(i);
  if (is_evex()) {
    assembler_.k(mask_of(i.condition)).vblendmpd(vector(i.to), vector(i.a), vector(i.b));
  } else {
    assembler_.vblendvpd(vector(i.to), vector(i.a), vector(i.b), vector(i.condition));
  }
}

// Computes a ^ ((a ^ b) & condition).
void X86Writer::blend_by_bits(const MachineInstruction& i) {
  assert(i.to != i.b && i.to != i.condition);
  if (i.to != i.a) copy(i.to, i.a);
  copy(kSpare, i.b);
  emit(Inst::kIdXorpd, vector(kSpare), vector(i.to));
  emit(Inst::kIdAndpd, vector(kSpare), vector(i.condition));
  emit(Inst::kIdXorpd, vector(i.to), vector(kSpare));
}

// Copies the whole register, so that the copy depends on nothing else; the form for SSE2 is a byte shorter.
void X86Writer::copy(unsigned to, unsigned from) {
  emit(is_sse2() ? Inst::kIdMovaps : Inst::kIdVmovapd, vector(to), vector(from));
}

// Rows are aligned to the size of all lanes; SSE2 has instructions of its own for them.
void X86Writer::load(const MachineInstruction& i, int stream) {
  const x86::Mem from = address_of(i, stream);
  if (i.where != Where::kUniform || shape_.lanes == 1) {
    const InstructionId several = i.where == Where::kRow ? Inst::kIdMovapd : Inst::kIdMovupd;
    emit(choose({Inst::kIdVmovsd, Inst::kIdVmovupd, Inst::kIdMovsd, several}), vector(i.to), from);
  } else if (is_sse2()) {
    emit(Inst::kIdMovsd, vector(i.to), from);
    emit(Inst::kIdUnpcklpd, vector(i.to), vector(i.to));
  } else {
    emit(Inst::kIdVbroadcastsd, vector(i.to), from);
  }
}

void X86Writer::store(const MachineInstruction& i, int stream) {
  const x86::Mem to = address_of(i, stream);
  const InstructionId several = i.where == Where::kRow ? Inst::kIdMovapd : Inst::kIdMovupd;
  emit(choose({Inst::kIdVmovsd, Inst::kIdVmovupd, Inst::kIdMovsd, several}), to, vector(i.a));
}

}  // namespace sestina
