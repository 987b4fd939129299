// Read-only copies of an object's values for Python: a write raises an error that says what changes the
// object (sestina/fixed.py).
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <span>
#include <string>
#include <vector>

namespace sestina::python {

namespace nb = nanobind;

// A read-only array with a copy of the numbers; a write raises with the hint.
nb::object fixed_array(std::span<const double> values, const char* hint);
// A tuple of the elements; what would change a list raises with the hint.
nb::object fixed_tuple(nb::handle elements, const char* hint);
template <class T>
nb::object fixed_tuple(const std::vector<T>& elements, const char* hint) {
  return fixed_tuple(nb::handle(nb::cast(elements)), hint);
}
// A property that is such a tuple, of what get(const Owner&) returns; `type` is Python's name for the type of
// the elements.
template <class Owner, class Class, class Get>
void def_fixed_tuple(Class& bound, const char* name, const char* type, const char* hint, const Get& get,
                     const char* documentation = "") {
  const std::string signature = std::string("def ") + name + "(self) -> tuple[" + type + ", ...]";
  bound.def_prop_ro(
      name, [get, hint](const Owner& self) { return fixed_tuple(get(self), hint); },
      nb::sig(signature.c_str()), documentation);
}

}  // namespace sestina::python
