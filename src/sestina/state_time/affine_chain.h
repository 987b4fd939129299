// A chain of affine maps, and its solution as a tree.
//
//   s_0 = g_0,   s_i = P_i s_(i-1) + g_i,   i = 1 ... n-1                                             (1)
// Solved one after the other, each map is a product of a matrix and a vector, 2 m^2 operations for m numbers,
// but all n depend on each other. Since the composition of affine maps is associative,
//   (P_b, g_b) after (P_a, g_a) = (P_b P_a, P_b g_a + g_b),                                           (2)
// the chain can be halved: neighbours are composed, the chain of pairs is solved in the same way, and the
// values inside each pair follow by (1). These are log2 n rounds with independent maps, but 2 m^3 operations
// for each (2). The pairs depend only on n, so that results do not depend on the executor.
//
// Source: G. E. Blelloch, Prefix sums and their applications (1990).
#pragma once

#include <Eigen/Dense>
#include <vector>

namespace sestina {

class Executor;

struct AffineMap {
  Eigen::MatrixXd P;  // (m x m); empty: zero, the map ignores its predecessor
  Eigen::VectorXd g;  // (m)
};

// Composes by (2); either may have an empty P.
AffineMap compose(const AffineMap& later, const AffineMap& earlier);

// Solves (1) in turn: s_i replaces g_i. The first map has no predecessor.
void solve_chain_in_turn(std::vector<AffineMap>& chain);
// Solves (1) as a tree, in log2 n rounds; without an executor on the calling thread.
void solve_chain_as_tree(std::vector<AffineMap>& chain, Executor* executor);

}  // namespace sestina
