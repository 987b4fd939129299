// How the numbers of a multipole or local expansion are stored (kernels/multipole_kernels.h), for any m.
#pragma once

#include <complex>
#include <cstdlib>

namespace sestina {

// Returns F_n^m, using F_n^-m = (-1)^m F_n^m*; zero for |m| > n.
inline std::complex<double> expansion_at(const double* expansion, int n, int m) {
  const int k = std::abs(m);
  if (k > n || n < 0) return 0.0;
  const std::complex<double> value(expansion[n * n + k], k == 0 ? 0.0 : expansion[n * n + n + k]);
  return m >= 0 ? value : (k % 2 == 0 ? 1.0 : -1.0) * std::conj(value);
}

}  // namespace sestina
