// Joints that close loops of bodies, in lanes, for articulated_kernels.cpp alone.
//
// Each condition g of such a joint has an impulse mu/h along its gradient G0 at the start of the step. The
// recursion gives the changes d of the tree without these impulses, and C for units of them; with G+, the
// gradient at the end,
//   (1)  (G+ C) mu = -(g+ + G+ d),   then the change is d + C mu.
// Since the impulses enter equation (2) of articulated_bodies.h linearly, this is Newton's iteration for all
// unknowns, and mu needs no initial guess. At rest G+ C = G M^-1 G^T is symmetric and positive definite, and
// later nearly so, so that the elimination needs no pivoting.
//
// A column of C is a load on its way to the first body, and a change on its way back: kColumn numbers of each
// body, 6 of a load or 7 of a change, then 3 of the answer of its joint.
#pragma once

#include "sestina/particles/kernels/articulated_recursion.h"

namespace sestina {
namespace {

constexpr int kAnswerOfColumn = 7;
static_assert(kAnswerOfColumn + 3 == kColumn);

[[gnu::always_inline]] inline double* column_of(const JointedMolecules& m, int b, int k) {
  return loop_scratch_of(m, b) + 8 * (kLoopBody + kColumn * k);
}

// A condition at the present poses: its value g and its gradient, which is the wrench of a unit of its
// impulse on the second body, a torque and a force at a point. The first body gets the opposite.
struct Gradient {
  Lanes value;
  Vector torque, force, point;
};

template <bool kIsEnd>
[[gnu::always_inline]] inline Gradient gradient_of(const JointedMolecules& m, int k) {
  const int first = m.tree.closing[2 * k], second = m.tree.closing[2 * k + 1];
  const double* const c = m.condition + 8 * kCondition * k;
  const Lanes offset = load(c + 8 * kOffset);
  const auto turn = [&](int b, int number) {
    return load9(scratch_of(m, b) + 8 * (kIsEnd ? kEndRotation : kRotation)) * load3(c + 8 * number);
  };
  const auto place = [&](int b, int number) {
    const double* const pose = kIsEnd ? scratch_of(m, b) + 8 * kEndPose : m.pose + 8 * kPose * b;
    return load3(pose + 8 * kCentre) + turn(b, number);
  };
  Gradient g{};
  const ClosingLaw law = m.tree.law[k];
  if (law == ClosingLaw::kPerpendicular) {
    const Vector u = turn(first, kFirstAlong), v = turn(second, kSecondAlong);
    g.value = dot(u, v) - offset;
    g.torque = cross(v, u);
    return g;
  }
  g.point = place(second, kSecondPoint);
  const Vector apart = g.point - place(first, kFirstPoint);
  if (law == ClosingLaw::kPlane) {
    g.force = turn(first, kFirstAlong);
    g.value = dot(g.force, apart) - offset;
  } else {
    const Lanes distance = square_root(dot(apart, apart));
    g.force = (1.0 / distance) * apart;
    g.value = distance - offset;
  }
  return g;
}

// Returns its moment about the joint of a body.
[[gnu::always_inline]] inline Vector moment_of(const Gradient& g, const Vector& joint) {
  return g.torque + cross(g.point - joint, g.force);
}

[[gnu::always_inline]] inline void add_to_column(const Vector& torque, const Vector& force, double* column) {
  store3(load3(column) + torque, column);
  store3(load3(column + 8 * 3) + force, column + 8 * 3);
}

// Sets the loads of unit impulses.
[[gnu::always_inline]] inline void begin_columns(const JointedMolecules& m) {
  for (int b = 0; b < m.tree.bodies; ++b) {
    double* const columns = column_of(m, b, 0);
    for (int i = 0; i < 8 * kColumn * m.tree.conditions; i += 8) store(Lanes{}, columns + i);
  }
  for (int k = 0; k < m.tree.conditions; ++k) {
    const Gradient g = gradient_of<false>(m, k);
    const int first = m.tree.closing[2 * k], second = m.tree.closing[2 * k + 1];
    add_to_column(moment_of(g, load3(scratch_of(m, first) + 8 * kJoint)), g.force, column_of(m, first, k));
    add_to_column(-moment_of(g, load3(scratch_of(m, second) + 8 * kJoint)), -g.force,
                  column_of(m, second, k));
  }
}

// Does for these loads what eliminate_rotation does for those of bodies, at a ball joint or a free body.
[[gnu::always_inline]] inline void eliminate_at_ball(const JointedMolecules& m, int b) {
  const double* const factors = loop_scratch_of(m, b);
  const Matrix D = load9(factors + 8 * kInverse), force_by = load9(factors + 8 * kForceByTurn);
  for (int k = 0; k < m.tree.conditions; ++k) {
    double* const column = column_of(m, b, k);
    const Vector e = D * load3(column);
    store3(e, column + 8 * kAnswerOfColumn);
    store3(Vector{}, column);
    store3(load3(column + 8 * 3) - force_by * e, column + 8 * 3);
  }
}

// Does the same at a joint with one coordinate.
[[gnu::always_inline]] inline void eliminate_at_axis(const JointedMolecules& m, int b) {
  const double* const factors = loop_scratch_of(m, b);
  const Vector weight = load3(factors + 8 * kWeight), torque_by = load3(factors + 8 * kTorqueBy),
               force_by = load3(factors + 8 * kForceBy);
  for (int k = 0; k < m.tree.conditions; ++k) {
    double* const column = column_of(m, b, k);
    Vector torque = load3(column), force = load3(column + 8 * 3);
    const Lanes e = dot(weight, m.tree.joint[b] == BodyJoint::kRevolute ? torque : force);
    store(e, column + 8 * kAnswerOfColumn);
    add(-e, torque_by, torque), add(-e, force_by, force);
    store3(torque, column), store3(force, column + 8 * 3);
  }
}

// Goes from the ends of the molecules to their first bodies.
[[gnu::always_inline]] inline void eliminate_columns(const JointedMolecules& m) {
  for (int b = m.tree.bodies - 1; b >= 0; --b) {
    const bool is_ball = m.tree.joint[b] == BodyJoint::kFree || m.tree.joint[b] == BodyJoint::kSpherical;
    is_ball ? eliminate_at_ball(m, b) : eliminate_at_axis(m, b);
    const int parent = m.tree.parent[b];
    if (parent < 0) continue;
    const Vector d = load3(scratch_of(m, b) + 8 * kJoint) - load3(scratch_of(m, parent) + 8 * kJoint);
    for (int k = 0; k < m.tree.conditions; ++k) {
      const double* const column = column_of(m, b, k);
      const Vector force = load3(column + 8 * 3);
      add_to_column(load3(column) + cross(d, force), force, column_of(m, parent, k));
    }
  }
}

[[gnu::always_inline]] inline Change load_change(const double* column) {
  return {load3(column), load3(column + 8 * 3), load(column + 8 * 6)};
}

// Computes C, from the first bodies to the ends.
[[gnu::always_inline]] inline void spread_columns(const JointedMolecules& m) {
  for (int b = 0; b < m.tree.bodies; ++b) {
    const int parent = m.tree.parent[b];
    for (int k = 0; k < m.tree.conditions; ++k) {
      double* const column = column_of(m, b, k);
      Change before{{}, {}, {}};
      if (parent >= 0) {
        before = load_change(column_of(m, parent, k));
        before.coordinate = Lanes{};
      } else {
        before.shift = -(load9(loop_scratch_of(m, b) + 8 * kInverseMass) * load3(column + 8 * 3));
      }
      const Change change = change_by(m, b, before, column + 8 * kAnswerOfColumn);
      store3(change.turn, column), store3(change.shift, column + 8 * 3);
      store(change.coordinate, column + 8 * 6);
    }
  }
}

// Solves (1) for mu, given (conditions x (conditions + 1)) numbers; the last of each row is the right-hand
// side, which mu replaces.
[[gnu::always_inline]] inline void solve_conditions(int conditions, double* rows, double* pivots) {
  const int width = conditions + 1;
  const auto at = [&](int i, int j) { return rows + 8 * (width * i + j); };
  for (int i = 0; i < conditions; ++i) {
    const Lanes inverse_pivot = 1.0 / load(at(i, i));
    store(load(at(i, i)), pivots + 8 * i);
    for (int j = i + 1; j < width; ++j) store(inverse_pivot * load(at(i, j)), at(i, j));
    for (int l = i + 1; l < conditions; ++l) {
      const Lanes factor = load(at(l, i));
      for (int j = i + 1; j < width; ++j) store(load(at(l, j)) - factor * load(at(i, j)), at(l, j));
    }
  }
  for (int i = conditions - 1; i > 0; --i) {
    const Lanes mu = load(at(i, conditions));
    for (int l = 0; l < i; ++l) {
      store(load(at(l, conditions)) - load(at(l, i)) * mu, at(l, conditions));
    }
  }
}

// Solves (1) and computes the changes of all bodies and coordinates. Without kMoves, at rest, G+ of the
// change is zero.
template <bool kMoves>
[[gnu::always_inline]] inline void close_loops(const JointedMolecules& m) {
  const int K = m.tree.conditions;
  begin_columns(m);
  eliminate_columns(m);
  spread_columns(m);
  double* const pivots = m.scratch + 8 * pivots_in_scratch(m.tree.bodies);
  double* const rows = pivots + 8 * K;
  for (int i = 0; i < K; ++i) {
    const Gradient g = gradient_of<true>(m, i);
    const int first = m.tree.closing[2 * i], second = m.tree.closing[2 * i + 1];
    const double *const of_first = scratch_of(m, first), *const of_second = scratch_of(m, second);
    const Vector moment_first = moment_of(g, load3(of_first + 8 * kEndJoint)),
                 moment_second = moment_of(g, load3(of_second + 8 * kEndJoint));
    const auto apply = [&](const double* first_change, const double* second_change) {
      return dot(moment_second, load3(second_change)) - dot(moment_first, load3(first_change)) +
             dot(g.force, load3(second_change + 8 * 3) - load3(first_change + 8 * 3));
    };
    for (int j = 0; j < K; ++j) {
      store(apply(column_of(m, first, j), column_of(m, second, j)), rows + 8 * ((K + 1) * i + j));
    }
    Lanes right = -apply(of_first + 8 * kChange, of_second + 8 * kChange);
    if constexpr (kMoves) right -= g.value;
    store(right, rows + 8 * ((K + 1) * i + K));
  }
  solve_conditions(K, rows, pivots);
  for (int b = 0; b < m.tree.bodies; ++b) {
    double *const change = scratch_of(m, b) + 8 * kChange, *const coordinate =
                                                               loop_scratch_of(m, b) + 8 * kCoordinate;
    Change sum{load3(change), load3(change + 8 * 3), load(coordinate)};
    for (int k = 0; k < K; ++k) {
      const Lanes mu = load(rows + 8 * ((K + 1) * k + K));
      const Change by = load_change(column_of(m, b, k));
      add(mu, by.turn, sum.turn), add(mu, by.shift, sum.shift);
      sum.coordinate += mu * by.coordinate;
    }
    store3(sum.turn, change), store3(sum.shift, change + 8 * 3), store(sum.coordinate, coordinate);
  }
}

}  // namespace
}  // namespace sestina
