// All eigenvalues of a matrix of numbers, with bounds of their rounding.
#pragma once

#include <complex>
#include <span>
#include <vector>

namespace sestina::symbolic {

// Sorted by falling real part, then by falling imaginary part.
struct Spectrum {
  std::vector<std::complex<double>> eigenvalues;
  std::vector<double> rounding;   // of each
  std::vector<bool> is_unstable;  // the real part is positive beyond rounding
  double radius = 0.0;            // the largest magnitude
};

// For n x n finite elements by rows. The matrix is split into blocks, each of which is balanced.
Spectrum calc_spectrum(std::span<const double> elements, std::size_t n);

}  // namespace sestina::symbolic
