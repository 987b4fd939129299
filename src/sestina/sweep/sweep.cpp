#include "sestina/sweep/sweep.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>

#include "sestina/base/error.h"
#include "sestina/parallel/executor.h"
#include "sestina/sweep/sweep_plan.h"

namespace sestina {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kProgressPeriod = 0.1;  // s of wall time

// Keeps of a run what the file has room for. Columns belong together by their names, since an axis may change
// which ones there are.
class SweepRecorder final : public Recorder {
 public:
  SweepRecorder(const SweepHeader& header, SweepRecord& record) : header_(header), record_(record) {}

  void begin(const ResultHeader& run) override {
    for (const Column& column : header_.columns) final_.push_back(find(run, column.name));
    for (const std::string& name : header_.series) series_.push_back(find(run, name));
  }

  void record(std::span<const double> row) override {
    copy(row, final_, record_.last_row.data());
    const auto index = static_cast<std::size_t>(record_.rows++);
    if (index < header_.rows) copy(row, series_, record_.series.data() + index * series_.size());
  }

  // The series of all runs have their rows at the same instants.
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
  std::vector<std::size_t> final_;  // for each column of the file, that of the run
  std::vector<std::size_t> series_;
};

// "line 3 is 'mass: 2' and was 'mass: 1'"
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
  return fmt::format("{}: {} values from {} to {}", axis.path, axis.values.size(), axis.values.front(),
                     axis.values.back());
}

std::string provenance_of(const SweepHeader& header, const std::string& key) {
  for (const auto& [name, value] : header.provenance) {
    if (name == key) return value;
  }
  return "";
}

// What tells two sweeps apart, or nothing.
std::string difference(const SweepHeader& now, const SweepHeader& before) {
  if (now.model_text != before.model_text) {
    return "its model is another: " + first_difference(now.model_text, before.model_text);
  }
  if (provenance_of(now, "checksum") != provenance_of(before, "checksum")) {
    return "the tables of its forces were others";
  }
  for (std::size_t k = 0; k < std::max(now.axes.size(), before.axes.size()); ++k) {
    if (k >= before.axes.size()) return "it does not vary " + now.axes[k].path;
    if (k >= now.axes.size()) return "it varies " + before.axes[k].path + ", too";
    const SweepAxis& is = now.axes[k];
    const SweepAxis& was = before.axes[k];
    if (is.path == was.path && is.values == was.values) continue;
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

SweepFile open_file(const SweepPlan& plan, const SweepOptions& options) {
  std::error_code ignored;
  if (!options.resume || !std::filesystem::exists(options.out, ignored)) {
    return SweepFile::create(options.out, plan.header());
  }
  SweepFile file = SweepFile::open(options.out, SweepFile::Access::kWrite);
  if (const std::string other = difference(plan.header(), file.header()); !other.empty()) {
    throw InputError("cannot continue '" + options.out.string() + "': " + other);
  }
  return file;
}

class Sweep {
 public:
  Sweep(const SweepPlan& plan, const SweepOptions& options)
      : plan_(plan), options_(options), file_(open_file(plan, options)), parts_(threads()) {
    const std::vector<SweepStatus> status = file_.read_status();
    for (std::size_t run = 0; run < status.size(); ++run) {
      if (status[run] == SweepStatus::kPending) pending_.push_back(run);
      if (status[run] == SweepStatus::kFailed) ++failed_;
    }
  }

  SweepReport go() {
    Executor executor(static_cast<int>(parts_.size()));
    // A chunk takes runs until none is left, so that no thread waits for another's long run.
    executor.parallel_for(executor.threads(), 1, [this](int begin, int end) {
      for (int i = begin; i < end; ++i) take_runs(parts_[static_cast<std::size_t>(i)]);
    });
    file_.sync();
    return make_report();
  }

 private:
  using Clock = std::chrono::steady_clock;

  std::size_t threads() const { return static_cast<std::size_t>(std::max(1, options_.threads)); }

  bool is_interrupted() const { return options_.interrupt != nullptr && options_.interrupt->load(); }

  void take_runs(std::atomic<double>& part) {
    while (!is_interrupted() && !has_stopped_.load()) {
      const std::size_t next = next_.fetch_add(1);
      if (next >= pending_.size()) return;
      const SweepRecord record = calc_run(pending_[next], part);
      if (record.status == SweepStatus::kPending) return;
      keep(pending_[next], record, part);
      show_progress();
    }
  }

  // Pending where it was interrupted.
  SweepRecord calc_run(std::size_t run, std::atomic<double>& part) {
    const SweepHeader& header = plan_.header();
    const Clock::time_point start = Clock::now();
    SweepRecord record;
    record.energy_drift = record.kinetic_energy = kNaN;
    record.last_row.assign(header.columns.size(), kNaN);
    record.series.assign(header.rows * header.series.size(), kNaN);
    try {
      Workspace workspace(plan_.make_system(run));
      workspace.set_threads(1);
      workspace.set_interrupt(options_.interrupt);
      if (options_.reactions) workspace.record_reactions();
      workspace.add_recorder(std::make_unique<SweepRecorder>(header, record));
      if (options_.on_progress) {
        workspace.on_progress([&](const RunProgress& progress) {
          part.store(progress.t / progress.duration);
          show_progress();
        });
      }
      const RunReport report = workspace.run();
      record.steps = report.steps.steps;
      record.rejected = report.steps.rejected;
      record.evaluations = report.steps.evaluations;
      record.energy_drift = report.energy_drift;
      record.kinetic_energy = report.kinetic_energy;
      record.reason = report.failure;
      if (report.status == RunStatus::kComplete) record.status = SweepStatus::kComplete;
      if (report.status == RunStatus::kFailed) record.status = SweepStatus::kFailed;
    } catch (const std::exception& error) {
      record.reason = error.what();
      record.status = SweepStatus::kFailed;
    }
    record.wall_seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return record;
  }

  void keep(std::size_t run, const SweepRecord& record, std::atomic<double>& part) {
    const std::lock_guard lock(mutex_);
    try {
      file_.write(run, record);
    } catch (...) {
      has_stopped_.store(true);
      throw;
    }
    part.store(0.0);
    ++done_;
    if (record.status == SweepStatus::kFailed) ++failed_;
    const SweepHeader& header = plan_.header();
    if (!header.series.empty() && static_cast<std::size_t>(record.rows) > header.rows) ++cut_;
  }

  void show_progress() {
    if (!options_.on_progress) return;
    const std::unique_lock lock(mutex_, std::try_to_lock);
    const double now = wall_seconds();
    if (!lock.owns_lock() || now < next_progress_) return;
    next_progress_ = now + kProgressPeriod;
    const std::size_t runs = plan_.header().runs();
    const std::size_t found = runs - pending_.size();
    double here = static_cast<double>(done_);
    for (const std::atomic<double>& part : parts_) here += part.load();
    const double left = static_cast<double>(pending_.size()) - here;
    options_.on_progress({.runs = runs,
                          .done = found + done_,
                          .failed = failed_,
                          .wall_seconds = now,
                          .seconds_left = here > 0.0 ? now * left / here : kNaN,
                          .fraction = (static_cast<double>(found) + here) / static_cast<double>(runs)});
  }

  double wall_seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  SweepReport make_report() const {
    const SweepHeader& header = plan_.header();
    SweepReport report;
    report.runs = header.runs();
    report.found = report.runs - pending_.size();
    report.failed = failed_;
    report.complete = report.found + done_ - failed_;
    report.cut = cut_;
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

  const SweepPlan& plan_;
  const SweepOptions& options_;
  SweepFile file_;
  std::vector<std::size_t> pending_;        // runs to do, in their order
  std::vector<std::atomic<double>> parts_;  // of the run that each thread has at hand, done
  std::atomic<std::size_t> next_{0};        // of pending_
  std::atomic<bool> has_stopped_{false};
  std::mutex mutex_;  // of all that follows, and of the file
  std::size_t done_ = 0;
  std::size_t failed_ = 0;
  std::size_t cut_ = 0;
  Clock::time_point start_ = Clock::now();
  double next_progress_ = kProgressPeriod;
};

}  // namespace

SweepReport run_sweep(const ModelTree& model, const std::vector<SweepAxis>& axes,
                      const SweepOptions& options) {
  if (options.threads < 1 || options.threads > kMaxThreads) {
    throw InputError(fmt::format("{} is not a number of threads from 1 to {}", options.threads, kMaxThreads));
  }
  const SweepPlan plan(model, axes, options);
  return Sweep(plan, options).go();
}

}  // namespace sestina
