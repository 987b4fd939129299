// Runs a model of particles: steps, rows, a trajectory, checkpoints.
//
//   ModelTree tree = read_model_tree("fluid.yaml");
//   ParticleRun run(tree, {.result_file = "fluid.h5"}, executor);
//   ParticleReport report = run.run();
//
// Rows have the columns t, temperature, pressure, energy.kinetic, .pair, .bonded, .potential, .thermostat and
// .total; with a barostat also energy.barostat and volume; with grains energy.rotational and .dissipated, and
// for each wall wall[i].force.x, .y and .z; with fields energy.field and, for each of them, field[i].force.x,
// .y and .z. With bodies, the bodies' columns follow t, and the names of those of particles begin with
// `particles.`; among these are energy.to_bodies and, for each body that carries walls or tethers, the force
// and torque on it, BODY.force.x to BODY.torque.z.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "sestina/io/result_recorder.h"
#include "sestina/particle_run/particle_file.h"
#include "sestina/particle_run/trajectory.h"
#include "sestina/particles/particle_system.h"

namespace sestina {

class Executor;

struct ParticleRunOptions {
  std::filesystem::path result_file{};  // .csv or .h5; empty: none
  std::filesystem::path checkpoint{};   // empty: none
  double every_wall = 60.0;             // s of wall time between checkpoints
  RunLimits limits{};                   // if not zero, replace the model's limits
  bool writes_trajectory = true;
  const std::atomic<bool>* interrupt = nullptr;
  std::function<void(double t, double duration, double wall_seconds, long steps)> on_progress{};
  // Called at the start of a run and after each step, when the row of this instant, if it has one, is
  // recorded. It may wait, to pause the run.
  std::function<void(const ParticleSystem& system, bool has_row)> on_step{};
};

struct ParticleReport {
  enum class Status { kComplete, kInterrupted, kFailed };
  Status status = Status::kComplete;
  std::string failure;
  double t = 0.0;  // s
  long steps = 0, rows = 0, frames = 0, list_builds = 0, checkpoints = 0;
  double checkpoint_t = 0.0;  // s
  double wall_seconds = 0.0;
  double energy_drift = 0.0;  // J, largest deviation of the total energy from the first row
  ParticleMeasures first, last;
  std::optional<double> resumed_at;   // s
  std::filesystem::path result_file;  // that has the rows; empty: none
  int particles = 0;
};

// Whether a checkpoint is that of a particle run.
bool is_particle_checkpoint(const std::filesystem::path& path);

// Starts from the beginning; `model_text` and `set` are stored in checkpoints. Throws InputError for faults
// of the input, before anything is written.
ParticleReport run_particles(const std::string& model_text, const std::string& model_file,
                             const std::vector<std::string>& set, const ParticleRunOptions& options,
                             Executor& executor, Recorder* recorder = nullptr);

// Continues the run of a checkpoint, bit for bit. The recorder receives the rows that follow, unless the run
// has a result file.
ParticleReport resume_particles(const std::filesystem::path& checkpoint, const ParticleRunOptions& options,
                                Executor& executor, Recorder* recorder = nullptr);

}  // namespace sestina
