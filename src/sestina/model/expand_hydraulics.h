// Converts the hydraulic actuators of a description to a line between two points and two states.
//
// The line is a cut joint NAME_line of type `free` between the actuator's points: it constrains nothing, but
// its coordinates are the position of the second point relative to the first. The states NAME.p1 and NAME.p2
// are the pressures; the columns NAME.length and NAME.force are added to the output. The force itself stays
// in System::forces; freeze_hydraulics.cpp forms its equations (forces/hydraulic_actuator.h).
#pragma once

#include "sestina/model/expand_beams.h"

namespace sestina {

bool has_hydraulics(const System& system);

// Adds to `expanded.system`. Actuators whose points do not exist or are on one body are left unchanged:
// freeze() reports them.
void expand_hydraulics(ExpandedSystem& expanded);

// The joint that measures the line of an actuator: "lift_line".
std::string name_of_line(const std::string& actuator);

}  // namespace sestina
