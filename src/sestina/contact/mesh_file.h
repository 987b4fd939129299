// Triangles of mesh files: STL (text and binary) and OBJ.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "sestina/contact/polytope.h"

namespace sestina {

inline constexpr std::size_t kLargestMeshFile = std::size_t{256} << 20;  // bytes

// Returns the path of a shape's mesh: in the folder of the model file or, for
// `package://NAME/PATH`, in a folder above it or in one of ROS_PACKAGE_PATH. If there is none,
// throws InputError with the places searched.
std::filesystem::path find_mesh(const std::string& file, const std::filesystem::path& folder);

// Returns the mesh, with its corners in m, from the bytes of a file; `suffix` is .stl or .obj. Throws
// InputError for any other file, and for one without triangles.
TriangleMesh parse_mesh(const std::string& bytes, std::string_view suffix);

// Reads a mesh, with its corners in m. Equal corners are merged. Throws InputError if the file is of another
// kind, is larger than kLargestMeshFile, or has no triangle.
TriangleMesh read_mesh(const std::filesystem::path& path);

// The surface of a height field: a table of heights z (m), one row of it for each y, with spaces or commas
// between columns for x; x = scale.x * column, y = scale.y * row, as in `type: height_field`. Triangles face
// +z; each cell is cut from its lowest to its highest corner in x and y. Heights are multiplied by the factor
// of z when the mesh is scaled. Throws InputError with the line if a row differs in length from the first, if
// a word is not a finite number, or if there are fewer than two rows or columns.
TriangleMesh parse_heights(const std::string& text);
TriangleMesh read_heights(const std::filesystem::path& path);

}  // namespace sestina
