#include "sestina/io/urdf_convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "sestina/base/suggest.h"
#include "sestina/io/urdf_mimic.h"
#include "sestina/io/urdf_names.h"
#include "sestina/spatial/rotation.h"

namespace sestina {
namespace {

constexpr char kPercentStandIn = '\x01';

using Vec = Vec3<double>;
using Mat = Mat3<double>;

Vec vector_of(const urdf::Vector3& v) { return {v.x, v.y, v.z}; }

Mat rotation_of(const urdf::Rotation& r) {
  const double e[4]{r.w, r.x, r.y, r.z};
  return euler_parameter_rotation(e);
}

bool is_identity(const urdf::Rotation& r) { return r.x == 0 && r.y == 0 && r.z == 0; }

Number number(double value, const Mark& mark) {
  Number result(value);
  result.mark = mark;
  return result;
}

Triple triple(const Vec& v, const Mark& mark) {
  return {number(v.x, mark), number(v.y, mark), number(v.z, mark)};
}

// Returns nothing for the identity; Euler parameters, since roll, pitch and yaw would not be exact.
std::optional<RotationSpec> axes_of(const urdf::Rotation& r, const Mark& mark) {
  if (is_identity(r)) return std::nullopt;
  RotationSpec spec = RotationSpec::euler_parameters(r.w, r.x, r.y, r.z);
  spec.mark = mark;
  return spec;
}

RotationSpec matrix_axes(const Mat& R, const Mark& mark) {
  const Mat T = R.transpose();  // its columns are the rows of R
  RotationSpec spec =
      RotationSpec::matrix({triple(T.column(0), mark), triple(T.column(1), mark), triple(T.column(2), mark)});
  spec.mark = mark;
  return spec;
}

// Columns: the axes of the plane's frame in the joint frame (described in urdf.h).
Mat plane_axes(const Vec& axis) {
  const Vec z = (1.0 / std::hypot(axis.x, axis.y, axis.z)) * axis;
  int least = 0;
  for (int i = 1; i < 3; ++i) {
    if (std::abs(z[i]) < std::abs(z[least])) least = i;
  }
  Vec x;
  x[least] = 1.0;
  x -= z[least] * z;
  x = (1.0 / norm(x)) * x;
  return Mat::from_columns(x, cross(z, x), z);
}

// True if a rigid body can have this inertia: 1/2 tr(I) 1 - I, the second moments of its mass, must not be
// indefinite, which is the triangle inequality of the principal moments. Half the tolerance of freeze().
bool is_possible_inertia(const SymMat3<double>& I) {
  const double trace = I.trace();
  if (trace == 0.0) return I.xx == 0 && I.yy == 0 && I.zz == 0 && I.xy == 0 && I.xz == 0 && I.yz == 0;
  if (!(trace > 0.0)) return false;
  const double half = (0.5 + 0.25e-9) * trace;
  const double d1 = half - I.xx;  // pivots of the Cholesky decomposition
  if (!(d1 > 0.0)) return false;
  const double d2 = half - I.yy - I.xy * I.xy / d1;
  if (!(d2 > 0.0)) return false;
  const double c = -I.yz - I.xy * I.xz / d1;
  return half - I.zz - I.xz * I.xz / d1 - c * c / d2 > 0.0;
}

class Converter {
 public:
  Converter(const urdf::ModelInterface& model, const UrdfTree& tree, const UrdfOptions& options,
            FaultList& faults, ImportNotes& notes)
      : model_(model), tree_(tree), options_(options), faults_(faults), notes_(notes) {}

  System convert() {
    system_.name = tree_.robot;
    system_.gravity = {0.0, 0.0, -9.81};
    note({}, "URDF has no gravity: set to [0, 0, -9.81] m/s^2");
    map_names();
    for (const UrdfLink& link : tree_.links) add_link(link);
    if (!options_.floating_base) add_base();
    followers_ = find_followers(model_, tree_, options_, notes_);
    for (std::size_t i = 0; i < tree_.joints.size(); ++i) add_joint(tree_.joints[i], followers_[i]);
    for (std::size_t i = 0; i < tree_.joints.size(); ++i) {
      if (!followers_[i]) continue;
      if (followers_[i]->becomes == UrdfMimic::kForce) add_pull(tree_.joints[i], *followers_[i]);
      if (followers_[i]->becomes == UrdfMimic::kCouple) add_coupling(tree_.joints[i], *followers_[i]);
    }
    note_ignored();
    return std::move(system_);
  }

 private:
  void note(Place place, std::string message) { notes_.push_back({std::move(place), std::move(message)}); }

  static Place place(const UrdfLink& link) { return {link.mark, fmt::format("link '{}'", link.name)}; }
  static Place place(const UrdfJoint& joint) { return {joint.mark, fmt::format("joint '{}'", joint.name)}; }

  // Names that need no change are claimed first: links, then joints.
  void map_names() {
    for (const UrdfLink& link : tree_.links) {
      if (names_.claim(link.name)) body_names_[link.name] = link.name;
    }
    for (const UrdfJoint& joint : tree_.joints) {
      if (names_.claim(joint.name)) joint_names_[joint.name] = joint.name;
    }
    for (const UrdfLink& link : tree_.links) map_name(link, body_names_, "_link");
    for (const UrdfJoint& joint : tree_.joints) map_name(joint, joint_names_, "_joint");
  }

  template <class Thing>
  void map_name(const Thing& thing, std::map<std::string, std::string>& names, const char* suffix) {
    if (names.count(thing.name) > 0) return;
    const std::string name = names_.make(thing.name, suffix);
    names[thing.name] = name;
    note(place(thing), fmt::format("is named '{}'", name));
  }

  void add_link(const UrdfLink& outline) {
    const urdf::LinkConstSharedPtr link = model_.getLink(hide_percent(outline.name));
    const std::string& name = body_names_[outline.name];
    BodySpec& body = system_.add_body(name, number(0.0, outline.mark));
    body.name.mark = body.mark = outline.mark;
    bodies_[outline.name] = &body;
    if (name != outline.name) body.original_name = outline.name;
    if (link->inertial) set_inertia(body, *link->inertial, outline);
    if (options_.shapes == UrdfShapes::kCollision) {
      for (const urdf::CollisionSharedPtr& collision : link->collision_array) add_shape(body, *collision);
    } else {
      for (const urdf::VisualSharedPtr& visual : link->visual_array) add_shape(body, *visual);
    }
  }

  void set_inertia(BodySpec& body, const urdf::Inertial& inertial, const UrdfLink& outline) {
    const Mark& mark = outline.mark;
    if (inertial.mass < 0.0) faults_.add(place(outline), fmt::format("mass: {} is negative", inertial.mass));
    body.mass = number(inertial.mass, mark);
    body.center_of_mass = triple(vector_of(inertial.origin.position), mark);
    SymMat3<double> I{inertial.ixx, inertial.iyy, inertial.izz, inertial.ixy, inertial.ixz, inertial.iyz};
    if (!is_identity(inertial.origin.rotation)) I = rotate(rotation_of(inertial.origin.rotation), I);
    body.inertia = {number(I.xx, mark),
                    number(I.yy, mark),
                    number(I.zz, mark),
                    number(I.xy, mark),
                    number(I.xz, mark),
                    number(I.yz, mark),
                    mark};
    if (!is_possible_inertia(I)) {
      body.inertia_check = false;
      note(place(outline), "no rigid body can have this inertia; taken as it is");
    }
  }

  // The shape of a visual or a collision.
  template <class Element>
  void add_shape(BodySpec& body, const Element& element) {
    const Mark& mark = body.mark;
    ShapeSpec shape;
    shape.mark = mark;
    shape.position = triple(vector_of(element.origin.position), mark);
    shape.axes = axes_of(element.origin.rotation, mark);
    if (const auto* box = dynamic_cast<const urdf::Box*>(element.geometry.get())) {
      shape.type = "box";
      shape.size = triple(vector_of(box->dim), mark);
    } else if (const auto* sphere = dynamic_cast<const urdf::Sphere*>(element.geometry.get())) {
      shape.type = "sphere";
      shape.radius = number(sphere->radius, mark);
    } else if (const auto* cylinder = dynamic_cast<const urdf::Cylinder*>(element.geometry.get())) {
      shape.type = "cylinder";
      shape.radius = number(cylinder->radius, mark);
      shape.length = number(cylinder->length, mark);
    } else if (const auto* mesh = dynamic_cast<const urdf::Mesh*>(element.geometry.get())) {
      shape.type = "mesh";
      shape.file = restore_percent(mesh->filename);
      shape.scale = triple(vector_of(mesh->scale), mark);
    } else {
      return;
    }
    if constexpr (std::is_same_v<Element, urdf::Collision>) {
      if (!element.name.empty()) shape.name = names_.make(restore_percent(element.name), "_collision");
    }
    body.shapes.push_back(std::move(shape));
  }

  void add_base() {
    const UrdfLink& root = tree_.links[tree_.root];
    JointSpec& base = system_.add_joint(names_.make("base_to_ground", "_joint"), "weld", "ground.origin",
                                        body_names_[root.name] + ".origin");
    base.mark = root.mark;
    note(place(root), fmt::format("is welded to the ground by joint '{}'", base.name.text));
  }

  void add_joint(const UrdfJoint& outline, const std::optional<UrdfFollower>& follower) {
    const urdf::JointConstSharedPtr joint = model_.getJoint(hide_percent(outline.name));
    const Mark& mark = outline.mark;
    const std::string& name = joint_names_[outline.name];
    BodySpec& parent = *bodies_[outline.parent.value];
    BodySpec& child = *bodies_[outline.child.value];
    const urdf::Pose& origin = joint->parent_to_joint_origin_transform;
    PointSpec& mount = parent.add_point(name + "_mount", triple(vector_of(origin.position), mark));
    mount.axes = axes_of(origin.rotation, mark);

    JointSpec& spec = system_.add_joint(name, type_of(*joint), parent.name.text + "." + mount.name.text,
                                        child.name.text + ".origin");
    spec.name.mark = spec.parent.mark = spec.child.mark = spec.mark = mark;
    if (name != outline.name) spec.original_name = outline.name;
    if (follower && follower->becomes == UrdfMimic::kWeld) {
      weld(spec, mount, *joint, follower->position);
      return;
    }
    if (follower && follower->position != 0.0) spec.q = {number(follower->position, mark)};
    if (has_axis(*joint)) {
      const Vec axis = vector_of(joint->axis);
      if (axis.x == 0.0 && axis.y == 0.0 && axis.z == 0.0) {
        faults_.add(place(outline), "the axis is zero or missing its xyz");
      } else if (joint->type == urdf::Joint::PLANAR) {
        orient_plane(spec, mount, child, rotation_of(origin.rotation), axis);
      } else {
        spec.axis = triple(axis, mark);
      }
    }
    if (joint->limits) set_limits(spec, *joint);
    if (joint->dynamics) add_dynamics(*joint, name, outline);
  }

  static Name type_of(const urdf::Joint& joint) {
    switch (joint.type) {
      case urdf::Joint::REVOLUTE:
      case urdf::Joint::CONTINUOUS:
        return "revolute";
      case urdf::Joint::PRISMATIC:
        return "prismatic";
      case urdf::Joint::FLOATING:
        return "free";
      case urdf::Joint::PLANAR:
        return "planar";
      default:
        return "weld";
    }
  }
  static bool has_axis(const urdf::Joint& joint) {
    return joint.type != urdf::Joint::FIXED && joint.type != urdf::Joint::FLOATING;
  }

  // Both points get the same axes within the joint frame, so that at q = 0 the child's frame is the joint
  // frame.
  static void orient_plane(JointSpec& spec, PointSpec& mount, BodySpec& child, const Mat& R_mount,
                           const Vec& axis) {
    const Mat R_plane = plane_axes(axis);
    mount.axes = matrix_axes(R_mount * R_plane, spec.mark);
    PointSpec& plane = child.add_point(spec.name.text + "_plane", {});
    plane.axes = matrix_axes(R_plane, spec.mark);
    spec.child = child.name.text + "." + plane.name.text;
    spec.child.mark = spec.mark;
  }

  // Welds at this value of the joint's coordinate (rad or m).
  static void weld(JointSpec& spec, PointSpec& mount, const urdf::Joint& joint, double q) {
    spec.type = "weld";
    const Vec axis = vector_of(joint.axis);
    const double length = norm(axis);
    if (q == 0.0 || length == 0.0) return;
    const urdf::Pose& origin = joint.parent_to_joint_origin_transform;
    const Mat R = rotation_of(origin.rotation);
    const Vec a = (1.0 / length) * axis;
    if (joint.type == urdf::Joint::PRISMATIC) {
      mount.position = triple(vector_of(origin.position) + R * (q * a), spec.mark);
    } else {
      mount.axes = matrix_axes(R * axis_rotation(a, q), spec.mark);
    }
  }

  // Adds the spring and the damper between the coordinates of a joint and its leader.
  void add_pull(const UrdfJoint& outline, const UrdfFollower& follower) {
    const std::string& name = joint_names_[outline.name];
    const std::string& leader = joint_names_[tree_.joints[follower.leader].name];
    const std::string k = names_.make(name + "_mimic_stiffness", "_parameter");
    const std::string c = names_.make(name + "_mimic_damping", "_parameter");
    system_.set_parameter(k, number(follower.stiffness, outline.mark));
    system_.set_parameter(c, number(follower.damping, outline.mark));
    const double m = follower.multiplier;
    const std::string led = m == 1.0 ? leader : in_brackets(m) + "*" + leader;
    const std::string offset = follower.offset == 0.0 ? "" : " + " + in_brackets(follower.offset);
    const std::string pull =
        fmt::format("{}*({}.q{} - {}.q) + {}*({}.u - {}.u)", k, led, offset, name, c, led, name);
    const auto add = [&](const std::string& force_name, const std::string& joint, const std::string& value) {
      ForceSpec& force = system_.add_joint_force(names_.make(force_name, "_force"), joint, Number(value));
      force.name.mark = force.joint.mark = force.mark = force.value_mark = outline.mark;
      force.value.front().mark = outline.mark;
    };
    add(name + "_mimic", name, pull);
    add(name + "_mimic_leader", leader, fmt::format("{}*({})", in_brackets(-m), pull));
  }

  // q - multiplier q_leader = offset
  void add_coupling(const UrdfJoint& outline, const UrdfFollower& follower) {
    const std::string& name = joint_names_[outline.name];
    const auto coordinate = [&](const std::string& joint) {
      Name result = joint + ".q";
      result.mark = outline.mark;
      return result;
    };
    std::vector<CouplingTerm> terms;
    terms.reserve(2);
    terms.push_back({coordinate(name), number(1.0, outline.mark)});
    if (follower.multiplier != 0.0) {
      const std::string& leader = joint_names_[tree_.joints[follower.leader].name];
      terms.push_back({coordinate(leader), number(-follower.multiplier, outline.mark)});
    }
    ConstraintSpec& spec = system_.add_coupling(names_.make(name + "_mimic", "_constraint"), std::move(terms),
                                                number(follower.offset, outline.mark));
    spec.name.mark = spec.mark = spec.value_mark = outline.mark;
  }

  // Returns "0.5" or "(-1)".
  static std::string in_brackets(double value) {
    return value < 0.0 ? fmt::format("({})", value) : fmt::format("{}", value);
  }

  static void set_limits(JointSpec& spec, const urdf::Joint& joint) {
    if (!has_axis(joint) || joint.type == urdf::Joint::PLANAR) return;
    LimitsSpec limits;
    limits.mark = spec.mark;
    if (joint.type != urdf::Joint::CONTINUOUS) {
      limits.lower = number(joint.limits->lower, spec.mark);
      limits.upper = number(joint.limits->upper, spec.mark);
    }
    limits.velocity = number(joint.limits->velocity, spec.mark);
    limits.effort = number(joint.limits->effort, spec.mark);
    spec.limits = std::move(limits);
  }

  void add_dynamics(const urdf::Joint& joint, const std::string& name, const UrdfJoint& outline) {
    const urdf::JointDynamics& dynamics = *joint.dynamics;
    if (dynamics.friction != 0.0) {
      note(place(outline), fmt::format("dry friction of {} is ignored", dynamics.friction));
    }
    if (dynamics.damping == 0.0) return;
    if (!has_axis(joint)) {
      note(place(outline), fmt::format("damping of a {} joint is ignored", outline.type));
      return;
    }
    if (dynamics.damping < 0.0) {
      faults_.add(place(outline), fmt::format("damping: {} is negative", dynamics.damping));
    }
    ForceSpec& force = system_.add_force(names_.make(name + "_damping", "_force"), "joint_damper");
    force.joint = name;
    force.damping = {number(dynamics.damping, outline.mark)};
    force.name.mark = force.joint.mark = force.mark = force.damping_mark = outline.mark;
  }

  void note_ignored() {
    const auto count = [](const auto& things, auto&& predicate) {
      return std::count_if(things.begin(), things.end(), predicate);
    };
    const auto collisions = count(tree_.links, [](const UrdfLink& link) { return link.has_collision; });
    if (collisions > 0 && options_.shapes == UrdfShapes::kVisual)
      note({}, fmt::format("collision geometry of {} links is ignored", collisions));
    const auto safety = count(tree_.joints, [](const UrdfJoint& joint) { return joint.has_safety; });
    if (safety > 0) note({}, fmt::format("safety controllers of {} joints are ignored", safety));
    const auto calibration =
        count(tree_.joints, [](const UrdfJoint& joint) { return joint.has_calibration; });
    if (calibration > 0) note({}, fmt::format("calibration of {} joints is ignored", calibration));
    if (tree_.other_tags.empty()) return;
    std::vector<std::string> tags;
    for (const auto& [tag, number_of] : tree_.other_tags)
      tags.push_back(fmt::format("{} <{}>", number_of, tag));
    note({}, "ignored elements: " + join_words(tags));
  }

  const urdf::ModelInterface& model_;
  const UrdfTree& tree_;
  const UrdfOptions& options_;
  FaultList& faults_;
  ImportNotes& notes_;
  System system_;
  NameMap names_;
  // By the name in the file.
  std::map<std::string, std::string> body_names_, joint_names_;
  std::map<std::string, BodySpec*> bodies_;
  std::vector<std::optional<UrdfFollower>> followers_;  // by joint
};

}  // namespace

std::string hide_percent(std::string text) {
  std::replace(text.begin(), text.end(), '%', kPercentStandIn);
  return text;
}

std::string restore_percent(std::string text) {
  std::replace(text.begin(), text.end(), kPercentStandIn, '%');
  return text;
}

System convert_urdf(const urdf::ModelInterface& model, const UrdfTree& tree, const UrdfOptions& options,
                    FaultList& faults, ImportNotes& notes) {
  return Converter(model, tree, options, faults, notes).convert();
}

}  // namespace sestina
