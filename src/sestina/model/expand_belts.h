// Contacts of cables with pulleys of a description: their bristles are states NAME.bristle_0, ..., one for
// each segment of each element of the cable (forces/belt_contact.h). Without friction there are none.
#pragma once

#include "sestina/model/expand_beams.h"

namespace sestina {

// Adds to `expanded.system`. Contacts without a cable are left as they are: freeze() reports them.
void expand_belts(ExpandedSystem& expanded);

}  // namespace sestina
