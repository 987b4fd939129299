// The tangent of all elements of a window, and the solution of Newton's linear equations.
//
// With A_e the derivative of element e's equations with respect to its own unknowns and B_e that with respect
// to its start, which is the end part of y_(e-1), the system is block lower bidiagonal:
//   A_e dy_e + B_e dend_(e-1) = -r_e,   dend_(-1) = 0                                              (1)
// Three ways to solve it:
//   tree         every A_e is factored along the tree of the mechanism (tree_factor.h), on the executor:
//                elements are independent of each other; then (1) is solved from the first element to the
//                last. If a force couples bodies that no joint connects, or if the tree with its loops open
//                is singular, by elements instead
//   by elements  the same with a sparse LU of every A_e, which does not use the tree
//   sparse       one sparse LU of the whole matrix, which does not use the elements: the baseline
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
  // For up to `elements` elements with these equations. The linear part is always solved along the tree,
  // whatever `kind` is.
  TimeMatrix(const ElementEquations& equations, int elements, TimeMatrixKind kind, TangentPart part,
             Executor* executor);
  ~TimeMatrix();

  // Factors the tangents of elements with these lengths (s). Returns the first element whose part is
  // singular, or -1; the baseline cannot identify it and returns 0.
  int factor(std::span<const double> lengths, std::span<const std::vector<TangentEntry>> tangents,
             const std::atomic<bool>* interrupt = nullptr);
  // corrections <- -J^-1 residuals; both (elements x layout.size()).
  void solve(std::span<const double> residuals, std::span<double> corrections);

  // A range of elements that is solved by itself, if the matrix is factored by elements or along trees.
  // Disjoint stretches may be solved at the same time.
  struct Stretch {
    int first = 0, count = 0;  // elements
  };
  // Solves (1) for these elements; the start of the first changes by start_change (layout.start_size()), or
  // not at all if that is empty. residuals and corrections are those of all elements.
  void solve_stretch(Stretch stretch, std::span<const double> start_change, std::span<const double> residuals,
                     std::span<double> corrections);
  // Solves (1) without residuals: replaces each of `columns` changes of the first element's start
  // (layout.start_size() x columns, by rows) by the resulting change of the last element's end.
  void carry(Stretch stretch, int columns, std::span<double> changes);

  // The method in use.
  TimeMatrixKind kind() const;
  int unknowns_of_element() const;  // of the linear equations that are factored

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace sestina
