// The structure of a molecule with rigid bonds: the beads that they share, and the order in which their
// conditions are eliminated.
#pragma once

#include <vector>

#include "sestina/particles/kernels/rigid_bond_kernels.h"
#include "sestina/particles/molecules.h"

namespace sestina {

// BondPattern (kernels/rigid_bond_kernels.h) explains the members.
struct BondStructure {
  int beads = 0;
  Bonds ends;  // beads of each bond, in the order of elimination
  std::vector<int> below_begin, below, targets;
  std::vector<int> bonds_of_bead_begin, bonds_of_bead;
  std::vector<double> signs_of_bead;

  int bonds() const { return static_cast<int>(ends.size()); }
  int pairs() const { return static_cast<int>(below.size()); }
  BondPattern pattern() const;
};

// Bonds between beads 0, 1, ...; the order of elimination is one of minimum degree, without fill for trees.
BondStructure make_bond_structure(int beads, const Bonds& bonds);

}  // namespace sestina
