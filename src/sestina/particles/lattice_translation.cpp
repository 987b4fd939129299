#include "sestina/particles/lattice_translation.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

#include "sestina/numerics/cache_line_vector.h"
#include "sestina/particles/multipole_expansion.h"

namespace sestina {
namespace {

using Complex = std::complex<double>;

constexpr int kEnough = 48;  // orders of (2): (sqrt(3)/6)^44 is below round-off

bool is_nonzero(int n, int m) { return n >= 4 && n % 2 == 0 && m % 4 == 0; }

// Returns the sums of Upsilon or Theta over the places whose largest coordinate is from `least` to `most`.
std::vector<double> sum_over(int least, int most, int order, void (*add)(const PointTask&)) {
  CacheLineVector<double> x, y, z;
  for (int a = -most; a <= most; ++a) {
    for (int b = -most; b <= most; ++b) {
      for (int c = -most; c <= most; ++c) {
        if (std::max({std::abs(a), std::abs(b), std::abs(c)}) < least) continue;
        x.push_back(a), y.push_back(b), z.push_back(c);
      }
    }
  }
  const std::size_t n = x.size();
  for (CacheLineVector<double>* values : {&x, &y, &z}) values->resize(n + 16, 1.0);
  const CacheLineVector<double> charge(n + 16, 1.0);
  std::vector<double> sums(static_cast<std::size_t>((order + 1) * (order + 1)), 0.0);
  CacheLineVector<double> scratch(8 * sums.size() + 64);
  PointTask task;
  task.order = order;
  task.x = x.data(), task.y = y.data(), task.z = z.data();
  task.end = static_cast<int>(n);
  task.inverse_side = 1.0;
  task.charge = charge.data();
  task.expansion = sums.data();
  task.scratch = scratch.data();
  add(task);
  return sums;
}

void put(std::vector<double>& expansion, int n, int m, const Complex& value) {
  expansion[n * n + m] = value.real();
  if (m > 0) expansion[n * n + n + m] = value.imag();
}

// sum_kl (-1)^k M_k^l* T_{j+k}^{i+l} scale^(j+k+1), for k from `first` to `last`.
Complex translate(const double* M, const double* T, int j, int i, int first, int last, double scale) {
  Complex sum = 0.0;
  for (int k = first; k <= last; ++k) {
    if ((j + k) % 2 != 0 || j + k < 4) continue;
    Complex part = 0.0;
    for (int l = -k; l <= k; ++l) {
      if (is_nonzero(j + k, i + l)) part += std::conj(expansion_at(M, k, l)) * expansion_at(T, j + k, i + l);
    }
    sum += (k % 2 == 0 ? 1.0 : -1.0) * std::pow(scale, j + k + 1) * part;
  }
  return sum;
}

}  // namespace

LatticeTranslation::LatticeTranslation(int order, std::vector<double> norms, const MultipoleKernels& kernels)
    : order_(order), norms_(std::move(norms)) {
  const int highest = std::max(2 * order, kEnough);
  const std::vector<double> first = sum_over(2, 4, highest, kernels.add_irregular);
  const std::vector<double> N = sum_over(0, 1, highest, kernels.add_regular);
  sums_.assign(first.size(), 0.0);
  for (int n = highest - highest % 2; n >= 4; n -= 2) {  // for k = 0, T_n is on both sides of (2)
    const double own = 27.0 * std::pow(3.0, -n - 1);
    for (int m = 0; m <= n; m += 4) {
      const Complex farther = translate(N.data(), sums_.data(), n, m, 1, highest - n, 1.0 / 3.0);
      put(sums_, n, m, (expansion_at(first.data(), n, m) + farther) / (1.0 - own));
    }
  }
}

void LatticeTranslation::add(const double* multipole, double* local) const {
  std::vector<double> M(multipole, multipole + norms_.size());
  for (std::size_t i = 0; i < M.size(); ++i) M[i] /= norms_[i];
  for (int j = 0; j <= order_; ++j) {
    for (int i = 0; i <= j; ++i) {
      const Complex F = translate(M.data(), sums_.data(), j, i, 0, order_, 1.0);
      local[j * j + i] += F.real() / norms_[j * j + i];
      if (i > 0) local[j * j + j + i] += F.imag() / norms_[j * j + j + i];
    }
  }
}

}  // namespace sestina
