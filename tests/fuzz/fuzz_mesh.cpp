// Any bytes are either triangles between finite points or an InputError, taken as STL and as OBJ.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "sestina/base/error.h"
#include "sestina/scene/mesh_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(data, data + size);
  for (const char* suffix : {".stl", ".obj"}) {
    try {
      const sestina::SceneMesh mesh = sestina::parse_mesh(bytes, suffix);
      for (const auto& triangle : mesh.triangles) {
        for (const std::uint32_t corner : triangle) {
          if (corner >= mesh.points.size()) std::abort();
        }
      }
    } catch (const sestina::InputError&) {
    }
  }
  return 0;
}
