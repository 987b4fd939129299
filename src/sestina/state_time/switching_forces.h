// Forces that jump where a coordinate or a speed passes a value: sign(hip.u), step(hip.q - 1), if(hip.u < 0,
// a, b).
//
// Where such a force holds the motion at its jump (dry friction at rest), no polynomial on an element is a
// solution: Newton's method fails on elements of any length but the very shortest.
#pragma once

#include <string>

#include "sestina/model/model.h"

namespace sestina {

// "the force friction jumps with hip.u"; of several forces all. Empty where there are none.
std::string describe_switching_forces(const Model& model);

}  // namespace sestina
