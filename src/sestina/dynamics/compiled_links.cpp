#include "sestina/dynamics/compiled_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sestina/base/error.h"
#include "sestina/model/properties.h"

namespace sestina {
namespace {

using Vector = Vec3<double>;
using Kind = CompiledLink::Kind;

constexpr double kRoundOff = 1e-14;   // of cosines and sines after several products of rotations
constexpr double kParallel = 1e-7;    // axes whose angle has a smaller sine count as parallel
constexpr double kAslant = 0.05;      // above this sine the common normal of two axes is close by
constexpr double kNoInertia = 1e-15;  // of an element of second moments, relative to its terms

SymMat3<double> times(double a, const SymMat3<double>& S) {
  return {a * S.xx, a * S.yy, a * S.zz, a * S.xy, a * S.xz, a * S.yz};
}
// a b^T + b a^T
SymMat3<double> both_ways(const Vector& a, const Vector& b) {
  return {2 * a.x * b.x,         2 * a.y * b.y,         2 * a.z * b.z,
          a.x * b.y + a.y * b.x, a.x * b.z + a.z * b.x, a.y * b.z + a.z * b.y};
}

// Mass and its first (kg m) and second moments (kg m^2).
struct Moments {
  double mass = 0.0;
  Vector first;
  SymMat3<double> second;
  // Sums of the magnitudes of the terms of `first` and `second`: the scale of their rounding errors.
  double first_size = 0.0, second_size = 0.0;

  Moments& operator+=(const Moments& b) {
    mass += b.mass, first += b.first, second += b.second;
    first_size += b.first_size, second_size += b.second_size;
    return *this;
  }
};

Moments moments_of(const RigidInertia<double>& M) {
  const double half = 0.5 * M.J.trace();
  return {M.mass, M.mass * M.c, SymMat3<double>{half, half, half, 0.0, 0.0, 0.0} + times(-1.0, M.J),
          M.mass * norm(M.c), 2.0 * half};
}

// Returns the moments expressed in frame B; X is the pose X_BA of their present frame A in B.
Moments moved(const Pose<double>& X, const Moments& moments) {
  const Vector first = X.R * moments.first;
  const double length = norm(X.p);
  return {
      moments.mass, first + moments.mass * X.p,
      rotate(X.R, moments.second) + both_ways(first, X.p) + times(0.5 * moments.mass, both_ways(X.p, X.p)),
      moments.first_size + moments.mass * length,
      moments.second_size + (2.0 * moments.first_size + moments.mass * length) * length};
}

Vector any_perpendicular(const Vector& z) {
  const Vector a = std::abs(z.x) < 0.9 ? Vector{1, 0, 0} : Vector{0, 1, 0};
  const Vector x = a - dot(a, z) * z;
  return (1.0 / norm(x)) * x;
}

double without_round_off(double x, double scale) { return std::abs(x) <= kRoundOff * scale ? 0.0 : x; }

ConstantTurn constant_turn(double cosine, double sine) {
  if (std::abs(sine) <= kRoundOff) return {std::copysign(1.0, cosine), 0.0};
  if (std::abs(cosine) <= kRoundOff) return {0.0, std::copysign(1.0, sine)};
  return {cosine, sine};
}
bool is_by_right_angles(const ConstantTurn& turn) {
  return is_exactly(turn.sin, 0.0) || is_exactly(turn.cos, 0.0);
}

// A link in the frames of the model: M of the body, and F on the inboard link.
struct RawLink {
  CompiledLink link;
  Pose<double> X_PF;  // in M of the parent
  Vector axis{0, 0, 1};
  Moments moments;
  Pose<double> X_ML;  // pose of the link's frame L in M
};

class LinkMaker {
 public:
  LinkMaker(const Model& model, const Properties<double>& properties)
      : model_(model), properties_(properties) {}

  std::vector<CompiledLink> make() {
    for (BodyIndex b(1); b.value() < model_.bodies().size(); ++b) add_body(b);
    for (std::size_t i = 0; i < raw_.size(); ++i) choose_frame(i);
    std::vector<Pose<double>> in_parent;
    for (RawLink& raw : raw_) in_parent.push_back(place(raw));
    find_scales();
    regroup(in_parent);
    std::vector<CompiledLink> links;
    for (RawLink& raw : raw_) links.push_back(finished(raw));
    return links;
  }

 private:
  struct Place {
    int link = -1;
    Pose<double> X_LM;  // pose of the body's M in M of the link's first body
  };

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  void add_body(BodyIndex b) {
    const BodyProperties<double>& body = properties_.bodies[b];
    Place place = b_places_[at(model_.bodies()[b].parent.value())];
    place.X_LM = place.X_LM * body.X_PF;
    visit_joint<double>(body.joint, [&](const auto& joint) { add_joint(joint, b, place); });
    b_places_.push_back(place);
    if (place.link < 0) return;
    raw_[at(place.link)].moments += moved(place.X_LM, moments_of(body.M));
    if (model_.bodies()[b].nu == 1) raw_[at(place.link)].link.armature = body.armature;
  }

  // Appends a link. q and u count from the first coordinate and speed of body b.
  void add_link(Kind kind, const Vector& axis, BodyIndex b, int q, int u, Place& place, double pitch = 0.0) {
    RawLink raw;
    raw.link.kind = kind;
    raw.link.body = b;
    raw.link.parent = place.link;
    raw.link.q = model_.bodies()[b].q_start + q;
    raw.link.u = model_.bodies()[b].u_start + u;
    raw.link.pitch = pitch;
    raw.X_PF = place.X_LM;
    raw.axis = axis;
    raw_.push_back(raw);
    place = {static_cast<int>(raw_.size()) - 1, {}};
  }

  // Refuses joints that are not a chain of elementary rotations and translations.
  template <class Joint>
  void add_joint(const Joint&, BodyIndex b, Place&) {
    throw InputError(fmt::format("{}: the compiled solver does not know {} joints: take recursive",
                                 model_.bodies()[b].joint_name, Joint::kKeyword));
  }
  void add_joint(const Weld<double>&, BodyIndex, Place&) {}
  void add_joint(const Revolute<double>& joint, BodyIndex b, Place& place) {
    add_link(Kind::kTurn, joint.axis, b, 0, 0, place);
  }
  void add_joint(const Prismatic<double>& joint, BodyIndex b, Place& place) {
    add_link(Kind::kSlide, joint.axis, b, 0, 0, place);
  }
  void add_joint(const Screw<double>& joint, BodyIndex b, Place& place) {
    add_link(Kind::kScrew, joint.axis, b, 0, 0, place, joint.pitch);
  }
  void add_joint(const Cylindrical<double>& joint, BodyIndex b, Place& place) {
    add_link(Kind::kSlide, joint.axis, b, 1, 1, place);
    add_link(Kind::kTurn, joint.axis, b, 0, 0, place);
  }
  void add_joint(const Universal<double>& joint, BodyIndex b, Place& place) {
    add_link(Kind::kTurn, joint.axis, b, 0, 0, place);
    add_link(Kind::kTurn, joint.second_axis, b, 1, 1, place);
  }
  void add_slides(int count, BodyIndex b, int u, Place& place) {
    for (int k = 0; k < count; ++k) {
      Vector axis{0, 0, 0};
      axis[k] = 1.0;
      add_link(Kind::kSlide, axis, b, k, u + k, place);
    }
  }
  void add_joint(const Planar<double>&, BodyIndex b, Place& place) {
    add_slides(2, b, 0, place);
    add_link(Kind::kTurn, {0, 0, 1}, b, 2, 2, place);
  }
  void add_joint(const Xyz<double>&, BodyIndex b, Place& place) { add_slides(3, b, 0, place); }
  void add_joint(const Spherical<double>&, BodyIndex b, Place& place) {
    add_link(Kind::kBall, {0, 0, 1}, b, 0, 0, place);
  }
  void add_joint(const Free<double>&, BodyIndex b, Place& place) {
    add_slides(3, b, 3, place);
    add_link(Kind::kBall, {0, 0, 1}, b, 3, 0, place);
  }

  static bool has_axis(const RawLink& raw) { return raw.link.kind != Kind::kBall; }

  // Puts z on the axis, origin and x on the common normal to the axis of the first outboard link.
  void choose_frame(std::size_t i) {
    RawLink& raw = raw_[i];
    if (!has_axis(raw)) return;
    const Vector z = raw.axis;
    Vector x = any_perpendicular(z), origin;
    const auto child = std::find_if(raw_.begin() + static_cast<std::ptrdiff_t>(i), raw_.end(),
                                    [&](const RawLink& c) { return c.link.parent == static_cast<int>(i); });
    if (child == raw_.end()) {
      if (raw.moments.mass > 0.0) {
        const Vector c = (1.0 / raw.moments.mass) * raw.moments.first;
        origin = dot(c, z) * z;
        lay_towards(c - origin, norm(c), x);
      }
    } else {
      const Vector& p = child->X_PF.p;
      const Vector a = child->X_PF.R * child->axis, n = cross(z, a);
      origin = dot(p, z) * z;
      if (has_axis(*child) && norm(n) > kParallel) {
        x = n - dot(n, z) * z;  // n has lost digits where the axes are nearly parallel
        x = (1.0 / norm(x)) * x;
        const double foot = (dot(p, z) - dot(a, z) * dot(p, a)) / dot(n, n);
        if (norm(n) > kAslant && std::abs(foot) <= 4.0 * norm(p)) origin = foot * z;
      } else {
        lay_towards(p - origin, norm(p), x);
      }
    }
    raw.X_ML = {Rotation<double>::from_columns(x, cross(z, x), z), origin};
  }

  // Sets x to the unit vector along `direction`, a difference of vectors of length `size`, if it is not zero.
  static void lay_towards(const Vector& direction, double size, Vector& x) {
    const double length = norm(direction);
    if (length > kRoundOff * size) x = (1.0 / length) * direction;
  }

  // Computes the path from the inboard link's frame and returns the pose at its end for q = 0.
  Pose<double> place(RawLink& raw) {
    CompiledLink& link = raw.link;
    raw.moments = moved(inverse(raw.X_ML), raw.moments);
    if (link.parent < 0) {
      link.base_acceleration = -transpose_times(raw.X_PF.R * raw.X_ML.R, properties_.gravity);
      snap(link.base_acceleration, norm(properties_.gravity));
      return {};
    }
    const Pose<double>& X_ML = raw_[at(link.parent)].X_ML;
    const Pose<double> X = inverse(X_ML) * raw.X_PF * raw.X_ML;
    const double size = norm(X_ML.p) + norm(raw.X_PF.p) + norm(raw.X_ML.p);
    turn(X.R, link);
    const Vector z = X.R.column(2);
    link.shift = X.p;
    if (link.kind != Kind::kBall) take_out_shift_along(z, size, link);
    snap(link.shift, size);
    link.along_z = without_round_off(link.along_z, size);
    return X;
  }

  // R = Z(before_x) X(about_x) Z(about_z). The last rotation is computed as the remainder of R after the
  // first two, whose errors are large where the axes are nearly parallel, so that these errors cancel.
  static void turn(const Rotation<double>& R, CompiledLink& link) {
    const double sine = std::hypot(R.xz, R.yz);
    if (sine > kRoundOff) {
      link.before_x = constant_turn(-R.yz / sine, R.xz / sine);
      link.about_x = constant_turn(R.zz, sine);
      if (link.before_x.cos < 0.0 && is_exactly(link.before_x.sin, 0.0)) {  // the opposite direction of x
        link.before_x.cos = 1.0;
        link.about_x.sin = -link.about_x.sin;
      }
    } else if (R.zz < 0.0) {
      link.about_x = {-1.0, 0.0};
    }
    const auto [b_cos, b_sin] = link.before_x;
    const auto [a_cos, a_sin] = link.about_x;
    ConstantTurn about_z{b_cos * R.xx + b_sin * R.yx, a_cos * (b_cos * R.yx - b_sin * R.xx) + a_sin * R.zx};
    const double length = std::hypot(about_z.cos, about_z.sin);
    about_z = {about_z.cos / length, about_z.sin / length};
    about_z = constant_turn(about_z.cos, about_z.sin);
    const bool has_angle = link.kind == Kind::kTurn || link.kind == Kind::kScrew;
    if (has_angle && !is_by_right_angles(about_z)) {
      link.angle = std::atan2(about_z.sin, about_z.cos);
    } else {
      link.about_z = about_z;
    }
  }

  // A shift along the joint's axis z is cheaper than a general one. Removes from `shift` the part along z, if
  // that leaves more of its components zero.
  static void take_out_shift_along(const Vector& z, double size, CompiledLink& link) {
    const Vector p = link.shift;
    const auto count = [&](const Vector& s) {
      int result = 0;
      for (int k = 0; k < 3; ++k) result += std::abs(s[k]) > kRoundOff * size ? 1 : 0;
      return result;
    };
    int fewest = count(p);
    for (int k = 0; k < 3; ++k) {
      const double d = p[k] / z[k];
      if (std::abs(z[k]) <= kAslant || std::abs(d) > 4.0 * norm(p)) continue;
      const Vector s = p - d * z;
      if (count(s) >= fewest) continue;
      fewest = count(s);
      link.shift = s;
      link.along_z = d;
    }
  }

  static void snap(Vector& a, double scale) {
    for (int k = 0; k < 3; ++k) a[k] = without_round_off(a[k], scale);
  }

  void find_scales() {
    std::vector<double> mass(raw_.size()), rotary(raw_.size());
    for (std::size_t i = raw_.size(); i-- > 0;) {
      const Moments& moments = raw_[i].moments;
      const double trace = moments.second.xx + moments.second.yy + moments.second.zz;
      mass[i] = std::max(mass[i], moments.mass);
      rotary[i] = std::max(rotary[i], trace);
      const bool slides = raw_[i].link.kind == Kind::kSlide;
      raw_[i].link.scale = slides ? mass[i] : rotary[i];
      const int parent = raw_[i].link.parent;
      if (parent < 0) continue;
      mass[at(parent)] = std::max(mass[at(parent)], mass[i]);
      rotary[at(parent)] = std::max(rotary[at(parent)], rotary[i]);
    }
  }

  // Removes the moments that the joint does not move from the link and returns them.
  static Moments at_rest(RawLink& raw) {
    Moments still;
    switch (raw.link.kind) {
      case Kind::kTurn:
        still = {raw.moments.mass,
                 {0, 0, raw.moments.first.z},
                 {0, 0, raw.moments.second.zz, 0, 0, 0},
                 raw.moments.first_size,
                 raw.moments.second_size};
        raw.moments.mass = raw.moments.first.z = raw.moments.second.zz = 0.0;
        break;
      case Kind::kSlide:
        still.second = raw.moments.second;
        still.second_size = raw.moments.second_size;
        raw.moments.second = {};
        break;
      case Kind::kBall:
        still.mass = raw.moments.mass;
        raw.moments.mass = 0.0;
        break;
      case Kind::kScrew:
        break;
    }
    return still;
  }

  void regroup(const std::vector<Pose<double>>& in_parent) {
    std::vector<int> outboard(raw_.size());  // links in a row
    for (std::size_t i = raw_.size(); i-- > 0;) {
      RawLink& raw = raw_[i];
      snap_moments(raw.moments);
      const int parent = raw.link.parent;
      if (parent >= 0) outboard[at(parent)] = std::max(outboard[at(parent)], outboard[i] + 1);
      if (outboard[i] >= kMostRegrouped) continue;
      Moments still = at_rest(raw);
      if (parent < 0) continue;
      if (raw.link.kind == Kind::kSlide) {
        still.second = rotate(in_parent[i].R, still.second);
      } else {
        still = moved(in_parent[i], still);
      }
      raw_[at(parent)].moments += still;
    }
  }

  static void snap_moments(Moments& moments) {
    snap(moments.first, moments.first_size);
    SymMat3<double>& S = moments.second;
    for (double* s : {&S.xx, &S.yy, &S.zz, &S.xy, &S.xz, &S.yz}) {
      if (std::abs(*s) <= kNoInertia * moments.second_size) *s = 0.0;
    }
  }

  static CompiledLink finished(const RawLink& raw) {
    CompiledLink link = raw.link;
    link.mass = raw.moments.mass;
    link.first = raw.moments.first;
    link.second = raw.moments.second;
    return link;
  }

  const Model& model_;
  const Properties<double>& properties_;
  std::vector<Place> b_places_{Place{}};  // by BodyIndex
  std::vector<RawLink> raw_;
};

}  // namespace

std::vector<CompiledLink> make_compiled_links(const Model& model, const Properties<double>& properties) {
  return LinkMaker(model, properties).make();
}

}  // namespace sestina
