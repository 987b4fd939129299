// Rotation vectors as coordinates of an orientation near a given one, the centre:  e = exp(x) o centre.
//
// If the orientation rotates with angular velocity w (axes of the parent), then with a = |x|
//   w = dexp(x) xdot,   dexp(x) = 1 + b [x] + c [x]^2,   b = (1 - cos a)/a^2,   c = (a - sin a)/a^3
//   xdot = dexp(x)^-1 w = w - [x] w / 2 + d [x]^2 w,     d = (1 - a/2 cot(a/2))/a^2
// The transposes are those for -x. With s = a^2, d = -(db/ds)/b.
//
// Source: A. Iserles, H. Z. Munthe-Kaas, S. P. Norsett, A. Zanna, Lie-group methods, Acta Numerica 9 (2000)
// 215-365, section B.3.
#pragma once

#include "sestina/spatial/vec3.h"

namespace sestina {

using RotationVector = Vec3<double>;  // rad

// dexp(x) v
Vec3<double> dexp(const RotationVector& x, const Vec3<double>& v);
// dexp(x)^-1 v, for |x| < 2 pi
Vec3<double> dexp_inverse(const RotationVector& x, const Vec3<double>& v);
// D^T p, where D is the rate of dexp(x) while x moves with xdot
Vec3<double> dexp_rate_transpose_times(const RotationVector& x, const Vec3<double>& xdot,
                                       const Vec3<double>& p);
// exp(x) v: the rotated v
Vec3<double> turned(const RotationVector& x, const Vec3<double>& v);

}  // namespace sestina
