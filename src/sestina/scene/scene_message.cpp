#include "sestina/scene/scene_message.h"

#include <algorithm>
#include <cstring>

#include "sestina/scene/json_writer.h"

namespace sestina {
namespace {

void write(JsonWriter& json, std::string_view name, const Vec3<double>& v) {
  json.key(name).begin_array().value(v.x).value(v.y).value(v.z).end_array();
}

void write(JsonWriter& json, std::string_view name, const Pose<double>& X) {
  const std::array<double, 4> e = quaternion_of(X.R);
  json.key(name).begin_array();
  for (int i = 0; i < 3; ++i) json.value(X.p[i]);
  for (const double x : e) json.value(x);
  json.end_array();
}

const char* name_of(SolidType type) {
  switch (type) {
    case SolidType::kBox:
      return "box";
    case SolidType::kSphere:
      return "sphere";
    case SolidType::kCylinder:
      return "cylinder";
    case SolidType::kCapsule:
      return "capsule";
    case SolidType::kEllipsoid:
      return "ellipsoid";
    case SolidType::kPlane:
      return "plane";
    case SolidType::kMesh:
      return "mesh";
  }
  return "";
}

const char* name_of(SolidRole role) {
  switch (role) {
    case SolidRole::kShape:
      return "shape";
    case SolidRole::kLink:
      return "link";
    case SolidRole::kMassCentre:
      return "mass_centre";
    case SolidRole::kWall:
      return "wall";
  }
  return "";
}

void write_bodies(JsonWriter& json, const Scene& scene) {
  json.key("bodies").begin_array();
  for (const SceneBody& body : scene.bodies) {
    json.begin_object().member("name", body.name).member("parent", body.parent);
    json.member("particle", body.is_particle).member("mass", body.mass);
    write(json, "mass_centre", body.mass_centre);
    json.key("inertia")
        .numbers(body.inertia)
        .member("mode", body.is_mode)
        .member("beam", body.beam)
        .end_object();
  }
  json.end_array();
}

void write_solids(JsonWriter& json, const Scene& scene) {
  json.key("solids").begin_array();
  for (const SceneSolid& solid : scene.solids) {
    json.begin_object().member("body", solid.body).member("type", name_of(solid.type));
    json.member("role", name_of(solid.role));
    write(json, "size", solid.size);
    write(json, "pose", solid.X_BS);
    if (solid.mesh >= 0) json.member("mesh", solid.mesh);
    json.end_object();
  }
  json.end_array();
  json.key("meshes").begin_array();
  for (const TriangleMesh& mesh : scene.meshes) {
    json.begin_object();
    json.member("points", to_base64(bytes_of(std::span<const std::array<float, 3>>(mesh.points))));
    json.member("triangles",
                to_base64(bytes_of(std::span<const std::array<std::uint32_t, 3>>(mesh.triangles))));
    json.end_object();
  }
  json.end_array();
}

void write_joints(JsonWriter& json, const Scene& scene) {
  json.key("joints").begin_array();
  for (const SceneJoint& joint : scene.joints) {
    json.begin_object().member("name", joint.name).member("type", joint.type);
    json.member("closes_loop", joint.closes_loop).member("parent", joint.parent).member("child", joint.child);
    write(json, "parent_frame", joint.X_PF);
    write(json, "child_frame", joint.X_CM);
    write(json, "axis", joint.axis);
    json.end_object();
  }
  json.end_array();
}

void write_links_and_points(JsonWriter& json, const Scene& scene) {
  json.key("links").begin_array();
  for (const SceneLink& link : scene.links) {
    json.begin_object().member("name", link.name).member("spring", link.is_spring);
    json.member("from_body", link.from_body).member("to_body", link.to_body);
    write(json, "from", link.from);
    write(json, "to", link.to);
    json.end_object();
  }
  json.end_array().key("points").begin_array();
  for (const ScenePoint& point : scene.points) {
    json.begin_object().member("name", point.name).member("body", point.body);
    write(json, "pose", point.X_BP);
    json.end_object();
  }
  json.end_array();
}

void write_items(JsonWriter& json, const Scene& scene) {
  json.key("items").begin_array();
  for (const SceneItem& item : scene.items) {
    json.begin_object().member("list", item.list).member("name", item.name).member("type", item.type);
    json.key("between").begin_array();
    for (const std::string& one : item.between) json.value(one);
    json.end_array().end_object();
  }
  json.end_array();
}

void write_particles(JsonWriter& json, const SceneParticles& particles) {
  json.key("particles").begin_object().key("species").begin_array();
  for (const std::string& name : particles.species) json.value(name);
  json.end_array().key("radii").numbers(particles.radii);
  json.member("species_of", to_base64(particles.species_of));
  json.key("lower").numbers(particles.lower).key("length").numbers(particles.length).end_object();
}

}  // namespace

std::string to_json(const Scene& scene) {
  JsonWriter json;
  json.begin_object().member("name", scene.name);
  write(json, "up", scene.up);
  json.member("extent", scene.extent).member("mark", scene.mark);
  write_bodies(json, scene);
  write_solids(json, scene);
  write_joints(json, scene);
  write_links_and_points(json, scene);
  write_items(json, scene);
  if (!scene.particles.species_of.empty()) write_particles(json, scene.particles);
  json.key("notes").begin_array();
  for (const std::string& note : scene.notes) json.value(note);
  return json.end_array().end_object().take();
}

std::string make_header(const Scene& scene, const Motion& motion, const Provenance& provenance) {
  JsonWriter json;
  json.begin_object().member("format", "sestina scene").member("version", kSceneVersion);
  json.key("scene").raw(to_json(scene));
  json.member("x", motion.x).member("rows", motion.rows).member("frames", motion.frames());
  json.member("stride", motion.stride).member("frames_per_mode", motion.frames_per_mode);
  if (!motion.force_starts.empty()) json.member("forces", motion.forces.size());
  json.key("columns").begin_array();
  for (const Column& column : motion.columns) {
    json.begin_object().member("name", column.name).member("unit", column.unit).end_object();
  }
  json.end_array().key("provenance").begin_array();
  for (const auto& [key, value] : provenance) json.begin_array().value(key).value(value).end_array();
  return json.end_array().end_object().take();
}

std::vector<std::uint8_t> make_block(const Motion& motion) {
  const std::size_t pose_bytes = motion.poses.size() * sizeof(float);
  const std::size_t start = (pose_bytes + 7) / 8 * 8;
  const std::size_t end = start + motion.values.size() * sizeof(double);
  const auto starts = bytes_of(std::span<const std::uint32_t>(motion.force_starts));
  const auto forces = bytes_of(std::span<const MotionForce>(motion.forces));
  std::vector<std::uint8_t> block(end + starts.size() + forces.size());
  if (pose_bytes > 0) std::memcpy(block.data(), motion.poses.data(), pose_bytes);
  if (!motion.values.empty()) {
    std::memcpy(block.data() + start, motion.values.data(), motion.values.size() * sizeof(double));
  }
  std::ranges::copy(starts, block.begin() + static_cast<std::ptrdiff_t>(end));
  std::ranges::copy(forces, block.begin() + static_cast<std::ptrdiff_t>(end + starts.size()));
  return block;
}

}  // namespace sestina
