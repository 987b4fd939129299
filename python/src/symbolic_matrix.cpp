// Matrix: elements, arithmetic, Jacobians and linear equations.
#include "sestina/symbolic/matrix.h"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>

#include <algorithm>

#include "arrays.h"
#include "sestina/base/error.h"
#include "sestina/symbolic/latex.h"
#include "sestina/symbolic/shared_parts.h"
#include "sestina/symbolic/simplify.h"
#include "symbolic.h"
#include "views.h"

namespace sestina::python {

using symbolic::Matrix;
using SymbolicMatrix = Of<Matrix>;

namespace {

std::string shape_of(const Matrix& matrix) {
  return fmt::format("({}, {})", matrix.rows(), matrix.columns());
}

std::vector<Scalar> to_row(nb::handle given) {
  std::vector<Scalar> row;
  if (!nb::try_cast(given, row)) {
    throw InputError(fmt::format("{} is not a row of expressions", nb::cast<std::string>(nb::repr(given))));
  }
  return row;
}

// [[a, b], [c, d]], or a column [a, b].
SymbolicMatrix to_matrix(nb::handle given) {
  if (const auto* matrix = find_instance<SymbolicMatrix>(given)) return *matrix;
  std::vector<Scalar> column;
  if (nb::try_cast(given, column)) return {common_of(column), Matrix(values_of<Expression>(column))};
  if (!PySequence_Check(given.ptr()))
    throw InputError("a matrix is a list of rows, or of the elements of a column");
  SymbolicMatrix result;
  const std::size_t rows = nb::len(given);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::vector<Scalar> row = to_row(given[i]);
    if (i == 0) result.value = Matrix(rows, row.size());
    if (row.size() != result.value.columns()) {
      throw InputError(fmt::format("row {} has {} elements; that before it has {}", i, row.size(),
                                   result.value.columns()));
    }
    result.owner = common_of(row, result.owner);
    for (std::size_t j = 0; j < row.size(); ++j) result.value(i, j) = row[j].value;
  }
  return result;
}

struct Range {
  std::size_t start = 0, count = 0;
  Py_ssize_t step = 1;
  bool is_single = false;
  std::size_t operator[](std::size_t i) const {
    return static_cast<std::size_t>(static_cast<Py_ssize_t>(start) + static_cast<Py_ssize_t>(i) * step);
  }
};

Range range_of(nb::handle index, std::size_t length, const char* what) {
  if (PySlice_Check(index.ptr())) {
    Py_ssize_t start = 0, stop = 0, step = 0;
    if (PySlice_Unpack(index.ptr(), &start, &stop, &step) < 0) nb::raise_python_error();
    const Py_ssize_t count = PySlice_AdjustIndices(static_cast<Py_ssize_t>(length), &start, &stop, step);
    return {static_cast<std::size_t>(std::max<Py_ssize_t>(start, 0)), static_cast<std::size_t>(count), step,
            false};
  }
  Py_ssize_t place = PyNumber_AsSsize_t(index.ptr(), PyExc_IndexError);
  if (place == -1 && PyErr_Occurred()) nb::raise_python_error();
  if (place < 0) place += static_cast<Py_ssize_t>(length);
  if (place < 0 || place >= static_cast<Py_ssize_t>(length)) {
    throw nb::index_error(
        fmt::format("{} {} of {}", what, nb::cast<std::string>(nb::repr(index)), length).c_str());
  }
  return {static_cast<std::size_t>(place), 1, 1, true};
}

nb::object get_item(const SymbolicMatrix& self, nb::handle index) {
  const Matrix& matrix = self.value;
  if (!PyTuple_Check(index.ptr())) {
    const Range range = range_of(index, matrix.elements().size(), "element");
    if (range.is_single) return nb::cast(owned(self.owner, matrix[range[0]]));
    nb::list elements;
    for (std::size_t i = 0; i < range.count; ++i)
      elements.append(nb::cast(owned(self.owner, matrix[range[i]])));
    return elements;
  }
  if (nb::len(index) != 2) throw nb::index_error("a matrix has a row and a column");
  const Range rows = range_of(index[0], matrix.rows(), "row"),
              columns = range_of(index[1], matrix.columns(), "column");
  if (rows.is_single && columns.is_single) return nb::cast(owned(self.owner, matrix(rows[0], columns[0])));
  Matrix part(rows.count, columns.count);
  for (std::size_t i = 0; i < rows.count; ++i) {
    for (std::size_t j = 0; j < columns.count; ++j) part(i, j) = matrix(rows[i], columns[j]);
  }
  return nb::cast(owned(self.owner, std::move(part)));
}

bool cuts(nb::handle index) {
  if (!PyTuple_Check(index.ptr())) return PySlice_Check(index.ptr());
  return std::any_of(nb::borrow<nb::tuple>(index).begin(), nb::borrow<nb::tuple>(index).end(),
                     [](nb::handle part) { return PySlice_Check(part.ptr()); });
}

nb::list to_list(const SymbolicMatrix& self) {
  nb::list rows;
  for (std::size_t i = 0; i < self.value.rows(); ++i) {
    nb::list row;
    for (std::size_t j = 0; j < self.value.columns(); ++j)
      row.append(nb::cast(owned(self.owner, self.value(i, j))));
    rows.append(row);
  }
  return rows;
}

// numpy calls this; without it a matrix would be the sequence of its elements.
nb::object to_numpy(const SymbolicMatrix& self, nb::handle dtype, nb::handle copy) {
  if (!copy.is_none() && !nb::cast<bool>(copy)) {
    throw nb::value_error("a matrix of expressions becomes an array only by a copy");
  }
  nb::object array = nb::module_::import_("numpy").attr("empty")(
      nb::make_tuple(self.value.rows(), self.value.columns()), nb::arg("dtype") = "object");
  for (std::size_t i = 0; i < self.value.rows(); ++i) {
    for (std::size_t j = 0; j < self.value.columns(); ++j) {
      array[nb::make_tuple(i, j)] = nb::cast(owned(self.owner, self.value(i, j)));
    }
  }
  return dtype.is_none() ? array : nb::object(array.attr("astype")(dtype));
}

template <class Function>
SymbolicMatrix map(const Owner& owner, const Matrix& matrix, Function function) {
  Matrix result = matrix;
  for (std::size_t i = 0; i < matrix.elements().size(); ++i) result[i] = function(matrix[i]);
  return {owner, std::move(result)};
}

void check_same_shape(const Matrix& a, const Matrix& b) {
  if (a.rows() != b.rows() || a.columns() != b.columns()) {
    throw InputError(fmt::format("matrices of the shapes {} and {} have no sum", shape_of(a), shape_of(b)));
  }
}

SymbolicMatrix product(const SymbolicMatrix& a, const SymbolicMatrix& b) {
  if (a.value.columns() != b.value.rows()) {
    throw InputError(fmt::format("matrices of the shapes {} and {} have no product", shape_of(a.value),
                                 shape_of(b.value)));
  }
  return {common(a, b), a.value * b.value};
}

SymbolicMatrix scaled(const SymbolicMatrix& a, const Scalar& b) {
  return map(common(a, b), a.value, [&](const Expression& e) { return e * b.value; });
}

void bind_matrix_arithmetic(nb::class_<SymbolicMatrix>& type) {
  using M = SymbolicMatrix;
  type.def(
          "__add__",
          [](const M& a, const M& b) {
            check_same_shape(a.value, b.value);
            return M{common(a, b), a.value + b.value};
          },
          nb::is_operator())
      .def(
          "__sub__",
          [](const M& a, const M& b) {
            check_same_shape(a.value, b.value);
            return M{common(a, b), a.value - b.value};
          },
          nb::is_operator())
      .def("__neg__",
           [](const M& a) {
             return M{a.owner, -a.value};
           })
      .def("__mul__", product, nb::is_operator())
      .def("__mul__", scaled, nb::is_operator())
      .def("__rmul__", scaled, nb::is_operator())
      .def("__matmul__", product, nb::is_operator())
      .def(
          "__truediv__",
          [](const M& a, const Scalar& b) {
            return map(common(a, b), a.value, [&](const Expression& e) { return e / b.value; });
          },
          nb::is_operator())
      .def(
          "__eq__",
          [](const M& a, nb::handle other) {
            const auto* b = find_instance<M>(other);
            if (b == nullptr || (a.owner && b->owner && a.owner != b->owner)) return false;
            return a.value.rows() == b->value.rows() && a.value.columns() == b->value.columns() &&
                   a.value.elements() == b->value.elements();
          },
          nb::sig("def __eq__(self, other: object, /) -> bool"), "Whether all elements are written alike.")
      .def("__hash__", [](const M& a) {
        nb::list elements;
        elements.append(a.value.rows());
        for (const Expression& e : a.value.elements()) elements.append(nb::cast(owned(a.owner, e)));
        return nb::hash(nb::tuple(elements));
      });
}

SymbolicMatrix solve(const SymbolicMatrix& A, const SymbolicMatrix& b) {
  if (A.value.rows() != A.value.columns() || A.value.rows() != b.value.rows()) {
    throw InputError(
        fmt::format("a matrix of the shape {} and a right side of the shape {} are not linear equations",
                    shape_of(A.value), shape_of(b.value)));
  }
  const Owner owner = common(A, b);
  return {owner ? owner : current_mechanics(),
          solve_linear(mechanics_of(owner), A.value, b.value, "the linear equations")};
}

// For equations whose unknowns have symbols, which a message names.
SymbolicMatrix solve_for(const SymbolicMatrix& A, const SymbolicMatrix& b,
                         const std::vector<Scalar>& unknowns) {
  const Owner owner = common_of(unknowns, common(A, b));
  return {owner,
          solve_linear(mechanics_of(owner), A.value, b.value, {"solve", values_of<Expression>(unknowns)})};
}

SymbolicMatrix inverse(const SymbolicMatrix& A) {
  SymbolicMatrix one{nullptr, Matrix(A.value.rows(), A.value.rows())};
  for (std::size_t i = 0; i < A.value.rows(); ++i) one.value(i, i) = 1;
  return solve(A, one);
}

void check_joint(std::size_t a, std::size_t b, const SymbolicMatrix& self, const SymbolicMatrix& other) {
  if (a == b) return;
  throw InputError(fmt::format("matrices of the shapes {} and {} cannot be joined so", shape_of(self.value),
                               shape_of(other.value)));
}

SymbolicMatrix row_join(const SymbolicMatrix& a, const SymbolicMatrix& b) {
  check_joint(a.value.rows(), b.value.rows(), a, b);
  Matrix joined(a.value.rows(), a.value.columns() + b.value.columns());
  joined.set_block(0, 0, a.value);
  joined.set_block(0, a.value.columns(), b.value);
  return {common(a, b), std::move(joined)};
}

SymbolicMatrix col_join(const SymbolicMatrix& a, const SymbolicMatrix& b) {
  check_joint(a.value.columns(), b.value.columns(), a, b);
  Matrix joined(a.value.rows() + b.value.rows(), a.value.columns());
  joined.set_block(0, 0, a.value);
  joined.set_block(a.value.rows(), 0, b.value);
  return {common(a, b), std::move(joined)};
}

SymbolicMatrix jacobian_of(const SymbolicMatrix& self, const std::vector<Scalar>& symbols) {
  check_symbols("symbols", symbols);
  const Owner owner = common_of(symbols, self.owner);
  return {owner, jacobian(mechanics_of(owner), self.value, values_of<Expression>(symbols))};
}

SymbolicMatrix substituted(const SymbolicMatrix& self, nb::handle old, nb::handle by) {
  Owner owner = self.owner;
  nb::dict pair;
  if (!by.is_none()) pair[old] = by;
  const symbolic::Replacements replacements = to_replacements(by.is_none() ? old : nb::handle(pair), owner);
  if (!owner) return self;
  Replacer replace(owner->graph(), replacements);
  return map(owner, self.value, [&](const Expression& e) { return replace(e); });
}

SymbolicMatrix line_of(const SymbolicMatrix& a, std::ptrdiff_t index, bool is_row) {
  const std::size_t count = is_row ? a.value.rows() : a.value.columns();
  const auto n = static_cast<std::ptrdiff_t>(count);
  if (index < -n || index >= n) {
    throw nb::index_error(
        fmt::format("there is no {} {} of {}", is_row ? "row" : "column", index, count).c_str());
  }
  const auto i = static_cast<std::size_t>(index < 0 ? index + n : index);
  return {a.owner,
          is_row ? a.value.block(i, 0, 1, a.value.columns()) : a.value.block(0, i, a.value.rows(), 1)};
}

Expression dot_of(const SymbolicMatrix& a, const SymbolicMatrix& b) {
  if (a.value.elements().size() != b.value.elements().size()) {
    throw InputError(fmt::format("matrices of the shapes {} and {} have different numbers of elements",
                                 shape_of(a.value), shape_of(b.value)));
  }
  Expression sum = 0;
  for (std::size_t i = 0; i < a.value.elements().size(); ++i) sum += a.value[i] * b.value[i];
  return sum;
}

SymbolicMatrix cross_of(const SymbolicMatrix& a, const SymbolicMatrix& b) {
  if (a.value.elements().size() != 3 || b.value.elements().size() != 3) {
    throw InputError(fmt::format("matrices of the shapes {} and {}: expected three elements each",
                                 shape_of(a.value), shape_of(b.value)));
  }
  Matrix product(a.value.rows(), a.value.columns());
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    product[i] = a.value[j] * b.value[k] - a.value[k] * b.value[j];
  }
  return {common(a, b), std::move(product)};
}

void bind_matrix_analysis(nb::class_<SymbolicMatrix>& type) {
  using M = SymbolicMatrix;
  type.def("jacobian", jacobian_of, nb::arg("symbols"),
           "(elements, symbols) The partial derivatives of all elements by all symbols.")
      .def("LUsolve", solve, nb::arg("rhs"), "The solution X of self X = rhs.")
      .def("subs", substituted, nb::arg("old"), nb::arg("new") = nb::none(),
           nb::sig("def subs(self, old: collections.abc.Mapping[Expression, Expression | float] | "
                   "collections.abc.Sequence[tuple[Expression, Expression | float]] | Expression, "
                   "new: Expression | float | None = None) -> Matrix"),
           "The matrix with expressions replaced by others, all at once.")
      .def("xreplace", substituted, nb::arg("rule"), nb::arg("new") = nb::none(),
           nb::sig(
               "def xreplace(self, rule: collections.abc.Mapping[Expression, Expression | float]) -> Matrix"),
           "The same as subs with a mapping.")
      .def(
          "det", [](const M& a) { return owned(a.owner, symbolic::determinant(a.value)); },
          "The determinant of at most 12 rows.")
      .def("inv", inverse, "The inverse; LUsolve computes products with the inverse at less cost.")
      .def("row_join", row_join, nb::arg("other"), "This matrix with the columns of another appended.")
      .def("col_join", col_join, nb::arg("other"), "This matrix with the rows of another appended.")
      .def(
          "diff",
          [](const M& a, const nb::args& by) {
            nb::list elements;
            for (const Expression& e : a.value.elements()) {
              elements.append(nb::cast(owned(a.owner, e)).attr("diff")(*by));
            }
            M result = to_matrix(elements);
            if (!result.owner) result.owner = a.owner;
            Matrix shaped(a.value.rows(), a.value.columns());
            for (std::size_t i = 0; i < shaped.elements().size(); ++i) shaped[i] = result.value[i];
            return M{result.owner, std::move(shaped)};
          },
          nb::sig("def diff(self, *symbols: Expression | int) -> Matrix"),
          "The derivative of every element by symbols; by the time, or by nothing, the rate.")
      .def(
          "simplify",
          [](const M& a) {
            return M{a.owner, simplify(mechanics_of(a.owner), a.value)};
          },
          "Returns the matrix simplified by the angle sum identities and sin^2 + cos^2 = 1; the result is "
          "checked.")
      .def(
          "count_ops", [](const M& a) { return symbolic::written_size(mechanics_of(a.owner), {a.value}); },
          "The number of operations of all elements, written out.")
      .def(
          "latex", [](const M& a) { return latex(mechanics_of(a.owner), a.value); },
          "LaTeX of the matrix, for mathematics mode.")
      .def("_repr_latex_",
           [](const M& a) { return "$\\displaystyle " + latex(mechanics_of(a.owner), a.value) + "$"; })
      .def(
          "to_sympy",
          [](nb::handle self) {
            return nb::module_::import_("sestina.sympy_bridge").attr("matrix_to_sympy")(self);
          },
          nb::sig("def to_sympy(self) -> typing.Any"), "The same matrix of sympy, which must be installed.");
}

void bind_matrix_products(nb::class_<SymbolicMatrix>& type) {
  using M = SymbolicMatrix;
  type.def(
          "transpose",
          [](const M& a) {
            return M{a.owner, a.value.transpose()};
          },
          "The same as T.")
      .def(
          "row", [](const M& a, std::ptrdiff_t i) { return line_of(a, i, true); }, nb::arg("i"),
          "(1, cols) A row; negative numbers count from the last.")
      .def(
          "col", [](const M& a, std::ptrdiff_t j) { return line_of(a, j, false); }, nb::arg("j"),
          "(rows, 1) A column; negative numbers count from the last.")
      .def(
          "trace",
          [](const M& a) {
            if (a.value.rows() != a.value.columns()) throw InputError(shape_of(a.value) + " is not square");
            Expression sum = 0;
            for (std::size_t i = 0; i < a.value.rows(); ++i) sum += a.value(i, i);
            return owned(a.owner, sum);
          },
          "The sum of the diagonal.")
      .def(
          "dot", [](const M& a, const M& b) { return owned(common(a, b), dot_of(a, b)); }, nb::arg("other"),
          "The sum of the products of the elements of two rows or columns.")
      .def("cross", cross_of, nb::arg("other"),
           "The vector product of two rows or columns of three elements.")
      .def(
          "norm", [](const M& a) { return owned(a.owner, sqrt(dot_of(a, a))); },
          "The root of the sum of the squares of all elements.");
}

void bind_matrix_values(nb::class_<SymbolicMatrix>& type) {
  using M = SymbolicMatrix;
  type.def(
          "equals",
          [](const M& a, const M& b) -> std::optional<bool> {
            if (a.value.rows() != b.value.rows() || a.value.columns() != b.value.columns()) return false;
            const Owner owner = common(a, b);
            bool is_known = true;
            for (std::size_t i = 0; i < a.value.elements().size(); ++i) {
              const Expression &of_a = a.value.elements()[i], &of_b = b.value.elements()[i];
              if (!owner && !(of_a == of_b)) return false;
              if (!owner) continue;
              Graph& graph = owner->graph();
              const Identity found = owner->identities().compare(of_a.in(graph), of_b.in(graph));
              if (found == Identity::kFails) return false;
              is_known = is_known && found == Identity::kHolds;
            }
            return is_known ? std::optional(true) : std::nullopt;
          },
          nb::arg("other"), "Whether both have the same shape and equal elements; None if unknown.")
      .def(
          "evaluate",
          [](const M& a, nb::handle values) {
            std::vector<double> numbers;
            for (const Expression& e : a.value.elements()) {
              numbers.push_back(nb::cast<double>(nb::cast(owned(a.owner, e)).attr("evaluate")(values)));
            }
            return nb::object(new_array(numbers).attr("reshape")(a.value.rows(), a.value.columns()));
          },
          nb::arg("values") = nb::dict(),
          nb::sig("def evaluate(self, values: collections.abc.Mapping[Expression, float] = {}) -> "
                  "numpy.typing.NDArray[numpy.float64]"),
          "(rows, cols) The values, given numbers for all symbols.")
      .def_prop_ro(
          "free_symbols",
          [](const M& a) {
            nb::set all;
            for (const Expression& e : a.value.elements()) {
              for (const nb::handle symbol : nb::cast(owned(a.owner, e)).attr("free_symbols"))
                all.add(symbol);
            }
            return all;
          },
          nb::sig("def free_symbols(self) -> set[Expression]"), "All symbols in it.");
}

}  // namespace

void bind_matrices(nb::module_& module) {
  using M = SymbolicMatrix;
  nb::class_<M> type(module, "Matrix", nb::type_slots(plain_described_slots),
                     "A matrix of expressions, which does not change.");
  type.def(
          "__init__", [](M* self, nb::handle rows) { new (self) M(to_matrix(rows)); }, nb::arg("rows"),
          nb::sig("def __init__(self, rows: Matrix | collections.abc.Sequence[Expression | float] | "
                  "collections.abc.Sequence[collections.abc.Sequence[Expression | float]]) -> None"),
          "A matrix of these rows, or a column of these elements.")
      .def_prop_ro("rows", [](const M& a) { return a.value.rows(); })
      .def_prop_ro("cols", [](const M& a) { return a.value.columns(); })
      .def_prop_ro(
          "shape", [](const M& a) { return nb::make_tuple(a.value.rows(), a.value.columns()); },
          nb::sig("def shape(self) -> tuple[int, int]"))
      .def_prop_ro("T",
                   [](const M& a) {
                     return M{a.owner, a.value.transpose()};
                   })
      .def("__len__", [](const M& a) { return a.value.elements().size(); })
      .def(
          "__getitem__",
          [](const M& self, nb::handle index) {
            if (cuts(index)) throw nb::next_overload();
            return get_item(self, index);
          },
          nb::arg("index"), nb::sig("def __getitem__(self, index: int | tuple[int, int]) -> Expression"),
          "An element by row and column or by its index row by row; or a part by slices.")
      .def(
          "__getitem__", [](const M& self, const nb::slice& index) { return get_item(self, index); },
          nb::arg("index"), nb::sig("def __getitem__(self, index: slice) -> list[Expression]"))
      .def(
          "__getitem__", [](const M& self, const nb::tuple& index) { return get_item(self, index); },
          nb::arg("index"),
          nb::sig("def __getitem__(self, index: tuple[slice, int] | tuple[int, slice] | tuple[slice, slice]) "
                  "-> Matrix"))
      .def(
          "__iter__",
          [](const M& a) {
            nb::list elements;
            for (const Expression& e : a.value.elements()) elements.append(nb::cast(owned(a.owner, e)));
            return nb::iter(elements);
          },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[Expression]"))
      .def("tolist", to_list, nb::sig("def tolist(self) -> list[list[Expression]]"), "A list of rows.")
      .def(
          "__array__", to_numpy, nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none(),
          nb::sig("def __array__(self, dtype: typing.Any = None, copy: bool | None = None) -> numpy.ndarray"),
          "An array of the same shape with the expressions, or with numbers for a numeric dtype.")
      .def("__repr__",
           [](const M& a) { return fmt::format("Matrix({})", nb::cast<std::string>(nb::repr(to_list(a)))); });
  bind_matrix_arithmetic(type);
  bind_matrix_products(type);
  bind_matrix_values(type);
  bind_matrix_analysis(type);
  module.def("_solve_for", solve_for, nb::arg("factors"), nb::arg("right"), nb::arg("unknowns"));
}

}  // namespace sestina::python
