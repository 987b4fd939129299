// Data files of LAMMPS (`read_data`, `write_data`): a box, atoms, velocities, bonds, angles, dihedrals.
//
// Sections Masses, Atoms (styles atomic, bond, angle, molecular, charge, full; named after the section's
// name), Velocities, Bonds, Angles, Dihedrals are read. Coefficients of force fields (Pair Coeffs and the
// like) are skipped: the model file has them. Ids may come in any order: particle k of the model is the one
// with the k-th smallest id.
#pragma once

#include <string>
#include <vector>

#include "sestina/particles/particle_model.h"

namespace sestina {

struct LammpsData {
  Box box;
  std::vector<double> masses;              // by type; empty: the file has none
  std::vector<double> position, velocity;  // (n x 3), unwrapped by the images; velocity may be empty
  std::vector<double> charge;              // (n), or empty
  std::vector<int> type, molecule;         // (n) types from 0; molecule may be empty
  int atom_types = 0;

  struct Group {
    int type = 0;                // from 0
    std::array<int, 4> atoms{};  // from 0
  };
  std::vector<Group> bonds, angles, dihedrals;
};

// Throws InputError, which names the line. `name` is the name of the file in messages.
LammpsData parse_lammps_data(const std::string& text, const std::string& name);

}  // namespace sestina
