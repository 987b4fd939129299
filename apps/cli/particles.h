// `run` and `resume` for models of particles.
#pragma once

#include <optional>
#include <string>

#include "commands.h"
#include "sestina/particle_run/particle_file.h"
#include "simulate.h"

namespace sestina::cli {

bool is_particle_model(const ModelOptions& model);
// Whether a file is a model (.yaml) of particles; false for a result.
bool shows_particles(const std::string& path);
// With changes by --set; throws InputError.
ParticleRunSpec read_particles(const std::string& path, const std::vector<std::string>& set);

// These return the exit status.
int run_particle_model(const ModelOptions& model, const SimulateOptions& options,
                       const std::string& checkpoint, const std::optional<double>& every_wall);
int resume_particle_run(const std::string& checkpoint, const SimulateOptions& options,
                        const std::optional<double>& every_wall);

}  // namespace sestina::cli
