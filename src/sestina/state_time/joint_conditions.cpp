#include "sestina/state_time/joint_conditions.h"

#include <fmt/format.h>

#include "sestina/base/error.h"
#include "sestina/joints/joint_list.h"
#include "sestina/model/properties.h"

namespace sestina {
namespace {

using V3 = Vec3<double>;
using M3 = Mat3<double>;
using Kind = JointCondition::Kind;
constexpr BodyVector kColumns[] = {BodyVector::kC0, BodyVector::kC1, BodyVector::kC2};

V3 unit(int i) { return {double(i == 0), double(i == 1), double(i == 2)}; }
M3 scaled_identity(double a) { return {a, 0, 0, 0, a, 0, 0, 0, a}; }
M3 outer(const V3& a, const V3& b) {
  return {a.x * b.x, a.x * b.y, a.x * b.z, a.y * b.x, a.y * b.y, a.y * b.z, a.z * b.x, a.z * b.y, a.z * b.z};
}
M3 skew(const V3& a) { return {0, -a.z, a.y, a.z, 0, -a.x, -a.y, a.x, 0}; }
M3 operator*(double a, const M3& A) { return scaled_identity(a) * A; }
// Derivative of a x (C^T y) with respect to y.
M3 cross_transpose(const V3& a, const M3& C) { return skew(a) * C.transpose(); }

// The terms that the formulas of a condition share.
struct Pair {
  Pair(const JointConditions& joint, std::span<const BodyInstant> bodies)
      : P(joint.parent == kNoBody ? ground() : bodies[static_cast<std::size_t>(joint.parent)]),
        B(joint.child == kNoBody ? ground() : bodies[static_cast<std::size_t>(joint.child)]),
        d(B.x + B.C * joint.r - P.x - P.C * joint.s),
        d_rate(B.v + B.C * cross(B.w, joint.r) - P.v - P.C * cross(P.w, joint.s)) {}
  static const BodyInstant& ground() {
    static const BodyInstant instant;
    return instant;
  }
  const BodyInstant& P;
  const BodyInstant& B;
  V3 d, d_rate;
};

class Derivatives {
 public:
  Derivatives(const JointConditions& joint, std::span<const BodyInstant> bodies,
              std::span<const double> multipliers, DerivativeSink& sink)
      : joint_(joint), at_(joint, bodies), multipliers_(multipliers), sink_(sink) {}

  void add_point(const JointCondition& condition) {
    const auto first = static_cast<std::size_t>(condition.first);
    const V3 f{multipliers_[first], multipliers_[first + 1], multipliers_[first + 2]};
    if (joint_.child != kNoBody) add_end_of_point(condition.first, joint_.child, at_.B, joint_.r, f, 1.0);
    if (joint_.parent != kNoBody) add_end_of_point(condition.first, joint_.parent, at_.P, joint_.s, f, -1.0);
  }
  void add_slide(const JointCondition& condition) {
    const double f = multipliers_[static_cast<std::size_t>(condition.first)];
    add_slide_loads(condition, f);
    add_slide_rate(condition);
  }
  void add_turn(const JointCondition& condition);
  void add_screw(const JointCondition& condition);
  void add_rod(const JointCondition& condition) {
    if (joint_.child != kNoBody) add_end_of_rod(condition, joint_.child, at_.B, joint_.r, 1.0);
    if (joint_.parent != kNoBody) add_end_of_rod(condition, joint_.parent, at_.P, joint_.s, -1.0);
  }

 private:
  void add(int row_body, BodyVector row, int body, BodyVector column, const M3& block) {
    if (row_body != kNoBody && body != kNoBody) sink_.add(row_body, row, body, column, block);
  }
  void add_to_condition(int row, int body, BodyVector column, const V3& block) {
    if (body != kNoBody) sink_.add_to_condition(row, body, column, block);
  }
  void add_multiplier(int row_body, BodyVector row, int multiplier, const V3& block) {
    if (row_body != kNoBody) sink_.add_multiplier(row_body, row, multiplier, block);
  }
  void add_end_of_point(int first, int body, const BodyInstant& at, const V3& arm, const V3& f, double sign);
  void add_slide_loads(const JointCondition& condition, double f);
  void add_slide_rate(const JointCondition& condition);
  void add_end_of_rod(const JointCondition& condition, int body, const BodyInstant& at, const V3& arm,
                      double sign);

  const JointConditions& joint_;
  Pair at_;
  std::span<const double> multipliers_;
  DerivativeSink& sink_;
};

// Adds the derivatives of one of the two bodies of (1) and (4).
void Derivatives::add_end_of_point(int first, int body, const BodyInstant& at, const V3& arm, const V3& f,
                                   double sign) {
  const M3 arm_C = cross_transpose(arm, at.C), C_arm = at.C * skew(arm);
  const V3 turn = cross(at.w, arm);
  for (int i = 0; i < 3; ++i) {
    add_multiplier(body, BodyVector::kV, first + i, -sign * unit(i));
    add_multiplier(body, BodyVector::kW, first + i, -sign * arm_C.column(i));
    add(body, BodyVector::kW, body, kColumns[i], outer(-sign * cross(arm, unit(i)), f));
    add_to_condition(first + i, body, BodyVector::kV, sign * unit(i));
    add_to_condition(first + i, body, BodyVector::kW, -sign * C_arm.transpose().column(i));
    for (int j = 0; j < 3; ++j) add_to_condition(first + i, body, kColumns[j], (sign * turn[j]) * unit(i));
  }
}

void Derivatives::add_slide_loads(const JointCondition& condition, double f) {
  const int P = joint_.parent, B = joint_.child, row = condition.first;
  const V3 &n = condition.n, &r = joint_.r, &s = joint_.s, &d = at_.d;
  const M3 &CP = at_.P.C, &CB = at_.B.C;
  const V3 direction = CP * n, force = f * direction;
  const M3 r_C = cross_transpose(r, CB), s_C = cross_transpose(s, CP), n_C = cross_transpose(n, CP);
  add_multiplier(B, BodyVector::kV, row, -direction);
  add_multiplier(P, BodyVector::kV, row, direction);
  add_multiplier(B, BodyVector::kW, row, -(r_C * direction));
  add_multiplier(P, BodyVector::kW, row, s_C * direction - n_C * d);
  for (int j = 0; j < 3; ++j) {
    const V3 e = unit(j);
    add(B, BodyVector::kV, P, kColumns[j], scaled_identity(-f * n[j]));
    add(P, BodyVector::kV, P, kColumns[j], scaled_identity(f * n[j]));
    add(B, BodyVector::kW, B, kColumns[j], outer(-cross(r, e), force));
    add(B, BodyVector::kW, P, kColumns[j], (-f * n[j]) * r_C);
    add(P, BodyVector::kW, P, kColumns[j],
        outer(cross(s, e), force) + (f * n[j]) * s_C + outer(-f * cross(n, e), d) + (f * s[j]) * n_C);
    add(P, BodyVector::kW, B, kColumns[j], (-f * r[j]) * n_C);
  }
  add(P, BodyVector::kW, B, BodyVector::kX, -f * n_C);
  add(P, BodyVector::kW, P, BodyVector::kX, f * n_C);
}

void Derivatives::add_slide_rate(const JointCondition& condition) {
  const int P = joint_.parent, B = joint_.child, row = condition.first;
  const V3 &n = condition.n, &r = joint_.r, &s = joint_.s, &d = at_.d;
  const M3 &CP = at_.P.C, &CB = at_.B.C;
  const V3 direction = CP * n, turn = cross(at_.P.w, n), rate = CP * turn;
  const V3 s_rate = cross(at_.P.w, s), r_rate = cross(at_.B.w, r);
  add_to_condition(row, B, BodyVector::kV, direction);
  add_to_condition(row, P, BodyVector::kV, -direction);
  add_to_condition(row, B, BodyVector::kW, cross(r, transpose_times(CB, direction)));
  add_to_condition(row, P, BodyVector::kW,
                   cross(n, transpose_times(CP, d)) - cross(s, transpose_times(CP, direction)));
  add_to_condition(row, B, BodyVector::kX, rate);
  add_to_condition(row, P, BodyVector::kX, -rate);
  for (int j = 0; j < 3; ++j) {
    add_to_condition(row, P, kColumns[j],
                     turn[j] * d + n[j] * at_.d_rate - s[j] * rate - s_rate[j] * direction);
    add_to_condition(row, B, kColumns[j], r[j] * rate + r_rate[j] * direction);
  }
}

void Derivatives::add_turn(const JointCondition& condition) {
  const int P = joint_.parent, B = joint_.child, row = condition.first;
  const double f = multipliers_[static_cast<std::size_t>(row)];
  const V3 &n = condition.n, &m = condition.m;
  const M3 &CP = at_.P.C, &CB = at_.B.C;
  const V3 a = CP * n, b = CB * m;
  const V3 turn_n = cross(at_.P.w, n), turn_m = cross(at_.B.w, m);
  const M3 n_C = cross_transpose(n, CP), m_C = cross_transpose(m, CB);
  add_multiplier(P, BodyVector::kW, row, -(n_C * b));
  add_multiplier(B, BodyVector::kW, row, -(m_C * a));
  add_to_condition(row, P, BodyVector::kW, n_C * b);
  add_to_condition(row, B, BodyVector::kW, m_C * a);
  for (int j = 0; j < 3; ++j) {
    const V3 e = unit(j);
    add(P, BodyVector::kW, P, kColumns[j], outer(-f * cross(n, e), b));
    add(P, BodyVector::kW, B, kColumns[j], (-f * m[j]) * n_C);
    add(B, BodyVector::kW, B, kColumns[j], outer(-f * cross(m, e), a));
    add(B, BodyVector::kW, P, kColumns[j], (-f * n[j]) * m_C);
    add_to_condition(row, P, kColumns[j], turn_n[j] * b + n[j] * (CB * turn_m));
    add_to_condition(row, B, kColumns[j], m[j] * (CP * turn_n) + turn_m[j] * a);
  }
}

// Adds those of (9) and (10) beyond those of a slide. y = C_P n.
void Derivatives::add_screw(const JointCondition& condition) {
  const int P = joint_.parent, B = joint_.child, row = condition.first;
  const double f = multipliers_[static_cast<std::size_t>(row)], p = condition.pitch;
  const V3& n = condition.n;
  const M3 &CP = at_.P.C, &CB = at_.B.C;
  const V3 y = CP * n, y_B = transpose_times(CB, y), turning = CB * at_.B.w;
  add_multiplier(B, BodyVector::kW, row, p * y_B);
  add_multiplier(P, BodyVector::kW, row, -p * n);
  add_to_condition(row, B, BodyVector::kW, -p * y_B);
  add_to_condition(row, P, BodyVector::kW, p * n);
  for (int j = 0; j < 3; ++j) {
    add(B, BodyVector::kW, B, kColumns[j], outer((f * p) * unit(j), y));
    add(B, BodyVector::kW, P, kColumns[j], (f * p * n[j]) * CB.transpose());
    add_to_condition(row, B, kColumns[j], (-p * at_.B.w[j]) * y);
    add_to_condition(row, P, kColumns[j], (-p * n[j]) * turning);
  }
}

// Adds the derivatives of the rows of one of the two bodies, and those of (8) by its motion. With a = d/L and
// F = f a, the force on it is sign F, and d depends on body i by sign_i (x_i + C_i arm_i).
void Derivatives::add_end_of_rod(const JointCondition& condition, int body, const BodyInstant& at,
                                 const V3& arm, double sign) {
  const int row = condition.first;
  const double f = multipliers_[static_cast<std::size_t>(row)], inverse = 1.0 / condition.length;
  const V3 a = inverse * at_.d, force = f * a, a_rate = inverse * at_.d_rate;
  const M3 arm_C = cross_transpose(arm, at.C);
  add_multiplier(body, BodyVector::kV, row, -sign * a);
  add_multiplier(body, BodyVector::kW, row, -sign * (arm_C * a));
  const auto add_by_place = [&](int moved, const V3& moved_arm, double moved_sign) {
    const double by_x = -f * inverse * sign * moved_sign;
    add(body, BodyVector::kV, moved, BodyVector::kX, scaled_identity(by_x));
    add(body, BodyVector::kW, moved, BodyVector::kX, by_x * arm_C);
    for (int j = 0; j < 3; ++j) {
      add(body, BodyVector::kV, moved, kColumns[j], scaled_identity(by_x * moved_arm[j]));
      add(body, BodyVector::kW, moved, kColumns[j], (by_x * moved_arm[j]) * arm_C);
    }
  };
  add_by_place(joint_.child, joint_.r, 1.0);
  add_by_place(joint_.parent, joint_.s, -1.0);
  const V3 turn = cross(at.w, arm);
  add_to_condition(row, body, BodyVector::kV, sign * a);
  add_to_condition(row, body, BodyVector::kW, sign * (arm_C * a));
  add_to_condition(row, body, BodyVector::kX, sign * a_rate);
  for (int j = 0; j < 3; ++j) {
    add(body, BodyVector::kW, body, kColumns[j], outer(-sign * cross(arm, unit(j)), force));
    add_to_condition(row, body, kColumns[j], sign * (arm[j] * a_rate + turn[j] * a));
  }
}

}  // namespace

void JointConditions::calc_errors(std::span<const BodyInstant> bodies, std::span<double> rows) const {
  const Pair at(*this, bodies);
  for (const JointCondition& condition : conditions) {
    const auto row = static_cast<std::size_t>(condition.first);
    switch (condition.kind) {
      case Kind::kPoint:
        for (int i = 0; i < 3; ++i) rows[row + static_cast<std::size_t>(i)] = at.d[i];  // (1)
        break;
      case Kind::kSlide:
        rows[row] = dot(at.P.C * condition.n, at.d);  // (2)
        break;
      case Kind::kTurn:
        rows[row] = dot(at.P.C * condition.n, at.B.C * condition.m) - condition.cosine;  // (3)
        break;
      case Kind::kRod:
        rows[row] = 0.5 * (dot(at.d, at.d) / condition.length - condition.length);  // (7)
        break;
      case Kind::kScrew:
        break;
    }
  }
}

void JointConditions::calc_rates(std::span<const BodyInstant> bodies, std::span<double> rows) const {
  const Pair at(*this, bodies);
  for (const JointCondition& condition : conditions) {
    const auto row = static_cast<std::size_t>(condition.first);
    const V3 direction = at.P.C * condition.n, rate = at.P.C * cross(at.P.w, condition.n);
    switch (condition.kind) {
      case Kind::kPoint:
        for (int i = 0; i < 3; ++i) rows[row + static_cast<std::size_t>(i)] = at.d_rate[i];  // (4)
        break;
      case Kind::kSlide:
        rows[row] = dot(rate, at.d) + dot(direction, at.d_rate);  // (5)
        break;
      case Kind::kTurn:
        rows[row] =
            dot(rate, at.B.C * condition.m) + dot(direction, at.B.C * cross(at.B.w, condition.m));  // (6)
        break;
      case Kind::kRod:
        rows[row] = dot(at.d, at.d_rate) / condition.length;  // (8)
        break;
      case Kind::kScrew:
        rows[row] = dot(rate, at.d) + dot(direction, at.d_rate) -
                    condition.pitch * (dot(direction, at.B.C * at.B.w) - dot(condition.n, at.P.w));  // (10)
        break;
    }
  }
}

void JointConditions::add_loads(std::span<const BodyInstant> bodies, std::span<const double> multipliers,
                                std::span<BodyLoad> loads) const {
  const Pair at(*this, bodies);
  BodyLoad none;
  BodyLoad& on_P = parent == kNoBody ? none : loads[static_cast<std::size_t>(parent)];
  BodyLoad& on_B = child == kNoBody ? none : loads[static_cast<std::size_t>(child)];
  for (const JointCondition& condition : conditions) {
    const auto first = static_cast<std::size_t>(condition.first);
    const double f = multipliers[first];
    if (condition.kind == Kind::kTurn) {
      on_P.torque += f * cross(condition.n, transpose_times(at.P.C, at.B.C * condition.m));  // (3)
      on_B.torque += f * cross(condition.m, transpose_times(at.B.C, at.P.C * condition.n));
      continue;
    }
    V3 force{f, 0.0, 0.0};
    if (condition.kind == Kind::kPoint) {
      force = {f, multipliers[first + 1], multipliers[first + 2]};  // (1)
    } else if (condition.kind == Kind::kRod) {
      force = (f / condition.length) * at.d;  // (7)
    } else {
      force = f * (at.P.C * condition.n);  // (2)
      on_P.torque += f * cross(condition.n, transpose_times(at.P.C, at.d));
    }
    if (condition.kind == Kind::kScrew) {  // (9)
      const double torque = f * condition.pitch;
      on_B.torque -= torque * transpose_times(at.B.C, at.P.C * condition.n);
      on_P.torque += torque * condition.n;
    }
    on_B.force += force, on_P.force -= force;
    on_B.torque += cross(r, transpose_times(at.B.C, force));
    on_P.torque -= cross(s, transpose_times(at.P.C, force));
  }
}

void JointConditions::add_derivatives(std::span<const BodyInstant> bodies,
                                      std::span<const double> multipliers, DerivativeSink& sink) const {
  Derivatives derivatives(*this, bodies, multipliers, sink);
  for (const JointCondition& condition : conditions) {
    switch (condition.kind) {
      case Kind::kPoint:
        derivatives.add_point(condition);
        break;
      case Kind::kSlide:
        derivatives.add_slide(condition);
        break;
      case Kind::kTurn:
        derivatives.add_turn(condition);
        break;
      case Kind::kRod:
        derivatives.add_rod(condition);
        break;
      case Kind::kScrew:
        derivatives.add_slide(condition);
        derivatives.add_screw(condition);
        break;
    }
  }
}

SpatialForce<double> JointConditions::calc_reaction(std::span<const BodyInstant> bodies,
                                                    std::span<const double> multipliers) const {
  std::vector<BodyLoad> loads(bodies.size());
  add_loads(bodies, multipliers, loads);
  const auto c = static_cast<std::size_t>(child);
  const V3 force = loads[c].force, arm = bodies[c].C * r;
  return {bodies[c].C * loads[c].torque - cross(arm, force), force};
}

// The directions of a joint's constraint forces are perpendicular to each other and to the directions of its
// freedoms, and so are those of its constraint torques.
void JointConditions::find_multipliers(const M3& C_parent, const M3& C_child,
                                       const SpatialForce<double>& reaction,
                                       std::span<double> multipliers) const {
  for (const JointCondition& condition : conditions) {
    const auto first = static_cast<std::size_t>(condition.first);
    const V3 direction = C_parent * condition.n;
    switch (condition.kind) {
      case Kind::kPoint:
        for (int i = 0; i < 3; ++i) multipliers[first + static_cast<std::size_t>(i)] = reaction.force[i];
        break;
      case Kind::kSlide:
        multipliers[first] = dot(direction, reaction.force);
        break;
      case Kind::kTurn: {
        const V3 turn = cross(C_child * condition.m, direction);
        const double square = dot(turn, turn);
        multipliers[first] = square > 0.0 ? dot(turn, reaction.torque) / square : 0.0;
        break;
      }
      case Kind::kScrew:
        // Across the freedom [n; p n] in the plane of the two.
        multipliers[first] =
            (dot(direction, reaction.force) - condition.pitch * dot(direction, reaction.torque)) /
            (1.0 + condition.pitch * condition.pitch);
        break;
      case Kind::kRod:
        break;  // joints have none
    }
  }
}

int count_multipliers(std::span<const JointConditions> joints) {
  int count = 0;
  for (const JointConditions& joint : joints) {
    for (const JointCondition& condition : joint.conditions) count += condition.rows();
  }
  return count;
}

namespace {

// Builds the list of one joint's conditions; directions on the parent's side are given in F.
class Builder {
 public:
  Builder(JointConditions& joint, const Rotation<double>& R_PF, const Rotation<double>& R_BM, int& next)
      : joint_(joint), R_PF_(R_PF), R_BM_(R_BM), next_(next) {}

  void point() { put({.kind = Kind::kPoint}); }
  void slide(const V3& n) { put({.kind = Kind::kSlide, .n = R_PF_ * n}); }
  void screw(const V3& n, double pitch) { put({.kind = Kind::kScrew, .n = R_PF_ * n, .pitch = pitch}); }
  void turn(const V3& n, const V3& m) {
    put({.kind = Kind::kTurn, .n = R_PF_ * n, .m = R_BM_ * m, .cosine = dot(n, m)});
  }
  void turn_as_weld() {
    for (int i = 0; i < 3; ++i) turn(unit(i), unit((i + 1) % 3));
  }
  void turn_about(const V3& axis) {
    for (const V3& n : across(axis)) turn(n, axis);
  }
  static std::array<V3, 2> across(const V3& axis) {
    int least = 0;
    for (int i = 1; i < 3; ++i) {
      if (std::abs(axis[i]) < std::abs(axis[least])) least = i;
    }
    const V3 a = cross(axis, unit(least));
    const V3 n = (1.0 / norm(a)) * a;
    return {n, cross(axis, n)};
  }

 private:
  void put(JointCondition condition) {
    condition.first = next_;
    next_ += condition.rows();
    joint_.conditions.push_back(condition);
  }
  JointConditions& joint_;
  Rotation<double> R_PF_, R_BM_;
  int& next_;
};

struct AddConditions {
  Builder& build;
  bool& is_known;
  // Types of joints whose conditions are not listed here.
  template <class Joint>
  void operator()(const Joint&) const {
    is_known = false;
  }
  void operator()(const Weld<double>&) const { build.point(), build.turn_as_weld(); }
  void operator()(const Revolute<double>& j) const { build.point(), build.turn_about(j.axis); }
  void operator()(const Prismatic<double>& j) const {
    for (const V3& n : Builder::across(j.axis)) build.slide(n);
    build.turn_as_weld();
  }
  void operator()(const Cylindrical<double>& j) const {
    for (const V3& n : Builder::across(j.axis)) build.slide(n);
    build.turn_about(j.axis);
  }
  void operator()(const Screw<double>& j) const {
    build.screw(j.axis, j.pitch);
    for (const V3& n : Builder::across(j.axis)) build.slide(n);
    build.turn_about(j.axis);
  }
  void operator()(const Universal<double>& j) const { build.point(), build.turn(j.axis, j.second_axis); }
  void operator()(const Planar<double>&) const {
    build.slide(unit(2));
    build.turn(unit(2), unit(0)), build.turn(unit(2), unit(1));
  }
  void operator()(const Xyz<double>&) const { build.turn_as_weld(); }
  void operator()(const Spherical<double>&) const { build.point(); }
  void operator()(const Free<double>&) const {}
};

}  // namespace

bool add_joint_conditions(const AnyJoint<double>& joint, const Rotation<double>& R_PF,
                          const Rotation<double>& R_BM, int& next, JointConditions& conditions) {
  Builder builder(conditions, R_PF, R_BM, next);
  bool is_known = true;
  visit_joint(joint, AddConditions{builder, is_known});
  return is_known;
}

std::vector<JointConditions> make_joint_conditions(const Model& model, const Properties<double>& properties) {
  std::vector<JointConditions> joints;
  FaultList faults;
  int next = 0;
  for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) {
    const BodyInfo& info = model.bodies()[b];
    const BodyProperties<double>& body = properties.bodies[b];
    JointConditions joint;
    joint.parent = info.parent.value() - 1;  // the ground is kNoBody
    joint.child = b.value() - 1;
    joint.r = -body.M.c;
    joint.s = body.X_PF.p;
    if (joint.parent != kNoBody) joint.s -= properties.bodies[info.parent].M.c;
    if (!add_joint_conditions(body.joint, body.X_PF.R, Rotation<double>::identity(), next, joint)) {
      faults.add({{}, info.joint_name},
                 fmt::format("{} joints have no state-time equations", joint_info(info.joint_type).keyword));
    }
    if (body.armature != 0.0) {
      faults.add({{}, info.joint_name}, "state-time equations have no armatures");
    }
    joints.push_back(std::move(joint));
  }
  faults.throw_if_any();
  return joints;
}

}  // namespace sestina
