// Reduced bodies of a description as rigid bodies that float and joints that have their modes' amplitudes as
// coordinates (dynamics/reduced_bodies.h).
//
// The body NAME gets the mass, its share of the inertia and its interfaces as points; its frame has the
// mesh's axes and the origin at the centre of mass. Mode i has the prismatic joint NAME_mode_i, i = 1 ... k,
// between the ground and a body without mass; the joint's armature is the mode's share of the modal mass. A
// joint with a point of a reduced body becomes one that is cut.
#pragma once

#include "sestina/model/expand_beams.h"

namespace sestina {

bool has_reduced_bodies(const System& system);

void expand_reduced_bodies(ExpandedSystem& expanded);

}  // namespace sestina
