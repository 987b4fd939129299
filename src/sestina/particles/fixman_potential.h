// Fixman's potential of a molecule of jointed bodies (Fixman, Proc. Natl. Acad. Sci. 71, 3050, 1974), and the
// torques in its joints.
//
// With rigid joints, the density of the coordinates q contains the factor sqrt(det M(q)), with M the mass
// matrix of the joints' speeds; with very stiff springs in place of the joints it does not. The potential
//   (1)  U = kT/2 ln det M
// removes this difference. The articulated-body recursion gives U (equations 2, 3, from the last body to the
// first) and its derivatives (4, 5, from the first body to the last; after Jain, Kandel, Wagner, Larsen,
// Vaidehi, J. Comput. Chem. 34, 2013). All spatial quantities are in world axes about one point O, angular
// part first:
//   (2)  D = S^T P S,   P+ = P - P S D^-1 S^T P,   P = I + sum of the children's P+
//   (3)  ln det M = sum of ln det D
//   (4)  Y = S D^-1 S^T + A Y_p A^T,   A = 1 - S D^-1 S^T P;   Y = P^-1 of the first body
// Y gives the change of ln det M with P: tr(Y dP). A small motion X of a joint moves all outboard bodies as
// one rigid body, so that P+ becomes P+ - ad^T P+ - P+ ad with ad = X x; thus
//   (5)  -dU = kT tr(Y_p P+ ad),
// which is linear in X: the work of a torque and a force between the body and its parent.
//
// | here | is                                       |
// |------|------------------------------------------|
// | S    | (6 x joint's speeds) the joint's motions |
// | I    | the body's inertia                       |
// | P    | its articulated inertia                  |
// | _p   | of the parent                            |
#pragma once

#include "sestina/particles/articulated_bodies.h"

namespace sestina {

// Returns U (J), up to a constant, of the molecule whose bodies are numbered from `first`, for kT (J). Adds
// the wrenches on its bodies, about their centres of mass, in a lane of kLanes: (bodies x kSpatial) in lanes.
double add_fixman_wrenches(const ArticulatedBodies& bodies, const BodyTree& tree, int first, double kT,
                           int lane, double* wrenches);

}  // namespace sestina
