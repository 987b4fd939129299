// The speeds of a model in blocks, for what is computed for each pair of an inboard and an outboard speed: of
// a block up to eight pairs are computed side by side.
//
// A block holds consecutive speeds, each inboard of the next without a branch between them. The speeds
// inboard of any speed are then those before it in its own block and all of the blocks inboard of that.
//
// Each block has a reference point R, which is Mo of the joint of its first speed, and moves with that body:
// what belongs to a speed is given about R by `arm`, and passes from block to block by `offset`.
#pragma once

#include <vector>

#include "sestina/model/model.h"

namespace sestina {

struct SpeedBlock {
  int first = 0, count = 0;  // speeds; count <= 8
  int inboard = -1;          // the block next to the ground's side; -1: none
};

struct SpeedBlocks {
  explicit SpeedBlocks(const Model& model);

  std::vector<SpeedBlock> blocks;
  std::vector<int> block_of_speed;  // (nu)
  std::vector<int> block_of_body;   // by BodyIndex: of the last speed from the ground to the body; -1: none
};

}  // namespace sestina
