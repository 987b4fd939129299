// Converts the reduced bodies of a description to floating rigid bodies, and joints whose coordinates are the
// amplitudes of the modes (dynamics/reduced_bodies.h).
//
// The body NAME gets the mass, its part of the inertia, and its interfaces as points; its frame has the
// mesh's axes and the origin at the centre of mass. Mode i has the prismatic joint NAME_mode_i, i = 1 ... k,
// between the ground and a massless body; the joint's armature is the mode's part of the modal mass. A joint
// at a point of a reduced body becomes a cut joint.
#pragma once

#include "sestina/model/expand_beams.h"

namespace sestina {

bool has_reduced_bodies(const System& system);

void expand_reduced_bodies(ExpandedSystem& expanded);

}  // namespace sestina
