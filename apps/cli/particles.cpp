#include "particles.h"

#include <fmt/format.h>

#include <filesystem>

#include "printing.h"
#include "processes.h"
#include "sestina/base/error.h"
#include "sestina/io/text_file.h"
#include "sestina/parallel/executor.h"
#include "sestina/particle_run/particle_run.h"
#include "terminal.h"

namespace sestina::cli {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;

ParticleRunOptions make_options(const SimulateOptions& options, const std::string& checkpoint,
                                const std::optional<double>& every_wall, ProgressBar& bar) {
  if (process_count() > 1) throw InputError("sestina: models of particles are run by one process");
  if (options.trace) throw InputError("--trace: a run of particles has no trace");
  if (options.real_time)
    throw InputError("--real-time: a run of particles does not keep pace with the clock");
  ParticleRunOptions made;
  made.result_file = options.out;
  made.checkpoint = checkpoint;
  made.every_wall = every_wall.value_or(made.every_wall);
  made.limits = options.limits.limits();
  made.interrupt = &catch_interrupt();
  if (!options.quiet) {
    made.on_progress = [&bar](double t, double duration, double wall_seconds, long steps) {
      bar.show(RunProgress{t, duration, wall_seconds, steps});
    };
  }
  return made;
}

int thread_count(const SimulateOptions& options) {
  return options.threads.empty() ? default_thread_count() : parse_thread_count(options.threads, "--threads");
}

void print_report(const ParticleReport& report, const std::string& out, const std::string& checkpoint) {
  print("{} particles, {} steps, lists of neighbours made {} times\n", report.particles, report.steps,
        report.list_builds);
  if (report.resumed_at) print("resumed        at t = {:.6g}\n", *report.resumed_at);
  const double per_step =
      report.steps > 0 ? 1e9 * report.wall_seconds / (static_cast<double>(report.steps) * report.particles)
                       : 0.0;
  print("simulated      {:.6g} in {:.3g} s of wall time ({:.4g} ns per particle and step)\n", report.t,
        report.wall_seconds, per_step);
  const auto row = [](const char* name, double first, double last) {
    print("  {:<20} {:>14.6g} {:>14.6g}\n", name, first, last);
  };
  if (!report.resumed_at) {
    print("  {:<20} {:>14} {:>14}\n", "", "first row", "last row");
    row("temperature", report.first.temperature, report.last.temperature);
    row("pressure", report.first.pressure, report.last.pressure);
    row("energy.kinetic", report.first.kinetic, report.last.kinetic);
    row("energy.potential", report.first.potential(), report.last.potential());
    row("energy.total", report.first.total(), report.last.total());
    if (report.first.volume != report.last.volume) row("volume", report.first.volume, report.last.volume);
  }
  print("energy drift   {:.6g} (kinetic energy {:.6g})\n", report.energy_drift, report.last.kinetic);
  if (report.frames > 0) print("trajectory     {} frames\n", report.frames);
  if (out.empty()) {
    print("results        not kept (--out FILE.csv or FILE.h5 keeps them)\n");
  } else {
    print("results        {}: {} {}\n", out, report.rows, report.rows == 1 ? "row" : "rows");
  }
  if (report.checkpoints > 0) print("checkpoint     {}: t = {:.6g}\n", checkpoint, report.checkpoint_t);
}

int tell(const ParticleReport& report, const SimulateOptions& options, const std::string& checkpoint) {
  if (!options.quiet) print_report(report, options.out, checkpoint);
  if (report.status == ParticleReport::Status::kComplete) return kSuccess;
  const bool is_interrupted = report.status == ParticleReport::Status::kInterrupted;
  if (is_interrupted) {
    print_error("sestina: interrupted at t = {:.6g}; what was computed until then is kept\n", report.t);
  } else {
    print_error("sestina: the computation failed: {}\n", report.failure);
  }
  if (report.checkpoints > 0) {
    print_error("sestina: `sestina resume {}` continues it from t = {:.6g}\n", checkpoint,
                report.checkpoint_t);
  }
  return is_interrupted ? kInterrupted : kComputationFailed;
}

}  // namespace

// Looks for a keyword, so that models of bodies need not be parsed twice.
bool shows_particles(const std::string& path) {
  const std::string suffix = std::filesystem::path(path).extension().string();
  if (suffix != ".yaml" && suffix != ".yml") return false;
  std::error_code ignored;
  ModelOptions model;
  model.path = path;
  return std::filesystem::exists(path, ignored) && is_particle_model(model);
}

ParticleRunSpec read_particles(const std::string& path, const std::vector<std::string>& set) {
  ModelOptions model;
  model.path = path;
  model.set = set;
  return read_particle_run(model.read_tree());
}

bool is_particle_model(const ModelOptions& model) {
  if (model.path.ends_with(".urdf")) return false;
  const std::string text = read_text_file(model.path, kMostBytes);
  if (text.find("particles") == std::string::npos) return false;
  FaultList faults;
  const YamlPointer root = parse_yaml(text, model.path, faults);
  return has_particles({root, model.path});
}

int run_particle_model(const ModelOptions& model, const SimulateOptions& options,
                       const std::string& checkpoint, const std::optional<double>& every_wall) {
  if (every_wall && checkpoint.empty())
    throw InputError("--every-wall: there is no --checkpoint FILE to write");
  Executor executor(thread_count(options));
  ParticleReport report;
  {
    ProgressBar bar;
    report = run_particles(read_text_file(model.path, kMostBytes), model.path, model.set,
                           make_options(options, checkpoint, every_wall, bar), executor);
  }
  return tell(report, options, checkpoint);
}

int resume_particle_run(const std::string& checkpoint, const SimulateOptions& options,
                        const std::optional<double>& every_wall) {
  Executor executor(thread_count(options));
  ParticleReport report;
  {
    ProgressBar bar;
    report = resume_particles(checkpoint, make_options(options, checkpoint, every_wall, bar), executor);
  }
  return tell(report, options, checkpoint);
}

}  // namespace sestina::cli
