// Forces of the surroundings on each particle alone: gravity, electric fields, tethers, walls.
//
// With the distance d of a particle from a face of the box, positive inside:
//   gravity        U = -m a . x
//   electric       U = -q E . x
//   tether         U = k/2 |x - x0|^2, of the nearest image; x0 may be a point of a body
//   lj_wall        U = epsilon (2/15 (sigma/d)^9 - (sigma/d)^3) - U_c for d < cutoff: a half-space of
//                  particles with the Lennard-Jones potential, up to a factor (Steele, Surf. Sci. 36, 1973)
//   harmonic_wall  U = k/2 (reach - d)^2 for d < reach
// In gravity and electric fields x follows a particle across the faces of a periodic box.
#pragma once

#include <vector>

#include "sestina/particles/carriers.h"
#include "sestina/particles/particle_model.h"

namespace sestina {

class Executor;
struct ParticleArrays;

struct FieldSums {
  double energy = 0.0;   // J
  Vector3d force{};      // N, on all particles
  CarrierWrench wrench;  // on the body that carries a tether
};

class ParticleFields {
 public:
  ParticleFields() = default;
  explicit ParticleFields(const ParticleModel& model);

  bool empty() const { return fields_.empty(); }
  // Moves the tethers that bodies carry. Without `at`, a tether's anchor is the particle's place in the axes
  // of the body at the first call.
  void move_tethers(std::span<const CarrierMotion> motions);
  void add_wrenches(std::span<CarrierWrench> wrenches) const;  // of the last call of add_forces
  // Adds the forces on the particles, and returns the energy (J). Throws ComputationError with t (s) and the
  // particle that is behind a wall.
  double add_forces(double t, ParticleArrays& particles, Executor& executor);
  // Returns the sums of each field at the last call of add_forces.
  const std::vector<FieldSums>& sums() const { return sums_; }

 private:
  struct Pull {
    double energy = 0.0;
    Vector3d force{};
    CarrierWrench wrench;  // on the body
  };
  struct Field {
    ParticleField given;
    double offset = 0.0;          // J, U_c
    double face = 0.0;            // m, coordinate of the wall
    std::vector<double> anchor;   // (n x 3) m, of tethers
    std::vector<double> held;     // (n x 3) m, likewise in the axes of the body that carries them
    Vector3d origin{};            // m, of this body
    std::vector<char> is_chosen;  // (n)
  };

  Pull calc(const Field& field, const ParticleArrays& particles, int place) const;
  Pull calc_uniform(const Field& field, const ParticleArrays& particles, int place) const;
  Pull calc_tether(const Field& field, const ParticleArrays& particles, int place) const;
  static Pull calc_wall(const Field& field, double x);
  [[noreturn]] void fail(double t, std::size_t field, const ParticleArrays& particles) const;

  Box box_;
  std::vector<double> mass_;    // kg, of species
  std::vector<double> charge_;  // (n), or empty
  std::vector<Field> fields_;
  std::vector<FieldSums> sums_;
};

// Finds the axes along which no field acts, so that the total momentum is conserved.
std::array<bool, 3> find_free_axes(const ParticleModel& model);

}  // namespace sestina
