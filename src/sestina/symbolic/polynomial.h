// Other ways to write an expression, on demand: nothing else in a derivation is ever expanded.
//
//   expand(m*(x + y)^2)              m*x^2 + 2*m*x*y + m*y^2
//   collect(a*x + b*x + x^2*c + d, {x})   d + (a + b)*x + c*x^2
//   factor(a*x + a*y + b*x + b*y)    (a + b)*(x + y)
//
// Each sum and product that is rewritten is held against what it was by the test of identities.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "sestina/symbolic/matrix.h"

namespace sestina::symbolic {

// The most terms that `expand` and `collect` write out.
inline constexpr std::size_t kMostExpandedTerms = 20'000;

// Products and whole positive powers of sums written out, also inside functions and below fractions.
// InputError where that takes more than kMostExpandedTerms terms.
Expression expand(Mechanics& mechanics, const Expression& expression);

// As a polynomial in `of`, which may be any expression: (exponent, coefficient) by ascending exponents, none
// of which are zero for all values of the symbols. Only what holds `of` is expanded. A coefficient may hold
// `of` below a function or a sum's inverse, where it is none of a polynomial. InputError as above.
std::vector<std::pair<int, Expression>> coefficients_of(Mechanics& mechanics, const Expression& expression,
                                                        const Expression& of);

// The sum of these terms; of several, the coefficients are collected by the next.
Expression collect(Mechanics& mechanics, const Expression& expression, const std::vector<Expression>& of);

// What all terms of a sum have in common in front of it, in every sum; and a sum as a product of sums where
// that is found by taking common factors out of groups of its terms.
Expression factor(Mechanics& mechanics, const Expression& expression);

Matrix expand(Mechanics& mechanics, const Matrix& matrix);
Matrix collect(Mechanics& mechanics, const Matrix& matrix, const std::vector<Expression>& of);
Matrix factor(Mechanics& mechanics, const Matrix& matrix);

}  // namespace sestina::symbolic
