// fix sestina: articulated bodies inside a LAMMPS run. See docs/lammps.md for its words.
//
// In a step, as fix nve does it for atoms, with h the time step:
//   initial_integrate:  momenta += h/2 forces, motion of h, new positions of the atoms
//   final_integrate:    momenta += h/2 forces, new velocities of the atoms
// A molecule belongs to one rank for good, which gets the forces on its atoms from the ranks that hold these,
// and sends back positions and velocities.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "atom_exchange.h"
#include "fix.h"
#include "owned_molecules.h"

namespace LAMMPS_NS {

class FixSestina : public Fix {
 public:
  FixSestina(LAMMPS* lammps, int narg, char** arg);
  ~FixSestina() override;

  int setmask() override;
  void init() override;
  void setup(int vflag) override;
  void pre_neighbor() override { connect(); }
  void initial_integrate(int vflag) override;
  void post_force(int vflag) override;
  void final_integrate() override;
  void initial_integrate_respa(int vflag, int level, int loop) override;
  void final_integrate_respa(int level, int loop) override;
  void write_restart(FILE* file) override;
  void restart(char* buffer) override;
  decltype(std::declval<Fix&>().dof(0)) dof(int number) override;
  int modify_param(int narg, char** arg) override;
  double compute_scalar() override;
  double compute_vector(int number) override;
  double memory_usage() override;

 private:
  struct Langevin {
    double temperature = 0.0, damping = 0.0;
    std::uint32_t seed = 0;
  };

  [[noreturn]] void refuse(const std::string& message) const;
  class Words;

  void read_arguments(int narg, char** arg);
  void read_langevin(Words& words);
  void make_table();
  void read_bonds();
  std::string read_file() const;
  void build();
  void connect();
  void gather_atoms(int width, void (FixSestina::*take)(int, double*) const, std::vector<double>& of_slots);
  void take_mass(int local, double* to) const;
  void take_position(int local, double* to) const;
  void take_velocity(int local, double* to) const;
  void take_force(int local, double* to) const;
  void gather_forces(std::vector<double>& forces);
  void kick(double h, const std::vector<double>& forces);
  void drift(double h);
  void randomise(double h);
  void put_velocities();
  void add_virial(const std::vector<double>& forces);
  double respa_step(int level) const;
  template <class Work>
  void on_this_rank(Work&& work);

  std::string file_;  // of the joints; empty: bonds
  bool torsion_ = false, is_early_ = false;
  double inertia_ = 0.0;
  std::unique_ptr<Langevin> langevin_;
  std::unique_ptr<sestina::lammps::JointTable> table_;
  std::unique_ptr<sestina::lammps::Ownership> ownership_;
  std::unique_ptr<sestina::lammps::OwnedMolecules> owned_;
  sestina::lammps::AtomExchange exchange_;
  int rank_ = 0, ranks_ = 1;
  std::vector<double> x_, v_, f_, held_;              // by slot; of atoms held
  std::vector<std::vector<double>> forces_of_level_;  // of r-RESPA
  std::vector<double> restarted_;                     // momenta of all bodies; empty: none
  double freedoms_ = 0.0, kinetic_ = 0.0;             // of all ranks
  bigint kinetic_step_ = -1;
};

}  // namespace LAMMPS_NS
