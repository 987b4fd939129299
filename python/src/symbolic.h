// Symbolic mechanics in Python: values that keep the derivation alive to which they belong.
//
// A C++ Expression, Vector or Point refers to its Mechanics, which must outlive it; the Python object
// therefore shares ownership of it. All operands of an operation must belong to one derivation; this is
// checked before the C++ call, which only asserts it. The interpreter's lock is held throughout, so that one
// thread at a time works on a derivation.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bind.h"
#include "sestina/expression/substitution.h"
#include "sestina/symbolic/body.h"
#include "sestina/symbolic/compiled_expressions.h"
#include "sestina/symbolic/matrix.h"
#include "sestina/symbolic/mechanics.h"

namespace sestina::python {

using Owner = std::shared_ptr<symbolic::Mechanics>;

template <class T>
struct Of {
  Owner owner;  // null for a number, and for a zero vector
  T value;
};

// As arguments: a number may replace an expression, and 0 a vector or dyadic.
struct Scalar : Of<Expression> {};
struct VectorLike : Of<symbolic::Vector> {};
struct DyadicLike : Of<symbolic::Dyadic> {};

// The derivation to which new symbols, frames and points belong.
const Owner& current_mechanics();

// The derivation to which all belong, null if none belongs to any. Throws InputError if there are two.
void join(Owner& owner, const Owner& other);
template <class... Things>
Owner common(const Things&... things) {
  Owner owner;
  (join(owner, things.owner), ...);
  return owner;
}
template <class T>
Owner common_of(const std::vector<T>& things, Owner owner = nullptr) {
  for (const T& thing : things) join(owner, thing.owner);
  return owner;
}
// The derivation of the operands, or the current one if all of them are numbers.
inline symbolic::Mechanics& mechanics_of(const Owner& owner) { return owner ? *owner : *current_mechanics(); }

template <class T>
Of<T> owned(Owner owner, T value) {
  return {std::move(owner), std::move(value)};
}
template <class T>
std::vector<Of<T>> owned_all(const Owner& owner, const std::vector<T>& values) {
  std::vector<Of<T>> all;
  for (const T& value : values) all.push_back({owner, value});
  return all;
}
template <class To, class From>
std::vector<To> values_of(const std::vector<From>& things) {
  std::vector<To> values;
  for (const From& thing : things) values.push_back(thing.value);
  return values;
}

// The object of this type passed from Python; null if it has another type or was not initialised.
template <class T>
const T* find_instance(nb::handle source) noexcept {
  return nb::isinstance<T>(source) && nb::inst_ready(source) ? nb::inst_ptr<T>(source) : nullptr;
}

// TypeError: "Particle: point is 3 (int); allowed is a Point".
[[noreturn]] void refuse_argument(const char* where, const char* name, nb::handle given, const char* allowed);
template <class T>
const T& to_argument(const char* where, const char* name, nb::handle given, const char* allowed) {
  if (const T* found = find_instance<T>(given)) return *found;
  refuse_argument(where, name, given, allowed);
}
std::string to_name(const char* where, nb::handle given);
Scalar to_mass(const char* where, nb::handle given);

bool is_symbol(const Expression& expression);
// Throws InputError unless all are symbols.
void check_symbols(const char* what, const std::vector<Scalar>& expressions);
// {old: new} of a replacement; adds to the owner.
symbolic::Replacements to_replacements(nb::handle given, Owner& owner);
// Replaces expressions by others, all at once, in one expression after another. Throws InputError if the
// result is not a number, as for 1/x with 0 for x.
class Replacer {
 public:
  Replacer(Graph& graph, const symbolic::Replacements& replacements);
  Expression operator()(const Expression& e);

 private:
  Graph& graph_;
  Substitution substitution_;
};
// {symbol: number}; adds to the owner. `what` names the argument in errors.
symbolic::ParameterValues to_values(const char* what, nb::handle given, Owner& owner);
// Particles and rigid bodies; adds to the owner.
std::vector<symbolic::Body> to_bodies(nb::handle given, Owner& owner);
// Any object that is a number or an Expression; nothing otherwise.
bool to_scalar(nb::handle source, Scalar& scalar) noexcept;

void bind_expressions(nb::module_& module);
void bind_matrices(nb::module_& module);
void bind_numbers(nb::module_& module);  // of expressions, matrices, vectors and dyadics, which must be bound
void bind_vectors(nb::module_& module);
void bind_frames(nb::module_& module);
void bind_symbolic_bodies(nb::module_& module);
void bind_methods(nb::module_& module);
void bind_equations(nb::module_& module);
void bind_compiled_function(nb::module_& module);
void bind_polynomials(nb::module_& module);
void bind_steady_motion(nb::module_& module);  // and eigenvalues
void bind_symbolic_system(nb::module_& module);

}  // namespace sestina::python

namespace nanobind::detail {

template <>
struct type_caster<sestina::python::Scalar> {
  NB_TYPE_CASTER(sestina::python::Scalar, const_name("sestina._core.Expression | float"))

  bool from_python(handle source, uint32_t, cleanup_list*) noexcept {
    return sestina::python::to_scalar(source, value);
  }
};

template <class Like, class T>
struct zero_or_caster {
  static bool from_python(handle source, Like& value) noexcept {
    if (const auto* given = sestina::python::find_instance<sestina::python::Of<T>>(source)) {
      value.owner = given->owner;
      value.value = given->value;
      return true;
    }
    sestina::python::Scalar scalar;
    if (!sestina::python::to_scalar(source, scalar) || !scalar.value.is_zero()) return false;
    value.owner = nullptr;
    value.value = T();
    return true;
  }
};

template <>
struct type_caster<sestina::python::VectorLike> {
  NB_TYPE_CASTER(sestina::python::VectorLike, const_name("sestina._core.Vector | float"))

  bool from_python(handle source, uint32_t, cleanup_list*) noexcept {
    return zero_or_caster<sestina::python::VectorLike, sestina::symbolic::Vector>::from_python(source, value);
  }
};

template <>
struct type_caster<sestina::python::DyadicLike> {
  NB_TYPE_CASTER(sestina::python::DyadicLike, const_name("sestina._core.Dyadic | float"))

  bool from_python(handle source, uint32_t, cleanup_list*) noexcept {
    return zero_or_caster<sestina::python::DyadicLike, sestina::symbolic::Dyadic>::from_python(source, value);
  }
};

}  // namespace nanobind::detail
