// The speeds of a model in blocks, for computations over pairs of an inboard and an outboard speed: up to
// eight pairs of a block are computed side by side.
//
// A block holds consecutive speeds, each inboard of the next without a branch between them. The speeds
// inboard of any speed are then those before it in its own block and all of the blocks inboard of that.
//
// Each block has a reference point R, Mo of the joint of its first speed, which moves with that body.
// Quantities of a speed are given about R by `arm` and shifted from block to block by `offset`.
#pragma once

#include <vector>

#include "sestina/model/model.h"

namespace sestina {

struct SpeedBlock {
  int first = 0, count = 0;  // speeds; count <= 8
  int inboard = -1;          // the next block inboard; -1: none
};

struct SpeedBlocks {
  explicit SpeedBlocks(const Model& model);

  std::vector<SpeedBlock> blocks;
  std::vector<int> block_of_speed;  // (nu)
  std::vector<int> block_of_body;   // by BodyIndex: block of the last speed of the path to it; -1: none
};

}  // namespace sestina
