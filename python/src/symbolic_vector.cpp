// Vector and Dyadic.
#include "sestina/symbolic/vector.h"

#include <fmt/format.h>
#include <nanobind/stl/array.h>

#include <algorithm>

#include "fixed.h"
#include "sestina/base/error.h"
#include "sestina/symbolic/frame.h"
#include "sestina/symbolic/latex.h"
#include "sestina/symbolic/simplify.h"
#include "symbolic.h"
#include "views.h"

namespace sestina::python {

using symbolic::Dyadic;
using symbolic::FrameIndex;
using symbolic::Matrix;
using symbolic::ReferenceFrame;
using symbolic::Vector;
using V = Of<Vector>;
using D = Of<Dyadic>;
using Frame = Of<ReferenceFrame>;

namespace {

Matrix column(const symbolic::Triple& xyz) { return Matrix({xyz[0], xyz[1], xyz[2]}); }
Matrix square(const symbolic::Matrix3& rows) {
  Matrix matrix(3, 3);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) matrix(i, j) = rows[i][j];
  }
  return matrix;
}

// The measure numbers in one frame.
std::vector<Expression> elements_in(const ReferenceFrame& frame, const Vector& vector) {
  return column(vector.to_matrix(frame)).elements();
}
std::vector<Expression> elements_in(const ReferenceFrame& frame, const Dyadic& dyadic) {
  return square(dyadic.to_matrix(frame)).elements();
}
FrameIndex frame_of(const Vector::Part& part) { return part.frame; }
FrameIndex frame_of(const Dyadic::Part& part) { return part.left; }

// Whether a difference is zero, regardless of the frames in which it is written.
template <class T>
bool is_same(const Owner& owner, const T& difference) {
  if (difference.is_zero()) return true;
  try {
    const auto elements = elements_in(ReferenceFrame(*owner, frame_of(difference.parts()[0])), difference);
    return std::all_of(elements.begin(), elements.end(), [&](const Expression& e) {
      return owner->identities().is_zero(e.in(owner->graph()));
    });
  } catch (const InputError&) {
    return false;  // frames that are not oriented in each other
  }
}

// Equality of vectors and dyadics; the zero vector is equal to the number 0.
template <class Like, class T>
void bind_equality(nb::class_<Of<T>>& type, const char* doc) {
  type.def(
          "__eq__",
          [](const Of<T>& a, nb::handle other) {
            Like b;
            if (!nb::detail::zero_or_caster<Like, T>::from_python(other, b)) return false;
            if (a.owner && b.owner && a.owner != b.owner) return false;
            return is_same(common(a, b), a.value - b.value);
          },
          nb::sig("def __eq__(self, other: object, /) -> bool"), doc)
      // Equal vectors may be written in different frames and forms, so these cannot enter the hash.
      .def("__hash__", [](const Of<T>&) { return nb::hash(nb::int_(0)); });
}

void bind_vector_arithmetic(nb::class_<V>& type) {
  const auto dot = [](const V& a, const VectorLike& b) { return owned(common(a, b), a.value.dot(b.value)); };
  const auto dot_dyadic = [](const V& a, const D& b) { return owned(common(a, b), a.value.dot(b.value)); };
  const auto cross = [](const V& a, const VectorLike& b) {
    return owned(common(a, b), a.value.cross(b.value));
  };
  const auto outer = [](const V& a, const VectorLike& b) {
    return owned(common(a, b), a.value.outer(b.value));
  };
  const auto add = [](const V& a, const VectorLike& b) { return owned(common(a, b), a.value + b.value); };
  const auto scale = [](const V& a, const Scalar& b) { return owned(common(a, b), a.value * b.value); };
  type.def("__add__", add, nb::is_operator())
      .def("__radd__", add, nb::is_operator())
      .def(
          "__sub__", [](const V& a, const VectorLike& b) { return owned(common(a, b), a.value - b.value); },
          nb::is_operator())
      .def(
          "__rsub__", [](const V& a, const VectorLike& b) { return owned(common(a, b), b.value - a.value); },
          nb::is_operator())
      .def("__neg__", [](const V& a) { return owned(a.owner, -a.value); })
      .def("__mul__", scale, nb::is_operator())
      .def("__rmul__", scale, nb::is_operator())
      .def(
          "__truediv__", [](const V& a, const Scalar& b) { return owned(common(a, b), a.value / b.value); },
          nb::is_operator())
      .def("__and__", dot, nb::is_operator())
      .def("__and__", dot_dyadic, nb::is_operator())
      .def("__xor__", cross, nb::is_operator())
      .def("__or__", outer, nb::is_operator())
      .def("dot", dot, nb::arg("other"), "The scalar product; with a dyadic a vector. Also a & b.")
      .def("dot", dot_dyadic, nb::arg("other"))
      .def("cross", cross, nb::arg("other"), "The vector product. Also a ^ b.")
      .def("outer", outer, nb::arg("other"), "The dyadic product. Also a | b.");
  bind_equality<VectorLike>(type, "Whether both are the same vector, in whatever frames they are written.");
}

V substituted(const V& a, nb::handle old, nb::handle by) {
  Owner owner = a.owner;
  nb::dict pair;
  if (!by.is_none()) pair[old] = by;
  const symbolic::Replacements replacements = to_replacements(by.is_none() ? old : nb::handle(pair), owner);
  if (!owner) return a;
  Replacer replace(owner->graph(), replacements);
  return owned(owner, a.value.applyfunc([&](const Expression& e) { return replace(e); }));
}

void bind_vector_analysis(nb::class_<V>& type) {
  type.def(
          "express",
          [](const V& a, const Frame& frame) {
            return owned(common(a, frame), a.value.express(frame.value));
          },
          nb::arg("frame"), "The same vector, written in the axes of one frame.")
      .def(
          "to_matrix",
          [](const V& a, const Frame& frame) {
            return owned(common(a, frame), column(a.value.to_matrix(frame.value)));
          },
          nb::arg("frame"), "(3, 1) The measure numbers in a frame.")
      .def(
          "dt",
          [](const V& a, const Frame& frame) { return owned(common(a, frame), a.value.dt(frame.value)); },
          nb::arg("frame"), "The rate as seen from a frame.")
      .def(
          "diff",
          [](const V& a, const Scalar& symbol, const Frame& frame) {
            const Owner owner = common(a, symbol, frame);
            check_symbols("symbol", {symbol});
            if (symbol.value == owner->time()) return owned(owner, a.value.dt(frame.value));
            return owned(owner, a.value.diff(symbol.value, frame.value));
          },
          nb::arg("symbol"), nb::arg("frame"),
          "The partial derivative by a symbol as seen from a frame; for the time, the rate.")
      .def(
          "magnitude", [](const V& a) { return owned(a.owner, a.value.magnitude()); },
          "The length, an expression.")
      .def(
          "normalize",
          [](const V& a) {
            if (a.value.is_zero()) throw InputError("the zero vector has no direction");
            return owned(a.owner, a.value.normalize());
          },
          "The vector of length 1 in the same direction; InputError for the zero vector.")
      .def(
          "simplify",
          [](const V& a) {
            return owned(a.owner, a.value.applyfunc([&](const Expression& e) {
              return simplify(mechanics_of(a.owner), e);
            }));
          },
          "With simplified measure numbers.")
      .def("subs", substituted, nb::arg("old"), nb::arg("new") = nb::none(),
           nb::sig("def subs(self, old: collections.abc.Mapping[Expression, Expression | float] | "
                   "collections.abc.Sequence[tuple[Expression, Expression | float]] | Expression, "
                   "new: Expression | float | None = None) -> Vector"),
           "Replaces expressions by others, all at once.");
}

void bind_vector_text(nb::class_<V>& type) {
  type.def_prop_ro(
          "args",
          [](const V& a) {
            nb::list parts;
            for (const Vector::Part& part : a.value.parts()) {
              parts.append(nb::make_tuple(owned(a.owner, column(part.xyz)),
                                          owned(a.owner, ReferenceFrame(*a.owner, part.frame))));
            }
            return fixed_tuple(parts, "a Vector stays as it is; sums and products make others");
          },
          nb::sig("def args(self) -> tuple[tuple[Matrix, ReferenceFrame], ...]"),
          "The parts as they are written: measure numbers and their frame.")
      .def(
          "latex", [](const V& a) { return latex(a.value); }, "For mathematics mode.")
      .def("_repr_latex_", [](const V& a) { return "$\\displaystyle " + latex(a.value) + "$"; })
      .def("__bool__", [](const V& a) { return !a.value.is_zero(); })
      .def("__repr__", [](const V& a) { return a.value.is_zero() ? "0" : a.value.to_text(); });
}

void bind_dyadic(nb::module_& module) {
  const auto scale = [](const D& a, const Scalar& b) { return owned(common(a, b), a.value * b.value); };
  const auto add = [](const D& a, const DyadicLike& b) { return owned(common(a, b), a.value + b.value); };
  const auto dot = [](const D& a, const VectorLike& b) { return owned(common(a, b), a.value.dot(b.value)); };
  nb::class_<D> type(module, "Dyadic", nb::type_slots(plain_described_slots),
                     "A sum of products of two vectors, such as an inertia.");
  bind_equality<DyadicLike>(type, "Whether both are the same dyadic, in whatever frames they are written.");
  type.def("__add__", add, nb::is_operator())
      .def("__radd__", add, nb::is_operator())
      .def(
          "__sub__", [](const D& a, const DyadicLike& b) { return owned(common(a, b), a.value - b.value); },
          nb::is_operator())
      .def("__neg__", [](const D& a) { return owned(a.owner, a.value * Expression(-1)); })
      .def("__mul__", scale, nb::is_operator())
      .def("__rmul__", scale, nb::is_operator())
      .def(
          "__truediv__",
          [](const D& a, const Scalar& b) { return owned(common(a, b), a.value * (1 / b.value)); },
          nb::is_operator())
      .def("__and__", dot, nb::is_operator())
      .def("dot", dot, nb::arg("other"), "The product with a vector. Also a & b.")
      .def(
          "express",
          [](const D& a, const Frame& frame) {
            return owned(common(a, frame), a.value.express(frame.value));
          },
          nb::arg("frame"), "The same dyadic, written in the axes of one frame.")
      .def(
          "to_matrix",
          [](const D& a, const Frame& frame) {
            return owned(common(a, frame), square(a.value.to_matrix(frame.value)));
          },
          nb::arg("frame"), "(3, 3) The measure numbers in a frame.")
      .def(
          "dt",
          [](const D& a, const Frame& frame) { return owned(common(a, frame), a.value.dt(frame.value)); },
          nb::arg("frame"), "The rate as seen from a frame.")
      .def(
          "latex", [](const D& a) { return latex(a.value); },
          "LaTeX for mathematics mode, with \\otimes between unit vectors.")
      .def("_repr_latex_", [](const D& a) { return "$\\displaystyle " + latex(a.value) + "$"; })
      .def("__repr__", [](const D& a) { return a.value.is_zero() ? "0" : a.value.to_text(); });
}

}  // namespace

void bind_vectors(nb::module_& module) {
  nb::class_<V> type(module, "Vector", nb::type_slots(plain_described_slots),
                     "A sum of parts, each with its measure numbers in one frame: m*l*N.x - A.y.\n\n"
                     "Parts stay in the frames in which they were written until common axes are needed.");
  bind_vector_arithmetic(type);
  bind_vector_analysis(type);
  bind_vector_text(type);
  bind_dyadic(module);
}

}  // namespace sestina::python
