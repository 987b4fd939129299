// Dynamics of one model with one set of numbers, as compiled functions (compiled_function.h) that hold the
// operations which this model needs and no others: what is zero or one in it, and what depends on its
// numbers alone, costs nothing. Gravity is part of them; all other forces come as generalised forces.
//
//   CompiledDynamics forward = compile_forward_dynamics(model, properties);
//   forward.evaluate(inputs, outputs);                // of one state
//   forward.evaluate_many(count, inputs, outputs);    // of many, several at once in SIMD lanes
//
// To build one takes some microseconds for each operation; see instruction_count().
#pragma once

#include <span>
#include <vector>

#include "sestina/expression/compiled_function.h"
#include "sestina/model/model.h"

namespace sestina {

// Immutable but for its scratch memory: one thread at a time.
class CompiledDynamics {
 public:
  CompiledDynamics(CompiledFunction function, const std::vector<double>& values);

  // No allocation; nan and inf where a pivot vanishes.
  void evaluate(std::span<const double> inputs, std::span<double> outputs) {
    function_.evaluate(bound_, inputs, outputs, scratch_);
  }
  // Input i of state k stands at [i * count + k], and likewise the outputs. The first call allocates, as that
  // of a CompiledFunction.
  void evaluate_many(std::size_t count, std::span<const double> inputs, std::span<double> outputs) {
    function_.evaluate_many(bound_, count, inputs, outputs, scratch_);
  }

  const CompiledFunction& function() const { return function_; }

 private:
  CompiledFunction function_;
  std::vector<double> bound_, scratch_;
};

// q, u, tau -> udot (nu) and the pivots of the mass matrix (nu): the inertia that each speed feels with its
// outboard bodies free to move.
CompiledDynamics compile_forward_dynamics(const Model& model, const Properties<double>& properties);
// q, u, udot -> tau (nu), the generalised forces that udot asks for.
CompiledDynamics compile_inverse_dynamics(const Model& model, const Properties<double>& properties);
// q -> the lower triangle of the mass matrix by rows, nu (nu + 1)/2.
CompiledDynamics compile_mass_matrix(const Model& model, const Properties<double>& properties);

}  // namespace sestina
