// Checks flexible bodies as described, before they become nodes and modes (expand_beams.h, expand_reduced.h).
#pragma once

#include "sestina/model/system.h"

namespace sestina {

// Throws InputError with all faults: data that belong to rigid bodies and would have no effect, and equal
// names of two flexible bodies, whose nodes and modes would then have equal names too.
void check_flexible_bodies(const System& system);

}  // namespace sestina
