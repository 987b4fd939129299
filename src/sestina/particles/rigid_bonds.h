// Bonds of fixed length: point masses on massless links that are joined at the beads, free to turn there.
// Chains, stars, rings and networks of them are the articulated polymers of POEMS.
//
// With r_k = x_i - x_j along bond k, and d_k its length, the conditions are
//   (1)  g_k = (r_k . r_k - d_k^2)/2 = 0,   r_k . (v_i - v_j) = 0
// Rules that would move the beads freely become those of the links by two operations (RATTLE: Andersen, J.
// Comput. Phys. 52, 1983; symplectic: Leimkuhler and Skeel, J. Comput. Phys. 112, 1994), with G = dg/dx:
//   (2)  after x += h v:   x += m^-1 G^T lambda with G before the step, so that g = 0;  v += m^-1 G^T
//   lambda/h (3)  after a kick:     v -= m^-1 G^T mu, so that G v = 0
// Both need A = G m^-1 G^T; (2) by Newton's iteration, with G from both ends of the step. An entry of A joins
// two bonds that share a bead b:
//   (4)  A_kl = +-(1/m_b) r_k . r_l,   A_kk = (1/m_i + 1/m_j) r_k . r_k
// so the factors of a chain are tridiagonal, those of a tree as sparse, and the work is O(n): it is the
// recursion of articulated bodies for links without inertia. Eight molecules of the same structure are
// solved at once, in the lanes of SIMD registers, by the program of eliminations of their structure.
//
// Fixman's potential (Fixman, Proc. Natl. Acad. Sci. 71, 1974) undoes what fixed lengths do to the
// distribution of angles: with
//   (5)  U = kT/2 ln(det A / product of A_kk), A of unit vectors,
// the links are distributed as bonds are that become infinitely stiff.
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
  // Throws InputError where conditions of a molecule depend on each other at the model's positions.
  RigidBonds(const ParticleModel& model, InstructionSet set);
  RigidBonds(const RigidBonds&) = delete;
  RigidBonds& operator=(const RigidBonds&) = delete;
  ~RigidBonds();

  int count() const { return count_; }  // conditions; each takes a degree of freedom
  bool empty() const { return count_ == 0; }

  // After the particles have been put into another order, and at the start.
  void set_places(const ParticleArrays& particles);
  // Takes the directions of G from the positions.
  void set_bonds(ParticleArrays& particles, Executor& executor);

  // (2) with v += rate m^-1 G^T lambda, rate = 1/h. Throws ComputationError with t (s), which names the
  // beads, if the iteration fails.
  void constrain(double t, double rate, ParticleArrays& particles, Executor& executor);
  // (3); takes the directions of G from the positions.
  void project(ParticleArrays& particles, Executor& executor);
  double calc_virial(ParticleArrays& particles, Executor& executor);  // J
  // (5): adds forces, returns the energy (J).
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

// Moves the beads of a model, and takes from the velocities, what its rigid bonds do not allow. Throws
// InputError if a bond is off by more than a quarter of its length.
void satisfy_rigid_bonds(ParticleModel& model);

int count_rigid_bonds(const ParticleModel& model);

}  // namespace sestina
