// Model files with `particles` (docs/particles.md).
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sestina/integrate/run_limits.h"
#include "sestina/io/model_file.h"
#include "sestina/model/system.h"
#include "sestina/particles/particle_model.h"

namespace sestina {

struct TrajectorySpec {
  std::filesystem::path file;  // .lammpstrj, .dump: LAMMPS dump; .h5, .h5md: H5MD
  double every = 0.0;          // s
};

// Random velocities of a temperature.
struct DrawnVelocities {
  double temperature = 0.0;  // K
  std::uint32_t seed = 1;
};

// A run of particles as its file describes it.
struct ParticleRunSpec {
  std::string name;
  ParticleModel model;
  std::shared_ptr<const System> bodies;  // which may carry walls and tethers; null: none
  double dt = 0.0;                       // s
  double duration = 1.0;                 // s
  double every = 0.0;                    // s between rows
  RunLimits limits;
  std::optional<TrajectorySpec> trajectory;
  std::optional<DrawnVelocities> drawn;  // model.velocity then contains them
  int relax_steps = 0;                   // before the run, to separate particles that overlap
  double relax_move = 0.0;               // m, at most in each of these steps
  std::filesystem::path data_file;       // from which the positions are read; may be empty
  std::uint64_t data_checksum = 0;       // of its text, and of the files that bodies read

  // The trajectory's file; a relative name is relative to the model file. Empty: none.
  std::filesystem::path trajectory_file(const std::filesystem::path& model_file) const;
  long steps() const;  // of the run
  // The time after which all forces have acted, s.
  double outer_step() const { return dt * model.outer_steps(); }
  long steps_between_rows() const;
  long steps_between_frames() const;
};

// Whether the file describes particles, with or without bodies.
bool has_particles(const ModelTree& tree);

// Throws InputError with all faults, each with its place.
ParticleRunSpec read_particle_run(const ModelTree& tree);

}  // namespace sestina
