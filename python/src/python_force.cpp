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
thread_local std::string reason_raised;  // in words

// Adds a number, or as many numbers as there are places.
void add_numbers(const std::string& what, nb::handle given, std::span<double> places) {
  StateArguments arguments;
  const bool is_number = PyFloat_Check(given.ptr()) || PyLong_Check(given.ptr());
  if (is_number && places.size() == 1) {
    places[0] += nb::cast<double>(given);
    return;
  }
  const int numbers = arguments.add("forces", given, static_cast<int>(places.size()));
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
  if (!PyDict_Check(returned.ptr())) return add_numbers("the forces", returned, out.tau);
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

// The Python object that keeps a PythonForce alive through this pointer; null for a force of C++.
nb::handle object_behind(const std::shared_ptr<UserForce>& force) {
  const auto* deleter = std::get_deleter<nb::detail::py_deleter>(force);
  return deleter == nullptr ? nb::handle() : nb::handle(deleter->o);
}

}  // namespace

void own_callbacks(ForceSpec& force) {
  if (const nb::handle object = object_behind(force.user)) {
    force.user = nb::cast<std::shared_ptr<PythonForce>>(object);
  }
}

void own_callbacks(System& system) {
  for (ForceSpec& force : system.forces) own_callbacks(force);
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

int visit_callbacks(const System& system, visitproc visit, void* arg) {
  for (const ForceSpec& force : system.forces) {
    if (const int status = visit_callback(force, visit, arg)) return status;
  }
  return 0;
}

PythonForce::~PythonForce() {
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

void PythonForce::add_forces(const UserForceInput& in, const UserForceOutput& out) const {
  call_back(in.t, "the callback of a PythonForce", [&] {
    if (!function_) throw InputError("its function has been collected as garbage");
    add_returned(in, out, function_(in.t, new_array(in.q), new_array(in.u)));
  });
}

namespace {

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (nb::inst_ready(self)) Py_VISIT(nb::inst_ptr<PythonForce>(self)->function().ptr());
  return 0;
}

int clear(PyObject* self) {
  if (nb::inst_ready(self)) nb::inst_ptr<PythonForce>(self)->clear();
  return 0;
}

PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse)},
                       {Py_tp_clear, reinterpret_cast<void*>(clear)},
                       {0, nullptr}};

}  // namespace

void bind_python_force(nb::module_& module) {
  nb::class_<PythonForce>(
      module, "PythonForce", nb::type_slots(slots),
      "A force that a Python function computes, such as a controller: add_force(name, "
      "PythonForce(function)).\n\n"
      "function(t, q, u) is given the time (s) and copies of the model's q (nq) and u (nu). It returns the\n"
      "generalised forces along u (nu; N m or N), or a dictionary: {'hinge': 3.0} adds to the generalised\n"
      "forces of that joint, {'link': (tx, ty, tz, fx, fy, fz)} a torque (N m) and a force (N) to that body "
      "at\n"
      "its origin, in ground axes. It must depend on nothing else, as steps are tried and repeated. It is\n"
      "slower than an expression (add_joint_force) by the time of a Python call at each evaluation, and such "
      "a\n"
      "model is computed without SIMD lanes, on one thread, and has no derivatives. What it raises ends the\n"
      "run, and is raised there.")
      .def(
          "__init__",
          [](PythonForce* self, nb::object function) {
            if (!PyCallable_Check(function.ptr())) {
              throw InputError(
                  fmt::format("function: {} cannot be called", nb::cast<std::string>(nb::repr(function))));
            }
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

}  // namespace sestina::python
