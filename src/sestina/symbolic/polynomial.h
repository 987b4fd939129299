// Other forms of an expression, on demand: nothing else in a derivation is ever expanded.
//
//   expand(m*(x + y)^2)              m*x^2 + 2*m*x*y + m*y^2
//   collect(a*x + b*x + x^2*c + d, {x})   d + (a + b)*x + c*x^2
//   factor(a*x + a*y + b*x + b*y)    (a + b)*(x + y)
//
// Each rewritten sum and product is compared with the original by the test of identities.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "sestina/symbolic/matrix.h"

namespace sestina::symbolic {

// Limit on the terms that `expand` and `collect` write out.
inline constexpr std::size_t kMostExpandedTerms = 20'000;

// Expands products and whole positive powers of sums, also inside functions and denominators. Throws
// InputError if that takes more than kMostExpandedTerms terms.
Expression expand(Mechanics& mechanics, const Expression& expression);

// Returns a polynomial in the expression `of`: (exponent, coefficient) by ascending exponents; no coefficient
// is zero for all values of the symbols. Only parts with `of` are expanded. A coefficient may contain `of`
// inside a function or the inverse of a sum, where it is not a power. InputError as above.
std::vector<std::pair<int, Expression>> coefficients_of(Mechanics& mechanics, const Expression& expression,
                                                        const Expression& of);

// Returns the sum of these terms; the coefficients are then collected by the next expression of `of`.
Expression collect(Mechanics& mechanics, const Expression& expression, const std::vector<Expression>& of);

// Takes common factors of all terms out of every sum, and writes a sum as a product of sums if common factors
// of groups of its terms show it.
Expression factor(Mechanics& mechanics, const Expression& expression);

Matrix expand(Mechanics& mechanics, const Matrix& matrix);
Matrix collect(Mechanics& mechanics, const Matrix& matrix, const std::vector<Expression>& of);
Matrix factor(Mechanics& mechanics, const Matrix& matrix);

}  // namespace sestina::symbolic
