#include "sestina/contact/polytope.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace sestina {
namespace {

using Vec = Vec3<double>;
using Edge = std::pair<std::uint32_t, std::uint32_t>;

struct Triangle {
  std::array<std::uint32_t, 3> corners;
  Vec normal;
};

class PolytopeMaker {
 public:
  PolytopeMaker(const TriangleMesh& mesh, const Vec& scale) {
    for (const auto& p : mesh.points) {
      body_.points.push_back({scale.x * double{p[0]}, scale.y * double{p[1]}, scale.z * double{p[2]}});
    }
    for (const Vec& p : body_.points) body_.outer_radius = std::max(body_.outer_radius, norm(p));
    const bool is_mirrored = scale.x * scale.y * scale.z < 0.0;
    for (auto corners : mesh.triangles) {
      if (is_mirrored) std::swap(corners[1], corners[2]);
      const Vec &p = point(corners[0]), n = cross(point(corners[1]) - p, point(corners[2]) - p);
      if (norm(n) > 0.0) triangles_.push_back({corners, (1.0 / norm(n)) * n});
    }
  }

  std::optional<Polytope> make(std::size_t most_faces) {
    if (triangles_.size() < 4) return std::nullopt;
    find_groups();
    if (members_.size() > most_faces) return std::nullopt;
    const bool is_whole =
        std::ranges::all_of(members_, [&](const auto& group) { return add_face(group.second); });
    if (!is_whole || !is_convex()) return std::nullopt;
    return std::move(body_);
  }

 private:
  const Vec& point(std::uint32_t i) const { return body_.points[i]; }

  std::size_t root(std::size_t i) {
    while (group_[i] != i) i = group_[i] = group_[group_[i]];
    return i;
  }

  // Joins triangles that share an edge and have the same normal.
  void find_groups() {
    group_.resize(triangles_.size());
    std::iota(group_.begin(), group_.end(), std::size_t{0});
    std::map<Edge, std::size_t> of_edge;
    for (std::size_t i = 0; i < triangles_.size(); ++i) {
      for (std::size_t k = 0; k < 3; ++k) {
        const auto& c = triangles_[i].corners;
        of_edge[{c[k], c[(k + 1) % 3]}] = i;
      }
    }
    for (const auto& [edge, one] : of_edge) {
      const auto other = of_edge.find({edge.second, edge.first});
      if (other == of_edge.end()) continue;
      if (norm(triangles_[one].normal - triangles_[other->second].normal) > kFlat) continue;
      const std::size_t p = root(one), q = root(other->second);
      group_[std::max(p, q)] = std::min(p, q);
    }
    for (std::size_t i = 0; i < triangles_.size(); ++i) members_[root(i)].push_back(i);
  }

  // Follows the outline of triangles in one plane; false unless it is one loop.
  bool add_face(const std::vector<std::size_t>& members) {
    std::map<std::uint32_t, std::uint32_t> next;
    std::map<Edge, int> inner;
    for (const std::size_t i : members) {
      const auto& c = triangles_[i].corners;
      for (std::size_t k = 0; k < 3; ++k) inner[{c[k], c[(k + 1) % 3]}] = 1;
    }
    for (const auto& [edge, count] : inner) {
      if (!inner.contains({edge.second, edge.first})) next[edge.first] = edge.second;
    }
    Polytope::Face face;
    Vec area;
    for (const std::size_t i : members) {
      const auto& c = triangles_[i].corners;
      area += cross(point(c[1]) - point(c[0]), point(c[2]) - point(c[0]));
    }
    face.normal = (1.0 / norm(area)) * area;
    if (next.empty()) return false;
    const std::uint32_t first = next.begin()->first;
    std::uint32_t at = first;
    do {
      face.corners.push_back(static_cast<int>(at));
      const auto found = next.find(at);
      if (found == next.end() || face.corners.size() > next.size()) return false;
      at = found->second;
    } while (at != first);
    if (face.corners.size() != next.size()) return false;
    body_.faces.push_back(std::move(face));
    return true;
  }

  bool is_convex() {
    for (const Vec& p : body_.points) body_.centre += (1.0 / static_cast<double>(body_.points.size())) * p;
    double size = 0.0;
    for (const Vec& p : body_.points) size = std::max(size, norm(p - body_.centre));
    body_.inner_radius = std::numeric_limits<double>::infinity();
    for (const Polytope::Face& face : body_.faces) {
      const Vec& on = body_.points[static_cast<std::size_t>(face.corners[0])];
      body_.inner_radius = std::min(body_.inner_radius, dot(face.normal, on - body_.centre));
      for (const Vec& p : body_.points) {
        if (dot(face.normal, p - on) > kFlat * size) return false;
      }
    }
    return body_.inner_radius > kFlat * size;
  }

  Polytope body_;
  std::vector<Triangle> triangles_;
  std::vector<std::size_t> group_;                           // by triangle: another of its face
  std::map<std::size_t, std::vector<std::size_t>> members_;  // triangles by face
};

}  // namespace

std::optional<Polytope> make_polytope(const TriangleMesh& mesh, const Vec3<double>& scale,
                                      std::size_t most_faces) {
  return PolytopeMaker(mesh, scale).make(most_faces);
}

int count_open_edges(const TriangleMesh& mesh) {
  std::map<Edge, std::pair<int, int>> uses;  // in either sense
  for (const auto& c : mesh.triangles) {
    if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0]) continue;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t p = c[k], q = c[(k + 1) % 3];
      ++(p < q ? uses[{p, q}].first : uses[{q, p}].second);
    }
  }
  return static_cast<int>(std::ranges::count_if(
      uses, [](const auto& edge) { return edge.second.first != 1 || edge.second.second != 1; }));
}

}  // namespace sestina
