// A beam in a System: its nodes are rigid bodies that float, and a force holds them together.
//
// Node k has the mass and the rotary inertia of the halves of its elements; the elements are those of
// flexible/, with Kelvin and Voigt's damping. So everything that acts on bodies acts on cross-sections:
// joints of any type, forces, constraints, events, columns. The force has a potential, the elastic energy,
// which results count as such.
//
// Masses are those of nodes, so that frequencies converge with the second order; flexible/beam_inertia.h has
// the consistent mass, which needs a mass matrix that couples bodies. A force of a program's own has no
// tangent: statics, modes, implicit rules and lanes refuse it by name (flexible/beam_statics.h has the
// statics of beams alone). Explicit rules need steps below the time in which shear waves pass an element,
// about h sqrt(J/(GA h^2)) for thin sections.
#pragma once

#include <string>

#include "sestina/flexible/beam_mesh.h"
#include "sestina/model/system.h"

namespace sestina {

// Names of what add_beam() added.
struct BeamBody {
  std::string name;
  int nodes = 0;

  // Body of node k, 0 ... nodes - 1: "boom_0".
  std::string body(int node) const { return name + "_" + std::to_string(node); }
  // Its section's centroid, as forces and joints want it: "boom_0.origin".
  std::string point(int node) const { return body(node) + ".origin"; }
};

// Adds bodies "NAME_k" at the mesh's nodes, in their frames, and the user force NAME. `damping` (s) is the
// time tau of beam_element.h. Nodes between `first_free` and the last get a joint "NAME_k_free" that holds
// their initial pose; those before it are left to joints of the caller, which have to place them as the mesh
// does. Throws InputError where the section has no mass or the damping is negative.
BeamBody add_beam(System& system, const std::string& name, const BeamMesh& mesh, double damping = 0.0,
                  int first_free = 0);

}  // namespace sestina
