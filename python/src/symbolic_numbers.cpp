// Numbers instead of exact constants (evalf), replacements in every measure number, and further functions
// used by sympy programs, for expressions, matrices, vectors and dyadics.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <functional>

#include "sestina/base/error.h"
#include "sestina/expression/substitution.h"
#include "sestina/symbolic/simplify.h"
#include "symbolic.h"

namespace sestina::python {

using symbolic::Dyadic;
using symbolic::Matrix;
using symbolic::Vector;

namespace {

using Function = std::function<Expression(const Expression&)>;

constexpr int kMostDigits = 17, kDigits = 15;  // that doubles have; as many as sympy requests

Expression mapped(const Expression& e, const Function& function) { return function(e); }

Matrix mapped(const Matrix& matrix, const Function& function) {
  Matrix result = matrix;
  for (std::size_t i = 0; i < matrix.elements().size(); ++i) result[i] = function(matrix[i]);
  return result;
}

Vector mapped(const Vector& vector, const Function& function) { return vector.applyfunc(function); }

Dyadic mapped(const Dyadic& dyadic, const Function& function) {
  Dyadic result;
  for (const Dyadic::Part& part : dyadic.parts()) {
    symbolic::Matrix3 xyz;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) xyz[i][j] = function(part.xyz[i][j]);
    }
    result += Dyadic(*dyadic.mechanics(), part.left, part.right, xyz);
  }
  return result;
}

Expression rounded(double value, int digits) {
  if (digits >= kDigits) return {value};
  return {std::strtod(fmt::format("{:.{}e}", value, digits - 1).c_str(), nullptr)};
}

// Replaces all parts without symbols by numbers; integers stay integers.
Expression to_decimals(const Expression& e, int digits) {
  Graph* const graph = e.graph();
  const auto is_whole = [](double value) { return value == std::floor(value); };
  if (graph == nullptr) {
    const double value = e.number().value();
    return is_whole(value) ? e : rounded(value, digits);
  }
  const Expr root = e.in(*graph);
  std::vector<std::pair<Expr, Expr>> numbers;
  for (const Expr node : graph->reachable(std::span(&root, 1))) {
    const auto value = graph->constant_value(node);
    if (!value || !std::isfinite(*value) || (graph->is_number(node) && is_whole(*value))) continue;
    numbers.emplace_back(node, rounded(*value, digits).in(*graph));
  }
  return {*graph, Substitution(*graph, numbers)(root)};
}

template <class T>
nb::object evalf(nb::handle self, int digits, nb::handle subs) {
  if (digits < 1 || digits > kMostDigits) {
    throw InputError(
        fmt::format("evalf: {} digits; allowed is 1 to {}, as doubles have; to_sympy().evalf({}) has more",
                    digits, kMostDigits, digits));
  }
  const nb::object of = subs.is_none() ? nb::borrow(self) : self.attr("subs")(subs);
  const Of<T>& value = nb::cast<const Of<T>&>(of);
  return nb::cast(
      owned(value.owner, mapped(value.value, [&](const Expression& e) { return to_decimals(e, digits); })));
}

template <class T>
nb::class_<Of<T>> add_numbers(nb::module_& module, const char* name) {
  auto type = nb::borrow<nb::class_<Of<T>>>(module.attr(name));
  for (const char* method : {"evalf", "n"}) {
    const std::string signature = fmt::format(
        "def {}(self, n: int = 15, subs: collections.abc.Mapping[Expression, Expression | float] | "
        "None = None) -> {}",
        method, name);
    type.def(method, evalf<T>, nb::arg("n") = kDigits, nb::arg("subs") = nb::none(),
             nb::sig(signature.c_str()),
             "Replaces parts without symbols, such as sqrt(2)*pi/3, by decimal numbers; integers stay. n: "
             "digits, 1 to 17.");
  }
  type.def(
      "doit", [](nb::handle self, const nb::kwargs&) { return nb::borrow(self); },
      nb::sig("def doit(self, **hints: object) -> typing.Self"),
      "Returns the object itself: derivatives are always carried out.");
  return type;
}

template <class T>
void add_applyfunc(nb::class_<Of<T>> type, const char* name) {
  const std::string signature = fmt::format(
      "def applyfunc(self, f: collections.abc.Callable[[Expression], Expression | float]) -> {}", name);
  type.def(
      "applyfunc",
      [](const Of<T>& self, nb::handle f) {
        Owner owner = self.owner;
        const auto call = [&](const Expression& e) {
          const nb::object result = f(nb::cast(owned(self.owner, e)));
          Scalar scalar;
          if (!to_scalar(result, scalar)) {
            throw InputError(fmt::format("applyfunc: the function returns {}; allowed is an expression",
                                         nb::cast<std::string>(nb::repr(result))));
          }
          join(owner, scalar.owner);
          return scalar.value;
        };
        auto result = mapped(self.value, call);
        return owned(owner, std::move(result));
      },
      nb::arg("f"), nb::sig(signature.c_str()), "Applies the function to every element.");
}

Dyadic substituted(const Dyadic& dyadic, Graph& graph, const symbolic::Replacements& replacements) {
  Replacer replace(graph, replacements);
  return mapped(dyadic, [&](const Expression& e) { return replace(e); });
}

void add_to_dyadic(nb::class_<Of<Dyadic>> type) {
  using D = Of<Dyadic>;
  type.def(
          "subs",
          [](const D& a, nb::handle old, nb::handle by) {
            Owner owner = a.owner;
            nb::dict pair;
            if (!by.is_none()) pair[old] = by;
            const symbolic::Replacements replacements =
                to_replacements(by.is_none() ? old : nb::handle(pair), owner);
            if (!owner) return a;
            return owned(owner, substituted(a.value, owner->graph(), replacements));
          },
          nb::arg("old"), nb::arg("new") = nb::none(),
          nb::sig("def subs(self, old: collections.abc.Mapping[Expression, Expression | float] | "
                  "collections.abc.Sequence[tuple[Expression, Expression | float]] | Expression, "
                  "new: Expression | float | None = None) -> Dyadic"),
          "Replaces expressions by others, all at once.")
      .def(
          "simplify",
          [](const D& a) {
            return owned(a.owner, mapped(a.value, [&](const Expression& e) {
                           return symbolic::simplify(mechanics_of(a.owner), e);
                         }));
          },
          "With simplified measure numbers.");
}

}  // namespace

void bind_numbers(nb::module_& module) {
  add_numbers<Expression>(module, "Expression");
  add_applyfunc(add_numbers<Matrix>(module, "Matrix"), "Matrix");
  add_applyfunc(add_numbers<Vector>(module, "Vector"), "Vector");
  const auto dyadic = add_numbers<Dyadic>(module, "Dyadic");
  add_applyfunc(dyadic, "Dyadic");
  add_to_dyadic(dyadic);
}

}  // namespace sestina::python
