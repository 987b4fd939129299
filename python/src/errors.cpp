// Translates C++ exceptions to those of sestina/errors.py.
#include "sestina/base/error.h"

#include <nanobind/nanobind.h>

#include "bind.h"
#include "python_force.h"
#include "sestina/base/text.h"

namespace sestina::python {

namespace {

// As Python's text: messages may quote bytes of a file that are not UTF-8.
nb::str text_of(const std::string& message) { return nb::str(escape_controls(message).c_str()); }

void raise(const char* type, const nb::tuple& arguments) {
  const nb::object error_type = nb::module_::import_("sestina.errors").attr(type);
  const nb::object error = error_type(*arguments);
  PyErr_SetObject(error_type.ptr(), error.ptr());
}

// An exception of Python, or the reason why the result of a callback was refused.
void restore(const std::exception_ptr& pointer) {
  try {
    std::rethrow_exception(pointer);
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const std::exception& error) {
    raise("InputError", nb::make_tuple(text_of(error.what())));
  }
}

void translate(const std::exception_ptr& pointer, void*) {
  try {
    std::rethrow_exception(pointer);
  } catch (const InputError& error) {
    nb::list faults;
    for (const Fault& fault : error.faults()) {
      faults.append(nb::make_tuple(text_of(to_string(fault.place)), text_of(fault.message)));
    }
    raise("InputError", nb::make_tuple(text_of(error.what()), faults));
  } catch (const ComputationError& error) {
    if (const std::exception_ptr raised = take_callback_error()) return restore(raised);
    raise("ComputationError", nb::make_tuple(text_of(error.what()), error.time(), text_of(error.reason())));
  }
}

}  // namespace

void bind_errors(nb::module_&) { nb::register_exception_translator(translate); }

}  // namespace sestina::python
