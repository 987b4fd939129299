// Friction by bristles of a description: their deflections are states NAME.bristle, or NAME.bristle_0, ...
// for a joint with several speeds (forces/lugre_friction.h).
#pragma once

#include "sestina/model/expand_beams.h"

namespace sestina {

bool has_lugre_friction(const System& system);

// Adds to `expanded.system`. Friction on a joint that does not exist, or whose speeds are not the rates of
// its coordinates, is left as it is: freeze() reports it.
void expand_lugre(ExpandedSystem& expanded);

}  // namespace sestina
