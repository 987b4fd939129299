#include "sestina/model/mesh_files.h"

#include <algorithm>
#include <string>

#include "sestina/base/error.h"
#include "sestina/contact/mesh_file.h"

namespace sestina {

std::filesystem::path folder_of_mesh(const BodySpec* body, const ShapeSpec& shape) {
  std::vector<Mark> marks = {shape.file.mark, shape.mark};
  if (body != nullptr) marks.insert(marks.end(), {body->mark, body->name.mark});
  for (const Mark& mark : marks) {
    if (mark.line > 0 && mark.file) return std::filesystem::path(*mark.file).parent_path();
  }
  return {};
}

std::vector<std::filesystem::path> find_contact_meshes(const System& system) {
  std::vector<std::filesystem::path> files;
  const auto is_named = [&](const std::string& name) {
    return !name.empty() && std::ranges::any_of(system.contacts, [&](const ContactSpec& contact) {
      return std::ranges::any_of(contact.between, [&](const Name& one) { return one.text == name; });
    });
  };
  const auto look = [&](const std::string& owner, const BodySpec* body,
                        const std::vector<ShapeSpec>& shapes) {
    const bool all = is_named(owner);
    for (const ShapeSpec& shape : shapes) {
      if (shape.file.empty() || !(all || is_named(shape.name.text))) continue;
      try {
        files.push_back(find_mesh(shape.file.text, folder_of_mesh(body, shape)));
      } catch (const InputError&) {
        continue;
      }
    }
  };
  look("ground", nullptr, system.ground_shapes);
  for (const BodySpec& body : system.bodies) look(body.name.text, &body, body.shapes);
  return files;
}

}  // namespace sestina
