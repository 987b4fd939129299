// The tree of bodies in the form that the recursions use: a few integers for each body, in the order of the
// walk, without the names and texts of the model.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sestina/model/model.h"

namespace sestina {

struct BodyLink {
  int parent = 0;
  int q_start = 0, u_start = 0;
  std::int16_t nu = 0;
  bool is_revolute = false;        // one column, with H.v = 0
  bool is_spherical = false;       // three columns: perpendicular axes through Mo
  bool is_free_on_ground = false;  // six columns: these axes, and translations along them
  int block = -1;                  // number among the joints of these last two kinds; -1: other
};

struct TreeLayout {
  explicit TreeLayout(const Model& model);
  // Without `angles` and blocks.
  explicit TreeLayout(std::vector<BodyLink> links_by_index) : links(std::move(links_by_index)) {}

  // Consecutive coordinates that are angles of revolute joints.
  struct Angles {
    int q_start = 0, count = 0;
  };

  // Finds the runs of angles of these bodies, which are in ascending order or nearly so.
  std::vector<Angles> find_angles(std::span<const int> bodies) const;

  std::vector<BodyLink> links;  // by BodyIndex
  std::vector<Angles> angles;
  int num_blocks = 0;
};

// By BodyIndex: the bodies from i to the end of i before another body are the subtree of i.
std::vector<std::size_t> find_subtree_ends(const Model& model);

// One body in a walk over a part of the tree. A walk backwards (tips inward) passes sums to the parent: in a
// register ("carry") if the parent precedes the body in the walk; otherwise through a numbered element of an
// array.
struct WalkStep {
  int body = 0;
  int own_sum = -1, parent_sum = -1;  // indices of the sums; -1: none
  bool hangs_on_base = false;         // the parent is not part of the walk
  bool takes_carry = false, gives_carry = false;
  bool begins_sum = false;  // the first child to write the parent's sum
};

struct Walk {
  // `bodies`: parents before children, and the first child of a body right after it. All bodies whose parent
  // is not among them hang on one body, the base.
  Walk(const TreeLayout& tree, std::span<const int> bodies);
  // Walks over all bodies except the ground.
  static Walk over_all(const TreeLayout& tree);

  std::vector<WalkStep> steps;
  int num_sums = 0;
};

}  // namespace sestina
