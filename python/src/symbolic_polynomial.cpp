// Functions that rewrite an expression: expand, collect, factor.
#include <nanobind/stl/pair.h>

#include "sestina/base/error.h"
#include "sestina/symbolic/polynomial.h"
#include "symbolic.h"

namespace sestina::python {

namespace {

// Adds the three functions to Expression, or to Matrix, where they apply to the elements.
template <class T>
void add_rewriting(nb::module_& module, const char* name, const char* result) {
  using O = Of<T>;
  auto type = nb::borrow<nb::class_<O>>(module.attr(name));
  type.def(
          "expand",
          [](const O& self) {
            return owned(self.owner, symbolic::expand(mechanics_of(self.owner), self.value));
          },
          "Multiplies out products and positive integer powers of sums, also inside functions and "
          "denominators.\n"
          "\n"
          "InputError if there would be more than 20 000 terms.")
      .def(
          "factor",
          [](const O& self) {
            return owned(self.owner, symbolic::factor(mechanics_of(self.owner), self.value));
          },
          "Takes common factors out of every sum, and writes a sum as a product of sums if taking "
          "common\n"
          "factors out of groups of its terms gives one.")
      .def(
          "collect",
          [](const O& self, nb::handle of) {
            std::vector<Scalar> all(1);
            if (!to_scalar(of, all.front()) && !nb::try_cast(of, all)) {
              throw InputError("of: allowed are an expression and a sequence of them");
            }
            const Owner owner = common_of(all, self.owner);
            return owned(owner,
                         symbolic::collect(mechanics_of(owner), self.value, values_of<Expression>(all)));
          },
          nb::arg("of"),
          nb::sig(
              (std::string("def collect(self, of: Expression | collections.abc.Sequence[Expression]) -> ") +
               result)
                  .c_str()),
          "Writes it as a polynomial in `of`, by increasing powers: d + (a + b)*x + c*x^2. With several "
          "expressions\n"
          "the coefficients are collected by the next. Only parts that contain them are expanded; "
          "InputError beyond\n"
          "20 000 terms.");
}

}  // namespace

void bind_polynomials(nb::module_& module) {
  add_rewriting<Expression>(module, "Expression", "Expression");
  add_rewriting<symbolic::Matrix>(module, "Matrix", "Matrix");
  module.def(
      "coefficients_of",
      [](const Scalar& expression, const Scalar& of) {
        const Owner owner = common(expression, of);
        std::vector<std::pair<int, Of<Expression>>> terms;
        for (const auto& [exponent, coefficient] :
             symbolic::coefficients_of(mechanics_of(owner), expression.value, of.value)) {
          terms.emplace_back(exponent, owned(owner, coefficient));
        }
        return terms;
      },
      nb::arg("expression"), nb::arg("of"),
      nb::sig("def coefficients_of(expression: Expression | float, of: Expression) -> list[tuple[int, "
              "Expression]]"),
      "As a polynomial in `of`: pairs of an exponent and its coefficient, by rising exponents.\n\n"
      "None of the coefficients is zero for all values of its symbols. One may hold `of` below a function or "
      "a sum's\n"
      "inverse, where the expression is not a polynomial. InputError beyond 20 000 terms.");
}

}  // namespace sestina::python
