// Eigenvalues of a linearised system, and their motion with a parameter.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "sestina/symbolic/compiled_expressions.h"

namespace sestina::symbolic {

// Returns the eigenvalues of a square matrix of numbers and parameters, by falling real part, then by falling
// imaginary part. The matrix is balanced first. Throws InputError if it is not square or not finite.
std::vector<std::complex<double>> calc_eigenvalues(Mechanics& mechanics, const Matrix& A,
                                                   const ParameterValues& parameters = {});

struct EigenvalueBranches {
  // A value at which the real part of a branch becomes positive or ceases to be positive: it passes zero, or
  // leaves zero, as when two undamped modes meet. Located to 1e-12 of the distance of two values, or to
  // rounding. Of a conjugate pair only the eigenvalue with positive imaginary part is listed; touching zero
  // at one of the values is not a change. Two opposite changes between neighbouring values may be missed.
  struct Change {
    double value = 0.0;  // of the parameter
    std::complex<double> eigenvalue;
    bool is_stabilised = false;  // the real part ceases to be positive for increasing values
  };
  std::vector<double> values;                               // of the parameter
  std::vector<std::vector<std::complex<double>>> branches;  // (eigenvalues x values)
  std::vector<Change> changes;                              // by value
};

// Follows each eigenvalue from value to value. Eigenvalues are assigned so that the sum of their distances
// from a linear extrapolation is least. At the first value they are in the order of calc_eigenvalues. Throws
// InputError if the matrix is not finite.
EigenvalueBranches calc_eigenvalue_branches(Mechanics& mechanics, const Matrix& A,
                                            const Expression& parameter, std::span<const double> values,
                                            const ParameterValues& others = {});

}  // namespace sestina::symbolic
