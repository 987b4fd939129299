#include "studio/particle_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "sestina/base/error.h"
#include "sestina/particle_run/trajectory_reader.h"
#include "studio/particle_scene.h"

namespace sestina::studio {
namespace {

namespace fs = std::filesystem;

class MotionMaker {
 public:
  MotionMaker(Motion& motion, const ParticleRunSpec& spec) : motion_(motion) {
    motion_.columns = {{"t", "s"}};
    BodyPoses(spec.bodies).add_start(bodies_);
  }

  void add(double t, const std::vector<double>& position, const Box& box) {
    motion_.values.push_back(t);
    ++motion_.rows;
    motion_.poses.insert(motion_.poses.end(), bodies_.begin(), bodies_.end());
    append_positions(position, box, motion_.poses);
  }

 private:
  Motion& motion_;
  std::vector<float> bodies_;  // at the start: trajectories do not hold the motion of bodies
};

// A LAMMPS dump as trajectories are written: "ITEM: ATOMS id type xu yu zu ...", particles by their ids.
class DumpReader {
 public:
  DumpReader(const fs::path& path, int particles) : path_(path), file_(path), particles_(particles) {
    if (!file_) throw InputError(fmt::format("cannot read '{}'", path.string()));
  }
  // Reads the next frame; false at the end of the file or at a frame that is not complete.
  bool read(double& step, std::vector<double>& position) {
    std::string line;
    position.assign(3 * static_cast<std::size_t>(particles_), 0.0);
    while (std::getline(file_, line)) {
      if (line == "ITEM: TIMESTEP") {
        if (!std::getline(file_, line)) return false;
        step = std::strtod(line.c_str(), nullptr);
      } else if (line.starts_with("ITEM: ATOMS")) {
        return read_atoms(line, position);
      }
    }
    return false;
  }

 private:
  bool read_atoms(const std::string& heading, std::vector<double>& position) {
    std::istringstream words(heading.substr(11));
    std::string word;
    std::array<int, 4> places{-1, -1, -1, -1};
    for (int k = 0; words >> word; ++k) {
      for (int i = 0; i < 4; ++i) {
        if (word == std::array{"id", "xu", "yu", "zu"}[static_cast<std::size_t>(i)])
          places[static_cast<std::size_t>(i)] = k;
      }
    }
    if (std::ranges::find(places, -1) != places.end()) {
      throw InputError(fmt::format("{}: a dump has the columns id, xu, yu, zu; this has '{}'", path_.string(),
                                   heading.substr(11)));
    }
    std::string line;
    std::vector<double> numbers;
    for (int i = 0; i < particles_; ++i) {
      if (!std::getline(file_, line)) return false;
      numbers.clear();
      const char* at = line.c_str();
      for (char* end = nullptr;; at = end) {
        const double x = std::strtod(at, &end);
        if (end == at) break;
        numbers.push_back(x);
      }
      const auto number = [&](std::size_t k) { return numbers[static_cast<std::size_t>(places[k])]; };
      const int last = *std::ranges::max_element(places);
      const bool is_whole =
          static_cast<int>(numbers.size()) > last && number(0) >= 1 && number(0) <= particles_;
      if (!is_whole)
        throw InputError(fmt::format("{}: '{}' is not a particle of the model", path_.string(), line));
      const auto place = 3 * static_cast<std::size_t>(number(0) - 1);
      for (std::size_t k = 0; k < 3; ++k) position[place + k] = number(k + 1);
    }
    return true;
  }

  fs::path path_;
  std::ifstream file_;
  int particles_;
};

std::size_t stride_for(std::size_t frames, std::size_t particles, std::size_t most_bytes) {
  const std::size_t most =
      std::max<std::size_t>(2, most_bytes / std::max<std::size_t>(1, 3 * sizeof(float) * particles));
  return frames > most ? (frames + most - 1) / most : 1;
}

std::size_t count_frames(const fs::path& dump) {
  std::ifstream file(dump);
  std::size_t frames = 0;
  for (std::string line; std::getline(file, line);) frames += line.starts_with("ITEM: ATOMS") ? 1 : 0;
  return frames;
}

void add_dump(const fs::path& path, const ParticleRunSpec& spec, MotionMaker& maker, std::size_t stride) {
  DumpReader reader(path, spec.model.size());
  std::vector<double> position;
  double step = 0.0;
  for (std::size_t i = 0; reader.read(step, position); ++i) {
    if (i % stride == 0) maker.add(step * spec.dt, position, spec.model.box);
  }
}

void add_h5md(TrajectoryReader& reader, const ParticleRunSpec& spec, MotionMaker& maker, std::size_t stride) {
  std::vector<double> position;
  Box box = spec.model.box;
  for (std::size_t i = 0; i < reader.frames(); i += stride) {
    reader.read(i, position, box);
    maker.add(reader.time_of(i), position, box);
  }
}

}  // namespace

void append_positions(std::span<const double> position, const Box& box, std::vector<float>& out) {
  const std::size_t before = out.size();
  out.resize(before + position.size());
  for (std::size_t i = 0; i < position.size(); ++i) {
    const int axis = static_cast<int>(i % 3);
    out[before + i] = static_cast<float>(position[i] - box.calc_image(axis, position[i]) * box.length[i % 3]);
  }
}

ParticleReplay make_particle_start(const ParticleRunSpec& spec) {
  ParticleReplay replay{make_particle_scene(spec), {}};
  MotionMaker(replay.motion, spec).add(0.0, spec.model.position, spec.model.box);
  return replay;
}

ParticleReplay read_particle_replay(const fs::path& model_file, const ParticleRunSpec& spec,
                                    std::size_t most_bytes) {
  const fs::path file = spec.trajectory_file(model_file);
  std::error_code ignored;
  if (file.empty() || !fs::exists(file, ignored)) {
    ParticleReplay replay = make_particle_start(spec);
    replay.scene.notes.push_back(
        file.empty()
            ? "These are the initial positions: the model has no `particles.trajectory`, where a run writes "
              "others."
            : fmt::format("These are the initial positions: there is no {} yet, which `sestina run` writes.",
                          file.filename().string()));
    return replay;
  }
  ParticleReplay replay{make_particle_scene(spec), {}};
  const auto particles = static_cast<std::size_t>(spec.model.size());
  MotionMaker maker(replay.motion, spec);
  const std::string suffix = file.extension().string();
  if (suffix == ".h5" || suffix == ".h5md") {
    TrajectoryReader reader(file, spec.model.size(), spec.model.box);
    replay.motion.stride = stride_for(reader.frames(), particles, most_bytes);
    add_h5md(reader, spec, maker, replay.motion.stride);
  } else {
    replay.motion.stride = stride_for(count_frames(file), particles, most_bytes);
    add_dump(file, spec, maker, replay.motion.stride);
  }
  if (spec.bodies) {
    replay.scene.notes.push_back(fmt::format(
        "{} has the particles alone: bodies are shown where they are at the start. A run shows their motion.",
        file.filename().string()));
  }
  if (replay.motion.rows == 0) throw InputError(fmt::format("'{}' has no frames", file.string()));
  if (replay.motion.stride > 1) {
    replay.scene.notes.push_back(fmt::format("Every {}. frame is shown.", replay.motion.stride));
  }
  return replay;
}

}  // namespace sestina::studio
