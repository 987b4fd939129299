// A stage is the part of a model of particles that a session shows: its start or its trajectory, and then its
// runs.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sestina/particle_run/particle_file.h"
#include "sestina/scene/motion.h"
#include "sestina/scene/scene.h"
#include "studio/document.h"
#include "studio/particle_scene.h"
#include "studio/particle_thread.h"
#include "studio/particle_track.h"

namespace sestina::studio {

class ParticleStage {
 public:
  // Shows the trajectory that the model names, if it exists and belongs to the text, which may not have been
  // changed then; otherwise the initial positions. Throws InputError with all faults of the model, or if it
  // has so many particles that two frames take more than `most_bytes`.
  ParticleStage(const Document& document, std::size_t most_bytes);

  // Begins a run, in place of the present one.
  void start(bool is_live, double speed);
  ParticleThread* run() const { return run_.get(); }

  const Scene& scene() const { return scene_; }
  const Motion& motion() const { return track_ ? track_->motion() : shown_; }

  struct News {
    RunState state;
    std::optional<ParticleTrack::Change> change;  // there are new rows
    bool is_first = false;                        // they begin a motion
    bool is_other_state = false;                  // the run has ended since the last call
  };
  // Takes the rows that the run has computed.
  News take_rows();
  // (rows) of the motion, from `first` on
  Motion part(std::size_t first, std::size_t rows) const { return track_->part(first, rows); }
  std::size_t bytes_per_row() const { return track_->bytes_per_row(); }

 private:
  ParticleStage(const Document& document, const ParticleRunSpec& spec, std::size_t most_bytes);

  std::string text_, file_;
  std::size_t particles_ = 0, most_bytes_;
  BodyPoses bodies_;
  Scene scene_;
  Motion shown_;
  std::optional<ParticleTrack> track_;  // of the run
  std::unique_ptr<ParticleThread> run_;
  bool was_running_ = false;
};

}  // namespace sestina::studio
