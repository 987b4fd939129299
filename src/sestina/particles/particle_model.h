// Particles as a user describes them: numbers by particle, in the order in which they were given, and the
// laws of the forces between them. Any consistent units may be used: SI, or Lennard-Jones units, in which
// mass, epsilon, sigma and Boltzmann's constant are one.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sestina/particles/box.h"
#include "sestina/particles/granular_model.h"

namespace sestina {

struct Species {
  std::string name;
  double mass = 1.0;     // kg
  double radius = 0.0;   // m, of grains
  double inertia = 0.0;  // kg m^2, of grains; 0: that of a solid sphere

  double moment_of_inertia() const {
    return inertia > 0.0 ? inertia : 0.4 * mass * radius * radius;
  }  // kg m^2
};

// U(r) = 4 epsilon ((sigma/r)^12 - (sigma/r)^6) - U_c for r < cutoff, between particles of two species.
struct LennardJones {
  int first = 0, second = 0;  // species
  double epsilon = 1.0;       // J
  double sigma = 1.0;         // m
  double cutoff = 2.5;  // m; 2^(1/6) sigma with `is_shifted` is the potential of Weeks, Chandler, Andersen
  bool is_shifted = false;  // U_c makes U(cutoff) zero; otherwise it is zero

  // True if both act between particles of the same two species.
  bool has_species_of(const LennardJones& other) const {
    return (first == other.first && second == other.second) ||
           (first == other.second && second == other.first);
  }
};

// U = k q_i q_j / r between all pairs; with k > 0 equal charges repel each other. In a periodic box the sum
// includes all images, surrounded by a conductor, and the charges add up to zero. Gravity is k = -G with the
// masses as charges, in an open box.
struct CentralForce {
  double strength = 1.0;    // k
  bool is_gravity = false;  // the masses take the place of the charges
  // The relative error allowed, for the fast multipole method or, in a periodic box of which few copies do
  // not make a cube (CopiedCube), Ewald's sum. 0: the direct sum, or Ewald's to 1e-12.
  double tolerance = 0.0;
  int every = 1;  // steps between which it acts (ParticleSystem)
};

// Stretches (2 particles), angles (3), dihedrals (4).
enum class TermLaw {
  kHarmonicBond,      // U = k/2 (r - r0)^2
  kFene,              // U = -k/2 R0^2 ln(1 - (r/R0)^2) + WCA(epsilon, sigma)
  kRigidBond,         // r = r0: a massless link with a ball joint at each end
  kSphericalBond,     // r = r0: the second bead is a rigid body that a ball joint holds at the first bead
  kTorsionBond,       // likewise, but the bead turns only about the bond before: angles are kept too
  kHarmonicAngle,     // U = k/2 (theta - theta0)^2, theta = pi if the three are in line
  kCosineAngle,       // U = k (1 + cos theta)
  kPeriodicDihedral,  // U = k (1 + cos(n phi - phase)), phi = 0 for cis
};

// Bonds whose beads are jointed bodies.
inline constexpr bool is_joint(TermLaw law) {
  return law == TermLaw::kSphericalBond || law == TermLaw::kTorsionBond;
}
inline constexpr int size_of(TermLaw law) {
  return law <= TermLaw::kTorsionBond ? 2 : law <= TermLaw::kCosineAngle ? 3 : 4;
}

struct TermType {
  TermLaw law = TermLaw::kHarmonicBond;
  double stiffness = 0.0;  // k: N/m; J/rad^2 or J
  double rest = 0.0;       // r0 m, R0 m, theta0 rad or phase rad
  double epsilon = 0.0;    // J, of FENE
  double sigma = 1.0;      // m, of FENE
  int multiplicity = 1;    // n
  double inertia = 0.0;    // kg m^2, of each bead about any axis; of spherical and torsion bonds
};

struct Term {
  int type = 0;
  std::array<int, 4> particles{-1, -1, -1, -1};  // as many as the law has
};

enum class ParticleJoint {
  kFree,
  kSpherical,
  kRevolute,     // turns about its axis
  kPrismatic,    // slides along its axis
  kUniversal,    // turns about its axis, fixed in the parent, and a second one, fixed in the body
  kCylindrical,  // turns about its axis and slides along it
  kPlanar,       // turns about its axis and slides perpendicular to it
  kDistance      // a massless link with a ball joint at each end; only for joints that close loops
};

// Particles that keep their relative places at the start. A joint connects them to an earlier body.
struct ParticleBody {
  std::vector<int> particles;  // at least one
  int parent = -1;             // body; -1: free
  ParticleJoint joint = ParticleJoint::kFree;
  int at = -1;                        // the particle at the joint, of this body or its parent
  std::array<int, 2> along{-1, -1};   // the axis points from the first of these particles to the second
  std::array<int, 2> across{-1, -1};  // the second axis, of a universal joint
  double inertia = 0.0;               // kg m^2, about any axis, in addition to that of the particles
};

// A joint that closes a loop between two bodies of a molecule, in their places at the start. The first body
// has the role of the parent.
struct ParticleClosure {
  std::array<int, 2> bodies{-1, -1};
  ParticleJoint joint = ParticleJoint::kSpherical;
  int at = -1;                         // the particle at the joint, of one of the bodies
  std::array<int, 2> along{-1, -1};    // the axis, as in ParticleBody
  std::array<int, 2> across{-1, -1};   // likewise
  std::array<int, 2> between{-1, -1};  // particles of the two bodies whose distance is kept
};

// A force of the surroundings on particles (particle_fields.h).
enum class FieldLaw { kGravity, kElectric, kTether, kLennardJonesWall, kHarmonicWall };

struct ParticleField {
  FieldLaw law = FieldLaw::kGravity;
  std::vector<int> species;    // on which it acts; empty: all
  std::vector<int> particles;  // likewise
  Vector3d vector{};           // m/s^2, acceleration; V/m, electric field
  double stiffness = 0.0;      // N/m, of tethers and harmonic walls
  std::optional<Vector3d> at;  // m, anchor of a tether; otherwise the place at the start
  int axis = 2;                // of the face of the box at which the wall is
  bool is_upper = false;       // the face with the larger coordinate
  double epsilon = 1.0;        // J, of a Lennard-Jones wall
  double sigma = 1.0;          // m, likewise
  double cutoff = 2.5;         // m, the distance from its face at which a wall ends
  bool is_shifted = false;     // the energy of a Lennard-Jones wall is zero there
  int carrier = -1;            // the body that carries a tether, whose `at` is in its axes; -1: fixed
};

struct Langevin {
  double temperature = 1.0;  // K
  double friction = 1.0;     // 1/s: the rate at which velocities decay
  std::uint32_t seed = 1;
};

struct NoseHoover {
  double temperature = 1.0;  // K
  double period = 0.5;       // s, the time constant of the thermostat
};

// Changes the volume V of a periodic box so that the pressure has a mean (Bernetti and Bussi, J. Chem. Phys.
// 153, 114107, 2020), at the temperature of the thermostat:
//   d sqrt(V) = c sqrt(V)/2 (P - pressure + kT/(2 V)) dt + sqrt(c kT/2) dW,   c = compressibility/period
struct Barostat {
  double pressure = 1.0;         // Pa
  double period = 1.0;           // s, the time in which V follows, if the compressibility is right
  double compressibility = 1.0;  // 1/Pa; it has no influence on the distribution of V
  int every = 20;                // steps
  std::uint32_t seed = 1;
};

struct ParticleModel {
  Box box;
  std::vector<Species> species;
  std::vector<double> position;  // (n x 3) m, anywhere: images are found
  std::vector<double> velocity;  // (n x 3) m/s; empty: at rest
  std::vector<double> charge;    // (n); empty: none
  std::vector<int> species_of;   // (n)
  std::vector<int> molecule;     // (n); empty: none

  std::vector<LennardJones> pairs;
  int pairs_every = 1;  // steps between which the forces of `pairs` act (ParticleSystem)
  std::optional<CentralForce> central;
  std::vector<TermType> term_types;
  std::vector<Term> terms;
  std::vector<ParticleBody> bodies;
  std::vector<ParticleClosure> closures;
  // (n x 3) rad/s, of all bodies (list_bodies); empty: as fast as their particles
  std::vector<double> spin;
  std::vector<ParticleField> fields;
  std::vector<GrainContact> grain_contacts;  // at least one: the particles are grains, which turn
  std::vector<GrainWall> walls;              // which grains touch
  std::vector<double> grain_spin;            // (n x 3) rad/s; empty: at rest
  std::vector<std::string> carriers;         // names of the bodies that carry walls or tethers
  int exclude_up_to = 1;  // pairs connected by up to this many bonds have no pair force; 1: 1-2, 2: 1-3 too

  std::optional<Langevin> langevin;
  std::optional<NoseHoover> nose_hoover;
  double thermostat_until = HUGE_VAL;  // s; afterwards the energy is conserved
  std::optional<Barostat> barostat;
  double fixman_temperature = 0.0;  // K, of Fixman's potential of rigid bonds and joints; 0: none
  double skin = 0.3;                // m, by which neighbour lists reach beyond the cutoff
  double boltzmann = 1.0;           // J/K

  int size() const { return static_cast<int>(species_of.size()); }
  bool has_grains() const { return !grain_contacts.empty(); }
  double largest_cutoff() const;  // m; 0: no pair forces
  int outer_steps() const;        // steps after which all forces have acted
};

// Throws InputError with all faults, each with the number of the particle, counted from 0.
void check(const ParticleModel& model);

}  // namespace sestina
