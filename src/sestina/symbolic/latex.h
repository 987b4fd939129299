// Expressions, vectors and matrices as LaTeX, for display in mathematics mode.
//
// Names become what they stand for: theta1 is \theta_{1}, q0' is \dot{q}_{0}, omega_max is \omega_{max}.
// Factors stand in the order numbers, constants, sums, functions of time, functions; terms in alphabetical
// order of what they hold, so that the text does not depend on the way in which an expression was built.
#pragma once

#include <string>
#include <string_view>

#include "sestina/symbolic/matrix.h"
#include "sestina/symbolic/vector.h"

namespace sestina::symbolic {

// A sub-expression whose text has more characters is written as \ldots
inline constexpr std::size_t kLongestLatex = 100'000;

std::string latex_name(std::string_view name);
std::string latex(Mechanics& mechanics, const Expression& expression);
std::string latex(Mechanics& mechanics, const Matrix& matrix);
// Unit vectors as \hat{n}_{x}, after the frame's name in lower case.
std::string latex(const Vector& vector);

}  // namespace sestina::symbolic
