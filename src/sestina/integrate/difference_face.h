// The implicit form for equations that have the explicit form only:
//
//   r = wdot - f(t, q, w),   M = 1,   D = -df/dw,   K = -df/dq
//
// without multipliers: conditions, if any, are solved within f. The tangents are differences, one evaluation
// for each number of u and w.
#pragma once

#include <vector>

#include "sestina/integrate/equations_of_motion.h"

namespace sestina {

class DifferenceFace final : public ImplicitFace {
 public:
  // Allocates everything unless the sizes are unchanged.
  void start(EquationsOfMotion& equations);

  int rows() const override { return 0; }
  const SparsePattern& pattern() const override { return pattern_; }
  const SparsePattern& row_pattern() const override { return row_pattern_; }
  void calc_start(const State<double>& state, std::span<double> wdot, std::span<double> lambda) override;
  void calc_residual(const State<double>& state, std::span<const double> wdot, std::span<const double> lambda,
                     const Residual& to) override;
  Tangents calc_tangents(const State<double>& state, std::span<const double> wdot,
                         std::span<const double> lambda) override;
  double tangent_cost() const override { return 1.0 + static_cast<double>(2 * changed_.size()); }
  void calc_quadrature_rates(const State<double>& state, std::span<const double> lambda,
                             std::span<double> zdot) override;

 private:
  void calc(const State<double>& state, std::span<double> wdot);
  void take_column(std::vector<double>& matrix, int column, double step);

  EquationsOfMotion* equations_ = nullptr;
  StateSizes sizes_;
  SparsePattern pattern_, row_pattern_;
  State<double> moved_;
  std::vector<double> zdot_, base_, changed_;  // (nz), (nw), (nw)
  std::vector<double> displacement_;           // (nu) zeros between uses
  std::vector<double> M_, D_, K_;              // (nw x nw) by columns
};

}  // namespace sestina
