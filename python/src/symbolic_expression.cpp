// Mechanics and Expression: symbols, arithmetic, functions, derivatives.
#include "sestina/expression/expression.h"

#include <fmt/format.h>
#include <nanobind/operators.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>

#include "sestina/base/error.h"
#include "sestina/expression/evaluate.h"
#include "sestina/expression/parse.h"
#include "sestina/expression/print.h"
#include "sestina/symbolic/latex.h"
#include "sestina/symbolic/shared_parts.h"
#include "sestina/symbolic/simplify.h"
#include "symbolic.h"
#include "views.h"

namespace sestina::python {

using symbolic::Mechanics;
using SymbolicExpression = Of<Expression>;

namespace {

// The derivations that `with` has entered on this thread, the innermost last.
std::vector<Owner>& entered() {
  thread_local std::vector<Owner> stack;
  return stack;
}

constexpr std::size_t kLongestText = 1'000'000, kLongestRepr = 2'000;  // characters

Expr node_of(const Expression& e, Graph& graph) { return e.in(graph); }

std::string text_of(const Expression& e, std::size_t most) {
  if (e.graph()) return to_text(*e.graph(), node_of(e, *e.graph()), most);
  return to_text(e);
}

}  // namespace

const Owner& current_mechanics() {
  static const Owner shared = std::make_shared<Mechanics>();
  return entered().empty() ? shared : entered().back();
}

namespace {

void bind_mechanics(nb::module_& module) {
  nb::class_<Mechanics>(
      module, "Mechanics",
      "A derivation, to which symbols, frames and points belong.\n"
      "\n"
      "A default derivation exists from the start; everything created outside of a `with Mechanics():`\n"
      "belongs to it. Objects of two derivations cannot be combined. A derivation lives as long as\n"
      "any of its objects.")
      .def(nb::init<>())
      .def(
          "__enter__",
          [](const std::shared_ptr<Mechanics>& self) {
            entered().push_back(self);
            return self;
          },
          nb::sig("def __enter__(self) -> Mechanics"))
      .def(
          "__exit__",
          [](const std::shared_ptr<Mechanics>& self, const nb::args&) {
            auto& stack = entered();
            if (!stack.empty() && stack.back() == self) stack.pop_back();
          },
          nb::sig("def __exit__(self, *error: object) -> None"))
      .def_prop_ro(
          "size", [](const Mechanics& self) { return const_cast<Mechanics&>(self).graph().size(); },
          "The number of different expressions in it.");
  module.def(
      "_symbol",
      [](const std::string& name) {
        if (name.empty()) throw InputError("a symbol needs a name");
        const Owner& owner = current_mechanics();
        return owned(owner, owner->symbol(name));
      },
      nb::arg("name"));
  module.def(
      "_dynamicsymbol",
      [](const std::string& name, int order) {
        if (order < 0 || order > 100) {
          throw InputError(fmt::format("the order {} of a derivative; allowed is 0 to 100", order));
        }
        const Owner& owner = current_mechanics();
        return owned(owner, owner->dynamicsymbol(name, order));
      },
      nb::arg("name"), nb::arg("order"));
  module.def("_time", [] { return owned(current_mechanics(), current_mechanics()->time()); });
  module.def("_pi", [] {
    const Owner& owner = current_mechanics();
    return owned(owner, owner->wrap(owner->graph().pi()));
  });
  module.def(
      "_parse",
      [](const std::string& text) {
        const Owner& owner = current_mechanics();
        try {
          return owned(owner, owner->wrap(parse(owner->graph(), text, resolve_to_symbols(owner->graph()))));
        } catch (const ExpressionError& error) {
          throw InputError(fmt::format("{} (at character {})", error.what(), error.offset() + 1));
        }
      },
      nb::arg("text"));
}

template <class Function>
SymbolicExpression apply(const SymbolicExpression& a, const Scalar& b, Function function) {
  return owned(common(a, b), Expression(function(a.value, b.value)));
}

bool is_exact(const Expression& mere_number) {
  return mere_number.number().is_rational() && !mere_number.number().is_decimal();
}

Expression divided(const Expression& a, const Expression& b) {
  if (!a.graph() && b.is_zero()) {
    throw InputError(fmt::format("{}/0 divides by zero", text_of(a, kLongestRepr)));
  }
  return a / b;
}

// A power or function of numbers: for integers and fractions it stays unevaluated if the result is neither.
// `function` is reported in an error if there is no value.
template <class Function, class... Arguments>
SymbolicExpression apply_exactly(Function function, const Arguments&... arguments) {
  const Owner owner = common(arguments...);
  const Expression result = function(arguments.value...);
  if ((arguments.value.graph() || ...) || !(is_exact(arguments.value) && ...)) return owned(owner, result);
  const Owner& current = owner ? owner : current_mechanics();
  Graph& graph = current->graph();
  return owned(current, function(current->wrap(arguments.value.in(graph))...));
}

SymbolicExpression derivative(const SymbolicExpression& self, const Scalar& by) {
  const Owner owner = common(self, by);
  if (!owner) throw InputError(fmt::format("{} is not a symbol", text_of(by.value, kLongestRepr)));
  if (!is_symbol(by.value))
    throw InputError(fmt::format("{} is not a symbol", text_of(by.value, kLongestRepr)));
  if (by.value == owner->time()) return owned(owner, owner->rate(self.value));
  return owned(owner, diff(self.value, by.value));
}

SymbolicExpression diff_by_all(const SymbolicExpression& self, const nb::args& by) {
  if (by.empty()) {
    if (!self.owner) return owned(self.owner, Expression(0));
    return owned(self.owner, self.owner->rate(self.value));
  }
  SymbolicExpression result = self;
  for (std::size_t i = 0; i < by.size(); ++i) {
    Scalar symbol;
    if (!to_scalar(by[i], symbol)) {
      throw InputError(fmt::format("{} is not a symbol", nb::cast<std::string>(nb::repr(by[i]))));
    }
    int times = 1;
    if (i + 1 < by.size() && PyLong_Check(by[i + 1].ptr())) {
      if (!nb::try_cast(by[++i], times) || times < 0 || times > 100) {
        throw InputError("a derivative of that order; allowed is 0 to 100");
      }
    }
    for (int k = 0; k < times; ++k) result = derivative(result, symbol);
  }
  return result;
}

SymbolicExpression substitute(const SymbolicExpression& self, nb::handle from, nb::handle to) {
  Owner owner = self.owner;
  nb::dict pair;
  if (!to.is_none()) pair[from] = to;
  const symbolic::Replacements replacements = to_replacements(to.is_none() ? from : nb::handle(pair), owner);
  if (!owner || !self.value.graph()) return self;
  return owned(owner, Replacer(owner->graph(), replacements)(self.value));
}

nb::set symbols_of(const SymbolicExpression& self, bool of_time) {
  nb::set found;
  if (!self.value.graph()) return found;
  Graph& graph = self.owner->graph();
  for (const Expr symbol : graph.free_symbols(self.value.in(graph))) {
    if (!of_time || self.owner->variables().is_variable(symbol)) {
      found.add(nb::cast(owned(self.owner, self.owner->wrap(symbol))));
    }
  }
  return found;
}

double value_of(const SymbolicExpression& self, nb::handle given) {
  Owner owner = self.owner;
  const symbolic::ParameterValues values = to_values("values", given, owner);
  if (!self.value.graph()) return self.value.number().value();
  Graph& graph = self.owner->graph();
  std::vector<Binding> bindings;
  for (const auto& [symbol, value] : values) bindings.emplace_back(symbol.in(graph), value);
  for (const Expr symbol : graph.free_symbols(self.value.in(graph))) {
    const auto is_it = [&](const Binding& binding) { return binding.first == symbol; };
    if (std::none_of(bindings.begin(), bindings.end(), is_it)) {
      throw InputError(fmt::format("there is no value for {}", graph.name_of(symbol)));
    }
  }
  return evaluate(graph, self.value.in(graph), bindings);
}

std::optional<double> constant_of(const SymbolicExpression& self) {
  if (!self.value.graph()) return self.value.number().value();
  return self.value.graph()->constant_value(self.value.in(*self.value.graph()));
}

// Describes one node, so that it can be rebuilt elsewhere: its kind, its data, and the indices of its
// operands.
nb::tuple describe_node(Mechanics& mechanics, Expr node, const nb::list& operands) {
  const Graph& graph = mechanics.graph();
  const Op op = graph.op(node);
  switch (op) {
    case Op::kNumber: {
      const Coefficient& number = graph.number_of(node);
      if (number.is_exact()) {
        return nb::make_tuple("number", nb::make_tuple(number.numerator(), number.denominator()), operands);
      }
      if (const Coefficient::Fraction* fraction = number.long_fraction()) {
        const nb::int_ below(nb::str(fraction->denominator.magnitude_text().c_str()));
        const nb::object above = nb::int_(nb::str(fraction->numerator.magnitude_text().c_str()));
        return nb::make_tuple("number", nb::make_tuple(number.is_negative() ? -above : above, below),
                              operands);
      }
      return nb::make_tuple("number", number.value(), operands);
    }
    case Op::kPi:
      return nb::make_tuple("pi", nb::none(), operands);
    case Op::kSymbol: {
      const TimeVariables& variables = mechanics.variables();
      if (!variables.is_variable(node)) return nb::make_tuple("symbol", graph.name_of(node), operands);
      return nb::make_tuple(
          "variable", nb::make_tuple(graph.name_of(variables.base(node)), variables.order(node)), operands);
    }
    case Op::kSum:
      return nb::make_tuple("sum", nb::none(), operands);
    case Op::kProduct:
      return nb::make_tuple("product", nb::none(), operands);
    case Op::kPower:
      return nb::make_tuple("power", nb::none(), operands);
    case Op::kIfLess:
      return nb::make_tuple("if_less", nb::none(), operands);
    case Op::kIfLessEqual:
      return nb::make_tuple("if_less_equal", nb::none(), operands);
    case Op::kTable:
      return nb::make_tuple("table", nb::make_tuple(graph.table_name_of(node), graph.table_order_of(node)),
                            operands);
    default:
      return nb::make_tuple("function", std::string(function_name(op)), operands);
  }
}

nb::list nodes_of(const SymbolicExpression& self) {
  Mechanics& mechanics = mechanics_of(self.owner);
  const Expr root = self.value.in(mechanics.graph());
  const std::vector<Expr> nodes = mechanics.graph().reachable(std::span(&root, 1));
  std::unordered_map<std::uint32_t, std::size_t> places;
  nb::list all;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    places[nodes[i].id] = i;
    nb::list operands;
    for (const Expr operand : mechanics.graph().operands(nodes[i])) operands.append(places.at(operand.id));
    all.append(describe_node(mechanics, nodes[i], operands));
  }
  return all;
}

void bind_arithmetic(nb::class_<SymbolicExpression>& type) {
  using E = SymbolicExpression;
  type.def(
          "__add__", [](const E& a, const Scalar& b) { return apply(a, b, std::plus<>()); },
          nb::is_operator())
      .def(
          "__radd__", [](const E& a, const Scalar& b) { return apply(a, b, std::plus<>()); },
          nb::is_operator())
      .def(
          "__sub__", [](const E& a, const Scalar& b) { return apply(a, b, std::minus<>()); },
          nb::is_operator())
      .def(
          "__rsub__",
          [](const E& a, const Scalar& b) {
            return apply(a, b, [](const Expression& x, const Expression& y) { return y - x; });
          },
          nb::is_operator())
      .def(
          "__mul__", [](const E& a, const Scalar& b) { return apply(a, b, std::multiplies<>()); },
          nb::is_operator())
      .def(
          "__rmul__", [](const E& a, const Scalar& b) { return apply(a, b, std::multiplies<>()); },
          nb::is_operator())
      .def(
          "__truediv__", [](const E& a, const Scalar& b) { return apply(a, b, divided); }, nb::is_operator())
      .def(
          "__rtruediv__",
          [](const E& a, const Scalar& b) {
            return apply(a, b, [](const Expression& x, const Expression& y) { return divided(y, x); });
          },
          nb::is_operator())
      .def(
          "__pow__",
          [](const E& a, const Scalar& b) {
            return apply_exactly([](const Expression& x, const Expression& y) { return pow(x, y); }, a, b);
          },
          nb::is_operator())
      .def(
          "__rpow__",
          [](const E& a, const Scalar& b) {
            return apply_exactly([](const Expression& x, const Expression& y) { return pow(y, x); }, a, b);
          },
          nb::is_operator());
}

void bind_value(nb::class_<SymbolicExpression>& type) {
  using E = SymbolicExpression;
  for (const char* relation : {"<", "<=", ">", ">="}) {
    const bool is_less = relation[0] == '<', is_strict = relation[1] == '\0';
    const char* name = is_less ? (is_strict ? "__lt__" : "__le__") : (is_strict ? "__gt__" : "__ge__");
    type.def(
        name,
        [relation](nb::handle a, const Scalar& b) {
          const nb::object other = nb::cast(SymbolicExpression{b.owner, b.value});
          return nb::module_::import_("sestina.symbolic_names").attr("Relation")(a, relation, other);
        },
        nb::is_operator(),
        nb::sig(fmt::format("def {}(self, other: Expression | float, /) -> typing.Any", name).c_str()));
  }
  type.def("__neg__", [](const E& a) { return owned(a.owner, -a.value); })
      .def("__pos__", [](const E& a) { return a; })
      .def("__abs__", [](const E& a) { return owned(a.owner, abs(a.value)); })
      .def(
          "__eq__",
          [](const E& a, nb::handle other) {
            Scalar b;
            if (!to_scalar(other, b) || (a.owner && b.owner && a.owner != b.owner)) return false;
            return a.value == b.value;
          },
          nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__",
           [](const E& a) {
             const auto number = constant_of(a);
             if (number) return nb::hash(nb::float_(*number));
             return static_cast<Py_hash_t>(
                 std::hash<const void*>()(a.value.graph()) ^
                 (std::size_t{a.value.in(*a.value.graph()).id} * 0x9e3779b97f4a7c15u >> 1));
           })
      .def("__bool__", [](const E& a) { return !a.value.is_zero(); })
      .def("__float__", [](const E& a) {
        const auto number = constant_of(a);
        if (number) return *number;
        throw nb::type_error(fmt::format("{} depends on symbols; evaluate() takes their values",
                                         text_of(a.value, kLongestRepr))
                                 .c_str());
      });
}

std::optional<bool> equals(const SymbolicExpression& a, const Scalar& b) {
  const Owner owner = common(a, b);
  if (!owner) return a.value == b.value;
  Graph& graph = owner->graph();
  const Identity found = owner->identities().compare(a.value.in(graph), b.value.in(graph));
  return found == Identity::kUnknown ? std::nullopt : std::optional(found == Identity::kHolds);
}

// Names that SymPy has, too.
void bind_names_of_sympy(nb::class_<SymbolicExpression>& type) {
  using E = SymbolicExpression;
  type.def("xreplace", substitute, nb::arg("rule"), nb::arg("new") = nb::none(),
           nb::sig("def xreplace(self, rule: collections.abc.Mapping[Expression, Expression | float]) -> "
                   "Expression"),
           "The same as subs with a mapping.")
      .def_prop_ro(
          "is_zero",
          [](const E& a) {
            return equals(a, Scalar{{nullptr, Expression(0)}});
          },
          nb::sig("def is_zero(self) -> bool | None"), "equals(0).");
}

void bind_analysis_of(nb::class_<SymbolicExpression>& type) {
  using E = SymbolicExpression;
  type.def("diff", diff_by_all, nb::sig("def diff(self, *symbols: Expression | int) -> Expression"),
           "The derivative with respect to symbols, one after the other; a number after a symbol is the "
           "order. With\n"
           "respect to the time, or without arguments, the total rate, including functions of time.")
      .def("subs", substitute, nb::arg("old"), nb::arg("new") = nb::none(),
           nb::sig("def subs(self, old: collections.abc.Mapping[Expression, Expression | float] | "
                   "collections.abc.Sequence[tuple[Expression, Expression | float]] | Expression, "
                   "new: Expression | float | None = None) -> Expression"),
           "Replaces expressions by others, all at once: subs({q: 0, u: v}), subs([(q, 0), (u, v)]) or\n"
           "subs(q, 0). Rates of replaced functions stay, as with msubs: replace q.diff() as well.")
      .def(
          "simplify", [](const E& a) { return owned(a.owner, simplify(mechanics_of(a.owner), a.value)); },
          "Simplifies by the angle sum identities and sin^2 + cos^2 = 1; the result is checked.")
      .def("equals", equals, nb::arg("other"),
           "Whether both are the same function of their symbols, however they are written (== compares "
           "how they\n"
           "are written). None if unknown: no value distinguishes them but there is no proof, as for "
           "cos(pi/5) and\n"
           "(1 + sqrt(5))/4; or only one is defined everywhere, as for log(x^2) and 2*log(x).")
      .def("evaluate", value_of, nb::arg("values") = nb::dict(),
           nb::sig("def evaluate(self, values: collections.abc.Mapping[Expression, float] = {}) -> float"),
           "The value, given numbers for all symbols. For many values use CompiledFunction.")
      .def_prop_ro(
          "free_symbols", [](const E& a) { return symbols_of(a, false); },
          nb::sig("def free_symbols(self) -> set[Expression]"),
          "All symbols in it, including functions of time.")
      .def_prop_ro(
          "dynamicsymbols", [](const E& a) { return symbols_of(a, true); },
          nb::sig("def dynamicsymbols(self) -> set[Expression]"),
          "The functions of time in it, and their derivatives.")
      .def_prop_ro("is_symbol", [](const E& a) { return is_symbol(a.value); })
      .def_prop_ro("is_number", [](const E& a) { return constant_of(a).has_value(); })
      .def(
          "count_ops",
          [](const E& a) {
            return symbolic::written_size(mechanics_of(a.owner), {symbolic::Matrix(std::vector{a.value})});
          },
          "The number of operations of the written-out expression (a float, since it may be large).")
      .def(
          "latex", [](const E& a) { return latex(mechanics_of(a.owner), a.value); },
          "LaTeX of the expression, for mathematics mode.")
      .def("_repr_latex_",
           [](const E& a) { return "$\\displaystyle " + latex(mechanics_of(a.owner), a.value) + "$"; })
      .def(
          "to_sympy",
          [](const E& a) {
            return nb::module_::import_("sestina.sympy_bridge").attr("to_sympy")(nodes_of(a));
          },
          nb::sig("def to_sympy(self) -> typing.Any"),
          "The same expression of sympy, which must be installed: symbols, and functions of the symbol t.")
      .def("_nodes", nodes_of, nb::sig("def _nodes(self) -> list[tuple[str, typing.Any, list[int]]]"))
      .def("__str__", [](const E& a) { return text_of(a.value, kLongestText); })
      .def("__repr__", [](const E& a) { return text_of(a.value, kLongestRepr); });
}

using Unary = Expression (*)(const Expression&);

void bind_functions(nb::module_& module) {
  struct Named {
    const char* name;
    Unary function;
    const char* doc;
  };
  const Named kUnary[] = {{"sqrt", sqrt, "The square root."},
                          {"sin", sin, "Of an angle in rad."},
                          {"cos", cos, "Of an angle in rad."},
                          {"tan", tan, "Of an angle in rad."},
                          {"asin", asin, "rad, -pi/2 to pi/2."},
                          {"acos", acos, "rad, 0 to pi."},
                          {"atan", atan, "rad, -pi/2 to pi/2."},
                          {"sinh", sinh, "The hyperbolic sine."},
                          {"cosh", cosh, "The hyperbolic cosine."},
                          {"tanh", tanh, "The hyperbolic tangent."},
                          {"exp", exp, "The exponential function."},
                          {"log", log, "The natural logarithm."},
                          {"Abs", abs, "The magnitude."},
                          {"sign", sign, "-1, 0 or 1."}};
  for (const Named& one : kUnary) {
    module.def(
        one.name, [function = one.function](const Scalar& a) { return apply_exactly(function, a); },
        nb::arg("x"), one.doc);
  }
  const auto def_binary = [&](const char* name, Expression (*function)(const Expression&, const Expression&),
                              const char* doc) {
    module.def(
        name, [function](const Scalar& a, const Scalar& b) { return apply_exactly(function, a, b); },
        nb::arg("a"), nb::arg("b"), doc);
  };
  def_binary("atan2", atan2, "The angle of the point (b, a), -pi to pi.");
  def_binary("Min", min, "The smaller of two expressions.");
  def_binary("Max", max, "The larger of two expressions.");
  module.def(
      "if_less",
      [](const Scalar& a, const Scalar& b, const Scalar& yes, const Scalar& no) {
        return owned(common(a, b, yes, no), if_less(a.value, b.value, yes.value, no.value));
      },
      nb::arg("a"), nb::arg("b"), nb::arg("yes"), nb::arg("no"), "a < b ? yes : no");
}

}  // namespace

void bind_expressions(nb::module_& module) {
  bind_mechanics(module);
  nb::class_<SymbolicExpression> type(
      module, "Expression", nb::type_slots(plain_described_slots),
      "A formula of symbols. Numbers are exact where they can be: 0.1 is 1/10.\n"
      "\n"
      "Python's operators work, with numbers on either side. Equal formulas are the same object of the\n"
      "derivation, so == costs nothing; nothing is expanded.");
  type.def(
      "__init__", [](SymbolicExpression* self, const Scalar& value) { new (self) SymbolicExpression(value); },
      nb::arg("value"));
  bind_arithmetic(type);
  bind_value(type);
  bind_analysis_of(type);
  bind_names_of_sympy(type);
  bind_functions(module);
}

namespace {

// For immutable types, and types that refer to an object of a derivation: a copy is the same object.
template <class T>
void add_copies(nb::module_& module, const char* name) {
  const auto same = [](nb::handle self) { return nb::borrow(self); };
  nb::borrow<nb::class_<Of<T>>>(module.attr(name))
      .def("__copy__", same, nb::sig("def __copy__(self) -> typing.Self"))
      .def(
          "__deepcopy__", [same](nb::handle self, nb::handle) { return same(self); }, nb::arg("memo"),
          nb::sig("def __deepcopy__(self, memo: typing.Any) -> typing.Self"));
}

}  // namespace

void bind_symbolic(nb::module_& module) {
  bind_expressions(module);
  bind_matrices(module);
  bind_vectors(module);
  bind_numbers(module);
  bind_frames(module);
  bind_symbolic_bodies(module);
  bind_methods(module);
  bind_equations(module);
  bind_compiled_function(module);
  bind_polynomials(module);
  bind_steady_motion(module);
  bind_symbolic_system(module);
  add_copies<Expression>(module, "Expression");
  add_copies<symbolic::Matrix>(module, "Matrix");
  add_copies<symbolic::Vector>(module, "Vector");
  add_copies<symbolic::Dyadic>(module, "Dyadic");
  add_copies<symbolic::ReferenceFrame>(module, "ReferenceFrame");
  add_copies<symbolic::Point>(module, "Point");
}

}  // namespace sestina::python
