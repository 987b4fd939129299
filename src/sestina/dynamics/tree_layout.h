// The tree of bodies as the recursions walk it: a few integers for each body, in the order of the walk, apart
// from the names and texts of the model.
#pragma once

#include <cstdint>
#include <vector>

#include "sestina/model/model.h"

namespace sestina {

struct BodyLink {
  int parent = 0;
  int q_start = 0, u_start = 0;
  std::int16_t nu = 0;
  bool is_revolute = false;  // one column, which has no linear part about Mo
  bool is_leaf = true;
  // Of the children of the parent, the one that a walk from the tips inward meets first: its contribution
  // begins the sum, those of the others are added.
  bool begins_sum = false;
};

struct TreeLayout {
  explicit TreeLayout(const Model& model);

  // Consecutive coordinates that are angles of revolute joints.
  struct Angles {
    int q_start = 0, count = 0;
  };

  int num_bodies() const { return static_cast<int>(links.size()); }  // the ground included

  std::vector<BodyLink> links;  // by BodyIndex
  std::vector<Angles> angles;
};

}  // namespace sestina
