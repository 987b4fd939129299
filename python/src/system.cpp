// System, and the files from which it is read and to which it is written.
#include "sestina/model/system.h"

#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>

#include "bind.h"
#include "casters.h"
#include "describe.h"
#include "fields.h"
#include "frozen_model.h"
#include "part.h"
#include "python_force.h"
#include "sestina/base/error.h"
#include "sestina/base/text.h"
#include "sestina/io/model_file.h"
#include "sestina/io/schema.h"
#include "views.h"

namespace sestina::python {

namespace {

// The ground of a system: system.ground["origin"].
struct Ground {
  nb::object owner;

  std::vector<PointSpec>& points() const { return nb::cast<System&>(owner).ground_points; }
  std::vector<ShapeSpec>& shapes() const { return nb::cast<System&>(owner).ground_shapes; }
};

int traverse_ground(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (nb::inst_ready(self)) Py_VISIT(nb::inst_ptr<Ground>(self)->owner.ptr());
  return 0;
}

template <class Spec>
Spec to_named_number(const std::string& place, nb::handle key, nb::handle value) {
  const auto name = convert<std::string>(place, key, "text, a name");
  return {name, convert<Number>(place + "." + name, value, "a number or an expression")};
}

template <class Spec>
std::vector<Spec> to_named_numbers(const std::string& place, nb::handle given) {
  std::vector<Spec> specs;
  for (const auto& [key, value] : to_dictionary(place, given, "a dictionary of names and numbers")) {
    specs.push_back(to_named_number<Spec>(place, key, value));
  }
  return specs;
}

// The parameters, or the variables, of a system: names with numbers. Each is accessed by itself, since there
// may be many.
template <class Spec>
FieldAccess named_numbers(const char* place, std::vector<Spec> System::*list) {
  const auto specs = [list](nb::handle self) -> std::vector<Spec>& { return nb::cast<System&>(self).*list; };
  const auto find = [specs](nb::handle self, nb::handle key) {
    std::string name;
    auto& all = specs(self);
    if (!nb::try_cast(key, name)) return all.end();
    return std::find_if(all.begin(), all.end(), [&](const Spec& spec) { return spec.name == name; });
  };
  const auto found = [specs, find](nb::handle self, nb::handle key) {
    const auto one = find(self, key);
    if (one == specs(self).end()) throw nb::key_error(nb::cast<std::string>(nb::repr(key)).c_str());
    return one;
  };
  return {.read = [specs](nb::handle self) -> nb::object {
            nb::dict values;
            for (const Spec& spec : specs(self)) values[spec.name.text.c_str()] = nb::cast(spec.value);
            return values;
          },
          .write = [specs, place](nb::handle self,
                                  nb::handle given) { specs(self) = to_named_numbers<Spec>(place, given); },
          .place = [place](nb::handle) { return std::string(place); },
          .get = [found](nb::handle self, nb::handle key) { return nb::cast(found(self, key)->value); },
          .set =
              [specs, find, place](nb::handle self, nb::handle key, nb::handle value) {
                auto spec = to_named_number<Spec>(place, key, value);
                const auto one = find(self, key);
                if (one == specs(self).end()) {
                  specs(self).push_back(std::move(spec));
                } else {
                  one->value = std::move(spec.value);
                }
              },
          .remove = [specs, found](nb::handle self, nb::handle key) { specs(self).erase(found(self, key)); }};
}

// A list of bodies, joints, forces, constraints or events.
template <class Spec>
FieldAccess part_list(const char* place, const char* what, std::deque<Spec> System::*list) {
  const auto specs = [list](nb::handle self) -> std::deque<Spec>& { return nb::cast<System&>(self).*list; };
  return {.read = [specs](nb::handle self) -> nb::object { return parts_of(self, specs(self)); },
          .write = [specs, place, what](
                       nb::handle self,
                       nb::handle given) { replace_parts<Spec>(self, specs(self), given, place, what); },
          .place = [place](nb::handle) { return std::string(place); }};
}

nb::object reference(nb::handle self, auto& element) {
  return Part<std::remove_reference_t<decltype(element)>>::in(self, element);
}

nb::object add_body(nb::handle self, const std::string& name, const Number& mass,
                    const Triple& center_of_mass, nb::handle inertia, nb::handle points, nb::handle shapes,
                    bool inertia_check) {
  // Steps that may throw come first, so that nothing is added then.
  const std::string place = "bodies." + name;
  BodySpec body;
  body.name = name;
  body.mass = mass;
  body.center_of_mass = center_of_mass;
  body.inertia_check = inertia_check;
  if (!inertia.is_none()) body.inertia = to_inertia(place + ".inertia", inertia);
  body.shapes = to_shapes(place + ".shapes", shapes);
  if (!points.is_none()) body.points = to_points(place + ".points", points);
  auto& system = nb::cast<System&>(self);
  system.bodies.push_back(std::move(body));
  return reference(self, system.bodies.back());
}

nb::object add_beam(nb::handle self, const std::string& name, nb::handle centerline, nb::handle section,
                    nb::handle material, const Triple& up, const Number& elements, nb::handle points,
                    const std::string& formulation, const Number& pretension, bool precurved, bool closed,
                    const Number& twist) {
  const std::string place = "bodies." + name;
  BeamSpec beam;
  beam.centerline = to_centerline(place + ".centerline", centerline);
  beam.section = to_section(place + ".section", section);
  beam.material = to_material(place + ".material", material);
  beam.up = up;
  beam.elements = elements;
  beam.formulation = formulation, beam.pretension = pretension, beam.precurved = precurved;
  beam.closed = closed, beam.twist = twist;
  std::vector<PointSpec> own_points;
  if (!points.is_none()) own_points = to_points(place + ".points", points);
  BodySpec& body = nb::cast<System&>(self).add_beam(name, std::move(beam));
  body.points = std::move(own_points);
  return reference(self, body);
}

// If keys are refused, the system stays unchanged: they are set on a part that is not yet in it.
nb::object add_joint(nb::handle self, const std::string& name, const std::string& type,
                     const std::string& parent, const std::string& child, const nb::kwargs& keys) {
  JointSpec joint = make_joint(name, type, parent, child, keys);
  auto& system = nb::cast<System&>(self);
  system.joints.push_back(std::move(joint));
  return reference(self, system.joints.back());
}

nb::object add_force(nb::handle self, const std::string& name, const std::string& type,
                     const nb::kwargs& keys) {
  ForceSpec force = make_force(name, type, keys);
  auto& system = nb::cast<System&>(self);
  system.forces.push_back(std::move(force));
  return reference(self, system.forces.back());
}

nb::object add_state(nb::handle self, const std::string& name, const Number& rate, const Number& start,
                     const std::string& unit) {
  StateSpec& state = nb::cast<System&>(self).add_state(name, rate, start);
  state.unit = unit;
  return reference(self, state);
}

nb::object add_event(nb::handle self, const std::string& name, const Number& when,
                     const std::string& direction, nb::handle set, bool terminal,
                     const std::optional<Number>& tolerance) {
  auto assignments = to_assignments("events." + name + ".set", set);
  auto& system = nb::cast<System&>(self);
  EventSpec& event = system.add_event(name, when, direction);
  event.set = std::move(assignments);
  event.terminal = terminal;
  event.tolerance = tolerance;
  return reference(self, event);
}

void bind_ground(nb::module_& module) {
  nb::class_<Ground> type(module, "Ground", nb::type_slots(described_slots<traverse_ground>),
                          "The inertial frame. `ground[\"origin\"]` is its origin.");
  def_view(type, ViewKind::kMap,
           {"points", "sestina.views.MapView[typing.Any]", "collections.abc.Mapping[str, typing.Any]",
            "The points other than `origin`: position (m, from the ground's origin), or position and axes."},
           {.read = [](nb::handle self) { return from_points(nb::cast<Ground&>(self).points()); },
            .write =
                [](nb::handle self, nb::handle given) {
                  nb::cast<Ground&>(self).points() = to_points("ground.points", given);
                },
            .place = [](nb::handle) { return std::string("ground.points"); }});
  def_view(type, ViewKind::kList,
           {"shapes", "sestina.views.ListView[typing.Any]", "typing.Any",
            "Shapes of the ground: {'name': 'floor', 'type': 'plane'}."},
           {.read = [](nb::handle self) { return from_shapes(nb::cast<Ground&>(self).shapes()); },
            .write =
                [](nb::handle self, nb::handle given) {
                  nb::cast<Ground&>(self).shapes() = to_shapes("ground.shapes", given);
                },
            .place = [](nb::handle) { return std::string("ground.shapes"); }});
  type.def(
          "__getitem__",
          [](const Ground& ground, const std::string& point) {
            return point_of("ground", ground.points(), point);
          },
          nb::arg("point"))
      .def(
          "add_point",
          [](const Ground& ground, const std::string& name, nb::handle position, nb::handle axes) {
            return set_point("ground", "ground", ground.points(), name, position, axes);
          },
          nb::arg("name"), nb::arg("position"), nb::arg("axes") = nb::none(),
          nb::sig("def add_point(self, name: str, position: typing.Any, axes: typing.Any = None) -> str"),
          "Adds a named frame fixed in the ground, or moves it. Position in m. Returns its name, "
          "`ground.NAME`.");
}

void bind_bodies_of_system(nb::class_<System>& system) {
  system
      .def(
          "add_rigid_body", add_body, nb::arg("name"), nb::arg("mass"), nb::kw_only(),
          nb::arg("center_of_mass") = Triple{}, nb::arg("inertia") = nb::none(),
          nb::arg("points") = nb::none(), nb::arg("shapes") = nb::none(), nb::arg("inertia_check") = true,
          nb::sig(
              "def add_rigid_body(self, name: str, mass: float | str, *, center_of_mass: "
              "collections.abc.Sequence[float | str] = (0, 0, 0), inertia: typing.Any = None, points: "
              "dict[str, "
              "typing.Any] | None = None, shapes: typing.Any = None, inertia_check: bool = True) -> Body"),
          "Adds a rigid body.\n\n"
          "mass (kg); center_of_mass (m, from the body's origin in its axes); inertia (kg m^2, about the "
          "centre of\n"
          "mass in body axes): {'xx': .., 'xy': ..} or a (3, 3) matrix; points: {'tip': (x, y, z)} in m, or\n"
          "{'tip': {'position': .., 'axes': ..}}; shapes: {'type': 'cylinder', 'radius': .., 'length': ..}. "
          "Every\n"
          "number may be an expression of parameters, as text.")
      .def(
          "add_particle",
          [](nb::handle self, const std::string& name, const Number& mass) {
            return reference(self, nb::cast<System&>(self).add_particle(name, mass));
          },
          nb::arg("name"), nb::arg("mass"),
          nb::sig("def add_particle(self, name: str, mass: float | str) -> Body"),
          "Adds a point mass (kg) at its body's origin.")
      .def("add_beam", add_beam, nb::arg("name"), nb::arg("centerline"), nb::arg("section"),
           nb::arg("material") = nb::none(), nb::kw_only(), nb::arg("up") = Triple{0, 0, 1},
           nb::arg("elements") = Number(16), nb::arg("points") = nb::none(),
           nb::arg("formulation") = "geometrically_exact", nb::arg("pretension") = Number(0.0),
           nb::arg("precurved") = false, nb::arg("closed") = false, nb::arg("twist") = Number(0.0),
           nb::sig(
               "def add_beam(self, name: str, centerline: typing.Any, section: typing.Any, material: "
               "typing.Any = None, *, up: collections.abc.Sequence[float | str] = (0, 0, 1), elements: int | "
               "str = 16, points: dict[str, typing.Any] | None = None, formulation: str = "
               "'geometrically_exact', pretension: float | str = 0, precurved: bool = False, "
               "closed: bool = False, twist: float | str = 0) -> Body"),
           "Adds a geometrically exact beam; or a cable, with formulation='ancf_cable'.\n\n"
           "centerline, m, ground axes: {'from': (x, y, z), 'to': (x, y, z)}, {'points': [...]} or\n"
           "{'curve': (..), 'length': ..}; section, m: {'rectangle': (width, height)}, {'circle': r},\n"
           "{'tube': (inner, outer)}, or\n"
           "EA, GAy, GAz (N), GJ, EIy, EIz (N m^2), mass (kg/m), or {'stiffness': six rows of six, 'mass': "
           "..};\n"
           "numbers of the section may be expressions of the arc length s (m); material: E (Pa), nu, "
           "density, damping (s);\n"
           "up: the sections' z-axis; twist: the angle from it about the tangent, by s (rad); points: "
           "{'mid': {'at': 0.5}} by arc length over length, beside `start` "
           "and `end`.\n"
           "The section of a cable is {'circle': r}, {'tube': (inner, outer)} or EA (N), EI (N m^2), mass "
           "(kg/m);\n"
           "pretension: N, where it begins; precurved: bent by nature as the centerline; closed: a loop.");
}

void bind_parts_of_system(nb::class_<System>& system) {
  system
      .def("add_joint", add_joint, nb::arg("name"), nb::arg("type"), nb::arg("parent"), nb::arg("child"),
           nb::arg("keys"),
           nb::sig("def add_joint(self, name: str, type: str, parent: str, child: str, **keys: typing.Any) "
                   "-> Joint"),
           "Adds a joint between two points, `link[\"tip\"]` or 'link.tip'.\n"
           "\n"
           "type: weld, revolute, prismatic, screw, cylindrical, universal, planar, xyz, spherical or "
           "free; keys:\n"
           "the attributes of Joint, such as axis=(0, 0, 1), q=1.0, u=0.0. A body that is not the child "
           "of any joint floats.")
      .def("add_force", add_force, nb::arg("name"), nb::arg("type"), nb::arg("keys"),
           nb::sig("def add_force(self, name: str, type: str, **keys: typing.Any) -> Force"),
           "Adds a force of a type of the model file, with its keys, such as stiffness=10; or a PythonForce.")
      .def(
          "add_force",
          [](nb::handle self, const std::string& name, const std::shared_ptr<PythonForce>& force) {
            return reference(self, nb::cast<System&>(self).add_user_force(name, force));
          },
          nb::arg("name"), nb::arg("force"))
      .def("add_state", add_state, nb::arg("name"), nb::arg("rate"), nb::arg("start") = Number(0.0),
           nb::kw_only(), nb::arg("unit") = "1",
           nb::sig(
               "def add_state(self, name: str, rate: float | str, start: float | str = 0.0, *, unit: str = "
               "'1') -> StateVariable"),
           "Adds a number with a rate, integrated with the motion: a pressure, bristles, a controller's "
           "memory."
           "\n\n"
           "rate: an expression of t, coordinates, speeds, states, variables and parameters, per second. "
           "start: "
           "at the\nbeginning. unit: of its column.")
      .def("add_event", add_event, nb::arg("name"), nb::arg("when"), nb::arg("direction") = "both",
           nb::kw_only(), nb::arg("set") = nb::none(), nb::arg("terminal") = false,
           nb::arg("tolerance") = nb::none(),
           nb::sig(
               "def add_event(self, name: str, when: float | str, direction: str = 'both', *, set: dict[str, "
               "float | str] | None = None, terminal: bool = False, tolerance: float | str | None = None) -> "
               "Event"),
           "Adds an event where the expression `when` crosses zero: `rising`, `falling` or `both`.\n"
           "\n"
           "set: new values at the event, {'hinge.u': '-0.8*hinge.u'}; terminal: the run ends; tolerance "
           "(s).");
}

void add_column(System& system, const std::string& name, const Number& value, const std::string& unit,
                bool integrate) {
  system.add_column(name, value, unit).integrate = integrate;
}

void bind_columns(nb::class_<System>& system) {
  system.def("add_column", add_column, nb::arg("name"), nb::arg("value"), nb::kw_only(), nb::arg("unit") = "",
             nb::arg("integrate") = false,
             nb::sig("def add_column(self, name: str, value: float | str, *, unit: str = '', integrate: bool "
                     "= False) -> None"),
             "Adds a column to the results, in output.columns.\n"
             "\n"
             "value: an expression of t, parameters, other columns, positions BODY.POINT.x (m, ground "
             "axes) and\n"
             "FORCE.value; integrate: the integral of the value over the time, from zero at the start.");
}

void bind_joint_forces(nb::class_<System>& system) {
  const auto get = [](nb::handle self) -> System& { return nb::cast<System&>(self); };
  system
      .def(
          "add_joint_spring",
          [get](nb::handle self, const std::string& name, const std::string& joint, const Numbers& stiffness,
                const Numbers& reference_) {
            return reference(self, get(self).add_joint_spring(name, joint, stiffness, reference_));
          },
          nb::arg("name"), nb::arg("joint"), nb::arg("stiffness"), nb::arg("reference") = Numbers{},
          nb::sig("def add_joint_spring(self, name: str, joint: str, stiffness: float | str | "
                  "collections.abc.Sequence[float | str], reference: float | str | "
                  "collections.abc.Sequence[float | "
                  "str] = ()) -> Force"),
          "tau = -stiffness (q - reference); stiffness in N m/rad or N/m.")
      .def(
          "add_joint_damper",
          [get](nb::handle self, const std::string& name, const std::string& joint, const Numbers& damping) {
            return reference(self, get(self).add_joint_damper(name, joint, damping));
          },
          nb::arg("name"), nb::arg("joint"), nb::arg("damping"),
          nb::sig("def add_joint_damper(self, name: str, joint: str, damping: float | str | "
                  "collections.abc.Sequence[float | str]) -> Force"),
          "tau = -damping u; damping in N m s/rad or N s/m.")
      .def(
          "add_joint_force",
          [get](nb::handle self, const std::string& name, const std::string& joint, const Numbers& value) {
            return reference(self, get(self).add_joint_force(name, joint, value));
          },
          nb::arg("name"), nb::arg("joint"), nb::arg("value"),
          nb::sig("def add_joint_force(self, name: str, joint: str, value: float | str | "
                  "collections.abc.Sequence[float | str]) -> Force"),
          "Adds value (N m or N; an expression of t, coordinates, speeds, parameters) to the joint's force.");
}

void bind_point_forces(nb::class_<System>& system) {
  const auto get = [](nb::handle self) -> System& { return nb::cast<System&>(self); };
  system
      .def(
          "add_spring_damper",
          [get](nb::handle self, const std::string& name, const std::string& from, const std::string& to,
                const Number& stiffness, const Number& damping, const Number& free_length) {
            return reference(self,
                             get(self).add_spring_damper(name, from, to, stiffness, damping, free_length));
          },
          nb::arg("name"), nb::arg("from_"), nb::arg("to"), nb::arg("stiffness"),
          nb::arg("damping") = Number(0), nb::arg("free_length") = Number(0),
          nb::sig("def add_spring_damper(self, name: str, from_: str, to: str, stiffness: float | str, "
                  "damping: float "
                  "| str = 0, free_length: float | str = 0) -> Force"),
          "Tension stiffness (L - free_length) + damping dL/dt between two points; N/m, N s/m, m.")
      .def(
          "add_point_force",
          [get](nb::handle self, const std::string& name, const std::string& at, const Triple& value,
                const std::string& axes) {
            ForceSpec& force = get(self).add_point_force(name, at, value);
            force.axes = axes;
            return reference(self, force);
          },
          nb::arg("name"), nb::arg("at"), nb::arg("value"), nb::arg("axes") = "ground",
          nb::sig("def add_point_force(self, name: str, at: str, value: collections.abc.Sequence[float | "
                  "str], axes: "
                  "str = 'ground') -> Force"),
          "A force (N) at a point, in the axes of the `ground` or of the `body`.")
      .def(
          "add_point_torque",
          [get](nb::handle self, const std::string& name, const std::string& at, const Triple& value,
                const std::string& axes) {
            ForceSpec& force = get(self).add_point_torque(name, at, value);
            force.axes = axes;
            return reference(self, force);
          },
          nb::arg("name"), nb::arg("at"), nb::arg("value"), nb::arg("axes") = "ground",
          nb::sig("def add_point_torque(self, name: str, at: str, value: collections.abc.Sequence[float | "
                  "str], axes: "
                  "str = 'ground') -> Force"),
          "A torque (N m) on the body of a point, in the axes of the `ground` or of the `body`.");
}

template <class Spec>
void def_parts(nb::class_<System>& system, const char* list_name, const char* what, const char* type,
               std::deque<Spec> System::*list, Spec& (System::*find)(std::string_view)) {
  def_view(system, ViewKind::kList,
           {list_name, fmt::format("sestina.views.ListView[{}]", type),
            fmt::format("collections.abc.Sequence[{}]", type),
            "In order. A removed element becomes independent and may be added again."},
           part_list(list_name, type, list));
  system.def(
      what,
      [find](nb::handle self, const std::string& name) {
        return reference(self, (nb::cast<System&>(self).*find)(name));
      },
      nb::arg("name"), nb::sig(fmt::format("def {}(self, name: str) -> {}", what, type).c_str()),
      "By name; InputError with the nearest name.");
}

void bind_access(nb::class_<System>& system) {
  system.def_rw("name", &System::name)
      .def_ro("analysis", &System::analysis)
      .def_ro("output", &System::output)
      .def_prop_ro(
          "ground", [](nb::handle self) { return Ground{nb::borrow(self)}; },
          nb::sig("def ground(self) -> Ground"));
  const std::string numbers = "sestina.views.MapView[float | str]";
  const std::string given = "collections.abc.Mapping[str, float | str]";
  def_view(system, ViewKind::kList,
           {"gravity", "sestina.views.ListView[float | str]", "collections.abc.Sequence[float | str]",
            "m/s^2, ground axes."},
           {.read = [](nb::handle self) { return nb::cast(nb::cast<System&>(self).gravity); },
            .write =
                [](nb::handle self, nb::handle value) {
                  nb::cast<System&>(self).gravity =
                      convert<Triple>("gravity", value, "three numbers or expressions");
                },
            .place = [](nb::handle) { return std::string("gravity"); }});
  def_view(
      system, ViewKind::kMap,
      {"parameters", numbers, given, "Named numbers, or expressions of others, that every number may use."},
      named_numbers("parameters", &System::parameters));
  def_view(system, ViewKind::kMap,
           {"variables", numbers, given, "Named numbers that events change and expressions read."},
           named_numbers("variables", &System::variables));
  def_parts(system, "bodies", "body", "Body", &System::bodies, &System::body);
  def_parts(system, "joints", "joint", "Joint", &System::joints, &System::joint);
  def_parts(system, "forces", "force", "Force", &System::forces, &System::force);
  def_parts(system, "constraints", "constraint", "Constraint", &System::constraints, &System::constraint);
  def_parts(system, "contacts", "contact", "Contact", &System::contacts, &System::contact);
  def_parts(system, "states", "state", "StateVariable", &System::states, &System::state);
  def_parts(system, "events", "event", "Event", &System::events, &System::event);
}

void bind_use(nb::class_<System>& system) {
  system
      .def(
          "freeze", [](const System& self) { return std::make_shared<FrozenModel>(self); },
          "Checks everything and returns the Model; InputError lists every fault with its place. The "
          "system is not\n"
          "changed and may be edited and frozen again.")
      .def("copy", copy_with_callbacks, "Another system with the same description.")
      .def("__copy__", copy_with_callbacks)
      .def("__deepcopy__", [](const System& self, nb::handle) { return copy_with_callbacks(self); })
      .def(
          "to_yaml", [](const System& self) { return write_model(self); },
          "The text of a model file that reads back to an equal system.")
      .def(
          "save", [](const System& self, const std::filesystem::path& path) { write_model_file(self, path); },
          nb::arg("path"), nb::sig("def save(self, path: str | os.PathLike[str]) -> None"),
          "Writes a model file (.yaml), whole or not at all.")
      .def(
          "show",
          [](nb::handle self, const nb::kwargs& options) {
            return nb::module_::import_("sestina.showing").attr("show")(self, **options);
          },
          nb::sig("def show(self, *, path: str | os.PathLike[str] | None = None, height: int = 560) -> "
                  "sestina.showing.Page"),
          "The description in its initial state, as a page for a browser or a notebook; see sestina.show().")
      .def("__getstate__", [](const System& self) { return write_model(self); })
      .def("__setstate__",
           [](System& self, const std::string& text) { new (&self) System(read_model(text)); })
      .def("__repr__", [](const System& self) {
        return fmt::format(
            "<sestina.System {}: {} bodies, {} joints, {} forces>",
            self.name.empty() ? "without a name" : escape_controls(self.name, LineBreaks::kEscape),
            self.bodies.size(), self.joints.size(), self.forces.size());
      });
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return nb::inst_ready(self) ? visit_callbacks(*nb::inst_ptr<System>(self), visit, arg) : 0;
}

}  // namespace

void bind_system(nb::module_& module) {
  bind_ground(module);
  nb::class_<System> system(
      module, "System", nb::type_slots(described_slots<traverse>),
      "The description of a mechanism: bodies, joints and forces, by name.\n\n"
      "Nothing is checked until freeze(), which reports every fault at once. Every number may be\n"
      "an expression of parameters, given as text.");
  system.def(
      "__init__",
      [](System* self, const std::string& name, const Triple& gravity, nb::handle parameters) {
        System made;
        made.name = name;
        made.gravity = gravity;
        if (!parameters.is_none())
          made.parameters = to_named_numbers<ParameterSpec>("parameters", parameters);
        new (self) System(std::move(made));
      },
      nb::arg("name") = "", nb::kw_only(), nb::arg("gravity") = Triple{}, nb::arg("parameters") = nb::none(),
      nb::sig(
          "def __init__(self, name: str = '', *, gravity: collections.abc.Sequence[float | str] = (0, 0, 0), "
          "parameters: collections.abc.Mapping[str, float | str] | None = None) -> None"));
  bind_access(system);
  bind_bodies_of_system(system);
  bind_parts_of_system(system);
  bind_constraints_of_system(system);
  bind_contacts_of_system(system);
  bind_reduced_bodies_of_system(system);
  bind_columns(system);
  bind_joint_forces(system);
  bind_point_forces(system);
  bind_use(system);
  module.def(
      "_load",
      [](const std::filesystem::path& path, const std::vector<std::string>& set) {
        return read_model_file(path, {set});
      },
      nb::arg("path"), nb::arg("set"),
      nb::sig("def _load(path: str | os.PathLike[str], set: collections.abc.Sequence[str]) -> System"));
  module.def(
      "_loads",
      [](const std::string& text, const std::string& name, const std::vector<std::string>& set) {
        return read_model(text, name, {set});
      },
      nb::arg("text"), nb::arg("name"), nb::arg("set"));
  module.def(
      "schema", [] { return std::string(model_schema()); }, "The JSON Schema of model files.");
}

}  // namespace sestina::python
