// The potential energy of weights that act as loads, if that of the bodies does not include it.
#pragma once

#include <span>

#include "sestina/symbolic/body.h"

namespace sestina::symbolic {

// A weight is a force at the mass centre of a body that is constant in the frame or, for other forces, the
// constant terms that contain a symbol of the body's mass. Its potential energy is -F.r, with r from a fixed
// point. If the potential energy set for the bodies has the gradient of the weights, or contains one of their
// symbols, such as g, it is assumed to include them. Returns 0 if there are no other weights. Throws
// InputError if a numerical weight is combined with another potential energy, which may or may not include
// it, and if no point at rest is connected with the mass centre.
Expression calc_weight_potential(const ReferenceFrame& frame, std::span<const Body> bodies,
                                 std::span<const Load> loads);

}  // namespace sestina::symbolic
