#include "sestina/dynamics/joint_axes.h"

#include <algorithm>
#include <cmath>

namespace sestina {
namespace {

// Larger than the round-off of three consecutive rotations (rad).
constexpr double kRoundOffOfRotations = 1e-15;

// Rounds to 0, 1 or -1 if x equals it up to round-off: such rotations are intended.
double snapped(double x) {
  const double nearest = std::round(x);
  return std::abs(x - nearest) < kRoundOffOfRotations ? nearest + 0.0 : x;
}

struct CosSin {
  double cos = 1.0, sin = 0.0;
};
CosSin direction(double x, double y) {
  const double length = std::hypot(x, y);
  return {snapped(x / length), snapped(y / length)};
}

Rotation<double> about_z(const CosSin& a) { return {a.cos, -a.sin, 0, a.sin, a.cos, 0, 0, 0, 1}; }

// C = Rz(yaw) Rx(twist) Rz(offset), or with Rx(-90 deg) Rz(-90 deg) in the middle. If the two axes are
// parallel, the whole rotation is the offset.
struct EulerAngles {
  CosSin yaw, twist, offset;
  bool is_parallel;
  bool is_quarter = false;  // with Rx(-90 deg) Rz(-90 deg) in the middle

  EulerAngles(const Rotation<double>& C, bool may_rename)
      : is_parallel(std::hypot(C.zx, C.zy) < kRoundOffOfRotations) {
    if (is_parallel) {
      offset = C.zz > 0 ? direction(C.xx, C.yx) : direction(C.xx, -C.yx);
      twist = {C.zz > 0 ? 1.0 : -1.0, 0.0};
      return;
    }
    offset = direction(C.zy, C.zx);
    // The remaining rotation is round-off only, however small the twist is.
    const Rotation<double> rest = C * about_z({offset.cos, -offset.sin});
    yaw = direction(rest.xx, rest.yx);
    twist = direction(rest.zz, rest.zy);
    is_quarter = may_rename && twist.cos == 0.0 && twist.sin == 1.0;
    if (!is_quarter) return;
    // Rx(90 deg) = Rz(180 deg) Rx(-90 deg) Rz(180 deg)
    yaw = {-yaw.cos, -yaw.sin};
    offset = {offset.sin, -offset.cos};  // turned by 270 degrees
  }

  Twist kind() const {
    if (is_quarter) return Twist::kQuarter;
    return twist.cos == 1.0 && twist.sin == 0.0 ? Twist::kNone : Twist::kAny;
  }
};

// Sets components to zero that are round-off relative to the largest one (squares might overflow).
Vec3<double> snapped(const Vec3<double>& v) {
  const double least = kRoundOffOfRotations * std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)});
  Vec3<double> result = v;
  for (int k = 0; k < 3; ++k) {
    if (std::abs(v[k]) <= least) result[k] = 0.0;
  }
  return result;
}
bool is_diagonal(const SymMat3<double>& A) { return A.xy == 0.0 && A.xz == 0.0 && A.yz == 0.0; }

// Returns axes, in M, whose z is the joint's axis; coordinate axes if that is one.
Rotation<double> axes_along(const Vec3<double>& z) {
  int smallest = 0;
  for (int k = 1; k < 3; ++k) {
    if (std::abs(z[k]) < std::abs(z[smallest])) smallest = k;
  }
  Vec3<double> x;
  x[smallest] = 1.0;
  x = x - dot(x, z) * z;
  x = (1.0 / norm(x)) * x;
  return Rotation<double>::from_columns(x, cross(z, x), z);
}

bool is_slide(const JointedBody& body) { return body.joint.type == JointType::kPrismatic; }
// Returns the axis of a joint with one speed.
const Vec3<double>* axis_of(const JointedBody& body) {
  const JointType type = body.joint.type;
  const bool has_one =
      type == JointType::kRevolute || type == JointType::kScrew || type == JointType::kPrismatic;
  return has_one ? &body.joint.axis : nullptr;
}

// Returns for each body the first child whose joint has an axis, or zero. A prismatic joint has only the
// direction of one, so that others precede.
std::vector<int> find_axial_children(const std::vector<JointedBody>& tree) {
  std::vector<int> child(tree.size(), 0);
  for (const bool may_slide : {false, true}) {
    for (std::size_t i = 1; i < tree.size(); ++i) {
      int& first = child[static_cast<std::size_t>(tree[i].parent)];
      if (first == 0 && axis_of(tree[i]) != nullptr && (may_slide || !is_slide(tree[i]))) {
        first = static_cast<int>(i);
      }
    }
  }
  return child;
}

std::vector<JointedBody> jointed_bodies(const Model& model, const Properties<double>& properties) {
  std::vector<JointedBody> tree;
  tree.reserve(static_cast<std::size_t>(model.bodies().size()));
  tree.emplace_back();
  for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) {
    const BodyProperties<double>& body = properties.bodies[b];
    tree.push_back({model.bodies()[b].parent.value(), body.joint, body.X_PF, body.armature, body.M.mass,
                    body.M.c, body.J_com});
  }
  return tree;
}

// Returns the direction of v about z, or the default if v is along z.
CosSin direction_about_z(const Vec3<double>& v) {
  const Vec3<double> snapped_v = snapped(v);
  return snapped_v.x == 0.0 && snapped_v.y == 0.0 ? CosSin{} : direction(v.x, v.y);
}

// Rx(-90 deg) Rz(-90 deg)
constexpr Rotation<double> kRenamed{0, 1, 0, 0, 0, 1, 1, 0, 0};

// Chooses the axes of each body; child_ is that of find_axial_children().
class AxesChoice {
 public:
  AxesChoice(const std::vector<JointedBody>& tree, bool may_rename)
      : tree_(tree), may_rename_(may_rename), child_(find_axial_children(tree)) {}

  // Returns R_MK of a body or the ground.
  Rotation<double> choose(std::size_t body) const {
    const Vec3<double>* own = body == 0 ? nullptr : axis_of(tree_[body]);
    const Rotation<double> along = own == nullptr ? Rotation<double>::identity() : axes_along(*own);
    const std::size_t child = child_of(body);
    if (child == 0) return own == nullptr ? along : towards(tree_[body].c, along);
    // z may be chosen: the child's joint then gets the same form as the joint after it.
    if (own == nullptr) return is_renamed(child) ? to(child) * kRenamed.transpose() : to(child);
    const EulerAngles angles(along.transpose() * to(child), may_rename_);
    if (!angles.is_parallel) return along * about_z(angles.yaw);
    return towards(is_slide(tree_[child]) ? tree_[body].c : tree_[child].X_PF.p, along);
  }

 private:
  std::size_t child_of(std::size_t body) const { return static_cast<std::size_t>(child_[body]); }
  // Returns `along` turned about z until x points to p.
  static Rotation<double> towards(const Vec3<double>& p, const Rotation<double>& along) {
    return along * about_z(direction_about_z(along.transpose() * p));
  }
  // Returns the joint's axes in the parent's M.
  Rotation<double> to(std::size_t child) const {
    return tree_[child].X_PF.R * axes_along(*axis_of(tree_[child]));
  }
  // True if the first joint outboard of that of `body` (both have axes) is at a right angle to it.
  bool is_renamed(std::size_t body) const {
    if (child_of(body) == 0) return false;
    const Rotation<double> along = axes_along(*axis_of(tree_[body]));
    return EulerAngles(along.transpose() * to(child_of(body)), may_rename_).is_quarter;
  }

  const std::vector<JointedBody>& tree_;
  bool may_rename_;
  std::vector<int> child_;
};

Rotation<double> about_x(const CosSin& a) { return {1, 0, 0, 0, a.cos, -a.sin, 0, a.sin, a.cos}; }

// Sets the numbers of a joint with an axis, except the parent's slide; `s` (from the parent's origin to Mo,
// in the parent's K) includes it already.
void set_axis(const JointedBody& given, const Rotation<double>& R_PK, bool may_rename, const Vec3<double>& s,
              BodyInAxes<double>& body, FramesInAxes<double>& frames, JointAxesStructure& structure) {
  const EulerAngles angles(R_PK, may_rename);
  body.offset = std::atan2(angles.offset.sin, angles.offset.cos);
  body.cos_offset = angles.offset.cos, body.sin_offset = angles.offset.sin;
  body.cos_twist = angles.twist.cos, body.sin_twist = angles.twist.sin;
  body.cos_yaw = angles.yaw.cos, body.sin_yaw = angles.yaw.sin;
  structure.has_axis = true;
  structure.is_turn = given.joint.type == JointType::kRevolute;
  structure.twist = angles.kind();
  structure.has_yaw = body.cos_yaw != 1.0 || body.sin_yaw != 0.0;
  const Rotation<double> twist = angles.is_quarter ? kRenamed : about_x(angles.twist);
  body.s = snapped((about_z(angles.yaw) * twist).transpose() * s);
  structure.is_shift_along_normal = (angles.is_quarter ? body.s.x : body.s.y) == 0.0;
  if (given.joint.type == JointType::kScrew) body.slide = given.joint.numbers.pitch;
  if (is_slide(given)) body.turn = 0.0, body.slide = 1.0;
  if (!structure.is_turn) return;
  frames.slide = -body.s.z;
  body.s.z = 0.0;
}

}  // namespace

JointAxesStructure JointAxesStructure::operator&(const JointAxesStructure& b) const {
  return {has_axis && b.has_axis,
          is_turn && b.is_turn,
          twist == b.twist ? twist : Twist::kAny,
          has_yaw || b.has_yaw,
          has_armature || b.has_armature,
          is_shift_along_normal && b.is_shift_along_normal,
          has_simple_inertia && b.has_simple_inertia};
}

JointAxes::JointAxes(const Model& model, const Properties<double>& properties, bool may_rename)
    : JointAxes(jointed_bodies(model, properties), properties.gravity, may_rename) {}

JointAxes::JointAxes(const std::vector<JointedBody>& tree, const Vec3<double>& gravity, bool may_rename)
    : structure(tree.size()) {
  numbers.bodies.resize(tree.size());
  numbers.frames.resize(tree.size());
  const AxesChoice axes(tree, may_rename);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    BodyInAxes<double>& body = numbers.bodies[i];
    FramesInAxes<double>& frames = numbers.frames[i];
    frames.R_MK = axes.choose(i);
    if (i == 0) continue;
    const JointedBody& given = tree[i];
    const FramesInAxes<double>& parent = numbers.frames[static_cast<std::size_t>(given.parent)];
    const Rotation<double> R_KP = parent.R_MK.transpose();
    frames.R_PF = R_KP * given.X_PF.R;
    body.s = R_KP * given.X_PF.p - Vec3<double>{0, 0, parent.slide};
    if (axis_of(given) != nullptr) {
      set_axis(given, frames.R_PF * frames.R_MK, may_rename, body.s, body, frames, structure[i]);
    }
    const Rotation<double> R_KM = frames.R_MK.transpose();
    const Vec3<double> c = R_KM * given.c - Vec3<double>{0, 0, frames.slide};
    body.mass = given.mass;
    body.h = snapped(body.mass * c);
    body.J = rotate(R_KM, given.J_com) + point_inertia(body.mass, c);
    const double half = 0.5 * body.J.trace();
    body.S = {half - body.J.xx, half - body.J.yy, half - body.J.zz, -body.J.xy, -body.J.xz, -body.J.yz};
    body.armature = given.armature;
    structure[i].has_armature = body.armature != 0.0;
    structure[i].has_simple_inertia = body.h.y == 0.0 && body.h.z == 0.0 && is_diagonal(body.J);
  }
  numbers.gravity = numbers.frames[0].R_MK.transpose() * gravity;
}

}  // namespace sestina
