// System, and the files that one is read from and written to.
#include "sestina/model/system.h"

#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>

#include "bind.h"
#include "casters.h"
#include "describe.h"
#include "frozen_model.h"
#include "python_force.h"
#include "sestina/base/error.h"
#include "sestina/base/suggest.h"
#include "sestina/io/model_file.h"
#include "sestina/io/schema.h"
#include "sestina/io/urdf.h"

namespace sestina::python {

namespace {

// The ground of a system: system.ground["origin"].
struct Ground {
  System* system;
};

// The parameters, or the variables, of a system as a dictionary that writes through.
template <class Spec>
struct Values {
  System* system;
  std::vector<Spec> System::*list;
  const char* what;

  std::vector<Spec>& specs() const { return system->*list; }
  Spec& find(const std::string& name) const {
    std::vector<std::string> names;
    for (Spec& spec : specs()) {
      if (spec.name == name) return spec;
      names.push_back(spec.name.text);
    }
    throw nb::key_error(fmt::format("there is no {} '{}'{}", what, name, suggestion(name, names)).c_str());
  }
};

template <class Spec>
void bind_values(nb::module_& module, const char* name, const char* doc) {
  using V = Values<Spec>;
  nb::class_<V>(module, name, doc)
      .def("__len__", [](const V& values) { return values.specs().size(); })
      .def("__contains__",
           [](const V& values, const std::string& key) {
             return std::any_of(values.specs().begin(), values.specs().end(),
                                [&](const Spec& spec) { return spec.name == key; });
           })
      .def("__getitem__", [](const V& values, const std::string& key) { return values.find(key).value; })
      .def("__setitem__",
           [](const V& values, const std::string& key, const Number& number) {
             for (Spec& spec : values.specs()) {
               if (spec.name == key) {
                 spec.value = number;
                 return;
               }
             }
             values.specs().push_back({key, number});
           })
      .def("__delitem__",
           [](const V& values, const std::string& key) {
             const Spec* spec = &values.find(key);
             values.specs().erase(values.specs().begin() + (spec - values.specs().data()));
           })
      .def("keys",
           [](const V& values) {
             std::vector<std::string> names;
             for (const Spec& spec : values.specs()) names.push_back(spec.name.text);
             return names;
           })
      .def(
          "__iter__", [](nb::handle self) { return nb::iter(self.attr("keys")()); },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[str]"))
      .def("__repr__", [](nb::handle self) {
        return nb::cast<std::string>(nb::repr(nb::handle(reinterpret_cast<PyObject*>(&PyDict_Type))(self)));
      });
}

// Sets every key on the part as Python would.
void set_keys(nb::handle part, const nb::kwargs& keys) {
  for (const auto& [key, value] : keys) {
    if (!nb::hasattr(part, key)) {
      std::vector<std::string> names;
      for (nb::handle name : nb::borrow<nb::list>(nb::steal(PyObject_Dir(part.ptr())))) {
        const auto text = nb::cast<std::string>(name);
        if (text.front() != '_') names.push_back(text);
      }
      const auto given = nb::cast<std::string>(key);
      throw InputError(fmt::format("there is no key '{}'{}", given, suggestion(given, names)));
    }
    nb::setattr(part, key, value);
  }
}

template <class List>
nb::list references(nb::handle self, List& list) {
  nb::list parts;
  for (auto& part : list) parts.append(nb::cast(part, nb::rv_policy::reference_internal, self));
  return parts;
}

nb::object reference(nb::handle self, auto& part) {
  return nb::cast(part, nb::rv_policy::reference_internal, self);
}

nb::object add_body(nb::handle self, const std::string& name, const Number& mass,
                    const Triple& center_of_mass, nb::handle inertia, nb::handle points, nb::handle shapes,
                    bool inertia_check) {
  // What may be refused comes first: nothing is added then.
  const std::string place = "bodies." + name;
  BodySpec body;
  body.name = name;
  body.mass = mass;
  body.center_of_mass = center_of_mass;
  body.inertia_check = inertia_check;
  if (!inertia.is_none()) body.inertia = to_inertia(place + ".inertia", inertia);
  body.shapes = to_shapes(place + ".shapes", shapes);
  if (!points.is_none()) {
    nb::dict given;
    if (!nb::try_cast(points, given))
      throw InputError(place + ".points: is no dictionary of names and positions");
    for (const auto& [key, value] : given) {
      const auto point = nb::cast<std::string>(nb::str(key));
      body.points.push_back(to_point(place + ".points." + point, point, value));
    }
  }
  auto& system = nb::cast<System&>(self);
  system.bodies.push_back(std::move(body));
  return reference(self, system.bodies.back());
}

// Keys that are refused leave the system as it was: they are set on a part that is not in it yet.
nb::object add_joint(nb::handle self, const std::string& name, const std::string& type,
                     const std::string& parent, const std::string& child, const nb::kwargs& keys) {
  JointSpec joint;
  joint.name = name, joint.type = type, joint.parent = parent, joint.child = child;
  const nb::object part = nb::cast(std::move(joint));
  set_keys(part, keys);
  auto& system = nb::cast<System&>(self);
  system.joints.push_back(nb::cast<JointSpec&>(part));
  return reference(self, system.joints.back());
}

nb::object add_force(nb::handle self, const std::string& name, const std::string& type,
                     const nb::kwargs& keys) {
  ForceSpec force;
  force.name = name, force.type = type;
  const nb::object part = nb::cast(std::move(force));
  set_keys(part, keys);
  auto& system = nb::cast<System&>(self);
  system.forces.push_back(nb::cast<ForceSpec&>(part));
  return reference(self, system.forces.back());
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
  nb::class_<Ground>(module, "Ground", "The inertial frame. `ground[\"origin\"]` is its origin.")
      .def(
          "__getitem__",
          [](const Ground& ground, const std::string& point) {
            std::vector<std::string> names{"origin"};
            for (const PointSpec& own : ground.system->ground_points) names.push_back(own.name.text);
            if (std::find(names.begin(), names.end(), point) != names.end()) return "ground." + point;
            throw InputError("ground: there is no point '" + point + "'" + suggestion(point, names));
          },
          nb::arg("point"))
      .def(
          "add_point",
          [](const Ground& ground, const std::string& name, nb::handle position, nb::handle axes) {
            PointSpec point = to_point("ground.points." + name, name, position);
            if (!axes.is_none()) point.axes = to_rotation("ground.points." + name, axes);
            auto& points = ground.system->ground_points;
            const auto found = std::find_if(points.begin(), points.end(),
                                            [&](const PointSpec& p) { return p.name == name; });
            if (found == points.end()) {
              points.push_back(point);
            } else {
              *found = point;
            }
            return "ground." + name;
          },
          nb::arg("name"), nb::arg("position"), nb::arg("axes") = nb::none(),
          nb::sig("def add_point(self, name: str, position: typing.Any, axes: typing.Any = None) -> str"),
          "Adds a named frame fixed in the ground, or moves it. Position in m. Returns its name, "
          "`ground.NAME`.");
}

void bind_parts_of_system(nb::class_<System>& system) {
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
      .def("add_joint", add_joint, nb::arg("name"), nb::arg("type"), nb::arg("parent"), nb::arg("child"),
           nb::arg("keys"),
           nb::sig("def add_joint(self, name: str, type: str, parent: str, child: str, **keys: typing.Any) "
                   "-> Joint"),
           "Adds a joint between two points, `link[\"tip\"]` or 'link.tip'.\n\n"
           "type: weld, revolute, prismatic, screw, cylindrical, universal, planar, xyz, spherical or free; "
           "keys:\n"
           "the attributes of Joint, such as axis=(0, 0, 1), q=1.0, u=0.0. A body that is no joint's child "
           "floats.")
      .def("add_force", add_force, nb::arg("name"), nb::arg("type"), nb::arg("keys"),
           nb::sig("def add_force(self, name: str, type: str, **keys: typing.Any) -> Force"),
           "Adds a force of a type of the model file, with its keys, such as stiffness=10; or a PythonForce.")
      .def(
          "add_force",
          [](nb::handle self, const std::string& name, const std::shared_ptr<PythonForce>& force) {
            return reference(self, nb::cast<System&>(self).add_user_force(name, force));
          },
          nb::arg("name"), nb::arg("force"))
      .def("add_event", add_event, nb::arg("name"), nb::arg("when"), nb::arg("direction") = "both",
           nb::kw_only(), nb::arg("set") = nb::none(), nb::arg("terminal") = false,
           nb::arg("tolerance") = nb::none(),
           nb::sig(
               "def add_event(self, name: str, when: float | str, direction: str = 'both', *, set: dict[str, "
               "float | str] | None = None, terminal: bool = False, tolerance: float | str | None = None) -> "
               "Event"),
           "Adds an event where the expression `when` crosses zero: `rising`, `falling` or `both`.\n\n"
           "set: what takes which value then, {'hinge.u': '-0.8*hinge.u'}; terminal: the run ends; tolerance "
           "(s).");
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

void bind_access(nb::class_<System>& system) {
  const auto get = [](nb::handle self) -> System& { return nb::cast<System&>(self); };
  system.def_rw("name", &System::name)
      .def_rw("gravity", &System::gravity, "m/s^2, ground axes.")
      .def_ro("analysis", &System::analysis)
      .def_ro("output", &System::output)
      .def_prop_ro(
          "ground", [](System& self) { return Ground{&self}; }, nb::keep_alive<0, 1>())
      .def_prop_ro(
          "parameters",
          [](System& self) {
            return Values<ParameterSpec>{&self, &System::parameters, "parameter"};
          },
          nb::keep_alive<0, 1>(), "Named numbers, or expressions of others, that every number may use.")
      .def_prop_ro(
          "variables",
          [](System& self) {
            return Values<VariableSpec>{&self, &System::variables, "variable"};
          },
          nb::keep_alive<0, 1>(), "Named numbers that events change and expressions read.")
      .def_prop_ro(
          "bodies", [get](nb::handle self) { return references(self, get(self).bodies); },
          nb::sig("def bodies(self) -> list[Body]"))
      .def_prop_ro(
          "joints", [get](nb::handle self) { return references(self, get(self).joints); },
          nb::sig("def joints(self) -> list[Joint]"))
      .def_prop_ro(
          "forces", [get](nb::handle self) { return references(self, get(self).forces); },
          nb::sig("def forces(self) -> list[Force]"))
      .def_prop_ro(
          "events", [get](nb::handle self) { return references(self, get(self).events); },
          nb::sig("def events(self) -> list[Event]"))
      .def(
          "body", [](System& self, const std::string& name) -> BodySpec& { return self.body(name); },
          nb::arg("name"), nb::rv_policy::reference_internal, "By name; InputError with the nearest name.")
      .def(
          "joint", [](System& self, const std::string& name) -> JointSpec& { return self.joint(name); },
          nb::arg("name"), nb::rv_policy::reference_internal, "By name; InputError with the nearest name.")
      .def(
          "force", [](System& self, const std::string& name) -> ForceSpec& { return self.force(name); },
          nb::arg("name"), nb::rv_policy::reference_internal, "By name; InputError with the nearest name.")
      .def(
          "event", [](System& self, const std::string& name) -> EventSpec& { return self.event(name); },
          nb::arg("name"), nb::rv_policy::reference_internal, "By name; InputError with the nearest name.");
}

void bind_use(nb::class_<System>& system) {
  system
      .def(
          "freeze", [](const System& self) { return std::make_shared<FrozenModel>(self); },
          "Checks everything and returns the Model; InputError has every fault with its place. The system is "
          "not\n"
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
      .def("__getstate__", [](const System& self) { return write_model(self); })
      .def("__setstate__",
           [](System& self, const std::string& text) { new (&self) System(read_model(text)); })
      .def("__repr__", [](const System& self) {
        return fmt::format("<sestina.System {}: {} bodies, {} joints, {} forces>",
                           self.name.empty() ? "without a name" : self.name, self.bodies.size(),
                           self.joints.size(), self.forces.size());
      });
}

System load(const std::filesystem::path& path, const std::vector<std::string>& set) {
  if (path.extension() != ".urdf") return read_model_file(path, {set});
  const System robot = read_urdf_file(path.string());
  return set.empty() ? robot : read_model(write_model(robot), path.string(), {set});
}

nb::tuple with_notes(System robot, const ImportNotes& notes) {
  std::vector<std::string> texts;
  for (const ImportNote& note : notes) texts.push_back(to_string(note));
  return nb::make_tuple(std::move(robot), texts);
}

nb::tuple load_urdf(const std::filesystem::path& path, bool floating_base) {
  ImportNotes notes;
  System robot = read_urdf_file(path.string(), {.floating_base = floating_base}, &notes);
  return with_notes(std::move(robot), notes);
}

nb::tuple loads_urdf(const std::string& text, const std::string& name, bool floating_base) {
  ImportNotes notes;
  System robot = read_urdf(text, name, {.floating_base = floating_base}, &notes);
  return with_notes(std::move(robot), notes);
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return nb::inst_ready(self) ? visit_callbacks(*nb::inst_ptr<System>(self), visit, arg) : 0;
}
PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse)}, {0, nullptr}};

}  // namespace

void bind_system(nb::module_& module) {
  bind_ground(module);
  bind_values<ParameterSpec>(module, "Parameters", "The parameters of a System, by name.");
  bind_values<VariableSpec>(module, "Variables", "The discrete variables of a System, by name.");
  nb::class_<System> system(
      module, "System", nb::type_slots(slots),
      "The description of a mechanism: bodies, joints and forces, by name.\n\n"
      "Nothing is checked until freeze(), which reports every fault at once. Every number may be\n"
      "an expression of parameters, given as text.");
  system.def(
      "__init__",
      [](System* self, const std::string& name, const Triple& gravity, nb::handle parameters) {
        nb::dict given;
        if (!parameters.is_none() && !nb::try_cast(parameters, given)) {
          throw InputError("parameters: is no dictionary of names and numbers");
        }
        System made;
        made.name = name;
        made.gravity = gravity;
        for (const auto& [key, value] : given) {
          Number number;
          if (!nb::try_cast(value, number)) {
            throw InputError(fmt::format("parameters.{}: {} is neither a number nor an expression",
                                         nb::cast<std::string>(nb::str(key)),
                                         nb::cast<std::string>(nb::repr(value))));
          }
          made.set_parameter(nb::cast<std::string>(nb::str(key)), number);
        }
        new (self) System(std::move(made));
      },
      nb::arg("name") = "", nb::kw_only(), nb::arg("gravity") = Triple{}, nb::arg("parameters") = nb::none(),
      nb::sig(
          "def __init__(self, name: str = '', *, gravity: collections.abc.Sequence[float | str] = (0, 0, 0), "
          "parameters: dict[str, float | str] | None = None) -> None"));
  bind_access(system);
  bind_parts_of_system(system);
  bind_joint_forces(system);
  bind_point_forces(system);
  bind_use(system);
  module.def(
      "_load", load, nb::arg("path"), nb::arg("set"),
      nb::sig("def _load(path: str | os.PathLike[str], set: collections.abc.Sequence[str]) -> System"));
  module.def(
      "_loads",
      [](const std::string& text, const std::string& name, const std::vector<std::string>& set) {
        return read_model(text, name, {set});
      },
      nb::arg("text"), nb::arg("name"), nb::arg("set"));
  module.def(
      "_load_urdf", load_urdf, nb::arg("path"), nb::arg("floating_base"),
      nb::sig(
          "def _load_urdf(path: str | os.PathLike[str], floating_base: bool) -> tuple[System, list[str]]"));
  module.def(
      "_loads_urdf", loads_urdf, nb::arg("text"), nb::arg("name"), nb::arg("floating_base"),
      nb::sig("def _loads_urdf(text: str, name: str, floating_base: bool) -> tuple[System, list[str]]"));
  module.def(
      "schema", [] { return std::string(model_schema()); }, "The JSON Schema of model files.");
}

}  // namespace sestina::python
