// Forces that jump where a coordinate or a speed passes a value: sign(hip.u), step(hip.q - 1), if(hip.u < 0,
// a, b).
//
// If such a force holds the motion at its jump (dry friction at rest), no polynomial on an element is a
// solution: Newton's method fails on all but the very shortest elements.
#pragma once

#include <string>

#include "sestina/model/model.h"

namespace sestina {

// Returns "the force friction jumps with hip.u" for all such forces; empty if there are none.
std::string describe_switching_forces(const Model& model);

}  // namespace sestina
