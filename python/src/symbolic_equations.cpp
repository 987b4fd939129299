// The equations of motion of a model, and functions compiled from expressions.
#include <fmt/format.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "arrays.h"
#include "fixed.h"
#include "frozen_model.h"
#include "sestina/base/error.h"
#include "sestina/derivation/equation_text.h"
#include "sestina/derivation/model_equations.h"
#include "sestina/dynamics/assembly.h"
#include "sestina/expression/compiled_function.h"
#include "sestina/expression/parse.h"
#include "sestina/expression/source_code.h"
#include "sestina/model/properties.h"
#include "symbolic.h"
#include "views.h"

namespace sestina::python {

using symbolic::Matrix;
using M = Of<Matrix>;
using E = Of<Expression>;

namespace {

// The equations of a model, and their derivation.
struct Equations {
  Equations(std::shared_ptr<const Model> frozen, DerivationMethod method)
      : model(std::move(frozen)), equations(std::make_shared<ModelEquations>(*model, method)) {}

  Owner owner() const { return {equations, &equations->mechanics()}; }
  M matrix(const Matrix& value) const { return {owner(), value}; }
  M column(const std::vector<Expression>& values) const { return {owner(), Matrix(values)}; }
  std::string name() const { return model->name().empty() ? "model" : model->name(); }

  std::shared_ptr<const Model> model;
  std::shared_ptr<ModelEquations> equations;
};

EquationFormat format_of(const std::string& name) {
  static const std::map<std::string, EquationFormat> kFormats = {
      {"text", EquationFormat::kText}, {"latex", EquationFormat::kLatex}, {"python", EquationFormat::kPython},
      {"c", EquationFormat::kC},       {"cpp", EquationFormat::kCpp},     {"json", EquationFormat::kJson}};
  const auto found = kFormats.find(name);
  if (found == kFormats.end()) {
    throw InputError(fmt::format("format: '{}'; allowed are text, latex, python, c, cpp and json", name));
  }
  return found->second;
}

std::string write(const Equations& self, const std::string& format, bool simplify, bool document,
                  double width, bool is_embedded) {
  std::optional<EmbeddedEquations> embedded;
  if (is_embedded) {
    const Properties<double> properties = calc_properties(*self.model);
    embedded = self.equations->embed(calc_assembled_state(*self.model, properties), properties.parameters);
  }
  return write_equations(*self.model, *self.equations, self.name(), format_of(format), simplify,
                         {document, width}, embedded ? &*embedded : nullptr);
}

DerivationMethod method_of(const std::string& name) {
  if (name == "kane") return DerivationMethod::kKane;
  if (name == "lagrange") return DerivationMethod::kLagrange;
  throw InputError(fmt::format("method: '{}'; allowed are kane and lagrange", name));
}

// Equations linearised about a state.
struct Linearized {
  Equations of;
  std::shared_ptr<ModelLinearization> linearization;
};

nb::object values_of_symbols(const Linearized& self) {
  nb::dict values;
  for (const auto& [symbol, value] : self.linearization->values) {
    values[nb::cast(owned(self.of.owner(), symbol))] = value;
  }
  return nb::steal(PyDictProxy_New(values.ptr()));
}

void bind_linearization(nb::module_& module) {
  nb::class_<Linearized> type(
      module, "ModelLinearization", nb::type_slots(plain_described_slots),
      "Equations of motion linearised about a state: d/dt x = A x + B r, with x the variations of q and "
      "u and r further\n"
      "generalised forces along the speeds; parameters stay symbols. The largest Euler\n"
      "parameter of a joint is left out of x.");
  const char* hint = "System.linearize() linearises about another state";
  def_fixed_tuple<Linearized>(
      type, "q", "float", hint, [](const Linearized& self) { return self.linearization->state.q; },
      "Coordinates of the state (nq).");
  def_fixed_tuple<Linearized>(
      type, "u", "float", hint, [](const Linearized& self) { return self.linearization->state.u; },
      "Speeds of the state (nu).");
  def_fixed_tuple<Linearized>(
      type, "eigenvalues", "complex", hint,
      [](const Linearized& self) { return self.linearization->eigenvalues; },
      "Eigenvalues of A at `values`, 1/s.");
  type.def_prop_ro(
          "A", [](const Linearized& self) { return self.of.matrix(self.linearization->linear.A); },
          "(nx, nx)")
      .def_prop_ro(
          "B", [](const Linearized& self) { return self.of.matrix(self.linearization->linear.B); },
          "(nx, nr)")
      .def_prop_ro(
          "states", [](const Linearized& self) { return self.of.column(self.linearization->linear.states); },
          "The coordinates and speeds of x (nx, 1).")
      .def_prop_ro(
          "inputs", [](const Linearized& self) { return self.of.column(self.linearization->linear.inputs); },
          "The generalised forces of r (nr, 1).")
      .def_prop_ro(
          "values", values_of_symbols,
          nb::sig("def values(self) -> collections.abc.Mapping[Expression, float]"),
          "The values of all parameters, and of coordinates of the equilibrium that appear in A or B. "
          "The latter depend\n"
          "on the parameters.")
      .def_prop_ro(
          "largest_acceleration",
          [](const Linearized& self) { return self.linearization->largest_acceleration; },
          "|udot| at the state; for an equilibrium zero to round-off.")
      .def(
          "to_text",
          [](const Linearized& self, const std::string& format, bool simplify, bool document, double width) {
            return write_linearization(*self.of.model, *self.of.equations, *self.linearization,
                                       self.of.name(), format_of(format), simplify, {document, width});
          },
          nb::arg("format") = "text", nb::kw_only(), nb::arg("simplify") = false, nb::arg("document") = false,
          nb::arg("width") = 0.0,
          "Writes the equations like `sestina derive --linearize`: text, latex, python, c, cpp or json. "
          "document,\n"
          "width: see Equations.to_text.")
      .def("__repr__", [](const Linearized& self) {
        return fmt::format("<sestina.ModelLinearization of {} with {} states>", self.of.name(),
                           self.linearization->linear.states.size());
      });
}

nb::class_<Equations> bind_matrices(nb::module_& module) {
  nb::class_<Equations> equations(
      module, "Equations", nb::type_slots(plain_described_slots),
      "The symbolic equations of motion of a model: M udot = f, qdot = N(q) u.\n"
      "\n"
      "Coordinate hip.q is the function of time q_hip, component base.q[3] is q_base3, speeds u in "
      "the same way; every\n"
      "parameter is a symbol of its name.");
  equations
      .def_prop_ro(
          "q", [](const Equations& self) { return self.column(self.equations->q()); }, "(nq, 1)")
      .def_prop_ro(
          "u", [](const Equations& self) { return self.column(self.equations->u()); }, "(nu, 1)")
      .def_prop_ro(
          "parameters", [](const Equations& self) { return self.column(self.equations->parameters()); },
          "The symbols of the parameters, in the order of Model.parameters.")
      .def_prop_ro(
          "t", [](const Equations& self) { return owned(self.owner(), self.equations->mechanics().time()); },
          "The time.")
      .def_prop_ro(
          "mass_matrix", [](const Equations& self) { return self.matrix(self.equations->mass_matrix()); },
          "M (nu, nu)")
      .def_prop_ro(
          "forcing", [](const Equations& self) { return self.matrix(self.equations->forcing()); },
          "f (nu, 1)")
      .def_prop_ro(
          "active_forces", [](const Equations& self) { return self.matrix(self.equations->active_forces()); },
          "The generalised active forces (nu, 1), of gravity and all force elements.")
      .def_prop_ro(
          "coordinate_rates",
          [](const Equations& self) { return self.matrix(self.equations->coordinate_rates()); },
          "qdot (nq, 1) as functions of q and u.")
      .def_prop_ro(
          "multipliers", [](const Equations& self) { return self.column(self.equations->multipliers()); },
          "Multipliers, one for each condition of loops and constraints: M udot = f + C^T lambda, C udot "
          "= -b.")
      .def_prop_ro(
          "condition_matrix",
          [](const Equations& self) { return self.matrix(self.equations->condition_matrix()); },
          "The matrix C (conditions, nu) of the conditions.")
      .def_prop_ro(
          "condition_bias",
          [](const Equations& self) { return self.matrix(self.equations->condition_bias()); },
          "b (conditions, 1).");
  return equations;
}

void bind_model_equations(nb::module_& module) {
  bind_linearization(module);
  bind_matrices(module)
      .def(
          "solve_accelerations",
          [](const Equations& self) { return self.matrix(self.equations->solve_accelerations()); },
          "udot (nu, 1), solved for.")
      .def("to_text", write, nb::arg("format") = "text", nb::kw_only(), nb::arg("simplify") = false,
           nb::arg("document") = false, nb::arg("width") = 0.0, nb::arg("embedded") = false,
           "Writes the equations like `sestina derive`: text, latex, python, c, cpp or json. simplify: "
           "by angle sum\n"
           "identities, in text and LaTeX. LaTeX is for a document that uses amsmath, with lines of 345 "
           "points; with\n"
           "document=True it is a whole document, with lines of 430. width (points) sets the length of "
           "lines. embedded:\n"
           "with closed loops or constraints, the equations of the independent speeds alone, chosen at "
           "the initial state.")
      .def(
          "linearize",
          [](const Equations& self, bool equilibrium) {
            const LinearizeAt at = equilibrium ? LinearizeAt::kEquilibrium : LinearizeAt::kInitialState;
            return Linearized{self, std::make_shared<ModelLinearization>(
                                        linearize_model(*self.model, *self.equations, at))};
          },
          nb::kw_only(), nb::arg("equilibrium") = false,
          "Linearises about the model's initial state, or about an equilibrium near it. Parameters stay "
          "symbols,\n"
          "as do coordinates of the equilibrium that depend on them. InputError if no equilibrium is "
          "found or the\n"
          "equations cannot be linearised at the state.")
      .def(
          "latex", [](const Equations& self) { return write(self, "latex", false, false, 0.0, false); },
          "to_text(\"latex\").")
      .def("_repr_latex_",
           [](const Equations& self) {
             const M matrix = self.matrix(self.equations->mass_matrix());
             const M forcing = self.matrix(self.equations->forcing());
             return fmt::format("$\\displaystyle {}\\,\\dot{{u}} = {}$",
                                nb::cast<std::string>(nb::cast(matrix).attr("latex")()),
                                nb::cast<std::string>(nb::cast(forcing).attr("latex")()));
           })
      .def("__repr__", [](const Equations& self) {
        return fmt::format("<sestina.Equations of {} with {} speeds>",
                           self.model->name().empty() ? "a model" : self.model->name(),
                           self.equations->u().size());
      });
  module.def(
      "_derive",
      [](const FrozenModel& model, const std::string& method) {
        return Equations(model.shared_model(), method_of(method));
      },
      nb::arg("model"), nb::arg("method"));
}

// Outputs of any shape, stored flat.
struct Outputs {
  std::vector<Scalar> all;
  Shape shape;
};

Outputs to_outputs(nb::handle given) {
  Outputs outputs;
  const auto* matrix = find_instance<M>(given);
  Scalar one;
  if (to_scalar(given, one)) {
    outputs.all.push_back(one);
  } else if (matrix != nullptr) {
    outputs.shape = {static_cast<std::ptrdiff_t>(matrix->value.rows()),
                     static_cast<std::ptrdiff_t>(matrix->value.columns())};
    for (const Expression& e : matrix->value.elements()) outputs.all.push_back(Scalar{{matrix->owner, e}});
  } else if (nb::try_cast(given, outputs.all)) {
    outputs.shape = {static_cast<std::ptrdiff_t>(outputs.all.size())};
  } else {
    throw InputError("outputs: allowed are an expression, a sequence of them and a matrix");
  }
  if (outputs.all.empty()) throw InputError("outputs: there are none");
  return outputs;
}

std::vector<Scalar> to_symbols(const char* what, nb::handle given) {
  std::vector<Scalar> symbols;
  const auto* matrix = find_instance<M>(given);
  if (matrix != nullptr) {
    for (const Expression& e : matrix->value.elements()) symbols.push_back(Scalar{{matrix->owner, e}});
  } else if (!nb::try_cast(given, symbols)) {
    throw InputError(fmt::format("{}: allowed are symbols", what));
  }
  check_symbols(what, symbols);
  return symbols;
}

std::vector<Expr> nodes(const std::vector<Scalar>& expressions, Graph& graph) {
  std::vector<Expr> all;
  for (const Scalar& e : expressions) all.push_back(e.value.in(graph));
  return all;
}

void check_distinct(const std::vector<Expr>& symbols, const Graph& graph) {
  std::vector<Expr> sorted = symbols;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) throw InputError(fmt::format("{} occurs twice", graph.name_of(*twice)));
}

class Compiled {
 public:
  Compiled(nb::handle outputs, nb::handle variables, nb::handle parameters) {
    Outputs given = to_outputs(outputs);
    const std::vector<Scalar> x = to_symbols("variables", variables),
                              p = to_symbols("parameters", parameters);
    const Owner owner = common_of(p, common_of(x, common_of(given.all)));
    Graph& graph = mechanics_of(owner).graph();
    std::vector<Expr> all = nodes(x, graph);
    const std::vector<Expr> constants = nodes(p, graph);
    all.insert(all.end(), constants.begin(), constants.end());
    check_distinct(all, graph);
    shape_ = given.shape;
    try {
      function_.emplace(graph, nodes(given.all, graph), nodes(x, graph), constants);
    } catch (const ExpressionError& error) {
      throw InputError(error.what());
    }
  }

  nb::object evaluate(nb::handle variables, nb::handle parameters, nb::handle out) const {
    StateArguments arguments;
    const int x = arguments.add("variables", variables, static_cast<int>(function_->variable_count()));
    const bool has_parameters = !parameters.is_none();
    if (!has_parameters && function_->parameter_count() > 0) {
      throw InputError(fmt::format("parameters: the function has {}", function_->parameter_count()));
    }
    const int p = has_parameters ? arguments.add("parameters", parameters,
                                                 static_cast<int>(function_->parameter_count()))
                                 : -1;
    const bool is_one_set = !has_parameters || arguments.share(p);
    arguments.broadcast();
    Results results("out", out, arguments, shape_);
    {
      nb::gil_scoped_release release;
      calc(arguments[x], p < 0 ? std::span<const double>() : arguments[p], is_one_set, arguments.count(),
           results.data());
    }
    return results.release();
  }

  const CompiledFunction& function() const { return *function_; }

 private:
  // Transposes rows to columns by squares in which each cache line is used completely.
  static void transpose(const double* in, std::size_t rows, std::size_t columns, double* out) {
    constexpr std::size_t kSide = 8;
    for (std::size_t r = 0; r < rows; r += kSide) {
      const std::size_t end_r = std::min(r + kSide, rows);
      for (std::size_t c = 0; c < columns; c += kSide) {
        const std::size_t end_c = std::min(c + kSide, columns);
        for (std::size_t j = c; j < end_c; ++j) {
          for (std::size_t i = r; i < end_r; ++i) out[j * rows + i] = in[i * columns + j];
        }
      }
    }
  }

  // The values of that part of the function which depends on parameters alone.
  struct BoundParameters {
    std::vector<double> values, bound;
  };
  // The last set is kept, for loops that call with the same set repeatedly. Values are compared by their
  // bits, since division by 0 and division by -0 differ.
  std::shared_ptr<const BoundParameters> bind(std::span<const double> values) const {
    const std::scoped_lock lock(last_->mutex);
    std::shared_ptr<const BoundParameters>& last = last_->parameters;
    const bool is_same =
        last && last->values.size() == values.size() &&
        (values.empty() || std::memcmp(last->values.data(), values.data(), values.size_bytes()) == 0);
    if (!is_same) {
      last = std::make_shared<const BoundParameters>(
          BoundParameters{{values.begin(), values.end()}, function_->bind(values)});
    }
    return last;
  }

  // Up to this number, states are computed one by one.
  static constexpr std::size_t kFewStates = 8;

  // Blocks of states, stored state by state, are transposed for evaluate_many and back.
  void calc(std::span<const double> x, std::span<const double> p, bool is_one_set, int count,
            double* out) const {
    const std::size_t nx = function_->variable_count(), np = function_->parameter_count(),
                      ny = function_->output_count();
    std::vector<double> scratch(function_->scratch_size());
    if (!is_one_set) {
      for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
        const std::vector<double> bound = function_->bind(p.subspan(k * np, np));
        function_->evaluate(bound, x.subspan(k * nx, nx), {out + k * ny, ny}, scratch);
      }
      return;
    }
    const std::shared_ptr<const BoundParameters> parameters = bind(p.first(std::min(p.size(), np)));
    const std::vector<double>& bound = parameters->bound;
    const auto states = static_cast<std::size_t>(count);
    if (states < kFewStates) {
      for (std::size_t k = 0; k < states; ++k) {
        function_->evaluate(bound, x.subspan(k * nx, nx), {out + k * ny, ny}, scratch);
      }
      return;
    }
    const std::size_t block = std::min(states, 2 * CompiledFunction::kBlock);
    std::vector<double> in(nx * block), results(ny * block);
    for (std::size_t begin = 0; begin < states; begin += block) {
      const std::size_t n = std::min(block, states - begin);
      transpose(x.data() + begin * nx, n, nx, in.data());
      function_->evaluate_many(bound, n, {in.data(), nx * n}, {results.data(), ny * n}, scratch);
      transpose(results.data(), ny, n, out + begin * ny);
    }
  }

  struct Last {
    std::mutex mutex;
    std::shared_ptr<const BoundParameters> parameters;
  };

  std::optional<CompiledFunction> function_;
  Shape shape_;
  std::unique_ptr<Last> last_ = std::make_unique<Last>();
};

std::string source(const std::string& name, nb::handle outputs, nb::handle inputs,
                   const std::string& language) {
  static const std::map<std::string, Language> kLanguages = {
      {"c", Language::kC}, {"cpp", Language::kCpp}, {"python", Language::kPython}};
  const auto found = kLanguages.find(language);
  if (found == kLanguages.end()) {
    throw InputError(fmt::format("language: '{}'; allowed are c, cpp and python", language));
  }
  const Outputs given = to_outputs(outputs);
  const std::vector<Scalar> symbols = to_symbols("inputs", inputs);
  const Owner owner = common_of(symbols, common_of(given.all));
  Graph& graph = mechanics_of(owner).graph();
  const std::vector<Expr> in = nodes(symbols, graph);
  check_distinct(in, graph);
  return to_source(graph, name, nodes(given.all, graph), in, found->second);
}

}  // namespace

void bind_equations(nb::module_& module) { bind_model_equations(module); }

void bind_compiled_function(nb::module_& module) {
  nb::class_<Compiled>(
      module, "CompiledFunction",
      "Expressions compiled for many values of their variables, and few sets of parameters.\n"
      "\n"
      "Parts that depend on parameters alone are computed once for each set. Many values are computed\n"
      "together in SIMD registers. The function does not keep the derivation alive.")
      .def(nb::init<nb::handle, nb::handle, nb::handle>(), nb::arg("outputs"), nb::arg("variables"),
           nb::arg("parameters") = nb::tuple(),
           nb::sig("def __init__(self, outputs: Expression | Matrix | collections.abc.Sequence[Expression | "
                   "float], "
                   "variables: Matrix | collections.abc.Sequence[Expression], parameters: Matrix | "
                   "collections.abc.Sequence[Expression] = ()) -> None"),
           "The outputs may depend on no other symbols than the variables and parameters, which must differ.")
      .def("__call__", &Compiled::evaluate, nb::arg("variables"), nb::arg("parameters") = nb::none(),
           nb::arg("out") = nb::none(),
           nb::sig("def __call__(self, variables: numpy.typing.ArrayLike, parameters: numpy.typing.ArrayLike "
                   "| None = "
                   "None, out: numpy.typing.NDArray[numpy.float64] | None = None) -> "
                   "numpy.typing.NDArray[numpy.float64]"),
           "The values: the shape of the outputs, after the leading axes of the arguments.\n\n"
           "variables (..., number of variables); parameters (..., number of parameters), fastest without "
           "leading\n"
           "axes. A division by zero gives inf or nan.")
      .def_prop_ro("variable_count", [](const Compiled& self) { return self.function().variable_count(); })
      .def_prop_ro("parameter_count", [](const Compiled& self) { return self.function().parameter_count(); })
      .def_prop_ro("output_count", [](const Compiled& self) { return self.function().output_count(); })
      .def_prop_ro(
          "instruction_count", [](const Compiled& self) { return self.function().instruction_count(); },
          "The number of instructions computed for each state.")
      .def_prop_ro(
          "hoisted_count", [](const Compiled& self) { return self.function().hoisted_count(); },
          "The number of instructions computed once for each set of parameters.");
  module.def(
      "to_source", source, nb::arg("name"), nb::arg("outputs"), nb::arg("inputs"), nb::arg("language") = "c",
      nb::sig("def to_source(name: str, outputs: Expression | Matrix | collections.abc.Sequence[Expression | "
              "float], inputs: Matrix | collections.abc.Sequence[Expression], language: str = 'c') -> str"),
      "The source code of a function that computes the outputs from the inputs, in c, cpp or python.");
}

}  // namespace sestina::python
