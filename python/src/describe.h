// Parts of a description in the terms of the model file: dictionaries from and to their structs.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>
#include <vector>

#include "sestina/model/system.h"

namespace sestina::python {

namespace nb = nanobind;

// "{given} is not {allowed}"
[[noreturn]] void refuse(const std::string& place, nb::handle given, const std::string& allowed);

// A dictionary, or another mapping as a dictionary. Throws InputError for other objects.
bool is_mapping(nb::handle given);
nb::dict to_dictionary(const std::string& place, nb::handle given, const std::string& allowed);

template <class T>
T convert(const std::string& place, nb::handle given, const std::string& allowed) {
  T value;
  // A mapping is not accepted as a list of its keys.
  if (is_mapping(given) || !nb::try_cast(given, value)) refuse(place, given, allowed);
  return value;
}

// {"rpy": (r, p, y)}, {"axis": .., "angle": ..}, {"matrix": ..}, {"euler_parameters": ..}, or a 3x3 matrix.
// All throw InputError that names `place`, the key and what is allowed.
RotationSpec to_rotation(const std::string& place, nb::handle given);
nb::object from_rotation(const RotationSpec& rotation);

// (x, y, z) or {"position": (x, y, z), "axes": rotation}
PointSpec to_point(const std::string& place, const std::string& name, nb::handle given);
nb::object from_point(const PointSpec& point);

// {"tip": (x, y, z)}
std::vector<PointSpec> to_points(const std::string& place, nb::handle given);
nb::object from_points(const std::vector<PointSpec>& points);

// The name of a point, "link.tip", of the body `owner` or the ground; throws InputError for an unknown point.
std::string point_of(const std::string& owner, const std::vector<PointSpec>& points, const std::string& name);
// The same for a body whose points have these names.
std::string point_of(const std::string& owner, const std::vector<std::string>& names,
                     const std::string& name);
// Adds a point or moves it, and returns its name. `axes` may be None.
std::string set_point(const std::string& place, const std::string& owner, std::vector<PointSpec>& points,
                      const std::string& name, nb::handle position, nb::handle axes);

// {"xx": .., "xy": ..}, or a symmetric 3x3 matrix.
InertiaSpec to_inertia(const std::string& place, nb::handle given);
nb::object from_inertia(const InertiaSpec& inertia);

// {"type": "cylinder", "radius": .., ..}, or a list of such.
std::vector<ShapeSpec> to_shapes(const std::string& place, nb::handle given);
nb::object from_shapes(const std::vector<ShapeSpec>& shapes);

// The parts of a beam: {"from": .., "to": ..}, {"points": ..} or {"curve": .., "length": ..}; {"rectangle":
// (w, h)} and the like; {"E": .., "nu": .., "density": ..}; {"mid": {"at": 0.5}}.
CenterlineSpec to_centerline(const std::string& place, nb::handle given);
nb::object from_centerline(const CenterlineSpec& line);
BeamSectionSpec to_section(const std::string& place, nb::handle given);
nb::object from_section(const BeamSectionSpec& section);
BeamMaterialSpec to_material(const std::string& place, nb::handle given);
nb::object from_material(const BeamMaterialSpec& material);

// {"lower": .., "upper": .., "velocity": .., "effort": ..}, or None.
std::optional<LimitsSpec> to_limits(const std::string& place, nb::handle given);
nb::object from_limits(const std::optional<LimitsSpec>& limits);

// {"t": .., "columns": {name: values}, "interpolation": "linear"}, or None. If values equal those of the
// table `before`, the reference to its file is kept.
std::optional<TableSpec> to_table(const std::string& place, nb::handle given,
                                  const std::optional<TableSpec>& before, const char* key = "t");
nb::object from_table(const std::optional<TableSpec>& table, const char* key = "t");

// {"hinge.u": "-0.8*hinge.u"}
std::vector<AssignmentSpec> to_assignments(const std::string& place, nb::handle given);
nb::object from_assignments(const std::vector<AssignmentSpec>& assignments);

// {"power": "drive.value*hip.u", "work": {"value": .., "unit": "J", "integrate": True}}
std::vector<ColumnSpec> to_columns(const std::string& place, nb::handle given);
nb::object from_columns(const std::vector<ColumnSpec>& columns);

}  // namespace sestina::python
