// The mass of a beam as masses of its nodes.
//
// Products of velocities and virtual velocities, m v.w with the mass m per length, and of gravity and virtual
// displacements are integrated along the axis by Gregory's rule: the trapezoidal rule with end corrections,
// exact for cubic polynomials. Over elements of equal length h the nodes have from each end inwards
//
//   3/8, 7/6, 23/24, 1, 1, ... of m h                                                                    (1)
//
// Where two ends are near, their corrections are added: two elements have Simpson's rule, three elements
// that of three eighths. So element by element the node that is nearer to the end has 3/8 of the first, 13/24
// of the second and half of each further element. Mass, centre of mass and, from two elements on, moments of
// inertia of a straight beam are exact. Frequencies of bending converge with fourth order, those of
// stretching and of torsion with second order. The rule begins anew where the length of the elements changes
// and at corners.
//
// Nothing couples the nodes, and no mass is off its node: a force along the axis does not turn a node.
#pragma once

#include <vector>

#include "sestina/flexible/beam_mesh.h"

namespace sestina {

struct NodeInertia {
  double mass = 0.0;        // kg
  SymMat3<double> inertia;  // rotary inertia of the sections, about the node, in its axes, kg m^2
};
// By node.
std::vector<NodeInertia> calc_node_inertias(const BeamMesh& mesh);

}  // namespace sestina
