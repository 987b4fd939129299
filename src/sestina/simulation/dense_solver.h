// Small systems of linear equations: Gaussian elimination with row pivoting, each row scaled by its largest
// element. Nothing allocates memory after `resize`.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace sestina::symbolic {

class DenseSolver {
 public:
  void resize(std::size_t n) {
    n_ = n;
    elements_.assign(n * n, 0.0);
    rows_.assign(n, 0);
    right_.assign(n, 0.0);
  }
  std::size_t size() const { return n_; }
  // Fill the elements before `factorize`, which overwrites them.
  double& operator()(std::size_t i, std::size_t j) { return elements_[i * n_ + j]; }

  // Returns the first unknown that the equations before it do not determine, within round-off, or -1.
  int factorize() {
    constexpr double kRoundOff = 1e-15;
    for (std::size_t i = 0; i < n_; ++i) {
      rows_[i] = i;
      double largest = 0.0;
      for (std::size_t j = 0; j < n_; ++j) largest = std::fmax(largest, std::abs((*this)(i, j)));
      right_[i] = largest > 0.0 ? 1.0 / largest : 0.0;
    }
    for (std::size_t k = 0; k < n_; ++k) {
      std::size_t best = k;
      for (std::size_t i = k + 1; i < n_; ++i) {
        if (scaled(i, k) > scaled(best, k)) best = i;
      }
      if (!(scaled(best, k) > kRoundOff)) return static_cast<int>(k);
      std::swap(rows_[k], rows_[best]);
      for (std::size_t i = k + 1; i < n_; ++i) {
        double& factor = at(i, k);
        factor /= at(k, k);
        for (std::size_t j = k + 1; j < n_; ++j) at(i, j) -= factor * at(k, j);
      }
    }
    return -1;
  }

  // Solves in place.
  void solve(std::span<double> b) {
    for (std::size_t i = 0; i < n_; ++i) {
      right_[i] = b[rows_[i]];
      for (std::size_t j = 0; j < i; ++j) right_[i] -= at(i, j) * right_[j];
    }
    for (std::size_t i = n_; i-- > 0;) {
      for (std::size_t j = i + 1; j < n_; ++j) right_[i] -= at(i, j) * right_[j];
      right_[i] /= at(i, i);
    }
    for (std::size_t i = 0; i < n_; ++i) b[i] = right_[i];
  }

 private:
  double& at(std::size_t i, std::size_t j) { return elements_[rows_[i] * n_ + j]; }
  double scaled(std::size_t i, std::size_t k) { return std::abs(at(i, k)) * right_[rows_[i]]; }

  std::size_t n_ = 0;
  std::vector<double> elements_;
  std::vector<std::size_t> rows_;
  std::vector<double> right_;  // while factorising: 1 / the largest element of each row
};

}  // namespace sestina::symbolic
