// Triangles of mesh files, for pictures: STL (text and binary) and OBJ.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "sestina/scene/scene.h"

namespace sestina {

inline constexpr std::size_t kLargestMeshFile = std::size_t{256} << 20;  // bytes

// Returns the path of a shape's mesh: in the folder of the model file or, for
// `package://NAME/PATH`, in a folder above it or in one of ROS_PACKAGE_PATH. If there is none,
// throws InputError with the places searched.
std::filesystem::path find_mesh(const std::string& file, const std::filesystem::path& folder);

// The corners in m, from the bytes of a file; `suffix` is .stl or .obj. Throws InputError for any other file,
// and for one without triangles.
SceneMesh parse_mesh(const std::string& bytes, std::string_view suffix);

// The corners in m. Equal corners are merged. Throws InputError if the file is of another kind, is larger
// than kLargestMeshFile, or has no triangle.
SceneMesh read_mesh(const std::filesystem::path& path);

}  // namespace sestina
