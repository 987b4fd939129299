// Solves x = g(x) by fixed-point iteration with Anderson's acceleration, down to the level of rounding.
//
//   iteration.start(); do { g = ...; } while (iteration.advance(x, g) == kGoOn);
//
// From the residuals f = g(x) - x of the last few iterates the combination is taken whose residual is the
// smallest in the least-squares sense:
//   x_next = g_k - sum_i gamma_i (g_(i+1) - g_i),   gamma minimises |f_k - sum_i gamma_i (f_(i+1) - f_i)|
//
// It has arrived when the largest residual is a few roundings of the largest |x|, or when residuals that
// are small already no longer shrink because g carries rounding errors of its own.
//
// Source: H. F. Walker, P. Ni, Anderson acceleration for fixed-point iterations, SIAM J. Numer. Anal. 49
// (2011) 1715-1735.
#pragma once

#include <span>
#include <vector>

namespace sestina {

class FixedPointIteration {
 public:
  enum class Status { kGoOn, kArrived, kFailed };

  // Allocates for n unknowns.
  void resize(std::size_t n);
  void start();
  // `x` becomes the next iterate, or g itself on arrival.
  Status advance(std::span<double> x, std::span<const double> g);
  int worst() const { return worst_; }  // the unknown with the largest residual

 private:
  static constexpr int kDepth = 4;

  void remember(std::span<const double> g);
  void accelerate(std::span<double> x, std::span<const double> g);
  std::span<double> column(std::vector<double>& columns, int i) const;

  std::size_t n_ = 0;
  int iterations_ = 0;
  int columns_ = 0;            // differences remembered
  int newest_ = -1;            // where the newest stands
  double least_change_ = 0.0;  // the last residual that was less than half of those before
  int stalls_ = 0;             // residuals since
  int worst_ = 0;
  std::vector<double> residual_, former_residual_, former_g_;  // (n)
  std::vector<double> df_, dg_;                                // (kDepth x n)
  std::vector<double> basis_, basis_dg_;  // (kDepth x n): orthogonalised df with the same combination of dg
};

}  // namespace sestina
