#include "sestina/contact/broad_phase.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "sestina/contact/convex_body.h"

namespace sestina {
namespace {

using Vec = Vec3<double>;

constexpr double kMargin = 1e-3;  // of the size of a box, added on all sides

bool holds(const BoundingBox& outer, const BoundingBox& inner) {
  for (int k = 0; k < 3; ++k) {
    if (inner.low[k] < outer.low[k] || inner.high[k] > outer.high[k]) return false;
  }
  return true;
}

BoundingBox joined(const BoundingBox& a, const BoundingBox& b) {
  BoundingBox both = a;
  for (int k = 0; k < 3; ++k) {
    both.low[k] = std::min(a.low[k], b.low[k]), both.high[k] = std::max(a.high[k], b.high[k]);
  }
  return both;
}

BoundingBox enlarged(BoundingBox box, double by) {
  const Vec all{by, by, by};
  return {box.low - all, box.high + all};
}

bool is_bounded(const BoundingBox& box) { return std::isfinite(box.high.x); }

}  // namespace

BoundingBox box_of(const Shape& shape, const Pose<double>& X_WS) {
  BoundingBox box;
  if (shape.type == ShapeType::kPlane) {
    constexpr double kFar = std::numeric_limits<double>::infinity();
    return {{-kFar, -kFar, -kFar}, {kFar, kFar, kFar}};
  }
  if (shape.type == ShapeType::kMesh) {
    const double radius = outer_radius(shape);
    return enlarged({X_WS.p, X_WS.p}, radius);
  }
  const ConvexBody body(shape, X_WS);
  for (int k = 0; k < 3; ++k) {
    Vec axis;
    axis[k] = 1.0;
    box.low[k] = body.support(-axis)[k] - body.radius();
    box.high[k] = body.support(axis)[k] + body.radius();
  }
  return box;
}

double distance(const BoundingBox& a, const BoundingBox& b) {
  Vec apart;
  for (int k = 0; k < 3; ++k) apart[k] = std::max({a.low[k] - b.high[k], b.low[k] - a.high[k], 0.0});
  return norm(apart);
}

BroadPhase::BroadPhase(std::span<const std::pair<int, int>> pairs, int shapes)
    : partners_(static_cast<std::size_t>(shapes)) {
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto [first, last] = std::minmax(pairs[i].first, pairs[i].second);
    partners_[static_cast<std::size_t>(first)].emplace_back(last, static_cast<int>(i));
  }
  for (auto& list : partners_) std::ranges::sort(list);
}

void BroadPhase::begin_step(std::span<const Shape> shapes, std::span<const Pose<double>> from,
                            std::span<const Pose<double>> to) {
  boxes_.resize(shapes.size());
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const BoundingBox before = box_of(shapes[i], from[i]), after = box_of(shapes[i], to[i]);
    boxes_[i] = before;
    if (!is_bounded(before)) continue;
    const double moved = std::max(norm(after.low - before.low), norm(after.high - before.high));
    boxes_[i] = enlarged(joined(before, after), moved + kMargin * norm(before.high - before.low));
  }
  sweep();
}

const std::vector<int>& BroadPhase::find_near(std::span<const Shape> shapes,
                                              std::span<const Pose<double>> poses) {
  bool is_outside = boxes_.size() != shapes.size();
  boxes_.resize(shapes.size());
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const BoundingBox now = box_of(shapes[i], poses[i]);
    if (holds(boxes_[i], now)) continue;
    boxes_[i] = is_bounded(now) ? enlarged(now, kMargin * norm(now.high - now.low)) : now;
    is_outside = true;
  }
  if (is_outside) sweep();
  return near_;
}

// Sweeps along the axis on which the boxes spread most, and compares each box with those that have begun
// before it and not yet ended.
void BroadPhase::sweep() {
  near_.clear();
  order_.resize(boxes_.size());
  std::iota(order_.begin(), order_.end(), 0);
  const auto box = [this](int i) -> const BoundingBox& { return boxes_[static_cast<std::size_t>(i)]; };
  int axis = 0;
  double most = -1.0;
  for (int k = 0; k < 3; ++k) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const BoundingBox& one : boxes_) {
      if (is_bounded(one)) low = std::min(low, one.low[k]), high = std::max(high, one.low[k]);
    }
    if (high - low > most) most = high - low, axis = k;
  }
  std::ranges::sort(order_, {}, [&](int i) { return std::pair(box(i).low[axis], i); });
  open_.clear();
  for (const int i : order_) {
    std::erase_if(open_, [&](int k) { return box(k).high[axis] < box(i).low[axis]; });
    for (const int k : open_) {
      if (distance(box(i), box(k)) > 0.0) continue;
      const auto [first, last] = std::minmax(i, k);
      const auto& list = partners_[static_cast<std::size_t>(first)];
      for (auto found = std::ranges::lower_bound(list, std::pair(last, -1));
           found != list.end() && found->first == last; ++found) {
        near_.push_back(found->second);
      }
    }
    open_.push_back(i);
  }
  std::ranges::sort(near_);
}

}  // namespace sestina
