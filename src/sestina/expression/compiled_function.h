// Expressions compiled for many states of few sets of parameters.
//
//   const CompiledFunction f(graph, outputs, variables, parameters);
//   const std::vector<double> bound = f.bind(values);                  // once for each set of parameters
//   f.evaluate_many(bound, count, states, results, scratch);           // for as many states as there are
//
// bind() computes everything that depends only on parameters. Terms and factors are ordered to make this part
// as large as possible, so that the last digits differ from those of a Tape. The rest becomes machine code on
// x86-64 (AVX-512, AVX2 or SSE2, the widest that the processor has) and AArch64 (NEON) where the system
// allows it, otherwise it is interpreted. The code processes several states at once, as many as a SIMD
// register has lanes (kBlock if interpreted).
//
// If the processor has the instruction (is_fused), a product that occurs in one sum only is computed with it,
// with one rounding; otherwise each is rounded separately. Results are the same to the last bit for one state
// and for many, and for all backends with the same is_fused(), on any processor (except for functions such as
// exp, which the C library computes). Fused and other results differ by round-off.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "sestina/expression/tape.h"

namespace sestina {

// Immutable and independent of the graph; any number of threads may evaluate it, each with its own scratch.
class CompiledFunction {
 public:
  static constexpr std::size_t kBlock = 32;  // states per instruction if interpreted

  // The executor of the code: SSE2, AVX2 and AVX-512 on x86-64, NEON on AArch64, the interpreter on all
  // processors.
  enum class Backend : std::uint8_t { kInterpreter, kSse2, kAvx2, kAvx512, kNeon };
  // The backends that this processor can run, the fastest last.
  static std::vector<Backend> backends();
  static std::string_view name(Backend backend);
  // True if functions for the backend have fused multiply-adds: AVX2, AVX-512 and NEON always, SSE2 never,
  // the interpreter if the last of backends() has them (neither x86-64 nor AArch64: if the compiler knows
  // that the processor has them).
  static bool is_fused(Backend backend);

  // Variables and parameters are different symbols. Throws ExpressionError (at offset 0) if an output depends
  // on another symbol.
  CompiledFunction(const Graph& graph, std::span<const Expr> outputs, std::span<const Expr> variables,
                   std::span<const Expr> parameters);
  // Compiles for one of backends().
  CompiledFunction(const Graph& graph, std::span<const Expr> outputs, std::span<const Expr> variables,
                   std::span<const Expr> parameters, Backend backend);

  // The interpreter if the system has refused memory for machine code; the results of a function for SSE2 are
  // then those of SSE2.
  Backend backend() const;

  std::size_t variable_count() const;
  std::size_t parameter_count() const;
  std::size_t output_count() const;
  std::size_t instruction_count() const;  // per state
  std::size_t hoisted_count() const;      // per set of parameters
  std::size_t scratch_size() const;       // values

  // Returns the argument `bound` of evaluate() for these parameters.
  std::vector<double> bind(std::span<const double> parameters) const;

  // These functions neither allocate nor throw, except the first evaluate_many: a division by zero gives inf
  // or nan. The spans do not overlap.
  void evaluate(std::span<const double> bound, std::span<const double> variables, std::span<double> outputs,
                std::span<double> scratch) const;
  // Variable i of state k is at [i*count + k], its output j at [j*count + k]: fastest if rows begin on cache
  // lines, that is `outputs` on one and count a multiple of 8. The first call in any thread or copy writes
  // the machine code for many states and allocates; the others wait for it.
  void evaluate_many(std::span<const double> bound, std::size_t count, std::span<const double> variables,
                     std::span<double> outputs, std::span<double> scratch) const;

 private:
  struct Parts;
  std::shared_ptr<const Parts> parts_;
};

}  // namespace sestina
