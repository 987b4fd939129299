// Simplification on demand, for readers. Within sums, with any common factor X of the terms:
//
//   X cos a cos b + X sin a sin b   ->  X cos(a - b)      and so for the other addition theorems
//   X sin^2 a + X cos^2 a           ->  X
//   X - X sin^2 a                   ->  X cos^2 a         and with the cosine
//   X - (Y + Z)                     ->  X - Y - Z
//   X (Y + Z) - X Z                 ->  X Y               where that is shorter
//
// and within products
//
//   X Y/X                           ->  Y                 also where X might vanish
//   X sin a/cos a                   ->  X tan a
//
// A fraction is then kept, or written with common factors taken out, or expanded and factored again
// (polynomial.h), whichever takes the fewest operations; a product replaces a sum of fractions only if it is
// much shorter. Each rewritten sum and product is compared with the original by the test of identities and
// rejected if it differs.
#pragma once

#include "sestina/symbolic/matrix.h"

namespace sestina::symbolic {

Expression simplify(Mechanics& mechanics, const Expression& expression);
Matrix simplify(Mechanics& mechanics, const Matrix& matrix);

}  // namespace sestina::symbolic
