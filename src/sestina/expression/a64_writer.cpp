#include "sestina/expression/a64_writer.h"

#include <bit>
#include <cassert>

namespace sestina {
namespace {

namespace a64 = asmjit::a64;
using Code = MachineInstruction::Code;
using Where = MachineInstruction::Where;

// Arguments of a segment by AAPCS64.
const a64::GpX kRows(0), kUniforms(1), kOut(2), kStride(3), kVariables(4);
// Pointers to the last output and the last variable, and a number that does not fit into an instruction.
const a64::GpX kOutput(9), kVariable(10), kNumber(11);

constexpr unsigned kLoaded = 30, kNegated = 31;  // scratch registers

// A function must preserve registers 8 to 15.
unsigned register_of(unsigned number) { return number < 8 ? number : number + 8; }

a64::Vec register_with_lanes(unsigned id, int lanes) {
  if (lanes == 1) return a64::VecD(id);
  return a64::VecV(id).d2();
}

}  // namespace

A64Writer::A64Writer(asmjit::CodeHolder& code, const CodeShape& shape)
    : assembler_(&code),
      shape_(shape),
      loaded_(register_with_lanes(kLoaded, shape.lanes)),
      negated_(register_with_lanes(kNegated, shape.lanes)) {
  assert(shape.streams == 1 && shape.lanes <= 2);
  for (unsigned k = 0; k < kRegisterCount; ++k) {
    vectors_[k] = register_with_lanes(register_of(k), shape.lanes);
  }
}

std::size_t A64Writer::begin_segment() {
  output_ = variable_ = kNowhere;
  return assembler_.offset();
}

void A64Writer::end_segment() { assembler_.ret(a64::GpX(30)); }

void A64Writer::write(const MachineInstruction& i, int /*stream*/) {
  switch (i.code) {
    case Code::kLoad:
      return i.where == Where::kRegister ? copy(vector(i.to), vector(i.b)) : load(vector(i.to), i);
    case Code::kStore:
      return store(i);
    case Code::kMultiplyAdd:
      return is_one() ? multiply_add(i) : accumulate(i);
    case Code::kLess:
    case Code::kLessEqual:
      return compare(i);
    case Code::kBlend:
      return blend(i);
    default:
      return calculate(i);
  }
}

void A64Writer::put_number(const Gp& to, std::uint32_t number) {
  assembler_.movz(to, number & 0xffffu);
  if (number > 0xffffu) assembler_.movk(to, number >> 16, a64::lsl(16));
}

// An offset in the instruction counts in units of the operand's size, which is at most 4095 of them.
a64::Mem A64Writer::at(const Gp& base, std::uint32_t offset, std::uint32_t size) {
  if (offset <= 4095 * size) return a64::ptr(base, static_cast<std::int32_t>(offset));
  put_number(kNumber, offset);
  return a64::ptr(base, kNumber);
}

a64::Mem A64Writer::address_of(const MachineInstruction& i) {
  constexpr std::uint32_t kSize = sizeof(double);
  const std::uint32_t all = kSize * static_cast<std::uint32_t>(shape_.lanes);
  switch (i.where) {
    case Where::kRow:
      return at(kRows, i.b * all, all);
    case Where::kUniform:
      return at(kUniforms, i.b * kSize, kSize);
    case Where::kVariable:
      if (is_one()) return at(kVariables, i.b * kSize, kSize);
      point(kVariable, kVariables, variable_, i.b);
      return a64::ptr(kVariable);
    default:
      if (is_one()) return at(kOut, i.b * kSize, kSize);
      point(kOutput, kOut, output_, i.b);
      return a64::ptr(kOutput);
  }
}

// pointer = base + index*stride; it pointed to `before` until now.
void A64Writer::point(const Gp& pointer, const Gp& base, std::uint32_t& before, std::uint32_t index) {
  const std::uint32_t step = index - before;
  if (before == index) return;
  if (index == 0) {
    assembler_.mov(pointer, base);
  } else if (before != kNowhere && step <= 16 && std::has_single_bit(step)) {
    assembler_.add(pointer, pointer, kStride, a64::lsl(static_cast<std::uint32_t>(std::countr_zero(step))));
  } else if (before != kNowhere && step == kNowhere) {
    assembler_.sub(pointer, pointer, kStride);
  } else {
    put_number(kNumber, index);
    assembler_.madd(pointer, kStride, kNumber, base);
  }
  before = index;
}

void A64Writer::load(const Vec& to, const MachineInstruction& from) {
  const a64::Mem address = address_of(from);
  if (is_one() || from.where == Where::kUniform) {
    assembler_.ldr(to.d(), address);
    if (!is_one()) assembler_.dup(to, to.d(0));
  } else {
    assembler_.ldr(to.q(), address);
  }
}

void A64Writer::store(const MachineInstruction& i) {
  const a64::Mem address = address_of(i);
  const Vec& from = vector(i.a);
  if (is_one()) {
    assembler_.str(from.d(), address);
  } else {
    assembler_.str(from.q(), address);
  }
}

void A64Writer::copy(const Vec& to, const Vec& from) { assembler_.mov(to.b16(), from.b16()); }

const a64::Vec& A64Writer::second(const MachineInstruction& i) {
  if (i.where == Where::kRegister) return vector(i.b);
  load(loaded_, i);
  return loaded_;
}

void A64Writer::calculate(const MachineInstruction& i) {
  const Vec &to = vector(i.to), &a = vector(i.a), &b = second(i);
  switch (i.code) {
    case Code::kAdd:
      assembler_.fadd(to, a, b);
      return;
    case Code::kSubtract:
      assembler_.fsub(to, a, b);
      return;
    case Code::kMultiply:
      assembler_.fmul(to, a, b);
      return;
    case Code::kDivide:
      assembler_.fdiv(to, a, b);
      return;
    case Code::kAnd:
      assembler_.and_(to.b16(), a.b16(), b.b16());
      return;
    default:
      assert(i.code == Code::kSqrt);
      assembler_.fsqrt(to, b);
  }
}

// One double: any operand may be the one that is overwritten.
void A64Writer::multiply_add(const MachineInstruction& i) {
  using Form = MachineInstruction::Form;
  const Vec &to = vector(i.to), &a = vector(i.a), &b = second(i);
  const Vec& first_factor = i.form == Form::kToTimesBPlusA ? to : a;
  const Vec& second_factor = i.form == Form::kATimesToPlusB ? to : b;
  const Vec& addend = i.form == Form::kToTimesBPlusA ? a : i.form == Form::kATimesToPlusB ? b : to;
  switch (i.kind) {
    case MachineInstruction::MultiplyAdd::kPlus:
      assembler_.fmadd(to, first_factor, second_factor, addend);
      return;
    case MachineInstruction::MultiplyAdd::kMinusAddend:
      assembler_.fnmsub(to, first_factor, second_factor, addend);
      return;
    default:
      assembler_.fmsub(to, first_factor, second_factor, addend);
  }
}

// Two doubles: to = a*b + to, a*b - to or to - a*b. The second has no instruction; `to` may be a factor as
// well, so that its negative is another register.
void A64Writer::accumulate(const MachineInstruction& i) {
  assert(i.form == MachineInstruction::Form::kATimesBPlusTo);
  const Vec &to = vector(i.to), &a = vector(i.a), &b = second(i);
  switch (i.kind) {
    case MachineInstruction::MultiplyAdd::kPlus:
      assembler_.fmla(to, a, b);
      return;
    case MachineInstruction::MultiplyAdd::kMinusAddend:
      assembler_.fneg(negated_, to);
      assembler_.fmla(negated_, a, b);
      return copy(to, negated_);
    default:
      assembler_.fmls(to, a, b);
  }
}

// Sets all bits of a lane if a < b, or a <= b, which does not hold for NaN.
void A64Writer::compare(const MachineInstruction& i) {
  if (i.code == Code::kLessEqual) {
    assembler_.fcmge(vector(i.to), vector(i.b), vector(i.a));
  } else {
    assembler_.fcmgt(vector(i.to), vector(i.b), vector(i.a));
  }
}

// Selects b where the last comparison, into `condition`, holds, else a.
void A64Writer::blend(const MachineInstruction& i) {
  assert(i.to != i.b && i.to != i.condition);
  if (i.to != i.a) copy(vector(i.to), vector(i.a));
  assembler_.bit(vector(i.to).b16(), vector(i.b).b16(), vector(i.condition).b16());
}

}  // namespace sestina
