#include "sestina/contact/mesh_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <unordered_map>

#include "sestina/base/error.h"

namespace sestina {
namespace {

namespace fs = std::filesystem;
using Point = std::array<float, 3>;

// Collects triangles; equal corners become one point.
class MeshBuilder {
 public:
  void add(const Point& a, const Point& b, const Point& c) {
    mesh_.triangles.push_back({place_of(a), place_of(b), place_of(c)});
  }
  TriangleMesh take() { return std::move(mesh_); }

 private:
  struct Hash {
    std::size_t operator()(const Point& p) const {
      std::uint64_t hash = 1469598103934665603u;  // FNV-1a, by words
      for (const float x : p) hash = (hash ^ std::bit_cast<std::uint32_t>(x)) * 1099511628211u;
      return hash;
    }
  };
  std::uint32_t place_of(const Point& p) {
    const auto [found, is_new] = places_.try_emplace(p, static_cast<std::uint32_t>(mesh_.points.size()));
    if (is_new) mesh_.points.push_back(p);
    return found->second;
  }

  TriangleMesh mesh_;
  std::unordered_map<Point, std::uint32_t, Hash> places_;
};

std::string read_bytes(const fs::path& path) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  if (error) throw InputError(fmt::format("cannot read '{}': {}", path.string(), error.message()));
  if (size > kLargestMeshFile) {
    throw InputError(fmt::format("'{}' is larger than {} MiB", path.string(), kLargestMeshFile >> 20));
  }
  std::ifstream file(path, std::ios::binary);
  std::string bytes(size, '\0');
  if (!file.read(bytes.data(), static_cast<std::streamsize>(size))) {
    throw InputError(fmt::format("cannot read '{}'", path.string()));
  }
  return bytes;
}

// A header of 80 bytes, the number of triangles, and 50 bytes for each: normal, three corners, attribute.
constexpr std::size_t kStlHeader = 84, kStlTriangle = 50;

bool is_binary_stl(std::string_view bytes, std::uint32_t& count) {
  if (bytes.size() < kStlHeader) return false;
  std::memcpy(&count, bytes.data() + 80, sizeof count);
  return bytes.size() == kStlHeader + kStlTriangle * std::size_t{count};
}

TriangleMesh read_binary_stl(std::string_view bytes, std::uint32_t count) {
  MeshBuilder mesh;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::array<Point, 3> corners;
    std::memcpy(corners.data(), bytes.data() + kStlHeader + kStlTriangle * std::size_t{i} + 12, 36);
    mesh.add(corners[0], corners[1], corners[2]);
  }
  return mesh.take();
}

// Reads the three numbers that follow; false if there are none.
bool read_point(std::istream& line, Point& point) {
  for (float& x : point) {
    if (!(line >> x)) return false;
  }
  return true;
}

TriangleMesh read_text_stl(const std::string& text) {
  std::istringstream lines(text);
  std::string line, word;
  std::vector<Point> corners;
  MeshBuilder mesh;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    if (!(words >> word) || word != "vertex") continue;
    corners.emplace_back();
    if (!read_point(words, corners.back())) throw InputError(fmt::format("line {}: no corner", number));
    if (corners.size() < 3) continue;
    mesh.add(corners[0], corners[1], corners[2]);
    corners.clear();
  }
  if (!corners.empty()) throw InputError("the last triangle has fewer than three corners");
  return mesh.take();
}

TriangleMesh read_stl(const std::string& bytes) {
  std::uint32_t count = 0;
  if (is_binary_stl(bytes, count)) return read_binary_stl(bytes, count);  // some begin with `solid`, too
  const std::size_t start = bytes.find_first_not_of(" \t\r\n");
  if (start == std::string::npos || bytes.compare(start, 5, "solid") != 0) {
    throw InputError(fmt::format("no STL: {} bytes do not hold {} triangles", bytes.size(), count));
  }
  return read_text_stl(bytes);
}

// Returns the index of a point for `7`, `7/1`, `7//3` or `-1`, out of `count`, or throws.
std::size_t obj_place(const std::string& word, std::size_t count, int line) {
  long k = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), k);
  const long place = k > 0 ? k - 1 : static_cast<long>(count) + k;
  if (error != std::errc() || k == 0 || place < 0 || place >= static_cast<long>(count)) {
    throw InputError(fmt::format("line {}: '{}' is none of the {} points before it", line, word, count));
  }
  return static_cast<std::size_t>(place);
}

TriangleMesh read_obj(const std::string& text) {
  std::istringstream lines(text);
  std::string line, word;
  std::vector<Point> points;
  MeshBuilder mesh;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    if (!(words >> word)) continue;
    if (word == "v") {
      points.emplace_back();
      if (!read_point(words, points.back())) throw InputError(fmt::format("line {}: no point", number));
    } else if (word == "f") {
      std::vector<std::size_t> places;
      while (words >> word) places.push_back(obj_place(word, points.size(), number));
      for (std::size_t i = 2; i < places.size(); ++i) {
        mesh.add(points[places[0]], points[places[i - 1]], points[places[i]]);
      }
    }
  }
  return mesh.take();
}

std::string lower_suffix(const fs::path& path) {
  std::string suffix = path.extension().string();
  std::ranges::transform(suffix, suffix.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return suffix;
}

void add_package_places(const std::string& name, const fs::path& folder, std::vector<fs::path>& tried) {
  const std::size_t slash = name.find('/');
  const std::string package = name.substr(0, slash);
  const std::string inner = slash == std::string::npos ? "" : name.substr(slash + 1);
  std::vector<fs::path> roots;
  for (fs::path above = fs::absolute(folder);; above = above.parent_path()) {
    roots.push_back(above);
    if (above == above.parent_path()) break;
  }
  const char* path = std::getenv("ROS_PACKAGE_PATH");  // NOLINT(concurrency-mt-unsafe)
  std::istringstream listed(path != nullptr ? path : "");
  for (std::string root; std::getline(listed, root, ':');) {
    if (!root.empty()) roots.emplace_back(root);
  }
  for (const fs::path& root : roots) tried.push_back(root / package / inner);
  for (const fs::path& root : roots) {
    if (root.filename() == package) tried.push_back(root / inner);
  }
}

}  // namespace

fs::path find_mesh(const std::string& file, const fs::path& folder) {
  const std::string name = file.starts_with("file://") ? file.substr(7) : file;
  std::vector<fs::path> tried;
  const std::size_t scheme = name.find("://");
  if (scheme == std::string::npos) {
    tried.push_back(folder / name);
  } else {
    add_package_places(name.substr(scheme + 3), folder, tried);
  }
  std::string places;
  for (const fs::path& path : tried) {
    std::error_code ignored;
    if (fs::is_regular_file(path, ignored)) return path;
    if (places.size() < 300) places += (places.empty() ? "" : ", ") + path.string();
  }
  throw InputError(fmt::format("the mesh '{}' is not found; looked for: {}", file, places));
}

TriangleMesh parse_mesh(const std::string& bytes, std::string_view suffix) {
  TriangleMesh mesh = suffix == ".stl" ? read_stl(bytes) : read_obj(bytes);
  if (mesh.triangles.empty()) throw InputError("there are no triangles");
  for (const Point& point : mesh.points) {
    for (const float x : point) {
      if (!std::isfinite(x)) throw InputError("a corner is not finite");
    }
  }
  return mesh;
}

TriangleMesh read_mesh(const fs::path& path) {
  const std::string suffix = lower_suffix(path);
  try {
    if (suffix != ".stl" && suffix != ".obj") throw InputError("a mesh is read from .stl and .obj");
    return parse_mesh(read_bytes(path), suffix);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", path.string(), error.what()));
  }
}

TriangleMesh parse_heights(const std::string& text) {
  std::istringstream lines(text);
  TriangleMesh mesh;
  std::size_t columns = 0, rows = 0;
  std::string line, word;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::ranges::replace(line, ',', ' ');
    std::istringstream words(line);
    std::size_t column = 0;
    for (; words >> word; ++column) {
      float z = 0.0F;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), z);
      if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(z)) {
        throw InputError(fmt::format("line {}: '{}' is no height", number, word));
      }
      mesh.points.push_back({static_cast<float>(column), static_cast<float>(rows), z});
    }
    if (column == 0) continue;
    if (rows == 0) columns = column;
    if (column != columns) {
      throw InputError(fmt::format("line {} has {} heights, the first one has {}", number, column, columns));
    }
    ++rows;
  }
  if (rows < 2 || columns < 2) {
    throw InputError(fmt::format("{} rows of {} heights: expected at least two of two", rows, columns));
  }
  for (std::size_t row = 0; row + 1 < rows; ++row) {
    for (std::size_t column = 0; column + 1 < columns; ++column) {
      const auto at = static_cast<std::uint32_t>(row * columns + column),
                 above = static_cast<std::uint32_t>(at + columns);
      mesh.triangles.push_back({at, at + 1, above + 1});
      mesh.triangles.push_back({at, above + 1, above});
    }
  }
  return mesh;
}

TriangleMesh read_heights(const fs::path& path) {
  try {
    return parse_heights(read_bytes(path));
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", path.string(), error.what()));
  }
}

}  // namespace sestina
