// Equilibria, steady motions and eigenvalues.
#include <fmt/format.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <tuple>

#include "sestina/base/error.h"
#include "sestina/expression/print.h"
#include "sestina/symbolic/eigenvalues.h"
#include "sestina/symbolic/steady_motion.h"
#include "symbolic.h"

namespace sestina::python {

using Motion = Of<symbolic::MotionEquations>;
using M = Of<symbolic::Matrix>;
using E = Of<Expression>;

namespace {

std::vector<Expression> distinct(const char* what, const std::vector<Scalar>& symbols) {
  check_symbols(what, symbols);
  std::vector<Expression> all;
  for (const Scalar& symbol : symbols) {
    if (std::find(all.begin(), all.end(), symbol.value) != all.end()) {
      throw InputError(fmt::format("{}: {} occurs twice", what, to_text(symbol.value)));
    }
    all.push_back(symbol.value);
  }
  return all;
}

nb::tuple to_tuple(const Owner& owner, const symbolic::SteadyMotion& motion) {
  nb::dict values;
  for (const auto& [symbol, value] : motion.values) values[nb::cast(owned(owner, symbol))] = value;
  return nb::make_tuple(values, motion.multipliers, motion.steps, motion.residual, motion.is_isolated);
}

nb::tuple find_equilibrium(const Motion& motion, nb::handle parameters, nb::handle guess) {
  Owner owner = motion.owner;
  const auto numbers = to_values("parameters", parameters, owner), from = to_values("guess", guess, owner);
  return to_tuple(owner, symbolic::find_equilibrium(motion.value, numbers, from));
}

nb::tuple find_steady_motion(const Motion& motion, nb::handle parameters, nb::handle values,
                             const std::vector<Scalar>& unknowns, const std::vector<Scalar>& unsteady) {
  Owner owner = common_of(unsteady, common_of(unknowns, motion.owner));
  const auto numbers = to_values("parameters", parameters, owner);
  return to_tuple(owner, symbolic::find_steady_motion(motion.value, numbers,
                                                      {.values = to_values("values", values, owner),
                                                       .unknowns = distinct("unknowns", unknowns),
                                                       .unsteady = distinct("unsteady", unsteady)}));
}

std::vector<std::complex<double>> eigenvalues(const M& A, nb::handle parameters) {
  Owner owner = A.owner;
  const auto numbers = to_values("parameters", parameters, owner);
  return symbolic::calc_eigenvalues(mechanics_of(owner), A.value, numbers);
}

nb::tuple eigenvalue_branches(const M& A, const E& parameter, const std::vector<double>& values,
                              nb::handle parameters) {
  Owner owner = common(A, parameter);
  const auto numbers = to_values("parameters", parameters, owner);
  const symbolic::EigenvalueBranches found =
      symbolic::calc_eigenvalue_branches(mechanics_of(owner), A.value, parameter.value, values, numbers);
  std::vector<std::tuple<double, std::complex<double>, bool>> changes;
  for (const auto& change : found.changes) {
    changes.emplace_back(change.value, change.eigenvalue, change.is_stabilised);
  }
  return nb::make_tuple(found.values, found.branches, changes);
}

}  // namespace

void bind_steady_motion(nb::module_& module) {
  constexpr const char* kSteady = "tuple[dict[Expression, float], list[float], int, float, bool]";
  module.def(
      "_find_equilibrium", find_equilibrium, nb::arg("motion"), nb::arg("parameters").none(),
      nb::arg("guess").none(),
      nb::sig(fmt::format("def _find_equilibrium(motion: _Motion, parameters: object, guess: object) -> {}",
                          kSteady)
                  .c_str()));
  module.def(
      "_find_steady_motion", find_steady_motion, nb::arg("motion"), nb::arg("parameters").none(),
      nb::arg("values").none(), nb::arg("unknowns"), nb::arg("unsteady"),
      nb::sig(fmt::format("def _find_steady_motion(motion: _Motion, parameters: object, values: object, "
                          "unknowns: collections.abc.Sequence[Expression], unsteady: "
                          "collections.abc.Sequence[Expression]) -> {}",
                          kSteady)
                  .c_str()));
  module.def("_calc_eigenvalues", eigenvalues, nb::arg("A"), nb::arg("parameters").none(),
             nb::sig("def _calc_eigenvalues(A: Matrix, parameters: object) -> list[complex]"));
  module.def("_calc_eigenvalue_branches", eigenvalue_branches, nb::arg("A"), nb::arg("parameter"),
             nb::arg("values"), nb::arg("parameters").none(),
             nb::sig("def _calc_eigenvalue_branches(A: Matrix, parameter: Expression, values: "
                     "collections.abc.Sequence[float], parameters: object) -> tuple[list[float], "
                     "list[list[complex]], list[tuple[float, complex, bool]]]"));
}

}  // namespace sestina::python
