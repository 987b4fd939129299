// The potential energy of weights that act as loads, if that of the bodies does not include it.
#pragma once

#include <span>

#include "sestina/symbolic/body.h"

namespace sestina::symbolic {

// A weight is a force at the mass centre of a body that is constant in the frame, or, of a force that is not,
// its terms that are constant and hold a symbol of the body's mass. Its potential energy is -F.r, with r from
// a point at rest there. The potential energy set for the bodies is assumed to include that
// of the weights if it has their gradient or contains a symbol of theirs, such as g. Returns 0 if there are
// no other weights. Throws InputError if a numerical weight meets another potential energy, which may or may
// not include it, and if no point at rest is connected with the mass centre.
Expression calc_weight_potential(const ReferenceFrame& frame, std::span<const Body> bodies,
                                 std::span<const Load> loads);

}  // namespace sestina::symbolic
