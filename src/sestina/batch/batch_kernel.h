// The interface to code compiled for each instruction set: dynamics of several states in SIMD lanes.
//
// No type with lanes crosses this interface. docs/decisions/batch.md describes how symbols are kept from
// crossing it.
#pragma once

#include <memory>
#include <span>

#include "sestina/model/model.h"
#include "sestina/parallel/instruction_set.h"

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

// Pointers to the observed numbers; number i of lane l is at [i * lanes + l].
struct LaneObservables {
  double* origins;   // (3 (bodies - 1) x lanes) m, of the bodies' own frames, ground axes
  double* energies;  // (2 x lanes) J, kinetic and potential: see Energy
  double* momentum;  // (6 x lanes) linear and angular: see Momentum
};

// Has its own scratch memory: use one for each thread. The model must outlive it. No call allocates.
class BatchKernel {
 public:
  virtual ~BatchKernel() = default;
  virtual int lanes() const = 0;

  // Computes forward dynamics of the states from `begin` to `end`. Rows of udot (count x nu) without a result
  // (singular mass matrix, or a number that is not finite) are NaN; returns their number.
  virtual int calc_udot(const StateArrays& states, int begin, int end, double* udot) = 0;
  // Computes inverse dynamics: tau (count x nu), the forces that produce udot (count x nu) in addition to
  // those of the model and states.tau. Returns the number of rows with a number that is not finite.
  virtual int calc_tau(const StateArrays& states, int begin, int end, const double* udot, double* tau) = 0;

  // For states that are already in lanes: udot (nu x lanes). Returns bit l for lane l without accelerations.
  virtual unsigned calc_udot(const LaneStates& states, double* udot) = 0;
  // Computes the integrated rates, (nq + nu + 2) x lanes: the rates of q and u, and the powers (W) that
  // forces supply and that dampers dissipate. Returns bit l if lane l has a rate that is not finite; then all
  // of its rates may be NaN.
  virtual unsigned calc_rates(const LaneStates& states, double* rates) = 0;
  // Computes the results beyond the state.
  virtual void calc_observables(const LaneStates& states, const LaneObservables& observables) = 0;
  // Moves q by the displacement (nu x lanes) and normalises Euler parameters: see plus_q().
  virtual void plus_q(const double* q, const double* displacement, double* q_out) = 0;
  virtual void normalize_q(double* q) = 0;

  // For a kernel with one set of properties for each lane: replaces that of a lane by another one with the
  // same signature (lane_signature.h). Only this call allocates.
  virtual void set_properties(int lane, const Properties<double>& properties) = 0;

  // Arithmetic on `count` numbers in each lane (count x lanes). Computes to = from + h sum_j weights[j]
  // terms_j, with h (lanes) and terms_j (count x lanes) one after the other; terms of weight zero are not
  // read. `from` null: zero.
  virtual void add_weighted(int count, const double* from, const double* h, std::span<const double> weights,
                            const double* terms, double* to) = 0;
  // Computes ratio (lanes): the largest |error| / (atol + rtol max(|a|, |b|)), with rtol and atol (lanes);
  // NaN if one of them is not finite.
  virtual void calc_largest_ratio(int count, const double* error, const double* a, const double* b,
                                  const double* rtol, const double* atol, double* ratio) = 0;
  // Returns bit l if lane l has a number that is not finite.
  virtual unsigned find_not_finite(int count, const double* numbers) = 0;
  // Copies the lanes whose bit is set.
  virtual void copy_lanes(unsigned lanes, int count, const double* from, double* to) = 0;
};

// `properties`: one set for all lanes, or one for each lane. The kernel copies them.
std::unique_ptr<BatchKernel> make_batch_kernel(InstructionSet set, const Model& model,
                                               std::span<const Properties<double>* const> properties);

}  // namespace sestina
