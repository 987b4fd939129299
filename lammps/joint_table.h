// A table says which atoms of a LAMMPS run make bodies, and which joints connect these. It is read from a
// file, or made of bonds.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sestina/particles/particle_model.h"

namespace sestina::lammps {

using AtomId = std::int64_t;

// Bodies in an order in which they follow their parents. The particles of a body are places in
// `atoms`.
struct JointTable {
  std::vector<AtomId> atoms;  // ascending
  std::vector<ParticleBody> bodies;

  int place_of(AtomId atom) const;  // -1: none of them
};

// Lines of a file; # begins a comment:
//
//   NUMBER WORD ATOM ...                  a body, as fix poems reads it: the word is not used
//   joint NUMBER PARENT KIND at ATOM [along ATOM ATOM] [across ATOM ATOM]
//   inertia NUMBER VALUE                  about any axis, in addition to that of the atoms
//
// Two bodies that share an atom have a ball joint there, unless a line names another one; the atom belongs to
// the body that comes first. Throws InputError with the line: unknown words and numbers, joints that close a
// ring.
JointTable parse_joint_table(const std::string& text, const std::string& file);

// Each atom is a body; the bonds are ball joints, or torsion joints, which keep the angles between bonds. An
// atom without a bond is free. Throws InputError where bonds close a ring.
JointTable joint_table_of_bonds(std::vector<AtomId> atoms, const std::vector<std::array<AtomId, 2>>& bonds,
                                bool torsion, double inertia);

// The message of an error that names particles, with the IDs of the atoms instead.
std::string with_atom_ids(const std::string& message, const std::vector<AtomId>& atoms);

}  // namespace sestina::lammps
