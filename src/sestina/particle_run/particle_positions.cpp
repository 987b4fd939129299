// The positions of the particles of a model: lattices, random walks, lists, data files.
#include <fmt/format.h>

#include <cmath>

#include "sestina/io/checksum.h"
#include "sestina/io/text_file.h"
#include "sestina/particle_run/lammps_data.h"
#include "sestina/particle_run/particle_reader.h"
#include "sestina/particle_run/random_walks.h"

namespace sestina {
namespace {

constexpr int kMostParticles = 100'000'000;
constexpr std::size_t kMostDataBytes = std::size_t{8} << 30;

struct Lattice {
  const char* name;
  std::vector<Vector3d> basis;  // in units of the cell
};

// Returns two fcc lattices, their sites in turn; the second is displaced by the same amount along all axes.
std::vector<Vector3d> interleaved_fcc(double by) {
  std::vector<Vector3d> basis;
  for (const Vector3d& site : {Vector3d{0, 0, 0}, {0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}}) {
    basis.push_back(site);
    basis.push_back({site[0] + by, site[1] + by, site[2] + by});
  }
  return basis;
}

const std::vector<Lattice>& lattices() {
  static const std::vector<Lattice> all{{"sc", {{0, 0, 0}}},
                                        {"bcc", {{0, 0, 0}, {0.5, 0.5, 0.5}}},
                                        {"fcc", {{0, 0, 0}, {0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}}},
                                        {"rock_salt", interleaved_fcc(0.5)},
                                        {"zinc_blende", interleaved_fcc(0.25)}};
  return all;
}

}  // namespace

void ParticleReader::read_positions(const MapReader& map) {
  const YamlNode* node = map.find("positions");
  if (node == nullptr) return;
  const NodePath path = map.path_of("positions");
  const MapReader positions(context_, *node, path, keys_of("positions"));
  if (!node->is_map()) return;
  if (node->entries.size() != 1) {
    context_.fault(*node, path, "expected one of lattice, random_walk, list or file");
    return;
  }
  const YamlEntry& entry = node->entries.front();
  const NodePath place = path / entry.key;
  if (entry.key == "lattice") read_lattice(*entry.value, place);
  if (entry.key == "random_walk") read_random_walk(*entry.value, place);
  if (entry.key == "list") read_list(*entry.value, place);
  if (entry.key == "file") read_data_file(*entry.value, place);
  if (!has_box_ && model_.size() > 0 && entry.key != "file") {
    const char* const otherwise = entry.key == "random_walk" ? ", or the density of the walks" : "";
    context_.fault(*node, path, fmt::format("there is no box: give particles.box.lengths{}", otherwise));
  }
}

std::vector<int> ParticleReader::read_species_list(const MapReader& map) {
  const YamlNode* node = map.find("species");
  if (node == nullptr) return {};
  const NodePath path = map.path_of("species");
  if (!node->is_list()) return {find_species(*node, path)};
  std::vector<int> species;
  for (std::size_t i = 0; i < node->items.size(); ++i) {
    species.push_back(find_species(*node->items[i], path / static_cast<int>(i)));
  }
  if (species.empty()) {
    context_.fault(*node, path, "names no species");
    return {0};
  }
  return species;
}

// The lattice determines the box, unless one is given.
void ParticleReader::read_lattice(const YamlNode& node, const NodePath& path) {
  const MapReader map(context_, node, path, keys_of("lattice"));
  const std::string type = read_word(map, "type", {"sc", "bcc", "fcc", "rock_salt", "zinc_blende"}, "fcc");
  Vector3d cells{1, 1, 1};
  numbers_.read(map, "cells", cells);
  double density = 1.0;
  Vector3d offset{};
  numbers_.read(map, "density", density);
  numbers_.read(map, "offset", offset);
  want_positive(map, "density", density);
  // The species are assigned to the sites of a cell in turn.
  std::vector<int> species = read_species_list(map);
  if (species.empty()) species.push_back(0);
  double count = 1.0;
  for (const double n : cells) {
    if (!(n >= 1.0) || n != std::floor(n)) {
      context_.fault(map.mark_of("cells"), map.path_of("cells"),
                     fmt::format("{} is not a whole number from 1", n));
      return;
    }
    count *= n;
  }
  const Lattice* lattice = &lattices().front();
  for (const Lattice& known : lattices()) {
    if (known.name == type) lattice = &known;
  }
  count *= static_cast<double>(lattice->basis.size());
  if (count > kMostParticles || !(density > 0.0)) {
    if (count > kMostParticles) {
      context_.fault(node, path, fmt::format("{} particles are more than {}", count, kMostParticles));
    }
    return;
  }
  const double a = std::cbrt(static_cast<double>(lattice->basis.size()) / density);
  if (!has_box_) {
    for (int k = 0; k < 3; ++k) model_.box.length[k] = cells[k] * a;
  }
  has_box_ = true;
  for (int ix = 0; ix < cells[0]; ++ix) {
    for (int iy = 0; iy < cells[1]; ++iy) {
      for (int iz = 0; iz < cells[2]; ++iz) {
        for (std::size_t site = 0; site < lattice->basis.size(); ++site) {
          const Vector3d& b = lattice->basis[site];
          const Vector3d cell{ix + b[0], iy + b[1], iz + b[2]};
          for (int k = 0; k < 3; ++k)
            model_.position.push_back(model_.box.lower[k] + offset[k] + a * cell[k]);
          model_.species_of.push_back(species[site % species.size()]);
        }
      }
    }
  }
}

void ParticleReader::read_random_walk(const YamlNode& node, const NodePath& path) {
  const MapReader map(context_, node, path, keys_of("random_walk"));
  WalkSpec walk;
  int seed = 1;
  double density = 0.0;
  numbers_.read(map, "chains", walk.molecules);
  numbers_.read(map, "beads", walk.beads);
  numbers_.read(map, "arms", walk.arms);
  numbers_.read(map, "seed", seed);
  numbers_.read(map, "bond_length", walk.bond_length);
  numbers_.read(map, "density", density);
  want_positive(map, "bond_length", walk.bond_length);
  if (map.find("density") != nullptr) want_positive(map, "density", density);
  if (map.find("bond_angle") != nullptr) numbers_.read(map, "bond_angle", walk.bond_angle.emplace(M_PI));
  walk.seed = static_cast<std::uint32_t>(seed);
  const std::string shape = read_word(map, "shape", {"chain", "ring", "star"}, "chain");
  if (shape == "ring") walk.shape = WalkShape::kRing;
  if (shape == "star") walk.shape = WalkShape::kStar;
  if (const YamlNode* name = map.find("species")) walk.species = find_species(*name, map.path_of("species"));
  if (map.find("arms") != nullptr && walk.shape != WalkShape::kStar) {
    context_.fault(map.mark_of("arms"), map.path_of("arms"), "only stars have arms: give shape: star");
  }
  if (walk.bond_angle && !(*walk.bond_angle > 0.3 && *walk.bond_angle <= M_PI)) {
    context_.fault(map.mark_of("bond_angle"), map.path_of("bond_angle"),
                   fmt::format("{} is not from 0.3 to pi, which is straight", *walk.bond_angle));
    return;
  }
  if (walk.bond_angle && walk.shape == WalkShape::kRing) {
    context_.fault(map.mark_of("bond_angle"), map.path_of("bond_angle"),
                   "rings have no fixed angle between bonds");
  }
  if (!check_walk(walk, node, path)) return;
  if (!has_box_ && density > 0.0) {
    has_box_ = true;
    model_.box.length.fill(std::cbrt(walk.molecules * walk.beads_of_molecule() / density));
  }
  const int dihedral = bond_types_ + angle_types_;
  add_random_walks(walk, {0, angle_types_ > 0 ? bond_types_ : -1, dihedral_types_ > 0 ? dihedral : -1},
                   model_);
}

bool ParticleReader::check_walk(const WalkSpec& walk, const YamlNode& node, const NodePath& path) {
  const double each = walk.beads_of_molecule();
  if (walk.shape == WalkShape::kStar && walk.arms < 1) {
    context_.fault(node, path, fmt::format("a star with {} arms is not possible", walk.arms));
    return false;
  }
  if (walk.molecules < 1 || walk.beads < 1 || walk.molecules * each > kMostParticles) {
    context_.fault(node, path,
                   fmt::format("{} chains of {} beads are not from 1 to {} particles", walk.molecules,
                               walk.beads, kMostParticles));
    return false;
  }
  if (walk.shape == WalkShape::kRing && walk.beads < 3) {
    context_.fault(node, path, fmt::format("a ring has at least 3 beads, not {}", walk.beads));
    return false;
  }
  if (each > 1.0 && bond_types_ == 0) {
    context_.fault(node, path, "chains need a bond: give particles.bonds");
    return false;
  }
  return true;
}

// Reads a list of [species, x, y, z].
void ParticleReader::read_list(const YamlNode& node, const NodePath& path) {
  for_each_item(context_, node, path, [&](const YamlNode& item, const NodePath& place) {
    if (!item.is_list() || item.items.size() != 4) {
      context_.fault(item, place, "expected a list of a species and 3 numbers, found " + describe(item));
      return;
    }
    model_.species_of.push_back(find_species(*item.items[0], place / 0));
    for (int k = 1; k <= 3; ++k) {
      Number number;
      double value = 0.0;
      const NodePath at = place / k;
      if (read_number(context_, *item.items[k], at, number))
        value = numbers_.evaluate(number, at).value_or(0.0);
      model_.position.push_back(value);
    }
  });
}

void ParticleReader::read_data_file(const YamlNode& node, const NodePath& path) {
  std::string name;
  read_value(context_, node, path, name);
  if (name.empty()) return;
  spec_.data_file = context_.directory / name;
  LammpsData data;
  try {
    const std::string text = read_text_file(spec_.data_file, kMostDataBytes);
    Checksum sum;
    sum.add(text);
    spec_.data_checksum = sum.value();
    data = parse_lammps_data(text, spec_.data_file.string());
  } catch (const InputError& error) {
    context_.add(error.faults());
    return;
  }
  if (data.atom_types != static_cast<int>(model_.species.size())) {
    context_.fault(node, path,
                   fmt::format("the file has {} atom types, the model {} species: they belong together "
                               "in their order",
                               data.atom_types, model_.species.size()));
    return;
  }
  for (std::size_t i = 0; i < data.masses.size(); ++i) {
    const double mass = model_.species[i].mass;
    if (std::abs(mass - data.masses[i]) <= 1e-9 * mass) continue;
    context_.fault(
        node, path,
        fmt::format("the file's mass of type {} is {}, particles.species[{}].mass of {} is {}: both "
                    "have to be the same",
                    i + 1, data.masses[i], i, printable(model_.species[i].name), mass));
  }
  if (!has_box_) {
    model_.box.lower = data.box.lower;
    model_.box.length = data.box.length;
  }
  has_box_ = true;
  model_.position = data.position;
  model_.velocity = data.velocity;
  model_.charge = data.charge;
  model_.molecule = data.molecule;
  model_.species_of = data.type;
  add_data_terms(node, path, data);
}

void ParticleReader::add_data_terms(const YamlNode& node, const NodePath& path, const LammpsData& data) {
  const auto add = [&](const std::vector<LammpsData::Group>& groups, const char* key, int first, int types) {
    for (const LammpsData::Group& group : groups) {
      if (group.type >= types) {
        context_.fault(node, path,
                       fmt::format("the file has {} of type {}, and particles.{} has {} types", key,
                                   group.type + 1, key, types));
        return;
      }
      model_.terms.push_back({first + group.type, group.atoms});
    }
  };
  add(data.bonds, "bonds", 0, bond_types_);
  add(data.angles, "angles", bond_types_, angle_types_);
  add(data.dihedrals, "dihedrals", bond_types_ + angle_types_, dihedral_types_);
}

}  // namespace sestina
