// Particles and the forces between them, stepped through time.
//
//   ParticleSystem system(model, executor);
//   for (int i = 0; i < 1000; ++i) system.step(0.005);
//   ParticleMeasures now = system.measure();
//
// A step is velocity Verlet, with v at whole steps:
//   (1) v += h/2 F/m
//   (2) x += h v
//   (3) F = F(x)
//   (4) v += h/2 F/m
// Forces between pairs may act only every k steps (reversible RESPA: Tuckerman, Berne, Martyna, J. Chem.
// Phys. 97, 1992): before and after each k steps with the other forces, v += k h/2 F/m. A central force may
// do so every k l steps. Velocities and energies are those of the motion at multiples of the longest of
// these. With the Langevin thermostat it is BAOAB (Leimkuhler and Matthews, Appl. Math. Res. Express, 2013):
// (2) is split into two halves, between which v = c v + sqrt((1 - c^2) k T/m) xi, c = exp(-friction h). For
// rigid bodies (articulated_bodies.h) (1) and (4) are impulses, and (2) is a motion of their own. Rigid bonds
// (rigid_bonds.h) are satisfied after every change of positions, and their velocity conditions at the end of
// a step and before and after the random forces. When the time of a Langevin thermostat has passed, the total
// momentum is removed. Spins w of grains (granular_contacts.h) change in (1) and (4) by h/2 T/I; their forces
// (3) are those of the velocities at h/2. With a barostat, box, positions and velocities are scaled after (4)
// of every few steps. With the Nose-Hoover thermostat, a chain of three, the velocities are scaled before (1)
// and after (4) (Martyna, Tuckerman, Tobias, Klein, Mol. Phys. 87, 1996).
//
// Bodies outside the particles (carriers.h) may carry walls and tethers: they take (1) and (4) as impulses of
// the forces on them, and move by themselves in (2).
//
// Results have the same bits for any number of threads, and after a restart; the last bits depend on the
// instruction set. After the first steps nothing is allocated, unless a neighbour list grows longer than ever
// before.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sestina/particles/carriers.h"
#include "sestina/particles/granular_contacts.h"
#include "sestina/particles/neighbour_lists.h"
#include "sestina/particles/particle_arrays.h"
#include "sestina/particles/particle_fields.h"
#include "sestina/particles/particle_model.h"
#include "sestina/particles/rigid_bonds.h"
#include "sestina/particles/term_forces.h"

namespace sestina {

class CopiedCube;
class EwaldSum;
class Executor;
class FastMultipole;
class ParticleBodies;

struct ParticleMeasures {
  double t = 0.0;            // s
  double temperature = 0.0;  // K, of the degrees of freedom that are free to move: 3 n, less one for each
                             // rigid bond and for each axis along which nothing changes the total
                             // momentum; of particles in bodies, those of their joints
  double pressure = 0.0;     // Pa, (2 kinetic + virial) / (3 volume); molecules of bodies count as points
  double kinetic = 0.0;      // J, with that of the spins of grains
  double rotational = 0.0;   // J, of these spins
  double dissipated = 0.0;   // J, the work absorbed by contacts of grains and not stored in them
  double pair = 0.0;         // J, of pair forces, or stored in contacts of grains
  double bonded = 0.0;       // J, of bonds, angles and dihedrals, and Fixman's potential
  double field = 0.0;        // J, of the surroundings
  double thermostat = 0.0;   // J, given to a Nose-Hoover thermostat, so that the total is conserved
  double barostat = 0.0;     // J, given to a barostat, likewise
  double carriers = 0.0;     // J, given to the bodies that carry walls and tethers, likewise
  double virial = 0.0;       // J, sum of r . F, without the forces of the surroundings
  double volume = 0.0;       // m^3
  double potential() const { return pair + bonded + field; }
  double total() const { return kinetic + potential() + thermostat + barostat + dissipated + carriers; }
};

// The data from which a run continues, bit for bit.
struct ParticleCheckpoint {
  std::int64_t steps = 0;
  double t = 0.0;                           // s
  std::vector<std::int32_t> number, image;  // (n), (3 x n) by place
  std::vector<double> position, velocity;   // (3 x n) by place
  std::vector<double> listed_position;      // (3 x n), when lists were made
  std::array<double, 6> thermostat{};       // positions and velocities of the chain
  std::array<double, 6> box{};              // m, lower corner and lengths
  std::vector<double> bodies;               // ParticleBodies::save
  double barostat = 0.0;                    // J
  double carriers = 0.0;                    // J
  std::vector<double> wrenches;             // (carriers x 6) N, N m, on the bodies that carry walls
  std::string mechanism;                    // Carriers::save
  GrainCheckpoint grains;
};

class ParticleSystem {
 public:
  // Throws InputError with all faults of the model, or if beads of rigid bonds are too far from their places
  // (satisfy_rigid_bonds); ComputationError if particles overlap so that the energy is not finite. The
  // executor and the carriers must outlive it; without them the model can have none.
  ParticleSystem(const ParticleModel& model, Executor& executor,
                 InstructionSet set = default_instruction_set(), Carriers* carriers = nullptr);
  ~ParticleSystem();
  ParticleSystem(const ParticleSystem&) = delete;
  ParticleSystem& operator=(const ParticleSystem&) = delete;

  int size() const { return particles_.size; }
  double t() const { return t_; }  // s
  std::int64_t steps() const { return steps_; }
  std::int64_t list_builds() const { return list_builds_; }
  const Box& box() const { return model_.box; }
  const ParticleModel& model() const { return model_; }
  double degrees_of_freedom() const;
  bool has_thermostat() const;  // now: it may have an end

  // Throws ComputationError, which names the particle, if one is no longer finite or crosses the box in one
  // step.
  void step(double h);
  ParticleMeasures measure();
  // The energies and forces of the fields, in the order of the model, as they were last summed.
  const std::vector<FieldSums>& field_sums() const { return fields_.sums(); }
  // Returns the force (N) of each wall on all grains.
  std::vector<Vector3d> calc_wall_forces() const;
  // Returns the force and torque (N, N m) on each body that carries walls and tethers, at the end of the last
  // step.
  std::span<const CarrierWrench> wrenches() const { return wrenches_; }
  // Separates particles that overlap: in each of the steps, every particle moves along the force on it by at
  // most `largest` (m), a limit that decreases to zero over the steps. Velocities and time do not change.
  void relax(int steps, double largest);

  // Results are in the order of the particles' numbers, (n x 3). Positions follow a particle across the faces
  // of the box.
  void copy_positions(std::span<double> out) const;
  void copy_velocities(std::span<double> out) const;
  void copy_forces(std::span<double> out);
  void copy_spins(std::span<double> out) const;  // rad/s, of grains; others have none

  ParticleCheckpoint save() const;
  void restore(const ParticleCheckpoint& checkpoint);

 private:
  struct Sums {
    PairSums pair, bonded;
    double bodies = 0.0;  // J, ParticleBodies::calc_pressure_part
    double field = 0.0;   // J
  };

  // Forces (N) that act at each multiple of `every` steps.
  struct SlowForces {
    int every = 1;
    Numbers64 fx, fy, fz;

    bool is_slow() const { return every > 1; }
    bool act_at(std::int64_t steps) const { return is_slow() && steps % every == 0; }
  };

  void set_particles();
  void make_lists();
  void update_contacts(double h);
  void take_carriers();
  void advance_carriers(double t_end);
  void kick_carriers(double h);
  void calc_wrenches();
  void calc_forces(bool with_sums);
  void calc_sums();
  void choose_central_sum(InstructionSet set);
  void calc_central_fields();
  void add_central_forces(bool with_sums, Numbers64& fx, Numbers64& fy, Numbers64& fz);
  void calc_pair_forces(bool with_sums, Numbers64& fx, Numbers64& fy, Numbers64& fz);
  void calc_slow_forces(std::int64_t steps);
  void kick_by_slow_forces(std::int64_t steps, double h);
  void add_slow_forces();
  void kick(double h, const Numbers64& fx, const Numbers64& fy, const Numbers64& fz);
  void drift(double h, double t_end);
  void advance_positions(double h);
  void check_lists();
  void project();
  void turn_velocities(double energy);
  void randomise(double h);
  void end_thermostat();
  void scale_by_chain(double h);
  void rescale_box(double h);
  void scale_positions(double factor);
  void scale_velocities(double factor);
  double calc_kinetic() const;
  double calc_thermostat_energy() const;
  void check_finite() const;
  void check(const ParticleCheckpoint& saved) const;
  std::string describe_neighbour(int place) const;

  ParticleModel model_;
  Executor& executor_;
  const ParticleKernels& kernels_;
  ParticleArrays particles_;
  std::vector<LennardJonesCoefficients> coefficients_;  // (species x species)
  double reach_ = 0.0;                                  // m, cutoff and skin; 0: no lists
  Exclusions exclusions_;
  SpatialOrder order_;
  NeighbourLists lists_;
  Numbers64 listed_x_, listed_y_, listed_z_;  // m, when lists were made
  TermForces terms_;
  ParticleFields fields_;
  RigidBonds rigid_;
  std::unique_ptr<ParticleBodies> bodies_;
  std::unique_ptr<GranularContacts> grains_;  // null: none
  std::unique_ptr<FastMultipole> multipole_;  // these sum central forces; neither: directly
  std::unique_ptr<CopiedCube> copied_cube_;   // of a box that is no cube, for multipole_
  std::unique_ptr<EwaldSum> ewald_;
  Numbers64 potential_, gx_, gy_, gz_;  // of central forces
  SlowForces slow_pairs_, slow_central_;
  Numbers64 kept_fx_, kept_fy_, kept_fz_;  // forces of the motion, kept while sums are evaluated
  Sums sums_;
  double t_ = 0.0;  // s
  std::int64_t steps_ = 0, list_builds_ = 0;
  std::array<double, 3> chain_position_{}, chain_velocity_{};  // 1, 1/s
  double barostat_energy_ = 0.0;                               // J
  Carriers* carriers_;                                         // null: none
  std::vector<CarrierMotion> motions_;                         // with the mean velocities of the last step
  std::vector<CarrierWrench> wrenches_;
  double carriers_energy_ = 0.0;  // J
};

// Gives the model's particles velocities, and its bodies spins, of a temperature: normally distributed,
// without total momentum, compatible with rigid bonds and joints, and scaled so that the measured temperature
// is the one given.
void draw_velocities(double temperature, std::uint32_t seed, ParticleModel& model);

}  // namespace sestina
