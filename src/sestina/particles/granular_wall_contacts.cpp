// The walls of granular_contacts.h: the points at which grains touch them, their motion and the forces on
// them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sestina/base/error.h"
#include "sestina/particles/granular_contacts.h"

namespace sestina {
namespace {

constexpr double kFar = 4.0;  // radii and skins: an inactive point of a mesh is put this far away

Vector3d between(const Vector3d& from, const Vector3d& to) {
  return {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
}
double calc_size(const Vector3d& a) { return std::sqrt(dot(a, a)); }

}  // namespace

void GranularContacts::find_wall_contacts(const ParticleArrays& particles) {
  wall_contacts_.clear();
  for (std::size_t w = 0; w < walls_.size(); ++w) {
    if (walls_[w].shape == GrainWall::Shape::kMesh) {
      find_mesh_contacts(static_cast<std::int32_t>(w), particles);
      continue;
    }
    for (int i = 0; i < n_; ++i) {
      const WallPoint point = find_wall_point(walls_[w], {particles.x[i], particles.y[i], particles.z[i]});
      if (point.distance < radius_[static_cast<std::size_t>(particles.species[i])] + skin_) {
        wall_contacts_.push_back({i, static_cast<std::int32_t>(w)});
      }
    }
  }
}

// The contacts of a grain are consecutive.
void GranularContacts::find_mesh_contacts(std::int32_t wall, const ParticleArrays& particles) {
  const auto w = static_cast<std::size_t>(wall);
  for (int i = 0; i < n_; ++i) {
    const Vector3d x{particles.x[i], particles.y[i], particles.z[i]};
    const double reach = radius_[static_cast<std::size_t>(particles.species[i])] + skin_;
    for (const std::int32_t part : grids_[w].near(x)) {
      if (find_triangle_point(walls_[w].triangles[static_cast<std::size_t>(part)], x).distance < reach) {
        wall_contacts_.push_back({i, wall, part});
      }
    }
  }
}

void GranularContacts::move_walls(std::span<const CarrierMotion> motions) {
  for (std::size_t w = 0; w < walls_.size(); ++w) {
    const GrainWall& given = given_walls_[w];
    if (given.carrier < 0) continue;
    wall_motion_[w] = motions[static_cast<std::size_t>(given.carrier)];
    walls_[w].at = wall_motion_[w].place(given.at);
    walls_[w].axis = wall_motion_[w].turn(given.axis);
  }
}

void GranularContacts::set_wall_reach(const ParticleArrays& particles) {
  reach_ = 0.0;
  for (const GrainWall& wall : walls_) {
    if (wall.carrier < 0 || wall.shape != GrainWall::Shape::kPlane) continue;
    for (int i = 0; i < n_; ++i) {
      reach_ = std::max(reach_, calc_size({particles.x[i] - wall.at[0], particles.y[i] - wall.at[1],
                                           particles.z[i] - wall.at[2]}));
    }
  }
}

// A rotation about the axis of a cone does not move its surface.
double GranularContacts::calc_wall_motion() const {
  double farthest = 0.0;
  for (std::size_t w = 0; w < walls_.size(); ++w) {
    const GrainWall &now = walls_[w], &listed = listed_walls_[w];
    if (now.carrier < 0) continue;
    const double arm = now.shape == GrainWall::Shape::kPlane
                           ? reach_ + skin_
                           : now.length + std::max(now.begin_radius, now.end_radius);
    farthest = std::max(
        farthest, calc_size(between(listed.at, now.at)) + calc_size(between(listed.axis, now.axis)) * arm);
  }
  return farthest;
}

// A plane inclined to a periodic direction would cut the box.
void GranularContacts::check_planes(double t) const {
  constexpr double kTilt = 1e-9;
  for (std::size_t w = 0; w < walls_.size(); ++w) {
    if (walls_[w].carrier < 0 || walls_[w].shape != GrainWall::Shape::kPlane) continue;
    for (std::size_t a = 0; a < 3; ++a) {
      if (!box_.periodic[a] || std::abs(walls_[w].axis[a]) <= kTilt) continue;
      throw ComputationError(
          t, fmt::format("the body that carries walls[{}] turns it: its normal is [{:.6g}, {:.6g}, {:.6g}], "
                         "and the box is periodic along {}",
                         w, walls_[w].axis[0], walls_[w].axis[1], walls_[w].axis[2], "xyz"[a]));
    }
  }
}

void GranularContacts::place_wall_points(double t, const ParticleArrays& particles) {
  check_planes(t);
  for (std::size_t c = 0; c < wall_contacts_.size(); ++c) {
    const WallContact& contact = wall_contacts_[c];
    const GrainWall& wall = walls_[static_cast<std::size_t>(contact.wall)];
    if (wall.shape == GrainWall::Shape::kMesh) {
      c = place_mesh_points(c) - 1;
      continue;
    }
    const double* const sphere = grain(contact.sphere);
    const WallPoint point = find_wall_point(wall, {sphere[0], sphere[1], sphere[2]});
    if (wall.shape == GrainWall::Shape::kPlane && !(point.distance > 0.0)) fail_behind(t, particles, contact);
    double* const record = grain(n_ + kSentinels + static_cast<std::int64_t>(c));
    std::ranges::copy(point.at, record);
    if (wall.carrier < 0) continue;
    const CarrierMotion& motion = wall_motion_[static_cast<std::size_t>(contact.wall)];
    const Vector3d turning = cross(motion.spin, between(motion.position, point.at));
    for (std::size_t a = 0; a < 3; ++a) {
      record[4 + a] = motion.velocity[a] + turning[a], record[8 + a] = motion.spin[a];
    }
  }
}

// Places the points of the grain and the mesh of contact c; returns the next contact of others. When a grain
// passes from one triangle to another, its history is passed on.
std::size_t GranularContacts::place_mesh_points(std::size_t c) {
  const WallContact first = wall_contacts_[c];
  const std::vector<Triangle>& triangles = walls_[static_cast<std::size_t>(first.wall)].triangles;
  const double* const sphere = grain(first.sphere);
  const Vector3d x{sphere[0], sphere[1], sphere[2]};
  MeshPoints& own = mesh_points_;
  own.triangles.clear(), own.points.clear();
  std::size_t end = c;
  for (; end < wall_contacts_.size(); ++end) {
    const WallContact& contact = wall_contacts_[end];
    if (contact.sphere != first.sphere || contact.wall != first.wall) break;
    own.triangles.push_back(&triangles[static_cast<std::size_t>(contact.part)]);
    own.points.push_back(find_triangle_point(*own.triangles.back(), x));
  }
  own.is_felt.resize(own.points.size());
  find_felt_points(own.triangles, own.points, own.is_felt);
  const std::int64_t begin = count_ - static_cast<std::int64_t>(wall_contacts_.size());
  std::size_t left = end, entered = end;
  for (std::size_t k = c; k < end; ++k) {
    const bool is_felt = own.is_felt[k - c] != 0;
    if (is_felt && !wall_contacts_[k].is_felt) entered = k;
    if (!is_felt && wall_contacts_[k].is_felt) left = k;
    wall_contacts_[k].is_felt = is_felt;
    double* const record = grain(n_ + kSentinels + static_cast<std::int64_t>(k));
    std::ranges::copy(own.points[k - c].at, record);
    if (!is_felt) record[0] = x[0] + kFar * (sphere[3] + skin_), record[1] = x[1], record[2] = x[2];
  }
  for (std::vector<double>& numbers : history_) {
    if (left == end || entered == end) break;
    const auto from = static_cast<std::size_t>(begin) + left, to = static_cast<std::size_t>(begin) + entered;
    numbers[to] = std::exchange(numbers[from], 0.0);
  }
  return end;
}

void GranularContacts::fail_behind(double t, const ParticleArrays& particles,
                                   const WallContact& contact) const {
  const double* const x = grain(contact.sphere);
  throw ComputationError(
      t, fmt::format(
             "the centre of particles[{}] is behind walls[{}], at [{:.6g}, {:.6g}, {:.6g}]: it was placed "
             "there, or the wall is too soft, or the step is too long",
             particles.number[static_cast<std::size_t>(contact.sphere)], contact.wall, x[0], x[1], x[2]));
}

std::vector<Vector3d> GranularContacts::calc_wall_forces() const {
  std::vector<Vector3d> forces(walls_.size());
  const std::int64_t begin = count_ - static_cast<std::int64_t>(wall_contacts_.size());
  for (std::size_t c = 0; c < wall_contacts_.size(); ++c) {
    const double* const record = records_.data() + (begin + static_cast<std::int64_t>(c)) * kContactRecord;
    Vector3d& force = forces[static_cast<std::size_t>(wall_contacts_[c].wall)];
    for (std::size_t a = 0; a < 3; ++a) force[a] += record[a];
  }
  return forces;
}

void GranularContacts::add_wrenches(std::span<const CarrierMotion> motions,
                                    std::span<CarrierWrench> wrenches) const {
  const std::int64_t begin = count_ - static_cast<std::int64_t>(wall_contacts_.size());
  for (std::size_t c = 0; c < wall_contacts_.size(); ++c) {
    const int carrier = walls_[static_cast<std::size_t>(wall_contacts_[c].wall)].carrier;
    if (carrier < 0) continue;
    const std::int64_t contact = begin + static_cast<std::int64_t>(c);
    const double* const force = records_.data() + contact * kContactRecord;
    const double* const point = grain(n_ + kSentinels + static_cast<std::int64_t>(c));
    CarrierWrench& wrench = wrenches[static_cast<std::size_t>(carrier)];
    wrench.add(between(motions[static_cast<std::size_t>(carrier)].position, {point[0], point[1], point[2]}),
               {-force[0], -force[1], -force[2]});
    if (!has_rolling_) continue;
    for (std::size_t a = 0; a < 3; ++a)
      wrench.torque[a] -= rolling_[static_cast<std::size_t>(4 * contact) + a];
  }
}

}  // namespace sestina
