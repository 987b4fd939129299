// A chain of affine maps, and its solution as a tree.
//
//   s_0 = g_0,   s_i = P_i s_(i-1) + g_i,   i = 1 ... n-1                                             (1)
// One map after the other that is a matrix times a vector each, 2 m^2 operations for m numbers, but n of them
// in turn. Since the composition of affine maps is associative,
//   (P_b, g_b) after (P_a, g_a) = (P_b P_a, P_b g_a + g_b),                                           (2)
// the chain can be halved: neighbours are composed, the chain of pairs is solved in the same way, and what
// lies within each pair follows by (1). That is log2 n rounds, whose maps are independent of each other, but
// 2 m^3 operations for each (2). Pairs depend on n alone, so that results do not depend on the executor.
#pragma once

#include <Eigen/Dense>
#include <vector>

namespace sestina {

class Executor;

struct AffineMap {
  Eigen::MatrixXd P;  // (m x m); empty: the map does not depend on what was before
  Eigen::VectorXd g;  // (m)
};

// (2); either may have an empty P.
AffineMap compose(const AffineMap& later, const AffineMap& earlier);

// (1): s_i takes the place of g_i. The first has no predecessor.
void solve_chain_in_turn(std::vector<AffineMap>& chain);
// The same as a tree, in log2 n rounds; without an executor on the calling thread.
void solve_chain_as_tree(std::vector<AffineMap>& chain, Executor* executor);

}  // namespace sestina
