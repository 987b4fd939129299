// Forward and inverse dynamics of many states of one model, several at once in the lanes of SIMD registers,
// and on several threads.
//
//   BatchDynamics dynamics(model, calc_properties(*model), &executor);
//   const auto failures = dynamics.calc_udot({.count = n, .q = q, .u = u, .tau = tau}, udot);
//
// Arrays hold one state after the other: q[k * nq + i] is coordinate i of state k, as in a numpy array with
// one row per state. Every joint and every force is allowed; models with a user force, a connector or a
// constraint are computed one state at a time.
//
// The results of a state do not depend on the other states, on their order or number, or on the number of
// threads, bit for bit. They are those of ForwardDynamics with the recursive solver to round-off; their last
// bits depend on the instruction set (docs/decisions/batch.md).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sestina/batch/batch_kernel.h"
#include "sestina/dynamics/forward_dynamics.h"
#include "sestina/parallel/executor.h"

namespace sestina {

// A state whose row of results is NaN, and the reason: the joint at which the mass matrix is singular, or the
// force or number that is not finite.
struct StateFailure {
  int state = 0;
  std::string reason;
};

class BatchDynamics {
 public:
  // Keeps the model alive. Without an executor runs on the caller's thread; otherwise the executor must
  // outlive this object.
  BatchDynamics(std::shared_ptr<const Model> model, Properties<double> properties,
                Executor* executor = nullptr, InstructionSet instruction_set = default_instruction_set());

  // udot (count x nu). Returns the states that fail in ascending order; they do not affect others. Allocates
  // only after a failure. Throws InputError if an array does not have the size for `count` states.
  std::vector<StateFailure> calc_udot(const StateArrays& states, std::span<double> udot);
  // tau (count x nu): the generalised forces that produce udot (count x nu) in addition to the model's forces
  // and states.tau. Singular mass matrices are allowed here.
  std::vector<StateFailure> calc_tau(const StateArrays& states, std::span<const double> udot,
                                     std::span<double> tau);

  InstructionSet instruction_set() const { return instruction_set_; }
  const Model& model() const { return *model_; }

 private:
  void check_size(const char* array, std::size_t given, int count, int width, bool may_be_empty) const;
  void check(const StateArrays& states) const;
  void load(const StateArrays& states, int k);
  // Calls evaluate(kernel, begin, end) for all states, and returns the number of failures.
  template <class Evaluate>
  int for_all(int count, const Evaluate& evaluate);
  std::string try_udot(const StateArrays& states, int k, std::span<double> udot);
  std::string try_tau(const StateArrays& states, int k, std::span<const double> udot, std::span<double> tau);

  std::shared_ptr<const Model> model_;
  Executor* executor_;
  InstructionSet instruction_set_;
  ForwardDynamics scalar_;  // for single states: user forces, and reasons of failures
  InverseDynamics<double> inverse_;
  State<double> state_;
  std::vector<std::unique_ptr<BatchKernel>> kernels_;  // one for each thread; none with user forces
};

}  // namespace sestina
