#include "sestina/particle_run/particle_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sestina/base/suggest.h"
#include "sestina/particles/particle_system.h"

namespace sestina {

void ParticleReader::read(const YamlNode& node, const NodePath& path) {
  if (!node.is_map()) {
    context_.fault(node, path, "expected a map with the keys of particles, found " + describe(node));
    return;
  }
  const MapReader map(context_, node, path, keys_of("particles"));
  read_species(map);
  read_box(map);
  read_term_types(map);
  read_positions(map);
  read_bodies(map);
  read_charges(map);
  read_pairs(map);
  read_walls(map);
  read_fields(map);
  read_thermostat(map);
  read_barostat(map);
  model_.skin = model_.has_grains() ? calc_grain_skin(model_) : calc_skin(model_);
  numbers_.read(map, "skin", model_.skin);
  numbers_.read(map, "boltzmann", model_.boltzmann);
  numbers_.read(map, "fixman_temperature", model_.fixman_temperature);
  const std::string excluded = read_word(map, "exclude", {"none", "bonds", "angles"}, "bonds");
  model_.exclude_up_to = excluded == "none" ? 0 : excluded == "bonds" ? 1 : 2;
  read_relax(map);
  read_velocities(map);
  read_spins(map);
  read_trajectory(map);
}

std::string ParticleReader::read_word(const MapReader& map, const char* key,
                                      const std::vector<std::string>& allowed, const std::string& otherwise) {
  if (map.find(key) == nullptr) return otherwise;
  Name word;
  map.read(key, word);
  check_word(context_, word, map.path_of(key), key, allowed);
  return word.empty() ? otherwise : word.text;
}

void ParticleReader::check_type(const MapReader& map, std::string_view what, std::string_view part) {
  if (map.find("type") == nullptr) {
    context_.fault(map.mark_of("type"), map.path_of("type"),
                   fmt::format("is missing; allowed: {}", join_words(types_of(part))));
    return;
  }
  Name name;
  map.read("type", name);
  check_word(context_, name, map.path_of("type"), what, types_of(part));
}

void ParticleReader::want_positive(const MapReader& map, const char* key, double value) {
  if (value > 0.0) return;
  context_.fault(map.mark_of(key), map.path_of(key), fmt::format("{} is not positive", value));
}

int ParticleReader::find_species(const YamlNode& node, const NodePath& path) {
  Name name;
  read_value(context_, node, path, name);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < model_.species.size(); ++i) {
    if (model_.species[i].name == name.text) return static_cast<int>(i);
    names.push_back(model_.species[i].name);
  }
  if (!name.empty()) {
    context_.fault(name.mark, path,
                   fmt::format("unknown species '{}'{}", printable(name.text), suggestion(name.text, names)));
  }
  return 0;
}

void ParticleReader::read_species(const MapReader& map) {
  const YamlNode* node = map.find("species");
  if (node == nullptr) return;
  for_each_item(context_, *node, map.path_of("species"), [&](const YamlNode& item, const NodePath& path) {
    const MapReader entry(context_, item, path, keys_of("species"));
    Species& species = model_.species.emplace_back();
    Name name;
    entry.read("name", name);
    species.name = name.text;
    numbers_.read(entry, "mass", species.mass);
    want_positive(entry, "mass", species.mass);
    for (const auto& [key, value] :
         {std::pair("radius", &species.radius), std::pair("inertia", &species.inertia)}) {
      if (entry.find(key) == nullptr) continue;
      numbers_.read(entry, key, *value);
      want_positive(entry, key, *value);
    }
    std::optional<double>& charge = charge_of_species_.emplace_back();
    if (entry.find("charge") != nullptr) numbers_.read(entry, "charge", charge.emplace(0.0));
    for (std::size_t i = 0; i + 1 < model_.species.size(); ++i) {
      if (model_.species[i].name != species.name) continue;
      context_.fault(item, path, fmt::format("the species '{}' stands there twice", printable(species.name)));
    }
  });
}

void ParticleReader::read_box(const MapReader& map) {
  const YamlNode* node = map.find("box");
  if (node == nullptr) return;
  const NodePath path = map.path_of("box");
  const MapReader box(context_, *node, path, keys_of("box"));
  if (box.find("lengths") != nullptr) {
    has_box_ = true;
    model_.box.length.fill(HUGE_VAL);  // unless they can be read
    numbers_.read(box, "lengths", model_.box.length);
    for (int a = 0; a < 3; ++a) {
      if (model_.box.length[a] > 0.0) continue;
      context_.fault(box.mark_of("lengths"), box.path_of("lengths"),
                     fmt::format("{} is not positive", model_.box.length[a]));
    }
  }
  numbers_.read(box, "lower", model_.box.lower);
  const YamlNode* periodic = box.find("periodic");
  if (periodic == nullptr) return;
  if (!periodic->is_list() || periodic->items.size() != 3) {
    context_.fault(*periodic, box.path_of("periodic"),
                   "expected a list of 3 booleans, found " + describe(*periodic));
    return;
  }
  const NodePath list = box.path_of("periodic");
  for (int a = 0; a < 3; ++a) read_value(context_, *periodic->items[a], list / a, model_.box.periodic[a]);
}

void ParticleReader::read_term_types(const MapReader& map) {
  for (const char* key : {"bonds", "angles", "dihedrals"}) {
    const YamlNode* node = map.find(key);
    if (node == nullptr) continue;
    const std::string part = std::string(key, std::string_view(key).size() - 1);
    for_each_item(context_, *node, map.path_of(key), [&](const YamlNode& item, const NodePath& path) {
      read_term_type(item, path, part.c_str());
    });
    const int all = static_cast<int>(model_.term_types.size());
    if (part == "bond") bond_types_ = all;
    if (part == "angle") angle_types_ = all - bond_types_;
    if (part == "dihedral") dihedral_types_ = all - bond_types_ - angle_types_;
  }
}

void ParticleReader::read_term_type(const YamlNode& node, const NodePath& path, const char* part) {
  const std::string word = type_of(node);
  const std::string type_part =
      part == std::string_view("bond") ? "particle_bond" : std::string("particle_") + part;
  const MapReader map(context_, node, path, keys_of(type_part, word));
  TermType& type = model_.term_types.emplace_back();
  check_type(map, part, type_part);
  numbers_.read(map, "stiffness", type.stiffness);
  if (type_part == "particle_bond") {
    type.law = word == "fene"        ? TermLaw::kFene
               : word == "rigid"     ? TermLaw::kRigidBond
               : word == "spherical" ? TermLaw::kSphericalBond
               : word == "torsion"   ? TermLaw::kTorsionBond
                                     : TermLaw::kHarmonicBond;
    numbers_.read(map, "inertia", type.inertia);
    const char* const length = word == "fene" ? "max_length" : "length";
    numbers_.read(map, length, type.rest);
    if (type.law != TermLaw::kHarmonicBond) want_positive(map, length, type.rest);
    numbers_.read(map, "epsilon", type.epsilon);
    numbers_.read(map, "sigma", type.sigma);
  } else if (type_part == "particle_angle") {
    type.law = word == "cosine" ? TermLaw::kCosineAngle : TermLaw::kHarmonicAngle;
    numbers_.read(map, "angle", type.rest);
  } else {
    type.law = TermLaw::kPeriodicDihedral;
    numbers_.read(map, "multiplicity", type.multiplicity);
    numbers_.read(map, "phase", type.rest);
  }
}

void ParticleReader::read_charges(const MapReader& map) {
  const YamlNode* node = map.find("charges");
  if (node == nullptr) {
    set_charges_of_species();
    return;
  }
  numbers_.read_numbers(*node, map.path_of("charges"), static_cast<std::size_t>(model_.size()),
                        model_.charge);
}

// Particles of species without a charge keep that of the data file, or have none.
void ParticleReader::set_charges_of_species() {
  const auto is_given = [](const std::optional<double>& charge) { return charge.has_value(); };
  if (std::ranges::none_of(charge_of_species_, is_given)) return;
  model_.charge.resize(static_cast<std::size_t>(model_.size()), 0.0);
  for (std::size_t i = 0; i < model_.charge.size(); ++i) {
    const auto species = static_cast<std::size_t>(model_.species_of[i]);
    if (species < charge_of_species_.size() && charge_of_species_[species])
      model_.charge[i] = *charge_of_species_[species];
  }
}

void ParticleReader::read_pairs(const MapReader& map) {
  const YamlNode* node = map.find("pairs");
  if (node == nullptr) return;
  for_each_item(context_, *node, map.path_of("pairs"),
                [&](const YamlNode& item, const NodePath& path) { read_pair(item, path); });
}

void ParticleReader::read_pair(const YamlNode& node, const NodePath& path) {
  const std::string word = type_of(node);
  const MapReader map(context_, node, path, keys_of("pair", word));
  check_type(map, "pair", "pair");
  if (word == "coulomb" || word == "gravity") {
    if (model_.central) context_.fault(node, path, "there can be one force between all pairs, not two");
    CentralForce& central = model_.central.emplace();
    central.is_gravity = word == "gravity";
    numbers_.read(map, "strength", central.strength);
    numbers_.read(map, "tolerance", central.tolerance);
    read_every(map, central.every);
    const double tolerance = central.tolerance;
    if (const YamlNode* given = map.find("tolerance"); given && !(tolerance >= 1e-12 && tolerance <= 0.1)) {
      context_.fault(*given, map.path_of("tolerance"),
                     fmt::format("{} is out of range: expected a number from 1e-12 to 0.1", tolerance));
    }
    return;
  }
  if (word == "hooke" || word == "hertz") return read_grain_contact(map, word);
  int every = 1;
  read_every(map, every);
  if (!model_.pairs.empty() && every != model_.pairs_every) {
    context_.fault(
        node, path,
        fmt::format("acts every {} steps, and the pairs before every {}: all with a cutoff have to "
                    "act together",
                    every, model_.pairs_every));
  }
  model_.pairs_every = every;
  LennardJones& pair = model_.pairs.emplace_back();
  read_species_pair(map, pair.first, pair.second);
  if (const YamlNode* species = map.find("species"); species != nullptr && species->is_list())
    check_species_of_pair(*species, map.path_of("species"));
  numbers_.read(map, "epsilon", pair.epsilon);
  numbers_.read(map, "sigma", pair.sigma);
  want_positive(map, "sigma", pair.sigma);
  pair.cutoff = word == "wca" ? std::pow(2.0, 1.0 / 6.0) * pair.sigma : 2.5 * pair.sigma;
  pair.is_shifted = word == "wca";
  numbers_.read(map, "cutoff", pair.cutoff);
  want_positive(map, "cutoff", pair.cutoff);
  map.read("shift", pair.is_shifted);
}

void ParticleReader::read_species_pair(const MapReader& map, int& first, int& second) {
  const YamlNode* species = map.find("species");
  if (species == nullptr) return;
  const NodePath list = map.path_of("species");
  if (!species->is_list() || species->items.size() != 2) {
    context_.fault(*species, list, "expected a list of 2 species, found " + describe(*species));
    return;
  }
  first = find_species(*species->items[0], list / 0);
  second = find_species(*species->items[1], list / 1);
}

// Checks that two species have at most one force with a cutoff.
void ParticleReader::check_species_of_pair(const YamlNode& node, const NodePath& path) {
  if (node.items.size() != 2) return;
  const LennardJones& pair = model_.pairs.back();
  const auto is_known = [&](const YamlNode& name) {  // otherwise the fault is reported, and the species is 0
    return std::ranges::any_of(model_.species, [&](const auto& one) { return one.name == name.text; });
  };
  if (!is_known(*node.items[0]) || !is_known(*node.items[1])) return;
  for (std::size_t j = 0; j + 1 < model_.pairs.size(); ++j) {
    if (!pair.has_species_of(model_.pairs[j])) continue;
    context_.fault(node, path,
                   fmt::format("{} and {} have a force already: particles.pairs[{}]",
                               model_.species[static_cast<std::size_t>(pair.first)].name,
                               model_.species[static_cast<std::size_t>(pair.second)].name, j));
    return;
  }
}

void ParticleReader::read_every(const MapReader& map, int& every) {
  numbers_.read(map, "every", every);
  if (every >= 1) return;
  context_.fault(map.mark_of("every"), map.path_of("every"),
                 fmt::format("{} is not a number of steps", every));
  every = 1;
}

void ParticleReader::read_thermostat(const MapReader& map) {
  const YamlNode* node = map.find("thermostat");
  if (node == nullptr) return;
  const NodePath path = map.path_of("thermostat");
  const std::string word = type_of(*node);
  const MapReader thermostat(context_, *node, path, keys_of("thermostat", word));
  check_type(thermostat, "thermostat", "thermostat");
  numbers_.read(thermostat, "until", model_.thermostat_until);
  if (word == "nose_hoover") {
    NoseHoover& made = model_.nose_hoover.emplace();
    numbers_.read(thermostat, "temperature", made.temperature);
    numbers_.read(thermostat, "period", made.period);
  } else {
    Langevin& made = model_.langevin.emplace();
    int seed = 1;
    numbers_.read(thermostat, "temperature", made.temperature);
    numbers_.read(thermostat, "friction", made.friction);
    numbers_.read(thermostat, "seed", seed);
    made.seed = static_cast<std::uint32_t>(seed);
  }
}

void ParticleReader::read_barostat(const MapReader& map) {
  const YamlNode* node = map.find("barostat");
  if (node == nullptr) return;
  const MapReader barostat(context_, *node, map.path_of("barostat"), keys_of("barostat"));
  Barostat& made = model_.barostat.emplace();
  int seed = 1;
  numbers_.read(barostat, "pressure", made.pressure);
  numbers_.read(barostat, "period", made.period);
  numbers_.read(barostat, "compressibility", made.compressibility);
  numbers_.read(barostat, "every", made.every);
  numbers_.read(barostat, "seed", seed);
  made.seed = static_cast<std::uint32_t>(seed);
}

void ParticleReader::read_velocities(const MapReader& map) {
  const YamlNode* node = map.find("velocities");
  if (node == nullptr) return;
  const NodePath path = map.path_of("velocities");
  if (node->is_list()) {
    model_.velocity.clear();
    read_vectors(*node, path, model_.velocity);
    return;
  }
  const MapReader velocities(context_, *node, path, keys_of("velocities"));
  double temperature = 0.0;
  int seed = 1;
  numbers_.read(velocities, "temperature", temperature);
  numbers_.read(velocities, "seed", seed);
  if (temperature < 0.0) {
    context_.fault(velocities.mark_of("temperature"), velocities.path_of("temperature"),
                   fmt::format("{} is negative", temperature));
  } else {
    spec_.drawn = DrawnVelocities{temperature, static_cast<std::uint32_t>(seed)};
  }
}

void ParticleReader::read_vectors(const YamlNode& node, const NodePath& path, std::vector<double>& values) {
  for_each_item(context_, node, path, [&](const YamlNode& item, const NodePath& place) {
    std::vector<double> v;
    if (!numbers_.read_numbers(item, place, 3, v)) v.assign(3, 0.0);
    values.insert(values.end(), v.begin(), v.end());
  });
}

void ParticleReader::read_relax(const MapReader& map) {
  const YamlNode* node = map.find("relax");
  if (node == nullptr) return;
  const NodePath path = map.path_of("relax");
  const MapReader relax(context_, *node, path, keys_of("relax"));
  spec_.relax_move = 0.1;
  numbers_.read(relax, "steps", spec_.relax_steps);
  numbers_.read(relax, "move", spec_.relax_move);
  if (spec_.relax_steps < 0) {
    context_.fault(relax.mark_of("steps"), relax.path_of("steps"),
                   fmt::format("{} is negative", spec_.relax_steps));
  }
  want_positive(relax, "move", spec_.relax_move);
}

void ParticleReader::read_trajectory(const MapReader& map) {
  const YamlNode* node = map.find("trajectory");
  if (node == nullptr) return;
  const NodePath path = map.path_of("trajectory");
  const MapReader trajectory(context_, *node, path, keys_of("trajectory"));
  TrajectorySpec& made = spec_.trajectory.emplace();
  std::string file;
  trajectory.read("file", file);
  made.file = file;
  numbers_.read(trajectory, "every", made.every);
  const std::string suffix = made.file.extension().string();
  if (suffix != ".h5" && suffix != ".h5md" && suffix != ".lammpstrj" && suffix != ".dump") {
    context_.fault(trajectory.mark_of("file"), trajectory.path_of("file"),
                   fmt::format("'{}' does not end in .lammpstrj, .dump (LAMMPS dump), .h5 or .h5md (H5MD)",
                               printable(file)));
  }
}

}  // namespace sestina
