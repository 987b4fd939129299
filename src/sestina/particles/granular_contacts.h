// The contacts of grains with each other and with walls (granular_model.h): their lists, their histories, and
// the forces and torques on the spheres. The forces depend on velocities and on the path: those of the last
// update are a part of the state.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sestina/numerics/cache_line_vector.h"
#include "sestina/particles/carriers.h"
#include "sestina/particles/granular_walls.h"
#include "sestina/particles/kernels/granular_kernels.h"
#include "sestina/particles/particle_arrays.h"
#include "sestina/particles/particle_model.h"

namespace sestina {

class Executor;
class NeighbourLists;

struct GrainSums {
  double elastic = 0.0;     // J, stored in contacts
  double rotational = 0.0;  // J, kinetic energy of spins
  double virial = 0.0;      // J, of contacts of spheres
  double taken =
      0.0;  // J, the work that contacts have taken from the motion; what is not elastic is dissipated
};

// The data of contacts for checkpoints.
struct GrainCheckpoint {
  std::vector<std::int32_t> touching;  // (contacts x 2) numbers of spheres; -1 - p: p of the parts of walls
  std::vector<double> contacts;        // (contacts x 9) histories m, force on the first sphere N
  std::vector<double> spin;            // (3 x n) rad/s, by place
  std::vector<double> sums;            // (6 x n) N and N m, by place
  double taken = 0.0;                  // J
  std::vector<double> listed_walls;    // (walls x 6) m, point and axis, when lists were made
};

class GranularContacts {
 public:
  // The model has been checked.
  GranularContacts(const ParticleModel& model, InstructionSet set);

  // Call before places change: stores the data of spheres and contacts by their numbers.
  void keep(const ParticleArrays& particles);
  // Call after places have changed: lists the contacts, which are at most a skin apart.
  void set_places(const ParticleArrays& particles, const NeighbourLists& lists, Executor& executor);

  // Moves the walls that bodies carry, and sets the velocities of their points.
  void move_walls(std::span<const CarrierMotion> motions);
  // Returns an upper bound (m) on how far a wall has moved at any grain since the list was made.
  double calc_wall_motion() const;

  // Calculates forces and torques, and advances the histories by a step h (s); the positions are those at its
  // end, the velocities those in its middle. Throws ComputationError with t (s) if a sphere is behind a
  // plane.
  void update(double t, double h, const ParticleArrays& particles, Executor& executor);
  // Starts the energy balance: the energy stored in contacts now has come from outside, and nothing is
  // dissipated yet.
  void begin_ledger(Executor& executor);
  void set_forces(ParticleArrays& particles) const;
  // Adds h times the torques to the spins.
  void kick(double h, Executor& executor);

  // The following results belong to the last update.
  GrainSums calc_sums(Executor& executor) const;
  std::vector<Vector3d> calc_wall_forces() const;  // N, of each wall on all spheres
  // Adds the wrenches on the bodies that carry walls.
  void add_wrenches(std::span<const CarrierMotion> motions, std::span<CarrierWrench> wrenches) const;
  void copy_spins(const ParticleArrays& particles, std::span<double> out) const;  // (n x 3) rad/s
  std::int64_t contacts() const { return count_; }  // number of those listed, touching or not

  GrainCheckpoint save(const ParticleArrays& particles) const;
  // Call before set_places: puts the walls where they were when the lists were made. Throws the errors of
  // restore.
  void restore_listed_walls(const GrainCheckpoint& saved);
  // Call after set_places and move_walls. Throws InputError if the sizes are not those of the model.
  void restore(double t, const GrainCheckpoint& saved, const ParticleArrays& particles, Executor& executor);

 private:
  static constexpr int kSentinels = 2;  // spheres that fill the last block

  struct Pair {
    std::int32_t first, second;
  };
  struct WallContact {
    std::int32_t sphere, wall, part = 0;  // a triangle of a mesh
    bool is_felt = false;                 // likewise: in the last update
  };
  // The points of one mesh at one grain.
  struct MeshPoints {
    std::vector<const Triangle*> triangles;
    std::vector<WallPoint> points;
    std::vector<char> is_felt;
  };
  // The data of the contacts, sorted by the number of the first sphere.
  struct Kept {
    std::vector<std::int32_t> begins, other;  // (n + 1); numbers, or those of other_number()
    std::vector<double> numbers;              // histories and forces
    const double* find(int first, int second) const;
  };

  void save_contacts(const ParticleArrays& particles, GrainCheckpoint& saved) const;
  void order_kept(const std::vector<std::int32_t>& touching, const std::vector<double>& numbers);
  void find_pairs(const ParticleArrays& particles, const NeighbourLists& lists, Executor& executor);
  void find_wall_contacts(const ParticleArrays& particles);
  void find_mesh_contacts(std::int32_t wall, const ParticleArrays& particles);
  void make_list(const ParticleArrays& particles);
  void make_entries();
  void take_histories(const ParticleArrays& particles);
  void pack(const ParticleArrays& particles, Executor& executor);
  void set_wall_reach(const ParticleArrays& particles);
  void place_wall_points(double t, const ParticleArrays& particles);
  std::size_t place_mesh_points(std::size_t c);
  std::uint8_t law_of(int species, int other) const;
  int other_number(const ParticleArrays& particles, std::int64_t contact) const;
  double overlap(std::int64_t contact, Vector3d& d) const;
  double calc_power_on_carriers() const;
  void check_planes(double t) const;
  [[noreturn]] void fail_behind(double t, const ParticleArrays& particles, const WallContact& contact) const;
  double* grain(std::int64_t i) { return grains_.data() + i * kGrainRecord; }
  const double* grain(std::int64_t i) const { return grains_.data() + i * kGrainRecord; }

  const GranularKernels& kernels_;
  Box box_;
  int n_ = 0;
  double skin_ = 0.0;                    // m
  std::vector<double> radius_, mass_;    // m, kg; of species
  std::vector<double> inverse_inertia_;  // 1/(kg m^2); of species
  std::vector<GrainLaw> laws_;
  std::vector<std::uint8_t> law_;           // (species x species) of laws_
  std::vector<GrainWall> given_walls_;      // in the axes of their carriers
  std::vector<GrainWall> walls_;            // in ground axes
  std::vector<GrainWall> listed_walls_;     // when the list was made
  std::vector<CarrierMotion> wall_motion_;  // of their carriers
  std::vector<std::int32_t> first_part_;    // by wall: of the parts of all walls; meshes have many
  std::vector<TriangleGrid> grids_;         // by wall: of meshes
  MeshPoints mesh_points_;
  double reach_ = 0.0;  // m, between grains and the points of planes that bodies carry, when listed
  bool is_plain_ = true, has_rolling_ = false;

  // Spheres by place, then two spheres without radius that never touch, then the points of wall contacts.
  CacheLineVector<double> grains_;            // (x kGrainRecord)
  CacheLineVector<double> sums_;              // (n x 8) forces and torques
  std::vector<double> inverse_inertia_of_;    // (n)
  std::int64_t count_ = 0;                    // contacts, without those that fill the last block
  std::vector<std::int32_t> first_, second_;  // of contacts: spheres or points
  std::vector<std::uint8_t> contact_law_;
  std::vector<double> history_[kHistory];
  CacheLineVector<double> records_, rolling_;
  std::vector<std::int32_t> begins_, entries_;
  std::vector<WallContact> wall_contacts_;  // the last of the contacts
  std::vector<std::vector<Pair>> pairs_;    // of each chunk of the lists
  Kept kept_;
  std::vector<double> kept_state_;  // (n x 11) spins and sums by number
  double taken_ = 0.0;              // J
};

}  // namespace sestina
