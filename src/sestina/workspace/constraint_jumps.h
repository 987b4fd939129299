// Constraints whose expressions of time jump, such as a motion with the value step(t - 0.5).
#pragma once

#include "sestina/workspace/workspace.h"

namespace sestina {

// Refuses (InputError: the constraint, the time and the jump) constraints on positions that jump by the end
// of the run, which no motion satisfies; and for runs whose steps do not end at such instants
// (`steps_end_there`), those whose speeds jump. `state` is the initial one.
void check_constraint_jumps(const Workspace& workspace, const State<double>& state, bool steps_end_there);

}  // namespace sestina
