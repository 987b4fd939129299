// The potential energy of weights that act as loads, where that of the bodies does not hold it.
#pragma once

#include <span>

#include "sestina/symbolic/body.h"

namespace sestina::symbolic {

// A weight is a force at the mass centre of a body that is constant in the frame; its potential energy is
// -F.r, with r from a point at rest there. The potential energy that was set for the bodies counts as that of
// the weights, too, where it has their gradient or holds a symbol of theirs, such as g. 0 where there are no
// others. InputError where a weight of numbers alone meets another potential energy, which may or may not
// hold it, and where no point at rest is connected with the mass centre.
Expression calc_weight_potential(const ReferenceFrame& frame, std::span<const Body> bodies,
                                 std::span<const Load> loads);

}  // namespace sestina::symbolic
