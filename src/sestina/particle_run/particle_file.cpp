#include "sestina/particle_run/particle_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sestina/base/error.h"
#include "sestina/io/model_file_parts.h"
#include "sestina/particle_run/mechanism.h"
#include "sestina/particle_run/particle_reader.h"
#include "sestina/particles/joint_bonds.h"
#include "sestina/particles/particle_bodies.h"
#include "sestina/particles/particle_system.h"
#include "sestina/particles/rigid_bonds.h"
#include "sestina/workspace/checkpoint.h"

namespace sestina {
namespace {

constexpr double kWhole = 1e-6;  // largest distance of a ratio of times from a whole number

// The parts of a model that describe bodies.
constexpr std::array kPartsOfBodies{"bodies",    "joints", "forces", "constraints", "contacts",
                                    "variables", "states", "events", "ground",      "gravity"};

const KeyTable& model_keys() {
  static const KeyTable table = [] {
    KeyTable made{"model",
                  "",
                  {"sestina", "name", "parameters", "particles", "analysis", "output"},
                  {"sestina", "particles"}};
    made.allowed.insert(made.allowed.end(), kPartsOfBodies.begin(), kPartsOfBodies.end());
    return made;
  }();
  return table;
}

void check_top(ReadContext& context, const YamlNode& root) {
  const NodePath path;
  const YamlEntry* version = root.find("sestina");
  if (version != nullptr && (!version->value->is_scalar() || version->value->text != "1")) {
    throw InputError(
        {Fault{{version->value->mark, "sestina"},
               describe(*version->value) + " is not a version that this program reads; it reads 1"}});
  }
  if (root.find("bodies") != nullptr) return;
  for (const char* key : kPartsOfBodies) {
    const YamlEntry* entry = root.find(key);
    if (entry == nullptr) continue;
    context.fault(entry->mark, path / key,
                  fmt::format("a model of particles without 'bodies' cannot have '{}'", key));
  }
}

// Returns a map with the entries that `keep` accepts; `keep` may change them.
template <class Keep>
YamlPointer filtered(const YamlNode& map, Keep keep) {
  auto made = std::make_shared<YamlNode>(map);
  made->entries.clear();
  for (YamlEntry entry : map.entries) {
    if (keep(entry)) made->entries.push_back(std::move(entry));
  }
  return made;
}

// Reads the file's description of the bodies as a model of its own.
std::shared_ptr<const System> read_bodies(const ModelTree& tree) {
  const auto part = [](YamlEntry& entry, std::initializer_list<std::string_view> keys) {
    if (!entry.value->is_map()) return true;
    entry.value = filtered(*entry.value, [&](const YamlEntry& inner) {
      return std::ranges::find(keys, inner.key) != keys.end();
    });
    return true;
  };
  const YamlPointer root = filtered(*tree.root, [&](YamlEntry& entry) {
    if (entry.key == "analysis") return part(entry, {"solver", "integrator", "coordinates"});
    if (entry.key == "output") return part(entry, {"columns"});
    return entry.key != "particles";
  });
  return std::make_shared<const System>(read_model(ModelTree{root, tree.file_name}));
}

// Returns null if there is no such key.
const YamlNode* child(const YamlNode* map, std::string_view key) {
  const YamlEntry* entry = map != nullptr && map->is_map() ? map->find(key) : nullptr;
  return entry != nullptr ? entry->value.get() : nullptr;
}

// Checks that a time is a whole number of steps.
void check_whole(ReadContext& context, const Mark& mark, const NodePath& path, double time, double dt) {
  const double ratio = time / dt;
  if (ratio >= 0.5 && std::fabs(ratio - std::round(ratio)) <= kWhole * ratio && ratio < 9e15) return;
  context.fault(mark, path, fmt::format("{} is not a whole number of steps of {}", time, dt));
}

class RunReader {
 public:
  RunReader(ReadContext& context, ParticleNumbers& numbers, const YamlNode& root, ParticleRunSpec& spec)
      : context_(context), numbers_(numbers), root_(root), spec_(spec) {}

  void read() {
    const NodePath top;
    AnalysisSpec analysis;
    const NodePath path = top / "analysis";
    const YamlEntry* entry = root_.find("analysis");
    if (entry != nullptr) {
      for (const YamlEntry& key : entry->value->entries) {
        if (key.key == "step" || key.key == "duration" || key.key == "limits" || key.key == "type") continue;
        if (spec_.bodies && (key.key == "solver" || key.key == "integrator" || key.key == "coordinates"))
          continue;
        context_.fault(key.mark, path / key.key,
                       "does not fit a model of particles; it has step, duration and limits");
      }
      read_value(context_, *entry->value, path, analysis);
    }
    const Mark mark = entry != nullptr ? entry->value->mark : root_.mark;
    read_times(analysis, mark, path);
    read_rows(top);
    check_outer_steps(mark, top);
    if (spec_.trajectory) {
      const NodePath section = top / "particles", trajectory = section / "trajectory";
      if (spec_.trajectory->every == 0.0) spec_.trajectory->every = spec_.every;
      if (spec_.dt > 0.0) {
        check_whole(context_, root_.find("particles")->value->mark, trajectory / "every",
                    spec_.trajectory->every, spec_.outer_step());
      }
    }
  }

 private:
  void read_times(const AnalysisSpec& analysis, const Mark& mark, const NodePath& path) {
    if (!analysis.type.empty() && analysis.type != "dynamics") {
      context_.fault(analysis.type.mark, path / "type", "particles have the analysis dynamics alone");
    }
    const NodePath step = path / "step";
    // Only a given driver is considered, because the default is that of models of bodies.
    const YamlNode* given = child(child(&root_, "analysis"), "step");
    if (child(given, "driver") != nullptr && analysis.step.driver != "fixed")
      context_.fault(child(given, "driver")->mark, step / "driver", "particles are run with a fixed step");
    if (!analysis.step.dt) {
      context_.fault(mark, step / "dt", "is missing: particles are run with a fixed step");
    } else if (const auto dt = numbers_.evaluate(*analysis.step.dt, step / "dt")) {
      spec_.dt = *dt;
      if (!(spec_.dt > 0.0))
        context_.fault(analysis.step.dt->mark, step / "dt", fmt::format("{} is not positive", *dt));
    }
    if (const auto duration = numbers_.evaluate(analysis.duration, path / "duration"))
      spec_.duration = *duration;
    if (spec_.dt > 0.0 && spec_.duration != 0.0) {
      check_whole(context_, analysis.duration.mark.line > 0 ? analysis.duration.mark : mark,
                  path / "duration", spec_.duration, spec_.dt);
    }
    const NodePath limits = path / "limits";
    if (analysis.limits.steps) {
      spec_.limits.steps =
          static_cast<long>(numbers_.evaluate(*analysis.limits.steps, limits / "steps").value_or(0.0));
    }
    if (analysis.limits.wall_time) {
      spec_.limits.wall_time =
          numbers_.evaluate(*analysis.limits.wall_time, limits / "wall_time").value_or(0.0);
    }
  }

  // Energies belong to the motion only at steps at which the forces that do not act at every step have acted.
  void check_outer_steps(const Mark& mark, const NodePath& top) {
    if (spec_.model.outer_steps() < 2 || !(spec_.dt > 0.0)) return;
    const double outer = spec_.outer_step();
    const NodePath analysis = top / "analysis", output = top / "output";
    if (spec_.duration != 0.0) check_whole(context_, mark, analysis / "duration", spec_.duration, outer);
    check_whole(context_, mark, output / "every", spec_.every, outer);
  }

  void read_rows(const NodePath& top) {
    const NodePath path = top / "output";
    OutputSpec output;
    const YamlEntry* entry = root_.find("output");
    if (entry != nullptr) {
      read_value(context_, *entry->value, path, output);
      for (const YamlEntry& key : entry->value->entries) {
        if (key.key != "every" && !(spec_.bodies && key.key == "columns"))
          context_.fault(key.mark, path / key.key, "does not fit a model of particles");
      }
    }
    // The default is about 100 rows, as for bodies.
    if (spec_.dt > 0.0) {
      const double dt = spec_.outer_step();
      const double total = std::round(spec_.duration / dt);
      spec_.every = dt * std::max(1.0, std::floor(total / 100.0));
    }
    if (!output.every) return;
    if (const auto every = numbers_.evaluate(*output.every, path / "every")) spec_.every = *every;
    if (spec_.dt > 0.0) check_whole(context_, output.every->mark, path / "every", spec_.every, spec_.dt);
  }

  ReadContext& context_;
  ParticleNumbers& numbers_;
  const YamlNode& root_;
  ParticleRunSpec& spec_;
};

}  // namespace

std::filesystem::path ParticleRunSpec::trajectory_file(const std::filesystem::path& model_file) const {
  return trajectory ? model_file.parent_path() / trajectory->file : std::filesystem::path();
}

long ParticleRunSpec::steps() const { return std::lround(duration / dt); }
long ParticleRunSpec::steps_between_rows() const { return std::lround(every / dt); }
long ParticleRunSpec::steps_between_frames() const {
  return trajectory ? std::lround(trajectory->every / dt) : 0;
}

bool has_particles(const ModelTree& tree) {
  return tree.root->is_map() && tree.root->find("particles") != nullptr;
}

ParticleRunSpec read_particle_run(const ModelTree& tree) {
  FaultList faults;
  ReadContext context(faults, std::filesystem::path(tree.file_name).parent_path());
  const YamlNode& root = *tree.root;
  check_top(context, root);
  faults.throw_if_any();
  const NodePath top;
  const MapReader map(context, root, top, model_keys());
  ParticleRunSpec spec;
  if (root.find("bodies") != nullptr) spec.bodies = read_bodies(tree);
  map.read("name", spec.name);
  ParticleNumbers numbers(context, root);
  if (const YamlNode* particles = map.find("particles")) {
    ParticleReader(context, numbers, spec).read(*particles, top / "particles");
  }
  RunReader(context, numbers, root, spec).read();
  faults.throw_if_any();
  const Mark mark = root.find("particles")->value->mark;
  try {
    check(spec.model);
    satisfy_rigid_bonds(spec.model);
    satisfy_joint_bonds(spec.model);
    static_cast<void>(ParticleBodies(spec.model, default_instruction_set()));
  } catch (const InputError& error) {
    for (const Fault& fault : error.faults()) {
      const std::string& part = fault.place.path;
      faults.add({mark, part.empty() ? "particles" : "particles." + part}, fault.message);
    }
  }
  faults.throw_if_any();
  if (spec.bodies) {
    static_cast<void>(make_mechanism(spec));
    spec.data_checksum ^= checksum_of_files(*spec.bodies);
  }
  if (spec.drawn) draw_velocities(spec.drawn->temperature, spec.drawn->seed, spec.model);
  return spec;
}

}  // namespace sestina
