// Dynamics of one model with one set of numbers, as compiled functions (compiled_function.h) that contain
// only the operations which this model needs: zero terms, unit factors and everything that depends on the
// numbers alone cost nothing. Gravity is included; all other forces enter as generalised forces.
//
//   CompiledDynamics forward = compile_forward_dynamics(model, properties);
//   forward.evaluate(inputs, outputs);                // one state
//   forward.evaluate_many(count, inputs, outputs);    // many states, several at once in SIMD lanes
//
// Compilation takes some microseconds for each operation; see instruction_count().
#pragma once

#include <span>
#include <vector>

#include "sestina/expression/compiled_function.h"
#include "sestina/model/model.h"

namespace sestina {

// Immutable except for its scratch memory: use one copy for each thread.
class CompiledDynamics {
 public:
  CompiledDynamics(CompiledFunction function, const std::vector<double>& values);

  // No allocation. The outputs are nan or inf where a pivot of the mass matrix vanishes.
  void evaluate(std::span<const double> inputs, std::span<double> outputs) {
    function_.evaluate(bound_, inputs, outputs, scratch_);
  }
  // Input i of state k is at [i * count + k], and so are the outputs. The first call allocates scratch
  // memory, as that of a CompiledFunction does.
  void evaluate_many(std::size_t count, std::span<const double> inputs, std::span<double> outputs) {
    function_.evaluate_many(bound_, count, inputs, outputs, scratch_);
  }

  const CompiledFunction& function() const { return function_; }

 private:
  CompiledFunction function_;
  std::vector<double> bound_, scratch_;
};

// q, u, tau -> udot (nu) and the pivots of the mass matrix (nu): the inertia that each speed feels while its
// outboard bodies are free to move.
CompiledDynamics compile_forward_dynamics(const Model& model, const Properties<double>& properties);
// q, u, udot -> tau (nu), the generalised forces that produce udot.
CompiledDynamics compile_inverse_dynamics(const Model& model, const Properties<double>& properties);
// q -> the lower triangle of the mass matrix by rows, nu (nu + 1)/2.
CompiledDynamics compile_mass_matrix(const Model& model, const Properties<double>& properties);

}  // namespace sestina
