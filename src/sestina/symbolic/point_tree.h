// The points of a derivation: their relative positions, and the velocities that were set.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sestina/symbolic/point.h"

namespace sestina::symbolic {

class PointTree {
 public:
  explicit PointTree(Mechanics& mechanics) : mechanics_(mechanics) {}

  PointIndex add(std::string_view name);
  const std::string& name(PointIndex point) const { return points_[point].name; }

  // `position` is from a to b. Throws InputError if it is known already and differs.
  void connect(PointIndex a, PointIndex b, const Vector& position);
  Vector position(PointIndex from, PointIndex to) const;
  // Returns the position from the nearest point whose velocity in the frame was set to zero, if there is one.
  std::optional<Vector> position_from_rest(PointIndex to, FrameIndex frame) const;

  void set_velocity(PointIndex point, FrameIndex frame, const Vector& velocity);
  void set_acceleration(PointIndex point, FrameIndex frame, const Vector& acceleration);
  Vector velocity(PointIndex point, FrameIndex frame);
  Vector acceleration(PointIndex point, FrameIndex frame);

 private:
  struct Location {
    std::string name;
    std::vector<std::pair<PointIndex, Vector>> neighbours;  // and the vector to each
    std::unordered_map<FrameIndex, Vector> velocities, accelerations;
  };
  struct Visit {
    PointIndex point;
    std::size_t distance;
    Vector position;  // from the point to the start of the search
  };
  // True if they are known to differ.
  bool differ(const Vector& a, const Vector& b, FrameIndex frame) const;
  // Visits all points that can be reached, nearest first, until `stop` is true for one.
  template <class Stop>
  void search(PointIndex from, Stop stop) const {
    std::vector<Visit> visits = {{from, 0, {}}};
    std::vector<bool> seen(points_.size(), false);
    seen[from] = true;
    for (std::size_t i = 0; i < visits.size() && !stop(visits[i]); ++i) {
      for (const auto& [next, to_next] : points_[visits[i].point].neighbours) {
        if (seen[next]) continue;
        seen[next] = true;
        visits.push_back({next, visits[i].distance + 1, visits[i].position - to_next});
      }
    }
  }

  Mechanics& mechanics_;
  std::vector<Location> points_;
};

}  // namespace sestina::symbolic
