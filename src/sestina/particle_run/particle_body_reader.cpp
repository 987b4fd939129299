// Reads the rigid bodies of particles.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "sestina/particle_run/particle_reader.h"

namespace sestina {
namespace {

struct JointWord {
  const char* word;
  ParticleJoint joint;
};

constexpr std::array<JointWord, 6> kJoints{{{"spherical", ParticleJoint::kSpherical},
                                            {"revolute", ParticleJoint::kRevolute},
                                            {"prismatic", ParticleJoint::kPrismatic},
                                            {"universal", ParticleJoint::kUniversal},
                                            {"cylindrical", ParticleJoint::kCylindrical},
                                            {"planar", ParticleJoint::kPlanar}}};

}  // namespace

void ParticleReader::read_bodies(const MapReader& map) {
  const YamlNode* node = map.find("bodies");
  if (node == nullptr) return;
  for_each_item(context_, *node, map.path_of("bodies"),
                [&](const YamlNode& item, const NodePath& path) { read_body(item, path); });
}

std::vector<int> ParticleReader::read_particles(const MapReader& map, const char* key, std::size_t count) {
  const YamlNode* node = map.find(key);
  if (node == nullptr) return {};
  const NodePath path = map.path_of(key);
  if (!node->is_list() || node->items.empty() || (count > 0 && node->items.size() != count)) {
    const std::string expected =
        count > 0 ? fmt::format("a list of {} particles", count) : "a list of particles";
    context_.fault(*node, path, fmt::format("expected {}, found {}", expected, describe(*node)));
    return {};
  }
  std::vector<double> values;
  numbers_.read_numbers(*node, path, node->items.size(), values);
  std::vector<int> particles;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(values[i] >= 0.0 && values[i] < model_.size()) || values[i] != std::floor(values[i])) {
      context_.fault(*node->items[i], path / static_cast<int>(i),
                     fmt::format("{} is not the number of a particle; there are {}, counted from 0",
                                 values[i], model_.size()));
      return {};
    }
    particles.push_back(static_cast<int>(values[i]));
  }
  return particles;
}

void ParticleReader::read_body(const YamlNode& node, const NodePath& path) {
  const MapReader map(context_, node, path, keys_of("particle_body"));
  ParticleBody& body = model_.bodies.emplace_back();
  body.particles = read_particles(map, "particles", 0);
  numbers_.read(map, "inertia", body.inertia);
  numbers_.read(map, "parent", body.parent);
  std::vector<std::string> words;
  for (const JointWord& known : kJoints) words.emplace_back(known.word);
  const std::string word = read_word(map, "joint", words, body.parent >= 0 ? "spherical" : "");
  for (const JointWord& known : kJoints) {
    if (known.word == word) body.joint = known.joint;
  }
  if (map.find("parent") == nullptr && map.find("joint") != nullptr) {
    context_.fault(map.mark_of("joint"), map.path_of("joint"),
                   "a joint connects a body to a parent: give parent");
  }
  numbers_.read(map, "at", body.at);
  for (const auto& [key, pair] : {std::pair("along", &body.along), std::pair("across", &body.across)}) {
    const std::vector<int> particles = read_particles(map, key, 2);
    if (particles.size() == 2) *pair = {particles[0], particles[1]};
  }
}

}  // namespace sestina
