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

constexpr std::array<JointWord, 7> kJoints{{{"spherical", ParticleJoint::kSpherical},
                                            {"revolute", ParticleJoint::kRevolute},
                                            {"prismatic", ParticleJoint::kPrismatic},
                                            {"universal", ParticleJoint::kUniversal},
                                            {"cylindrical", ParticleJoint::kCylindrical},
                                            {"planar", ParticleJoint::kPlanar},
                                            {"distance", ParticleJoint::kDistance}}};

// `distance` is the last word; joints of trees do not allow it.
std::vector<std::string> joint_words(bool closes_loops) {
  std::vector<std::string> words;
  for (const JointWord& known : kJoints) words.emplace_back(known.word);
  if (!closes_loops) words.pop_back();
  return words;
}

void set_joint(const std::string& word, ParticleJoint& joint) {
  for (const JointWord& known : kJoints) {
    if (known.word == word) joint = known.joint;
  }
}

}  // namespace

void ParticleReader::read_bodies(const MapReader& map) {
  if (const YamlNode* node = map.find("bodies")) {
    for_each_item(context_, *node, map.path_of("bodies"),
                  [&](const YamlNode& item, const NodePath& path) { read_body(item, path); });
  }
  if (const YamlNode* node = map.find("closures")) {
    for_each_item(context_, *node, map.path_of("closures"),
                  [&](const YamlNode& item, const NodePath& path) { read_closure(item, path); });
  }
}

void ParticleReader::read_closure(const YamlNode& node, const NodePath& path) {
  const MapReader map(context_, node, path, keys_of("particle_closure"));
  ParticleClosure& closure = model_.closures.emplace_back();
  const YamlNode* const bodies = map.find("bodies");
  std::vector<double> numbers;
  if (bodies != nullptr) numbers_.read_numbers(*bodies, map.path_of("bodies"), 2, numbers);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    closure.bodies[i] = static_cast<int>(numbers[i]);
    if (closure.bodies[i] == numbers[i]) continue;
    context_.fault(*bodies->items[i], map.path_of("bodies") / static_cast<int>(i),
                   fmt::format("{} is not the number of a body", numbers[i]));
  }
  set_joint(read_word(map, "joint", joint_words(true), "spherical"), closure.joint);
  numbers_.read(map, "at", closure.at);
  read_pair_of_particles(map, "along", closure.along);
  read_pair_of_particles(map, "across", closure.across);
  read_pair_of_particles(map, "between", closure.between);
}

void ParticleReader::read_pair_of_particles(const MapReader& map, const char* key, std::array<int, 2>& pair) {
  const std::vector<int> particles = read_particles(map, key, 2);
  if (particles.size() == 2) pair = {particles[0], particles[1]};
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
  set_joint(read_word(map, "joint", joint_words(false), body.parent >= 0 ? "spherical" : ""), body.joint);
  if (map.find("parent") == nullptr && map.find("joint") != nullptr) {
    context_.fault(map.mark_of("joint"), map.path_of("joint"),
                   "a joint connects a body to a parent: give parent");
  }
  numbers_.read(map, "at", body.at);
  read_pair_of_particles(map, "along", body.along);
  read_pair_of_particles(map, "across", body.across);
}

}  // namespace sestina
