// The scene of a model of particles: their box, the walls of grains, and the bodies beside them.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sestina/particle_run/particle_file.h"
#include "sestina/scene/motion.h"
#include "sestina/scene/scene.h"

namespace sestina::studio {

// Walls are solids of the role kWall: planes as far as the box goes, surfaces of revolution and meshes as
// triangles. They belong to the body that carries them, otherwise to the ground.
Scene make_particle_scene(const ParticleRunSpec& spec);

// The poses of the bodies beside particles, which stand before the particles in each frame.
class BodyPoses {
 public:
  explicit BodyPoses(std::shared_ptr<const System> bodies);  // null: there are none
  ~BodyPoses();

  std::size_t numbers() const;  // of a frame: bodies but the ground x FrameMaker::kPoseSize
  void add_start(std::vector<float>& frame);
  // Adds the poses of a row of the run: `values` by `columns`, among which are the coordinates of all joints.
  void add_row(std::span<const Column> columns, std::span<const double> values, std::vector<float>& frame);

 private:
  struct Made;
  void add(std::span<const double> q, std::vector<float>& frame);

  std::unique_ptr<Made> made_;  // null: no bodies
};

// (rows x (bodies' numbers + particles x 3)) from the rows of a run and the positions in them.
std::vector<float> make_frames(BodyPoses& bodies, std::span<const Column> columns,
                               std::span<const double> values, std::span<const float> positions);

}  // namespace sestina::studio
