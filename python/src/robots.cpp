// Robots in URDF, read as descriptions.
#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "bind.h"
#include "casters.h"
#include "sestina/base/error.h"
#include "sestina/base/suggest.h"
#include "sestina/io/urdf.h"

namespace sestina::python {

namespace {

// The system, all notes, and those notes that concern mimic joints.
nb::tuple with_notes(System robot, const ImportNotes& notes) {
  std::vector<std::string> texts, about_mimic;
  for (const ImportNote& note : notes) {
    texts.push_back(to_string(note));
    if (note.is_about_mimic) about_mimic.push_back(texts.back());
  }
  return nb::make_tuple(std::move(robot), texts, about_mimic);
}

// The index of a word among those that are allowed.
int place_of(const char* key, const std::string& word, const std::vector<std::string>& allowed) {
  const auto found = std::find(allowed.begin(), allowed.end(), word);
  if (found == allowed.end()) {
    throw InputError(fmt::format("{}: '{}' is unknown{}", key, word, suggestion(word, allowed)));
  }
  return static_cast<int>(found - allowed.begin());
}

UrdfOptions urdf_options(bool floating_base, const std::string& mimic, double mimic_frequency,
                         const std::string& shapes) {
  return {.floating_base = floating_base,
          .mimic = static_cast<UrdfMimic>(place_of("mimic", mimic, {"free", "weld", "force", "couple"})),
          .mimic_frequency = mimic_frequency,
          .shapes = static_cast<UrdfShapes>(place_of("shapes", shapes, {"visual", "collision"}))};
}

nb::tuple load_urdf(const std::filesystem::path& path, bool floating_base, const std::string& mimic,
                    double mimic_frequency, const std::string& shapes) {
  ImportNotes notes;
  System robot =
      read_urdf_file(path.string(), urdf_options(floating_base, mimic, mimic_frequency, shapes), &notes);
  return with_notes(std::move(robot), notes);
}

nb::tuple loads_urdf(const std::string& text, const std::string& name, bool floating_base,
                     const std::string& mimic, double mimic_frequency, const std::string& shapes) {
  ImportNotes notes;
  System robot = read_urdf(text, name, urdf_options(floating_base, mimic, mimic_frequency, shapes), &notes);
  return with_notes(std::move(robot), notes);
}

}  // namespace

void bind_robots(nb::module_& module) {
  module.def("_load_urdf", load_urdf, nb::arg("path"), nb::arg("floating_base"), nb::arg("mimic"),
             nb::arg("mimic_frequency"), nb::arg("shapes"),
             nb::sig("def _load_urdf(path: str | os.PathLike[str], floating_base: bool, mimic: str, "
                     "mimic_frequency: float, shapes: str) -> tuple[System, list[str], list[str]]"));
  module.def("_loads_urdf", loads_urdf, nb::arg("text"), nb::arg("name"), nb::arg("floating_base"),
             nb::arg("mimic"), nb::arg("mimic_frequency"), nb::arg("shapes"),
             nb::sig("def _loads_urdf(text: str, name: str, floating_base: bool, mimic: str, "
                     "mimic_frequency: float, shapes: str) -> tuple[System, list[str], list[str]]"));
}

}  // namespace sestina::python
