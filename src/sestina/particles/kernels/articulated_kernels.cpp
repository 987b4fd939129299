// Compiled once for each instruction set: see the header, and CMakeLists.txt for the flags.
#include "sestina/particles/kernels/articulated_kernels.h"

// Lanes are as wide as the registers: wider ones would need twice as many registers, of which there are too
// few.
#if defined(__AVX512F__)
#define SESTINA_LANES 8
#elif defined(__AVX2__)
#define SESTINA_LANES 4
#else
#define SESTINA_LANES 2
#endif
#include "sestina/particles/kernels/closing_conditions.h"

namespace sestina {
namespace {

constexpr double kTolerance =
    1e-10;  // square of the last step of Newton's iteration, relative to the whole motion
constexpr int kMostIterations = 20;

// Computes the pose and the rotation matrix of a body from its state and its parent's pose. It is not
// inlined, so that the results for a state have the same bits wherever they are computed.
[[gnu::noinline]] void place_body(const JointedMolecules& m, int b, const double* state,
                                  const double* parent_pose, double* pose) {
  const double* const c = constants_of(m, b);
  double* const R = scratch_of(m, b) + 8 * kEndRotation;
  const BodyJoint joint = m.tree.joint[b];
  const Quaternion turn = load4(state + 8 * kTurn);
  if (joint == BodyJoint::kFree) {
    store4(turn, pose + 8 * kQuaternion);
    store3(load3(state + 8 * kShift), pose + 8 * kCentre);
    store3(load3(state + 8 * kShift), scratch_of(m, b) + 8 * kEndJoint);
    store9(rotation(turn), R);
    return;
  }
  Vector point = load3(c + 8 * kOnParent);
  if (joint == BodyJoint::kPrismatic) add(load(state + 8 * kShift), load3(c + 8 * kAxis), point);
  const Matrix parent_R = load9(scratch_of(m, m.tree.parent[b]) + 8 * kEndRotation);
  const Vector at = load3(parent_pose + 8 * kCentre) + parent_R * point;
  Quaternion q = turn;
  if (joint != BodyJoint::kSpherical) {
    q = load4(c + 8 * kRest);
    if (joint == BodyJoint::kRevolute) q = Quaternion{turn.w, turn.v.x * load3(c + 8 * kAxis)} * q;
    q = normalised(load4(parent_pose + 8 * kQuaternion) * q);
  }
  const Matrix own_R = rotation(q);
  store4(q, pose + 8 * kQuaternion);
  store3(at - own_R * load3(c + 8 * kOwn), pose + 8 * kCentre);
  store3(at, scratch_of(m, b) + 8 * kEndJoint);
  store9(own_R, R);
}

void set_pose(const JointedMolecules& m) {
  for (int b = 0; b < m.tree.bodies; ++b) {
    const double* const parent = m.pose + 8 * kPose * (b > 0 ? m.tree.parent[b] : 0);
    place_body(m, b, m.state + 8 * kState * b, parent, m.pose + 8 * kPose * b);
  }
}

// Starts the iteration with the end of the step equal to its beginning.
[[gnu::always_inline]] inline void begin_step(const JointedMolecules& m) {
  for (int b = 0; b < m.tree.bodies; ++b) {
    double* const s = scratch_of(m, b);
    for (int i = 0; i < 8 * kPose; i += 8) store(load(m.pose + 8 * kPose * b + i), s + 8 * kEndPose + i);
    for (int i = 0; i < 8 * kState; i += 8) store(load(m.state + 8 * kState * b + i), s + 8 * kEndState + i);
    const Matrix R = rotation(load4(s + 8 * (kEndPose + kQuaternion)));
    store9(R, s + 8 * kRotation), store9(R, s + 8 * kEndRotation);
    const double* const c = constants_of(m, b);
    store9(times_transpose(scale_columns(R, load3(c + 8 * kInertia)), R), s + 8 * kWorldInertia);
    const Vector joint = load3(s + 8 * (kEndPose + kCentre)) + R * load3(c + 8 * kOwn);
    store3(joint, s + 8 * kJoint), store3(joint, s + 8 * kEndJoint);
  }
}

// Computes the changes of the joints, for find_change: once for each body, from the first to the last.
template <bool kMoves>
[[gnu::always_inline]] inline void begin_changes(const JointedMolecules& m, double h) {
  eliminate<kMoves>(m, h);
  if (m.tree.conditions == 0) return;
  for (int b = 0; b < m.tree.bodies; ++b) {
    store(change_of(m, b).coordinate, loop_scratch_of(m, b) + 8 * kCoordinate);
  }
  close_loops<kMoves>(m);
}

[[gnu::always_inline]] inline Change find_change(const JointedMolecules& m, int b) {
  if (m.tree.conditions == 0) return change_of(m, b);
  const double* const change = scratch_of(m, b) + 8 * kChange;
  return {load3(change), load3(change + 8 * 3), load(loop_scratch_of(m, b) + 8 * kCoordinate)};
}

void set_twists(const JointedMolecules& m) {
  begin_step(m);
  begin_changes<false>(m, 1.0);
  for (int b = 0; b < m.tree.bodies; ++b) {
    const Change change = find_change(m, b);
    double* const twist = m.twist + 8 * kSpatial * b;
    const Body body = load_body(m, b);
    store3(change.turn, twist + 8 * kAngular);
    store3(change.shift + cross(change.turn, body.centre - body.joint), twist + 8 * kLinear);
  }
}

[[gnu::always_inline]] inline Lanes larger(const Lanes& a, const Lanes& b) { return a > b ? a : b; }

// Changes the state at the end; returns the size of the change, relative to a radian and the size of the
// molecule.
[[gnu::always_inline]] inline Lanes change_state(const JointedMolecules& m, int b, const Change& change) {
  double* const state = scratch_of(m, b) + 8 * kEndState;
  const BodyJoint joint = m.tree.joint[b];
  const double per_size = m.inverse_size;
  Quaternion turn = load4(state + 8 * kTurn);
  Lanes square = change.coordinate * change.coordinate;
  if (joint == BodyJoint::kFree || joint == BodyJoint::kSpherical) {
    turn = normalised(Quaternion{Lanes{} + 1.0, 0.5 * change.turn} * turn);
    store4(turn, state + 8 * kTurn);
    square = dot(change.turn, change.turn);
    if (joint == BodyJoint::kFree) {
      store3(load3(state + 8 * kShift) + change.shift, state + 8 * kShift);
      square += per_size * per_size * dot(change.shift, change.shift);
    }
  } else if (joint == BodyJoint::kRevolute) {
    const Lanes half = 0.5 * change.coordinate;
    const Lanes c = turn.w - half * turn.v.x, s = turn.v.x + half * turn.w;
    const Lanes scale = 1.0 / square_root(c * c + s * s);
    store(scale * c, state + 8 * kTurn), store(scale * s, state + 8 * (kTurn + 1));
  } else {
    store(load(state + 8 * kShift) + change.coordinate, state + 8 * kShift);
    square *= per_size * per_size;
  }
  return square;
}

// One iteration; returns the square of the largest change.
template <bool kMoves>
[[gnu::noinline]] double iterate(const JointedMolecules& m, double h) {
  begin_changes<kMoves>(m, h);
  Lanes largest{}, poison{};
  for (int b = 0; b < m.tree.bodies; ++b) {
    const Lanes square = change_state(m, b, find_change(m, b));
    largest = larger(square, largest), poison += 0.0 * square;
  }
  for (int b = 0; b < m.tree.bodies; ++b) {
    double* const s = scratch_of(m, b);
    const double* const parent = scratch_of(m, b > 0 ? m.tree.parent[b] : 0);
    place_body(m, b, s + 8 * kEndState, parent + 8 * kEndPose, s + 8 * kEndPose);
  }
  double most = 0.0;
  for (int l = 0; l < kWidth; ++l) {
    if (poison[l] != 0.0) return poison[l];
    most = largest[l] > most ? largest[l] : most;
  }
  return most;
}

// Computes the momenta of the step, and makes its end the new beginning. The error that the iteration leaves
// in a molecule's momenta is assigned to its first body, so that they are conserved to round-off.
[[gnu::always_inline]] inline void finish_step(const JointedMolecules& m, double h) {
  const Vector first = load3(m.pose + 8 * kCentre);
  const Vector moved = load3(m.scratch + 8 * (kEndPose + kCentre)) - first;
  Vector lost_linear{}, lost_angular{};
  for (int b = 0; b < m.tree.bodies; ++b) {
    double* const s = scratch_of(m, b);
    double *const pose = m.pose + 8 * kPose * b, *const momentum = m.momentum + 8 * kSpatial * b;
    const Lanes rate = load(constants_of(m, b) + 8 * kMass) * (1.0 / h);
    const Vector centre = load3(pose + 8 * kCentre);
    const Vector angular = (1.0 / h) * momentum_of(turn_of(m, b));
    const Vector linear = rate * (load3(s + 8 * (kEndPose + kCentre)) - centre);
    const Vector lost = load3(momentum + 8 * kLinear) - linear;
    lost_linear = lost_linear + lost;
    lost_angular = lost_angular + load3(momentum + 8 * kAngular) - angular + cross(centre - first, lost);
    store3(angular, momentum + 8 * kAngular), store3(linear, momentum + 8 * kLinear);
    for (int i = 0; i < 8 * kPose; i += 8) store(load(s + 8 * kEndPose + i), pose + i);
    for (int i = 0; i < 8 * kState; i += 8) store(load(s + 8 * kEndState + i), m.state + 8 * kState * b + i);
  }
  store3(load3(m.momentum + 8 * kLinear) + lost_linear, m.momentum + 8 * kLinear);
  store3(load3(m.momentum + 8 * kAngular) + lost_angular - cross(moved, lost_linear),
         m.momentum + 8 * kAngular);
}

bool advance(const JointedMolecules& m, double h) {
  begin_step(m);
  double change = iterate<false>(m, h);
  const double enough = kTolerance * __builtin_sqrt(change);
  for (int i = 0; i < kMostIterations && change > enough; ++i) change = iterate<true>(m, h);
  if (!(change <= enough)) return false;
  finish_step(m, h);
  return true;
}

// Returns the lanes from `first` on.
JointedMolecules part_of(const JointedMolecules& m, int first) {
  JointedMolecules part = m;
  part.constants += first, part.state += first, part.pose += first;
  part.momentum += first, part.twist += first, part.scratch += first, part.condition += first;
  return part;
}

void set_poses(const JointedMolecules& m) {
  for (int first = 0; first < 8; first += kWidth) set_pose(part_of(m, first));
}

void set_all_twists(const JointedMolecules& m) {
  for (int first = 0; first < 8; first += kWidth) set_twists(part_of(m, first));
}

bool advance_all(const JointedMolecules& m, double h) {
  bool is_good = true;
  for (int first = 0; first < 8; first += kWidth) is_good = advance(part_of(m, first), h) && is_good;
  return is_good;
}

// Lanes that are not used stay at rest.
[[gnu::always_inline]] inline Lanes gather(const double* values, const std::int32_t* place, int used) {
  double lanes[kWidth];
  for (int l = 0; l < kWidth; ++l) lanes[l] = l < used ? values[place[l]] : 0.0;
  return load(lanes);
}

void set_wrenches(const BodyAtoms& atoms, const double* poses, const AtomForces& f, double* wrenches) {
  for (int b = 0; b < atoms.bodies; ++b) {
    for (int first = 0; first < 8; first += kWidth) {
      const Matrix R = rotation(load4(poses + 8 * (kPose * b + kQuaternion) + first));
      Vector force{}, torque{};
      for (int a = atoms.begin[b]; a < atoms.begin[b + 1]; ++a) {
        const std::int32_t* const place = atoms.place + 8 * a + first;
        const int used = atoms.used - first;
        const Vector one{gather(f.x, place, used), gather(f.y, place, used), gather(f.z, place, used)};
        force = force + one;
        torque = torque + cross(R * load3(atoms.offset + 24 * a + first), one);
      }
      double* const to = wrenches + 8 * kSpatial * b + first;
      store3(torque, to + 8 * kAngular), store3(force, to + 8 * kLinear);
    }
  }
}

void add_impulses(int bodies, const double* wrenches, double h, double* momenta) {
  for (int i = 0; i < 8 * kSpatial * bodies; i += kWidth) {
    store(load(momenta + i) + h * load(wrenches + i), momenta + i);
  }
}

[[gnu::always_inline]] inline void scatter(const Lanes& value, const std::int32_t* place, int used,
                                           double* to) {
  double lanes[kWidth];
  store(value, lanes);
  for (int l = 0; l < used; ++l) to[place[l]] = lanes[l];
}

void put_positions(const BodyAtoms& atoms, const double* poses, const double* shift, const AtomArrays& x) {
  for (int b = 0; b < atoms.bodies; ++b) {
    for (int first = 0; first < atoms.used; first += kWidth) {
      const int used = atoms.used - first < kWidth ? atoms.used - first : kWidth;
      const double* const pose = poses + 8 * kPose * b + first;
      const Matrix R = rotation(load4(pose + 8 * kQuaternion));
      const Vector centre = load3(pose + 8 * kCentre);
      for (int a = atoms.begin[b]; a < atoms.begin[b + 1]; ++a) {
        const std::int32_t* const place = atoms.place + 8 * a + first;
        const Vector at = centre + R * load3(atoms.offset + 24 * a + first) + load3(shift + 24 * a + first);
        scatter(at.x, place, used, x.x), scatter(at.y, place, used, x.y), scatter(at.z, place, used, x.z);
      }
    }
  }
}

}  // namespace

const ArticulatedKernels* SESTINA_ARTICULATED_TABLE();

const ArticulatedKernels* SESTINA_ARTICULATED_TABLE() {
  static constexpr ArticulatedKernels kKernels{set_poses,    set_all_twists, advance_all,
                                               set_wrenches, add_impulses,   put_positions};
  return &kKernels;
}

}  // namespace sestina
