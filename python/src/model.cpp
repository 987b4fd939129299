// sestina.Model: names, sizes, initial state; its functions of states are in kernels.cpp.
#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <cmath>

#include "arrays.h"
#include "bind.h"
#include "casters.h"
#include "fixed.h"
#include "frozen_model.h"
#include "python_force.h"
#include "sestina/base/error.h"
#include "sestina/base/suggest.h"
#include "sestina/base/text.h"
#include "sestina/dynamics/assembly.h"
#include "sestina/dynamics/comparison.h"
#include "sestina/dynamics/contact_pairs.h"
#include "sestina/model/analysis.h"
#include "views.h"

namespace sestina::python {

namespace {

std::vector<std::string> body_names(const FrozenModel& self) {
  std::vector<std::string> names;
  for (const BodyInfo& body : self.model().bodies()) names.push_back(body.name);
  return names;
}

std::vector<std::string> joint_names(const FrozenModel& self) {
  std::vector<std::string> names;
  for (BodyIndex b{1}; b.value() < self.model().bodies().size(); ++b) {
    names.push_back(self.model().bodies()[b].joint_name);
  }
  return names;
}

std::vector<std::string> point_names(const FrozenModel& self) {
  std::vector<std::string> names;
  for (const PointInfo& point : self.model().points()) names.push_back(point.name);
  return names;
}

// Read-only, like the model.
nb::object parameters(const FrozenModel& self) {
  nb::dict values;
  for (std::size_t i = 0; i < self.model().parameters().size(); ++i) {
    values[self.model().parameters()[i].name.c_str()] = self.properties().parameters[i];
  }
  return nb::steal(PyDictProxy_New(values.ptr()));
}

std::shared_ptr<FrozenModel> with_parameters(const FrozenModel& self, const nb::kwargs& given) {
  std::vector<double> values = self.properties().parameters;
  const std::vector<ParameterInfo>& known = self.model().parameters();
  for (const auto& [key, value] : given) {
    const auto name = nb::cast<std::string>(key);
    const auto found =
        std::find_if(known.begin(), known.end(), [&](const ParameterInfo& p) { return p.name == name; });
    if (found == known.end()) {
      std::vector<std::string> names;
      for (const ParameterInfo& p : known) names.push_back(p.name);
      throw InputError(fmt::format("there is no parameter '{}'{}", name, suggestion(name, names)));
    }
    double number = 0.0;
    if (!nb::try_cast(value, number)) {
      throw InputError(
          fmt::format("parameters.{}: {} is not a number", name, nb::cast<std::string>(nb::repr(value))));
    }
    values[static_cast<std::size_t>(found - known.begin())] = number;
  }
  return std::make_shared<FrozenModel>(self, std::move(values));
}

State<double> initial_state(const FrozenModel& self) {
  return calc_assembled_state(self.model(), self.properties());
}

// The part of q, or of u, that belongs to the joint.
nb::object joint_slice(const FrozenModel& self, const std::string& joint, int BodyInfo::*start,
                       int BodyInfo::*count) {
  const BodyInfo& body = self.model().bodies()[self.model().body_of_joint(joint)];
  return nb::slice(nb::int_(body.*start), nb::int_(body.*start + body.*count), nb::none());
}

// Why lists and arrays of a Model cannot be written.
constexpr const char* kOfModel =
    "a Model stays as it is; change the System that it was frozen from and freeze() that, or use "
    "with_parameters()";

template <class Get>
void add_names(nb::class_<FrozenModel>& model, const char* name, const Get& get,
               const char* documentation = "") {
  def_fixed_tuple<FrozenModel>(model, name, "str", kOfModel, get, documentation);
}

template <class Things>
std::vector<std::string> names_of(const Things& things) {
  std::vector<std::string> names;
  for (const auto& thing : things) names.push_back(thing.name);
  return names;
}

void bind_names(nb::class_<FrozenModel>& model) {
  using M = FrozenModel;
  add_names(
      model, "q_names", [](const M& self) { return self.model().q_names(); }, "'hinge.q', 'base.q[3]'");
  add_names(model, "u_names", [](const M& self) { return self.model().u_names(); });
  add_names(model, "q_units", [](const M& self) { return self.model().q_units(); });
  add_names(model, "u_units", [](const M& self) { return self.model().u_units(); });
  add_names(model, "bodies", body_names,
            "Names of the bodies, in the order of all arrays over bodies: `ground` first, parents before "
            "children.");
  add_names(model, "joints", joint_names, "Joint k carries body k + 1.");
  add_names(
      model, "cut_joints", [](const M& self) { return names_of(self.model().cut_joints()); },
      "Names of the joints that close loops.");
  add_names(
      model, "constraints", [](const M& self) { return names_of(self.model().constraints()); },
      "Names of the constraints.");
  add_names(
      model, "condition_names",
      [](const M& self) {
        std::vector<std::string> names;
        for (int row = 0; row < self.model().constraint_rows(); ++row) {
          names.push_back(self.model().name_of_row(row));
        }
        return names;
      },
      "For each scalar condition, and each multiplier: the name of its joint or constraint.");
  add_names(model, "points", point_names, "'link.tip'");
  add_names(model, "forces", [](const M& self) { return names_of(self.model().forces()); });
  add_names(model, "events", [](const M& self) { return names_of(self.model().events()); });
  add_names(model, "states", [](const M& self) { return names_of(self.model().states()); });
  add_names(model, "variables", [](const M& self) { return names_of(self.model().variables()); });
  def_fixed_tuple<M>(
      model, "parents", "int", kOfModel,
      [](const M& self) {
        std::vector<int> parents;
        for (const BodyInfo& body : self.model().bodies()) parents.push_back(body.parent.value());
        return parents;
      },
      "The index of each body's parent; -1 for the ground.");
}

void bind_sizes(nb::class_<FrozenModel>& model) {
  model.def_prop_ro("name", [](const FrozenModel& self) { return self.model().name(); })
      .def_prop_ro(
          "nq", [](const FrozenModel& self) { return self.model().nq(); }, "Number of coordinates.")
      .def_prop_ro(
          "nu", [](const FrozenModel& self) { return self.model().nu(); }, "Number of speeds.")
      .def_prop_ro(
          "is_cartesian", [](const FrozenModel& self) { return self.model().is_cartesian(); },
          "Whether coordinates are cartesian: every joint is cut, and q and u belong to floating bodies.")
      .def_prop_ro(
          "nd", [](const FrozenModel& self) { return self.model().nd(); }, "Number of discrete variables.")
      .def_prop_ro(
          "nx", [](const FrozenModel& self) { return self.model().nx(); }, "Number of states with a rate.")
      .def_prop_ro("parameters", parameters,
                   nb::sig("def parameters(self) -> collections.abc.Mapping[str, float]"),
                   "The free parameters, which are plain numbers, and their values in this model.");
}

nb::object compare(const FrozenModel& self, int states, double spread, std::uint64_t seed) {
  if (states < 0) throw InputError(fmt::format("states: {} is negative", states));
  if (!(spread >= 0.0 && std::isfinite(spread))) {
    throw InputError(fmt::format("spread: {} is not a finite number from 0", spread));
  }
  Comparison comparison;
  forget_callback_error();
  // The same mechanism in the coordinates of joints, and in cartesian ones.
  const bool is_cartesian = self.model().is_cartesian();
  std::shared_ptr<const Model> cartesian = self.shared_model();
  if (!is_cartesian) {
    System system = self.system();
    system.analysis.coordinates = "cartesian";
    system.analysis.time_elements.reset();
    try {
      cartesian = freeze(system);
    } catch (const InputError&) {
      cartesian = nullptr;  // it has features that cartesian coordinates do not support
    }
  }
  const auto model = is_cartesian ? self.model().relative() : self.shared_model();
  {
    nb::gil_scoped_release release;
    const auto scattered = scatter_states(*model, states, spread, seed);
    const Properties<double> properties = calc_properties<double>(*model, self.properties().parameters);
    comparison = compare_formulations(model, properties, scattered, cartesian);
  }
  throw_callback_error();
  nb::list formulations;
  for (const FormulationComparison& one : comparison.formulations) {
    nb::dict row;
    row["name"] = one.name.c_str();
    row["residual"] = one.residual;
    row["relative_residual"] = one.relative_residual;
    row["udot_difference"] = one.udot_difference;
    row["reaction_difference"] = one.reaction_difference;
    row["worst_residual"] = one.worst_residual.c_str();
    row["worst_udot"] = one.worst_udot.c_str();
    row["failure"] = one.failure.c_str();
    row["refusal"] = one.refusal.c_str();
    if (!one.refusal.empty()) {
      for (const char* number : {"residual", "relative_residual", "udot_difference", "reaction_difference"})
        row[number] = NAN;
    }
    formulations.append(row);
  }
  nb::dict result;
  result["agrees"] = comparison.states > 0 && comparison.agrees();
  result["states"] = comparison.states;
  result["skipped"] = comparison.skipped;
  result["condition"] = comparison.condition;
  result["formulations"] = formulations;
  return result;
}

void bind_choices(nb::module_& module) {
  module.def(
      "solver_names", [] { return solver_names(); }, "The formulations of forward dynamics.");
  module.def(
      "integrator_names", [] { return integrator_names(); }, "The integration rules.");
  module.def("set_threads", set_shared_threads, nb::arg("threads"),
             "Number of threads for arrays of states. Results do not depend on it.");
  module.def(
      "threads", [] { return shared_executor()->threads(); },
      "Number of threads for arrays of states: SESTINA_THREADS, or all processors.");
}

nb::list contact_pairs(const FrozenModel& self) {
  nb::list list;
  for (const ContactPair& pair : list_contact_pairs(self.model(), self.properties(), initial_state(self))) {
    const auto contact = static_cast<std::size_t>(pair.contact);
    const ContactLaw<double>& law = self.properties().contacts.contacts[contact];
    nb::dict row;
    row["contact"] = self.model().contacts()[contact].name;
    row["law"] = self.model().contacts()[contact].law;
    row["shapes"] = nb::make_tuple(pair.first, pair.second);
    row["types"] = nb::make_tuple(name_of(pair.first_type), name_of(pair.second_type));
    row["friction"] = law.friction;
    row["restitution"] = law.restitution;
    row["stiffness"] = law.stiffness;
    row["damping"] = law.damping;
    row["gap"] = pair.gap;
    list.append(row);
  }
  return list;
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return nb::inst_ready(self) ? visit_callbacks(nb::inst_ptr<FrozenModel>(self)->described(), visit, arg) : 0;
}

std::string describe(const Model& model) {
  const std::string name =
      model.name().empty() ? "without a name" : escape_controls(model.name(), LineBreaks::kEscape);
  return fmt::format("<sestina.Model {}: {} bodies, nq = {}, nu = {}>", name, model.bodies().size() - 1,
                     model.nq(), model.nu());
}

void bind_initial_state(nb::class_<FrozenModel>& model) {
  const auto add = [&model](const char* name, std::vector<double> State<double>::*part, const char* signature,
                            const char* doc) {
    model.def_prop_ro(
        name, [part](const FrozenModel& self) { return fixed_array(initial_state(self).*part, kOfModel); },
        nb::sig(signature), doc);
  };
  add("q0", &State<double>::q, "def q0(self) -> numpy.typing.NDArray[numpy.float64]",
      "(nq) The coordinates of the initial state, Euler parameters normalised: a read-only copy.");
  add("u0", &State<double>::u, "def u0(self) -> numpy.typing.NDArray[numpy.float64]",
      "(nu) The speeds of the initial state: a read-only copy.");
  add("x0", &State<double>::x, "def x0(self) -> numpy.typing.NDArray[numpy.float64]",
      "(nx) The states with a rate of the initial state: a read-only copy.");
  add("d0", &State<double>::d, "def d0(self) -> numpy.typing.NDArray[numpy.float64]",
      "(nd) The discrete variables of the initial state: a read-only copy.");
}

}  // namespace

void bind_model(nb::module_& module) {
  nb::class_<FrozenModel> model(
      module, "Model", nb::type_slots(described_slots<traverse>),
      "A frozen description, returned by System.freeze(). Immutable; any number of threads\n"
      "may use it at once.\n"
      "\n"
      "Functions of states take q (..., nq) and u (..., nu): one state, or many in any\n"
      "leading axes, which are broadcast against each other and distributed over SIMD lanes and\n"
      "threads. `out` is a float64 array of the result's shape.");
  bind_sizes(model);
  bind_names(model);
  bind_initial_state(model);
  model
      .def_prop_ro(
          "system", [](const FrozenModel& self) { return copy_with_callbacks(self.system()); },
          "A copy of the description, with this model's parameter values.")
      .def(
          "q_slice",
          [](const FrozenModel& self, const std::string& joint) {
            return joint_slice(self, joint, &BodyInfo::q_start, &BodyInfo::nq);
          },
          nb::arg("joint"), nb::sig("def q_slice(self, joint: str) -> slice"),
          "The slice of the joint's coordinates in q: q[..., model.q_slice('hinge')].")
      .def(
          "u_slice",
          [](const FrozenModel& self, const std::string& joint) {
            return joint_slice(self, joint, &BodyInfo::u_start, &BodyInfo::nu);
          },
          nb::arg("joint"), nb::sig("def u_slice(self, joint: str) -> slice"),
          "The slice of the joint's speeds in u.")
      .def("with_parameters", with_parameters, nb::arg("values"),
           nb::sig("def with_parameters(self, **values: float) -> Model"),
           "The same model with other values of some of its free parameters: model.with_parameters(m1=2).")
      .def("compare", compare, nb::arg("states") = 20, nb::arg("spread") = 1.0, nb::arg("seed") = 1,
           nb::sig("def compare(self, states: int = 20, spread: float = 1.0, seed: int = 1) -> dict[str, "
                   "typing.Any]"),
           "Compares all formulations at the initial state and at random states around it.\n"
           "\n"
           "Returns `agrees`, `states`, `skipped`, `condition` and, for each of the `formulations`, its\n"
           "residual of inverse dynamics, its relative residual and the differences of its udot and\n"
           "reactions; NaN if it does not apply to the model, as `refusal` explains. If no state could\n"
           "be compared, `agrees` is False.")
      .def("contact_pairs", contact_pairs, nb::sig("def contact_pairs(self) -> list[dict[str, typing.Any]]"),
           "The pairs of shapes that may touch, as `sestina info` lists them.\n"
           "\n"
           "Each has the name and the `law` of its `contact`, the `shapes` and their `types` (two each),\n"
           "`friction`, `restitution`, `stiffness` (N/m, N/m^exponent), `damping` (N s/m) and the `gap` (m)\n"
           "in the initial state, negative where the shapes overlap.")
      .def("__repr__", [](const FrozenModel& self) { return describe(self.model()); });
  bind_choices(module);
}

}  // namespace sestina::python
