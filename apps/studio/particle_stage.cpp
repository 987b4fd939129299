#include "studio/particle_stage.h"

#include <fmt/format.h>

#include <utility>

#include "sestina/base/error.h"
#include "studio/particle_replay.h"

namespace sestina::studio {

ParticleStage::ParticleStage(const Document& document, std::size_t most_bytes)
    : ParticleStage(document, document.read_particles(), most_bytes) {}

ParticleStage::ParticleStage(const Document& document, const ParticleRunSpec& spec, std::size_t most_bytes)
    : text_(document.text()), file_(document.file().string()), most_bytes_(most_bytes), bodies_(spec.bodies) {
  particles_ = static_cast<std::size_t>(spec.model.size());
  const std::size_t most = most_bytes / (2 * 3 * sizeof(float));
  if (particles_ > most) {
    throw InputError(fmt::format("particles: there are {}; the studio shows at most {}", particles_, most));
  }
  const bool is_of_file = !document.is_dirty() && !document.file().empty();
  ParticleReplay replay =
      is_of_file ? read_particle_replay(document.file(), spec, most_bytes) : make_particle_start(spec);
  scene_ = std::move(replay.scene);
  shown_ = std::move(replay.motion);
}

void ParticleStage::start(bool is_live, double speed) {
  run_.reset();
  track_.reset();
  scene_.notes.clear();
  run_ = std::make_unique<ParticleThread>(text_, file_.empty() ? "model" : file_, is_live, speed);
  was_running_ = true;
}

ParticleStage::News ParticleStage::take_rows() {
  News news;
  if (!run_) return news;
  news.state = run_->state();  // before the rows, so that none follows the end of the run
  ParticleRows rows = run_->take_rows();
  news.is_other_state = was_running_ != news.state.is_running;
  was_running_ = news.state.is_running;
  if (rows.values.empty()) return news;
  news.is_first = !track_;
  const std::vector<float> frames = make_frames(bodies_, rows.columns, rows.values, rows.positions);
  if (!track_) track_.emplace(std::move(rows.columns), bodies_.numbers() + 3 * particles_, most_bytes_);
  news.change = track_->add(rows.values, frames);
  return news;
}

}  // namespace sestina::studio
