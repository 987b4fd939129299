// Finds the pairs of shapes that are near each other, among those that may touch, from bounding boxes sorted
// along one axis (sweep and prune; Cohen, Lin, Manocha and Ponamgi, Symposium on Interactive 3D Graphics
// 1995). O(n log n) if few boxes overlap.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "sestina/contact/shape.h"

namespace sestina {

// A box aligned with the axes of the ground; that of a plane has no bounds.
struct BoundingBox {
  Vec3<double> low, high;
};
BoundingBox box_of(const Shape& shape, const Pose<double>& X_WS);
// Returns the distance between two boxes (m); zero where they overlap.
double distance(const BoundingBox& a, const BoundingBox& b);

class BroadPhase {
 public:
  // `pairs`: indices of shapes; their order is that of the result.
  BroadPhase(std::span<const std::pair<int, int>> pairs, int shapes);

  // Begins a step in which the shapes move from one set of poses to another: each box encloses both and
  // leaves as much room again around them.
  void begin_step(std::span<const Shape> shapes, std::span<const Pose<double>> from,
                  std::span<const Pose<double>> to);
  // Returns the pairs whose boxes overlap, ascending. They serve for all poses within the boxes of the step;
  // once a shape has left its box, they are found again.
  const std::vector<int>& find_near(std::span<const Shape> shapes, std::span<const Pose<double>> poses);
  const std::vector<int>& near() const { return near_; }

 private:
  void sweep();

  std::vector<std::vector<std::pair<int, int>>> partners_;  // by shape: sorted (later shape, pair)
  std::vector<BoundingBox> boxes_;                          // of the step
  std::vector<int> order_, open_, near_;
};

}  // namespace sestina
