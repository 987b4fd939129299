#include <algorithm>
#include <cmath>
#include <type_traits>

#include "sestina/expression/compiled_function.h"
#include "sestina/expression/compiled_program.h"

// Compiled for several instruction sets, of which the widest is taken that the processor has. Products and
// sums are nowhere contracted, so that all of them round alike.
#if defined(__x86_64__) && (defined(__clang__) || defined(__GNUC__))
#define SESTINA_TARGETS 1
#endif

// The rows of registers that an instruction reads and writes are the same or apart.
#ifdef __clang__
// Where little is optimised no loop becomes SIMD, which is no fault.
#pragma clang diagnostic ignored "-Wpass-failed"
#define SESTINA_EACH_LANE _Pragma("clang loop vectorize(assume_safety)") for (int k = 0; k < kLanes; ++k)
#else
#define SESTINA_EACH_LANE _Pragma("GCC ivdep") for (int k = 0; k < kLanes; ++k)
#endif

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

// Instructions that are rarely the many.
template <int kLanes>
void run_call(const Instruction& i, double* r, std::span<const std::shared_ptr<const Table>> tables) {
  double* const to = r + std::size_t{i.to} * kLanes;
  const double* const a = r + std::size_t{i.a} * kLanes;
  const double* const b = i.code == Code::kTable ? a : r + std::size_t{i.b} * kLanes;
  const double *const c = r + std::size_t{i.c} * kLanes, *const d = r + std::size_t{i.d} * kLanes;
  switch (i.code) {
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
      case Code::kNegate: {
        double* const to = row(i.to);
        const double* const a = row(i.a);
        SESTINA_EACH_LANE to[k] = -a[k];
        break;
      }
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

constexpr int kBlock = static_cast<int>(CompiledFunction::kBlock);

using Run = void(std::span<const Instruction>, std::span<const std::shared_ptr<const Table>>, const double*,
                 const States&, double*);

void run_portable(std::span<const Instruction> code, std::span<const std::shared_ptr<const Table>> tables,
                  const double* uniform, const States& states, double* r) {
  run_code<kBlock>(code, tables, uniform, states, r);
}

#ifdef SESTINA_TARGETS
[[gnu::target("avx2")]] void run_avx2(std::span<const Instruction> code,
                                      std::span<const std::shared_ptr<const Table>> tables,
                                      const double* uniform, const States& states, double* r) {
  run_code<kBlock>(code, tables, uniform, states, r);
}

[[gnu::target("avx512f,avx512dq")]] void run_avx512(std::span<const Instruction> code,
                                                    std::span<const std::shared_ptr<const Table>> tables,
                                                    const double* uniform, const States& states, double* r) {
  run_code<kBlock>(code, tables, uniform, states, r);
}
#endif

Run* widest_run() {
#ifdef SESTINA_TARGETS
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) return run_avx512;
  if (__builtin_cpu_supports("avx2")) return run_avx2;
#endif
  return run_portable;
}

}  // namespace

template <int kLanes>
void CompiledProgram::run(const double* bound, const double* in, double* out, std::size_t stride, int lanes,
                          double* registers) const {
  const States states{in, out, stride, lanes};
  if constexpr (kLanes == 1) {
    run_code<1>(code_, tables_, bound, states, registers);
  } else {
    static Run* const widest = widest_run();
    widest(code_, tables_, bound, states, registers);
  }
}

template void CompiledProgram::run<1>(const double*, const double*, double*, std::size_t, int, double*) const;
template void CompiledProgram::run<kBlock>(const double*, const double*, double*, std::size_t, int,
                                           double*) const;

}  // namespace sestina
