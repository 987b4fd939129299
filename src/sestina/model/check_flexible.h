// Checks flexible bodies as described, before they become nodes and modes (expand_beams.h, expand_reduced.h).
#pragma once

#include "sestina/model/system.h"

namespace sestina {

// Throws InputError with all faults: data that belong to rigid bodies and would have no effect, and names
// that two flexible bodies have, of whose nodes and modes the names would coincide too.
void check_flexible_bodies(const System& system);

}  // namespace sestina
