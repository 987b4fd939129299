// The pose of flexible bodies at the start: where their joints are, without deformation.
//
// The nodes of a beam have coordinates of their own, and a reduced body has those of its modes. If a joint
// does not fit where the body is drawn, a search for the nearest coordinates that close it would deform the
// body.
#pragma once

#include <span>
#include <vector>

#include "sestina/model/model.h"
#include "sestina/model/properties.h"
#include "sestina/numerics/state.h"

namespace sestina {

// Moves each beam and each reduced body as a whole such that one of its joints fits: the first one whose
// other body has a place, which is a rigid body that does not float, or a flexible one that has been placed.
// Coordinates and speeds of the joint are those given, cut_q and cut_u (of all joints that close loops);
// coordinates that are not given remain those of the pose in which the body is drawn. The body moves as a
// whole with the other one and the given speeds of the joint, zero if there are none, unless its own velocity
// is given: if its part of given_u (nu), the speeds of the description, is not zero. Cables stay as they are.
// Returns the bodies that carry what has been placed: the nodes of beams, and the reduced bodies.
struct PlacedBody {
  BodyIndex carrier;
  bool is_velocity_given = false;  // its own
};
std::vector<PlacedBody> place_flexible_bodies(const Model& model, const Properties<double>& properties,
                                              std::span<const double> cut_q, std::span<const double> cut_u,
                                              std::span<const double> given_u, State<double>& state);

}  // namespace sestina
