// The tree of bodies as the recursions walk it: a few integers for each body, in the order of the walk, apart
// from the names and texts of the model.
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
  bool is_revolute = false;      // one column, which has no linear part about Mo
  bool turns_every_way = false;  // spherical: the columns are three perpendicular axes about Mo
  bool moves_every_way = false;  // free, on the ground: these, and the same as displacements
  int block = -1;                // number among the joints with one of the last two
};

struct TreeLayout {
  explicit TreeLayout(const Model& model);

  // Consecutive coordinates that are angles of revolute joints.
  struct Angles {
    int q_start = 0, count = 0;
  };

  // Those of these bodies, which stand in ascending order or nearly so.
  std::vector<Angles> find_angles(std::span<const int> bodies) const;

  std::vector<BodyLink> links;  // by BodyIndex
  std::vector<Angles> angles;
  int num_blocks = 0;
};

// One body in a walk over a part of the tree, and how the sums of a walk backwards (tips inward) reach it:
// from the body after it in the walk, where that is a child, by hand ("carry"); from any further children
// through a numbered place in memory.
struct WalkStep {
  int body = 0;
  int own_sum = -1, parent_sum = -1;  // the places; -1: none
  bool hangs_on_base = false;         // the parent is no part of the walk
  bool takes_carry = false, gives_carry = false;
  bool begins_sum = false;  // the first to put something at the parent's place
};

struct Walk {
  // `bodies`: parents before children, and the first child of a body right after it. All that have their
  // parent elsewhere hang on one body, the base.
  Walk(const TreeLayout& tree, std::span<const int> bodies);
  // All bodies but the ground.
  static Walk over_all(const TreeLayout& tree);

  std::vector<WalkStep> steps;
  int num_sums = 0;
};

}  // namespace sestina
