// A suspended particle run. The file is text, like the one of workspace/checkpoint.h: a line for each value,
// numbers that read back to the same bits, and a checksum at the end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sestina/particle_run/trajectory.h"
#include "sestina/particles/particle_system.h"

namespace sestina {

struct ParticleRunCheckpoint {
  std::string program;  // that wrote it
  bool is_complete = false;
  std::string model_file, model_text;
  std::vector<std::string> set;
  std::string result_file;  // absolute; empty: none
  std::uint64_t data_checksum = 0;
  std::size_t rows = 0;
  std::uint64_t rows_checksum = 0;
  double first_total = 0.0, energy_drift = 0.0;  // J
  double wall_seconds = 0.0, every_wall = 60.0;  // s
  TrajectoryPlace trajectory;
  ParticleCheckpoint particles;
};

inline constexpr const char* kParticleCheckpoint = "sestina checkpoint particles 5\n";

std::string to_text(const ParticleRunCheckpoint& checkpoint);
// Throws InputError if the file is not a particle checkpoint, is truncated or is damaged.
ParticleRunCheckpoint parse_particle_checkpoint(const std::string& text, const std::string& name);

}  // namespace sestina
