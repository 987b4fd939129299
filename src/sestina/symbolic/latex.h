// Expressions, vectors and matrices as LaTeX, for display in mathematics mode.
//
// Names become symbols: theta1 is \theta_{1}, q0' is \dot{q}_{0}, omega_max is
// \omega_{\mathrm{max}}; if two names would look alike, one is written as given (latex_names.h).
// Factors are in the order numbers, constants, sums, functions of time, functions; terms with a plus
// come before those with a minus, each in alphabetical order, so that the text does not depend on
// how an expression was built.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sestina/symbolic/latex_names.h"
#include "sestina/symbolic/matrix.h"
#include "sestina/symbolic/vector.h"

namespace sestina::symbolic {

// A sub-expression whose text has more characters is written as \ldots
inline constexpr std::size_t kLongestLatex = 100'000;

std::string latex(Mechanics& mechanics, const Expression& expression);
std::string latex(Mechanics& mechanics, const Matrix& matrix);
// Elements row by row, or a list of expressions; shared parts are printed once. Numbers with more than
// `digits` digits are rounded; 0: none.
std::vector<std::string> latex_elements(Mechanics& mechanics, const std::vector<Expression>& expressions,
                                        int digits = 0);
// Returns a matrix of elements that are printed already.
std::string latex_matrix(const std::vector<std::string>& elements, std::size_t columns);
// Returns the approximate width on paper in display style, in points, for letters of 10 points.
double latex_width(std::string_view text);

struct BrokenLatex {
  std::vector<std::string> lines;  // all but the first begin with \quad
  double widest = 0.0;             // in points
};
// Breaks text so that no line is wider than `width` points: between terms, otherwise within parentheses,
// otherwise between factors. Parts that cannot be broken, such as fractions, stay whole.
BrokenLatex break_latex(const std::string& text, double width);

// Unit vectors are \hat{n}_{x}, by the frame's name in lower case.
std::string latex(const Vector& vector);
// Writes \otimes between unit vectors.
std::string latex(const Dyadic& dyadic);

}  // namespace sestina::symbolic
