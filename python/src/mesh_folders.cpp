// The folders in which the meshes of bodies are searched, for pictures.
#include "bind.h"
#include "casters.h"
#include "sestina/model/mesh_files.h"

namespace sestina::python {

namespace {

nb::list mesh_folders(const System& system) {
  nb::list folders;
  for (const ShapeSpec& shape : system.ground_shapes) {
    if (!shape.file.empty()) folders.append(nb::make_tuple("ground", folder_of_mesh(nullptr, shape).c_str()));
  }
  for (const BodySpec& body : system.bodies) {
    for (const ShapeSpec& shape : body.shapes) {
      if (shape.file.empty()) continue;
      folders.append(nb::make_tuple(body.name.text.c_str(), folder_of_mesh(&body, shape).c_str()));
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
