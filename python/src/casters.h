// How numbers, names and their lists are passed between Python and a description: a number is a Python
// number, or a text with an expression; a single number may replace a list.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "sestina/model/number.h"

namespace nanobind::detail {

template <>
struct type_caster<sestina::Number> {
  NB_TYPE_CASTER(sestina::Number, const_name("float | str"))

  bool from_python(handle source, uint32_t, cleanup_list*) noexcept {
    if (PyUnicode_Check(source.ptr())) {
      Py_ssize_t size = 0;
      const char* text = PyUnicode_AsUTF8AndSize(source.ptr(), &size);
      if (text == nullptr) {
        PyErr_Clear();
        return false;
      }
      value = sestina::Number(std::string(text, static_cast<std::size_t>(size)));
      return true;
    }
    // True is not a number, as in YAML; an array is not a number even if it has only one element.
    if (PyBool_Check(source.ptr()) || PyComplex_Check(source.ptr()) || PySequence_Check(source.ptr())) {
      return false;
    }
    const double number = PyFloat_AsDouble(source.ptr());
    if (number == -1.0 && PyErr_Occurred()) {
      PyErr_Clear();
      return false;
    }
    value = sestina::Number(number);
    return true;
  }
  static handle from_cpp(const sestina::Number& number, rv_policy, cleanup_list*) noexcept {
    if (!number.is_expression()) return PyFloat_FromDouble(number.value());
    return PyUnicode_FromStringAndSize(number.expression().data(),
                                       static_cast<Py_ssize_t>(number.expression().size()));
  }
};

template <>
struct type_caster<sestina::Numbers> {
  NB_TYPE_CASTER(sestina::Numbers,
                 io_name("float | str | collections.abc.Sequence[float | str]", "list[float | str]"))

  bool from_python(handle source, uint32_t flags, cleanup_list* cleanup) noexcept {
    make_caster<sestina::Number> one;
    if (one.from_python(source, flags, cleanup)) {
      value = sestina::Numbers(one.value);
      return true;
    }
    make_caster<std::vector<sestina::Number>> several;
    if (!several.from_python(source, flags, cleanup)) return false;
    value = sestina::Numbers(several.value);
    return true;
  }
  static handle from_cpp(const sestina::Numbers& numbers, rv_policy policy, cleanup_list* cleanup) noexcept {
    return make_caster<std::vector<sestina::Number>>::from_cpp(
        static_cast<const std::vector<sestina::Number>&>(numbers), policy, cleanup);
  }
};

template <>
struct type_caster<sestina::Name> {
  NB_TYPE_CASTER(sestina::Name, const_name("str"))

  bool from_python(handle source, uint32_t flags, cleanup_list* cleanup) noexcept {
    make_caster<std::string> text;
    if (!text.from_python(source, flags, cleanup)) return false;
    value = sestina::Name(text.value);
    return true;
  }
  static handle from_cpp(const sestina::Name& name, rv_policy policy, cleanup_list* cleanup) noexcept {
    return make_caster<std::string>::from_cpp(name.text, policy, cleanup);
  }
};

}  // namespace nanobind::detail
