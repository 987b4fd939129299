// The elements of a model's beams for one set of parameter values.
#pragma once

#include <span>
#include <vector>

#include "sestina/flexible/beam_mesh.h"
#include "sestina/flexible/cable_element.h"
#include "sestina/model/model.h"

namespace sestina {

// The unstressed beam of a plan. `numbers` are the outputs of the number tape for these free parameters.
// Throws InputError where they describe no beam: an axis without length, a section without stiffness.
BeamMesh calc_beam_mesh(const Model& model, const BeamPlan& plan, std::span<const double> numbers,
                        std::span<const double> parameters);

// The length of the unstressed axis of a beam or cable, m.
double calc_beam_length(const Model& model, const BeamPlan& plan, std::span<const double> numbers,
                        std::span<const double> parameters);

// The start of a cable.
struct CableMesh {
  std::vector<Vec3<double>> positions, slopes;  // position (m) and slope (1) of the nodes
  std::vector<CableSegment<double>> segments;
  bool is_closed = false;  // the last node is the first
};
// The same for a plan that belongs to a cable.
CableMesh calc_cable_mesh(const Model& model, const BeamPlan& plan, std::span<const double> numbers,
                          std::span<const double> parameters);

// The axis of the ground that is farthest from all slopes: 0, 1 or 2.
int find_up_axis(const CableMesh& mesh);

// The diagonal part of the mass matrix (CableMass) at node k.
struct CableNodeInertia {
  double mass = 0.0;   // kg
  double slope = 0.0;  // kg m^2, of each component of the slope
};
CableNodeInertia calc_cable_node_inertia(const CableMesh& mesh, std::size_t k);

}  // namespace sestina
