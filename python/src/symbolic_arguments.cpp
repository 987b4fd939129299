// Arguments of symbolic mechanics from Python: numbers, expressions, replacements.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "sestina/base/error.h"
#include "sestina/base/quotation.h"
#include "sestina/expression/evaluate.h"
#include "sestina/expression/print.h"
#include "symbolic.h"

namespace sestina::python {

void join(Owner& owner, const Owner& other) {
  if (!other) return;
  if (owner && owner != other) {
    throw InputError("these belong to different derivations; all that meet must come from one Mechanics");
  }
  owner = other;
}

namespace {

std::vector<std::pair<Expr, Expr>> nodes_of(Graph& graph, const symbolic::Replacements& replacements) {
  std::vector<std::pair<Expr, Expr>> nodes;
  for (const auto& [from, to] : replacements) nodes.emplace_back(from.in(graph), to.in(graph));
  return nodes;
}

}  // namespace

Replacer::Replacer(Graph& graph, const symbolic::Replacements& replacements)
    : graph_(graph), substitution_(graph, nodes_of(graph, replacements)) {}

Expression Replacer::operator()(const Expression& e) {
  const Expr from = e.in(graph_), to = substitution_(from);
  if (graph_.has_constant_fault(from) || !graph_.has_constant_fault(to)) return {graph_, to};
  const std::vector<Expr> parts = graph_.reachable(std::span(&to, 1));
  const auto part = std::ranges::find_if(
      parts, [&](Expr p) { return !std::isfinite(graph_.constant_value(p).value_or(0.0)); });
  const auto fault = find_non_finite(graph_, *part, {});
  throw InputError(fmt::format("subs: {} would come of {}", fault ? fault->message : to_text(graph_, to),
                               shortened(to_text(e))));
}

void refuse_argument(const char* where, const char* name, nb::handle given, const char* allowed) {
  constexpr std::size_t kLongest = 60;
  const std::string text = shortened(nb::cast<std::string>(nb::repr(given)), kLongest);
  const auto type = nb::cast<std::string>(given.type().attr("__name__"));
  throw nb::type_error(
      fmt::format("{}: {} is {} ({}); allowed is {}", where, name, text, type, allowed).c_str());
}

std::string to_name(const char* where, nb::handle given) {
  if (!PyUnicode_Check(given.ptr())) refuse_argument(where, "name", given, "a text");
  return nb::cast<std::string>(given);
}

Scalar to_mass(const char* where, nb::handle given) {
  Scalar mass;
  if (!to_scalar(given, mass)) refuse_argument(where, "mass", given, "an expression or a number");
  return mass;
}

bool is_symbol(const Expression& expression) {
  Graph* const graph = expression.graph();
  return graph != nullptr && graph->op(expression.in(*graph)) == Op::kSymbol;
}

void check_symbols(const char* what, const std::vector<Scalar>& expressions) {
  for (const Scalar& one : expressions) {
    if (!is_symbol(one.value)) {
      throw InputError(fmt::format("{}: {} is not a symbol", what, to_text(one.value)));
    }
  }
}

namespace {

std::optional<Expression> whole_number(nb::handle source) noexcept {
  const long long number = PyLong_AsLongLong(source.ptr());
  if (number != -1 || !PyErr_Occurred()) {
    if (number != std::numeric_limits<long long>::min()) return Expression(Coefficient::fraction(number, 1));
  }
  PyErr_Clear();
  // The length of a text is unlimited if the base is not ten.
  const nb::object text = nb::steal(PyNumber_ToBase(source.ptr(), 16));
  if (!text) {
    PyErr_Clear();
    return std::nullopt;
  }
  WholeNumber whole;
  bool is_negative = false;
  for (const char* at = nb::str(text).c_str(); *at != '\0'; ++at) {
    if (*at == '-') is_negative = true;
    if (*at == 'x') whole = WholeNumber();
    if (*at == '-' || *at == 'x') continue;
    whole = shift_left(whole, 4) + WholeNumber(*at <= '9' ? *at - '0' : *at - 'a' + 10);
  }
  const Coefficient found = Coefficient::fraction({is_negative ? -whole : whole, WholeNumber(1)});
  if (!found.is_finite()) return std::nullopt;  // beyond the range of doubles
  return Expression(found);
}

// A fractions.Fraction, or another object with numerator and denominator.
std::optional<Expression> fraction_of(nb::handle source) {
  if (!nb::hasattr(source, "numerator") || !nb::hasattr(source, "denominator")) return std::nullopt;
  const nb::object numerator = source.attr("numerator"), denominator = source.attr("denominator");
  if (!PyLong_Check(numerator.ptr()) || !PyLong_Check(denominator.ptr())) return std::nullopt;
  const auto above = whole_number(numerator), below = whole_number(denominator);
  if (!above || !below) return std::nullopt;
  return *above / *below;
}

}  // namespace

bool to_scalar(nb::handle source, Scalar& scalar) noexcept {
  if (const auto* given = find_instance<Of<Expression>>(source)) {
    scalar.owner = given->owner;
    scalar.value = given->value;
    return true;
  }
  scalar.owner = nullptr;
  if (PyBool_Check(source.ptr()) || PyComplex_Check(source.ptr()) || PySequence_Check(source.ptr()))
    return false;
  try {
    if (PyLong_Check(source.ptr())) {
      const auto number = whole_number(source);
      if (number) scalar.value = *number;
      return number.has_value();
    }
    if (!PyFloat_Check(source.ptr())) {
      if (const auto number = fraction_of(source)) {
        scalar.value = *number;
        return true;
      }
    }
  } catch (...) {
    PyErr_Clear();
    return false;
  }
  const double number = PyFloat_AsDouble(source.ptr());
  if (number == -1.0 && PyErr_Occurred()) {
    PyErr_Clear();
    return false;
  }
  scalar.value = Expression(number);
  return true;
}

namespace {

// A dictionary, or another mapping.
bool read_mapping(nb::handle given, nb::dict& pairs) {
  if (nb::try_cast(given, pairs)) return true;
  if (!PyMapping_Check(given.ptr()) || !nb::hasattr(given, "keys")) return false;
  if (PyDict_Update(pairs.ptr(), given.ptr()) != 0) nb::raise_python_error();
  return true;
}

// [(a, b), (c, d)], in which the first pair with a key counts, and lists of dictionaries, in which the last
// one counts.
bool read_pairs(nb::handle given, nb::dict& pairs) {
  if (!PyList_Check(given.ptr()) && !PyTuple_Check(given.ptr())) return false;
  for (const nb::handle part : nb::borrow<nb::object>(given)) {
    nb::dict inner;
    if (read_mapping(part, inner)) {
      for (const auto& [key, value] : inner) pairs[key] = value;
      continue;
    }
    if ((!PyTuple_Check(part.ptr()) && !PyList_Check(part.ptr())) || nb::len(part) != 2) return false;
    const nb::object key = part[0], value = part[1];
    if (!pairs.contains(key)) pairs[key] = value;
  }
  return true;
}

// Calls use(key, value, object that was given as the value) for every pair.
template <class Use>
void for_each_pair(nb::handle given, Owner& owner, Use use) {
  if (given.is_none()) return;
  nb::dict pairs;
  if (!read_mapping(given, pairs) && !read_pairs(given, pairs)) {
    throw InputError(
        fmt::format("replacements: {} is neither a dictionary of expressions nor a list of pairs",
                    nb::cast<std::string>(nb::repr(given))));
  }
  for (const auto& [key, value] : pairs) {
    Scalar from, to;
    if (!to_scalar(key, from) || !from.value.graph() || !to_scalar(value, to)) {
      throw InputError(
          fmt::format("replacements: {}: {} is not a pair of an expression that is not a number and another",
                      nb::cast<std::string>(nb::repr(key)), nb::cast<std::string>(nb::repr(value))));
    }
    for (const Scalar* one : {&from, &to}) {
      if (owner && one->owner && one->owner != owner) {
        throw InputError(
            fmt::format("replacements: {} and the rest belong to different derivations; all that meet must "
                        "come from one Mechanics",
                        to_text(one->value)));
      }
      join(owner, one->owner);
    }
    use(from.value, to.value, value);
  }
}

}  // namespace

symbolic::Replacements to_replacements(nb::handle given, Owner& owner) {
  symbolic::Replacements replacements;
  for_each_pair(given, owner, [&](const Expression& from, const Expression& to, nb::handle) {
    replacements.emplace_back(from, to);
  });
  return replacements;
}

symbolic::ParameterValues to_values(const char* what, nb::handle given, Owner& owner) {
  symbolic::ParameterValues values;
  for_each_pair(given, owner, [&](const Expression& symbol, const Expression& value, nb::handle object) {
    Graph* const graph = value.graph();
    auto number = graph ? graph->constant_value(value.in(*graph)) : value.number().value();
    if (!is_symbol(symbol) || !number) {
      throw InputError(fmt::format("{}: {} = {}; allowed are numbers for symbols", what,
                                   nb::cast<std::string>(nb::repr(nb::cast(Of<Expression>{owner, symbol}))),
                                   nb::cast<std::string>(nb::repr(object))));
    }
    // An exact zero has no sign, but a zero of floating point may have one.
    if (*number == 0.0) number = PyFloat_AsDouble(object.ptr());
    values.emplace_back(symbol, *number);
  });
  return values;
}

}  // namespace sestina::python
