#include "sestina/io/model_file_keys.h"

#include <algorithm>
#include <cassert>
#include <map>

#include "sestina/forces/belt_contact.h"
#include "sestina/forces/coordinate_friction.h"
#include "sestina/forces/force_numbers.h"
#include "sestina/forces/gravity_between.h"
#include "sestina/forces/hydraulic_actuator.h"
#include "sestina/forces/joint_forces.h"
#include "sestina/forces/lugre_friction.h"
#include "sestina/forces/rope.h"
#include "sestina/forces/sliding_force.h"
#include "sestina/forces/spring_damper.h"
#include "sestina/joints/joint_info.h"

namespace sestina {
namespace {

using Words = std::vector<std::string>;

KeyTable joint_keys(const std::string& keyword) {
  const JointInfo& info = joint_info(*joint_type_from_keyword(keyword));
  KeyTable table{"joint", keyword, {"name", "type", "parent", "child"}, {"name", "type", "parent", "child"}};
  const auto allow = [&](std::string_view key, bool required = false) {
    table.allowed.emplace_back(key);
    if (required) table.required.emplace_back(key);
  };
  if (info.has_axis) allow("axis", true);
  if (info.has_second_axis) allow("second_axis", true);
  for_each_joint_number([&](const NumberInfo& number, auto of) {
    if (of(info.numbers)) allow(number.name);
  });
  if (info.nq > 0) allow("q");
  if (info.nu > 0) allow("u");
  if (info.nu == 1) {
    allow("armature");
    allow("limits");
  }
  allow("cut");
  if (info.nu > 0) allow("hold");
  allow("original_name");
  return table;
}

KeyTable shape_keys(const std::string& keyword, const Words& own, const Words& required) {
  KeyTable table{"shape", keyword, {"type"}, {"type"}};
  table.allowed.insert(table.allowed.end(), own.begin(), own.end());
  table.allowed.insert(table.allowed.end(), {"name", "position", "axes"});
  table.required.insert(table.required.end(), required.begin(), required.end());
  return table;
}

KeyTable force_keys(const std::string& keyword, const Words& required, const Words& optional,
                    const ForceNumbers<bool>& numbers = {}) {
  KeyTable table{"force", keyword, {"name", "type"}, {"name", "type"}};
  table.allowed.insert(table.allowed.end(), required.begin(), required.end());
  table.allowed.insert(table.allowed.end(), optional.begin(), optional.end());
  table.required.insert(table.required.end(), required.begin(), required.end());
  for_each_force_number([&](const NumberInfo& number, auto of) {
    if (of(numbers)) table.allowed.emplace_back(number.name);
  });
  return table;
}

// For the types of a part of `particles`: `type`, then the required and the optional keys.
KeyTable particle_keys(const std::string& part, const std::string& keyword, const Words& required,
                       const Words& optional = {}) {
  KeyTable table{part, keyword, {"type"}, {"type"}};
  table.allowed.insert(table.allowed.end(), required.begin(), required.end());
  table.allowed.insert(table.allowed.end(), optional.begin(), optional.end());
  table.required.insert(table.required.end(), required.begin(), required.end());
  return table;
}

void add_particle_forces(std::vector<KeyTable>& tables) {
  const std::vector<KeyTable> added{
      particle_keys("pair", "lj", {"species", "epsilon", "sigma"}, {"cutoff", "shift", "every"}),
      particle_keys("pair", "wca", {"species", "epsilon", "sigma"}, {"every"}),
      particle_keys("pair", "coulomb", {"strength"}, {"tolerance", "every"}),
      particle_keys("pair", "gravity", {"strength"}, {"tolerance", "every"}),
      particle_keys("pair", "hooke", {"species", "stiffness"},
                    {"tangential_stiffness", "damping", "tangential_damping", "restitution", "damping_ratio",
                     "friction", "rolling_friction"}),
      particle_keys("pair", "hertz", {"species"},
                    {"stiffness", "young", "poisson", "tangential_stiffness", "damping", "tangential_damping",
                     "restitution", "damping_ratio", "friction", "rolling_friction"}),
      particle_keys("particle_wall", "plane", {"at", "normal"}, {"species", "body"}),
      particle_keys("particle_wall", "cylinder", {"at", "axis", "radius", "length"}, {"species", "body"}),
      particle_keys("particle_wall", "cone", {"at", "axis", "radii", "length"}, {"species", "body"}),
      particle_keys("particle_wall", "mesh", {"file"}, {"at", "scale", "species"}),
      particle_keys("particle_bond", "harmonic", {"stiffness", "length"}),
      particle_keys("particle_bond", "fene", {"stiffness", "max_length"}, {"epsilon", "sigma"}),
      particle_keys("particle_bond", "rigid", {"length"}),
      particle_keys("particle_bond", "spherical", {"length"}, {"inertia"}),
      particle_keys("particle_bond", "torsion", {"length"}, {"inertia"}),
      particle_keys("particle_angle", "harmonic", {"stiffness", "angle"}),
      particle_keys("particle_angle", "cosine", {"stiffness"}),
      particle_keys("particle_dihedral", "periodic", {"stiffness", "multiplicity"}, {"phase"}),
      particle_keys("particle_field", "gravity", {"acceleration"}, {"species"}),
      particle_keys("particle_field", "electric", {"field"}, {"species"}),
      particle_keys("particle_field", "tether", {"stiffness"}, {"species", "particles", "at", "body"}),
      particle_keys("particle_field", "lj_wall", {"face", "epsilon", "sigma"},
                    {"species", "cutoff", "shift"}),
      particle_keys("particle_field", "harmonic_wall", {"face", "stiffness"}, {"species", "reach"}),
      particle_keys("thermostat", "langevin", {"temperature", "friction"}, {"seed", "until"}),
      particle_keys("thermostat", "nose_hoover", {"temperature", "period"}, {"until"}),
  };
  tables.insert(tables.end(), added.begin(), added.end());
}

void add_particle_tables(std::vector<KeyTable>& tables) {
  const std::vector<KeyTable> added{
      {"particles",
       "",
       {"species", "box",       "positions", "charges",    "velocities", "spins",
        "bonds",   "angles",    "dihedrals", "bodies",     "closures",   "pairs",
        "walls",   "fields",    "exclude",   "thermostat", "barostat",   "fixman_temperature",
        "skin",    "boltzmann", "relax",     "trajectory"},
       {"species", "positions"}},
      {"species", "", {"name", "mass", "charge", "radius", "inertia"}, {"name", "mass"}},
      {"box", "", {"lengths", "lower", "periodic"}, {}},
      {"positions", "", {"lattice", "random_walk", "list", "file"}, {}},
      {"lattice", "", {"type", "cells", "density", "species", "offset"}, {"cells", "density"}},
      {"random_walk",
       "",
       {"chains", "beads", "bond_length", "bond_angle", "density", "seed", "species", "shape", "arms"},
       {"chains", "beads", "bond_length"}},
      {"velocities", "", {"temperature", "seed"}, {"temperature"}},
      {"barostat",
       "",
       {"pressure", "period", "compressibility", "every", "seed"},
       {"pressure", "period", "compressibility"}},
      {"relax", "", {"steps", "move"}, {"steps"}},
      {"trajectory", "", {"file", "every"}, {"file"}},
      {"particle_body",
       "",
       {"particles", "parent", "joint", "at", "along", "across", "inertia"},
       {"particles"}},
      {"particle_closure", "", {"bodies", "joint", "at", "along", "across", "between"}, {"bodies"}},
  };
  tables.insert(tables.end(), added.begin(), added.end());
  add_particle_forces(tables);
}

KeyTable constraint_keys(const std::string& keyword, const Words& required, const Words& optional = {}) {
  KeyTable table = force_keys(keyword, required, optional);
  table.part = "constraint";
  return table;
}

void add_body_tables(std::vector<KeyTable>& tables) {
  const std::vector<KeyTable> added{
      {"body",
       "rigid",
       {"name", "type", "mass", "center_of_mass", "inertia", "inertia_check", "points", "shape", "shapes",
        "original_name"},
       {"name", "mass"}},
      {"body",
       "particle",
       {"name", "type", "mass", "points", "shape", "shapes", "original_name"},
       {"name", "mass"}},
      {"body",
       "beam",
       {"name", "type", "formulation", "centerline", "up", "twist", "elements", "section", "material",
        "pretension", "precurved", "closed", "velocity", "angular_velocity", "points", "original_name"},
       {"name", "type", "centerline", "section"}},
      {"body",
       "reduced",
       {"name", "type", "file", "position", "axes", "damping", "original_name"},
       {"name", "type", "file"}},
      {"beam_point", "", {"at"}, {"at"}},
      {"centerline", "", {"from", "to", "points", "curve", "length"}, {}},
      {"beam_section",
       "",
       {"rectangle", "circle", "tube", "EA", "GAy", "GAz", "GJ", "EIy", "EIz", "EI", "stiffness", "mass",
        "Ixx", "Iyy", "Izz"},
       {}},
      {"beam_material", "", {"E", "nu", "density", "damping", "shear"}, {}},
      {"inertia", "", {"xx", "yy", "zz", "xy", "xz", "yz"}, {}},
  };
  tables.insert(tables.end(), added.begin(), added.end());
}

void add_part_tables(std::vector<KeyTable>& tables) {
  const std::vector<KeyTable> added{
      {"model",
       "",
       {"sestina", "name", "parameters", "gravity", "ground", "bodies", "joints", "forces", "constraints",
        "contacts", "variables", "states", "events", "particles", "analysis", "output"},
       {"sestina"}},
      {"ground", "", {"points", "shapes"}, {}},
      {"point", "", {"position", "axes"}, {}},
      {"rotation", "", {"euler_parameters", "axis", "angle", "rpy", "matrix"}, {}},
      {"limits",
       "",
       {"lower", "upper", "velocity", "effort", "enforced", "restitution", "stiffness", "damping"},
       {}},
      {"contact",
       "",
       {"name", "between", "friction", "restitution", "stiffness", "damping", "law", "exponent",
        "dissipation", "impact_speed", "creep_speed", "bristle_stiffness", "bristle_damping",
        "static_friction", "stribeck_speed", "young", "poisson"},
       {"name", "between"}},
      {"table", "", {"table", "columns", "interpolation"}, {"table", "columns"}},
      {"curve_table", "", {"table", "columns"}, {"table", "columns"}},
      {"state", "", {"name", "rate", "start", "unit"}, {"name", "rate"}},
      {"event", "", {"name", "when", "direction", "terminal", "set", "tolerance"}, {"name", "when"}},
      {"analysis",
       "",
       {"type", "coordinates", "solver", "integrator", "step", "limits", "duration", "load_steps",
        "arc_length", "about", "input", "frequencies"},
       {}},
      {"run_limits", "", {"steps", "wall_time"}, {}},
      {"frequencies", "", {"from", "to", "points"}, {}},
      {"integrator", "", {"name", "stages", "form", "spectral_radius"}, {"name"}},
      {"time_elements", "", {"elements", "pair", "tests", "scheme", "windows", "tolerance", "stretches"}, {}},
      {"step", "", {"driver", "dt", "rtol", "atol", "max_step", "control", "land_on_output"}, {}},
      {"output", "", {"every", "max_rows", "columns"}, {}},
      {"column", "", {"value", "unit", "integrate"}, {"value"}},
  };
  tables.insert(tables.end(), added.begin(), added.end());
}

// Shapes, forces and constraints.
void add_type_tables(std::vector<KeyTable>& tables) {
  const std::vector<KeyTable> added{
      shape_keys("box", {"size"}, {"size"}),
      shape_keys("cylinder", {"radius", "length"}, {"radius", "length"}),
      shape_keys("sphere", {"radius"}, {"radius"}),
      shape_keys("capsule", {"radius", "length"}, {"radius", "length"}),
      shape_keys("ellipsoid", {"size"}, {"size"}),
      shape_keys("plane", {}, {}),
      shape_keys("mesh", {"file", "scale"}, {"file"}),
      shape_keys("height_field", {"file", "scale"}, {"file"}),
      force_keys("joint_spring", {"joint"}, {"stiffness", "reference"}, numbers_of_force<JointSpring>()),
      force_keys("joint_damper", {"joint"}, {"damping"}, numbers_of_force<JointDamper>()),
      force_keys("joint_force", {"joint", "value"}, {}),
      force_keys("spring_damper", {"from", "to"}, {"stiffness", "damping"}, numbers_of_force<SpringDamper>()),
      force_keys("point_force", {"at", "value"}, {"axes"}),
      force_keys("point_torque", {"at", "value"}, {"axes"}),
      force_keys("bushing", {"from", "to"},
                 {"stiffness", "rotational_stiffness", "stiffness_matrix", "damping", "rotational_damping",
                  "damping_matrix"}),
      force_keys("cartesian_spring", {"from", "to"}, {"stiffness", "damping", "reference"}),
      force_keys("torsional_spring_damper", {"from", "to", "axis"}, {"stiffness", "damping", "reference"}),
      force_keys("coordinate_friction", {"joint"}, {}, numbers_of_force<CoordinateFriction>()),
      force_keys("lugre_friction", {"joint"}, {}, numbers_of_force<LugreFriction>()),
      force_keys("rope", {"points"}, {"stiffness", "damping"}, numbers_of_force<Rope>()),
      force_keys("gravity_between", {"from", "to"}, {}, numbers_of_force<GravityBetween>()),
      force_keys("belt_contact", {"cable", "at", "axis", "stiffness"}, {"damping", "segments"},
                 numbers_of_force<BeltContact>()),
      force_keys("line_force", {"beam", "value"}, {"axes"}),
      force_keys("sliding_force", {"constraint"}, {"value", "damping"}, numbers_of_force<SlidingForce>()),
      force_keys("hydraulic_actuator", {"from", "to", "value"}, {"damping"},
                 numbers_of_force<HydraulicActuator>()),
      force_keys(
          "second_order", {"coordinates", "mass_matrix"},
          {"coupled_to", "stiffness_matrix", "damping_matrix", "value", "initial", "initial_rates", "unit"}),
      constraint_keys("distance", {"from", "to", "length"}),
      constraint_keys("coupling", {"coefficients"}, {"value", "level"}),
      constraint_keys("motion", {"joint", "value"}, {"level"}),
      constraint_keys("expression", {"zero"}, {"level"}),
      constraint_keys("point_on_line", {"point", "line", "axis"}),
      constraint_keys("tangent", {"point", "line"}, {"axis"}),
      constraint_keys("point_on_plane", {"point", "plane", "normal"}),
      constraint_keys("point_on_curve", {"point", "curve", "position"}, {"range", "periodic", "start"}),
      constraint_keys("point_on_beam", {"point", "beam"}, {"start"}),
      constraint_keys("rolling", {"body", "axis", "radius", "plane", "normal"}),
  };
  tables.insert(tables.end(), added.begin(), added.end());
}

std::vector<KeyTable> make_key_tables() {
  std::vector<KeyTable> tables;
  add_part_tables(tables);
  add_body_tables(tables);
  add_type_tables(tables);
  for (const std::string& keyword : joint_keywords()) tables.push_back(joint_keys(keyword));
  add_particle_tables(tables);
  return tables;
}

// Returns for each part with types a table without type, which has the keys of all types and requires none.
std::vector<KeyTable> make_unions() {
  std::vector<KeyTable> unions;
  for (const KeyTable& table : key_tables()) {
    if (table.type.empty()) continue;
    auto found = std::find_if(unions.begin(), unions.end(),
                              [&](const KeyTable& candidate) { return candidate.part == table.part; });
    if (found == unions.end()) found = unions.insert(unions.end(), KeyTable{table.part, "", {}, {}});
    for (const std::string& key : table.allowed) {
      if (std::count(found->allowed.begin(), found->allowed.end(), key) == 0) found->allowed.push_back(key);
    }
  }
  return unions;
}

const KeyTable* find_table(const std::vector<KeyTable>& tables, std::string_view part,
                           std::string_view type) {
  const auto found = std::find_if(tables.begin(), tables.end(), [&](const KeyTable& table) {
    return table.part == part && table.type == type;
  });
  return found == tables.end() ? nullptr : &*found;
}

const KeyTable* find_union(std::string_view part) {
  static const std::vector<KeyTable> unions = make_unions();
  return find_table(unions, part, "");
}

}  // namespace

const std::vector<KeyTable>& key_tables() {
  static const std::vector<KeyTable> tables = make_key_tables();
  return tables;
}

const KeyTable& keys_of(std::string_view part, std::string_view type) {
  const KeyTable* table = find_table(key_tables(), part, type);
  if (!table) table = find_union(part);
  assert(table);
  return *table;
}

const std::vector<std::string>& types_of(std::string_view part) {
  static const auto by_part = [] {
    std::map<std::string, Words, std::less<>> types;
    for (const KeyTable& table : key_tables()) types[table.part].push_back(table.type);
    return types;
  }();
  const auto found = by_part.find(part);
  assert(found != by_part.end());
  return found->second;
}

bool fits_another_type(const KeyTable& table, std::string_view key) {
  const KeyTable* all = table.type.empty() ? nullptr : find_union(table.part);
  return all && std::find(all->allowed.begin(), all->allowed.end(), key) != all->allowed.end();
}

}  // namespace sestina
