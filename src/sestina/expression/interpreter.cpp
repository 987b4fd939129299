#include "sestina/expression/interpreter.h"

#include <algorithm>
#include <cmath>

// Compiled for several instruction sets; the widest that the processor has is used. Products and sums are
// never contracted, so that all of them round alike.
#if defined(__x86_64__) && (defined(__clang__) || defined(__GNUC__))
#define SESTINA_TARGETS 1
#endif

// The rows of registers that an instruction reads and writes are identical or disjoint.
#ifdef __clang__
// Without optimisation no loop is vectorised, which is not an error.
#pragma clang diagnostic ignored "-Wpass-failed"
#define SESTINA_IN_LANES _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#else
#define SESTINA_IN_LANES _Pragma("GCC ivdep")
#endif
#define SESTINA_EACH_LANE SESTINA_IN_LANES for (int k = 0; k < kLanes; ++k)

namespace sestina {
namespace {

using Code = CompiledProgram::Code;
using Instruction = CompiledProgram::Instruction;

template <int kLanes>
[[gnu::always_inline]] inline void calc_sincos(const double* a, double* sine, double* cosine) {
  bool all_moderate = true;
  for (int k = 0; k < kLanes; ++k) all_moderate &= std::fabs(a[k]) <= kLargestReducedAngle;
  if (all_moderate) {
    SESTINA_EACH_LANE {
      const SinCos<double> both = sincos_parts::sincos_of_moderate(a[k]);
      sine[k] = both.sin;
      cosine[k] = both.cos;
    }
    return;
  }
  for (int k = 0; k < kLanes; ++k) {
    const SinCos<double> both = sincos(a[k]);
    sine[k] = both.sin;
    cosine[k] = both.cos;
  }
}

}  // namespace

template <int kLanes>
void run_call(const CompiledProgram::Instruction& i, double* r,
              std::span<const std::shared_ptr<const Table>> tables) {
  double* const to = r + std::size_t{i.to} * kLanes;
  const double* const a = r + std::size_t{i.a} * kLanes;
  const double* const b = i.code == Code::kTable ? a : r + std::size_t{i.b} * kLanes;
  const double *const c = r + std::size_t{i.c} * kLanes, *const d = r + std::size_t{i.d} * kLanes;
  switch (i.code) {
    case Code::kSinCos:
      calc_sincos<kLanes>(a, to, r + std::size_t{i.b} * kLanes);
      break;
    case Code::kPower:
      for (int k = 0; k < kLanes; ++k) to[k] = pow(a[k], b[k]);
      break;
    case Code::kUnary:
      for (int k = 0; k < kLanes; ++k) to[k] = calc_unary(i.op, a[k]);
      break;
    case Code::kAtan2:
      for (int k = 0; k < kLanes; ++k) to[k] = atan2(a[k], b[k]);
      break;
    case Code::kIfLess:
      for (int k = 0; k < kLanes; ++k) to[k] = calc_if_less(a[k], b[k], c[k], d[k]);
      break;
    case Code::kIfLessEqual:
      for (int k = 0; k < kLanes; ++k) to[k] = calc_if_less_equal(a[k], b[k], c[k], d[k]);
      break;
    default:  // kTable
      for (int k = 0; k < kLanes; ++k) to[k] = calc_table(*tables[i.b], i.order, a[k]);
      break;
  }
}

template void run_call<1>(const Instruction&, double*, std::span<const std::shared_ptr<const Table>>);
template void run_call<2>(const Instruction&, double*, std::span<const std::shared_ptr<const Table>>);
template void run_call<4>(const Instruction&, double*, std::span<const std::shared_ptr<const Table>>);
template void run_call<8>(const Instruction&, double*, std::span<const std::shared_ptr<const Table>>);

namespace {

struct States {
  const double* in;
  double* out;
  std::size_t stride;
  int lanes;
};

#define SESTINA_OF_TWO_ROWS(expression)                    \
  {                                                        \
    double* const to = row(i.to);                          \
    const double *const a = row(i.a), *const b = row(i.b); \
    SESTINA_EACH_LANE to[k] = (expression);                \
    break;                                                 \
  }
#define SESTINA_OF_ROW_AND_UNIFORM(expression) \
  {                                            \
    double* const to = row(i.to);              \
    const double* const a = row(i.a);          \
    const double b = uniform[i.b];             \
    SESTINA_EACH_LANE to[k] = (expression);    \
    break;                                     \
  }

struct Row {
  const double* values;
  double operator()(int k) const { return values[k]; }
};
struct Same {
  double value;
  double operator()(int) const { return value; }
};

// For fused programs, which run only on processors with this instruction.
template <int kLanes, class B, class C>
[[gnu::always_inline]] inline void multiply_add(std::uint8_t form, double* to, const double* a, B b, C c) {
  if ((form & CompiledProgram::kMinusProduct) != 0) {
    SESTINA_EACH_LANE to[k] = std::fma(-a[k], b(k), c(k));
  } else if ((form & CompiledProgram::kMinusAddend) != 0) {
    SESTINA_EACH_LANE to[k] = std::fma(a[k], b(k), -c(k));
  } else {
    SESTINA_EACH_LANE to[k] = std::fma(a[k], b(k), c(k));
  }
}

template <int kLanes>
[[gnu::always_inline]] inline void multiply_add(const Instruction& i, double* r, const double* uniform) {
  const auto row = [r](std::uint32_t place) { return r + std::size_t{place} * kLanes; };
  double* const to = row(i.to);
  const double* const a = row(i.a);
  const bool is_scaled = (i.order & CompiledProgram::kUniformFactor) != 0;
  if ((i.order & CompiledProgram::kUniformAddend) != 0) {
    const Same c{uniform[i.c]};
    if (is_scaled) return multiply_add<kLanes>(i.order, to, a, Same{uniform[i.b]}, c);
    return multiply_add<kLanes>(i.order, to, a, Row{row(i.b)}, c);
  }
  const Row c{row(i.c)};
  if (is_scaled) return multiply_add<kLanes>(i.order, to, a, Same{uniform[i.b]}, c);
  multiply_add<kLanes>(i.order, to, a, Row{row(i.b)}, c);
}

template <int kLanes>
[[gnu::always_inline]] inline void run_code(std::span<const Instruction> code,
                                            std::span<const std::shared_ptr<const Table>> tables,
                                            const double* uniform, const States& states, double* r) {
  const auto row = [r](std::uint32_t place) { return r + std::size_t{place} * kLanes; };
  for (const Instruction& i : code) {
    switch (i.code) {
      case Code::kLoad: {
        double* const to = row(i.to);
        const double* const from = states.in + i.a * states.stride;
        for (int k = 0; k < kLanes; ++k) to[k] = from[std::min(k, states.lanes - 1)];
        break;
      }
      case Code::kBroadcast:
        std::fill_n(row(i.to), kLanes, uniform[i.a]);
        break;
      case Code::kAdd:
        SESTINA_OF_TWO_ROWS(a[k] + b[k])
      case Code::kSubtract:
        SESTINA_OF_TWO_ROWS(a[k] - b[k])
      case Code::kMultiply:
        SESTINA_OF_TWO_ROWS(a[k] * b[k])
      case Code::kDivide:
        SESTINA_OF_TWO_ROWS(a[k] / b[k])
      case Code::kAddUniform:
        SESTINA_OF_ROW_AND_UNIFORM(a[k] + b)
      case Code::kSubtractUniform:
        SESTINA_OF_ROW_AND_UNIFORM(a[k] - b)
      case Code::kSubtractFromUniform:
        SESTINA_OF_ROW_AND_UNIFORM(b - a[k])
      case Code::kMultiplyUniform:
        SESTINA_OF_ROW_AND_UNIFORM(a[k] * b)
      case Code::kDivideByUniform:
        SESTINA_OF_ROW_AND_UNIFORM(a[k] / b)
      case Code::kDivideUniform:
        SESTINA_OF_ROW_AND_UNIFORM(b / a[k])
      case Code::kAndUniform: {
        double* const to = row(i.to);
        const double* const a = row(i.a);
        SESTINA_EACH_LANE to[k] = std::fabs(a[k]);
        break;
      }
      case Code::kMultiplyAdd:
        multiply_add<kLanes>(i, r, uniform);
        break;
      case Code::kSinCos:
        calc_sincos<kLanes>(row(i.a), row(i.to), row(i.b));
        break;
      case Code::kStore:
        std::copy_n(row(i.a), states.lanes, states.out + i.to * states.stride);
        break;
      case Code::kStoreUniform:
        std::fill_n(states.out + i.to * states.stride, states.lanes, uniform[i.a]);
        break;
      default:
        run_call<kLanes>(i, r, tables);
        break;
    }
  }
}

constexpr int kBlock = Interpreter::kBlock;

using Run = void(std::span<const Instruction>, std::span<const std::shared_ptr<const Table>>, const double*,
                 const States&, double*);

void run_portable(std::span<const Instruction> code, std::span<const std::shared_ptr<const Table>> tables,
                  const double* uniform, const States& states, double* r) {
  run_code<kBlock>(code, tables, uniform, states, r);
}

void run_one_portable(std::span<const Instruction> code, std::span<const std::shared_ptr<const Table>> tables,
                      const double* uniform, const States& states, double* r) {
  run_code<1>(code, tables, uniform, states, r);
}

#ifdef SESTINA_TARGETS
[[gnu::target("avx2,fma")]] void run_one_avx2(std::span<const Instruction> code,
                                              std::span<const std::shared_ptr<const Table>> tables,
                                              const double* uniform, const States& states, double* r) {
  run_code<1>(code, tables, uniform, states, r);
}
constexpr auto& run_one_avx512 = run_one_avx2;

[[gnu::target("avx2,fma")]] void run_avx2(std::span<const Instruction> code,
                                          std::span<const std::shared_ptr<const Table>> tables,
                                          const double* uniform, const States& states, double* r) {
  run_code<kBlock>(code, tables, uniform, states, r);
}

[[gnu::target("avx512f,avx512dq,fma")]] void run_avx512(std::span<const Instruction> code,
                                                        std::span<const std::shared_ptr<const Table>> tables,
                                                        const double* uniform, const States& states,
                                                        double* r) {
  run_code<kBlock>(code, tables, uniform, states, r);
}
#endif

using ManySinCos = void(const double*, std::size_t, double*, double*);

// The compiler must not know the number of angles: it would unroll the loop instead of using SIMD lanes.
[[gnu::always_inline]] inline void calc_any_sincos(const double* angles, std::size_t count, double* sines,
                                                   double* cosines) {
  bool all_moderate = true;
  for (std::size_t i = 0; i < count; ++i) all_moderate &= std::fabs(angles[i]) <= kLargestReducedAngle;
  if (!all_moderate) {
    for (std::size_t i = 0; i < count; ++i) {
      const SinCos<double> both = sincos(angles[i]);
      sines[i] = both.sin;
      cosines[i] = both.cos;
    }
    return;
  }
  SESTINA_IN_LANES
  for (std::size_t i = 0; i < count; ++i) {
    const SinCos<double> both = sincos_parts::sincos_of_moderate(angles[i]);
    sines[i] = both.sin;
    cosines[i] = both.cos;
  }
}

[[gnu::noinline]] void calc_sincos_portable(const double* angles, std::size_t count, double* sines,
                                            double* cosines) {
  calc_any_sincos(angles, count, sines, cosines);
}

#ifdef SESTINA_TARGETS
[[gnu::target("avx2"), gnu::noinline]] void calc_sincos_avx2(const double* angles, std::size_t count,
                                                             double* sines, double* cosines) {
  calc_any_sincos(angles, count, sines, cosines);
}

[[gnu::target("avx512f,avx512dq"), gnu::noinline]] void calc_sincos_avx512(const double* angles,
                                                                           std::size_t count, double* sines,
                                                                           double* cosines) {
  calc_any_sincos(angles, count, sines, cosines);
}
#endif

// Returns the version for the widest registers that the processor has.
template <class Function>
Function* choose(Function* portable, [[maybe_unused]] Function* avx2, [[maybe_unused]] Function* avx512) {
#ifdef SESTINA_TARGETS
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("fma")) return portable;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) return avx512;
  if (__builtin_cpu_supports("avx2")) return avx2;
#endif
  return portable;
}

#ifdef SESTINA_TARGETS
#define SESTINA_CHOOSE(name) choose(name##_portable, name##_avx2, name##_avx512)
#else
#define SESTINA_CHOOSE(name) name##_portable
#endif

}  // namespace

void calc_many_sincos(const double* angles, std::size_t count, double* sines, double* cosines) {
  static ManySinCos* const widest = SESTINA_CHOOSE(calc_sincos);
  constexpr std::size_t kLanes = 8;
  const std::size_t whole = count - count % kLanes;
  if (whole > 0) widest(angles, whole, sines, cosines);
  if (whole == count) return;
  double rest[kLanes], rest_sines[kLanes], rest_cosines[kLanes];
  for (std::size_t k = 0; k < kLanes; ++k) rest[k] = angles[std::min(whole + k, count - 1)];
  widest(rest, kLanes, rest_sines, rest_cosines);
  std::copy_n(rest_sines, count - whole, sines + whole);
  std::copy_n(rest_cosines, count - whole, cosines + whole);
}

// A register is free again after the last use of its value.
Interpreter::Interpreter(const CompiledProgram& program)
    : code_(program.code()), tables_(program.tables().begin(), program.tables().end()) {
  std::vector<std::size_t> last_use(program.value_count(), 0);
  for (std::size_t k = 0; k < code_.size(); ++k) {
    CompiledProgram::visit_operands(code_[k], [&](std::uint32_t value) { last_use[value] = k; });
  }
  std::vector<std::uint32_t> assigned(program.value_count()), free;
  for (std::size_t k = 0; k < code_.size(); ++k) {
    CompiledProgram::visit_operands(code_[k], [&](std::uint32_t& operand) {
      const std::uint32_t value = operand;
      operand = assigned[value];
      if (last_use[value] != k) return;
      free.push_back(operand);
      last_use[value] = code_.size();  // an operand that occurs twice is released once
    });
    std::array<std::uint32_t, 2> results{};
    std::size_t count = 0;
    CompiledProgram::visit_results(code_[k], [&](std::uint32_t& result) {
      if (free.empty()) free.push_back(static_cast<std::uint32_t>(register_count_++));
      results[count++] = result;
      result = assigned[result] = free.back();
      free.pop_back();
    });
    // For a sine or cosine alone, the register of the other result is free at once.
    for (std::size_t i = 0; i < count; ++i) {
      if (last_use[results[i]] == 0) free.push_back(assigned[results[i]]);
    }
  }
}

template <int kLanes>
void Interpreter::run(const double* bound, const double* in, double* out, std::size_t stride, int lanes,
                      double* registers) const {
  const States states{in, out, stride, lanes};
  if constexpr (kLanes == 1) {
    static Run* const widest = SESTINA_CHOOSE(run_one);
    widest(code_, tables_, bound, states, registers);
  } else {
    static Run* const widest = SESTINA_CHOOSE(run);
    widest(code_, tables_, bound, states, registers);
  }
}

template void Interpreter::run<1>(const double*, const double*, double*, std::size_t, int, double*) const;
template void Interpreter::run<kBlock>(const double*, const double*, double*, std::size_t, int,
                                       double*) const;

}  // namespace sestina
