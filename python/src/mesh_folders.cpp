// The folders in which the meshes of bodies are searched, for pictures.
#include <fmt/format.h>

#include <filesystem>

#include "bind.h"
#include "casters.h"
#include "sestina/model/system.h"

namespace sestina::python {

namespace {

// The folder of the model file or robot that names the mesh, or that contains the body; empty for bodies
// made by a program.
std::string folder_of(const BodySpec& body, const ShapeSpec& shape) {
  for (const Mark& mark : {shape.file.mark, shape.mark, body.mark, body.name.mark}) {
    if (mark.line > 0 && mark.file) return std::filesystem::path(*mark.file).parent_path().string();
  }
  return "";
}

nb::list mesh_folders(const System& system) {
  nb::list folders;
  for (const BodySpec& body : system.bodies) {
    for (const ShapeSpec& shape : body.shapes) {
      if (shape.file.empty()) continue;
      folders.append(nb::make_tuple(body.name.text.c_str(), folder_of(body, shape).c_str()));
    }
  }
  return folders;
}

}  // namespace

void bind_mesh_folders(nb::module_& module) {
  module.def("_mesh_folders", mesh_folders, nb::arg("system"),
             nb::sig("def _mesh_folders(system: System) -> list[tuple[str, str]]"));
}

}  // namespace sestina::python
