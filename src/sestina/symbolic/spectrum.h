// All eigenvalues of a matrix of numbers, and how far rounding has moved each.
#pragma once

#include <complex>
#include <span>
#include <vector>

namespace sestina::symbolic {

// By falling real part, then by falling imaginary part.
struct Spectrum {
  std::vector<std::complex<double>> eigenvalues;
  std::vector<double> rounding;   // of each
  std::vector<bool> is_unstable;  // the real part is positive beyond rounding
  double radius = 0.0;            // the largest magnitude
};

// Of n x n finite elements, row by row. The matrix is taken apart into its blocks, and each is balanced.
Spectrum calc_spectrum(std::span<const double> elements, std::size_t n);

}  // namespace sestina::symbolic
