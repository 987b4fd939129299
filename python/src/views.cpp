#include "views.h"

#include <fmt/format.h>
#include <nanobind/stl/vector.h>

#include <deque>
#include <vector>

#include "describe.h"
#include "sestina/base/error.h"
#include "sestina/base/suggest.h"
#include "sestina/base/text.h"

namespace sestina::python {

namespace {

// A view that reads and writes a field of `owner`.
struct Field {
  nb::object owner;
  const FieldAccess* access;

  nb::object read() const { return access->read(owner); }
  nb::object read_elements() const {
    nb::object whole = read();
    if (whole.is_none()) {
      throw nb::type_error((access->place(owner) + ": has become None; get it again").c_str());
    }
    return whole;
  }
  nb::object get(nb::handle key) const {
    return access->get ? access->get(owner, key) : nb::object(read_elements()[nb::borrow(key)]);
  }
  void set(nb::handle key, nb::handle value) const {
    if (access->set) return access->set(owner, key, value);
    const nb::object whole = read_elements();
    whole[nb::borrow(key)] = nb::borrow(value);
    access->write(owner, whole);
  }
  void remove(nb::handle key) const {
    if (access->remove) return access->remove(owner, key);
    const nb::object whole = read_elements();
    if (PyObject_DelItem(whole.ptr(), key.ptr()) != 0) throw nb::python_error();
    access->write(owner, whole);
  }
};

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (nb::inst_ready(self)) Py_VISIT(nb::inst_ptr<Field>(self)->owner.ptr());
  return 0;
}

std::vector<std::string> public_attributes(nb::handle thing) {
  std::vector<std::string> names;
  for (nb::handle name : nb::borrow<nb::list>(nb::steal(PyObject_Dir(thing.ptr())))) {
    auto text = nb::cast<std::string>(name);
    if (text.front() != '_') names.push_back(std::move(text));
  }
  return names;
}

// Replaces the AttributeError raised by Python by one that suggests the nearest name.
void suggest_attribute(PyObject* self, PyObject* name) {
  if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return;
  nb::python_error raised;
  const nb::handle type = nb::handle(self).type();
  try {
    const auto given = nb::cast<std::string>(nb::handle(name));
    // Protocols ask for names with an underscore; if one exists but cannot be set, Python reports this.
    if (given.front() != '_' && !nb::hasattr(type, name)) {
      PyErr_SetString(PyExc_AttributeError,
                      fmt::format("{} has no attribute '{}'{}", nb::cast<std::string>(type.attr("__name__")),
                                  given, suggestion(given, public_attributes(type)))
                          .c_str());
      return;
    }
  } catch (const std::exception&) {
    PyErr_Clear();  // no suggestion; the error of Python stays
  }
  raised.restore();
}

}  // namespace

nb::object view_of(nb::handle owner, const FieldAccess& access, ViewKind kind) {
  static PyObject* const views = nb::module_::import_("sestina.views").release().ptr();
  if (access.may_be_none && access.read(owner).is_none()) return nb::none();
  return nb::handle(views).attr(kind == ViewKind::kList ? "ListView"
                                                        : "MapView")(Field{nb::borrow(owner), &access});
}

const FieldAccess& keep(FieldAccess access) {
  static auto& all = *new std::deque<FieldAccess>;
  return all.emplace_back(std::move(access));
}

PyObject* get_attribute(PyObject* self, PyObject* name) {
  PyObject* found = PyObject_GenericGetAttr(self, name);
  if (found == nullptr) suggest_attribute(self, name);
  return found;
}

int set_attribute(PyObject* self, PyObject* name, PyObject* value) {
  const int status = PyObject_GenericSetAttr(self, name, value);
  if (status != 0) suggest_attribute(self, name);
  return status;
}

void set_keys(nb::handle thing, nb::handle keys) {
  for (const auto& [key, value] : nb::borrow<nb::dict>(keys)) {
    if (!nb::isinstance<nb::str>(key) || !nb::hasattr(thing, key)) {
      const auto given = nb::cast<std::string>(nb::str(key));
      throw InputError(
          fmt::format("there is no key '{}'{}", given, suggestion(given, public_attributes(thing))));
    }
    nb::setattr(thing, key, value);
  }
}

void bind_views(nb::module_& module) {
  nb::class_<Field>(module, "_Field", nb::type_slots(described_slots<traverse>),
                    "What a view reads and writes.")
      .def("read", &Field::read, nb::sig("def read(self) -> typing.Any"))
      .def(
          "write", [](const Field& field, nb::handle value) { field.access->write(field.owner, value); },
          nb::arg("value").none())
      .def("get", &Field::get, nb::arg("key").none(), nb::sig("def get(self, key: object) -> typing.Any"))
      .def("set", &Field::set, nb::arg("key").none(), nb::arg("value").none())
      .def("remove", &Field::remove, nb::arg("key").none())
      .def("__str__", [](const Field& field) { return field.access->place(field.owner); });
  module.def(
      "_escaped", [](const std::string& text) { return escape_controls(text, LineBreaks::kEscape); },
      nb::arg("text"));
  module.def(
      "_suggestion",
      [](const std::string& word, const std::vector<std::string>& known) { return suggestion(word, known); },
      nb::arg("word"), nb::arg("known"));
}

}  // namespace sestina::python
