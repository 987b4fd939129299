#include "sestina/particles/articulated_bodies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "sestina/base/error.h"
#include "sestina/particles/particle_arrays.h"

namespace sestina {

using namespace body_numbers;

namespace {

constexpr double kLeastInertia = 1e-10;  // for any motion of a joint, relative to the molecule's
constexpr double kLeastPivot = 1e-9;     // of conditions, relative to the molecule's inertia

// Molecules that move together: parents, joints, numbers of atoms; laws and bodies of conditions.
struct Signature {
  std::vector<std::tuple<int, BodyJoint, int>> bodies;
  std::vector<std::pair<ClosingLaw, std::array<int, 2>>> conditions;

  auto operator<=>(const Signature&) const = default;
};

Signature signature_of(const JointedMolecule& molecule) {
  Signature made;
  for (const MoleculeBody& body : molecule.bodies) {
    made.bodies.emplace_back(body.parent, body.joint, body.atoms);
  }
  for (const ClosingCondition& condition : molecule.conditions) {
    made.conditions.emplace_back(condition.law, condition.bodies);
  }
  return made;
}

int freedoms_of(const MoleculeBody& body) {
  const int of_joint = body.joint == BodyJoint::kFree ? 6 : body.joint == BodyJoint::kSpherical ? 3 : 1;
  return of_joint - static_cast<int>(std::ranges::count(body.is_idle, true));
}

Rotation<double> rotation_of(const MoleculeBody& body) { return euler_parameter_rotation(body.turn.data()); }

double mass_of(const JointedMolecule& molecule) {
  double mass = 0.0;
  for (const MoleculeBody& body : molecule.bodies) mass += body.mass;
  return mass;
}

// Throws if conditions depend on each other. `pivots`: those of the conditions, in a lane (1/kg, or 1/(kg
// m^2) for angles).
void check_conditions(const double* pivots, const JointedMolecule& molecule) {
  const double mass = mass_of(molecule), size = size_of(molecule);
  for (std::size_t k = 0; k < molecule.conditions.size(); ++k) {
    const ClosingCondition& condition = molecule.conditions[k];
    const double inertia = condition.law == ClosingLaw::kPerpendicular ? mass * size * size : mass;
    if (pivots[8 * k] * inertia > kLeastPivot) continue;
    throw InputError(
        fmt::format("the joint at particles[{}] closes a loop and, at least where the bodies are, prevents "
                    "a motion that other joints prevent already: give it more freedom, or one of them",
                    condition.particle));
  }
}

// a^-1 b
std::array<double, 4> quotient(const std::array<double, 4>& a, const std::array<double, 4>& b) {
  const Vec3<double> u{-a[1], -a[2], -a[3]}, v{b[1], b[2], b[3]};
  const Vec3<double> w = a[0] * v + b[0] * u + cross(u, v);
  return {a[0] * b[0] - dot(u, v), w.x, w.y, w.z};
}

}  // namespace

double size_of(const JointedMolecule& molecule) {
  double largest = 0.0;
  for (const MoleculeBody& body : molecule.bodies) {
    largest = std::max(largest, norm(body.centre - molecule.bodies.front().centre));
    largest = std::max(largest, norm(body.point - body.centre));
    const double inertia = std::max({body.inertia.x, body.inertia.y, body.inertia.z});
    if (body.mass > 0.0) largest = std::max(largest, std::sqrt(inertia / body.mass));
  }
  return largest > 0.0 ? largest : 1.0;
}

struct ArticulatedBodies::Structure {
  std::vector<std::int32_t> parent, child_begin, child, closing;
  std::vector<BodyJoint> joint;
  std::vector<ClosingLaw> law;

  explicit Structure(const Signature& signature) {
    const auto& of_bodies = signature.bodies;
    const int bodies = static_cast<int>(of_bodies.size());
    child_begin.push_back(0);
    for (int b = 0; b < bodies; ++b) {
      parent.push_back(std::get<0>(of_bodies[b])), joint.push_back(std::get<1>(of_bodies[b]));
      for (int c = b + 1; c < bodies; ++c) {
        if (std::get<0>(of_bodies[c]) == b) child.push_back(c);
      }
      child_begin.push_back(static_cast<std::int32_t>(child.size()));
    }
    for (const auto& [of_condition, pair] : signature.conditions) {
      law.push_back(of_condition);
      closing.insert(closing.end(), pair.begin(), pair.end());
    }
  }
  BodyTree tree() const {
    return {static_cast<int>(parent.size()), parent.data(), joint.data(),  child_begin.data(), child.data(),
            static_cast<int>(law.size()),    law.data(),    closing.data()};
  }
};

ArticulatedBodies::~ArticulatedBodies() = default;

ArticulatedBodies::ArticulatedBodies(const std::vector<JointedMolecule>& molecules, InstructionSet set)
    : kernels_(articulated_kernels(set)) {
  list_molecules(molecules);
  const std::size_t rows = groups_.empty() ? 0 : groups_.back().first_row + groups_.back().tree.bodies;
  const auto allocate = [rows](CacheLineVector<double>& values, int width) {
    values.assign(8 * rows * static_cast<std::size_t>(width), 0.0);
  };
  allocate(constants_, kConstants), allocate(state_, kState), allocate(pose_, kPose);
  allocate(momentum_, kSpatial), allocate(twist_, kSpatial);
  for (const Group& group : groups_) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const std::size_t used = static_cast<std::size_t>(lane) < group.molecules.size() ? lane : 0;
      const JointedMolecule& molecule = molecules[group.molecules[used]];
      for (int b = 0; b < group.tree.bodies; ++b) set_constants(group.first_row + b, lane, molecule, b);
      set_conditions(group, lane, molecule);
    }
  }
  for (int g = 0; g < static_cast<int>(groups_.size()); ++g) kernels_.set_pose(molecules_of(g));
  check_motions(molecules);
}

// Sorts the molecules into groups.
void ArticulatedBodies::list_molecules(const std::vector<JointedMolecule>& molecules) {
  std::map<Signature, std::vector<int>> alike;
  std::vector<int> first_body;
  int bodies = 0, rows = 0, conditions = 0;
  for (std::size_t i = 0; i < molecules.size(); ++i) {
    alike[signature_of(molecules[i])].push_back(static_cast<int>(i));
    first_body.push_back(bodies);
    bodies += static_cast<int>(molecules[i].bodies.size());
    for (const MoleculeBody& body : molecules[i].bodies) {
      is_idle_.push_back(body.is_idle);
      degrees_of_freedom_ += freedoms_of(body);
    }
    degrees_of_freedom_ -= static_cast<int>(molecules[i].conditions.size());
  }
  row_.resize(static_cast<std::size_t>(bodies)), lane_.resize(static_cast<std::size_t>(bodies));
  for (const auto& [signature, members] : alike) {
    structures_.push_back(std::make_unique<Structure>(signature));
    for (std::size_t first = 0; first < members.size(); first += kLanes) {
      Group& group = groups_.emplace_back();
      group.tree = structures_.back()->tree(), group.first_row = rows, group.first_condition = conditions;
      const std::size_t end = std::min(first + kLanes, members.size());
      double largest = 0.0;
      for (std::size_t i = first; i < end; ++i) {
        const int molecule = members[i];
        group.molecules.push_back(molecule), group.bodies.push_back(first_body[molecule]);
        largest = std::max(largest, size_of(molecules[molecule]));
        for (int b = 0; b < group.tree.bodies; ++b) {
          row_[first_body[molecule] + b] = rows + b;
          lane_[first_body[molecule] + b] = static_cast<int>(i - first);
        }
      }
      group.inverse_size = 1.0 / largest;
      const int of_molecule = scratch_of_molecule(group.tree.bodies, group.tree.conditions);
      scratch_size_ = std::max(scratch_size_, static_cast<std::size_t>(8 * of_molecule));
      rows += group.tree.bodies, conditions += group.tree.conditions;
    }
  }
  conditions_.assign(8 * static_cast<std::size_t>(kCondition * conditions + 1), 0.0);
}

// Groups of one thread share their scratch, which stays in the cache.
JointedMolecules ArticulatedBodies::molecules_of(int number) {
  static thread_local CacheLineVector<double> scratch;
  if (scratch.size() < scratch_size_) scratch.resize(scratch_size_);
  const Group& group = groups_[static_cast<std::size_t>(number)];
  const std::size_t row = 8 * static_cast<std::size_t>(group.first_row);
  return {group.tree,
          constants_.data() + kConstants * row,
          state_.data() + kState * row,
          pose_.data() + kPose * row,
          momentum_.data() + kSpatial * row,
          twist_.data() + kSpatial * row,
          scratch.data(),
          group.inverse_size,
          conditions_.data() + 8 * static_cast<std::size_t>(kCondition * group.first_condition)};
}

void ArticulatedBodies::set_constants(int row, int lane, const JointedMolecule& molecule, int number) {
  const MoleculeBody& body = molecule.bodies[static_cast<std::size_t>(number)];
  const auto put = [&](CacheLineVector<double>& to, int width, int k, double value) {
    to[static_cast<std::size_t>(8 * (width * row + k) + lane)] = value;
  };
  const auto put_vector = [&](CacheLineVector<double>& to, int width, int k, const Vec3<double>& value) {
    for (int a = 0; a < 3; ++a) put(to, width, k + a, value[a]);
  };
  const Rotation<double> R = rotation_of(body);
  put(constants_, kConstants, kMass, body.mass);
  put_vector(constants_, kConstants, kInertia, body.inertia);
  std::array<double, 4> rest{1.0, 0.0, 0.0, 0.0}, turn{1.0, 0.0, 0.0, 0.0};
  if (body.joint == BodyJoint::kFree) {
    put_vector(state_, kState, kShift, body.centre);
  } else {
    const MoleculeBody& parent = molecule.bodies[static_cast<std::size_t>(body.parent)];
    const Rotation<double> R_parent = rotation_of(parent);
    put_vector(constants_, kConstants, kOwn, transpose_times(R, body.point - body.centre));
    put_vector(constants_, kConstants, kOnParent, transpose_times(R_parent, body.point - parent.centre));
    put_vector(constants_, kConstants, kAxis, transpose_times(R_parent, body.axis));
    rest = quotient(parent.turn, body.turn);
  }
  if (body.joint == BodyJoint::kFree || body.joint == BodyJoint::kSpherical) turn = body.turn;
  for (int k = 0; k < 4; ++k) {
    put(constants_, kConstants, kRest + k, rest[k]);
    put(state_, kState, kTurn + k, turn[k]);
  }
}

void ArticulatedBodies::set_conditions(const Group& group, int lane, const JointedMolecule& molecule) {
  for (std::size_t k = 0; k < molecule.conditions.size(); ++k) {
    const ClosingCondition& condition = molecule.conditions[k];
    const auto row = static_cast<std::size_t>(kCondition * group.first_condition) + kCondition * k;
    const auto put = [&](int number, double value) {
      conditions_[8 * (row + static_cast<std::size_t>(number)) + static_cast<std::size_t>(lane)] = value;
    };
    for (std::size_t i = 0; i < 2; ++i) {
      const MoleculeBody& body = molecule.bodies[static_cast<std::size_t>(condition.bodies[i])];
      const Rotation<double> R = rotation_of(body);
      const Vec3<double> along = transpose_times(R, condition.along[i]),
                         point = transpose_times(R, condition.points[i] - body.centre);
      for (int a = 0; a < 3; ++a) {
        put((i == 0 ? kFirstAlong : kSecondAlong) + a, along[a]);
        put((i == 0 ? kFirstPoint : kSecondPoint) + a, point[a]);
      }
    }
    put(kOffset, condition.offset);
  }
}

// Checks with arbitrary momenta: a motion without inertia responds with a velocity far beyond all others, and
// the impulse of a condition that follows from others causes no motion along it.
void ArticulatedBodies::check_motions(const std::vector<JointedMolecule>& molecules) {
  for (int body = 0; body < size(); ++body) {
    const double a = 1.0 + 0.1 * (body % 7), b = 1.0 - 0.1 * (body % 5);
    put3(momentum_, kSpatial, body, kAngular, {a, b, -a * b});
    put3(momentum_, kSpatial, body, kLinear, {b, -a, a * b});
  }
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    const JointedMolecules closed = molecules_of(static_cast<int>(g));
    JointedMolecules open = closed;
    open.tree.conditions = 0;
    kernels_.set_twists(open);
    for (std::size_t l = 0; l < group.molecules.size(); ++l) {
      check_inertia(group, l, molecules[static_cast<std::size_t>(group.molecules[l])]);
    }
    if (group.tree.conditions == 0) continue;
    kernels_.set_twists(closed);
    const double* const pivots = closed.scratch + 8 * pivots_in_scratch(group.tree.bodies);
    for (std::size_t l = 0; l < group.molecules.size(); ++l) {
      check_conditions(pivots + l, molecules[static_cast<std::size_t>(group.molecules[l])]);
    }
  }
  std::ranges::fill(momentum_, 0.0);
  std::ranges::fill(twist_, 0.0);
}

void ArticulatedBodies::check_inertia(const Group& group, std::size_t lane,
                                      const JointedMolecule& molecule) const {
  const double mass = mass_of(molecule);
  const double size = size_of(molecule), most = 1.0 / (kLeastInertia * mass * std::min(size, size * size));
  for (int b = 0; b < group.tree.bodies; ++b) {
    const int body = group.bodies[lane] + b;
    const double fastest = norm(angular_velocity(body)) * size + norm(velocity(body));
    if (fastest < most) continue;
    throw InputError(
        {Fault{{{}, fmt::format("bodies[{}]", body)},
               "can turn or slide without inertia: give it inertia, or more than one particle with mass"}});
  }
}

Vec3<double> ArticulatedBodies::pick3(const CacheLineVector<double>& from, int width, int body, int k) const {
  return {from[index(width, body, k)], from[index(width, body, k + 1)], from[index(width, body, k + 2)]};
}

void ArticulatedBodies::put3(CacheLineVector<double>& to, int width, int body, int k,
                             const Vec3<double>& value) {
  for (int a = 0; a < 3; ++a) to[index(width, body, k + a)] = value[a];
}

Rotation<double> ArticulatedBodies::rotation(int body) const {
  std::array<double, 4> q{};
  for (int k = 0; k < 4; ++k) q[k] = pose_[index(kPose, body, kQuaternion + k)];
  return euler_parameter_rotation(q.data());
}

Vec3<double> ArticulatedBodies::joint_point(int body, int parent) const {
  return centre(parent) + rotation(parent) * pick3(constants_, kConstants, body, kOnParent);
}

Vec3<double> ArticulatedBodies::joint_axis(int body, int parent) const {
  return rotation(parent) * pick3(constants_, kConstants, body, kAxis);
}

void ArticulatedBodies::set_momentum(int body, const Vec3<double>& linear, const Vec3<double>& angular) {
  put3(momentum_, kSpatial, body, kLinear, linear);
  Vec3<double> kept = angular;
  for (int a = 0; a < 3; ++a) {
    if (!is_idle_[body][a]) continue;
    const Vec3<double> axis = rotation(body).column(a);
    kept -= dot(axis, angular) * axis;
  }
  put3(momentum_, kSpatial, body, kAngular, kept);
}

void ArticulatedBodies::randomise(int body, double c, double spread, const Vec3<double>& turning,
                                  const Vec3<double>& moving) {
  const Rotation<double> R = rotation(body);
  const double root = std::sqrt(mass(body));
  Vec3<double> kick{};
  for (int a = 0; a < 3; ++a) {
    const double inertia = is_idle_[body][a] ? 0.0 : constant(body, kInertia + a);
    kick[a] = std::sqrt(inertia) * turning[a];
  }
  put3(momentum_, kSpatial, body, kAngular, c * angular_momentum(body) + spread * (R * kick));
  put3(momentum_, kSpatial, body, kLinear, c * momentum(body) + (spread * root) * moving);
}

void ArticulatedBodies::scale_momenta(double factor) {
  for (double& value : momentum_) value *= factor;
}

void ArticulatedBodies::scale_momenta(int group, double factor) {
  const Group& molecules = groups_[static_cast<std::size_t>(group)];
  double* const first = momenta(molecules.first_row);
  for (int i = 0; i < 8 * kSpatial * molecules.tree.bodies; ++i) first[i] *= factor;
}

double ArticulatedBodies::kinetic_energy(int body) const {
  return 0.5 * (dot(angular_velocity(body), angular_momentum(body)) + dot(velocity(body), momentum(body)));
}

std::vector<double> ArticulatedBodies::save() const {
  std::vector<double> saved;
  saved.reserve(static_cast<std::size_t>(kSaved * size()));
  for (int body = 0; body < size(); ++body) {
    for (int k = 0; k < kState; ++k) saved.push_back(state_[index(kState, body, k)]);
    for (int k = 0; k < kSpatial; ++k) saved.push_back(momentum_[index(kSpatial, body, k)]);
  }
  return saved;
}

void ArticulatedBodies::restore(std::span<const double> saved) {
  for (int body = 0; body < size(); ++body) {
    const double* const from = saved.data() + static_cast<std::size_t>(kSaved * body);
    for (int k = 0; k < kState; ++k) state_[index(kState, body, k)] = from[k];
    for (int k = 0; k < kSpatial; ++k) momentum_[index(kSpatial, body, k)] = from[kState + k];
  }
  for (int g = 0; g < static_cast<int>(groups_.size()); ++g) kernels_.set_pose(molecules_of(g));
}

}  // namespace sestina
