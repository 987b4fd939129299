// Reads trajectories in H5MD (de Buyl, Colberg, Hofling, Comput. Phys. Commun. 185, 2014), frame by frame.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <vector>

#include "sestina/particles/box.h"

namespace sestina {

class TrajectoryReader {
 public:
  // Opens the group particles/all, or the only group of particles. Throws InputError, which names the file,
  // if it is not such a file, is damaged, or has another number of particles.
  TrajectoryReader(const std::filesystem::path& path, int particles, const Box& box);
  ~TrajectoryReader();
  TrajectoryReader(const TrajectoryReader&) = delete;
  TrajectoryReader& operator=(const TrajectoryReader&) = delete;

  std::size_t frames() const;
  double time_of(std::size_t frame) const;  // s
  // Positions (particles x 3) that follow particles across the faces of the box, which is set to that of the
  // frame. Throws InputError.
  void read(std::size_t frame, std::vector<double>& position, Box& box);

 private:
  struct File;
  std::unique_ptr<File> file_;
};

}  // namespace sestina
