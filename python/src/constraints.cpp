// Constraints of a system.
#include <fmt/format.h>
#include <nanobind/stl/shared_ptr.h>

#include "bind.h"
#include "casters.h"
#include "describe.h"
#include "fields.h"
#include "part.h"

namespace sestina::python {

namespace {

std::vector<CouplingTerm> to_terms(const std::string& place, nb::handle given) {
  std::vector<CouplingTerm> terms;
  if (given.is_none()) return terms;
  for (const auto& [coordinate, coefficient] :
       to_dictionary(place, given, "a dictionary of coordinates and their coefficients")) {
    CouplingTerm& term = terms.emplace_back();
    term.coordinate = convert<Name>(place, coordinate, "the name of a coordinate, such as hinge.q");
    term.coefficient =
        convert<Number>(place + "." + term.coordinate.text, coefficient, "a number or an expression");
  }
  return terms;
}

nb::object from_terms(const std::vector<CouplingTerm>& terms) {
  nb::dict dictionary;
  for (const CouplingTerm& term : terms)
    dictionary[term.coordinate.text.c_str()] = nb::cast(term.coefficient);
  return dictionary;
}

void bind_fields(nb::class_<Part<ConstraintSpec>>& type) {
  Fields<ConstraintSpec>(type)
      .value("name", &ConstraintSpec::name)
      .value("type", &ConstraintSpec::type)
      .value("level", &ConstraintSpec::level, "`position` or `velocity`; of coupling, motion and expression.")
      .value("from_", &ConstraintSpec::from, "Of distance: BODY.POINT")
      .value("to", &ConstraintSpec::to, "Of distance: BODY.POINT")
      .value("length", &ConstraintSpec::length, "Of distance: m, a number or an expression of t.")
      .view(
          ViewKind::kMap,
          {"coefficients", "sestina.views.MapView[float | str]",
           "collections.abc.Mapping[str, float | str] | None",
           "Of coupling: {'a.q': 2, 'b.q': -1}; the sum of the products is `value`."},
          [](const ConstraintSpec& constraint) { return from_terms(constraint.coefficients); },
          [](ConstraintSpec& constraint, const std::string& place, nb::handle given) {
            constraint.coefficients = to_terms(place, given);
          })
      .value("joint", &ConstraintSpec::joint, "Of motion: the joint that is driven.")
      .numbers("value", &ConstraintSpec::value,
               "Of motion: one value for each coordinate or speed; of coupling: the sum. Expressions of t.")
      .value("zero", &ConstraintSpec::zero,
             "Of expression: an expression of t, coordinates and parameters that has to vanish; of "
             "speeds at level velocity.")
      .value("point", &ConstraintSpec::point,
             "Of point_on_line, point_on_plane, point_on_curve, point_on_beam, tangent: BODY.POINT")
      .value("line", &ConstraintSpec::line, "BODY.POINT through which the line goes.")
      .value("plane", &ConstraintSpec::plane, "BODY.POINT in the plane.")
      .numbers("axis", &ConstraintSpec::axis,
               "The direction of the line or the axis of a rolling disc, in the axes of its point.")
      .numbers("normal", &ConstraintSpec::normal, "The normal of the plane, in the axes of its point.")
      .value("curve", &ConstraintSpec::curve, "BODY.POINT in whose axes the curve is given.")
      .numbers("position", &ConstraintSpec::position,
               "Of point_on_curve: three expressions of s and parameters.")
      .view(
          ViewKind::kMap,
          {"table", "sestina.views.MapView[typing.Any] | None",
           "collections.abc.Mapping[str, typing.Any] | None",
           "Of point_on_curve, instead of `position`: {'s': numbers, 'columns': {name: values}}, three "
           "columns."},
          [](const ConstraintSpec& constraint) { return from_table(constraint.table, "s"); },
          [](ConstraintSpec& constraint, const std::string& place, nb::handle given) {
            constraint.table = to_table(place, given, constraint.table, "s");
          },
          true)
      .numbers("range", &ConstraintSpec::range, "Of point_on_curve by expressions: s at its two ends.")
      .value("periodic", &ConstraintSpec::periodic, "Of point_on_curve by a table: whether it is closed.")
      .value("start", &ConstraintSpec::start,
             "Of point_on_curve, point_on_beam (m): where the search for s begins.")
      .value("beam", &ConstraintSpec::beam,
             "Of point_on_beam: the beam or cable along which the point slides.")
      .value("body", &ConstraintSpec::body, "Of rolling: BODY.POINT, the centre of the disc.")
      .value("radius", &ConstraintSpec::radius, "Of rolling: m.");
}

ConstraintSpec make_constraint(const std::string& name, const std::string& type, nb::handle keys) {
  ConstraintSpec constraint;
  constraint.name = name, constraint.type = type;
  return with_keys(std::move(constraint), keys);
}

nb::object add_constraint(nb::handle self, const std::string& name, const std::string& type,
                          const nb::kwargs& keys) {
  ConstraintSpec constraint = make_constraint(name, type, keys);
  auto& system = nb::cast<System&>(self);
  system.constraints.push_back(std::move(constraint));
  return Part<ConstraintSpec>::in(self, system.constraints.back());
}

}  // namespace

void bind_constraint(nb::module_& module) {
  nb::class_<Part<ConstraintSpec>> type(module, "Constraint",
                                        nb::type_slots(described_slots<traverse_part<ConstraintSpec>>),
                                        "A condition on the motion of a System.");
  bind_fields(type);
  type.def(
          "__init__",
          [](Part<ConstraintSpec>* self, const std::string& name, const std::string& constraint_type,
             const nb::kwargs& keys) {
            new (self) Part<ConstraintSpec>(make_constraint(name, constraint_type, keys));
          },
          nb::arg("name"), nb::arg("type"), nb::arg("keys"),
          nb::sig("def __init__(self, name: str, type: str, **keys: typing.Any) -> None"),
          "A constraint that belongs to no system yet: system.constraints.append(constraint). keys: its "
          "attributes.")
      .def(
          "__init__",
          [](Part<ConstraintSpec>* self, const std::string& name,
             const std::shared_ptr<PythonConstraint>& constraint) {
            new (self) Part<ConstraintSpec>(System().add_user_constraint(name, constraint));
          },
          nb::arg("name"), nb::arg("constraint"))
      .def("__repr__", [](const Part<ConstraintSpec>& constraint) {
        return fmt::format("<sestina.Constraint {}: {}>", constraint.spec().name.text,
                           constraint.spec().type.text);
      });
  bind_copies(type, "Constraint");
}

void bind_constraints_of_system(nb::class_<System>& system) {
  system.def(
      "add_constraint", add_constraint, nb::arg("name"), nb::arg("type"), nb::arg("keys"),
      nb::sig("def add_constraint(self, name: str, type: str, **keys: typing.Any) -> Constraint"),
      "Adds a condition on the motion.\n"
      "\n"
      "type: distance (from_, to, length), coupling (coefficients, value), motion (joint, value), "
      "expression\n"
      "(zero), point_on_line (point, line, axis), point_on_plane (point, plane, normal), point_on_curve "
      "(point, curve,\n"
      "position or table, range, periodic, start), point_on_beam (point, beam, start), rolling (body, axis, "
      "radius, plane, normal), tangent "
      "(point of a\n"
      "cable, line, axis); keys: the attributes of Constraint. Joints that close loops need no constraints. "
      "A PythonConstraint in place of a type "
      "computes its\n"
      "conditions in a function.");
  system.def(
      "add_constraint",
      [](nb::handle self, const std::string& name, const std::shared_ptr<PythonConstraint>& constraint) {
        return Part<ConstraintSpec>::in(self, nb::cast<System&>(self).add_user_constraint(name, constraint));
      },
      nb::arg("name"), nb::arg("constraint"),
      nb::sig("def add_constraint(self, name: str, constraint: PythonConstraint) -> Constraint"));
}

}  // namespace sestina::python
