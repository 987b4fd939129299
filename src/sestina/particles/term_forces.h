// Forces of bonds, angles and dihedrals.
//
// Each term writes the forces on its particles to slots of its own; each particle then adds its slots in
// order. So results do not depend on the number of threads.
//
// With unit vectors along b = r_i - r_j and nearest images throughout:
//   bond       F_i = -U'(r) b/r, F_j = -F_i
//   angle      i-j-k, a = r_i - r_j, c = r_k - r_j, cos theta = a.c / (|a||c|):
//              F_i = -U'(theta) dtheta/dr_i with
//              dtheta/dr_i = (cos theta a/|a| - c/|c|) / (|a| sin theta), and likewise for k
//   dihedral   i-j-k-l, F = r_i - r_j, G = r_j - r_k, H = r_l - r_k, A = F x G, B = H x G
//              (Blondel and Karplus, J. Comput. Chem. 17, 1996):
//              cos phi = A.B / (|A||B|), sin phi = (B x A).G / (|A||B||G|),
//              dphi/dr_i = -|G| A / A^2, dphi/dr_l = |G| B / B^2,
//              dphi/dr_j = |G| A / A^2 + (F.G) A / (A^2 |G|) - (H.G) B / (B^2 |G|),
//              dphi/dr_k = -(dphi/dr_i + dphi/dr_j + dphi/dr_l)
#pragma once

#include <vector>

#include "sestina/particles/kernels/particle_kernels.h"
#include "sestina/particles/neighbour_lists.h"
#include "sestina/particles/particle_model.h"

namespace sestina {

class Executor;
struct ParticleArrays;

class TermForces {
 public:
  TermForces() = default;
  explicit TermForces(const ParticleModel& model);

  bool empty() const { return terms_.empty(); }
  void set_box(const Box& box) { box_ = box; }
  // Adds to the forces of the particles. Throws ComputationError with t (s) if a FENE bond is at its
  // maximum length or a bond spans half the box.
  PairSums add_forces(double t, ParticleArrays& particles, Executor& executor);
  // Moves the ends of FENE bonds that are longer than this fraction of their largest length together.
  void shorten_bonds(double fraction, ParticleArrays& particles) const;

 private:
  struct Force {
    double x = 0.0, y = 0.0, z = 0.0;
  };
  struct Geometry;

  PairSums calc_term(const Term& term, const ParticleArrays& particles, Force* slots) const;
  PairSums calc_bond(const TermType& type, const Geometry& at, Force* slots) const;
  PairSums calc_angle(const TermType& type, const Geometry& at, Force* slots) const;
  PairSums calc_dihedral(const TermType& type, const Geometry& at, Force* slots) const;
  [[noreturn]] void fail(double t, const ParticleArrays& particles) const;

  Box box_;
  std::vector<TermType> types_;
  std::vector<Term> terms_;
  std::vector<int> first_slot_;              // of each term
  std::vector<int> bonded_;                  // numbers of the particles that have slots, ascending
  std::vector<int> slot_begins_, slots_of_;  // of each of them
  std::vector<Force> slots_;
};

// Finds the pairs without a pair force: pairs that are connected by at most `bonds` bonds.
Exclusions find_exclusions(const ParticleModel& model, int bonds);

}  // namespace sestina
