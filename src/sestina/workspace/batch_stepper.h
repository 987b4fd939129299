// Steps of many states of one model, several at once in SIMD lanes and on several threads: does what a
// Simulator without a controller does, for arrays of the caller.
//
//   BatchStepper stepper(model, calc_properties(*model), {.substeps = 2}, &executor);
//   stepper.step({.count = n, .q = q, .u = u, .tau = tau}, 1e-3, q_next, u_next);
//
// The results for a state do not depend on the other states or on the number of threads, bit for bit. They
// equal those of a Simulator up to rounding.
#pragma once

#include <string>
#include <vector>

#include "sestina/batch/batch_dynamics.h"
#include "sestina/integrate/butcher_tableau.h"
#include "sestina/workspace/simulator.h"

namespace sestina {

// Explains why such steps cannot be taken in lanes ("the rule verlet is not an explicit Runge-Kutta rule");
// empty if they can.
std::string explain_no_batch_steps(const Model& model, const SimulatorOptions& options);

class BatchStepper {
 public:
  // Runs on the caller's thread without an executor; otherwise the executor must outlive the stepper. Throws
  // InputError with the reason of explain_no_batch_steps().
  BatchStepper(std::shared_ptr<const Model> model, const Properties<double>& properties,
               const SimulatorOptions& options, Executor* executor = nullptr,
               InstructionSet instruction_set = default_instruction_set());

  // Replaces the number of sub-steps in the options; 1 or more.
  void set_substeps(int substeps) { substeps_ = substeps; }
  // Computes q (count x nq) and u (count x nu) after dt (s, positive), in other arrays than those of `from`.
  // Discrete variables and tau (N m, N) are constant. Rows of states that fail are NaN and are returned in
  // ascending order; others are unaffected. Allocates for more states than ever before, or a failure.
  std::vector<StateFailure> step(const StateArrays& from, double dt, std::span<double> q,
                                 std::span<double> u);

 private:
  void resize(std::size_t count);
  void take_substep(StateArrays& at, double t_offset, double h, std::span<double> q, std::span<double> u);
  void calc_rates(const StateArrays& at, int stage);
  // to = from + h times the weighted sum of the first rates, in rows of `width` numbers.
  void add_rates(std::span<const double> weights, const std::vector<double>& rates, std::size_t width,
                 double h, std::span<const double> from, std::span<double> to);
  void find_not_finite(std::span<const double> numbers, const std::vector<std::string>& names);
  void add_failures(const std::vector<StateFailure>& failures);
  template <class Work>
  void for_rows(const Work& work);

  std::shared_ptr<const Model> model_;
  BatchDynamics dynamics_;
  Executor* executor_;
  ButcherTableau tableau_;
  int substeps_;
  bool has_rotations_;
  int count_ = 0;
  std::size_t nq_, nu_;
  std::vector<double> t_, q_stage_, u_stage_;  // (count), (count x nq), (count x nu)
  std::vector<double> q_rates_, u_rates_;      // (stages x count x nq), (stages x count x nu)
  std::vector<double> t_begin_;                // (count)
  std::vector<StateFailure> failures_;
};

}  // namespace sestina
