// Reads the contacts, walls and spins of grains.
#include <fmt/format.h>

#include <algorithm>

#include "sestina/contact/mesh_file.h"
#include "sestina/particle_run/particle_reader.h"

namespace sestina {

void ParticleReader::read_grain_contact(const MapReader& map, const std::string& word) {
  GrainContact& contact = model_.grain_contacts.emplace_back();
  contact.is_hertz = word == "hertz";
  read_species_pair(map, contact.first, contact.second);
  const bool has_material = map.find("young") != nullptr || map.find("poisson") != nullptr;
  if (has_material == (map.find("stiffness") != nullptr)) {
    context_.fault(map.mark_of("stiffness"), map.path_of("stiffness"),
                   contact.is_hertz ? "give either stiffness or young and poisson" : "is missing");
  }
  if (has_material) {
    double young = 0.0, poisson = 0.0;
    numbers_.read(map, "young", young);
    numbers_.read(map, "poisson", poisson);
    want_positive(map, "young", young);
    if (!(poisson > -1.0 && poisson <= 0.5)) {
      context_.fault(
          map.mark_of("poisson"), map.path_of("poisson"),
          fmt::format("{} is out of range: expected a number from -1 (not included) to 0.5", poisson));
    }
    contact.set_material(young, poisson);
  }
  numbers_.read(map, "stiffness", contact.stiffness);
  if (!has_material) contact.tangential_stiffness = 2.0 / 7.0 * contact.stiffness;
  numbers_.read(map, "tangential_stiffness", contact.tangential_stiffness);
  numbers_.read(map, "damping", contact.damping);
  contact.tangential_damping = 0.5 * contact.damping;
  numbers_.read(map, "tangential_damping", contact.tangential_damping);
  numbers_.read(map, "restitution", contact.restitution);
  numbers_.read(map, "damping_ratio", contact.damping_ratio);
  numbers_.read(map, "friction", contact.friction);
  numbers_.read(map, "rolling_friction", contact.rolling_friction);
}

void ParticleReader::read_walls(const MapReader& map) {
  const YamlNode* node = map.find("walls");
  if (node == nullptr) return;
  for_each_item(context_, *node, map.path_of("walls"),
                [&](const YamlNode& item, const NodePath& path) { read_grain_wall(item, path); });
}

void ParticleReader::read_grain_wall(const YamlNode& node, const NodePath& path) {
  const std::string word = type_of(node);
  const MapReader map(context_, node, path, keys_of("particle_wall", word));
  check_type(map, "wall", "particle_wall");
  GrainWall& wall = model_.walls.emplace_back();
  numbers_.read(map, "at", wall.at);
  if (word == "mesh") {
    wall.shape = GrainWall::Shape::kMesh;
    if (map.find("species") != nullptr)
      wall.species = find_species(*map.find("species"), map.path_of("species"));
    return read_wall_mesh(map, wall);
  }
  wall.shape = word == "plane" ? GrainWall::Shape::kPlane : GrainWall::Shape::kCone;
  numbers_.read(map, word == "plane" ? "normal" : "axis", wall.axis);
  if (map.find("species") != nullptr)
    wall.species = find_species(*map.find("species"), map.path_of("species"));
  numbers_.read(map, "radius", wall.begin_radius);
  wall.end_radius = wall.begin_radius;
  if (const YamlNode* radii = map.find("radii")) {
    std::vector<double> two;
    if (numbers_.read_numbers(*radii, map.path_of("radii"), 2, two)) {
      wall.begin_radius = two[0], wall.end_radius = two[1];
    }
  }
  numbers_.read(map, "length", wall.length);
  wall.carrier = read_carrier(map);
}

void ParticleReader::read_wall_mesh(const MapReader& map, GrainWall& wall) {
  std::string file;
  double scale = 1.0;
  const YamlNode* const node = map.find("file");
  if (node == nullptr) return;  // reported already
  read_value(context_, *node, map.path_of("file"), file);
  numbers_.read(map, "scale", scale);
  if (file.empty()) return;
  if (!(scale > 0.0)) {
    return context_.fault(*map.find("scale"), map.path_of("scale"), fmt::format("{} is not positive", scale));
  }
  try {
    const TriangleMesh mesh = read_mesh(find_mesh(file, context_.directory));
    for (const std::array<std::uint32_t, 3>& corners : mesh.triangles) {
      Triangle& triangle = wall.triangles.emplace_back();
      for (std::size_t k = 0; k < 3; ++k) {
        for (std::size_t a = 0; a < 3; ++a) {
          triangle[k][a] = wall.at[a] + scale * static_cast<double>(mesh.points[corners[k]][a]);
        }
      }
    }
  } catch (const InputError& error) {
    context_.fault(*node, map.path_of("file"), error.faults().front().message);
  }
}

void ParticleReader::read_spins(const MapReader& map) {
  if (const YamlNode* node = map.find("spins")) read_vectors(*node, map.path_of("spins"), model_.grain_spin);
}

double calc_skin(const ParticleModel& model) {
  double largest = 0.0;
  for (const LennardJones& pair : model.pairs) largest = std::max(largest, pair.sigma);
  return largest > 0.0 ? 0.3 * largest : model.skin;
}

double calc_grain_skin(const ParticleModel& model) {
  double smallest = HUGE_VAL;
  for (const int s : model.species_of) {
    smallest = std::min(smallest, model.species[static_cast<std::size_t>(s)].radius);
  }
  return 0.2 * smallest;
}

}  // namespace sestina
