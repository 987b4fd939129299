// Molecules of rigid bodies connected by joints: trees, whose first bodies are free to move, and joints that
// close loops between their bodies.
//
// A step of h is a discrete motion (Lee, Leok, McClamroch, Comput. Methods Appl. Mech. Engrg. 196, 2007),
// with the joints' coordinates as unknowns. Body b goes from the pose (R, x) to (R+, x+); its rotation is the
// quaternion f = q^-1 q+, in its frame at the start, where J are its principal moments of inertia. Its
// momenta, which are constant during the motion, in world axes and about the centre of mass, are
//   (1)  p = m (x+ - x)/h,   L = (2/h) R (f_w J f_v + f_v x J f_v)
// Joints transmit impulses at the start, which do no work on the motions that the joint allows. So the change
// of (p, L), summed over the bodies outboard of a joint, has no component along the joint's axes S at the
// start:
//   (2)  S^T sum (p - p0, L - L0) = 0
// These are as many equations as coordinates. Newton's iteration solves them by the articulated-body
// recursion, O(n), with forces taken at the start of the step and displacements at its end. The impulses of
// forces change (p, L) between the steps: with half an impulse before and half an impulse after it, the step
// is that of RATTLE (see rigid_bonds.h): symplectic, reversible, it conserves the momenta of each molecule,
// and joints hold to round-off because only their coordinates are unknowns.
//
// Joints that close loops are conditions g(q) = 0. Each has an impulse mu/h along its gradient G at the
// start, which enters (2) beside p and L and is found together with the coordinates such that g = 0 at the
// end:
//   (3)  S^T sum (p - p0 - G_p mu/h, L - L0 - G_L mu/h) = 0,   g(q+) = 0
// (kernels/closing_conditions.h). As with RATTLE, g holds to round-off at every step.
//
// At any time, the twists (velocities) that the joints allow follow from the momenta by the same recursion,
// at rest (set_twists); only measurements and thermostats need them.
//
// Rods, and single points on massless links, have axes without inertia about which no joint exerts a torque.
// These axes get arbitrary moments of inertia, since there is never an angular momentum about them (is_idle).
//
// Eight molecules of one structure move together in the lanes of SIMD registers.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sestina/numerics/cache_line_vector.h"
#include "sestina/particles/kernels/articulated_kernels.h"
#include "sestina/spatial/rotation.h"

namespace sestina {

// A body of a molecule, in world axes at the start.
struct MoleculeBody {
  int parent = -1;  // an earlier body of the molecule; -1 of the first one
  BodyJoint joint = BodyJoint::kFree;
  double mass = 0.0;                               // kg; 0: a part of a joint
  Vec3<double> inertia{};                          // kg m^2, principal moments
  std::array<double, 4> turn{1.0, 0.0, 0.0, 0.0};  // quaternion from the principal axes to the world
  Vec3<double> centre{};                           // m
  Vec3<double> point{};                            // m, of the joint
  Vec3<double> axis{};                             // of the joint, a unit vector
  std::array<bool, 3> is_idle{};                   // of the principal axes; see above
  int atoms = 0;  // molecules that move together have as many in each of their bodies
};

// A condition of a joint that closes a loop, in world axes at the start.
struct ClosingCondition {
  ClosingLaw law = ClosingLaw::kPlane;
  std::array<int, 2> bodies{};           // the first one and the second one
  std::array<Vec3<double>, 2> along{};   // unit vectors: the normal of the plane, or a direction on each body
  std::array<Vec3<double>, 2> points{};  // m, of each
  double offset = 0.0;                   // m, m, or the cosine of the angle
  int particle = -1;                     // the particle that names the joint
};

struct JointedMolecule {
  std::vector<MoleculeBody> bodies;
  std::vector<ClosingCondition> conditions;
};

// Returns the scale of a molecule's lengths (m): the largest distance from the first body, lever arm or
// radius of gyration.
double size_of(const JointedMolecule& molecule);

class ArticulatedBodies {
 public:
  // Numbers the bodies one molecule after the other. Throws InputError with the number of a body that could
  // rotate or translate without inertia, and with the particle of a joint that closes a loop if its
  // conditions follow from those of other joints.
  ArticulatedBodies(const std::vector<JointedMolecule>& molecules, InstructionSet set);
  ~ArticulatedBodies();
  ArticulatedBodies(const ArticulatedBodies&) = delete;
  ArticulatedBodies& operator=(const ArticulatedBodies&) = delete;

  // Up to eight molecules of one structure.
  struct Group {
    BodyTree tree;
    int first_row = 0;           // of its bodies, each of which has a row of eight lanes
    int first_condition = 0;     // of its conditions, likewise
    std::vector<int> molecules;  // in the lanes
    std::vector<int> bodies;     // numbers of the first bodies, in the lanes
    double inverse_size = 1.0;   // 1/m
  };

  int size() const { return static_cast<int>(row_.size()); }  // bodies
  int degrees_of_freedom() const { return degrees_of_freedom_; }
  const std::vector<Group>& groups() const { return groups_; }
  const ArticulatedKernels& kernels() const { return kernels_; }

  // Moves the molecules of a group. Returns false, and moves nothing, if the step is too long for the
  // iteration.
  bool advance(int group, double h) { return kernels_.advance(molecules_of(group), h); }
  void set_twists(int group) { kernels_.set_twists(molecules_of(group)); }

  // All numbers of rows, in lanes.
  double* momenta(int row) { return momentum_.data() + 8 * body_numbers::kSpatial * row; }
  const double* poses(int row) const { return pose_.data() + 8 * body_numbers::kPose * row; }

  // The following describe one body.
  double mass(int body) const { return constant(body, body_numbers::kMass); }
  Vec3<double> centre(int body) const {
    return pick3(pose_, body_numbers::kPose, body, body_numbers::kCentre);
  }
  Rotation<double> rotation(int body) const;        // from the principal axes to the world
  Vec3<double> principal_inertia(int body) const {  // kg m^2
    return pick3(constants_, body_numbers::kConstants, body, body_numbers::kInertia);
  }
  bool is_idle(int body, int axis) const { return is_idle_[static_cast<std::size_t>(body)][axis]; }
  Vec3<double> joint_point(int body, int parent) const;  // m, seen from the parent
  Vec3<double> joint_axis(int body, int parent) const;   // likewise, a unit vector
  Vec3<double> angular_momentum(int body) const { return pick3(momentum_, 6, body, body_numbers::kAngular); }
  Vec3<double> momentum(int body) const { return pick3(momentum_, 6, body, body_numbers::kLinear); }
  Vec3<double> angular_velocity(int body) const { return pick3(twist_, 6, body, body_numbers::kAngular); }
  Vec3<double> velocity(int body) const { return pick3(twist_, 6, body, body_numbers::kLinear); }
  // Omits the part of the angular momentum about idle axes.
  void set_momentum(int body, const Vec3<double>& linear, const Vec3<double>& angular);
  // momentum = c momentum + spread sqrt(M) xi, with xi = [turning, moving] drawn from normal distributions.
  void randomise(int body, double c, double spread, const Vec3<double>& turning, const Vec3<double>& moving);
  void scale_momenta(double factor);
  void scale_momenta(int group, double factor);
  double kinetic_energy(int body) const;  // J, with the twists

  // Everything that changes during a run, kSaved numbers for each body.
  static constexpr int kSaved = body_numbers::kState + body_numbers::kSpatial;
  std::vector<double> save() const;
  void restore(std::span<const double> saved);

 private:
  struct Structure;

  void list_molecules(const std::vector<JointedMolecule>& molecules);
  JointedMolecules molecules_of(int group);
  void set_constants(int row, int lane, const JointedMolecule& molecule, int body);
  void set_conditions(const Group& group, int lane, const JointedMolecule& molecule);
  void check_motions(const std::vector<JointedMolecule>& molecules);
  void check_inertia(const Group& group, std::size_t lane, const JointedMolecule& molecule) const;
  std::size_t index(int width, int body, int k) const {
    return static_cast<std::size_t>(8 * (width * row_[static_cast<std::size_t>(body)] + k) +
                                    lane_[static_cast<std::size_t>(body)]);
  }
  double constant(int body, int k) const { return constants_[index(body_numbers::kConstants, body, k)]; }
  Vec3<double> pick3(const CacheLineVector<double>& from, int width, int body, int k) const;
  void put3(CacheLineVector<double>& to, int width, int body, int k, const Vec3<double>& value);

  const ArticulatedKernels& kernels_;
  std::vector<std::unique_ptr<Structure>> structures_;
  std::vector<Group> groups_;
  std::vector<int> row_, lane_;  // of bodies
  std::vector<std::array<bool, 3>> is_idle_;
  int degrees_of_freedom_ = 0;
  std::size_t scratch_size_ = 0;
  CacheLineVector<double> constants_, state_, pose_, momentum_, twist_, conditions_;
};

}  // namespace sestina
