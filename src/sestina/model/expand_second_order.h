// Converts the second-order equations of a description (forces/second_order.h) to states.
//
// An element NAME with the coordinates s has the states NAME.s and, after those of all its coordinates,
// NAME.s.rate. The element itself stays in System::forces, where freeze_second_order.cpp forms its equations.
#pragma once

#include "sestina/model/expand_beams.h"

namespace sestina {

bool has_second_orders(const System& system);

// Adds to `expanded.system`. A wrong number of values is not reported here: freeze() reports it.
void expand_second_orders(ExpandedSystem& expanded);

}  // namespace sestina
