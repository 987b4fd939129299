// The rigid bodies among particles: the forces on their particles move the bodies, and the bodies move their
// particles. See articulated_bodies.h for the mechanics.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sestina/particles/articulated_bodies.h"
#include "sestina/particles/particle_arrays.h"
#include "sestina/particles/particle_model.h"

namespace sestina {

class Executor;

class ParticleBodies {
 public:
  // Starts at the positions and velocities of the model, whose joint bonds have their lengths. Throws
  // InputError.
  ParticleBodies(const ParticleModel& model, InstructionSet set);

  bool empty() const { return bodies_.size() == 0; }
  bool has(int particle) const { return is_in_body_[static_cast<std::size_t>(particle)] != 0; }
  int particles() const { return static_cast<int>(atom_.size()); }
  int degrees_of_freedom() const { return bodies_.degrees_of_freedom(); }

  // Call after the particles have been reordered. Particles of bodies get an inverse mass of zero.
  void set_places(ParticleArrays& particles);

  // Adds h times the forces to the momenta.
  void kick(double h, const AtomForces& forces, Executor& executor);
  // Finds Fixman's potential (fixman_potential.h) for kT (J), and its wrenches, which act with the next calls
  // of kick_by_fixman.
  double calc_fixman(double kT, Executor& executor);
  void kick_by_fixman(double h, Executor& executor);
  // Moves bodies and their particles. Throws ComputationError with t (s) where the step is too long.
  void advance(double t, double h, ParticleArrays& particles, Executor& executor);
  // Moves along the displacements that are given in place of forces, as far as the joints allow, or along a
  // fraction of them if joints would have to turn too far. Momenta do not change.
  void displace(double t, ParticleArrays& particles, Executor& executor);

  void scale_momenta(double factor) { bodies_.scale_momenta(factor); }
  void randomise(double friction_time, const Langevin& thermostat, double kT, std::int64_t step,
                 Executor& executor);
  void add_total_momentum(double& mass, Vector3d& momentum) const;
  void add_velocity(const Vector3d& v);

  // The following compute the twists first.
  double calc_kinetic(Executor& executor);                          // J
  void copy_velocities(std::span<double> out, Executor& executor);  // (n x 3) m/s, of the particles in bodies
  // Returns a term to add to the virial of all forces on particles and twice the kinetic energy: the pressure
  // from the sum is that of molecules that act at their centres of mass.
  double calc_pressure_part(const ParticleArrays& particles, Executor& executor);  // J

  std::vector<double> save() const { return bodies_.save(); }
  void restore(std::span<const double> saved);
  std::size_t saved_size() const {
    return static_cast<std::size_t>(bodies_.size()) * ArticulatedBodies::kSaved;
  }

  // Draws momenta for kT that the joints allow.
  void draw_momenta(double kT, std::uint32_t seed);
  // Copies the angular velocities of list_bodies (bodies x 3, rad/s) from the last calc_kinetic.
  void copy_spin(std::vector<double>& spin) const;
  // Copies angular and linear momenta of list_bodies (bodies x 6).
  void copy_momenta(std::vector<double>& momenta) const;
  void set_momenta(std::span<const double> momenta);
  // Sets the numbers by which random numbers are drawn for the bodies of list_bodies; by default their places
  // in it.
  void set_draws(std::span<const std::uint32_t> numbers);

 private:
  struct Built;
  struct AtomGroup {
    std::vector<std::int32_t> begin, number, place;
    std::vector<std::int32_t>
        image;  // (atoms x 3) in lanes: boxes from the body's particle to where it was given
    CacheLineVector<double> offset, shift, wrench;
    CacheLineVector<double> fixman;  // as `wrench`; empty: none
    double fixman_energy = 0.0;      // J
    int used = 0;
    BodyAtoms atoms() const {
      return {static_cast<int>(begin.size()) - 1, used, begin.data(), place.data(), offset.data()};
    }
  };

  ParticleBodies(const ParticleModel& model, Built built, InstructionSet set);
  static Built build(const ParticleModel& model);
  void make_atom_groups(const ParticleModel& model, const Built& built);
  void set_initial_momenta(const ParticleModel& model);
  void set_all_twists(Executor& executor);
  template <class Move>
  void move(double t, ParticleArrays& particles, Executor& executor, Move&& move);
  template <class Work>
  void for_groups(Executor& executor, Work&& work);
  [[noreturn]] void fail(double t, int group) const;

  Box box_;
  ArticulatedBodies bodies_;
  std::vector<AtomGroup> groups_;                // as the groups of bodies_
  std::vector<std::vector<int>> atoms_;          // particles of each body of bodies_
  std::vector<int> molecule_begin_;              // (molecules + 1) bodies
  std::vector<int> atom_;                        // the particles in bodies
  std::vector<char> is_in_body_;                 // of all particles
  std::vector<int> part_of_;                     // the body of each of list_bodies
  std::vector<std::uint32_t> draw_of_;           // number of each body of bodies_ for random numbers
  std::vector<double> mass_of_, extra_inertia_;  // kg, of particles; kg m^2, of bodies
};

// Counts the degrees of freedom of particles, rigid bonds and bodies, less one for each axis along which the
// total momentum is conserved.
double count_degrees_of_freedom(const ParticleModel& model, int rigid_bonds, const ParticleBodies& bodies,
                                bool keeps_momentum);

}  // namespace sestina
