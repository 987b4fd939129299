// The motion of a model of particles, from the trajectory that its run wrote.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "sestina/particle_run/particle_file.h"
#include "sestina/scene/motion.h"

namespace sestina::studio {

struct ParticleReplay {
  Scene scene;    // of make_particle_scene()
  Motion motion;  // poses of bodies, as they are at the start, and positions in the box; the only column is t
};

// The initial positions.
ParticleReplay make_particle_start(const ParticleRunSpec& spec);

// Appends positions (n x 3, m) to those of a motion; periodic directions are folded into the box.
void append_positions(std::span<const double> position, const Box& box, std::vector<float>& out);

// Reads the H5MD file or LAMMPS dump that `particles.trajectory` names. Where there is none yet, the motion
// is the initial positions, and a note says so. Frames are left out at equal intervals until the motion takes
// at most `most_bytes`; two remain. Throws InputError.
ParticleReplay read_particle_replay(const std::filesystem::path& model_file, const ParticleRunSpec& spec,
                                    std::size_t most_bytes);

}  // namespace sestina::studio
