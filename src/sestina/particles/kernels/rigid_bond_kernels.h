// The inner loops of rigid bonds, compiled once for each instruction set: eight molecules of one structure at
// a time, one in each lane. See rigid_bonds.h for the equations and the letters.
//
// "In lanes" means eight consecutive numbers, one for each molecule.
#pragma once

#include <cstdint>

#include "sestina/parallel/instruction_set.h"

namespace sestina {

// The bonds of a molecule, numbered in the order in which their conditions are eliminated; `below` of a bond
// are the later ones whose rows its elimination changes, in ascending order.
struct BondPattern {
  int beads = 0, bonds = 0, pairs = 0, target_count = 0;
  const int* ends;         // (2 x bonds) beads; the bond vector points from the second to the first
  const int* below_begin;  // (bonds + 1)
  const int* below;        // (pairs) later bonds
  // The elimination of a bond changes (below x below) places in the matrix. The matrix has its
  // diagonal first, then for each pair the entries (l, k) and (k, l) of a bond k and one below it, l.
  const int* targets;              // (target_count)
  const int* bonds_of_bead_begin;  // (beads + 1)
  const int* bonds_of_bead;        // (2 x bonds)
  const double* signs_of_bead;     // (2 x bonds) 1 at the first end, -1 at the second
};

// Up to eight molecules. Unused lanes repeat the first one.
struct RigidMolecules {
  BondPattern pattern;
  int used = 0;                 // lanes
  const std::int32_t* place;    // (beads) in lanes, of the arrays of particles
  const double* inverse_mass;   // (beads) in lanes, 1/kg
  const double* weight;         // (bonds + pairs) in lanes, 1/kg: the factor of r_k . r_l in the matrix
  const double* length_square;  // (bonds) in lanes, m^2
  double* r;                    // (bonds x 3) in lanes, m: bond vectors
  double* scratch;              // scratch_size(beads, bonds, pairs)
};

struct RigidBondTask {
  double *x, *y, *z, *vx, *vy, *vz, *fx, *fy, *fz;  // of the particles
  double length[3];                                 // m, of the box; 0: open
  double rate = 0.0;                                // 1/s: v += rate dx; 0: velocities stay
  double kT = 0.0;                                  // J, of Fixman's potential
  // For `project`, if wanted: for each lane the smallest pivot of the matrix, relative to the diagonal entry
  // before the elimination.
  double* smallest_pivots = nullptr;
};

inline constexpr int scratch_size(int beads, int bonds, int pairs) {
  return 8 * (3 * beads + 9 * bonds + 2 * pairs);
}

struct RigidBondKernels {
  // Sets the bond vectors from positions.
  void (*set_bonds)(const RigidMolecules&, const RigidBondTask&);
  // Moves beads so that the bonds have their lengths. Returns false, with nothing changed, if the iteration
  // fails.
  bool (*constrain)(const RigidMolecules&, const RigidBondTask&);
  // Sets the bond vectors, and removes the velocities that would change their lengths.
  void (*project)(const RigidMolecules&, const RigidBondTask&);
  // Returns the virial (J) of the forces of the bonds.
  double (*virial)(const RigidMolecules&, const RigidBondTask&);
  // Adds the forces of Fixman's potential and returns it, J.
  double (*add_fixman)(const RigidMolecules&, const RigidBondTask&);
};

// Returns the kernels for an instruction set, which must be available.
const RigidBondKernels& rigid_bond_kernels(InstructionSet set);

}  // namespace sestina
