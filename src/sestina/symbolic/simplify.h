// Trigonometric simplification on demand, for readers: within sums, whatever common factor X the terms have,
//
//   X cos a cos b + X sin a sin b   ->  X cos(a - b)      and so for the other addition theorems
//   X sin^2 a + X cos^2 a           ->  X
//   X - X sin^2 a                   ->  X cos^2 a         and with the cosine
//   X - (Y + Z)                     ->  X - Y - Z
//
// Nothing else is expanded, and every other step makes the sum shorter. Each rewritten sum is held against
// the one before by the test of identities; one that were not the same would be left as it was.
#pragma once

#include "sestina/symbolic/matrix.h"

namespace sestina::symbolic {

Expression simplify(Mechanics& mechanics, const Expression& expression);
Matrix simplify(Mechanics& mechanics, const Matrix& matrix);

}  // namespace sestina::symbolic
