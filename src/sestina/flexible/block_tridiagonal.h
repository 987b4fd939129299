// Linear equations of a chain of nodes with six unknowns each, by block LU without pivoting between nodes.
//
//   L_k x_{k-1} + D_k x_k + U_k x_{k+1} = b_k                                                            (1)
//   D'_k = D_k - L_k D'_{k-1}^-1 U_{k-1},   b'_k = b_k - L_k D'_{k-1}^-1 b'_{k-1}                        (2)
//
// Blocks need not be symmetric: follower loads make them unsymmetric. Within a block the largest pivot of a
// column is used. The cost is linear: about 1000 multiplications per node.
#pragma once

#include <vector>

#include "sestina/spatial/mat6.h"

namespace sestina {

class BlockTridiagonal {
 public:
  explicit BlockTridiagonal(int nodes);

  int size() const { return static_cast<int>(nodes_.size()); }
  void set_zero();
  Mat6<double>& diagonal(int k) { return nodes_[static_cast<std::size_t>(k)].diagonal; }
  Mat6<double>& before(int k) { return nodes_[static_cast<std::size_t>(k)].before; }  // L_k
  Mat6<double>& after(int k) { return nodes_[static_cast<std::size_t>(k)].after; }    // U_k

  // (2). Returns false at a pivot that is zero or not a number. The blocks are overwritten.
  bool factor();
  // x in place of b.
  void solve(std::vector<Vec6<double>>& b) const;
  // Sign of the determinant and logarithm of its magnitude, after factor().
  int sign() const { return sign_; }
  double log_determinant() const { return log_determinant_; }

 private:
  struct Node {
    Mat6<double> before, diagonal, after;  // after factor(): diagonal holds LU, after D'^-1 U
    int pivots[6] = {};
  };
  std::vector<Node> nodes_;
  int sign_ = 1;
  double log_determinant_ = 0.0;
};

}  // namespace sestina
