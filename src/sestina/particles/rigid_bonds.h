// Bonds of fixed length: massless links between point masses (beads), with ball joints at the beads. Chains,
// stars, rings and networks of them are the articulated polymers of POEMS.
//
// With r_k = x_i - x_j along bond k, and d_k its length, the conditions are
//   (1)  g_k = (r_k . r_k - d_k^2)/2 = 0,   r_k . (v_i - v_j) = 0
// Rules that would move the beads freely become those of the links by two operations (RATTLE: Andersen, J.
// Comput. Phys. 52, 1983; symplectic: Leimkuhler and Skeel, J. Comput. Phys. 112, 1994), with G = dg/dx:
//   (2)  after x += h v:   x += m^-1 G^T lambda, G before the step, so that g = 0;  v += m^-1 G^T lambda/h
//   (3)  after a kick:     v -= m^-1 G^T mu, so that G v = 0
// Both need A = G m^-1 G^T; (2) by Newton's iteration, with G from both ends of the step. An entry of A
// couples two bonds that share a bead b:
//   (4)  A_kl = +-(1/m_b) r_k . r_l,   A_kk = (1/m_i + 1/m_j) r_k . r_k
// so the factors of a chain are tridiagonal, those of a tree as sparse, and the work is O(n): this is the
// articulated-body recursion for links without inertia. Eight molecules of the same structure are solved at
// once, in the lanes of SIMD registers, with one sequence of eliminations.
//
// Fixman's potential (Fixman, Proc. Natl. Acad. Sci. 71, 1974) cancels the effect of fixed lengths on the
// distribution of angles: with
//   (5)  U = kT/2 ln(det A / product of A_kk), A of unit vectors,
// the links have the distribution of bonds in the limit of infinite stiffness.
#pragma once

#include <memory>
#include <vector>

#include "sestina/parallel/instruction_set.h"
#include "sestina/particles/kernels/rigid_bond_kernels.h"
#include "sestina/particles/particle_arrays.h"
#include "sestina/particles/particle_model.h"

namespace sestina {

class Executor;
struct BondStructure;

class RigidBonds {
 public:
  // Throws InputError if conditions of a molecule depend on each other at the model's positions.
  RigidBonds(const ParticleModel& model, InstructionSet set);
  RigidBonds(const RigidBonds&) = delete;
  RigidBonds& operator=(const RigidBonds&) = delete;
  ~RigidBonds();

  int count() const { return count_; }  // conditions; each removes a degree of freedom
  bool empty() const { return count_ == 0; }

  // Call at the start and after the particles have been reordered.
  void set_places(const ParticleArrays& particles);
  // Takes the directions of G from the positions.
  void set_bonds(ParticleArrays& particles, Executor& executor);

  // Applies (2) with v += rate m^-1 G^T lambda, rate = 1/h. Throws ComputationError with t (s), which names
  // the beads, if the iteration fails.
  void constrain(double t, double rate, ParticleArrays& particles, Executor& executor);
  // Applies (3); takes the directions of G from the positions.
  void project(ParticleArrays& particles, Executor& executor);
  double calc_virial(ParticleArrays& particles, Executor& executor);  // J
  // Evaluates (5): adds the forces and returns the energy (J).
  double add_fixman(double kT, ParticleArrays& particles, Executor& executor);

 private:
  struct Group;

  RigidBondTask task_on(ParticleArrays& particles) const;
  template <class Kernel>
  double sum_groups(Executor& executor, Kernel&& kernel);
  void check_independent(ParticleArrays particles);
  [[noreturn]] void fail(double t, const ParticleArrays& particles) const;

  const RigidBondKernels* kernels_;
  const Box box_;
  int count_ = 0;
  std::vector<std::unique_ptr<BondStructure>> structures_;
  std::vector<Group> groups_;
};

// Moves the beads of a model to the lengths of its rigid bonds, and removes velocities that these do not
// allow. Throws InputError if a bond is off by more than a quarter of its length.
void satisfy_rigid_bonds(ParticleModel& model);

int count_rigid_bonds(const ParticleModel& model);

}  // namespace sestina
