// Files of meshes and height fields that shapes name.
#pragma once

#include <filesystem>
#include <vector>

#include "sestina/model/system.h"

namespace sestina {

// The folder of the file that names the mesh, or that contains the body (null: the ground); empty for a
// system made by a program.
std::filesystem::path folder_of_mesh(const BodySpec* body, const ShapeSpec& shape);

// The files of all shapes that contacts name, themselves or by their body, in the order of the shapes. Files
// that are not found are left out: freeze() reports them.
std::vector<std::filesystem::path> find_contact_meshes(const System& system);

}  // namespace sestina
