#include "studio/particle_thread.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "sestina/parallel/executor.h"
#include "sestina/particle_run/particle_run.h"
#include "studio/particle_replay.h"

namespace sestina::studio {
namespace {

constexpr double kRowPeriod = 1.0 / 60.0;                    // s of wall time between two rows of a live run
constexpr std::size_t kMostWaiting = std::size_t{32} << 20;  // bytes of rows that nobody has taken
constexpr auto kLate = std::chrono::milliseconds(250);

// Columns of runs of particles have no units in their files.
std::string unit_of(const std::string& column) {
  if (column == "t") return "s";
  if (column == "temperature") return "K";
  if (column == "pressure") return "Pa";
  if (column == "volume") return "m^3";
  if (column.starts_with("energy.")) return "J";
  return column.find(".force.") == std::string::npos ? "" : "N";
}

}  // namespace

class ParticleThread::RowReader final : public Recorder {
 public:
  explicit RowReader(ParticleThread& owner) : owner_(owner) {}
  void begin(const ResultHeader& header) override {
    owner_.columns_ = header.columns;
    for (Column& column : owner_.columns_) column.unit = unit_of(column.name);
  }
  bool keeps_origin() const override { return false; }
  void record(std::span<const double> row) override { owner_.row_.assign(row.begin(), row.end()); }
  void flush() override {}
  void end() override {}

 private:
  ParticleThread& owner_;
};

ParticleThread::ParticleThread(std::string text, std::string file, bool is_live, double speed)
    : is_live_(is_live), speed_(speed) {
  state_.is_running = true;
  thread_ = std::thread([this, text = std::move(text), file = std::move(file)] { run(text, file); });
}

ParticleThread::~ParticleThread() {
  stop();
  thread_.join();
}

void ParticleThread::stop() {
  const std::lock_guard lock(mutex_);
  stops_ = true;
  changed_.notify_all();
}

void ParticleThread::pause(bool wanted) {
  const std::lock_guard lock(mutex_);
  is_paused_ = wanted;
  single_steps_ = 0;
  changed_.notify_all();
}

bool ParticleThread::is_paused() const {
  const std::lock_guard lock(mutex_);
  return is_paused_;
}

void ParticleThread::step() {
  const std::lock_guard lock(mutex_);
  single_steps_ = is_paused_ ? single_steps_ + 1 : 0;
  changed_.notify_all();
}

void ParticleThread::set_speed(double speed) {
  const std::lock_guard lock(mutex_);
  speed_ = speed;
}

RunState ParticleThread::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

ParticleRows ParticleThread::take_rows() {
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
  rows_.columns = columns_;
  return std::exchange(rows_, {});
}

void ParticleThread::finish(bool has_failed, std::string message, double wall_seconds) {
  const std::lock_guard lock(mutex_);
  state_.is_running = false;
  state_.has_failed = has_failed;
  state_.message = std::move(message);
  state_.wall_seconds = wall_seconds;
}

void ParticleThread::add_row(const ParticleSystem& system) {
  position_.resize(3 * static_cast<std::size_t>(system.size()));
  system.copy_positions(position_);
  const std::lock_guard lock(mutex_);
  append_positions(position_, system.box(), rows_.positions);
  rows_.values.insert(rows_.values.end(), row_.begin(), row_.end());
  state_.t = row_.front();
}

void ParticleThread::see_step(const ParticleSystem& system, bool has_row) {
  if (has_row) add_row(system);
  std::unique_lock lock(mutex_);
  if (has_row) {
    if (single_steps_ > 0) --single_steps_;
    const auto is_taken = [this] { return stops_ || rows_.positions.size() * sizeof(float) < kMostWaiting; };
    changed_.wait(lock, is_taken);
    if (is_live_) {
      next_ +=
          std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(kRowPeriod / speed_));
      if (Clock::now() - next_ > kLate) next_ = Clock::now();  // no rows follow faster to make up for it
      changed_.wait_until(lock, next_, [this] { return stops_ || is_paused_; });
    }
  }
  changed_.wait(lock, [this] { return stops_ || !is_paused_ || single_steps_ > 0; });
}

void ParticleThread::run(const std::string& text, const std::string& file) {
  try {
    // One core is left to the server.
    Executor executor(std::max(1, default_thread_count() - 1));
    RowReader reader(*this);
    ParticleRunOptions options;
    options.writes_trajectory = false;
    options.interrupt = &stops_;
    options.on_step = [this](const ParticleSystem& system, bool has_row) { see_step(system, has_row); };
    const ParticleReport report = run_particles(text, file, {}, options, executor, &reader);
    const bool has_failed = report.status == ParticleReport::Status::kFailed;
    const bool is_stopped = report.status == ParticleReport::Status::kInterrupted;
    finish(has_failed, has_failed ? report.failure : is_stopped ? "stopped" : "", report.wall_seconds);
  } catch (const std::exception& error) {
    finish(true, error.what(), 0.0);
  }
}

}  // namespace sestina::studio
