// Expressions, vectors and matrices as LaTeX, for display in mathematics mode.
//
// Names become what they stand for: theta1 is \theta_{1}, q0' is \dot{q}_{0}, omega_max is
// \omega_{\mathrm{max}}; of two symbols whose names would look alike one is written as given (latex_names.h).
// Factors stand in the order numbers, constants, sums, functions of time, functions;
// terms with a plus before those with a minus, each in alphabetical order of what they hold, so that the text
// does not depend on the way in which an expression was built.
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
// Row by row, or a list of expressions: what they share is printed once. Numbers of more than `digits` digits
// are rounded; 0: none.
std::vector<std::string> latex_elements(Mechanics& mechanics, const std::vector<Expression>& expressions,
                                        int digits = 0);
// Of a matrix whose elements are printed already.
std::string latex_matrix(const std::vector<std::string>& elements, std::size_t columns);
// The width on paper of mathematics in display style, about, in points where letters have 10.
double latex_width(std::string_view text);

struct BrokenLatex {
  std::vector<std::string> lines;  // those after the first begin with \quad
  double widest = 0.0;             // of them, in points
};
// Broken so that no line is wider than `width` points: between terms, else within parentheses, else between
// factors. What cannot be broken, such as a fraction, stays whole.
BrokenLatex break_latex(const std::string& text, double width);

// Unit vectors as \hat{n}_{x}, after the frame's name in lower case.
std::string latex(const Vector& vector);
// With \otimes between the unit vectors.
std::string latex(const Dyadic& dyadic);

}  // namespace sestina::symbolic
