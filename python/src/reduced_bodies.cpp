// Reduced flexible bodies of a System, and the files with their modes.
#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/vector.h>

#include "bind.h"
#include "casters.h"
#include "describe.h"
#include "part.h"
#include "sestina/base/error.h"
#include "sestina/io/reduced_file.h"
#include "sestina/model/system.h"

namespace sestina::python {
namespace {

// `arrays` are flat lists with the names of the file's datasets (docs/reduced_bodies.md).
void write_reduced_body(const std::filesystem::path& path, const nb::dict& arrays) {
  const auto numbers = [&](const char* name, std::size_t count) {
    auto values = nb::cast<std::vector<double>>(arrays[name]);
    if (values.size() != count)
      throw InputError(fmt::format("{} has {} numbers; expected {}", name, values.size(), count));
    return values;
  };
  const auto frequencies = nb::cast<std::vector<double>>(arrays["frequencies"]);
  write_reduced_modes(
      make_reduced_modes(frequencies.size(), nb::cast<std::vector<std::string>>(arrays["names"]),
                         arrays.contains("second_shifts"),
                         arrays.contains("stress_nodes") ? nb::len(nb::handle(arrays["stress_nodes"])) : 0,
                         numbers),
      path);
}

nb::object add_reduced_body(nb::handle self, const std::string& name, const std::filesystem::path& file,
                            nb::handle position, nb::handle axes, const Number& damping) {
  const std::string place = "bodies." + name;
  ReducedSpec reduced;
  reduced.file = file.string();
  reduced.damping = damping;
  if (!position.is_none()) reduced.position = convert<Triple>(place + ".position", position, "three numbers");
  if (!axes.is_none()) reduced.axes = to_rotation(place + ".axes", axes);
  reduced.modes = read_reduced_modes(file);
  BodySpec& body = nb::cast<System&>(self).add_reduced_body(name, nullptr);
  body.reduced = std::move(reduced);
  return Part<BodySpec>::in(self, body);
}

}  // namespace

void bind_reduced_bodies(nb::module_& module) {
  module.def(
      "_write_reduced_body", write_reduced_body, nb::arg("path"), nb::arg("arrays"),
      nb::sig("def _write_reduced_body(path: str | os.PathLike[str], arrays: dict[str, typing.Any]) -> "
              "None"));
}

void bind_reduced_bodies_of_system(nb::class_<System>& system) {
  system.def(
      "add_reduced_body", add_reduced_body, nb::arg("name"), nb::arg("file"), nb::kw_only(),
      nb::arg("position") = nb::none(), nb::arg("axes") = nb::none(), nb::arg("damping") = Number(0),
      nb::sig(
          "def add_reduced_body(self, name: str, file: str | os.PathLike[str], *, position: "
          "collections.abc.Sequence[float | str] | None = None, axes: typing.Any = None, damping: float | "
          "str = 0) -> Body"),
      "Adds a flexible body reduced to a few modes, from the file that sestina.reduce() wrote.\n\n"
      "position (m), axes: initial pose of the mesh's frame in the ground; otherwise at the origin, moved by "
      "the\n"
      "joints. damping: of every mode, as part of the critical damping. Its points are the interfaces,\n"
      "body[\"left\"].");
}

}  // namespace sestina::python
