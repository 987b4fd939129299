// Bodies, joints, forces and events.
#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/shared_ptr.h>

#include <filesystem>

#include "bind.h"
#include "casters.h"
#include "describe.h"
#include "fields.h"
#include "part.h"
#include "python_force.h"
#include "sestina/flexible/reduced_body.h"
#include "sestina/io/reduced_file.h"

namespace sestina::python {

namespace {

// The beam or the reduced body of a body, if it is one.
template <class Flexible>
std::optional<Flexible>& flexible_of(BodySpec& body) {
  if constexpr (std::is_same_v<Flexible, BeamSpec>) {
    return body.beam;
  } else {
    return body.reduced;
  }
}

// The same, for a new value at `place`; throws InputError if the body is none.
template <class Flexible>
Flexible& changed(BodySpec& body, const std::string& place) {
  if (std::optional<Flexible>& flexible = flexible_of<Flexible>(body)) return *flexible;
  const char* const kind = std::is_same_v<Flexible, BeamSpec> ? "a beam" : "a reduced body";
  throw InputError(
      {{{.mark = {}, .path = place}, fmt::format("belongs to {}, and this body is none", kind)}});
}

// Bodies of other types have an empty one for reading.
const BeamSpec& beam_of(const BodySpec& body) {
  static const BeamSpec none;
  return body.beam ? *body.beam : none;
}
// The value of a beam at `place`. A body that is not a beam accepts no value, because it has none to read.
BeamSpec& beam_of(BodySpec& body, const std::string& place, nb::handle given) {
  static BeamSpec none;
  if (!body.beam && is_mapping(given) && nb::len(given) == 0) return none;
  return changed<BeamSpec>(body, place);
}

// "rotor.left"; throws InputError if the body has no such point.
std::string point_of_body(const BodySpec& body, const std::string& point) {
  if (!body.beam && !(body.reduced && body.reduced->modes))
    return point_of(body.name.text, body.points, point);
  std::vector<std::string> names;
  if (body.beam) {
    names = {"start", "end"};
    for (const PointSpec& own : body.points) names.push_back(own.name.text);
  } else {
    for (const ReducedModes::Interface& interface : body.reduced->modes->interfaces) {
      names.push_back(interface.name);
    }
  }
  return point_of(body.name.text, names, point);
}

// A number, a name or a truth value of a beam or a reduced body; None for other bodies, which accept none.
template <class Flexible, class Member>
void bind_flexible_value(nb::class_<Part<BodySpec>>& type, const char* name, Member Flexible::*member,
                         const char* doc) {
  type.def_prop_rw(
      name,
      [member](const Part<BodySpec>& part) -> std::optional<Member> {
        const std::optional<Flexible>& flexible = flexible_of<Flexible>(part.spec());
        return flexible ? std::optional<Member>((*flexible).*member) : std::nullopt;
      },
      [member, name](Part<BodySpec>& part, const Member& given) {
        BodySpec& body = part.spec();
        changed<Flexible>(body, place_of(body) + "." + name).*member = given;
      },
      doc);
}

// Three numbers of a beam, or None.
void bind_start_of_beam(nb::class_<Part<BodySpec>>& type, const char* name,
                        std::optional<Triple> BeamSpec::*member, const char* doc) {
  Fields<BodySpec>(type).view(
      ViewKind::kList,
      {name, "sestina.views.ListView[float | str] | None", "collections.abc.Sequence[float | str] | None",
       doc},
      [member](const BodySpec& body) {
        return body.beam && (*body.beam).*member ? nb::cast(*((*body.beam).*member)) : nb::none();
      },
      [member](BodySpec& body, const std::string& place, nb::handle given) {
        std::optional<Triple>& own = changed<BeamSpec>(body, place).*member;
        own = given.is_none() ? std::nullopt
                              : std::optional(convert<Triple>(place, given, "three numbers or expressions"));
      },
      true);
}

void bind_beam_fields(nb::class_<Part<BodySpec>>& type) {
  bind_flexible_value(type, "formulation", &BeamSpec::formulation,
                      "Of a beam: `geometrically_exact`, or `ancf_cable`, a cable.");
  bind_flexible_value(type, "elements", &BeamSpec::elements, "Of a beam: number of its elements.");
  bind_flexible_value(
      type, "twist", &BeamSpec::twist,
      "Of a beam: an expression of the arc length s by which the sections are turned from `up` "
      "about the tangent, rad.");
  bind_flexible_value(type, "pretension", &BeamSpec::pretension,
                      "Of a cable: the tension where it begins, N; between -EA and EA.");
  bind_flexible_value(type, "precurved", &BeamSpec::precurved,
                      "Of a cable: whether it is bent by nature as the centerline is, or straight.");
  bind_flexible_value(type, "closed", &BeamSpec::closed, "Of a cable: whether its end is its start.");
  bind_start_of_beam(type, "velocity", &BeamSpec::velocity,
                     "Of a beam: velocity of its point `start` at the start, m/s, ground axes.");
  bind_start_of_beam(type, "angular_velocity", &BeamSpec::angular_velocity,
                     "Of a beam: angular velocity at the start, as of a rigid body, rad/s, ground axes.");
  Fields<BodySpec>(type).view(
      ViewKind::kList,
      {"up", "sestina.views.ListView[float | str] | None", "collections.abc.Sequence[float | str]",
       "Of a beam: the direction of the sections' z-axis, up to its component along the axis, ground axes."},
      [](const BodySpec& body) { return body.beam ? nb::cast(body.beam->up) : nb::none(); },
      [](BodySpec& body, const std::string& place, nb::handle given) {
        changed<BeamSpec>(body, place).up = convert<Triple>(place, given, "three numbers or expressions");
      },
      true);
}

void bind_reduced_fields(nb::class_<Part<BodySpec>>& type) {
  type.def_prop_rw(
      "file",
      [](const Part<BodySpec>& part) -> std::optional<std::string> {
        const std::optional<ReducedSpec>& reduced = part.spec().reduced;
        return reduced ? std::optional<std::string>(reduced->file.text) : std::nullopt;
      },
      [](Part<BodySpec>& part, const std::filesystem::path& file) {
        ReducedSpec& reduced = changed<ReducedSpec>(part.spec(), place_of(part.spec()) + ".file");
        reduced.modes = read_reduced_modes(file);
        reduced.file = file.string();
      },
      nb::for_setter(nb::sig("def file(self, value: str | os.PathLike[str], /) -> None")),
      "Of a reduced body: the file with its modes, which sestina.reduce() wrote; read when it is set.");
  bind_flexible_value(type, "damping", &ReducedSpec::damping,
                      "Of a reduced body: damping ratio of every mode.");
  Fields<BodySpec>(type)
      .view(
          ViewKind::kList,
          {"position", "sestina.views.ListView[float | str] | None",
           "collections.abc.Sequence[float | str] | None",
           "Of a reduced body: initial position of the mesh's origin, m, ground axes; None: the joints "
           "tell."},
          [](const BodySpec& body) -> nb::object {
            return body.reduced ? nb::cast(body.reduced->position) : nb::none();
          },
          [](BodySpec& body, const std::string& place, nb::handle given) {
            changed<ReducedSpec>(body, place).position =
                convert<std::optional<Triple>>(place, given, "three numbers or expressions, or None");
          },
          true)
      .view(
          ViewKind::kMap,
          {"axes", "sestina.views.MapView[typing.Any] | None", "typing.Any",
           "Of a reduced body: initial rotation of the mesh's axes to the ground's, such as {'rpy': (0, 0, "
           "1)}, or None."},
          [](const BodySpec& body) -> nb::object {
            return body.reduced && body.reduced->axes ? from_rotation(*body.reduced->axes) : nb::none();
          },
          [](BodySpec& body, const std::string& place, nb::handle given) {
            ReducedSpec& reduced = changed<ReducedSpec>(body, place);
            reduced.axes = given.is_none() ? std::nullopt : std::optional(to_rotation(place, given));
          },
          true);
}

void bind_body_fields(nb::class_<Part<BodySpec>>& type) {
  Fields<BodySpec>(type)
      .value("name", &BodySpec::name)
      .value("type", &BodySpec::type, "`rigid`, `particle`, `beam` or `reduced`.")
      .value("mass", &BodySpec::mass, "kg")
      .numbers("center_of_mass", &BodySpec::center_of_mass, "m, from the body's origin in its axes.")
      .view(
          ViewKind::kMap,
          {"inertia", "sestina.views.MapView[float | str]", "typing.Any",
           "kg m^2: xx, yy, zz, xy, xz, yz, elements of the matrix about the centre of mass, body axes; or "
           "that\nmatrix (3, 3)."},
          [](const BodySpec& body) { return from_inertia(body.inertia); },
          [](BodySpec& body, const std::string& place, nb::handle given) {
            body.inertia = to_inertia(place, given);
          })
      .value("inertia_check", &BodySpec::inertia_check,
             "False accepts measured inertias that no rigid body can have.")
      .view(
          ViewKind::kMap,
          {"points", "sestina.views.MapView[typing.Any]", "collections.abc.Mapping[str, typing.Any]",
           "The points other than `origin`: position (m, from the origin in body axes), or position and "
           "axes."},
          [](const BodySpec& body) { return from_points(body.points); },
          [](BodySpec& body, const std::string& place, nb::handle given) {
            body.points = to_points(place, given);
          })
      .view(
          ViewKind::kList, {"shapes", "sestina.views.ListView[typing.Any]", "typing.Any", "Drawn, not felt."},
          [](const BodySpec& body) { return from_shapes(body.shapes); },
          [](BodySpec& body, const std::string& place, nb::handle given) {
            body.shapes = to_shapes(place, given);
          })
      .view(
          ViewKind::kMap,
          {"centerline", "sestina.views.MapView[typing.Any]", "typing.Any",
           "Of a beam: its unstressed axis in ground axes (m): from and to; points; or curve and length."},
          [](const BodySpec& body) { return from_centerline(beam_of(body).centerline); },
          [](BodySpec& body, const std::string& place, nb::handle given) {
            beam_of(body, place, given).centerline = to_centerline(place, given);
          })
      .view(
          ViewKind::kMap,
          {"section", "sestina.views.MapView[typing.Any]", "typing.Any",
           "Of a beam: rectangle (m), circle (m), tube (m), or EA, GAy, GAz (N), GJ, EIy, EIz (N m^2), mass\n"
           "(kg/m), Ixx, Iyy, Izz (kg m); or stiffness (6 rows of 6), mass, Ixx, Iyy, Izz; functions of s\n"
           "(m)."},
          [](const BodySpec& body) { return from_section(beam_of(body).section); },
          [](BodySpec& body, const std::string& place, nb::handle given) {
            beam_of(body, place, given).section = to_section(place, given);
          })
      .view(
          ViewKind::kMap,
          {"material", "sestina.views.MapView[typing.Any]", "typing.Any",
           "Of a beam: E (Pa), nu, density (kg/m^3), damping (s), shear (two factors)."},
          [](const BodySpec& body) { return from_material(beam_of(body).material); },
          [](BodySpec& body, const std::string& place, nb::handle given) {
            beam_of(body, place, given).material = to_material(place, given);
          })
      .fixed("original_name", &BodySpec::original_name,
             "In the file it was imported from, where it was another.");
}

void bind_body(nb::module_& module) {
  nb::class_<Part<BodySpec>> type(
      module, "Body", nb::type_slots(described_slots<traverse_part<BodySpec>>),
      "A rigid body, a particle, a beam or a reduced body of a System. `body[\"tip\"]` is its point `tip`.");
  bind_body_fields(type);
  bind_beam_fields(type);
  bind_reduced_fields(type);
  type.def(
          "__init__",
          [](Part<BodySpec>* self, const std::string& name, const Number& mass, const nb::kwargs& keys) {
            BodySpec body;
            body.name = name, body.mass = mass;
            new (self) Part<BodySpec>(with_keys(std::move(body), keys));
          },
          nb::arg("name"), nb::arg("mass"), nb::arg("keys"),
          nb::sig("def __init__(self, name: str, mass: float | str, **keys: typing.Any) -> None"),
          "A body that belongs to no system yet: system.bodies.append(body). keys: its attributes.")
      .def(
          "add_point",
          [](const Part<BodySpec>& body, const std::string& name, nb::handle position, nb::handle axes) {
            return set_point(place_of(body.spec()), body.spec().name.text, body.spec().points, name, position,
                             axes);
          },
          nb::arg("name"), nb::arg("position"), nb::arg("axes") = nb::none(),
          nb::sig("def add_point(self, name: str, position: typing.Any, axes: typing.Any = None) -> str"),
          "Adds a named frame fixed on the body, or moves it: position (m, from the origin in body axes) and "
          "the\n"
          "rotation of its axes. Returns its name, `link.tip`.")
      .def(
          "__getitem__",
          [](const Part<BodySpec>& body, const std::string& point) {
            return point_of_body(body.spec(), point);
          },
          nb::arg("point"))
      .def("__repr__", [](const Part<BodySpec>& body) {
        return fmt::format("<sestina.Body {}>", body.spec().name.text);
      });
  bind_copies(type, "Body");
}

void bind_joint(nb::module_& module) {
  nb::class_<Part<JointSpec>> type(module, "Joint", nb::type_slots(described_slots<traverse_part<JointSpec>>),
                                   "A joint of a System, between two points.");
  Fields<JointSpec>(type)
      .value("name", &JointSpec::name)
      .value("type", &JointSpec::type)
      .value("parent", &JointSpec::parent, "BODY.POINT")
      .value("child", &JointSpec::child, "BODY.POINT")
      .numbers("axis", &JointSpec::axis, "In the axes of the parent's point; any length but zero.")
      .numbers("second_axis", &JointSpec::second_axis, "Of universal: in the axes of the child's point.")
#define SESTINA_BIND(name, unit, allowed, explanation) .value(#name, &JointSpec::name, explanation ", " unit)
      // clang-format off
      SESTINA_JOINT_NUMBERS(SESTINA_BIND)
// clang-format on
#undef SESTINA_BIND
      .value("armature", &JointSpec::armature,
             "Of joints with one speed: rotor inertia reflected to the joint, kg m^2 or kg.")
      .numbers("q", &JointSpec::q,
               "Initial coordinates; empty: the identity, or values that close the "
               "loops.")
      .numbers("u", &JointSpec::u, "Initial speeds; empty: zero, or values that the loops allow.")
      .value("cut", &JointSpec::cut,
             "Whether the joint closes a loop even if no other joint carries its child.")
      .value("hold", &JointSpec::hold, "Whether the given q and u are kept when loops are closed.")
      .view(
          ViewKind::kMap,
          {"limits", "sestina.views.MapView[float | str] | None",
           "collections.abc.Mapping[str, float | str] | None",
           "lower, upper (rad or m), velocity, effort. Kept as data; nothing enforces them."},
          [](const JointSpec& joint) { return from_limits(joint.limits); },
          [](JointSpec& joint, const std::string& place, nb::handle given) {
            joint.limits = to_limits(place, given);
          },
          true)
      .fixed("original_name", &JointSpec::original_name,
             "In the file it was imported from, where it was another.");
  type.def(
          "__init__",
          [](Part<JointSpec>* self, const std::string& name, const std::string& joint_type,
             const std::string& parent, const std::string& child, const nb::kwargs& keys) {
            new (self) Part<JointSpec>(make_joint(name, joint_type, parent, child, keys));
          },
          nb::arg("name"), nb::arg("type"), nb::arg("parent"), nb::arg("child"), nb::arg("keys"),
          nb::sig("def __init__(self, name: str, type: str, parent: str, child: str, **keys: typing.Any) -> "
                  "None"),
          "A joint that belongs to no system yet: system.joints.append(joint). keys: its attributes.")
      .def("__repr__", [](const Part<JointSpec>& part) {
        const JointSpec& joint = part.spec();
        return fmt::format("<sestina.Joint {}: {} from {} to {}>", joint.name.text, joint.type.text,
                           joint.parent.text, joint.child.text);
      });
  bind_copies(type, "Joint");
}

void bind_force_fields(nb::class_<Part<ForceSpec>>& type) {
  Fields<ForceSpec>(type)
      .value("name", &ForceSpec::name)
      .value("type", &ForceSpec::type)
      .value("joint", &ForceSpec::joint,
             "Of joint_spring, joint_damper, joint_force, coordinate_friction, lugre_friction.")
      .value("from_", &ForceSpec::from, "Of a force between two points: BODY.POINT")
      .value("to", &ForceSpec::to, "Of a force between two points: BODY.POINT")
      .value("at", &ForceSpec::at, "Of point_force, point_torque, belt_contact: BODY.POINT")
      .value("cable", &ForceSpec::cable, "Of belt_contact: a beam of formulation ancf_cable.")
      .value("beam", &ForceSpec::beam, "Of line_force: a beam or cable.")
      .value("constraint", &ForceSpec::constraint, "Of sliding_force: a constraint of type point_on_beam.")
      .value("segments", &ForceSpec::segments, "Of belt_contact: points of contact of each element.")
      .value("axes", &ForceSpec::axes,
             "Of point_force, point_torque: `ground` or `body`; of line_force: `ground` or `section`.")
      .numbers("stiffness", &ForceSpec::stiffness,
               "N m/rad or N/m; one number for all coordinates or one for each.")
      .numbers("damping", &ForceSpec::damping, "N m s/rad or N s/m")
      .numbers(
          "reference", &ForceSpec::reference,
          "Of joint_spring, cartesian_spring, torsional_spring_damper: coordinates without force, rad or m.")
      .numbers("rotational_stiffness", &ForceSpec::rotational_stiffness,
               "Of bushing, N m/rad: one for all axes of `from_`, or three.")
      .numbers("rotational_damping", &ForceSpec::rotational_damping,
               "Of bushing, N m s/rad: one for all axes of `from_`, or three.")
      .numbers(
          "stiffness_matrix", &ForceSpec::stiffness_matrix,
          "Of bushing: 36 numbers by rows, of [displacement; rotation]; instead of the two stiffnesses. Of "
          "second_order: (b + n)^2 by rows, for [coupled_to; coordinates].")
      .numbers("damping_matrix", &ForceSpec::damping_matrix, "Of bushing and second_order: likewise.")
      .numbers("axis", &ForceSpec::axis,
               "Of torsional_spring_damper, in the axes of `from_`; of belt_contact, in those of `at`.")
      .view(
          ViewKind::kList,
          {"points", "sestina.views.ListView[str]", "collections.abc.Sequence[str]",
           "Of rope: BODY.POINT, two or more."},
          [](const ForceSpec& force) { return nb::cast(force.points); },
          [](ForceSpec& force, const std::string& place, nb::handle given) {
            force.points = convert<std::vector<Name>>(place, given, "a list of points, BODY.POINT");
          })
#define SESTINA_BIND(name, unit, allowed, explanation) .value(#name, &ForceSpec::name, explanation ", " unit)
      // clang-format off
      SESTINA_FORCE_NUMBERS(SESTINA_BIND)
// clang-format on
#undef SESTINA_BIND
      .numbers("value", &ForceSpec::value,
               "N or N m: numbers or expressions of t, coordinates, speeds, parameters.")
      .view(
          ViewKind::kMap,
          {"table", "sestina.views.MapView[typing.Any] | None",
           "collections.abc.Mapping[str, typing.Any] | None",
           "Instead of `value`: {'t': s, 'columns': {name: values}, 'interpolation': 'linear' or 'cubic'}."},
          [](const ForceSpec& force) { return from_table(force.table); },
          [](ForceSpec& force, const std::string& place, nb::handle given) {
            force.table = to_table(place, given, force.table);
          },
          true);
}

// Second-order equations: n coordinates of their own.
void bind_second_order_fields(nb::class_<Part<ForceSpec>>& type) {
  Fields<ForceSpec>(type)
      .numbers("mass_matrix", &ForceSpec::mass_matrix, "Of second_order: n^2 numbers by rows.")
      .numbers("initial", &ForceSpec::initial, "Of second_order: its coordinates at the start, (n).")
      .numbers("initial_rates", &ForceSpec::initial_rates, "Of second_order: their rates, (n).")
      .value("unit", &ForceSpec::unit, "Of second_order: the unit of its coordinates.")
      .view(
          ViewKind::kList,
          {"coupled_to", "sestina.views.ListView[str]", "collections.abc.Sequence[str]",
           "Of second_order: coordinates of joints, JOINT.q or JOINT.q[i]."},
          [](const ForceSpec& force) { return nb::cast(force.coupled_to); },
          [](ForceSpec& force, const std::string& place, nb::handle given) {
            force.coupled_to = convert<std::vector<Name>>(place, given, "a list of coordinates, JOINT.q");
          })
      .view(
          ViewKind::kList,
          {"coordinates", "sestina.views.ListView[str]", "collections.abc.Sequence[str]",
           "Of second_order: names of its own coordinates (n)."},
          [](const ForceSpec& force) { return nb::cast(force.coordinates); },
          [](ForceSpec& force, const std::string& place, nb::handle given) {
            force.coordinates = convert<std::vector<Name>>(place, given, "a list of names");
          });
}

void bind_force(nb::module_& module) {
  nb::class_<Part<ForceSpec>> type(module, "Force", nb::type_slots(described_slots<traverse_part<ForceSpec>>),
                                   "A force element of a System.");
  bind_force_fields(type);
  bind_second_order_fields(type);
  type.def(
          "__init__",
          [](Part<ForceSpec>* self, const std::string& name, const std::string& force_type,
             const nb::kwargs& keys) { new (self) Part<ForceSpec>(make_force(name, force_type, keys)); },
          nb::arg("name"), nb::arg("type"), nb::arg("keys"),
          nb::sig("def __init__(self, name: str, type: str, **keys: typing.Any) -> None"),
          "A force that belongs to no system yet: system.forces.append(force). keys: its attributes.")
      .def(
          "__init__",
          [](Part<ForceSpec>* self, const std::string& name, const std::shared_ptr<PythonForce>& force) {
            new (self) Part<ForceSpec>(System().add_user_force(name, force));
          },
          nb::arg("name"), nb::arg("force"))
      .def("__repr__", [](const Part<ForceSpec>& force) {
        return fmt::format("<sestina.Force {}: {}>", force.spec().name.text, force.spec().type.text);
      });
  bind_copies(type, "Force");
}

void bind_state(nb::module_& module) {
  nb::class_<Part<StateSpec>> type(module, "StateVariable",
                                   nb::type_slots(described_slots<traverse_part<StateSpec>>),
                                   "A number with a rate, integrated with the motion.");
  Fields<StateSpec>(type)
      .value("name", &StateSpec::name)
      .value("rate", &StateSpec::rate,
             "The expression of t, coordinates, speeds, states, variables and parameters, per second.")
      .value("start", &StateSpec::start, "At the beginning.")
      .value("unit", &StateSpec::unit, "Of its column.");
  type.def(
          "__init__",
          [](Part<StateSpec>* self, const std::string& name, const Number& rate, const nb::kwargs& keys) {
            StateSpec state;
            state.name = name, state.rate = rate;
            new (self) Part<StateSpec>(with_keys(std::move(state), keys));
          },
          nb::arg("name"), nb::arg("rate"), nb::arg("keys"),
          nb::sig("def __init__(self, name: str, rate: float | str, **keys: typing.Any) -> None"),
          "A state that belongs to no system yet: system.states.append(state). keys: its attributes.")
      .def("__repr__", [](const Part<StateSpec>& state) {
        return fmt::format("<sestina.StateVariable {}>", state.spec().name.text);
      });
  bind_copies(type, "StateVariable");
}

void bind_event(nb::module_& module) {
  nb::class_<Part<EventSpec>> type(module, "Event", nb::type_slots(described_slots<traverse_part<EventSpec>>),
                                   "An event, which takes place when an expression crosses zero.");
  Fields<EventSpec>(type)
      .value("name", &EventSpec::name)
      .value("when", &EventSpec::when, "The expression of t, coordinates, speeds and variables.")
      .value("direction", &EventSpec::direction, "`rising`, `falling` or `both`.")
      .value("terminal", &EventSpec::terminal, "Whether it ends the run.")
      .view(
          ViewKind::kMap,
          {"set", "sestina.views.MapView[float | str]", "collections.abc.Mapping[str, float | str] | None",
           "New values at the event: {'hinge.u': '-0.8*hinge.u'}."},
          [](const EventSpec& event) { return from_assignments(event.set); },
          [](EventSpec& event, const std::string& place, nb::handle given) {
            event.set = to_assignments(place, given);
          })
      .value("tolerance", &EventSpec::tolerance, "s; None: the resolution of the time.");
  type.def(
          "__init__",
          [](Part<EventSpec>* self, const std::string& name, const Number& when, const nb::kwargs& keys) {
            EventSpec event;
            event.name = name, event.when = when;
            new (self) Part<EventSpec>(with_keys(std::move(event), keys));
          },
          nb::arg("name"), nb::arg("when"), nb::arg("keys"),
          nb::sig("def __init__(self, name: str, when: float | str, **keys: typing.Any) -> None"),
          "An event that belongs to no system yet: system.events.append(event). keys: its attributes.")
      .def("__repr__", [](const Part<EventSpec>& event) {
        return fmt::format("<sestina.Event {}>", event.spec().name.text);
      });
  bind_copies(type, "Event");
}

}  // namespace

JointSpec make_joint(const std::string& name, const std::string& type, const std::string& parent,
                     const std::string& child, nb::handle keys) {
  JointSpec joint;
  joint.name = name, joint.type = type, joint.parent = parent, joint.child = child;
  return with_keys(std::move(joint), keys);
}

ForceSpec make_force(const std::string& name, const std::string& type, nb::handle keys) {
  ForceSpec force;
  force.name = name, force.type = type;
  return with_keys(std::move(force), keys);
}

void bind_parts(nb::module_& module) {
  bind_body(module);
  bind_joint(module);
  bind_force(module);
  bind_state(module);
  bind_event(module);
}

}  // namespace sestina::python
