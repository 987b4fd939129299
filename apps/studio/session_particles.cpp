// The part of a session that is about models of particles.
#include <algorithm>

#include "sestina/base/error.h"
#include "studio/session.h"

namespace sestina::studio {
namespace {

constexpr std::size_t kLargestPart = std::size_t{16} << 20;  // bytes of rows in a message, if it has several

}  // namespace

void Session::show_particles() {
  drop_run();
  particles_ = std::make_unique<ParticleStage>(*document_, kLargestMotion);
  scene_ = particles_->scene();
  send_scene_to_all();
}

void Session::start_particles(bool is_live, double speed) {
  particles_->start(is_live, speed);
  scene_ = particles_->scene();
}

// A paused run continues; otherwise a new one begins.
void Session::live_particles(double speed) {
  ParticleThread* run = particles_->run();
  if (run != nullptr && run->is_live() && run->state().is_running && run->is_paused()) {
    run->set_speed(speed);
    run->pause(false);
  } else {
    start_particles(true, speed);
  }
}

void Session::pass_on_particles() {
  const ParticleStage::News news = particles_->take_rows();
  if (news.is_first) {
    send_scene_to_all();
  } else if (news.change) {
    const auto [rows, stride, first, is_passing] = *news.change;
    tell_kept(rows, stride, is_passing);
    const std::size_t end = particles_->motion().rows;
    const std::size_t most = std::max<std::size_t>(1, kLargestPart / particles_->bytes_per_row());
    for (std::size_t i = first; i < end; i += most) {
      send_rows_to_all(particles_->part(i, std::min(most, end - i)), is_passing);
    }
  }
  if (news.change || news.is_other_state) send_all(status_text(news.state));
}

}  // namespace sestina::studio
