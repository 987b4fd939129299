#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <unordered_map>

#include "sestina/base/error.h"
#include "sestina/contact/mesh_file.h"
#include "sestina/flexible/reduced_body.h"
#include "sestina/model/beam_sections.h"
#include "sestina/model/mesh_files.h"
#include "sestina/model/number_collector.h"
#include "sestina/model/properties.h"
#include "sestina/scene/scene.h"

namespace sestina {
namespace {

using Vec = Vec3<double>;

// Evaluates numbers of a description at its values of the parameters.
class Numbers3 {
 public:
  explicit Numbers3(const System& system) : collector_(graph_, faults_) {
    collector_.define_parameters(system.parameters);
  }
  double operator()(const Number& number) {
    if (!number.is_expression()) return number.value();
    const double value = collector_.add(number, "");
    return std::isfinite(value) ? value : 0.0;  // freeze() has refused such numbers
  }
  Vec operator()(const Triple& triple) {
    return {(*this)(triple[0]), (*this)(triple[1]), (*this)(triple[2])};
  }
  Rotation<double> operator()(const std::optional<RotationSpec>& given) {
    if (!given) return Rotation<double>::identity();
    std::vector<double> x;
    for (const Number& number : given->numbers) x.push_back((*this)(number));
    switch (given->kind) {
      case RotationSpec::Kind::kEulerParameters:
        return euler_parameter_rotation(x.data());
      case RotationSpec::Kind::kAxisAngle: {
        const Vec axis{x[0], x[1], x[2]};
        return axis_rotation((1.0 / norm(axis)) * axis, x[3]);
      }
      case RotationSpec::Kind::kRpy:
        return rpy_rotation(x[0], x[1], x[2]);
      case RotationSpec::Kind::kMatrix:
        return {x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8]};
    }
    return Rotation<double>::identity();
  }

 private:
  Graph graph_;
  FaultList faults_;
  NumberCollector collector_;
};

// Returns a rotation that takes z to a unit vector.
Rotation<double> rotation_to(const Vec& axis) {
  int least = 0;
  for (int i = 1; i < 3; ++i) {
    if (std::abs(axis[i]) < std::abs(axis[least])) least = i;
  }
  Vec other;
  other[least] = 1.0;
  const Vec across = cross(other, axis);
  const Vec x = (1.0 / norm(across)) * across;
  return Rotation<double>::from_columns(x, cross(axis, x), axis);
}

std::optional<SolidType> solid_type(std::string_view name) {
  static const std::map<std::string_view, SolidType> kTypes = {{"box", SolidType::kBox},
                                                               {"sphere", SolidType::kSphere},
                                                               {"cylinder", SolidType::kCylinder},
                                                               {"capsule", SolidType::kCapsule},
                                                               {"ellipsoid", SolidType::kEllipsoid},
                                                               {"plane", SolidType::kPlane},
                                                               {"mesh", SolidType::kMesh},
                                                               {"height_field", SolidType::kMesh}};
  const auto found = kTypes.find(name);
  return found == kTypes.end() ? std::nullopt : std::optional(found->second);
}

class SceneMaker {
 public:
  SceneMaker(const System& system, const Model& model, const Properties<double>& properties,
             const State<double>& state)
      : system_(system), model_(model), properties_(properties), number_(system) {
    Kinematics<double> kinematics(model);
    update_kinematics(model, properties, state, kinematics);
    for (BodyIndex b{0}; b.value() < model.bodies().size(); ++b) {
      X_WB_.push_back(calc_body_pose(properties, kinematics, b));
    }
  }

  Scene make() {
    scene_.name = model_.name();
    scene_.up = find_up();
    add_bodies();
    add_points();
    add_joints();
    add_links();
    add_items();
    add_shapes();
    add_discs();
    add_beams();
    scene_.extent = find_extent();
    scene_.mark = 0.016 * std::min(scene_.extent, 6.0 * find_link_length());
    for (std::size_t b = 1; b < scene_.bodies.size(); ++b) {
      const bool is_mode = model_.bodies()[BodyIndex(static_cast<int>(b))].is_mode;
      if (!has_shape_[b] && !is_mode) add_bare_body(static_cast<int>(b));
    }
    return std::move(scene_);
  }

 private:
  const BodySpec* spec_of(int body) const {
    const int position = model_.bodies()[BodyIndex(body)].position;
    return position < 0 ? nullptr : &system_.bodies[static_cast<std::size_t>(position)];
  }

  Vec find_up() {
    Vec up{0, 0, 1};
    int place = 2;
    const Vec& gravity = properties_.gravity;
    if (gravity.x == 0.0 && gravity.y == 0.0 && gravity.z == 0.0) return up;
    for (int i = 0; i < 3; ++i) {
      if (std::abs(gravity[i]) > std::abs(gravity[place])) place = i;
    }
    up = {};
    up[place] = gravity[place] < 0.0 ? 1.0 : -1.0;
    return up;
  }

  void add_bodies() {
    for (BodyIndex b{0}; b.value() < model_.bodies().size(); ++b) {
      const BodyInfo& info = model_.bodies()[b];
      SceneBody body{info.name, info.parent.value(), info.is_particle, 0.0, {}, {}, info.is_mode, {}};
      if (const BodySpec* spec = spec_of(b.value())) {
        body.mass = spec->mass ? number_(*spec->mass) : 0.0;
        body.mass_centre = number_(spec->center_of_mass);
        const InertiaSpec& J = spec->inertia;
        body.inertia = {number_(J.xx), number_(J.yy), number_(J.zz),
                        number_(J.xy), number_(J.xz), number_(J.yz)};
        if (spec->reduced && !info.is_mode) {
          const ReducedModes& modes = *spec->reduced->modes;
          const SymMat3<double>& own = modes.J0;
          body.mass = modes.mass;
          body.inertia = {own.xx, own.yy, own.zz, own.xy, own.xz, own.yz};
        }
        if (spec->beam) {
          body.mass = properties_.bodies[b].M.mass;
          const SymMat3<double>& own = properties_.bodies[b].J_com;
          body.inertia = {own.xx, own.yy, own.zz, own.xy, own.xz, own.yz};
        }
      }
      scene_.bodies.push_back(std::move(body));
    }
    for (const BeamInfo& beam : model_.beams()) {
      for (const BodyIndex node : beam.nodes)
        scene_.bodies[static_cast<std::size_t>(node.value())].beam = beam.name;
    }
    has_shape_.resize(scene_.bodies.size());
  }

  // Returns the pose in the own frame of the body that carries the point; an interface of a reduced body is
  // placed where it is without deformation.
  Pose<double> pose_of(PointIndex point) const {
    const BodyIndex body = model_.points()[point].body;
    for (const ReducedBodyInfo& reduced : model_.reduced_bodies()) {
      const auto own = std::ranges::find(reduced.points, point);
      if (own == reduced.points.end()) continue;
      const auto& interface =
          reduced.modes->interfaces[static_cast<std::size_t>(own - reduced.points.begin())];
      return {interface.axes, interface.position - reduced.modes->center_of_mass};
    }
    return inverse(properties_.bodies[body].X_MB) * properties_.points[point].X_BK;
  }
  int body_of(PointIndex point) const { return model_.points()[point].body.value(); }

  void add_points() {
    for (PointIndex p{0}; p.value() < model_.points().size(); ++p) {
      if (model_.bodies()[model_.points()[p].body].is_mode) continue;
      scene_.points.push_back({model_.points()[p].name, body_of(p), pose_of(p)});
    }
  }

  Vec axis_of(const JointSpec* spec) {
    if (spec == nullptr || !spec->axis) return {};
    const Vec axis = number_(*spec->axis);
    const double length = norm(axis);
    return length > 0.0 ? (1.0 / length) * axis : Vec{};
  }

  void add_joints() {
    std::unordered_map<std::string_view, const JointSpec*> specs;
    for (const JointSpec& spec : system_.joints) specs.emplace(spec.name.text, &spec);
    const auto add = [&](const std::string& name, JointType type, bool closes_loop, PointIndex parent,
                         PointIndex child) {
      const auto found = specs.find(name);
      const Vec axis = axis_of(found == specs.end() ? nullptr : found->second);
      scene_.joints.push_back({name, joint_info(type).keyword, closes_loop, body_of(parent), body_of(child),
                               pose_of(parent), pose_of(child), axis});
    };
    for (BodyIndex b{1}; b.value() < model_.bodies().size(); ++b) {
      const BodyInfo& info = model_.bodies()[b];
      if (info.is_mode) continue;
      add(info.joint_name, info.joint_type, false, info.parent_point, info.child_point);
    }
    for (const CutJointInfo& joint : model_.cut_joints()) {
      add(joint.name, joint.type, true, joint.parent_point, joint.child_point);
    }
  }

  void add_link(const std::string& name, bool is_spring, const Name& from, const Name& to) {
    const PointIndex a = model_.point(from.text), b = model_.point(to.text);
    scene_.links.push_back({name, is_spring, body_of(a), body_of(b), pose_of(a).p, pose_of(b).p});
  }

  void add_links() {
    for (const ForceSpec& force : system_.forces) {
      const bool is_spring = force.type == "spring_damper" || force.type == "cartesian_spring";
      if (is_spring || force.type == "hydraulic_actuator") {
        add_link(force.name.text, is_spring, force.from, force.to);
      }
      for (std::size_t i = 1; i < force.points.size(); ++i) {  // of a rope
        add_link(force.name.text, false, force.points[i - 1], force.points[i]);
      }
    }
    for (const ConstraintSpec& constraint : system_.constraints) {
      if (constraint.type == "distance") {
        add_link(constraint.name.text, false, constraint.from, constraint.to);
      }
    }
    for (const BeamInfo& beam : model_.beams()) {
      if (beam.is_cable) add_cable(beam);
    }
  }

  void add_items() {
    const auto add = [&](const char* list, const Name& name, const std::string& type,
                         const std::vector<Name>& between) {
      SceneItem& item = scene_.items.emplace_back(SceneItem{list, name.text, type, {}});
      for (const Name& one : between) {
        if (!one.text.empty()) item.between.push_back(one.text);
      }
    };
    for (const JointSpec& joint : system_.joints) {
      const auto found = std::ranges::find(model_.cut_joints(), joint.name.text, &CutJointInfo::name);
      if (found != model_.cut_joints().end())
        add("joints", joint.name, joint.type.text, {joint.parent, joint.child});
    }
    for (const ConstraintSpec& one : system_.constraints) {
      std::vector<Name> between{one.from, one.to,    one.joint, one.point, one.body,
                                one.line, one.plane, one.curve, one.beam};
      for (const CouplingTerm& term : one.coefficients) between.push_back(term.coordinate);
      add("constraints", one.name, one.type.text, between);
    }
    for (const ForceSpec& force : system_.forces) {
      std::vector<Name> between{force.joint, force.from, force.to, force.at, force.cable, force.beam};
      between.insert(between.end(), force.points.begin(), force.points.end());
      between.insert(between.end(), force.coupled_to.begin(), force.coupled_to.end());
      add("forces", force.name, force.type.text, between);
    }
    for (const ContactSpec& contact : system_.contacts)
      add("contacts", contact.name, "contact", contact.between);
    for (const EventInfo& event : model_.events()) {
      scene_.items.push_back({"events", event.name, "event", {event.when}});
    }
  }

  // Adds a line from node to node.
  void add_cable(const BeamInfo& cable) {
    for (std::size_t k = 0; k < cable.nodes.size(); ++k) {
      const int node = cable.nodes[k].value();
      has_shape_[static_cast<std::size_t>(node)] = true;
      if (k > 0) scene_.links.push_back({cable.name, false, cable.nodes[k - 1].value(), node, {}, {}});
    }
  }

  void add_shapes() {
    for (const ShapeSpec& shape : system_.ground_shapes) add_shape(0, nullptr, shape);
    for (std::size_t b = 1; b < scene_.bodies.size(); ++b) {
      const BodySpec* spec = spec_of(static_cast<int>(b));
      if (spec == nullptr) continue;
      for (const ShapeSpec& shape : spec->shapes) add_shape(static_cast<int>(b), spec, shape);
    }
  }

  // A disc in place of a pulley or a wheel that has no shape.
  void add_discs() {
    const std::vector<bool> has_own = has_shape_;
    const auto add = [&](const Name& at, const Triple& along, const Number& radius) {
      const PointIndex point = model_.point(at.text);
      const int body = body_of(point);
      if (has_own[static_cast<std::size_t>(body)]) return;
      const Vec axis = number_(along);
      const Pose<double> X = pose_of(point);
      const double R = number_(radius);
      scene_.solids.push_back({body,
                               SolidType::kCylinder,
                               SolidRole::kLink,
                               {R, R, 0.2 * R},
                               {X.R * rotation_to((1.0 / norm(axis)) * axis), X.p},
                               -1});
      has_shape_[static_cast<std::size_t>(body)] = true;
    };
    for (const ForceSpec& force : system_.forces) {
      if (force.type == "belt_contact" && force.axis && force.radius)
        add(force.at, *force.axis, *force.radius);
    }
    for (const ConstraintSpec& one : system_.constraints) {
      if (one.type == "rolling" && one.axis && one.radius) add(one.body, *one.axis, *one.radius);
    }
  }

  // A node of a beam carries half of the element on either side.
  void add_beams() {
    const ItemsOfElements<SectionOutline> outlines = calc_section_outlines(model_, properties_.parameters);
    for (std::size_t i = 0; i < model_.beams().size(); ++i) {
      const BeamInfo& beam = model_.beams()[i];
      if (beam.is_cable) continue;
      const std::size_t nodes = beam.nodes.size();
      for (std::size_t k = 0; k < nodes; ++k) {
        const auto half = [&](std::size_t element) {
          const auto place = static_cast<std::size_t>(beam.first_element) + element;
          return 0.5 * properties_.forces.connectors.beams[place].segment.length;
        };
        const double before = k > 0 ? half(k - 1) : 0.0, after = k + 1 < nodes ? half(k) : 0.0;
        // The mean of the elements that meet.
        const SectionOutline& a = item_of_element(outlines, i, k > 0 ? k - 1 : 0);
        const SectionOutline& b = item_of_element(outlines, i, k + 1 < nodes ? k : k - 1);
        SceneSolid solid =
            solid_of({a.is_round, 0.5 * (a.width + b.width), 0.5 * (a.height + b.height)}, before + after);
        solid.body = beam.nodes[k].value();
        solid.X_BS.p = {0.5 * (after - before), 0.0, 0.0};
        scene_.solids.push_back(solid);
        has_shape_[static_cast<std::size_t>(solid.body)] = true;
      }
    }
  }

  // Returns the section along x.
  static SceneSolid solid_of(const SectionOutline& section, double length) {
    SceneSolid solid{0, SolidType::kBox, SolidRole::kShape, {}, {}, -1};
    if (section.is_round) {
      solid.type = SolidType::kCylinder;
      solid.size = {0.5 * section.width, 0.5 * section.width, length};
      solid.X_BS.R = rotation_to({1, 0, 0});
    } else {
      solid.size = {length, section.width, section.height};
    }
    return solid;
  }

  // Adds a note if the shape cannot be drawn.
  void add_shape(int body, const BodySpec* spec, const ShapeSpec& shape) {
    try {
      scene_.solids.push_back(solid_of(body, spec, shape));
      has_shape_[static_cast<std::size_t>(body)] = true;
    } catch (const InputError& error) {
      scene_.notes.push_back(fmt::format("a shape of {} is not drawn: {}",
                                         scene_.bodies[static_cast<std::size_t>(body)].name, error.what()));
    }
  }

  SceneSolid solid_of(int body, const BodySpec* spec, const ShapeSpec& shape) {
    const std::optional<SolidType> type = solid_type(shape.type.text);
    if (!type) throw InputError(fmt::format("the type '{}' is not known here", shape.type.text));
    SceneSolid solid{body, *type, SolidRole::kShape, {}, {number_(shape.axes), number_(shape.position)}, -1};
    if (*type == SolidType::kBox || *type == SolidType::kEllipsoid) {
      solid.size = number_(shape.size);
    } else if (*type == SolidType::kMesh) {
      solid.size = number_(shape.scale);
      solid.mesh = mesh_of(find_mesh(shape.file.text, folder_of_mesh(spec, shape)), shape.type.text);
    } else if (*type != SolidType::kPlane) {
      const double radius = number_(shape.radius);
      solid.size = {radius, radius, number_(shape.length)};
    }
    return solid;
  }

  int mesh_of(const std::filesystem::path& path, const std::string& type) {
    const auto [found, is_new] = meshes_.try_emplace(type + path.string(), -1);
    if (is_new) {
      scene_.meshes.push_back(type == "mesh" ? read_mesh(path) : read_heights(path));
      found->second = static_cast<int>(scene_.meshes.size()) - 1;
    }
    if (found->second < 0) throw InputError(fmt::format("{}: see above", path.string()));
    return found->second;
  }

  // Returns the extent of all that is drawn (m).
  double find_extent() const {
    Vec low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
    double size = 0.0;
    const auto include = [&](const Vec& p) {
      for (int i = 0; i < 3; ++i) low[i] = std::min(low[i], p[i]), high[i] = std::max(high[i], p[i]);
    };
    for (const ScenePoint& point : scene_.points) include(X_WB_[point.body] * point.X_BP.p);
    for (std::size_t b = 1; b < scene_.bodies.size(); ++b) {
      if (!scene_.bodies[b].is_mode) include(X_WB_[b] * scene_.bodies[b].mass_centre);
    }
    for (const SceneSolid& solid : scene_.solids) {
      if (solid.type == SolidType::kMesh) {
        for (const auto& p : scene_.meshes[solid.mesh].points) {
          include(X_WB_[solid.body] *
                  (solid.X_BS * Vec{solid.size.x * p[0], solid.size.y * p[1], solid.size.z * p[2]}));
        }
      } else {
        size = std::max({size, solid.size.x, solid.size.y, solid.size.z});
      }
    }
    for (int i = 0; i < 3; ++i) size = std::max(size, high[i] - low[i]);
    return size > 0.0 && std::isfinite(size) ? size : 1.0;
  }

  // Returns the points at which a body is attached, beginning with the joint that carries it, and its other
  // points.
  std::vector<Vec> anchors_of(int body) const {
    std::vector<Vec> anchors;
    const auto add = [&](const Vec& p) {
      const auto is_here = [&](const Vec& a) { return norm(a - p) <= 1e-9 * scene_.extent; };
      if (std::ranges::none_of(anchors, is_here)) anchors.push_back(p);
    };
    for (const SceneJoint& joint : scene_.joints) {
      if (joint.child == body) add(joint.X_CM.p);
    }
    for (const SceneJoint& joint : scene_.joints) {
      if (joint.parent == body) add(joint.X_PF.p);
    }
    for (const ScenePoint& point : scene_.points) {
      if (point.body == body && !point.name.ends_with(".origin")) add(point.X_BP.p);
    }
    return anchors;
  }

  // Returns the median length (m) of bodies without shapes that reach from joint to joint.
  double find_link_length() const {
    std::vector<double> lengths;
    for (std::size_t b = 1; b < scene_.bodies.size(); ++b) {
      if (has_shape_[b]) continue;
      const std::vector<Vec> ends = anchors_of(static_cast<int>(b));
      if (ends.size() > 1) lengths.push_back(norm(ends.back() - ends.front()));
    }
    if (lengths.empty()) return scene_.extent;
    const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
    std::ranges::nth_element(lengths, middle);
    return *middle > 0.0 ? *middle : scene_.extent;
  }

  // Adds rods from the point where the body is attached to its other points and to its mass centre, which is
  // marked.
  void add_bare_body(int body) {
    const SceneBody& info = scene_.bodies[static_cast<std::size_t>(body)];
    std::vector<Vec> ends = anchors_of(body);
    const Vec first = ends.empty() ? Vec{} : ends.front();
    if (!ends.empty()) ends.erase(ends.begin());
    ends.push_back(info.mass_centre);
    std::erase_if(ends, [&](const Vec& end) { return norm(end - first) <= 1e-9 * scene_.extent; });
    double longest = 0.0;
    for (const Vec& end : ends) longest = std::max(longest, norm(end - first));
    const double radius = std::clamp(0.05 * longest, 0.25 * scene_.mark, 0.75 * scene_.mark);
    for (const Vec& end : ends) {
      const Vec along = end - first;
      const double length = norm(along);
      scene_.solids.push_back({body,
                               SolidType::kCapsule,
                               SolidRole::kLink,
                               {radius, radius, length},
                               {rotation_to((1.0 / length) * along), 0.5 * (first + end)},
                               -1});
    }
    if (info.mass > 0.0 || ends.empty()) {
      const double ball = ends.empty() ? 2.1 * scene_.mark : std::max(2.0 * radius, scene_.mark);
      scene_.solids.push_back({body,
                               SolidType::kSphere,
                               SolidRole::kMassCentre,
                               {ball, ball, 0.0},
                               {Rotation<double>::identity(), info.mass_centre},
                               -1});
    }
  }

  const System& system_;
  const Model& model_;
  const Properties<double>& properties_;
  Numbers3 number_;
  std::vector<Pose<double>> X_WB_;  // by body, at the state
  std::vector<bool> has_shape_;     // by body
  std::map<std::string, int> meshes_;
  Scene scene_;
};

}  // namespace

Scene extract_scene(const System& system, const Model& model, const Properties<double>& properties,
                    const State<double>& state) {
  return SceneMaker(system, model, properties, state).make();
}

}  // namespace sestina
