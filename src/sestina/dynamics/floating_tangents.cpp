#include "sestina/dynamics/floating_tangents.h"

#include <algorithm>

#include "sestina/base/index.h"
#include "sestina/constraints/cut_joint_motion.h"
#include "sestina/model/properties.h"

namespace sestina {
namespace {

// [a], the matrix of a x.
Mat3<double> skew(const Vec3<double>& a) { return {0.0, -a.z, a.y, a.z, 0.0, -a.x, -a.y, a.x, 0.0}; }

Mat3<double> negative(const Mat3<double>& A) {
  return {-A.xx, -A.xy, -A.xz, -A.yx, -A.yy, -A.yz, -A.zx, -A.zy, -A.zz};
}

void add_to(double (&m)[6][6], int row, int column, const Mat3<double>& block, double sign = 1.0) {
  const double rows[3][3] = {
      {block.xx, block.xy, block.xz}, {block.yx, block.yy, block.yz}, {block.zx, block.zy, block.zz}};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) m[row + i][column + j] += sign * rows[i][j];
  }
}

SpatialForce<double> rotate(const Rotation<double>& R, const SpatialForce<double>& f) {
  return {R * f.torque, R * f.force};
}

SpatialMotion<double> unit_motion(int e) {
  Vec6<double> unit;
  unit[e] = 1.0;
  return to_motion(unit);
}

// Returns the derivative of n, or of a force, in axes of F.
SpatialForce<double> derivative(const CutJoint<Dual>& cut, const ScaledTwist<Dual>& n) {
  const double length = cut.length.v;
  return {{length * n[0].d, length * n[1].d, length * n[2].d}, {n[3].d, n[4].d, n[5].d}};
}

Vec3<Dual> lift(const Vec3<double>& a, const Vec3<double>& d) { return {{a.x, d.x}, {a.y, d.y}, {a.z, d.z}}; }

}  // namespace

// How a joint's force on its child and its conditions change with displacements and velocities of M in F.
// Axes of F, at p.
struct FloatingTangents::Law {
  double Z[6][6] = {}, Z_u[6][6] = {};       // change of the force with displacements, (4), and velocities
  double n_V[6][6] = {};                     // V_F . dn, by row and displacement
  double q_by[7][6] = {}, u_by[6][6] = {};   // change of the joint's coordinates and speeds at fixed V_F
  std::array<SpatialForce<double>, 6> h{};   // u = h . V_F; also the force for a unit generalised force
  std::array<SpatialForce<double>, 6> by_V;  // change of the generalised forces with V_F
};

// How motions of the bodies displace a joint.
struct FloatingTangents::Displaced {
  const RelativeMarkerMotion<double>& relative;
  Vec3<double> w_a, w_b;  // rad/s

  const Vec3<double>& arm(std::size_t end) const { return end == 0 ? relative.arm_a : relative.arm_b; }
  double sign(std::size_t end) const { return end == 0 ? -1.0 : 1.0; }

  // In (3), n.V is this times the motion of the body. It is also the force n at p, taken about the body's
  // origin.
  SpatialForce<double> at_body(std::size_t end, const SpatialForce<double>& n) const {
    return sign(end) * shift_back(n, arm(end));
  }
  // V_F for a unit velocity of a body along its speed e.
  SpatialMotion<double> of_body(std::size_t end, int e) const {
    return rotate_into_F(sign(end) * shift(unit_motion(e), arm(end)));
  }
  SpatialMotion<double> rotate_into_F(const SpatialMotion<double>& V) const {
    return {transpose_times(relative.R_WF, V.w), transpose_times(relative.R_WF, V.v)};
  }
  // (5), for n in ground axes that is fixed in F.
  SpatialForce<double> change_of_rate(std::size_t end, const SpatialForce<double>& n) const {
    const Vec3<double> turning = w_b - w_a, of_a = cross(n.force, w_a);
    if (end == 0) return {cross(n.torque, turning) + cross(n.force, relative.velocity.v), of_a};
    return {cross(relative.arm_b, cross(n.force, turning)), -of_a};
  }
};

bool FloatingTangents::serve(const Model& model, const Properties<double>& properties) {
  for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) {
    const BodyInfo& body = model.bodies()[b];
    const BodyProperties<double>& of = properties.bodies[b];
    const bool floats = body.joint_type == JointType::kFree || body.joint_type == JointType::kXyz;
    if (body.is_mode) continue;
    if (body.parent != kGround || !floats || of.armature != 0.0) return false;
    if (!of.structure.has_parallel_frames || norm(of.X_PF.p) != 0.0) return false;
  }
  return model.bodies().size() > 1 && model.reduced_bodies().empty() &&
         std::ranges::none_of(model.cut_joints(), [](const auto& cut) { return cut.armature_row >= 0; });
}

FloatingTangents::FloatingTangents(const Model& model, const Properties<Dual>& properties) : model_(model) {
  bodies_.resize(at(model.bodies().size()));
  for (std::size_t b = 1; b < bodies_.size(); ++b) {
    const BodyInfo& info = model.bodies()[BodyIndex(static_cast<int>(b))];
    bodies_[b].u_start = info.u_start, bodies_[b].nu = info.nu;
  }
  for (const CutJoint<Dual>& cut : properties.constraints.cut_joints) {
    Joint& joint = joints_.emplace_back();
    joint.bodies = {at(cut.F.frame.value()), at(cut.M.frame.value())};
    if (cut.has_constant_directions) continue;
    joint.variable = static_cast<int>(variable_.size());
    variable_.push_back(cut);
    variable_.back().F = {FrameIndex{0}, {}};
    variable_.back().M = {FrameIndex{1}, {}};
  }
  for (const SpringDamper<Dual>& spring : properties.forces.spring_dampers) {
    springs_.push_back({.bodies = {at(spring.from.frame.value()), at(spring.to.frame.value())}});
  }
}

// ---- patterns ---------------------------------------------------------------------------------------------

void FloatingTangents::add_to_pattern(std::vector<std::vector<int>>& of_r,
                                      std::vector<std::vector<int>>& of_v) const {
  const auto add = [](const Body& columns, int first, int count, std::vector<std::vector<int>>& to) {
    for (int k = columns.u_start; k < columns.u_start + columns.nu; ++k) {
      for (int i = first; i < first + count; ++i) to[at(k)].push_back(i);
    }
  };
  const auto add_pair = [&](const Pair& pair) {
    for (const std::size_t y : pair.bodies) {
      for (const std::size_t x : pair.bodies) add(bodies_[y], bodies_[x].u_start, bodies_[x].nu, of_r);
    }
  };
  for (const Body& body : bodies_) add(body, body.u_start, body.nu, of_r);
  for (const Pair& spring : springs_) add_pair(spring);
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    add_pair(joints_[i]);
    for (const std::size_t y : joints_[i].bodies) {
      add(bodies_[y], model_.cut_joints()[i].first_row, model_.cut_joints()[i].rows, of_v);
    }
  }
}

void FloatingTangents::find_places(const SparsePattern& pattern, const SparsePattern& row_pattern) {
  const auto find = [](const SparsePattern& in, int first_row, const Body& columns) {
    Block block{};
    for (int k = 0; k < columns.nu; ++k) block[at(k)] = in.place(first_row, columns.u_start + k);
    return block;
  };
  const auto find_pair = [&](Pair& pair) {
    for (const std::size_t y : {0U, 1U}) {
      for (const std::size_t x : {0U, 1U}) {
        pair.K[x][y] = find(pattern, bodies_[pair.bodies[x]].u_start, bodies_[pair.bodies[y]]);
      }
    }
  };
  for (Body& body : bodies_) body.K = find(pattern, body.u_start, body);
  for (Pair& spring : springs_) find_pair(spring);
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    Joint& joint = joints_[i];
    find_pair(joint);
    for (const std::size_t y : {0U, 1U}) {
      joint.C[y] = find(row_pattern, model_.cut_joints()[i].first_row, bodies_[joint.bodies[y]]);
    }
  }
}

void FloatingTangents::add_block(const Pair& pair, std::size_t x, std::size_t y, const double (&block)[6][6],
                                 std::span<double> to) const {
  const Body &rows = bodies_[pair.bodies[x]], &columns = bodies_[pair.bodies[y]];
  for (int k = 0; k < columns.nu; ++k) {
    double* const column = to.data() + pair.K[x][y][at(k)];
    for (int i = 0; i < rows.nu; ++i) column[i] += block[rows.first() + i][columns.first() + k];
  }
}

// ---- numbers ----------------------------------------------------------------------------------------------

void FloatingTangents::add(const Properties<double>& properties, const Kinematics<double>& kinematics,
                           std::span<const SpatialMotion<double>> A, const ConstraintRows<double>& rows,
                           std::span<const double> lambda, const DrivenJoints& driven,
                           const Matrices& to) const {
  for (std::size_t b = 1; b < bodies_.size(); ++b) {
    add_body(b, kinematics, {A[b].w, A[b].v - properties.gravity}, to);
  }
  for (std::size_t i = 0; i < springs_.size(); ++i) {
    add_spring(springs_[i], properties.forces.spring_dampers[i], kinematics, to);
  }
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const CutJointInfo& info = model_.cut_joints()[i];
    const CutJoint<double>& cut = properties.constraints.cut_joints[i];
    SpatialForce<double> force;
    if (!driven.drives.empty()) force = driven.force[i];
    for (int r = info.first_row; r < info.first_row + info.rows; ++r) {
      force += lambda[at(r)] * rows.rows[at(r)].force;
    }
    const Displaced displaced{rows.cut_motions[i].relative, kinematics.motion[joints_[i].bodies[0]].V_WB.w,
                              kinematics.motion[joints_[i].bodies[1]].V_WB.w};
    add_turning(i, displaced, force, to.K);
    if (cut.has_constant_directions && driven.drives.empty()) {
      add_rows(i, displaced, rows, nullptr, to);
      continue;
    }
    Law law;
    find_law(i, cut, rows, lambda, driven, law);
    add_rows(i, displaced, rows, &law, to);
    add_law(i, displaced, law, to);
  }
}

// (1) and (2)
void FloatingTangents::add_body(std::size_t b, const Kinematics<double>& kinematics,
                                const SpatialMotion<double>& A, const Matrices& to) const {
  const Body& body = bodies_[b];
  const RigidInertia<double>& inertia = kinematics.inertia[b];
  const Vec3<double> w = kinematics.motion[b].V_WB.w, h = inertia.mass * inertia.c;
  const Mat3<double> J = full(inertia.J), of_h = skew(h), of_w = skew(w), of_alpha = skew(A.w);
  const Mat3<double> turning = negative(skew(J * w)) + of_w * J;
  double M[6][6] = {}, D[6][6] = {}, K[6][6] = {};
  add_to(M, 0, 0, J), add_to(M, 0, 3, of_h), add_to(M, 3, 0, of_h, -1.0);
  for (int i = 3; i < 6; ++i) M[i][i] = inertia.mass;
  add_to(D, 0, 0, turning), add_to(D, 3, 0, skew(cross(w, h)) + of_w * of_h, -1.0);
  add_to(K, 0, 0, skew(J * A.w), -1.0), add_to(K, 0, 0, J * of_alpha + skew(A.v) * of_h);
  add_to(K, 0, 0, of_w * (negative(skew(J * w)) + J * of_w));
  add_to(K, 3, 0, (of_alpha + of_w * of_w) * of_h, -1.0);
  for (int k = 0; k < body.nu; ++k) {
    const std::size_t place = body.K[at(k)];
    const int column = body.first() + k;
    for (int i = 0; i < body.nu; ++i) {
      to.M[place + at(i)] += M[body.first() + i][column];
      to.D[place + at(i)] += D[body.first() + i][column];
      to.K[place + at(i)] += K[body.first() + i][column];
    }
  }
}

// (6). The residual of end y is [r_y x f; f] for b, and the opposite for a.
void FloatingTangents::add_spring(const Pair& pair, const SpringDamper<double>& spring,
                                  const Kinematics<double>& kinematics, const Matrices& to) const {
  const ForceInput<double> in{0.0, nullptr, nullptr, kinematics.motion.data(), nullptr};
  const SpringDamper<double>::Line line = spring.measure(in);
  const Vec3<double>& e = line.direction;
  const Vec3<double> arms[2] = {line.from.arm, line.to.arm};
  const double over_length = spring.tension(line) / line.length;
  const Vec3<double> across = line.to.velocity - line.from.velocity - line.rate * e;  // P v
  const double signs[2] = {-1.0, 1.0};
  for (const std::size_t x : {0U, 1U}) {
    const Body& columns = bodies_[pair.bodies[x]];
    const Vec3<double> w = kinematics.motion[pair.bodies[x]].V_WB.w;
    for (int k = 0; k < columns.nu; ++k) {
      const SpatialMotion<double> unit = unit_motion(columns.first() + k);
      const Vec3<double> turned = cross(unit.w, arms[x]), d = signs[x] * (unit.v + turned),
                         z = signs[x] * cross(w, turned);
      const double along = dot(e, d);
      const Vec3<double> by_speed = spring.damping * along * e;
      const double pull =
          spring.stiffness * along + spring.damping * (dot(e, z) + dot(across, d) / line.length);
      const Vec3<double> by_displacement = pull * e + over_length * (d - along * e);
      for (const std::size_t y : {0U, 1U}) {
        const Body& rows = bodies_[pair.bodies[y]];
        Vec3<double> torque = cross(arms[y], by_displacement);
        if (x == y) torque += cross(turned, spring.tension(line) * e);
        const Vec6<double> K = to_vec6(SpatialForce<double>{signs[y] * torque, signs[y] * by_displacement});
        const Vec6<double> D = to_vec6(signs[y] * SpatialForce<double>{cross(arms[y], by_speed), by_speed});
        const std::size_t place = pair.K[y][x][at(k)];
        for (int i = 0; i < rows.nu; ++i) {
          to.K[place + at(i)] += K[rows.first() + i];
          to.D[place + at(i)] += D[rows.first() + i];
        }
      }
    }
  }
}

// C, and v_q of (5).
void FloatingTangents::add_rows(std::size_t i, const Displaced& displaced, const ConstraintRows<double>& rows,
                                const Law* law, const Matrices& to) const {
  const Joint& joint = joints_[i];
  const CutJointInfo& info = model_.cut_joints()[i];
  for (int r = 0; r < info.rows; ++r) {
    const SpatialForce<double>& n = rows.rows[at(info.first_row + r)].force;
    SpatialForce<double> dn_V;  // by displacements of M, ground axes
    if (law != nullptr) {
      Vec6<double> in_F;
      for (int e = 0; e < 6; ++e) in_F[e] = law->n_V[r][e];
      dn_V = rotate(displaced.relative.R_WF, to_force(in_F));
    }
    for (std::size_t y = 0; y < 2; ++y) {
      const Body& body = bodies_[joint.bodies[y]];
      const Vec6<double> C = to_vec6(displaced.at_body(y, n));
      const Vec6<double> v_q = to_vec6(displaced.change_of_rate(y, n) + displaced.at_body(y, dn_V));
      for (int k = 0; k < body.nu; ++k) {
        const std::size_t place = joint.C[y][at(k)] + at(r);
        to.C[place] += C[body.first() + k];
        to.v_q[place] += v_q[body.first() + k];
      }
    }
  }
}

// Subtracts (4) without Z from the residual: the force turns with a, and its point of action moves.
void FloatingTangents::add_turning(std::size_t i, const Displaced& displaced,
                                   const SpatialForce<double>& force, std::span<double> K) const {
  const Mat3<double> of_T = skew(force.torque), of_f = skew(force.force);
  const Mat3<double> of_f_s = of_f * skew(displaced.relative.arm_b);
  for (std::size_t x = 0; x < 2; ++x) {
    const double sign = -displaced.sign(x);
    double by_a[6][6] = {}, by_b[6][6] = {};
    add_to(by_a, 0, 0, of_T + skew(displaced.arm(x)) * of_f, -sign);
    add_to(by_a, 3, 0, of_f, -sign);
    add_to(by_b, 0, 0, of_f_s, sign);
    if (x == 0) add_to(by_a, 0, 3, of_f, sign), add_to(by_b, 0, 3, of_f, -sign);
    add_block(joints_[i], x, 0, by_a, K);
    add_block(joints_[i], x, 1, by_b, K);
  }
}

// ---- joints whose force or directions depend on their coordinates -----------------------------------------

void FloatingTangents::find_law(std::size_t i, const CutJoint<double>& cut,
                                const ConstraintRows<double>& rows, std::span<const double> lambda,
                                const DrivenJoints& driven, Law& law) const {
  const CutJointInfo& info = model_.cut_joints()[i];
  const CutJointMotion<double>& motion = rows.cut_motions[i];
  const auto q = std::span(rows.cut_q).subspan(at(info.q_start), at(info.nq));
  if (cut.has_constant_directions) {
    find_changes_of_coordinates(i, cut, q, law);
  } else {
    const auto tau = driven.drives.empty() ? driven.tau : driven.tau.subspan(at(info.u_start), at(info.nu));
    add_changes_of_directions(i, motion, q, lambda, tau, law);
  }
  if (driven.drives.empty()) return;
  for (int c = 0; c < info.nu; ++c) {
    std::array<double, 6> unit{};
    unit[at(c)] = 1.0;
    law.h[at(c)] = motion.in_axes_of_F(cut, motion.directions(cut).force_of_speeds(unit.data(), info.nu));
  }
  add_drive(i, driven.drives[i], law);
}

void FloatingTangents::find_changes_of_coordinates(std::size_t i, const CutJoint<double>& cut,
                                                   std::span<const double> q, Law& law) const {
  const CutJointInfo& info = model_.cut_joints()[i];
  for (int e = 0; e < 6; ++e) {
    std::array<double, 6> d{};
    std::array<double, 7> q_dot{};
    cut.directions.find_speeds(scaled(unit_motion(e), cut.length), info.nu, d.data());
    visit_joint(cut.joint, [&](const auto& joint) { joint.q_dot(q.data(), d.data(), q_dot.data()); });
    for (int c = 0; c < info.nq; ++c) law.q_by[c][e] = q_dot[at(c)];
  }
}

void FloatingTangents::add_changes_of_directions(std::size_t i, const CutJointMotion<double>& motion,
                                                 std::span<const double> q, std::span<const double> lambda,
                                                 std::span<const double> tau, Law& law) const {
  const CutJointInfo& info = model_.cut_joints()[i];
  const CutJoint<Dual>& cut = variable_[at(joints_[i].variable)];
  const Pose<double>& X = motion.relative.X_FM;
  std::array<FrameMotion<Dual>, 2> frames{};
  frames[1].V_WB = {lift(motion.V_F.w, {}), lift(motion.V_F.v, {})};
  std::array<Dual, 6> driving{};
  std::ranges::copy(tau, driving.begin());
  for (int e = 0; e < 6; ++e) {
    const SpatialMotion<double> d = unit_motion(e);
    const auto column = [&](int k) { return lift(X.R.column(k), cross(d.w, X.R.column(k))); };
    frames[1].X_WB = {Rotation<Dual>::from_columns(column(0), column(1), column(2)), lift(X.p, d.v)};
    std::array<Dual, 7> q_moved{};
    std::array<Dual, 6> u_moved{};
    std::ranges::copy(q, q_moved.begin());
    CutJointMotion<Dual> moved;
    find_cut_coordinates(cut, frames.data(), q_moved.data(), u_moved.data(), moved);
    const JointDirections<Dual>& directions = moved.directions(cut);
    SpatialForce<double> force = derivative(cut, directions.force_of_speeds(driving.data(), info.nu));
    for (int r = 0; r < info.rows; ++r) {
      const SpatialForce<double> dn = derivative(cut, directions.basis[at(info.nu + r)]);
      force += lambda[at(info.first_row + r)] * dn;
      law.n_V[r][e] = dot(motion.V_F, dn);
    }
    const Vec6<double> column_of_Z = to_vec6(force);
    for (int x = 0; x < 6; ++x) law.Z[x][e] += column_of_Z[x];
    for (int c = 0; c < info.nq; ++c) law.q_by[c][e] = q_moved[at(c)].d;
    for (int c = 0; c < info.nu; ++c) law.u_by[c][e] = u_moved[at(c)].d;
  }
}

void FloatingTangents::add_drive(std::size_t i, const Drive& drive, Law& law) const {
  const CutJointInfo& info = model_.cut_joints()[i];
  for (int j = 0; j < info.nu; ++j) {
    Vec6<double> by_displacement, by_V;
    for (int e = 0; e < 6; ++e) {
      for (int c = 0; c < info.nq; ++c) by_displacement[e] += drive.by_q[j][c] * law.q_by[c][e];
      for (int c = 0; c < info.nu; ++c) by_displacement[e] += drive.by_u[j][c] * law.u_by[c][e];
    }
    law.by_V[at(j)] = {};
    for (int c = 0; c < info.nu; ++c) law.by_V[at(j)] += drive.by_u[j][c] * law.h[at(c)];
    by_V = to_vec6(law.by_V[at(j)]);
    const Vec6<double> h = to_vec6(law.h[at(j)]);
    for (int x = 0; x < 6; ++x) {
      for (int e = 0; e < 6; ++e) law.Z[x][e] += h[x] * by_displacement[e], law.Z_u[x][e] += h[x] * by_V[e];
    }
  }
}

// Adds Z of (4), the derivatives of the driving forces with respect to velocities, and those with respect to
// displacements that change V_F at fixed speeds.
void FloatingTangents::add_law(std::size_t i, const Displaced& displaced, const Law& law,
                               const Matrices& to) const {
  const Joint& joint = joints_[i];
  const Rotation<double>& R_WF = displaced.relative.R_WF;
  for (std::size_t y = 0; y < 2; ++y) {
    const Body& columns = bodies_[joint.bodies[y]];
    std::array<Vec6<double>, 6> changes;  // change of V_F times the force's derivative with respect to it
    for (int j = 0; j < model_.cut_joints()[i].nu; ++j) {
      changes[at(j)] = to_vec6(displaced.change_of_rate(y, rotate(R_WF, law.by_V[at(j)])));
    }
    for (int k = 0; k < columns.nu; ++k) {
      const int e = columns.first() + k;
      const Vec6<double> V = to_vec6(displaced.of_body(y, e));
      Vec6<double> by_q, by_u;
      for (int x = 0; x < 6; ++x) {
        for (int c = 0; c < 6; ++c) by_q[x] += law.Z[x][c] * V[c], by_u[x] += law.Z_u[x][c] * V[c];
      }
      SpatialForce<double> of_q = to_force(by_q);
      for (int j = 0; j < model_.cut_joints()[i].nu; ++j) of_q += changes[at(j)][e] * law.h[at(j)];
      for (std::size_t x = 0; x < 2; ++x) {
        const Body& rows = bodies_[joint.bodies[x]];
        const Vec6<double> on_q = to_vec6(displaced.at_body(x, rotate(R_WF, of_q)));
        const Vec6<double> on_u = to_vec6(displaced.at_body(x, rotate(R_WF, to_force(by_u))));
        const std::size_t place = joint.K[x][y][at(k)];
        for (int r = 0; r < rows.nu; ++r) {
          to.K[place + at(r)] -= on_q[rows.first() + r];
          to.D[place + at(r)] -= on_u[rows.first() + r];
        }
      }
    }
  }
}

}  // namespace sestina
