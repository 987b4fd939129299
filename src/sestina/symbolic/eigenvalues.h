// Eigenvalues of a linearised system, and how they move with a parameter.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "sestina/symbolic/compiled_expressions.h"

namespace sestina::symbolic {

// Of a square matrix of numbers and parameters; by falling real part, then by falling imaginary part. The
// matrix is balanced first. InputError where it is not square or not finite.
std::vector<std::complex<double>> calc_eigenvalues(Mechanics& mechanics, const Matrix& A,
                                                   const ParameterValues& parameters = {});

struct EigenvalueBranches {
  // Where the real part of a branch becomes positive, or ceases to be: it passes zero, or leaves zero, as
  // when two undamped modes meet. Located to 1e-12 of the distance of two values, and by rounding. Of a
  // conjugate pair only the one with positive imaginary part is listed; touching zero at one of the values is
  // no change. Two changes between neighbouring values that cancel in number may be missed.
  struct Change {
    double value = 0.0;  // of the parameter
    std::complex<double> eigenvalue;
    bool is_stabilised = false;  // the real part ceases to be positive where the parameter grows
  };
  std::vector<double> values;                               // of the parameter
  std::vector<std::vector<std::complex<double>>> branches;  // (eigenvalues x values)
  std::vector<Change> changes;                              // by value
};

// Follows each eigenvalue from value to value: those that belong together are chosen so that the sum of all
// distances from where the last two values lead is least. At the first value they stand as calc_eigenvalues
// sorts them. InputError where the matrix is not finite.
EigenvalueBranches calc_eigenvalue_branches(Mechanics& mechanics, const Matrix& A,
                                            const Expression& parameter, std::span<const double> values,
                                            const ParameterValues& others = {});

}  // namespace sestina::symbolic
