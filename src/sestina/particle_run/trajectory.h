// Files of positions and velocities that OVITO, VMD and MDAnalysis read.
//
// LAMMPS dump: text, frame by frame, particles by their ids (from 1):
//   ITEM: ATOMS id type xu yu zu vx vy vz       xu follows the particle across the faces of the box
//
// H5MD 1.1 (de Buyl, Colberg, Hofling, Comput. Phys. Commun. 185, 2014), group /particles/all:
//   position, velocity  value (frames x n x 3), step, time      positions are in the box
//   image               value (frames x n x 3)                  box lengths to add
//   species (n) from 1, mass (n), box edges (3), boundary
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "sestina/particles/particle_system.h"

namespace sestina {

// The length of a trajectory so far, from which a resumed run continues.
struct TrajectoryPlace {
  std::int64_t frames = 0;
  std::int64_t bytes = 0;  // of a text
};

class TrajectoryWriter {
 public:
  TrajectoryWriter() = default;
  TrajectoryWriter(const TrajectoryWriter&) = delete;
  TrajectoryWriter& operator=(const TrajectoryWriter&) = delete;
  virtual ~TrajectoryWriter() = default;
  // Throws ComputationError with t (s) if the frame cannot be written.
  virtual void write(const ParticleSystem& system) = 0;
  virtual void sync() = 0;  // frames written so far then survive the end of the process
  virtual TrajectoryPlace place() const = 0;
};

// By the suffix of the name: .lammpstrj and .dump, or .h5 and .h5md. An existing file is replaced; with
// `resume` it is continued, and later frames are dropped. Throws InputError.
std::unique_ptr<TrajectoryWriter> make_trajectory_writer(const std::filesystem::path& path,
                                                         const ParticleModel& model,
                                                         const TrajectoryPlace* resume = nullptr);

}  // namespace sestina
