// Solves x = g(x) by fixed-point iteration with Anderson acceleration, down to the level of rounding.
//
//   iteration.start(); do { g = ...; } while (iteration.advance(x, g) == kGoOn);
//
// or use `solve`, which returns the report of a step.
//
// From the residuals f = g(x) - x of the last few iterates it forms the combination whose residual is the
// smallest in the least-squares sense:
//   x_next = g_k - sum_i gamma_i (g_(i+1) - g_i),   gamma minimises |f_k - sum_i gamma_i (f_(i+1) - f_i)|
//
// The iteration has converged when the largest residual is a few roundings of the largest |x|, or when small
// residuals no longer decrease because of rounding errors in g.
//
// Source: H. F. Walker, P. Ni, Anderson acceleration for fixed-point iterations, SIAM J. Numer. Anal. 49
// (2011) 1715-1735.
#pragma once

#include <span>
#include <vector>

#include "sestina/integrate/integration_rule.h"

namespace sestina {

class FixedPointIteration {
 public:
  enum class Status { kGoOn, kArrived, kFailed };

  // Allocates memory for n unknowns.
  void resize(std::size_t n);
  void start();
  // Replaces `x` by the next iterate, or by g itself on convergence.
  Status advance(std::span<double> x, std::span<const double> g);
  int worst() const { return worst_; }  // the unknown with the largest residual

  // Iterates from x, which contains one set of nu speeds or several. `update()` computes g from x and returns
  // -1, or the index through [q, u] of a value that is not finite. At the first guess this is reported as
  // such; later it means that the iteration diverges.
  template <class Update>
  StepReport solve(std::span<double> x, std::span<const double> g, int nq, int nu, Update&& update);

 private:
  static constexpr int kDepth = 4;

  void remember(std::span<const double> g);
  void accelerate(std::span<double> x, std::span<const double> g);
  std::span<double> column(std::vector<double>& columns, int i) const;

  std::size_t n_ = 0;
  int iterations_ = 0;
  int columns_ = 0;            // number of stored differences
  int newest_ = -1;            // column of the newest
  double least_change_ = 0.0;  // the last residual that was less than half of the previous ones
  int stalls_ = 0;             // number of residuals since
  int worst_ = 0;
  std::vector<double> residual_, former_residual_, former_g_;  // (n)
  std::vector<double> df_, dg_;                                // (kDepth x n)
  std::vector<double> basis_, basis_dg_;  // (kDepth x n): orthogonalised df with the same combination of dg
};

template <class Update>
StepReport FixedPointIteration::solve(std::span<double> x, std::span<const double> g, int nq, int nu,
                                      Update&& update) {
  start();
  while (true) {
    int bad = update();
    if (bad < 0) {
      const int i = first_not_finite(g);
      bad = i < 0 ? -1 : nq + i % nu;
    }
    if (bad >= 0) return {iterations_ == 0 ? StepStatus::kNotFinite : StepStatus::kNotConverged, bad};
    switch (advance(x, g)) {
      case Status::kGoOn:
        break;
      case Status::kArrived:
        return {};
      case Status::kFailed:
        return {StepStatus::kNotConverged, nq + worst() % nu};
    }
  }
}

}  // namespace sestina
