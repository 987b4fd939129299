// The recursion of jointed bodies in lanes, for articulated_kernels.cpp and closing_conditions.h alone. See
// articulated_bodies.h for the equations.
#pragma once

#include "sestina/particles/kernels/articulated_kernels.h"
#include "sestina/particles/kernels/lane_mechanics.h"

namespace sestina {
namespace {

using namespace body_numbers;

// The numbers of a body in the scratch.
constexpr int kEndPose = 0, kEndState = 7, kRotation = 14, kEndRotation = 23;
constexpr int kArm = 32;                      // from the parent's joint to this one, at the end
constexpr int kChange = 35;                   // the rotation of the body and the displacement of its joint
constexpr int kLoad = 41;                     // what the body and those outboard require of the joint: Load
constexpr int kAnswer = 83;                   // from which the change of the joint follows: 12 numbers, or 7
constexpr int kWorldInertia = 95;             // at the start, in world axes
constexpr int kJoint = 104, kEndJoint = 107;  // the joint's point
static_assert(kEndJoint + 3 == kScratch);

// Further numbers for molecules with loops (closing_conditions.h): the factors of the elimination, which are
// used again for the impulses of conditions, and the change of the coordinate without these impulses.
constexpr int kInverse = 0, kForceByTurn = 9, kInverseMass = 18;  // of free bodies and ball joints
constexpr int kWeight = 0, kTorqueBy = 3, kForceBy = 6;           // of joints with one coordinate
constexpr int kCoordinate = 27;
static_assert(kCoordinate + 1 == kLoopBody);

// Torque about the joint and force, as linear functions of a rotation and a displacement.
struct Load {
  Matrix tt, tf, ft, ff;
  Vector torque, force;
};

// A body at the beginning and at the end of a step, in world axes.
struct Body {
  double* scratch;
  Vector centre, centre_end, joint, joint_end;
};

[[gnu::always_inline]] inline const double* constants_of(const JointedMolecules& m, int b) {
  return m.constants + 8 * kConstants * b;
}
[[gnu::always_inline]] inline double* scratch_of(const JointedMolecules& m, int b) {
  return m.scratch + 8 * kScratch * b;
}

// The memory of a body of a molecule with conditions: kLoopBody numbers, then its columns.
[[gnu::always_inline]] inline double* loop_scratch_of(const JointedMolecules& m, int b) {
  const int K = m.tree.conditions;
  return m.scratch + 8 * (kScratch * m.tree.bodies + K * (K + 2) + (kLoopBody + kColumn * K) * b);
}

[[gnu::always_inline]] inline Body load_body(const JointedMolecules& m, int b) {
  double* const s = scratch_of(m, b);
  return {s, load3(m.pose + 8 * (kPose * b + kCentre)), load3(s + 8 * (kEndPose + kCentre)),
          load3(s + 8 * kJoint), load3(s + 8 * kEndJoint)};
}

// The rotation of a body in a step: f, in world axes, where J is the inertia at the start.
struct Turn {
  Quaternion f;
  Matrix J;
  Vector Jf;
};

[[gnu::always_inline]] inline Turn turn_of(const JointedMolecules& m, int b) {
  Turn turn;
  turn.f = load4(scratch_of(m, b) + 8 * (kEndPose + kQuaternion)) *
           conjugate(load4(m.pose + 8 * (kPose * b + kQuaternion)));
  turn.J = load9(scratch_of(m, b) + 8 * kWorldInertia);
  turn.Jf = turn.J * turn.f.v;
  return turn;
}

// Returns h times the angular momentum.
[[gnu::always_inline]] inline Vector momentum_of(const Turn& t) {
  return 2.0 * (t.f.w * t.Jf + cross(t.f.v, t.Jf));
}

// Returns its derivative with respect to a further rotation at the end: (f_w J + [f] J - [Jf]) (f_w - [f]) -
// Jf f^T
[[gnu::always_inline]] inline Matrix derivative_of(const Turn& t) {
  const Matrix left = scaled(t.f.w, t.J) + cross(t.f.v, t.J) - skew(t.Jf);
  return scaled(t.f.w, left) - cross(left, t.f.v) - outer(t.Jf, t.f.v);
}

// Returns what the body itself requires of its joint for its momentum. Without kMoves: at rest.
template <bool kMoves>
[[gnu::always_inline]] inline Load own_load(const JointedMolecules& m, int b, const Body& body, double h) {
  const Lanes mass = load(constants_of(m, b) + 8 * kMass);
  const double* const momentum = m.momentum + 8 * kSpatial * b;
  Load made;
  made.torque = -h * load3(momentum + 8 * kAngular);
  made.force = -h * load3(momentum + 8 * kLinear);
  if constexpr (kMoves) {
    const Turn turn = turn_of(m, b);
    made.torque = made.torque + momentum_of(turn);
    add(mass, body.centre_end - body.centre, made.force);
    made.tt = derivative_of(turn);
  } else {
    made.tt = load9(body.scratch + 8 * kWorldInertia);
  }
  const Vector r = body.centre - body.joint, r_end = body.centre_end - body.joint_end;
  made.torque = made.torque + cross(r, made.force);
  // -m [r] [r_end] = m ((r . r_end) 1 - r_end r^T)
  made.tt = made.tt - outer(mass * r_end, r);
  add_to_diagonal(mass * dot(r, r_end), made.tt);
  made.tf = skew(mass * r), made.ft = skew(-mass * r_end);
  made.ff = Matrix{};
  add_to_diagonal(mass, made.ff);
  return made;
}

// Adds what a body's child requires of the joint between them.
[[gnu::always_inline]] inline void add_child(const JointedMolecules& m, int child, const Body& body,
                                             Load& to) {
  double* const s = scratch_of(m, child);
  const Vector d = load3(s + 8 * kJoint) - body.joint, d_end = load3(s + 8 * kEndJoint) - body.joint_end;
  store3(d_end, s + 8 * kArm);
  const double* const given = s + 8 * kLoad;
  const Matrix ff = load9(given + 8 * 27);
  const Vector force = load3(given + 8 * 39);
  Matrix by_turn = Matrix{} - cross(ff, d_end);
  if (m.tree.joint[child] != BodyJoint::kSpherical) {
    const Matrix tf = load9(given + 8 * 9);
    by_turn = by_turn + load9(given + 8 * 18);
    to.tt = to.tt + (load9(given) - cross(tf, d_end));
    to.tf = to.tf + tf;
    to.torque = to.torque + load3(given + 8 * 36);
  }
  to.tt = to.tt + cross(d, by_turn);
  to.tf = to.tf + cross(d, ff);
  to.ft = to.ft + by_turn;
  to.ff = to.ff + ff;
  to.torque = to.torque + cross(d, force);
  to.force = to.force + force;
}

[[gnu::always_inline]] inline void store_load(const Load& given, double* to) {
  store9(given.tt, to), store9(given.tf, to + 8 * 9), store9(given.ft, to + 8 * 18);
  store9(given.ff, to + 8 * 27), store3(given.torque, to + 8 * 36), store3(given.force, to + 8 * 39);
}

// Eliminates the rotation: a ball joint transmits forces only, and a free body none, so that its whole change
// is found here.
[[gnu::always_inline]] inline void eliminate_rotation(const Load& given, bool is_free, double* s,
                                                      double* factors) {
  const Matrix D = inverse(given.tt);
  const Matrix E = D * given.tf;
  const Vector e = D * given.torque;
  store9(E, s + 8 * kAnswer), store3(e, s + 8 * (kAnswer + 9));
  const Matrix ff = given.ff - given.ft * E;
  const Vector force = given.force - given.ft * e;
  if (factors != nullptr) {
    store9(D, factors + 8 * kInverse), store9(given.ft, factors + 8 * kForceByTurn);
    if (is_free) store9(inverse(ff), factors + 8 * kInverseMass);
  }
  if (is_free) {
    store3(-(inverse(ff) * force), s + 8 * (kChange + 3));
  } else {
    store9(ff, s + 8 * (kLoad + 27)), store3(force, s + 8 * (kLoad + 39));
  }
}

// Eliminates a joint with one coordinate, along `axis` at the start and `axis_end` at the end.
[[gnu::always_inline]] inline void eliminate_axis(Load given, bool turns, const Vector& axis,
                                                  const Vector& axis_end, double* s, double* factors) {
  const Vector torque_by = turns ? given.tt * axis_end : given.tf * axis_end;
  const Vector force_by = turns ? given.ft * axis_end : given.ff * axis_end;
  const Lanes inverse_D = 1.0 / dot(axis, turns ? torque_by : force_by);
  const Vector by_turn = inverse_D * times_transposed(turns ? given.tt : given.ft, axis);
  const Vector by_shift = inverse_D * times_transposed(turns ? given.tf : given.ff, axis);
  const Lanes e = inverse_D * dot(axis, turns ? given.torque : given.force);
  if (factors != nullptr) {
    store3(inverse_D * axis, factors + 8 * kWeight);
    store3(torque_by, factors + 8 * kTorqueBy), store3(force_by, factors + 8 * kForceBy);
  }
  store3(by_turn, s + 8 * kAnswer), store3(by_shift, s + 8 * (kAnswer + 3)), store(e, s + 8 * (kAnswer + 6));
  given.tt = given.tt - outer(torque_by, by_turn), given.tf = given.tf - outer(torque_by, by_shift);
  given.ft = given.ft - outer(force_by, by_turn), given.ff = given.ff - outer(force_by, by_shift);
  add(-e, torque_by, given.torque), add(-e, force_by, given.force);
  store_load(given, s + 8 * kLoad);
}

// Goes from the ends of the molecules to their first bodies.
template <bool kMoves>
[[gnu::always_inline]] inline void eliminate(const JointedMolecules& m, double h) {
  for (int b = m.tree.bodies - 1; b >= 0; --b) {
    const Body body = load_body(m, b);
    Load load = own_load<kMoves>(m, b, body, h);
    for (int i = m.tree.child_begin[b]; i < m.tree.child_begin[b + 1]; ++i) {
      add_child(m, m.tree.child[i], body, load);
    }
    const BodyJoint joint = m.tree.joint[b];
    double* const factors = m.tree.conditions > 0 ? loop_scratch_of(m, b) : nullptr;
    if (joint == BodyJoint::kFree || joint == BodyJoint::kSpherical) {
      eliminate_rotation(load, joint == BodyJoint::kFree, body.scratch, factors);
    } else {
      const double* const parent = scratch_of(m, m.tree.parent[b]);
      const Vector axis = load3(constants_of(m, b) + 8 * kAxis);
      eliminate_axis(load, joint == BodyJoint::kRevolute, load9(parent + 8 * kRotation) * axis,
                     load9(parent + 8 * kEndRotation) * axis, body.scratch, factors);
    }
  }
}

// The change of a joint: rotation and displacement of the body's joint, and that of the coordinate.
struct Change {
  Vector turn, shift;
  Lanes coordinate;
};

// Returns the change from that of the parent's joint, or for a free body from that of its own place, and the
// `answer` of the joint.
[[gnu::always_inline]] inline Change change_by(const JointedMolecules& m, int b, const Change& before,
                                               const double* answer) {
  double* const s = scratch_of(m, b);
  const BodyJoint joint = m.tree.joint[b];
  Change change = before;
  if (joint != BodyJoint::kFree) {
    change.shift = before.shift + cross(before.turn, load3(s + 8 * kArm));
  }
  const double* const factors = s + 8 * kAnswer;
  if (joint == BodyJoint::kFree || joint == BodyJoint::kSpherical) {
    change.turn = -(load9(factors) * change.shift + load3(answer));
  } else {
    change.coordinate =
        -(load(answer) + dot(load3(factors), change.turn) + dot(load3(factors + 8 * 3), change.shift));
    const double* const parent = scratch_of(m, m.tree.parent[b]);
    const Vector axis = load9(parent + 8 * kEndRotation) * load3(constants_of(m, b) + 8 * kAxis);
    add(change.coordinate, axis, joint == BodyJoint::kRevolute ? change.turn : change.shift);
  }
  return change;
}

[[gnu::always_inline]] inline Change change_of(const JointedMolecules& m, int b) {
  double* const s = scratch_of(m, b);
  const BodyJoint joint = m.tree.joint[b];
  const bool is_axis = joint == BodyJoint::kRevolute || joint == BodyJoint::kPrismatic;
  Change before{{}, {}, {}};
  if (joint == BodyJoint::kFree) {
    before.shift = load3(s + 8 * (kChange + 3));
  } else {
    const double* const parent = scratch_of(m, m.tree.parent[b]);
    before.turn = load3(parent + 8 * kChange), before.shift = load3(parent + 8 * (kChange + 3));
  }
  const Change change = change_by(m, b, before, s + 8 * (kAnswer + (is_axis ? 6 : 9)));
  store3(change.turn, s + 8 * kChange), store3(change.shift, s + 8 * (kChange + 3));
  return change;
}

}  // namespace
}  // namespace sestina
