// The parts of a System: bodies, joints, forces, events and how it is simulated.
#include <fmt/format.h>
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>

#include "bind.h"
#include "casters.h"
#include "describe.h"
#include "sestina/base/error.h"
#include "sestina/base/suggest.h"
#include "sestina/model/system.h"

namespace sestina::python {

namespace {

// body["tip"]: "link.tip". InputError where the body has no such point.
std::string point_of(const std::string& body, const std::vector<PointSpec>& points, const std::string& name) {
  std::vector<std::string> names{"origin"};
  for (const PointSpec& point : points) names.push_back(point.name.text);
  if (std::find(names.begin(), names.end(), name) != names.end()) return body + "." + name;
  throw InputError(
      {{{.mark = {}, .path = body}, fmt::format("there is no point '{}'{}", name, suggestion(name, names))}});
}

void bind_body_points(nb::class_<BodySpec>& body_type) {
  body_type
      .def(
          "add_point",
          [](BodySpec& body, const std::string& name, nb::handle position, nb::handle axes) {
            PointSpec point = to_point("bodies." + body.name.text + ".points." + name, name, position);
            if (!axes.is_none())
              point.axes = to_rotation("bodies." + body.name.text + ".points." + name, axes);
            const auto found = std::find_if(body.points.begin(), body.points.end(),
                                            [&](const PointSpec& p) { return p.name == name; });
            if (found == body.points.end()) {
              body.points.push_back(point);
            } else {
              *found = point;
            }
            return body.name.text + "." + name;
          },
          nb::arg("name"), nb::arg("position"), nb::arg("axes") = nb::none(),
          nb::sig("def add_point(self, name: str, position: typing.Any, axes: typing.Any = None) -> str"),
          "Adds a named frame fixed on the body, or moves it: position (m, from the origin in body axes) and "
          "the\n"
          "rotation of its axes. Returns its name, `link.tip`.")
      .def(
          "__getitem__",
          [](const BodySpec& body, const std::string& point) {
            return point_of(body.name.text, body.points, point);
          },
          nb::arg("point"))
      .def("__repr__", [](const BodySpec& body) { return fmt::format("<sestina.Body {}>", body.name.text); });
}

void bind_body(nb::module_& module) {
  nb::class_<BodySpec> body_type(
      module, "Body", "A rigid body or a particle of a System. `body[\"tip\"]` is its point `tip`.");
  body_type.def_rw("name", &BodySpec::name)
      .def_rw("type", &BodySpec::type, "`rigid` or `particle`.")
      .def_rw("mass", &BodySpec::mass, "kg")
      .def_rw("center_of_mass", &BodySpec::center_of_mass, "m, from the body's origin in its axes.")
      .def_prop_rw(
          "inertia", [](const BodySpec& body) { return from_inertia(body.inertia); },
          [](BodySpec& body, nb::handle given) {
            body.inertia = to_inertia("bodies." + body.name.text + ".inertia", given);
          },
          nb::for_getter(nb::sig("def inertia(self) -> dict[str, float | str]")),
          nb::for_setter(nb::sig("def inertia(self, value: typing.Any, /) -> None")),
          "kg m^2: xx, yy, zz, xy, xz, yz, elements of the matrix about the centre of mass, body axes; or "
          "that\n"
          "matrix (3, 3).")
      .def_rw("inertia_check", &BodySpec::inertia_check,
              "False accepts measured inertias that no rigid body can have.")
      .def_prop_ro(
          "points",
          [](const BodySpec& body) {
            nb::dict points;
            for (const PointSpec& point : body.points) points[point.name.text.c_str()] = from_point(point);
            return points;
          },
          nb::sig("def points(self) -> dict[str, typing.Any]"),
          "The points beside `origin`: position (m, from the origin in body axes), or position and axes.")
      .def_prop_rw(
          "shapes", [](const BodySpec& body) { return from_shapes(body.shapes); },
          [](BodySpec& body, nb::handle given) {
            body.shapes = to_shapes("bodies." + body.name.text + ".shapes", given);
          },
          nb::for_getter(nb::sig("def shapes(self) -> list[dict[str, typing.Any]]")),
          nb::for_setter(nb::sig("def shapes(self, value: typing.Any, /) -> None")), "Drawn, not felt.")
      .def_ro("original_name", &BodySpec::original_name,
              "In the file it was imported from, where it was another.");
  bind_body_points(body_type);
}

void bind_joint(nb::module_& module) {
  nb::class_<JointSpec>(module, "Joint", "A joint of a System, between two points.")
      .def_rw("name", &JointSpec::name)
      .def_rw("type", &JointSpec::type)
      .def_rw("parent", &JointSpec::parent, "BODY.POINT")
      .def_rw("child", &JointSpec::child, "BODY.POINT")
      .def_rw("axis", &JointSpec::axis, "In the axes of the parent's point; any length but zero.")
      .def_rw("second_axis", &JointSpec::second_axis, "Of universal: in the axes of the child's point.")
      .def_rw("pitch", &JointSpec::pitch, "Of screw: m/rad")
      .def_rw("armature", &JointSpec::armature,
              "Of joints with one speed: rotor inertia reflected to the joint, kg m^2 or kg.")
      .def_rw("q", &JointSpec::q, "Initial coordinates; empty: the identity.")
      .def_rw("u", &JointSpec::u, "Initial speeds; empty: zero.")
      .def_prop_rw(
          "limits", [](const JointSpec& joint) { return from_limits(joint.limits); },
          [](JointSpec& joint, nb::handle given) {
            joint.limits = to_limits("joints." + joint.name.text + ".limits", given);
          },
          nb::for_getter(nb::sig("def limits(self) -> dict[str, float | str] | None")),
          nb::for_setter(nb::sig("def limits(self, value: dict[str, float | str] | None, /) -> None")),
          "lower, upper (rad or m), velocity, effort. Kept as data; nothing enforces them.")
      .def_ro("original_name", &JointSpec::original_name,
              "In the file it was imported from, where it was another.")
      .def("__repr__", [](const JointSpec& joint) {
        return fmt::format("<sestina.Joint {}: {} from {} to {}>", joint.name.text, joint.type.text,
                           joint.parent.text, joint.child.text);
      });
}

void bind_force(nb::module_& module) {
  nb::class_<ForceSpec>(module, "Force", "A force element of a System.")
      .def_rw("name", &ForceSpec::name)
      .def_rw("type", &ForceSpec::type)
      .def_rw("joint", &ForceSpec::joint, "Of joint_spring, joint_damper, joint_force.")
      .def_rw("from_", &ForceSpec::from, "Of spring_damper: BODY.POINT")
      .def_rw("to", &ForceSpec::to, "Of spring_damper: BODY.POINT")
      .def_rw("at", &ForceSpec::at, "Of point_force, point_torque: BODY.POINT")
      .def_rw("axes", &ForceSpec::axes, "Of point_force, point_torque: `ground` or `body`.")
      .def_rw("stiffness", &ForceSpec::stiffness,
              "N m/rad or N/m; one number for all coordinates or one for each.")
      .def_rw("damping", &ForceSpec::damping, "N m s/rad or N s/m")
      .def_rw("reference", &ForceSpec::reference, "Of joint_spring: the coordinates at rest, rad or m.")
      .def_rw("free_length", &ForceSpec::free_length, "Of spring_damper: m")
      .def_rw("value", &ForceSpec::value,
              "N or N m: numbers or expressions of t, coordinates, speeds, parameters.")
      .def_prop_rw(
          "table", [](const ForceSpec& force) { return from_table(force.table); },
          [](ForceSpec& force, nb::handle given) {
            force.table = to_table("forces." + force.name.text + ".table", given);
          },
          nb::for_getter(nb::sig("def table(self) -> dict[str, typing.Any] | None")),
          nb::for_setter(nb::sig("def table(self, value: dict[str, typing.Any] | None, /) -> None")),
          "Instead of `value`: {'t': s, 'columns': {name: values}, 'interpolation': 'linear' or 'cubic'}.")
      .def("__repr__", [](const ForceSpec& force) {
        return fmt::format("<sestina.Force {}: {}>", force.name.text, force.type.text);
      });
}

void bind_event(nb::module_& module) {
  nb::class_<EventSpec>(module, "Event", "What happens where an expression crosses zero.")
      .def_rw("name", &EventSpec::name)
      .def_rw("when", &EventSpec::when, "The expression of t, coordinates, speeds and variables.")
      .def_rw("direction", &EventSpec::direction, "`rising`, `falling` or `both`.")
      .def_rw("terminal", &EventSpec::terminal, "Whether it ends the run.")
      .def_prop_rw(
          "set", [](const EventSpec& event) { return from_assignments(event.set); },
          [](EventSpec& event, nb::handle given) {
            event.set = to_assignments("events." + event.name.text + ".set", given);
          },
          nb::for_getter(nb::sig("def set(self) -> dict[str, float | str]")),
          nb::for_setter(nb::sig("def set(self, value: dict[str, float | str], /) -> None")),
          "What takes which value: {'hinge.u': '-0.8*hinge.u'}.")
      .def_rw("tolerance", &EventSpec::tolerance, "s; None: as the time can be told.")
      .def("__repr__",
           [](const EventSpec& event) { return fmt::format("<sestina.Event {}>", event.name.text); });
}

void bind_analysis(nb::module_& module) {
  nb::class_<IntegratorSpec>(module, "Integrator", "The integration rule of a run.")
      .def_rw("name", &IntegratorSpec::name)
      .def_rw("stages", &IntegratorSpec::stages, "Of lobatto_iiia_iiib: 2 or 3.")
      .def_rw("form", &IntegratorSpec::form, "Of lobatto_iiia_iiib: `velocity` or `momentum`.");
  nb::class_<StepSpec>(module, "Step", "How long the steps of a run are.")
      .def_rw("driver", &StepSpec::driver, "`variable` or `fixed`.")
      .def_rw("dt", &StepSpec::dt, "Of the fixed driver: s")
      .def_rw("rtol", &StepSpec::rtol, "Of the variable driver: relative tolerance of a step.")
      .def_rw("atol", &StepSpec::atol, "Of the variable driver: in the unit of each coordinate and speed.")
      .def_rw("control", &StepSpec::control, "Of the variable driver: `pi` or `pid`.")
      .def_rw("land_on_output", &StepSpec::land_on_output, "Whether steps end at the output's instants.");
  nb::class_<TimeElementsSpec>(module, "TimeElements", "Elements in time, of coordinates `state_time`.")
      .def(nb::init<>())
      .def_rw("elements", &TimeElementsSpec::elements, "How many.")
      .def_rw("pair", &TimeElementsSpec::pair, "Of polynomials: LQ, QC, P3P4, ... P7P8, or auto.")
      .def_rw("tests", &TimeElementsSpec::tests, "`natural` or `upwind`.")
      .def_rw("scheme", &TimeElementsSpec::scheme, "`newton` or `linear_quadratic`.")
      .def_rw("windows", &TimeElementsSpec::windows, "At most as many as elements.")
      .def_rw("tolerance", &TimeElementsSpec::tolerance,
              "Of the error that an element adds, relative; None: elements of one length.")
      .def_rw("stretches", &TimeElementsSpec::stretches,
              "Parts of a window that are solved at the same time; None: one for each process.");
  nb::class_<AnalysisSpec>(module, "Analysis", "How a System is simulated.")
      .def_rw("coordinates", &AnalysisSpec::coordinates, "`relative` or `state_time`.")
      .def_rw("time_elements", &AnalysisSpec::time_elements,
              "Of coordinates `state_time`; None: the usual ones.")
      .def_rw("solver", &AnalysisSpec::solver)
      .def_ro("integrator", &AnalysisSpec::integrator)
      .def_ro("step", &AnalysisSpec::step)
      .def_rw("duration", &AnalysisSpec::duration, "s");
  nb::class_<OutputSpec>(module, "Output", "At which instants rows are recorded.")
      .def_rw("every", &OutputSpec::every, "s; None: a hundredth of the duration.");
}

}  // namespace

void bind_parts(nb::module_& module) {
  bind_body(module);
  bind_joint(module);
  bind_force(module);
  bind_event(module);
  bind_analysis(module);
}

}  // namespace sestina::python
