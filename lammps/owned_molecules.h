// The molecules of jointed bodies that a rank owns, without a word of LAMMPS: numbers of their atoms in,
// numbers out.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "joint_table.h"
#include "sestina/parallel/executor.h"
#include "sestina/particles/particle_bodies.h"

namespace sestina::lammps {

// The first atom of each molecule of a table, as a place in it.
std::vector<int> first_atoms(const JointTable& table);

// Who owns the molecules of a table: the rank that holds a molecule's first atom, unless it has more than its
// share of atoms; the same on all ranks.
struct Ownership {
  std::vector<int> rank;  // of each atom of the table
  std::vector<int> slot;  // among the atoms that this rank owns
  Ownership(const JointTable& table, int ranks, std::span<const int> holders);  // of the first atoms
};

// Atoms by their slots. Units are those of the run, with h mass for impulses.
class OwnedMolecules {
 public:
  OwnedMolecules(const JointTable& table, const Ownership& ownership, int rank);

  int slots() const { return static_cast<int>(atom_.size()); }
  std::vector<AtomId> atoms() const;  // by slot
  bool is_built() const { return bodies_ != nullptr; }

  // Bodies at the positions (3 numbers an atom), whose atoms move with the velocities as far as joints allow.
  // Spins that they had, they keep. Throws InputError.
  void build(const Box& box, std::span<const double> mass, std::span<const double> x,
             std::span<const double> v);

  void kick(double h, std::span<const double> f);
  // Throws ComputationError.
  void advance(double t, double h, std::span<double> x);
  // momenta = c momenta + random ones of kT, c = exp(-friction_time).
  void randomise(double friction_time, double kT, std::uint32_t seed, std::int64_t draw);
  double calc_kinetic() { return bodies_->calc_kinetic(executor_); }
  void copy_velocities(std::span<double> v) { bodies_->copy_velocities(v, executor_); }
  int degrees_of_freedom() const { return bodies_->degrees_of_freedom(); }
  // The virial of each atom (xx, yy, zz, xy, xz, yz) by which the pressure of atoms and their forces becomes
  // that of the molecules: with the place r from the molecule's centre of mass, whose velocity is V,
  //   m V V - m v v - r f
  void calc_virials(double energy_of_mv2, std::span<const double> x, std::span<const double> v,
                    std::span<const double> f, std::span<double> virials) const;

  // 6 numbers for each body of the table; of the bodies that this rank owns.
  void put_momenta(std::span<double> of_all) const;
  void take_momenta(std::span<const double> of_all);

 private:
  const JointTable& table_;
  std::vector<int> atom_;      // of the table, by slot
  std::vector<int> body_;      // of the table, which this rank owns
  std::vector<int> molecule_;  // of each slot, counted on this rank
  int molecules_ = 0;
  std::vector<std::array<int, 2>>
      next_to_;  // slots in an order in which the image of the first follows the second
  std::vector<double> mass_, spin_;
  Box box_;
  ParticleArrays arrays_;
  Executor executor_{1};
  std::unique_ptr<ParticleBodies> bodies_;
};

}  // namespace sestina::lammps
