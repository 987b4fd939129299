// Any bytes are either triangles between finite points or an InputError, taken as STL, as OBJ and as heights;
// and triangles either enclose a solid that touches, or are refused.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "sestina/base/error.h"
#include "sestina/contact/contact_points.h"
#include "sestina/contact/mesh_file.h"
#include "sestina/contact/surface.h"

namespace {

using sestina::ShapeType;
using sestina::Surface;

void check(const sestina::TriangleMesh& mesh) {
  for (const auto& triangle : mesh.triangles) {
    for (const std::uint32_t corner : triangle) {
      if (corner >= mesh.points.size()) std::abort();
    }
  }
}

// A ball beside the surface has finite gaps.
void touch(const Surface& surface) {
  const ShapeType type = surface.polytope ? ShapeType::kConvexMesh : ShapeType::kMesh;
  std::vector<sestina::ContactPoint> points;
  add_contact_points({type, {}, &surface}, {}, {ShapeType::kSphere, {0.5, 0.0, 0.0}}, {{}, {0.0, 0.0, 2.0}},
                     points);
  for (const sestina::ContactPoint& point : points) {
    if (std::isnan(point.gap)) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(data, data + size);
  for (const char* suffix : {".stl", ".obj"}) {
    try {
      const sestina::TriangleMesh mesh = sestina::parse_mesh(bytes, suffix);
      check(mesh);
      touch(sestina::make_solid_surface(mesh, {1.0, 1.0, 1.0}));
    } catch (const sestina::InputError&) {
    }
  }
  try {
    const sestina::TriangleMesh heights = sestina::parse_heights(bytes);
    check(heights);
    touch(sestina::make_field_surface(heights, {1.0, 1.0, 1.0}));
  } catch (const sestina::InputError&) {
  }
  return 0;
}
