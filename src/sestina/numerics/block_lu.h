// Factors of the sparse matrices of implicit steps, by small dense blocks along their own graph:
//
//   A = [ E  -C^T ]
//       [ B    0  ]                  E (n x n),  B, C (m x n),  real or complex                       (1)
//
// Consecutive unknowns that are coupled with the same others form a node: the six speeds of a body, the
// conditions of a joint. Nodes are eliminated in the order of block_ldlt.h, for the pattern of A + A^T. For
// the node v and its later neighbours j, k:
//   W_k = A_vv^-1 A_vk,    A_jk' = A_jk - A_jv W_k                                                    (2)
// with row pivoting within A_vv only. A pivot that has lost more than eleven digits to cancellation is
// refused; the matrix may still be regular, but then requires pivoting between nodes.
//
// Source: Duff, Erisman and Reid, Direct Methods for Sparse Matrices (2017), chapters 5 and 11.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sestina/numerics/block_ldlt.h"
#include "sestina/numerics/sparse_pattern.h"

namespace sestina {

// Number: double or std::complex<double>.
template <class Number>
class BlockLu {
 public:
  BlockLu(const SparsePattern& E, const SparsePattern& C);

  // The numbers of E, B and C are in the order of the patterns; rows of B and C that are not active (m) are
  // omitted: their unknowns are zero. False if a pivot is refused. No allocation.
  bool factor(std::span<const Number> E, std::span<const Number> B, std::span<const double> C,
              std::span<const char> is_active);
  // f (n) and d (m) become the solution. No allocation.
  void solve(std::span<Number> f, std::span<Number> d);

 private:
  static constexpr int kMostSize = 6;  // of a node
  struct Node {
    int size = 0, start = 0;
    int width = 0;                 // unknowns of all later neighbours
    std::size_t first = 0;         // in neighbours_
    int neighbours = 0;            // number of neighbours
    std::size_t D = 0;             // in values_: A_vv, then its inverse (size x size)
    std::size_t U = 0;             // A_vk, then W (size x width)
    std::size_t L = 0;             // A_jv (width x size)
    std::size_t first_target = 0;  // in targets_: (neighbours x neighbours)
  };
  struct Neighbour {
    int place = 0, start = 0, size = 0, column = 0;  // of the node; of its unknowns in U
  };
  // The place of block A_jk of two neighbours.
  struct Target {
    std::size_t at = 0;  // in values_
    int stride = 0;
  };

  void find_nodes(const SparsePattern& E, const SparsePattern& C);
  void lay_out(const EliminationOrder& order, const BlockPattern& pattern);
  void find_targets();
  std::size_t find_block(const Node& earlier, int later_place) const;
  int find_place_of_number(int row, int column) const;
  void find_places_of_numbers(const SparsePattern& E, const SparsePattern& C);
  template <int N>
  bool factor_node_of(const Node& node);
  template <int N>
  bool invert(const Node& node);
  template <int N>
  void update_targets(const Node& node);
  template <int N>
  void solve_forward(const Node& node);
  template <int N>
  void solve_backward(const Node& node);

  int n_ = 0, m_ = 0;
  std::vector<int> node_of_;            // by unknown of (1)
  std::vector<int> position_;           // by unknown of (1): in the order of elimination
  std::vector<int> place_of_, offset_;  // by position: index of its node, and position within the node
  std::vector<Node> nodes_;             // by place
  std::vector<Neighbour> neighbours_;
  std::vector<Target> targets_;
  std::vector<int> of_E_, of_B_, of_C_;  // in values_, by number of the patterns
  std::vector<int> of_diagonal_;         // in values_, by row of C
  std::vector<int> row_of_C_;            // by number of C
  std::vector<Number> values_;
  std::vector<double> scales_;  // by position: the sum of the magnitudes in the pivot
  std::vector<Number> x_, work_;
};

}  // namespace sestina
