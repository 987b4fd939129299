#pragma once

namespace sestina {

// When a projection onto constraints corrects errors below its tolerance, too. Near a singular position of
// the constraints such errors grow.
enum class Projection {
  after_derivatives,  // if the constraints were nearly singular at the last derivatives
  smooth              // always: the result is a smooth function of the state
};

}  // namespace sestina
