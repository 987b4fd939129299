// What is compiled once for each instruction set: dynamics of several states in the lanes of its registers.
//
// This header is the border: nothing with a lane in it passes. How symbols are kept from passing stands in
// docs/decisions/batch.md.
#pragma once

#include <memory>
#include <span>

#include "sestina/batch/instruction_set.h"
#include "sestina/model/model.h"

namespace sestina {

// Many states of one model, one after the other in each array.
struct StateArrays {
  int count = 0;
  std::span<const double> t = {};    // (count) s; empty: all at t = 0
  std::span<const double> q;         // (count x nq)
  std::span<const double> u;         // (count x nu)
  std::span<const double> d = {};    // (count x nd) discrete variables
  std::span<const double> tau = {};  // (count x nu) added to the generalised forces; empty: nothing
};

// One state in each lane; number i of lane l at [i * lanes + l].
struct LaneStates {
  const double* t;  // (lanes)
  const double* q;  // (nq x lanes)
  const double* u;  // (nu x lanes)
  const double* d;  // (nd x lanes)
};

// With its own scratch memory: one for each thread. The model must outlive it. No call allocates.
class BatchKernel {
 public:
  virtual ~BatchKernel() = default;
  virtual int lanes() const = 0;

  // Forward dynamics of the states from `begin` to `end`. Rows of udot (count x nu) whose state has no
  // accelerations (singular mass matrix, or a number that is not finite) are NaN; returns how many.
  virtual int calc_udot(const StateArrays& states, int begin, int end, double* udot) = 0;
  // Inverse dynamics: tau (count x nu), what udot (count x nu) asks for beyond the forces of the model and
  // states.tau. Returns how many rows have a number that is not finite.
  virtual int calc_tau(const StateArrays& states, int begin, int end, const double* udot, double* tau) = 0;

  // For who keeps states in lanes: udot (nu x lanes). Bit l of the result: lane l has no accelerations.
  virtual unsigned calc_udot(const LaneStates& states, double* udot) = 0;
  // q moved by the displacement (nu x lanes), and Euler parameters brought back to norm one: see plus_q().
  virtual void plus_q(const double* q, const double* displacement, double* q_out) = 0;
  virtual void normalize_q(double* q) = 0;
};

// `properties`: one set for all lanes, or one for each lane. They are copied.
std::unique_ptr<BatchKernel> make_batch_kernel(InstructionSet set, const Model& model,
                                               std::span<const Properties<double>* const> properties);

}  // namespace sestina
