// Reads the forces of the surroundings on particles.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sestina/base/suggest.h"
#include "sestina/particle_run/particle_reader.h"

namespace sestina {
namespace {

struct FieldWord {
  const char* word;
  FieldLaw law;
};

constexpr std::array<FieldWord, 5> kFields{{{"gravity", FieldLaw::kGravity},
                                            {"electric", FieldLaw::kElectric},
                                            {"tether", FieldLaw::kTether},
                                            {"lj_wall", FieldLaw::kLennardJonesWall},
                                            {"harmonic_wall", FieldLaw::kHarmonicWall}}};

}  // namespace

void ParticleReader::read_fields(const MapReader& map) {
  const YamlNode* node = map.find("fields");
  if (node == nullptr) return;
  for_each_item(context_, *node, map.path_of("fields"),
                [&](const YamlNode& item, const NodePath& path) { read_field(item, path); });
}

void ParticleReader::read_field(const YamlNode& node, const NodePath& path) {
  const std::string word = type_of(node);
  const MapReader map(context_, node, path, keys_of("particle_field", word));
  ParticleField& field = model_.fields.emplace_back();
  check_type(map, "field", "particle_field");
  for (const FieldWord& known : kFields) {
    if (known.word == word) field.law = known.law;
  }
  field.species = read_species_list(map);
  field.particles = read_particles(map, "particles", 0);
  numbers_.read(map, "acceleration", field.vector);
  numbers_.read(map, "field", field.vector);
  numbers_.read(map, "stiffness", field.stiffness);
  if (map.find("at") != nullptr) numbers_.read(map, "at", field.at.emplace());
  field.carrier = read_carrier(map);
  if (field.law == FieldLaw::kLennardJonesWall || field.law == FieldLaw::kHarmonicWall) read_wall(map, field);
}

int ParticleReader::read_carrier(const MapReader& map) {
  if (map.find("body") == nullptr) return -1;
  Name name;
  map.read("body", name);
  std::vector<std::string> names;
  if (spec_.bodies) {
    for (const BodySpec& body : spec_.bodies->bodies) {
      if (body.type == "rigid" || body.type == "particle") names.push_back(body.name.text);
    }
  }
  if (std::ranges::find(names, name.text) == names.end()) {
    context_.fault(
        map.mark_of("body"), map.path_of("body"),
        fmt::format("there is no rigid body '{}' in `bodies`{}", name.text, suggestion(name.text, names)));
    return -1;
  }
  std::vector<std::string>& carriers = model_.carriers;
  const auto found = std::ranges::find(carriers, name.text);
  if (found != carriers.end()) return static_cast<int>(found - carriers.begin());
  carriers.push_back(name.text);
  return static_cast<int>(carriers.size()) - 1;
}

void ParticleReader::read_wall(const MapReader& map, ParticleField& field) {
  const std::string face = read_word(map, "face", {"-x", "+x", "-y", "+y", "-z", "+z"}, "-z");
  if (face.size() == 2) field.is_upper = face[0] == '+', field.axis = face[1] - 'x';
  numbers_.read(map, "epsilon", field.epsilon);
  numbers_.read(map, "sigma", field.sigma);
  field.cutoff = field.law == FieldLaw::kHarmonicWall ? 0.0 : 2.5 * field.sigma;
  numbers_.read(map, "cutoff", field.cutoff);
  numbers_.read(map, "reach", field.cutoff);
  map.read("shift", field.is_shifted);
}

}  // namespace sestina
