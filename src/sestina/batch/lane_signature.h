// Which models may stand side by side in the lanes of one BatchKernel.
#pragma once

#include <string>

#include "sestina/model/model.h"

namespace sestina {

// The same for two models with these properties if they have the same tree, joints, force elements and force
// expressions, and the same zeros and ones among their numbers that the recursions make use of. Then only
// numbers differ, and what a lane computes does not depend, bit for bit, on which of such models are in the
// others.
std::string calc_lane_signature(const Model& model, const Properties<double>& properties);

}  // namespace sestina
