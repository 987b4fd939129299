// Expressions compiled for many states of few sets of parameters.
//
//   const CompiledFunction f(graph, outputs, variables, parameters);
//   const std::vector<double> bound = f.bind(values);                  // once for each set of parameters
//   f.evaluate_many(bound, count, states, results, scratch);           // for as many states as there are
//
// What depends on parameters alone is computed by bind(). Terms and factors are put in such an order that
// this is as much as possible, so the last digits differ from those of a Tape. The rest becomes machine code
// on x86-64 where the system allows it (AVX-512, AVX2 or SSE2, the widest that the processor has), else it is
// interpreted. Many states pass through the code together, as many as there are lanes in the SIMD registers
// (kBlock where interpreted).
//
// A product and the sum that it alone goes into are one instruction, which rounds once, where the processor
// has it (is_fused), else each is rounded by itself. What comes out is the same to the last bit for one state
// and for many, and by all backends for which is_fused() is the same, whatever the processor (but for
// functions such as exp, which the C library computes). Fused and not, the results differ by round-off.
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
  static constexpr std::size_t kBlock = 32;  // states that an instruction treats where it is interpreted

  // What runs the code. Machine code is for x86-64 alone.
  enum class Backend : std::uint8_t { kInterpreter, kSse2, kAvx2, kAvx512 };
  // Those that this processor can run, the fastest last.
  static std::vector<Backend> backends();
  static std::string_view name(Backend backend);
  // Whether functions for the backend have fused multiply-adds: AVX2 and AVX-512 always, SSE2 never, the
  // interpreter where the last of backends() has them (elsewhere than on x86-64: where the compiler knows
  // that the processor has).
  static bool is_fused(Backend backend);

  // Variables and parameters are different symbols. ExpressionError (at offset 0) when an output depends on
  // another one.
  CompiledFunction(const Graph& graph, std::span<const Expr> outputs, std::span<const Expr> variables,
                   std::span<const Expr> parameters);
  // With one of backends().
  CompiledFunction(const Graph& graph, std::span<const Expr> outputs, std::span<const Expr> variables,
                   std::span<const Expr> parameters, Backend backend);

  // The interpreter where the system has refused memory for machine code; of a function for SSE2 it gives
  // what SSE2 gives.
  Backend backend() const;

  std::size_t variable_count() const;
  std::size_t parameter_count() const;
  std::size_t output_count() const;
  std::size_t instruction_count() const;  // for each state
  std::size_t hoisted_count() const;      // for each set of parameters
  std::size_t scratch_size() const;       // values

  // What evaluate() wants in the place of the parameters.
  std::vector<double> bind(std::span<const double> parameters) const;

  // Neither allocates nor throws, but for the first evaluate_many of all: a division by zero gives inf or
  // nan. The spans do not overlap.
  void evaluate(std::span<const double> bound, std::span<const double> variables, std::span<double> outputs,
                std::span<double> scratch) const;
  // Variable i of state k stands at [i*count + k], output j of it at [j*count + k]: fastest where rows begin
  // on cache lines, that is `outputs` on one and count a multiple of 8. Machine code for many
  // states is written by the first call of all threads and copies, which allocates; others wait for it.
  void evaluate_many(std::span<const double> bound, std::size_t count, std::span<const double> variables,
                     std::span<double> outputs, std::span<double> scratch) const;

 private:
  struct Parts;
  std::shared_ptr<const Parts> parts_;
};

}  // namespace sestina
