// Triangles of mesh files, for pictures: STL (text and binary) and OBJ.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "sestina/scene/scene.h"

namespace sestina {

inline constexpr std::size_t kLargestMeshFile = std::size_t{256} << 20;  // bytes

// Where the mesh of a shape is: beside the model file, or, of `package://NAME/PATH`, in a folder above it or
// in one of ROS_PACKAGE_PATH. Throws InputError, with the places that were looked at, where there is none.
std::filesystem::path find_mesh(const std::string& file, const std::filesystem::path& folder);

// The corners in m as the bytes of the file have them; `suffix` is .stl or .obj. Throws InputError for what
// is no such file or has no triangle.
SceneMesh parse_mesh(const std::string& bytes, std::string_view suffix);

// The corners in m as the file has them. Equal corners are one point. Throws InputError for what is no such
// file, is larger than kLargestMeshFile, or has no triangle.
SceneMesh read_mesh(const std::filesystem::path& path);

}  // namespace sestina
