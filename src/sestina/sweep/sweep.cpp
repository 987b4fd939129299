#include "sestina/sweep/sweep.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>

#include "sestina/base/error.h"
#include "sestina/base/version.h"
#include "sestina/ensemble/late_runs.h"
#include "sestina/parallel/executor.h"
#include "sestina/sweep/sweep_plan.h"
#include "sestina/workspace/lane_worker.h"

namespace sestina {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr const char* kLanes = "lanes";  // in the provenance of the file
constexpr double kProgressPeriod = 0.1;  // s of wall time

// Keeps the data of a run that the file stores. Columns are matched by name, since an axis may change which
// columns there are.
class SweepRecorder final : public Recorder {
 public:
  SweepRecorder(const SweepHeader& header, SweepRecord& record) : header_(header), record_(record) {}

  bool keeps_origin() const override { return false; }

  // A run that failed in a lane begins again.
  void begin(const ResultHeader& run) override {
    final_.clear();
    series_.clear();
    record_.rows = 0;
    std::fill(record_.last_row.begin(), record_.last_row.end(), kNaN);
    std::fill(record_.series.begin(), record_.series.end(), kNaN);
    for (const Column& column : header_.columns) final_.push_back(find(run, column.name));
    for (const std::string& name : header_.series) series_.push_back(find(run, name));
  }

  void record(std::span<const double> row) override {
    copy(row, final_, record_.last_row.data());
    const auto index = static_cast<std::size_t>(record_.rows++);
    if (index < header_.rows) copy(row, series_, record_.series.data() + index * series_.size());
  }

  // The series of all runs have rows at the same instants; other rows only update the last row.
  void record_between(std::span<const double> row) override { copy(row, final_, record_.last_row.data()); }

  void flush() override {}
  void end() override {}

 private:
  static constexpr std::size_t kMissing = static_cast<std::size_t>(-1);

  static std::size_t find(const ResultHeader& run, const std::string& name) {
    for (std::size_t i = 0; i < run.columns.size(); ++i) {
      if (run.columns[i].name == name) return i;
    }
    return kMissing;
  }

  static void copy(std::span<const double> row, const std::vector<std::size_t>& from, double* to) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (from[i] != kMissing) to[i] = row[from[i]];
    }
  }

  const SweepHeader& header_;
  SweepRecord& record_;
  std::vector<std::size_t> final_;  // column of the run for each column of the file
  std::vector<std::size_t> series_;
};

// Returns text such as "line 3 is 'mass: 2' and was 'mass: 1'".
std::string first_difference(const std::string& now, const std::string& before) {
  const auto line_of = [](const std::string& text, std::size_t& start) {
    if (start > text.size()) return std::string("the end");
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string line = text.substr(start, end - start);
    start = end + 1;
    return '\'' + line + '\'';
  };
  std::size_t a = 0;
  std::size_t b = 0;
  for (int line = 1;; ++line) {
    const std::string is = line_of(now, a);
    const std::string was = line_of(before, b);
    if (is != was) return fmt::format("line {} of its text is {} and was {}", line, is, was);
  }
}

std::string axis_in_words(const SweepAxis& axis) {
  return fmt::format("{}: {} values from {} to {}", axis.path, axis.size(), axis.value(0),
                     axis.value(axis.size() - 1));
}

std::string provenance_of(const SweepHeader& header, const std::string& key) {
  for (const auto& [name, value] : header.provenance) {
    if (name == key) return value;
  }
  return "";
}

// Returns the difference of two sweeps, or nothing.
std::string difference(const SweepHeader& now, const SweepHeader& before) {
  if (now.model_text != before.model_text) {
    return "its model is another: " + first_difference(now.model_text, before.model_text);
  }
  if (provenance_of(now, "checksum") != provenance_of(before, "checksum")) {
    return "its tables, meshes or reduced bodies were others";
  }
  for (std::size_t k = 0; k < std::max(now.axes.size(), before.axes.size()); ++k) {
    if (k >= before.axes.size()) return "it does not vary " + now.axes[k].path;
    if (k >= now.axes.size()) return "it varies " + before.axes[k].path + ", too";
    const SweepAxis& is = now.axes[k];
    const SweepAxis& was = before.axes[k];
    if (is.path == was.path && is.texts == was.texts && is.numbers == was.numbers) continue;
    const std::string words = axis_in_words(is);
    return axis_in_words(was) == words
               ? fmt::format("the values of {} between the first and the last were others", is.path)
               : fmt::format("its axis {} is {} and not {}", k + 1, axis_in_words(was), words);
  }
  const auto same_name = [](const Column& a, const Column& b) { return a.name == b.name; };
  const bool same_columns = std::equal(now.columns.begin(), now.columns.end(), before.columns.begin(),
                                       before.columns.end(), same_name);
  if (!same_columns) return "it keeps other columns of each run (--reactions)";
  if (now.series != before.series) return "it keeps other columns over time (--record)";
  if (!now.series.empty() && now.rows != before.rows) {
    return fmt::format("it has {} rows for each run and not {}", before.rows, now.rows);
  }
  return "";
}

// Returns the instruction set of the lanes in which the file's runs were computed; none: each run separately.
std::optional<InstructionSet> find_lanes(const SweepHeader& header) {
  const std::string name = provenance_of(header, kLanes);
  for (const InstructionSet set :
       {InstructionSet::kPortable, InstructionSet::kAvx2, InstructionSet::kAvx512}) {
    if (name == to_string(set)) return set;
  }
  return std::nullopt;
}

// Returns the reason why the remaining runs cannot be computed like the existing ones.
std::string difference_of_lanes(const SweepOptions& options, const SweepHeader& before) {
  const std::optional<InstructionSet> lanes = find_lanes(before);
  if (!lanes) return "";
  if (!options.lanes)
    return fmt::format("its runs were computed in lanes of {} (--lanes)", to_string(*lanes));
  if (is_available(*lanes)) return "";
  return fmt::format("its runs were computed in lanes of {}, which this processor or this build has not",
                     to_string(*lanes));
}

// Nothing if it was interrupted.
std::optional<SweepFile> open_file(const SweepPlan& plan, const SweepOptions& options) {
  std::error_code ignored;
  if (!options.resume || !std::filesystem::exists(options.out, ignored)) {
    SweepHeader header = plan.header();
    header.provenance.emplace_back(kLanes, options.lanes ? to_string(default_instruction_set()) : "off");
    return SweepFile::create(options.out, std::move(header), options.interrupt);
  }
  SweepFile file = SweepFile::open(options.out, SweepFile::Access::kWrite);
  if (const std::string other = difference(plan.header(), file.header()); !other.empty()) {
    throw InputError("cannot continue '" + options.out.string() + "': " + other);
  }
  if (const std::string other = difference_of_lanes(options, file.header()); !other.empty()) {
    throw InputError("cannot continue '" + options.out.string() + "': " + other);
  }
  return file;
}

struct SweepRun final : EnsembleRun {
  SweepRecord record;
  std::string reason_alone;
};

class Sweep final : public RunSource {
 public:
  Sweep(SweepPlan& plan, const SweepOptions& options, SweepFile file)
      : plan_(plan),
        options_(options),
        file_(std::move(file)),
        lanes_(find_lanes(file_.header())),
        parts_(threads()) {
    const std::vector<SweepStatus> status = file_.read_status();
    for (std::size_t run = 0; run < status.size(); ++run) {
      if (status[run] == SweepStatus::kPending) pending_.push_back(run);
      if (status[run] == SweepStatus::kFailed) ++failed_;
    }
  }

  SweepReport go() {
    late_.emplace(pending_.size());
    Executor executor(static_cast<int>(parts_.size()));
    // A chunk takes runs until none is left, so that no thread waits for a long run of another one.
    executor.parallel_for(executor.threads(), 1, [this](int begin, int end) {
      for (int i = begin; i < end; ++i) LaneWorker(*this, i, lanes_).work();
    });
    file_.sync();
    return make_report();
  }

  std::unique_ptr<EnsembleRun> take(int thread) override {
    for (;;) {
      const std::size_t next = next_.fetch_add(1);
      if (next >= pending_.size()) return nullptr;
      const Clock::time_point start = Clock::now();
      auto run = std::make_unique<SweepRun>();
      run->number = pending_[next];
      SweepRecord& record = run->record;
      record.energy_drift = record.kinetic_energy = kNaN;
      record.last_row.assign(plan_.header().columns.size(), kNaN);
      record.series.assign(plan_.header().rows * plan_.header().series.size(), kNaN);
      try {
        prepare(*run, thread);
        run->seconds = seconds_since(start);
        return run;
      } catch (const std::exception& error) {
        record.reason = error.what();
        record.status = SweepStatus::kFailed;
        record.wall_seconds = seconds_since(start);
        keep(*run);
      }
    }
  }

  void finish(int thread, EnsembleRun& ended, const RunReport& report) override {
    auto& run = static_cast<SweepRun&>(ended);
    parts_[static_cast<std::size_t>(thread)].alone.store(0.0);
    if (report.status == RunStatus::kInterrupted) return;
    SweepRecord& record = run.record;
    record.steps = report.steps.steps;
    record.rejected = report.steps.rejected;
    record.evaluations = report.steps.evaluations;
    record.energy_drift = report.energy_drift;
    record.kinetic_energy = report.kinetic_energy;
    record.reason = report.failure;
    record.wall_seconds = report.wall_seconds;
    record.status = report.status == RunStatus::kComplete ? SweepStatus::kComplete : SweepStatus::kFailed;
    if (lanes_ && report.lanes == 0) run.reason_alone = explain_no_lanes(*run.workspace);
    keep(run, report.lanes > 0);
  }

  void show_progress(int thread, double fraction) override {
    parts_[static_cast<std::size_t>(thread)].in_lanes.store(fraction);
    show_progress();
  }

  bool is_interrupted() const override {
    return has_stopped_.load() || (options_.interrupt != nullptr && options_.interrupt->load());
  }

 private:
  using Clock = std::chrono::steady_clock;

  // Completed fractions of the runs of a thread.
  struct Parts {
    std::atomic<double> in_lanes{0.0}, alone{0.0};
  };

  static double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  std::size_t threads() const { return static_cast<std::size_t>(std::max(1, options_.threads)); }

  void prepare(SweepRun& run, int thread) {
    run.workspace = plan_.make_workspace(run.number);
    Workspace& workspace = *run.workspace;
    workspace.set_threads(1);
    workspace.set_limits(options_.limits);
    workspace.set_interrupt(options_.interrupt);
    if (options_.reactions) workspace.record_reactions();
    workspace.add_recorder(std::make_unique<SweepRecorder>(plan_.header(), run.record));
    if (!options_.on_progress && !options_.on_hint) return;
    std::atomic<double>& part = parts_[static_cast<std::size_t>(thread)].alone;
    workspace.on_progress([this, &part](const RunProgress& progress) {
      part.store(progress.t / progress.duration);
      show_progress();
    });
  }

  void keep(const SweepRun& run, bool was_in_lanes = false) {
    {
      const std::lock_guard lock(mutex_);
      try {
        file_.write(run.number, run.record);
      } catch (...) {
        has_stopped_.store(true);
        throw;
      }
      ++done_;
      if (run.record.status == SweepStatus::kFailed) ++failed_;
      if (was_in_lanes) ++in_lanes_;
      if (!run.reason_alone.empty() && run.number <= first_alone_) {
        first_alone_ = run.number;
        reason_alone_ = run.reason_alone;
      }
      const SweepHeader& header = plan_.header();
      if (!header.series.empty() && static_cast<std::size_t>(run.record.rows) > header.rows) ++cut_;
    }
    show_progress();
  }

  void show_progress() {
    if (!options_.on_progress && !options_.on_hint) return;
    const std::unique_lock lock(mutex_, std::try_to_lock);
    const double now = wall_seconds();
    if (!lock.owns_lock() || now < next_progress_) return;
    next_progress_ = now + kProgressPeriod;
    const std::string hint = late_->look(done_, now);
    if (!hint.empty() && options_.on_hint) options_.on_hint(hint);
    if (!options_.on_progress) return;
    const std::size_t runs = plan_.header().runs();
    const std::size_t found = runs - pending_.size();
    double here = static_cast<double>(done_);
    for (const Parts& part : parts_) here += part.in_lanes.load() + part.alone.load();
    here = std::min(here, static_cast<double>(pending_.size()));  // a run may just have ended
    const double left = static_cast<double>(pending_.size()) - here;
    options_.on_progress({.runs = runs,
                          .done = found + done_,
                          .failed = failed_,
                          .wall_seconds = now,
                          .seconds_left = here > 0.0 ? now * left / here : kNaN,
                          .fraction = (static_cast<double>(found) + here) / static_cast<double>(runs)});
  }

  double wall_seconds() const { return seconds_since(start_); }

  SweepReport make_report() const {
    const SweepHeader& header = plan_.header();
    SweepReport report;
    report.runs = header.runs();
    report.found = report.runs - pending_.size();
    report.failed = failed_;
    report.complete = report.found + done_ - failed_;
    report.cut = cut_;
    report.in_lanes = in_lanes_;
    report.lanes = lanes_;
    report.reason_alone = reason_alone_;
    report.rows = header.rows;
    report.begun_by = provenance_of(file_.header(), "program");
    report.wall_seconds = wall_seconds();
    if (report.failed > 0) report.status = RunStatus::kFailed;
    if (report.complete + report.failed < report.runs) report.status = RunStatus::kInterrupted;
    std::error_code ignored;
    report.file_bytes = std::filesystem::file_size(file_.path(), ignored);
    const std::vector<SweepStatus> status = file_.read_status();
    for (std::size_t run = 0; run < status.size(); ++run) {
      if (status[run] != SweepStatus::kFailed) continue;
      if (report.failures.size() == SweepReport::kMostReasons) break;
      std::string settings;
      for (const std::string& setting : header.settings(run))
        settings += (settings.empty() ? "" : ", ") + setting;
      report.failures.push_back({settings, file_.read_numbers(run).reason});
    }
    return report;
  }

  SweepPlan& plan_;
  const SweepOptions& options_;
  SweepFile file_;
  std::optional<InstructionSet> lanes_;
  std::vector<std::size_t> pending_;  // runs to do, in order
  std::vector<Parts> parts_;          // by thread
  std::atomic<std::size_t> next_{0};  // index in pending_
  std::atomic<bool> has_stopped_{false};
  std::mutex mutex_;  // for all members below and the file
  std::size_t done_ = 0;
  std::size_t failed_ = 0;
  std::size_t cut_ = 0;
  std::size_t in_lanes_ = 0;
  std::size_t first_alone_ = static_cast<std::size_t>(-1);
  std::string reason_alone_;
  Clock::time_point start_ = Clock::now();
  double next_progress_ = kProgressPeriod;
  std::optional<LateRuns> late_;
};

}  // namespace

SweepReport run_sweep(const ModelTree& model, const std::vector<SweepAxis>& axes,
                      const SweepOptions& options) {
  if (options.threads < 1 || options.threads > kMaxThreads) {
    throw InputError(fmt::format("{} is not a number of threads from 1 to {}", options.threads, kMaxThreads));
  }
  check_run_limits(options.limits);
  SweepPlan plan(model, axes, options);
  // An interrupt before the file exists leaves none.
  std::optional<SweepFile> file = plan.is_interrupted() ? std::nullopt : open_file(plan, options);
  if (!file) {
    SweepReport report;
    report.status = RunStatus::kInterrupted;
    report.runs = plan.header().runs();
    report.begun_by = "sestina " + version();
    return report;
  }
  return Sweep(plan, options, std::move(*file)).go();
}

}  // namespace sestina
