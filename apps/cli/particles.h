// `run` and `resume` for models of particles.
#pragma once

#include <optional>
#include <string>

#include "commands.h"
#include "simulate.h"

namespace sestina::cli {

bool is_particle_model(const ModelOptions& model);

// These return the exit status.
int run_particle_model(const ModelOptions& model, const SimulateOptions& options,
                       const std::string& checkpoint, const std::optional<double>& every_wall);
int resume_particle_run(const std::string& checkpoint, const SimulateOptions& options,
                        const std::optional<double>& every_wall);

}  // namespace sestina::cli
