#include "sestina/dynamics/compiled_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sestina/base/error.h"
#include "sestina/model/properties.h"

namespace sestina {
namespace {

using Vector = Vec3<double>;

constexpr double kRoundOff = 1e-14;   // of first moments, relative to the sum of their terms' magnitudes
constexpr double kNoInertia = 1e-15;  // of an element of second moments, in the same way

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

Moments moments_of(const JointedBody& body) {
  const double half = 0.5 * body.J_com.trace();
  const SymMat3<double> about_com =
      SymMat3<double>{half, half, half, 0.0, 0.0, 0.0} + times(-1.0, body.J_com);
  const double length = norm(body.c);
  return {body.mass, body.mass * body.c, about_com + times(0.5 * body.mass, both_ways(body.c, body.c)),
          body.mass * length, 2.0 * half + body.mass * length * length};
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

// The tree of elementary joints.
class LinkTree {
 public:
  LinkTree(const Model& model, const Properties<double>& properties)
      : model_(model), properties_(properties) {
    for (BodyIndex b(1); b.value() < model_.bodies().size(); ++b) add_body(b);
  }

  const std::vector<JointedBody>& bodies() const { return bodies_; }
  TreeLayout layout() const { return TreeLayout(links_); }

 private:
  struct Place {
    int link = 0;
    Pose<double> X_LM;  // pose of the body's M in M of the link's first body
  };

  void add_body(BodyIndex b) {
    const BodyProperties<double>& body = properties_.bodies[b];
    Place place = places_[static_cast<std::size_t>(model_.bodies()[b].parent.value())];
    place.X_LM = place.X_LM * body.X_PF;
    add_joint(body.joint, b, place);
    places_.push_back(place);
    if (place.link == 0) return;
    JointedBody& link = bodies_[static_cast<std::size_t>(place.link)];
    add_mass(body.M.mass, place.X_LM * body.M.c, rotate(place.X_LM.R, body.J_com), link);
    if (model_.bodies()[b].nu == 1) link.armature = body.armature;
  }

  // `c`: mass centre; J_com: about it. Both in the axes of the link's M.
  static void add_mass(double mass, const Vector& c, const SymMat3<double>& J_com, JointedBody& link) {
    const double sum = link.mass + mass;
    const Vector centre = sum > 0.0 ? link.c + (mass / sum) * (c - link.c) : link.c;
    link.J_com += J_com;
    link.J_com += point_inertia(link.mass, link.c - centre) + point_inertia(mass, c - centre);
    link.mass = sum, link.c = centre;
  }

  // Appends a link. q and u count from the first coordinate and speed of body b.
  void add_link(const AnyJoint<double>& joint, BodyIndex b, int q, int u, Place& place) {
    JointedBody body;
    body.parent = place.link;
    body.joint = joint;
    body.X_PF = place.X_LM;
    bodies_.push_back(body);
    BodyLink link;
    link.parent = place.link;
    link.q_start = model_.bodies()[b].q_start + q;
    link.u_start = model_.bodies()[b].u_start + u;
    link.nu = joint_info(joint.type).nu;
    links_.push_back(link);
    place = {static_cast<int>(links_.size()) - 1, {}};
  }

  // Refuses joints that are not a chain of elementary rotations and translations.
  void add_joint(const AnyJoint<double>& joint, BodyIndex b, Place& place) {
    switch (joint.type) {
      case JointType::kWeld:
        return;
      case JointType::kRevolute:
      case JointType::kPrismatic:
      case JointType::kScrew:
      case JointType::kSpherical:
        return add_link(joint, b, 0, 0, place);
      case JointType::kCylindrical:
        add_slide(joint.axis, b, 1, 1, place);
        return add_turn(joint.axis, b, 0, 0, place);
      case JointType::kUniversal:
        add_turn(joint.axis, b, 0, 0, place);
        return add_turn(joint.second_axis, b, 1, 1, place);
      case JointType::kPlanar:
        add_slides(2, b, 0, place);
        return add_turn({0, 0, 1}, b, 2, 2, place);
      case JointType::kXyz:
        return add_slides(3, b, 0, place);
      case JointType::kFree:
        add_slides(3, b, 3, place);
        return add_link({.type = JointType::kSpherical}, b, 3, 0, place);
      default:
        throw InputError(fmt::format("{}: the compiled solver does not support {} joints: take recursive",
                                     model_.bodies()[b].joint_name, joint_info(joint.type).keyword));
    }
  }

  void add_turn(const Vector& axis, BodyIndex b, int q, int u, Place& place) {
    add_link({.type = JointType::kRevolute, .axis = axis}, b, q, u, place);
  }
  void add_slide(const Vector& axis, BodyIndex b, int q, int u, Place& place) {
    add_link({.type = JointType::kPrismatic, .axis = axis}, b, q, u, place);
  }
  void add_slides(int count, BodyIndex b, int u, Place& place) {
    for (int k = 0; k < count; ++k) {
      Vector axis{0, 0, 0};
      axis[k] = 1.0;
      add_slide(axis, b, k, u + k, place);
    }
  }

  const Model& model_;
  const Properties<double>& properties_;
  std::vector<Place> places_{Place{}};  // by BodyIndex
  std::vector<JointedBody> bodies_{1};
  std::vector<BodyLink> links_{1};
};

// Returns the scale of each speed, before masses are regrouped.
std::vector<double> find_scales(const std::vector<JointedBody>& tree, const TreeLayout& layout,
                                const ModelInAxes<double>& numbers) {
  std::vector<double> mass(tree.size()), rotary(tree.size()), scales;
  for (std::size_t i = tree.size(); i-- > 1;) {
    mass[i] = std::max(mass[i], numbers.bodies[i].mass);
    rotary[i] = std::max(rotary[i], 0.5 * numbers.bodies[i].J.trace());
    const BodyLink& link = layout.links[i];
    const auto end = static_cast<std::size_t>(link.u_start + link.nu);
    scales.resize(std::max(scales.size(), end));
    const double scale = tree[i].joint.type == JointType::kPrismatic ? mass[i] : rotary[i];
    std::fill(scales.begin() + link.u_start, scales.begin() + link.u_start + link.nu, scale);
    const auto parent = static_cast<std::size_t>(link.parent);
    mass[parent] = std::max(mass[parent], mass[i]);
    rotary[parent] = std::max(rotary[parent], rotary[i]);
  }
  return scales;
}

// Takes out of `moments` what the joint does not move and returns it.
Moments at_rest(const AnyJoint<double>& joint, Moments& moments) {
  Moments still;
  if (joint.type == JointType::kRevolute) {
    still = {moments.mass,
             {0, 0, moments.first.z},
             {0, 0, moments.second.zz, 0, 0, 0},
             moments.first_size,
             moments.second_size};
    moments.mass = moments.first.z = moments.second.zz = 0.0;
  } else if (joint.type == JointType::kPrismatic) {
    still.second = moments.second;
    still.second_size = moments.second_size;
    moments.second = {};
  } else if (joint.type == JointType::kSpherical) {
    still.mass = moments.mass;
    moments.mass = 0.0;
  }
  return still;
}

double without_round_off(double x, double size) { return std::abs(x) <= size ? 0.0 : x; }

void snap(Moments& moments) {
  Vector& h = moments.first;
  for (int k = 0; k < 3; ++k) h[k] = without_round_off(h[k], kRoundOff * moments.first_size);
  SymMat3<double>& S = moments.second;
  for (double* s : {&S.xx, &S.yy, &S.zz, &S.xy, &S.xz, &S.yz}) {
    *s = without_round_off(*s, kNoInertia * moments.second_size);
  }
}

// Returns the pose of the link's K in its parent's for q = 0.
Pose<double> pose_in_parent(const JointedBody& link, const FramesInAxes<double>& parent,
                            const FramesInAxes<double>& own) {
  const Rotation<double> R_PK = own.R_PF * own.R_MK;
  return {R_PK, transpose_times(parent.R_MK, link.X_PF.p) - Vector{0, 0, parent.slide} +
                    R_PK * Vector{0, 0, own.slide}};
}

void regroup(const std::vector<JointedBody>& tree, ModelInAxes<double>& numbers) {
  std::vector<Moments> moments;  // in K
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const FramesInAxes<double>& frames = numbers.frames[i];
    moments.push_back(moved({frames.R_MK.transpose(), {0, 0, -frames.slide}}, moments_of(tree[i])));
  }
  std::vector<int> outboard(tree.size());  // links in a row
  for (std::size_t i = tree.size(); i-- > 1;) {
    const auto parent = static_cast<std::size_t>(tree[i].parent);
    const FramesInAxes<double>& frames = numbers.frames[i];
    snap(moments[i]);
    outboard[parent] = std::max(outboard[parent], outboard[i] + 1);
    if (outboard[i] < kMostRegrouped) {
      // A mass that a rotating joint does not move is symmetric about its axis: any rotation about it may be
      // taken, such as that of q = 0.
      moments[parent] +=
          moved(pose_in_parent(tree[i], numbers.frames[parent], frames), at_rest(tree[i].joint, moments[i]));
    }
    BodyInAxes<double>& body = numbers.bodies[i];
    const SymMat3<double>& S = moments[i].second;
    body.mass = moments[i].mass;
    body.h = moments[i].first;
    body.S = S;
    body.J = {S.yy + S.zz, S.xx + S.zz, S.xx + S.yy, -S.xy, -S.xz, -S.yz};
  }
}

}  // namespace

CompiledLinks make_compiled_links(const Model& model, const Properties<double>& properties) {
  const LinkTree tree(model, properties);
  JointAxes axes(tree.bodies(), properties.gravity);
  CompiledLinks links{tree.layout(), {}, {}, std::move(axes.structure), {}};
  links.scales = find_scales(tree.bodies(), links.tree, axes.numbers);
  regroup(tree.bodies(), axes.numbers);
  links.numbers = std::move(axes.numbers);
  for (const JointedBody& body : tree.bodies()) links.joints.push_back(body.joint);
  return links;
}

}  // namespace sestina
