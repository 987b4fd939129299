// The quadratures z of a model's run: the work supplied by given forces and the work dissipated in dampers
// (J), followed by the integrals among the model's own columns.
#pragma once

#include "sestina/workspace/column_inputs.h"

namespace sestina {

inline constexpr int kSuppliedWork = 0, kDissipatedWork = 1, kNumWorks = 2;

inline int num_quadratures(const Model& model) { return kNumWorks + output_columns(model).num_integrals(); }

class QuadratureRates {
 public:
  // The dynamics must outlive this object.
  explicit QuadratureRates(const ForwardDynamics& dynamics);

  int size() const { return kNumWorks + columns_.num_integrals(); }
  // Whether all rates are zero at any state.
  bool vanish() const;
  // Computes zdot (size) at the state that the dynamics has evaluated last. No allocation. Throws
  // ComputationError with the name of the force or column whose rate is not finite.
  void calc(const State<double>& state, std::span<double> zdot);

 private:
  void calc_integrals(const State<double>& state, std::span<double> rates);

  const ForwardDynamics& dynamics_;
  const OutputColumns& columns_;
  ColumnInputs inputs_;
  std::vector<double> scratch_;
};

}  // namespace sestina
