// Expressions compiled for many states of few sets of parameters.
//
//   const CompiledFunction f(graph, outputs, variables, parameters);
//   const std::vector<double> bound = f.bind(values);                  // once for each set of parameters
//   f.evaluate_many(bound, count, states, results, scratch);           // for as many states as there are
//
// What depends on parameters alone is computed by bind(). Terms and factors are put in such an order that
// this is as much as possible, so the last digits differ from those of a Tape. Many states pass through the
// code together, kBlock of them for each instruction, in the widest SIMD registers that the processor has;
// what comes out is the same to the last bit on all of them, and for one state or for many.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sestina/expression/tape.h"

namespace sestina {

class CompiledProgram;

// Immutable and independent of the graph; any number of threads may evaluate it, each with its own scratch.
class CompiledFunction {
 public:
  static constexpr std::size_t kBlock = 32;  // states that one instruction treats

  // Variables and parameters are different symbols. ExpressionError (at offset 0) when an output depends on
  // another one.
  CompiledFunction(const Graph& graph, std::span<const Expr> outputs, std::span<const Expr> variables,
                   std::span<const Expr> parameters);

  std::size_t variable_count() const;
  std::size_t parameter_count() const;
  std::size_t output_count() const;
  std::size_t instruction_count() const;  // for each state
  std::size_t hoisted_count() const;      // for each set of parameters
  std::size_t scratch_size() const;       // values

  // What evaluate() wants in the place of the parameters.
  std::vector<double> bind(std::span<const double> parameters) const;

  // Neither allocates nor throws: a division by zero gives inf or nan. The spans do not overlap.
  void evaluate(std::span<const double> bound, std::span<const double> variables, std::span<double> outputs,
                std::span<double> scratch) const;
  // Variable i of state k stands at [i*count + k], output j of it at [j*count + k].
  void evaluate_many(std::span<const double> bound, std::size_t count, std::span<const double> variables,
                     std::span<double> outputs, std::span<double> scratch) const;

 private:
  std::shared_ptr<const CompiledProgram> program_;
};

}  // namespace sestina
