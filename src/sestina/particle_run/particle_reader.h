// Reads the section `particles` of a model file.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "sestina/particle_run/particle_file.h"
#include "sestina/particle_run/particle_numbers.h"

namespace sestina {

class ParticleReader {
 public:
  ParticleReader(ReadContext& context, ParticleNumbers& numbers, ParticleRunSpec& spec)
      : context_(context), numbers_(numbers), spec_(spec), model_(spec.model) {}

  void read(const YamlNode& node, const NodePath& path);

 private:
  void read_species(const MapReader& map);
  void read_box(const MapReader& map);
  void read_term_types(const MapReader& map);
  void read_term_type(const YamlNode& node, const NodePath& path, const char* part);
  void read_positions(const MapReader& map);
  // Reads one or several species; empty if the key is missing.
  std::vector<int> read_species_list(const MapReader& map);
  void read_lattice(const YamlNode& node, const NodePath& path);
  void read_random_walk(const YamlNode& node, const NodePath& path);
  bool check_walk(const struct WalkSpec& walk, const YamlNode& node, const NodePath& path);
  void read_list(const YamlNode& node, const NodePath& path);
  void read_data_file(const YamlNode& node, const NodePath& path);
  void add_data_terms(const YamlNode& node, const NodePath& path, const struct LammpsData& data);
  void read_bodies(const MapReader& map);
  void read_body(const YamlNode& node, const NodePath& path);
  void read_closure(const YamlNode& node, const NodePath& path);
  // Reads two numbers of particles, if there is the key.
  void read_pair_of_particles(const MapReader& map, const char* key, std::array<int, 2>& pair);
  // Reads numbers of particles, `count` of them unless it is 0.
  std::vector<int> read_particles(const MapReader& map, const char* key, std::size_t count);
  void read_fields(const MapReader& map);
  void read_field(const YamlNode& node, const NodePath& path);
  void read_wall(const MapReader& map, ParticleField& field);
  void read_charges(const MapReader& map);
  void set_charges_of_species();
  void read_pairs(const MapReader& map);
  void read_pair(const YamlNode& node, const NodePath& path);
  void read_grain_contact(const MapReader& map, const std::string& word);
  void read_walls(const MapReader& map);
  void read_grain_wall(const YamlNode& node, const NodePath& path);
  void read_wall_mesh(const MapReader& map, GrainWall& wall);
  void read_spins(const MapReader& map);
  // Returns the number in model_.carriers of the body that `body` names; -1 without the key.
  int read_carrier(const MapReader& map);
  // Reads a list of vectors.
  void read_vectors(const YamlNode& node, const NodePath& path, std::vector<double>& values);
  // Reads two species, if there is the key.
  void read_species_pair(const MapReader& map, int& first, int& second);
  void check_species_of_pair(const YamlNode& node, const NodePath& path);
  void read_every(const MapReader& map, int& every);
  void read_thermostat(const MapReader& map);
  void read_barostat(const MapReader& map);
  void read_velocities(const MapReader& map);
  void read_relax(const MapReader& map);
  void read_trajectory(const MapReader& map);
  int find_species(const YamlNode& node, const NodePath& path);
  void want_positive(const MapReader& map, const char* key, double value);
  // Checks that `type` is given and is one of those of the part.
  void check_type(const MapReader& map, std::string_view what, std::string_view part);
  // Reads the word of a key, which must be one of those allowed.
  std::string read_word(const MapReader& map, const char* key, const std::vector<std::string>& allowed,
                        const std::string& otherwise);

  ReadContext& context_;
  ParticleNumbers& numbers_;
  ParticleRunSpec& spec_;
  ParticleModel& model_;
  bool has_box_ = false;
  std::vector<std::optional<double>> charge_of_species_;
  int bond_types_ = 0, angle_types_ = 0, dihedral_types_ = 0;  // of model_.term_types, in this order
};

// Returns the skin (m) of models that give none: 0.3 of the largest sigma of pair forces, without which it
// has no effect.
double calc_skin(const ParticleModel& model);
// The same for models of grains: a tenth of the smallest diameter.
double calc_grain_skin(const ParticleModel& model);

}  // namespace sestina
