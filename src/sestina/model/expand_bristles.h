// Contacts with bristles of a description: the deflections are states NAME.bristle_0, ..., three for each
// pair of shapes (contact/compliant_contact.h).
#pragma once

#include "sestina/model/expand_beams.h"

namespace sestina {

bool has_bristles(const System& system);

// Adds to `expanded.system`. Contacts between more than two names are left as they are: freeze() reports
// them.
void expand_bristles(ExpandedSystem& expanded);

}  // namespace sestina
