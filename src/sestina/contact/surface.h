// The surface of a mesh or a height field that touches.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "sestina/contact/polytope.h"

namespace sestina {

class TriangleTree;

// Exactly one of the two members is set.
struct Surface {
  std::optional<Polytope> polytope = std::nullopt;     // of ShapeType::kConvexMesh
  std::shared_ptr<const TriangleTree> tree = nullptr;  // of ShapeType::kMesh
};

// The surface of the solid that a mesh encloses. `scale` may mirror it. Throws InputError with the reason if
// it encloses none: an edge that does not belong to two triangles of opposite sense, a triangle without area,
// or triangles that face inwards.
Surface make_solid_surface(const TriangleMesh& mesh, const Vec3<double>& scale);

// The surface of a height field (mesh_file.h), solid below, with vertical sides. `scale` is positive.
Surface make_field_surface(const TriangleMesh& heights, const Vec3<double>& scale);

// The same from files; the path begins the message of an InputError.
Surface read_solid_surface(const std::filesystem::path& path, const Vec3<double>& scale);
Surface read_field_surface(const std::filesystem::path& path, const Vec3<double>& scale);

}  // namespace sestina
