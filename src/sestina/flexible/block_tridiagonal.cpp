#include "sestina/flexible/block_tridiagonal.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sestina {

namespace {

// In place, with row exchanges. Returns false at a pivot that is zero or not a number.
bool factor_block(Mat6<double>& A, int (&pivots)[6]) {
  for (int k = 0; k < 6; ++k) {
    int largest = k;
    for (int i = k + 1; i < 6; ++i) {
      if (std::abs(A.m[i][k]) > std::abs(A.m[largest][k])) largest = i;
    }
    pivots[k] = largest;
    if (largest != k) std::swap(A.m[k], A.m[largest]);
    if (!(std::abs(A.m[k][k]) > 0.0)) return false;
    for (int i = k + 1; i < 6; ++i) {
      const double factor = A.m[i][k] /= A.m[k][k];
      for (int j = k + 1; j < 6; ++j) A.m[i][j] -= factor * A.m[k][j];
    }
  }
  return true;
}

// Solves for kColumns right-hand sides, which are the columns of `b` by rows.
template <int kColumns>
void solve_block(const Mat6<double>& A, const int (&pivots)[6], double (*b)[kColumns]) {
  for (int k = 0; k < 6; ++k) {
    if (pivots[k] != k) std::swap(b[k], b[pivots[k]]);
  }
  for (int k = 0; k < 6; ++k) {
    for (int i = k + 1; i < 6; ++i) {
      for (int j = 0; j < kColumns; ++j) b[i][j] -= A.m[i][k] * b[k][j];
    }
  }
  for (int k = 5; k >= 0; --k) {
    for (int j = 0; j < kColumns; ++j) b[k][j] /= A.m[k][k];
    for (int i = 0; i < k; ++i) {
      for (int j = 0; j < kColumns; ++j) b[i][j] -= A.m[i][k] * b[k][j];
    }
  }
}

}  // namespace

BlockTridiagonal::BlockTridiagonal(int nodes) : nodes_(static_cast<std::size_t>(nodes)) {}

void BlockTridiagonal::set_zero() { std::fill(nodes_.begin(), nodes_.end(), Node{}); }

bool BlockTridiagonal::factor() {
  sign_ = 1, log_determinant_ = 0.0;
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    Node& node = nodes_[k];
    if (k > 0) node.diagonal = node.diagonal - node.before * nodes_[k - 1].after;  // (2)
    if (!factor_block(node.diagonal, node.pivots)) return false;
    for (int i = 0; i < 6; ++i) {
      const double pivot = node.diagonal.m[i][i];
      log_determinant_ += std::log(std::abs(pivot));
      if ((pivot < 0.0) != (node.pivots[i] != i)) sign_ = -sign_;
    }
    solve_block<6>(node.diagonal, node.pivots, node.after.m);
  }
  return std::isfinite(log_determinant_);
}

void BlockTridiagonal::solve(std::vector<Vec6<double>>& b) const {
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const Node& node = nodes_[k];
    if (k > 0) b[k] = b[k] - node.before * b[k - 1];
    double column[6][1];
    for (int i = 0; i < 6; ++i) column[i][0] = b[k][i];
    solve_block<1>(node.diagonal, node.pivots, column);
    for (int i = 0; i < 6; ++i) b[k][i] = column[i][0];
  }
  for (std::size_t k = nodes_.size() - 1; k-- > 0;) b[k] = b[k] - nodes_[k].after * b[k + 1];
}

}  // namespace sestina
