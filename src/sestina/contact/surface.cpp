#include "sestina/contact/surface.h"

#include <fmt/format.h>

#include <algorithm>

#include "sestina/base/error.h"
#include "sestina/contact/mesh_file.h"
#include "sestina/contact/triangle_tree.h"

namespace sestina {
namespace {

using Vec = Vec3<double>;

constexpr double kNoArea = 1e-12;  // of the square of the longest edge

Vec corner(const TriangleMesh& mesh, std::uint32_t i) {
  const auto& p = mesh.points[i];
  return {double{p[0]}, double{p[1]}, double{p[2]}};
}

// Triangles with two equal corners are left out by all that reads them.
void check_areas(const TriangleMesh& mesh) {
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    const auto& c = mesh.triangles[i];
    if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0]) continue;
    const Vec p = corner(mesh, c[0]), u = corner(mesh, c[1]) - p, v = corner(mesh, c[2]) - p, w = v - u;
    if (norm(cross(u, v)) > kNoArea * std::max({dot(u, u), dot(v, v), dot(w, w)})) continue;
    throw InputError(
        fmt::format("triangle {} of {} has no area: its corners are on a line, near ({}, {}, {})", i + 1,
                    mesh.triangles.size(), p.x, p.y, p.z));
  }
}

// Returns six times the volume, computed about the first point so that a distant origin does not cost digits.
double volume_of(const TriangleMesh& mesh) {
  const Vec origin = corner(mesh, mesh.triangles.front()[0]);
  double volume = 0.0;
  for (const auto& c : mesh.triangles) {
    const Vec p = corner(mesh, c[0]) - origin, q = corner(mesh, c[1]) - origin,
              r = corner(mesh, c[2]) - origin;
    volume += dot(p, cross(q, r));
  }
  return volume;
}

}  // namespace

Surface make_solid_surface(const TriangleMesh& mesh, const Vec3<double>& scale) {
  if (const int open = count_open_edges(mesh); open > 0) {
    throw InputError(
        fmt::format("the mesh is open: {} of its edges do not belong to two triangles; a mesh that touches "
                    "must enclose a solid, "
                    "with corners anticlockwise seen from outside",
                    open));
  }
  check_areas(mesh);
  if (volume_of(mesh) <= 0.0) {
    throw InputError(
        "the triangles face inwards or enclose nothing: their corners must be anticlockwise seen from "
        "outside");
  }
  Surface surface{make_polytope(mesh, scale), nullptr};
  if (!surface.polytope) surface.tree = std::make_shared<const TriangleTree>(mesh, scale);
  return surface;
}

Surface make_field_surface(const TriangleMesh& heights, const Vec3<double>& scale) {
  return {std::nullopt, std::make_shared<const TriangleTree>(heights, scale)};
}

Surface read_solid_surface(const std::filesystem::path& path, const Vec3<double>& scale) {
  const TriangleMesh mesh = read_mesh(path);
  try {
    return make_solid_surface(mesh, scale);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", path.string(), error.what()));
  }
}

Surface read_field_surface(const std::filesystem::path& path, const Vec3<double>& scale) {
  return make_field_surface(read_heights(path), scale);
}

}  // namespace sestina
