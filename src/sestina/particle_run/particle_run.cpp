#include "sestina/particle_run/particle_run.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <fstream>

#include "sestina/base/error.h"
#include "sestina/base/version.h"
#include "sestina/io/checksum.h"
#include "sestina/io/file_uses.h"
#include "sestina/io/output_file.h"
#include "sestina/io/result_file.h"
#include "sestina/io/text_file.h"
#include "sestina/particle_run/mechanism.h"
#include "sestina/particle_run/particle_checkpoint.h"
#include "sestina/run/row_log.h"

namespace sestina {
namespace {

constexpr double kProgressPeriod = 0.1;  // s
constexpr std::size_t kMostBytes = std::size_t{64} << 30;

std::string absolute_text(const std::filesystem::path& path) {
  return path.empty() ? std::string() : std::filesystem::absolute(path).string();
}

// Returns the columns of particles, without t.
std::vector<std::string> particle_columns(const ParticleModel& model) {
  std::vector<std::string> columns{"temperature",   "pressure",         "energy.kinetic",    "energy.pair",
                                   "energy.bonded", "energy.potential", "energy.thermostat", "energy.total"};
  if (model.barostat) columns.insert(columns.end(), {"energy.barostat", "volume"});
  const auto add_forces = [&columns](const char* name, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      for (const char axis : {'x', 'y', 'z'})
        columns.push_back(fmt::format("{}[{}].force.{}", name, i, axis));
    }
  };
  if (model.has_grains()) columns.insert(columns.end(), {"energy.rotational", "energy.dissipated"});
  add_forces("wall", model.walls.size());
  if (!model.fields.empty()) columns.emplace_back("energy.field");
  add_forces("field", model.fields.size());
  if (!model.carriers.empty()) columns.emplace_back("energy.to_bodies");
  for (const std::string& body : model.carriers) {
    for (const char* quantity : {"force", "torque"}) {
      for (const char axis : {'x', 'y', 'z'})
        columns.push_back(fmt::format("{}.{}.{}", body, quantity, axis));
    }
  }
  return columns;
}

// With bodies, whose columns keep their names, the names of particles' columns begin with `particles.`.
std::vector<Column> run_columns(const ParticleModel& model, const Mechanism* mechanism) {
  std::vector<Column> columns{{"t", ""}};
  if (mechanism != nullptr)
    columns.insert(columns.end(), mechanism->columns().begin(), mechanism->columns().end());
  for (const std::string& name : particle_columns(model))
    columns.push_back({mechanism != nullptr ? "particles." + name : name, ""});
  return columns;
}

class ParticleRun {
 public:
  ParticleRun(const std::string& text, const std::string& file, const std::vector<std::string>& set,
              const ParticleRunOptions& options, Executor& executor)
      : options_(options),
        spec_(read_particle_run(parse_model_tree(text, file, {set}))),
        executor_(executor),
        limits_(spec_.limits) {
    if (options.limits.steps > 0) limits_.steps = options.limits.steps;
    if (options.limits.wall_time > 0.0) limits_.wall_time = options.limits.wall_time;
    check_run_limits(limits_);
    saved_.program = "sestina " + version();
    saved_.model_file = absolute_text(file), saved_.model_text = text, saved_.set = set;
    saved_.result_file = absolute_text(options.result_file);
    saved_.data_checksum = spec_.data_checksum;
    saved_.every_wall = next_checkpoint_ = options.every_wall;
    if (!(options.every_wall > 0.0)) {
      throw InputError(fmt::format("checkpoints cannot be {} s of wall time apart", options.every_wall));
    }
    if (!options.writes_trajectory) spec_.trajectory.reset();
    trajectory_file_ = spec_.trajectory_file(file);
    check_files(file);
  }

  ParticleReport start(Recorder* recorder) {
    prepare(recorder);
    make_system();
    // A trajectory that cannot be written leaves no result behind.
    if (spec_.trajectory) trajectory_ = make_trajectory_writer(trajectory_file_, spec_.model);
    if (log_) log_->begin(header());
    return go([this] {
      if (spec_.relax_steps > 0) system_->relax(spec_.relax_steps, spec_.relax_move);
      record();
      advance();
    });
  }

  ParticleReport resume(const ParticleRunCheckpoint& checkpoint, Recorder* recorder) {
    if (checkpoint.data_checksum != spec_.data_checksum) {
      throw InputError("cannot resume: the data file of the particles has changed since the run began");
    }
    prepare(recorder);
    make_system();
    system_->restore(checkpoint.particles);
    rows_checksum_ = RowChecksum(checkpoint.rows_checksum);
    first_total_ = checkpoint.first_total, report_.energy_drift = checkpoint.energy_drift;
    wall_before_ = checkpoint.wall_seconds;
    report_.resumed_at = system_->t();
    report_.last = system_->measure();
    if (log_) log_->resume(header(), checkpoint.rows, checkpoint.rows_checksum);
    rows_ = static_cast<long>(checkpoint.rows);
    if (spec_.trajectory) {
      trajectory_ = make_trajectory_writer(trajectory_file_, spec_.model, &checkpoint.trajectory);
    }
    return go([this] { advance(); });
  }

 private:
  using Clock = std::chrono::steady_clock;

  void check_files(const std::string& model_file) const {
    FileUses files;
    if (!model_file.empty()) files.add_input("the model", model_file);
    if (!spec_.data_file.empty()) files.add_input("the data of the particles", spec_.data_file);
    files.add_output("the result", options_.result_file);
    files.add_output("the checkpoint", options_.checkpoint);
    if (spec_.trajectory) files.add_output("the trajectory", trajectory_file_);
    files.check();
  }

  void make_system() {
    try {
      mechanism_ = make_mechanism(spec_);
      system_ = std::make_unique<ParticleSystem>(spec_.model, executor_, default_instruction_set(),
                                                 mechanism_.get());
    } catch (const ComputationError& error) {
      // An error at the start is a fault of the model.
      throw InputError(fmt::format("{}: particles: {}", saved_.model_file, error.reason()));
    }
    report_.particles = system_->size();
  }

  void prepare(Recorder* recorder) {
    if (!options_.checkpoint.empty()) {
      std::error_code ignored;
      const bool is_there = std::filesystem::exists(options_.checkpoint, ignored);
      if (is_there && !is_particle_checkpoint(options_.checkpoint)) {
        throw InputError("cannot write '" + options_.checkpoint.string() +
                         "': the file is not a checkpoint of particles and is not overwritten");
      }
      checkpoint_file_.emplace(options_.checkpoint, OutputFile::WhenAbsent::kWait);
    }
    if (recorder != nullptr) log_.emplace(*recorder);
    if (options_.result_file.empty()) return;
    recorder_ = make_recorder(options_.result_file);
    log_.emplace(*recorder_);
  }

  ResultHeader header() const {
    ResultHeader made;
    made.columns = run_columns(spec_.model, mechanism_.get());
    made.model_name = spec_.name;
    made.model_text = saved_.model_text;
    Checksum sum;
    sum.add(saved_.model_text);
    for (const std::string& option : saved_.set) sum.add(option);
    made.provenance = {{"program", saved_.program},
                       {"particles", fmt::format("{}", spec_.model.size())},
                       {"step", fmt::format("{}", spec_.dt)},
                       {"duration", fmt::format("{}", spec_.duration)},
                       {"checksum", fmt::format("{:016x}", sum.value())}};
    return made;
  }

  // Fills the row in the order of run_columns.
  void fill_row(const ParticleMeasures& m) {
    row_ = {m.t};
    if (mechanism_) {
      const std::span<const double> of_bodies = mechanism_->calc_row(system_->wrenches());
      row_.insert(row_.end(), of_bodies.begin(), of_bodies.end());
    }
    row_.insert(row_.end(), {m.temperature, m.pressure, m.kinetic, m.pair, m.bonded, m.potential(),
                             m.thermostat, m.total()});
    if (spec_.model.barostat) row_.insert(row_.end(), {m.barostat, m.volume});
    if (spec_.model.has_grains()) row_.insert(row_.end(), {m.rotational, m.dissipated});
    for (const Vector3d& force : system_->calc_wall_forces())
      row_.insert(row_.end(), force.begin(), force.end());
    if (!spec_.model.fields.empty()) row_.push_back(m.field);
    for (const FieldSums& field : system_->field_sums())
      row_.insert(row_.end(), field.force.begin(), field.force.end());
    if (!spec_.model.carriers.empty()) row_.push_back(m.carriers);
    for (const CarrierWrench& wrench : system_->wrenches()) {
      row_.insert(row_.end(), wrench.force.begin(), wrench.force.end());
      row_.insert(row_.end(), wrench.torque.begin(), wrench.torque.end());
    }
  }

  // Records the row, and the frame, of an instant that has one.
  void record() {
    const long step = static_cast<long>(system_->steps());
    const bool has_row = step % spec_.steps_between_rows() == 0 || step == spec_.steps();
    if (has_row) {
      ParticleMeasures m = system_->measure();
      m.t = static_cast<double>(step) * spec_.dt;
      fill_row(m);
      const double total = m.total() + (mechanism_ ? mechanism_->energy_balance() : 0.0);
      if (rows_ == 0) report_.first = m, first_total_ = total;
      report_.last = m;
      report_.energy_drift = std::max(report_.energy_drift, std::fabs(total - first_total_));
      rows_checksum_.add(row_);
      ++rows_;
      if (log_) log_->see_row(row_, RowKind::kRegular);
    }
    if (trajectory_ && step % spec_.steps_between_frames() == 0) trajectory_->write(*system_);
    if (options_.on_step) options_.on_step(*system_, has_row);
  }

  void advance() {
    watch_ = LimitWatch(limits_);
    watch_.start(static_cast<long>(system_->steps()));
    const long end = spec_.steps();
    while (system_->steps() < end) {
      const double now = wall_seconds();
      if (options_.interrupt != nullptr && options_.interrupt->load(std::memory_order_relaxed)) {
        report_.status = ParticleReport::Status::kInterrupted;
        return;
      }
      watch_.check(system_->t(), static_cast<long>(system_->steps()));
      if (options_.on_progress && now >= next_progress_) {
        next_progress_ = now + kProgressPeriod;
        options_.on_progress(system_->t(), spec_.duration, now, static_cast<long>(system_->steps()));
      }
      if (checkpoint_file_ && now - wall_before_ >= next_checkpoint_) write_checkpoint();
      system_->step(spec_.dt);
      record();
    }
  }

  template <class Work>
  ParticleReport go(Work&& work) {
    try {
      work();
    } catch (const ComputationError& error) {
      report_.status = ParticleReport::Status::kFailed;
      report_.failure = error.what();
    }
    // A failed run would fail again, so that its last checkpoint is kept. With a higher limit a run can
    // continue.
    if (report_.status != ParticleReport::Status::kFailed || watch_.is_met()) write_checkpoint();
    if (log_) {
      const std::string failure = log_->end();
      if (!failure.empty() && report_.failure.empty()) {
        report_.status = ParticleReport::Status::kFailed, report_.failure = failure;
      }
    }
    report_.t = system_->t();
    report_.steps = static_cast<long>(system_->steps());
    report_.rows = rows_;
    report_.result_file = options_.result_file;
    if (trajectory_) report_.frames = static_cast<long>(trajectory_->place().frames);
    report_.list_builds = static_cast<long>(system_->list_builds());
    report_.wall_seconds = wall_seconds();
    return report_;
  }

  void write_checkpoint() {
    if (!checkpoint_file_) return;
    // A checkpoint never refers to rows or frames that the files might lack.
    if (log_) log_->sync();
    if (trajectory_) {
      trajectory_->sync();
      saved_.trajectory = trajectory_->place();
    }
    saved_.is_complete = system_->steps() >= spec_.steps();
    saved_.rows = static_cast<std::size_t>(rows_);
    saved_.rows_checksum = rows_checksum_.value();
    saved_.first_total = first_total_, saved_.energy_drift = report_.energy_drift;
    saved_.wall_seconds = wall_seconds();
    saved_.particles = system_->save();
    try {
      checkpoint_file_->replace_by(to_text(saved_));
      ++report_.checkpoints;
      report_.checkpoint_t = system_->t();
    } catch (const InputError& error) {
      if (report_.failure.empty()) report_.failure = error.what();
    }
    next_checkpoint_ = wall_seconds() - wall_before_ + options_.every_wall;
  }

  double wall_seconds() const {
    return wall_before_ + std::chrono::duration<double>(Clock::now() - start_).count();
  }

  ParticleRunOptions options_;
  ParticleRunSpec spec_;
  Executor& executor_;
  RunLimits limits_;
  LimitWatch watch_{{}};
  ParticleRunCheckpoint saved_;
  std::filesystem::path trajectory_file_;
  std::unique_ptr<Mechanism> mechanism_;  // null: the model has no bodies
  std::unique_ptr<ParticleSystem> system_;
  std::unique_ptr<Recorder> recorder_;
  std::optional<RowLog> log_;
  std::unique_ptr<TrajectoryWriter> trajectory_;
  std::optional<OutputFile> checkpoint_file_;
  ParticleReport report_;
  std::vector<double> row_;
  RowChecksum rows_checksum_;
  long rows_ = 0;
  double first_total_ = 0.0;  // J
  Clock::time_point start_ = Clock::now();
  double wall_before_ = 0.0, next_progress_ = 0.0, next_checkpoint_ = 0.0;  // s
};

}  // namespace

bool is_particle_checkpoint(const std::filesystem::path& path) {
  const std::string_view expected = kParticleCheckpoint;
  std::ifstream file(path, std::ios::binary);
  std::string bytes(expected.size(), '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return bytes == expected;
}

ParticleReport run_particles(const std::string& model_text, const std::string& model_file,
                             const std::vector<std::string>& set, const ParticleRunOptions& options,
                             Executor& executor, Recorder* recorder) {
  return ParticleRun(model_text, model_file, set, options, executor).start(recorder);
}

ParticleReport resume_particles(const std::filesystem::path& checkpoint, const ParticleRunOptions& given,
                                Executor& executor, Recorder* recorder) {
  const ParticleRunCheckpoint saved =
      parse_particle_checkpoint(read_text_file(checkpoint, kMostBytes), checkpoint.string());
  if (saved.is_complete)
    throw InputError(fmt::format("the run is complete: it ended at t = {}", saved.particles.t));
  ParticleRunOptions options = given;
  options.checkpoint = checkpoint;
  if (options.result_file.empty()) options.result_file = saved.result_file;
  return ParticleRun(saved.model_text, saved.model_file, saved.set, options, executor)
      .resume(saved, recorder);
}

}  // namespace sestina
