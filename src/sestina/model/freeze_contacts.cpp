// Collects contacts: the shapes they name, the pairs of shapes, and limits of joints that are stops.
#include <fmt/format.h>

#include <algorithm>

#include "sestina/base/error.h"
#include "sestina/base/suggest.h"
#include "sestina/contact/mesh_file.h"
#include "sestina/contact/surface.h"
#include "sestina/model/freezer.h"
#include "sestina/model/mesh_files.h"

namespace sestina {
namespace {

using Kind = ValueRule::Kind;

ShapeType type_of(const ShapeSpec& shape) {
  if (shape.type == "box") return ShapeType::kBox;
  if (shape.type == "cylinder") return ShapeType::kCylinder;
  if (shape.type == "capsule") return ShapeType::kCapsule;
  if (shape.type == "ellipsoid") return ShapeType::kEllipsoid;
  if (shape.type == "plane") return ShapeType::kPlane;
  return ShapeType::kSphere;
}

}  // namespace

void Freezer::collect_contacts() {
  for (std::size_t i = 0; i < system_.ground_shapes.size(); ++i) {
    check_shape(system_.ground_shapes[i], fmt::format("ground.shapes[{}]", i));
  }
  for (std::size_t i = 0; i < system_.contacts.size(); ++i) {
    collect_contact(system_.contacts[i], fmt::format("contacts[{}]", i));
  }
  collect_stops();
}

void Freezer::collect_contact(const ContactSpec& spec, const std::string& path) {
  const std::string between = path + ".between";
  ContactPlan plan;
  plan.is_force = is_force_element(spec);
  plan.law = collect_law(spec.friction, spec.restitution, spec.stiffness, spec.damping, path, plan.is_force);
  check_word(spec.law, path + ".law", {"newton", "poisson", "stronge", "linear", "hertz", "hunt_crossley"});
  data_.contacts.push_back({spec.name.text, spec.law.text, spec.mark, plan.is_force});
  refuse_keys_of_other_laws(spec, plan.is_force, path);
  std::optional<CompliantContactPlan> force;
  if (plan.is_force) force = collect_compliant_law(spec, path);
  if (spec.between.size() < 2) {
    fail(spec.mark, between,
         fmt::format("has {} names: expected two or more shapes or bodies", spec.between.size()));
    return;
  }
  std::vector<std::vector<int>> shapes;
  for (std::size_t i = 0; i < spec.between.size(); ++i) {
    shapes.push_back(find_shapes(spec.between[i], fmt::format("{}[{}]", between, i)));
  }
  plan.pairs = shapes.size() == 2 ? find_pairs_of_two(spec, between, shapes[0], shapes[1])
                                  : find_pairs_among(spec, between, shapes);
  if (force) {
    for (const auto& [a, b] : plan.pairs) {
      collect_compliant_pair(spec, path, a, b, *force);
      if (force->bristle >= 0) force->bristle += 3;
    }
  }
  data_.plan.contacts.push_back(std::move(plan));
}

// All pairs of a shape of the first with one of the second; each must be possible.
std::vector<std::pair<int, int>> Freezer::find_pairs_of_two(const ContactSpec& spec, const std::string& path,
                                                            const std::vector<int>& first,
                                                            const std::vector<int>& second) {
  std::vector<std::pair<int, int>> pairs;
  for (const int a : first) {
    for (const int b : second) {
      const ContactShapePlan &one = data_.plan.contact_shapes[static_cast<std::size_t>(a)],
                             &other = data_.plan.contact_shapes[static_cast<std::size_t>(b)];
      if (one.body == other.body) {
        fail(spec.between[1].mark, path,
             fmt::format("both are on {}: shapes of one body cannot touch each other",
                         data_.bodies[one.body].name));
        return pairs;
      }
      if (!can_touch(one.type, other.type)) {
        fail(spec.between[1].mark, path,
             fmt::format("contact of a {} with a {} is not supported: planes, meshes that are not convex and "
                         "height fields "
                         "touch convex shapes, and planes touch meshes",
                         name_of(one.type), name_of(other.type)));
        return pairs;
      }
      pairs.emplace_back(a, b);
    }
  }
  return pairs;
}

// All pairs among the shapes of more than two names: those of one body, and those that cannot touch, are left
// out.
std::vector<std::pair<int, int>> Freezer::find_pairs_among(const ContactSpec& spec, const std::string& path,
                                                           const std::vector<std::vector<int>>& shapes) {
  std::vector<int> all;
  for (const std::vector<int>& some : shapes) all.insert(all.end(), some.begin(), some.end());
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::vector<std::pair<int, int>> pairs;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      const ContactShapePlan &one = data_.plan.contact_shapes[static_cast<std::size_t>(all[i])],
                             &other = data_.plan.contact_shapes[static_cast<std::size_t>(all[j])];
      if (one.body != other.body && can_touch(one.type, other.type)) pairs.emplace_back(all[i], all[j]);
    }
  }
  const bool are_found = std::ranges::none_of(shapes, &std::vector<int>::empty);
  if (pairs.empty() && are_found) fail(spec.mark, path, "no two of these shapes can touch each other");
  return pairs;
}

std::vector<int> Freezer::find_shapes(const Name& name, const std::string& path) {
  std::vector<std::string> known;
  std::vector<int> found;
  const auto search = [&](BodyIndex body, const std::string& body_name, const std::vector<ShapeSpec>& shapes,
                          const std::string& place, bool is_list) {
    known.push_back(body_name);
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      if (!shapes[i].name.empty()) known.push_back(shapes[i].name.text);
      if (name == body_name || (!shapes[i].name.empty() && shapes[i].name.text == name.text)) {
        const std::string shape_path = is_list ? fmt::format("{}[{}]", place, i) : place;
        const std::string shape_name =
            shapes[i].name.empty() ? fmt::format("{}.shapes[{}]", body_name, i) : shapes[i].name.text;
        found.push_back(add_contact_shape(body, shapes[i], shape_name, shape_path));
      }
    }
    return name == body_name;
  };
  bool is_body = search(kGround, "ground", system_.ground_shapes, "ground.shapes", true);
  for (std::size_t i = 0; i < system_.bodies.size(); ++i) {
    const BodySpec& body = system_.bodies[i];
    if (index_of_position_.size() <= i || !index_of_position_[i].is_valid()) continue;
    is_body = search(index_of_position_[i], body.name.text, body.shapes, fmt::format("bodies[{}].shape", i),
                     body.shapes.size() > 1) ||
              is_body;
  }
  if (std::erase(found, -1) > 0) return {};  // reported already
  if (found.empty() && is_body) {
    fail(name.mark, path, fmt::format("{} has no shape that could touch anything", name.text));
  } else if (std::ranges::any_of(beams_, [&](const BeamLayout& beam) { return beam.name == name.text; })) {
    fail(name.mark, path,
         fmt::format(
             "{} is a beam, which has no shape that could touch anything: join a body that has one to a "
             "point of the beam",
             name.text));
  } else if (found.empty()) {
    fail(name.mark, path,
         fmt::format("there is no shape and no body '{}'{}", name.text, suggestion(name.text, known)));
  }
  return found;
}

// Returns -1 and reports a fault if there is none.
int Freezer::add_contact_shape(BodyIndex body, const ShapeSpec& shape, const std::string& name,
                               const std::string& path) {
  if (const auto known = shape_index_.find(&shape); known != shape_index_.end()) return known->second;
  ContactShapePlan plan;
  plan.body = body;
  plan.type = type_of(shape);
  const bool is_surface = shape.type == "mesh" || shape.type == "height_field";
  if (is_surface && !read_contact_mesh(body, shape, path, plan)) return -1;
  const auto add_size = [&](const Number& number, const std::string& key) {
    const Slot slot = numbers_.next();
    numbers_.add(number, path + key);
    hold(Kind::kPositive, slot, number, path + key);
  };
  plan.size = numbers_.next();
  switch (plan.type) {
    case ShapeType::kPlane:
    case ShapeType::kConvexMesh:
    case ShapeType::kMesh:
      plan.size = {};
      break;
    case ShapeType::kSphere:
      add_size(shape.radius, ".radius");
      break;
    case ShapeType::kCylinder:
    case ShapeType::kCapsule:
      add_size(shape.radius, ".radius");
      add_size(shape.length, ".length");
      break;
    default:
      for (std::size_t i = 0; i < 3; ++i) add_size(shape.size[i], fmt::format(".size[{}]", i));
  }
  PointSpec pose;
  pose.position = shape.position;
  pose.axes = shape.axes;
  plan.pose = collect_pose(pose, path);
  data_.plan.contact_shapes.push_back(plan);
  data_.contact_shape_names.push_back(name);
  const int index = static_cast<int>(data_.plan.contact_shapes.size()) - 1;
  shape_index_.emplace(&shape, index);
  return index;
}

// Reports a fault and returns false if the surface cannot touch.
bool Freezer::read_contact_mesh(BodyIndex body, const ShapeSpec& shape, const std::string& path,
                                ContactShapePlan& plan) {
  Vec3<double> scale;
  for (std::size_t i = 0; i < 3; ++i) {
    if (shape.scale[i].is_expression()) {
      fail(shape.scale[i].mark, fmt::format("{}.scale[{}]", path, i),
           "of a mesh that touches must be a number");
      return false;
    }
    scale[static_cast<int>(i)] = shape.scale[i].value();
  }
  const int position = data_.bodies[body].position;
  const BodySpec* spec = position < 0 ? nullptr : &system_.bodies[static_cast<std::size_t>(position)];
  try {
    const auto file = find_mesh(shape.file.text, folder_of_mesh(spec, shape));
    Surface surface =
        shape.type == "height_field" ? read_field_surface(file, scale) : read_solid_surface(file, scale);
    plan.type = surface.polytope ? ShapeType::kConvexMesh : ShapeType::kMesh;
    plan.surface = std::make_shared<const Surface>(std::move(surface));
    return true;
  } catch (const InputError& error) {
    fail(shape.file.mark, path + ".file", error.what());
    return false;
  }
}

ContactLawPlan Freezer::collect_law(const Number& friction, const Number& restitution,
                                    const Number& stiffness, const Number& damping, const std::string& path,
                                    bool is_force) {
  const auto add = [&](const Number& number, const char* key) {
    const Slot slot = numbers_.next();
    const double value = numbers_.add(number, path + key);
    hold(Kind::kNotNegative, slot, number, path + key);
    return std::pair(slot, value);
  };
  const auto [of_friction, mu] = add(friction, ".friction");
  const auto [of_restitution, e] = add(restitution, ".restitution");
  const auto [of_stiffness, k] = add(stiffness, ".stiffness");
  const auto [of_damping, d] = add(damping, ".damping");
  if (e > 1.0) fail(restitution.mark, path + ".restitution", describe(restitution, e) + " is above 1");
  if (is_force) return {of_friction, of_restitution, of_stiffness, of_damping};
  if (k > 0.0 && e > 0.0) {
    fail(restitution.mark, path + ".restitution",
         "is for rigid contacts: one with stiffness loses energy by its damping");
  }
  if (k == 0.0 && d > 0.0) {
    fail(damping.mark, path + ".damping", "needs a stiffness: without one the contact is rigid");
  }
  return {of_friction, of_restitution, of_stiffness, of_damping};
}

void Freezer::collect_stops() {
  for (BodyIndex b{1}; b.value() < data_.bodies.size(); ++b) {
    const int position = position_of_index_[static_cast<std::size_t>(b.value())];
    const int joint = links_[static_cast<std::size_t>(position)].joint;
    if (joint < 0) continue;
    const JointSpec& spec = system_.joints[static_cast<std::size_t>(joint)];
    if (!spec.limits || !spec.limits->enforced) continue;
    const std::string path = fmt::format("joints[{}].limits", joint);
    if (spec.limits->lower) collect_stop(spec, data_.bodies[b], false, path);
    if (spec.limits->upper) collect_stop(spec, data_.bodies[b], true, path);
  }
  for (const CutJointInfo& cut : data_.cut_joints) {
    const JointSpec& spec = system_.joints[static_cast<std::size_t>(cut.position)];
    if (!spec.limits || !spec.limits->enforced) continue;
    if (is_cartesian()) {
      fail(
          spec.limits->mark, fmt::format("joints[{}].limits.enforced", cut.position),
          fmt::format("limits of {} cannot be stops in cartesian coordinates: take relative ones", cut.name));
      continue;
    }
    fail(spec.limits->mark, fmt::format("joints[{}].limits.enforced", cut.position),
         fmt::format(
             "{} closes a loop, where limits cannot be stops: cut another joint of the loop (cut: true)",
             cut.name));
  }
}

void Freezer::collect_stop(const JointSpec& spec, const BodyInfo& body, bool is_upper,
                           const std::string& path) {
  const LimitsSpec& limits = *spec.limits;
  const Number none = 0;
  StopPlan plan;
  plan.law = collect_law(none, limits.restitution, limits.stiffness, limits.damping, path);
  plan.bound = numbers_.next();
  numbers_.add(is_upper ? *limits.upper : *limits.lower, path + (is_upper ? ".upper" : ".lower"));
  plan.q = body.q_start, plan.u = body.u_start;
  plan.is_upper = is_upper;
  data_.plan.stops.push_back(plan);
  data_.stop_names.push_back(spec.name.text);
}

}  // namespace sestina
