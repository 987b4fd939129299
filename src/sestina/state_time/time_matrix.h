// The tangent of all elements of a window, and the solution of Newton's linear equations.
//
// With A_e the derivative of element e's equations by its own unknowns and B_e by its start, which is the end
// part of y_(e-1), the system is block lower bidiagonal:
//   A_e dy_e + B_e dend_(e-1) = -r_e,   dend_(-1) = 0                                              (1)
// Two ways to solve it:
//   by elements  every A_e is factored (sparse LU, on the executor: elements are independent of each other),
//                then (1) is solved from the first element to the last
//   sparse       one sparse LU of the whole matrix, which knows nothing of its form: the baseline
// The factors of an element have O(k^2 n) numbers for a chain of n bodies; (1) costs as much for each
// element.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sestina/state_time/element_equations.h"

namespace sestina {

class Executor;

enum class TimeMatrixKind { kByElements, kSparse };

class TimeMatrix {
 public:
  TimeMatrix(const ElementLayout& layout, int elements, TimeMatrixKind kind, Executor* executor);
  ~TimeMatrix();

  // Returns the first element whose part is singular, or -1; the baseline cannot tell which and returns 0.
  int factor(std::span<const std::vector<TangentEntry>> tangents);
  // corrections <- -J^-1 residuals; both (elements x layout.size()).
  void solve(std::span<const double> residuals, std::span<double> corrections);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace sestina
