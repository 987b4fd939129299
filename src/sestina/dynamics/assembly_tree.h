// Defines how a tree of bodies is cut into pieces and assembled again in a number of levels that grows with
// the logarithm of the number of pieces. Depends on the topology and a grain only, never on the thread count.
//
// A piece is a set of bodies that hangs on one body, its base (which is not part of it), by one or several
// joints, and that has at most one handle: a body of the piece on which further pieces hang.
//
//                    base         handle
//        ... ---(piece 1)--o---(piece 2)--o---(piece 3)
//
// Nodes 0 ... pieces-1 are the pieces; every assembly makes a further node out of two. The assemblies of one
// level are independent of each other. It is tree contraction by rake and compress:
//   kBundle  two nodes without handle on one base become one                       (rake)
//   kAttach  a node without handle joins the node on whose handle it hangs; the handle stays open (rake)
//   kExtend  a node joins the node on whose handle it alone hangs; the handle becomes its own, or none
//            (compress, or the last rake)
// Source: Miller and Reif, Parallel tree contraction and its application (1985).
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "sestina/model/model.h"

namespace sestina {

struct AssemblyTree {
  struct Piece {
    std::vector<BodyIndex> bodies;  // parents before children
  };
  enum class Kind { kBundle, kAttach, kExtend };
  struct Assembly {
    Kind kind;
    int inner, outer;  // nodes; of a bundle in any order
  };
  struct Node {
    BodyIndex base;
    BodyIndex handle;  // invalid when there is none
  };

  // `may_be_handle[b]` is false for a body that should not end a piece because its own inertia does not
  // resist its joint's motion; such a cut is avoided unless the tree branches there.
  AssemblyTree(const Model& model, int grain, const std::vector<bool>& may_be_handle);

  // Bundles roots until each of these pairs of roots is within one node, in levels of their own.
  void bundle_roots(std::vector<std::pair<int, int>> pairs);

  std::vector<Piece> pieces;
  std::vector<Assembly> assemblies;  // assembly i makes node pieces.size() + i
  std::vector<int> level_starts;     // level l is [level_starts[l], level_starts[l + 1])
  std::vector<Node> nodes;
  std::vector<int> roots;  // the nodes that are left: on the ground, without handle

  int num_levels() const { return static_cast<int>(level_starts.size()) - 1; }
};

// True for each body whose own inertia along each column of its joint exceeds a fraction of its inertia in
// any direction, so that it may be a handle.
std::vector<bool> find_strong_bodies(const Model& model);

// How the pieces and assemblies of a tree are distributed as tasks, in the same way for any number of
// threads. A block is a node of some level with all that it is made of. Levels above the blocks are spread
// over the threads while they have enough assemblies; the assemblies from `first_serial` on are one task.
struct AssemblyBlocks {
  explicit AssemblyBlocks(const AssemblyTree& tree);

  struct Block {
    std::vector<int> pieces, assemblies;  // in order
  };
  std::vector<Block> blocks;
  int first_spread = 0, end_spread = 0;  // levels
  int first_serial = 0;                  // assembly
};

}  // namespace sestina
