// Lists and mappings of a description as live views, and the attributes of all described objects.
//
// A field that is a list or a mapping is read and written as a whole, by two functions. Python receives a
// ListView or a MapView (sestina/views.py); each change of it reads the field, changes the value and writes
// it back.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <functional>
#include <string>

namespace sestina::python {

namespace nb = nanobind;

// How Python reads and writes a field of `owner`, the described object.
struct FieldAccess {
  std::function<nb::object(nb::handle owner)> read;  // a new list or dictionary, or None
  std::function<void(nb::handle owner, nb::handle value)> write;
  std::function<std::string(nb::handle owner)> place;  // "joints.hinge.q", for messages
  bool may_be_none = false;
  // Access to one element, for fields that are large; without it the whole field is read and written.
  std::function<nb::object(nb::handle owner, nb::handle key)> get =
      {};  // a KeyError or IndexError where there is none
  std::function<void(nb::handle owner, nb::handle key, nb::handle value)> set = {};
  std::function<void(nb::handle owner, nb::handle key)> remove = {};
};

enum class ViewKind { kList, kMap };

// The types in the Python stubs: `view` is the type that is read, `value` the type that is assigned.
struct FieldText {
  std::string name, view, value;
  const char* doc = "";
};

// The view of a field; None if the field is None.
nb::object view_of(nb::handle owner, const FieldAccess& access, ViewKind kind);
// Kept until the process ends.
const FieldAccess& keep(FieldAccess access);

template <class Class>
void def_view(Class& type, ViewKind kind, const FieldText& text, FieldAccess access) {
  const FieldAccess& kept = keep(std::move(access));
  type.def_prop_rw(
      text.name.c_str(), [&kept, kind](nb::handle self) { return view_of(self, kept, kind); },
      [&kept](nb::handle self, nb::handle value) { kept.write(self, value); },
      nb::for_getter(nb::sig(("def " + text.name + "(self) -> " + text.view).c_str())),
      nb::for_setter(nb::sig(("def " + text.name + "(self, value: " + text.value + ", /) -> None").c_str())),
      nb::for_setter(nb::arg("value").none()), text.doc);
}

// For tp_getattro and tp_setattro: an error for an unknown attribute suggests the nearest name.
PyObject* get_attribute(PyObject* self, PyObject* name);
int set_attribute(PyObject* self, PyObject* name, PyObject* value);

// The slots of a described object; `traverse` reports its references to the garbage collector.
template <auto traverse>
inline PyType_Slot described_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse)},
                                        {Py_tp_getattro, reinterpret_cast<void*>(get_attribute)},
                                        {Py_tp_setattro, reinterpret_cast<void*>(set_attribute)},
                                        {0, nullptr}};
// The slots of an object without references.
inline PyType_Slot plain_described_slots[] = {{Py_tp_getattro, reinterpret_cast<void*>(get_attribute)},
                                              {Py_tp_setattro, reinterpret_cast<void*>(set_attribute)},
                                              {0, nullptr}};

// Sets every key of a dictionary on a described object, as Python would. Throws InputError for an unknown
// key.
void set_keys(nb::handle thing, nb::handle keys);

void bind_views(nb::module_& module);

}  // namespace sestina::python
