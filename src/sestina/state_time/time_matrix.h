// The tangent of all elements of a window, and the solution of Newton's linear equations.
//
// With A_e the derivative of element e's equations by its own unknowns and B_e by its start, which is the end
// part of y_(e-1), the system is block lower bidiagonal:
//   A_e dy_e + B_e dend_(e-1) = -r_e,   dend_(-1) = 0                                              (1)
// Three ways to solve it:
//   tree         every A_e is factored along the tree of the mechanism (tree_factor.h), on the executor:
//                elements are independent of each other; then (1) is solved from the first element to the
//                last. Where a force couples bodies that no joint connects, by elements instead
//   by elements  the same with a sparse LU of every A_e, which knows nothing of the tree
//   sparse       one sparse LU of the whole matrix, which knows nothing of elements: the baseline
// A sparse LU is analysed again only when its pattern has changed.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "sestina/state_time/tree_factor.h"

namespace sestina {

class Executor;

enum class TimeMatrixKind { kTree, kByElements, kSparse };

class TimeMatrix {
 public:
  // Of at most so many elements with these equations. The linear part is solved along the tree, whatever
  // `kind` says.
  TimeMatrix(const ElementEquations& equations, int elements, TimeMatrixKind kind, TangentPart part,
             Executor* executor);
  ~TimeMatrix();

  // Of elements of these lengths (s), a tangent for each. Returns the first element whose part is singular,
  // or -1; the baseline cannot tell which and returns 0.
  int factor(std::span<const double> lengths, std::span<const std::vector<TangentEntry>> tangents,
             const std::atomic<bool>* interrupt = nullptr);
  // corrections <- -J^-1 residuals; both (as many elements x layout.size()).
  void solve(std::span<const double> residuals, std::span<double> corrections);

  // Of a stretch of elements by itself, where the matrix is factored by elements or along trees. Stretches
  // that have no element in common may be solved at the same time.
  struct Stretch {
    int first = 0, count = 0;  // elements
  };
  // (1) of these elements, with the start of the first changed by start_change (layout.start_size()), or by
  // nothing where that is empty. residuals and corrections are those of all elements.
  void solve_stretch(Stretch stretch, std::span<const double> start_change, std::span<const double> residuals,
                     std::span<double> corrections);
  // Without residuals: each of `columns` changes of the start of the first (layout.start_size() x columns, by
  // rows) gives way to the change of the end of the last that it brings about.
  void carry(Stretch stretch, int columns, std::span<double> changes);

  // The way that is taken.
  TimeMatrixKind kind() const;
  int unknowns_of_element() const;  // of the linear equations that are factored

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace sestina
