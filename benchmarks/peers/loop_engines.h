// The engines that take closed loops. Their routines are forward dynamics: udot from q, u and tau, with the
// multipliers that keep the loops closed.
#pragma once

#include "engine.h"
#include "loop_mechanism.h"

namespace peers {

std::unique_ptr<Engine> make_sestina_loops(const LoopMechanism& mechanism, const States& states);
// None where the mechanism has conditions that Pinocchio lacks.
std::unique_ptr<Engine> make_pinocchio_loops(const LoopMechanism& mechanism, const States& states);

}  // namespace peers
