#include "sestina/symbolic/point_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "sestina/base/error.h"
#include "sestina/symbolic/frame_tree.h"
#include "sestina/symbolic/mechanics.h"

namespace sestina::symbolic {

PointIndex PointTree::add(std::string_view name) {
  points_.emplace_back();
  points_.back().name = name;
  return static_cast<PointIndex>(points_.size() - 1);
}

Vector PointTree::position(PointIndex from, PointIndex to) const {
  std::optional<Vector> found;
  search(to, [&](const Visit& visit) {
    if (visit.point == from) found = visit.position;
    return found.has_value();
  });
  if (found) return *found;
  throw InputError(
      fmt::format("points {} and {} are not located relative to each other", name(from), name(to)));
}

std::optional<Vector> PointTree::position_from_rest(PointIndex to, FrameIndex frame) const {
  std::optional<Vector> found;
  search(to, [&](const Visit& visit) {
    const auto known = points_[visit.point].velocities.find(frame);
    if (known != points_[visit.point].velocities.end() && known->second.is_zero()) found = visit.position;
    return found.has_value();
  });
  return found;
}

bool PointTree::differ(const Vector& a, const Vector& b, FrameIndex frame) const {
  Graph& graph = mechanics_.graph();
  const Vector difference = a - b;
  return std::ranges::any_of(
      mechanics_.frames().express(difference.parts(), frame),
      [&](const Expression& e) { return mechanics_.identities().differ(e.in(graph), graph.fraction(0)); });
}

void PointTree::connect(PointIndex a, PointIndex b, const Vector& position) {
  if (a == b) throw InputError(fmt::format("point {} is located relative to itself", name(a)));
  std::optional<Vector> known;
  search(b, [&](const Visit& visit) {
    if (visit.point == a) known = visit.position;
    return known.has_value();
  });
  if (known) {
    const Vector difference = *known - position;
    if (difference.is_zero() || !differ(*known, position, difference.parts()[0].frame)) return;
    throw InputError(fmt::format(
        "the position of point {} from {} is known already, and another one; what closes a loop is a "
        "configuration constraint",
        name(b), name(a)));
  }
  points_[a].neighbours.emplace_back(b, position);
  points_[b].neighbours.emplace_back(a, -position);
}

void PointTree::set_velocity(PointIndex point, FrameIndex frame, const Vector& velocity) {
  points_[point].velocities[frame] = velocity;
}

void PointTree::set_acceleration(PointIndex point, FrameIndex frame, const Vector& acceleration) {
  points_[point].accelerations[frame] = acceleration;
}

Vector PointTree::velocity(PointIndex point, FrameIndex frame) {
  const auto known = points_[point].velocities.find(frame);
  if (known != points_[point].velocities.end()) return known->second;
  const ReferenceFrame in(mechanics_, frame);
  Vector velocity;
  PointIndex source = 0;
  std::size_t nearest = 0;  // 0: none found
  search(point, [&](const Visit& visit) {
    if (nearest > 0 && visit.distance > nearest) return true;
    const auto found = points_[visit.point].velocities.find(frame);
    if (found == points_[visit.point].velocities.end()) return false;
    const Vector candidate = found->second + visit.position.dt(in);
    if (nearest > 0 && differ(candidate, velocity, frame)) {
      throw InputError(
          fmt::format("the velocity of point {} in {} follows differently from those of {} and {}",
                      name(point), in.name(), name(source), name(visit.point)));
    }
    if (nearest == 0) velocity = candidate;
    if (nearest == 0) source = visit.point;
    nearest = visit.distance;
    return false;
  });
  if (nearest == 0) {
    throw InputError(
        fmt::format("the velocity of point {} in {} is not known: set that of one point of its tree",
                    name(point), in.name()));
  }
  return velocity;
}

Vector PointTree::acceleration(PointIndex point, FrameIndex frame) {
  const auto known = points_[point].accelerations.find(frame);
  if (known != points_[point].accelerations.end()) return known->second;
  return velocity(point, frame).dt({mechanics_, frame});
}

}  // namespace sestina::symbolic
