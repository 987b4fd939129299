// Reduced flexible bodies of a System, and the files with their modes.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/vector.h>

#include "bind.h"
#include "casters.h"
#include "describe.h"
#include "part.h"
#include "sestina/io/reduced_file.h"
#include "sestina/model/system.h"

namespace sestina::python {
namespace {

using Values = std::vector<double>;

Vec3<double> vector_at(const Values& x, std::size_t i) { return {x[3 * i], x[3 * i + 1], x[3 * i + 2]}; }
SymMat3<double> matrix_at(const Values& x, std::size_t i) {
  const double* a = x.data() + 6 * i;
  return {a[0], a[1], a[2], a[3], a[4], a[5]};
}

// `arrays` are flat lists with the names of the file's datasets (docs/reduced_bodies.md).
void write_reduced_body(const std::filesystem::path& path, const nb::dict& arrays) {
  const auto numbers = [&](const char* name) { return nb::cast<Values>(arrays[name]); };
  ReducedModes modes;
  modes.frequencies = numbers("frequencies");
  const std::size_t k = modes.count = modes.frequencies.size();
  modes.mass = numbers("mass").at(0);
  modes.center_of_mass = vector_at(numbers("center_of_mass"), 0);
  modes.J0 = matrix_at(numbers("inertia"), 0);
  const Values J1 = numbers("inertia_by_mode"), J2 = numbers("inertia_by_modes");
  const Values g = numbers("angular_momentum_by_modes");
  for (std::size_t i = 0; i < k; ++i) modes.J1.push_back(matrix_at(J1, i));
  for (std::size_t i = 0; i < k * k; ++i) {
    modes.J2.push_back(matrix_at(J2, i)), modes.g.push_back(vector_at(g, i));
  }
  const auto names = nb::cast<std::vector<std::string>>(arrays["names"]);
  const Values positions = numbers("positions"), axes = numbers("axes");
  const Values shifts = numbers("shifts"), turns = numbers("turns");
  for (std::size_t i = 0; i < names.size(); ++i) {
    ReducedModes::Interface interface;
    interface.name = names[i], interface.position = vector_at(positions, i);
    const double* R = axes.data() + 9 * i;
    interface.axes = {R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]};
    for (std::size_t j = 0; j < k; ++j) {
      interface.shifts.push_back(vector_at(shifts, i * k + j));
      interface.turns.push_back(vector_at(turns, i * k + j));
    }
    modes.interfaces.push_back(std::move(interface));
  }
  write_reduced_modes(modes, path);
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
