// Sweeps: many runs of one model with other values of some of its keys.
#include "sestina/sweep/sweep.h"

#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/shared_ptr.h>

#include <chrono>
#include <future>
#include <mutex>
#include <utility>

#include "arrays.h"
#include "bind.h"
#include "casters.h"
#include "limits.h"
#include "sestina/parallel/thread_count.h"
#include "watch.h"

namespace sestina::python {

namespace {

const char* word_of(RunStatus status) {
  return status == RunStatus::kComplete ? "complete"
         : status == RunStatus::kFailed ? "failed"
                                        : "interrupted";
}

nb::dict sweep(const std::string& model_text, const std::string& name, const std::vector<std::string>& vary,
               const std::filesystem::path& out, const std::vector<std::string>& record, bool reactions,
               bool resume, bool lanes, std::optional<int> threads, nb::object progress,
               std::optional<long> max_steps, std::optional<double> max_wall) {
  Watch watch(std::move(progress));
  SweepOptions options;
  options.out = out;
  options.threads = threads.value_or(default_thread_count());
  options.record = record;
  options.reactions = reactions;
  options.resume = resume;
  options.lanes = lanes;
  options.limits = limits_of(max_steps, max_wall);
  options.interrupt = watch.interrupt();
  options.on_progress = [&watch](const SweepProgress& now) {
    watch.look(now.done, now.runs, now.failed, now.wall_seconds, now.fraction);
  };
  std::mutex mutex;
  std::string hint;
  options.on_hint = [&](const std::string& text) {
    const std::lock_guard lock(mutex);
    hint = text;
  };
  SweepReport report;
  {
    nb::gil_scoped_release release;
    // Runs on a separate thread, while this one checks for Ctrl-C: Python informs only the main thread.
    auto ended = std::async(std::launch::async, [&] {
      return run_sweep(parse_model_tree(model_text, name), parse_sweep_axes(vary), options);
    });
    while (ended.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
      watch.look_for_signals();
      const std::lock_guard lock(mutex);
      watch.warn(std::exchange(hint, {}));
    }
    report = ended.get();
  }
  watch.rethrow();
  nb::list failures;
  for (const SweepReport::Failure& failure : report.failures) {
    failures.append(nb::make_tuple(failure.settings.c_str(), failure.reason.c_str()));
  }
  nb::dict data;
  data["status"] = word_of(report.status);
  data["runs"] = report.runs;
  data["complete"] = report.complete;
  data["failed"] = report.failed;
  data["found"] = report.found;
  data["in_lanes"] = report.in_lanes;
  data["failures"] = failures;
  data["wall_seconds"] = report.wall_seconds;
  return data;
}

// All datasets except those kept over time.
nb::dict read_sweep(const std::filesystem::path& path) {
  const SweepFile file = SweepFile::open(path, SweepFile::Access::kRead);
  const SweepHeader& header = file.header();
  nb::list axes, columns, units, status, reasons;
  for (const SweepAxis& axis : header.axes) {
    axes.append(nb::make_tuple(axis.path.c_str(), nb::cast(axis.texts), nb::cast(axis.numbers)));
  }
  for (const Column& column : header.columns)
    columns.append(column.name.c_str()), units.append(column.unit.c_str());
  const auto runs = static_cast<std::ptrdiff_t>(header.runs());
  Results last({runs}, {static_cast<std::ptrdiff_t>(header.columns.size())});
  Results drift({runs}, {});
  Results steps({runs}, {});
  const std::vector<SweepStatus> of_runs = file.read_status();
  for (std::size_t run = 0; run < of_runs.size(); ++run) {
    const SweepRecord one = file.read_numbers(run);
    const int k = static_cast<int>(run);
    std::copy(one.last_row.begin(), one.last_row.end(), last.row(k).begin());
    drift.row(k)[0] = one.energy_drift;
    steps.row(k)[0] = static_cast<double>(one.steps);
    status.append(of_runs[run] == SweepStatus::kComplete ? "complete"
                  : of_runs[run] == SweepStatus::kFailed ? "failed"
                                                         : "pending");
    reasons.append(one.reason.c_str());
  }
  nb::dict data;
  data["axes"] = axes;
  data["columns"] = columns;
  data["units"] = units;
  data["series"] = nb::cast(header.series);
  data["status"] = status;
  data["reasons"] = reasons;
  data["last"] = last.release();
  data["energy_drift"] = drift.release();
  data["steps"] = steps.release();
  return data;
}

}  // namespace

void bind_sweep(nb::module_& module) {
  module.def(
      "_sweep", sweep, nb::arg("model"), nb::arg("name"), nb::arg("vary"), nb::arg("out"), nb::arg("record"),
      nb::arg("reactions"), nb::arg("resume"), nb::arg("lanes"), nb::arg("threads").none(),
      nb::arg("progress").none(), nb::arg("max_steps").none(), nb::arg("max_wall").none(),
      nb::sig(
          "def _sweep(model: str, name: str, vary: collections.abc.Sequence[str], out: str | "
          "os.PathLike[str], record: collections.abc.Sequence[str], reactions: bool, resume: bool, lanes: "
          "bool, threads: "
          "int | None, progress: collections.abc.Callable[[int, int, int, float, float], object] | None, "
          "max_steps: int | None, "
          "max_wall: float | None) -> "
          "dict[str, typing.Any]"));
  module.def("_read_sweep", read_sweep, nb::arg("path"),
             nb::sig("def _read_sweep(path: str | os.PathLike[str]) -> dict[str, typing.Any]"));
  module.def(
      "_read_sweep_table",
      [](const std::filesystem::path& path, const std::vector<std::string>& columns) {
        return std::make_shared<ResultTable>(read_sweep_table(path, columns));
      },
      nb::arg("path"), nb::arg("columns"), nb::call_guard<nb::gil_scoped_release>(),
      nb::sig("def _read_sweep_table(path: str | os.PathLike[str], columns: collections.abc.Sequence[str]) "
              "-> Table"));
}

}  // namespace sestina::python
