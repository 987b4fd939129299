#include "python_force.h"

#include <fmt/format.h>
#include <nanobind/stl/shared_ptr.h>

#include <array>
#include <utility>

#include "arrays.h"
#include "sestina/base/error.h"
#include "sestina/base/suggest.h"

namespace sestina::python {

namespace {

thread_local std::exception_ptr raised;
thread_local std::string reason_raised;  // message

// Adds a number, or one number for each place.
void add_numbers(const std::string& what, nb::handle given, std::span<double> places) {
  StateArguments arguments;
  const bool is_number = PyFloat_Check(given.ptr()) || PyLong_Check(given.ptr());
  if (is_number && places.size() == 1) {
    places[0] += nb::cast<double>(given);
    return;
  }
  const int numbers = arguments.add(what.c_str(), given, static_cast<int>(places.size()));
  arguments.broadcast();
  if (!arguments.is_single()) {
    throw InputError(fmt::format("{}: there are {} arrays of {} numbers; allowed is one", what,
                                 arguments.count(), places.size()));
  }
  for (std::size_t i = 0; i < places.size(); ++i) places[i] += arguments[numbers][i];
}

void add_to_body(const std::string& name, nb::handle given, SpatialForce<double>& force) {
  std::array<double, 6> numbers{};
  add_numbers(name, given, numbers);
  force += {{numbers[0], numbers[1], numbers[2]}, {numbers[3], numbers[4], numbers[5]}};
}

void add_by_name(const UserForceInput& in, const UserForceOutput& out, const std::string& name,
                 nb::handle given) {
  std::vector<std::string> known;
  for (const UserForceLayout::Joint& joint : in.layout.joints) {
    if (joint.name == name) {
      const auto first = static_cast<std::size_t>(joint.u_start), count = static_cast<std::size_t>(joint.nu);
      return add_numbers(name, given, out.tau.subspan(first, count));
    }
    known.push_back(joint.name);
  }
  for (std::size_t b = 0; b < in.layout.bodies.size(); ++b) {
    if (in.layout.bodies[b] == name) return add_to_body(name, given, out.bodies[b]);
    known.push_back(in.layout.bodies[b]);
  }
  throw InputError(fmt::format("there is no joint and no body '{}'{}", name, suggestion(name, known)));
}

void add_returned(const UserForceInput& in, const UserForceOutput& out, nb::handle returned) {
  if (returned.is_none()) throw InputError("the callback of a PythonForce returned None; allowed are forces");
  if (!PyDict_Check(returned.ptr())) return add_numbers("forces", returned, out.tau);
  for (const auto& [key, value] : nb::borrow<nb::dict>(returned)) {
    add_by_name(in, out, nb::cast<std::string>(nb::str(key)), value);
  }
}

}  // namespace

void forget_callback_error() { raised = nullptr; }
std::exception_ptr take_callback_error() { return std::exchange(raised, nullptr); }

void throw_callback_error() {
  const std::exception_ptr error = take_callback_error();
  if (!error) return;
  try {
    std::rethrow_exception(error);
  } catch (const nb::python_error&) {
    throw;
  } catch (const std::exception& other) {
    throw InputError(other.what());
  }
}

nb::object take_callback_exception() {
  const std::exception_ptr error = take_callback_error();
  if (!error) return nb::none();
  try {
    std::rethrow_exception(error);
  } catch (const nb::python_error& python) {
    return nb::borrow(python.value());
  } catch (const std::exception& other) {
    return nb::module_::import_("sestina.errors").attr("InputError")(other.what());
  }
}

namespace {

// Returns the Python object that this pointer to a PythonForce or PythonConstraint keeps alive; null for a
// C++ object.
template <class User>
nb::handle object_behind(const std::shared_ptr<User>& user) {
  const auto* deleter = std::get_deleter<nb::detail::py_deleter>(user);
  return deleter == nullptr ? nb::handle() : nb::handle(deleter->o);
}

}  // namespace

void own_callbacks(ForceSpec& force) {
  if (const nb::handle object = object_behind(force.user)) {
    force.user = nb::cast<std::shared_ptr<PythonForce>>(object);
  }
}

void own_callbacks(ConstraintSpec& constraint) {
  if (const nb::handle object = object_behind(constraint.user)) {
    constraint.user = nb::cast<std::shared_ptr<PythonConstraint>>(object);
  }
}

void own_callbacks(System& system) {
  for (ForceSpec& force : system.forces) own_callbacks(force);
  for (ConstraintSpec& constraint : system.constraints) own_callbacks(constraint);
}

System copy_with_callbacks(const System& system) {
  System copy(system);
  own_callbacks(copy);
  return copy;
}

int visit_callback(const ForceSpec& force, visitproc visit, void* arg) {
  Py_VISIT(object_behind(force.user).ptr());
  return 0;
}

int visit_callback(const ConstraintSpec& constraint, visitproc visit, void* arg) {
  Py_VISIT(object_behind(constraint.user).ptr());
  return 0;
}

int visit_callbacks(const System& system, visitproc visit, void* arg) {
  for (const ForceSpec& force : system.forces) {
    if (const int status = visit_callback(force, visit, arg)) return status;
  }
  for (const ConstraintSpec& constraint : system.constraints) {
    if (const int status = visit_callback(constraint, visit, arg)) return status;
  }
  return 0;
}

HeldFunction::~HeldFunction() {
  if (!Py_IsInitialized()) {
    function_.release();
    return;
  }
  const nb::gil_scoped_acquire acquire;
  function_.reset();
}

void call_back(double t, const std::string& what, const std::function<void()>& call) {
  if (raised) throw ComputationError(t, reason_raised);
  const nb::gil_scoped_acquire acquire;
  std::string reason;
  try {
    return call();
  } catch (const nb::python_error& error) {
    reason = nb::cast<std::string>(nb::str(error.value()));
    reason = fmt::format("{} raised {}{}{}", what, nb::cast<std::string>(nb::inst_name(error.value())),
                         reason.empty() ? "" : ": ", reason);
    raised = std::current_exception();
  } catch (const std::exception& error) {
    reason = fmt::format("what {} returned: {}", what, error.what());
    raised = std::current_exception();
  }
  reason_raised = reason;
  throw ComputationError(t, reason);
}

namespace {

nb::object call_with_state(nb::handle function, const UserForceInput& in) {
  if (!function) throw InputError("its function has been collected as garbage");
  return function(in.t, read_only_array(in.q), read_only_array(in.u));
}

}  // namespace

void PythonForce::add_forces(const UserForceInput& in, const UserForceOutput& out) const {
  call_back(in.t, "the callback of a PythonForce",
            [&] { add_returned(in, out, call_with_state(function(), in)); });
}

namespace {

// The Jacobian (count, nu); of one condition also (nu).
void add_jacobian(nb::handle given, int count, std::span<double> places) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  const nb::object array = numpy.attr("asarray")(given);
  const auto nu = static_cast<int>(places.size()) / count;
  const nb::tuple shape(array.attr("shape"));
  if (!shape.equal(nb::make_tuple(count, nu)) && !(count == 1 && shape.equal(nb::make_tuple(nu)))) {
    throw InputError(fmt::format("jacobian has the shape {}; allowed is ({}, {})",
                                 nb::cast<std::string>(nb::str(shape)), count, nu));
  }
  add_numbers("jacobian", numpy.attr("ravel")(array), places);
}

}  // namespace

bool PythonConstraint::calc(const UserConstraintInput& in, const UserConstraintOutput& out) const {
  bool has_bias = false;
  call_back(in.t, "the callback of a PythonConstraint", [&] {
    const nb::object returned = call_with_state(function(), in);
    if (!PyDict_Check(returned.ptr())) {
      throw InputError(
          "the callback of a PythonConstraint returned no dictionary; allowed is {'error': .., "
          "'jacobian': .., 'time_rate': .., 'bias': ..}");
    }
    bool has_error = false, has_jacobian = false;
    for (const auto& [key, value] : nb::borrow<nb::dict>(returned)) {
      const auto name = nb::cast<std::string>(nb::str(key));
      if (name == "error") {
        add_numbers(name, value, out.error), has_error = true;
      } else if (name == "jacobian") {
        add_jacobian(value, count_, out.jacobian), has_jacobian = true;
      } else if (name == "time_rate") {
        add_numbers(name, value, out.time_rate);
      } else if (name == "bias") {
        add_numbers(name, value, out.bias), has_bias = true;
      } else {
        const std::vector<std::string> known{"error", "jacobian", "time_rate", "bias"};
        throw InputError(fmt::format("there is no '{}'{}", name, suggestion(name, known)));
      }
    }
    if (!has_error || !has_jacobian) throw InputError("'error' and 'jacobian' are required");
  });
  return has_bias;
}

namespace {

template <class User>
int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (nb::inst_ready(self)) Py_VISIT(nb::inst_ptr<User>(self)->function().ptr());
  return 0;
}

template <class User>
int clear(PyObject* self) {
  if (nb::inst_ready(self)) nb::inst_ptr<User>(self)->clear();
  return 0;
}

template <class User>
PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse<User>)},
                       {Py_tp_clear, reinterpret_cast<void*>(clear<User>)},
                       {0, nullptr}};

void check_callable(nb::handle function) {
  if (PyCallable_Check(function.ptr())) return;
  throw InputError(fmt::format("function: {} cannot be called", nb::cast<std::string>(nb::repr(function))));
}

}  // namespace

void bind_python_force(nb::module_& module) {
  nb::class_<PythonForce>(
      module, "PythonForce", nb::type_slots(slots<PythonForce>),
      "A force that a Python function computes, such as a controller: add_force(name, "
      "PythonForce(function)).\n"
      "\n"
      "function(t, q, u) is given the time (s) and copies of the model's q (nq) and u (nu). It returns "
      "the\n"
      "generalised forces along u (nu; N m or N), or a dictionary: {'hinge': 3.0} adds to the "
      "generalised\n"
      "forces of that joint, {'link': (tx, ty, tz, fx, fy, fz)} a torque (N m) and a force (N) to that "
      "body at\n"
      "its origin, in ground axes. It must depend on nothing else, because steps are tried and "
      "repeated.\n"
      "Unlike an expression (add_joint_force), it costs a Python call at each evaluation, and such a\n"
      "model is computed without SIMD lanes, on one thread, and has no derivatives. An exception in it "
      "ends\n"
      "the run and is raised there.")
      .def(
          "__init__",
          [](PythonForce* self, nb::object function) {
            check_callable(function);
            new (self) PythonForce(std::move(function));
          },
          nb::arg("function"),
          nb::sig("def __init__(self, function: collections.abc.Callable[[float, "
                  "numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]], "
                  "numpy.typing.ArrayLike | dict[str, numpy.typing.ArrayLike]]) -> None"))
      .def_prop_ro(
          "function",
          [](const PythonForce& self) { return self.function() ? nb::borrow(self.function()) : nb::none(); },
          nb::sig("def function(self) -> collections.abc.Callable[..., typing.Any]"));
}

void bind_python_constraint(nb::module_& module) {
  nb::class_<PythonConstraint>(
      module, "PythonConstraint", nb::type_slots(slots<PythonConstraint>),
      "Conditions that a Python function computes: add_constraint(name, PythonConstraint(function)).\n"
      "\n"
      "function(t, q, u) is given the time (s) and copies of the model's q (nq) and u (nu). It returns "
      "a\n"
      "dictionary: 'error' (count), which has to vanish; 'jacobian' (count, nu), its derivative by\n"
      "displacements along u; 'time_rate' (count), its partial derivative by t, zero unless given; and "
      "'bias'\n"
      "(count), its second derivative while u does not change, found by differences unless given. With "
      "the\n"
      "level 'velocity' the error is also a function of u, and the Jacobian its derivative by u. When a "
      "run\n"
      "begins, the derivatives are compared with differences. An exception in the function ends the run.")
      .def(
          "__init__",
          [](PythonConstraint* self, nb::object function, int count, const std::string& level) {
            check_callable(function);
            if (level != "position" && level != "velocity") {
              throw InputError(fmt::format("level: '{}' is neither position nor velocity", level));
            }
            if (count < 1)
              throw InputError(fmt::format("count: {} is not a number of conditions from 1", count));
            new (self) PythonConstraint(std::move(function), count, level == "position");
          },
          nb::arg("function"), nb::arg("count") = 1, nb::kw_only(), nb::arg("level") = "position",
          nb::sig("def __init__(self, function: collections.abc.Callable[[float, "
                  "numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]], "
                  "dict[str, numpy.typing.ArrayLike]], count: int = 1, *, level: str = 'position') -> None"))
      .def_prop_ro("count", &PythonConstraint::count, "How many conditions.")
      .def_prop_ro(
          "function",
          [](const PythonConstraint& self) {
            return self.function() ? nb::borrow(self.function()) : nb::none();
          },
          nb::sig("def function(self) -> collections.abc.Callable[..., typing.Any]"));
}

}  // namespace sestina::python
