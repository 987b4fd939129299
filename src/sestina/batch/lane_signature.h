// Determines which models may share the lanes of one BatchKernel.
#pragma once

#include <string>

#include "sestina/model/model.h"

namespace sestina {

// Equal for two models with these properties if they have the same tree, joints, force elements and force
// expressions, and the same zeros and ones among the numbers that the recursions exploit. Then only
// numbers differ, and the result of a lane does not depend, bit for bit, on the models in the other
// lanes.
std::string calc_lane_signature(const Model& model, const Properties<double>& properties);

}  // namespace sestina
