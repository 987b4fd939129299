// Ensembles: many runs of one system, each with its own parameters and initial state.
#include "sestina/workspace/ensemble.h"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>

#include <chrono>
#include <future>
#include <limits>

#include "arrays.h"
#include "bind.h"
#include "casters.h"
#include "limits.h"
#include "python_force.h"
#include "sestina/base/error.h"
#include "sestina/ensemble/late_runs.h"
#include "sestina/io/plot.h"
#include "sestina/workspace/analysis_run.h"
#include "sestina/workspace/workspace.h"
#include "watch.h"

namespace sestina::python {

namespace {

// The rows of one member, for the wanted columns. Several members write at once, each to its own rows.
struct Series {
  std::vector<std::string> columns, units;
  std::vector<double> values;  // (rows x columns)
};

class SeriesRecorder final : public Recorder {
 public:
  // Without `series` no rows are kept.
  SeriesRecorder(Series* series, const std::vector<std::string>& wanted) : series_(series), wanted_(wanted) {}

  void begin(const ResultHeader& header) override {
    forget_callback_error();  // of a former run on this thread
    if (series_ == nullptr) return;
    const ResultTable table(header);
    const std::vector<std::string> names = wanted_.empty() ? header.names() : select(table);
    *series_ = {};
    places_.clear();
    series_->columns = {"t"};  // comes first
    for (const std::string& name : names) {
      if (name != "t") series_->columns.push_back(name);
    }
    for (const std::string& name : series_->columns) {
      places_.push_back(table.column_index(name));
      series_->units.push_back(table.unit(name));
    }
  }
  bool keeps_origin() const override { return false; }
  void record(std::span<const double> row) override {
    for (const std::size_t place : places_) series_->values.push_back(row[place]);
  }
  void flush() override {}
  void end() override {}

 private:
  std::vector<std::string> select(const ResultTable& table) const {
    PlotOptions options;
    options.columns = wanted_;
    return select_columns(table, options);
  }

  Series* series_;
  const std::vector<std::string>& wanted_;
  std::vector<std::size_t> places_;
};

// Throws InputError for a column that the runs will not have.
void check_columns(const Workspace& workspace, const std::vector<std::string>& wanted) {
  ResultHeader header;
  header.columns = run_columns(workspace.model(), workspace.analysis(), false);
  Series series;
  SeriesRecorder(&series, wanted).begin(header);
}

// For each member a row of parameters, and of q, u and the duration if they are given.
std::vector<EnsembleMember> to_members(const Model& model, const std::vector<std::string>& names,
                                       nb::handle parameters, nb::handle q, nb::handle u,
                                       nb::handle duration) {
  StateArguments arguments;
  const int values = arguments.add("parameters", parameters, static_cast<int>(names.size()));
  const int q_place = arguments.add("q", q, model.nq(), true),
            u_place = arguments.add("u", u, model.nu(), true),
            duration_place = arguments.add("duration", duration, StateArguments::kScalar, true);
  arguments.broadcast();
  std::vector<EnsembleMember> members(static_cast<std::size_t>(arguments.count()));
  for (std::size_t k = 0; k < members.size(); ++k) {
    const auto row = [&](int place) { return arguments.row(place, static_cast<int>(k)); };
    for (std::size_t i = 0; i < names.size(); ++i)
      members[k].parameters.emplace_back(names[i], row(values)[i]);
    members[k].q.assign(row(q_place).begin(), row(q_place).end());
    members[k].u.assign(row(u_place).begin(), row(u_place).end());
    if (!duration.is_none()) members[k].duration = arguments[duration_place][k];
  }
  return members;
}

// Runs on a separate thread, while this one checks for Ctrl-C and shows the progress.
std::vector<RunReport> run(const Workspace& workspace, const std::vector<EnsembleMember>& members,
                           EnsembleOptions options, Watch& watch) {
  std::atomic<std::size_t> ended{0};
  options.ended = &ended;
  const auto total = members.size();
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  LateRuns late(total);
  const nb::gil_scoped_release release;
  auto reports = std::async(std::launch::async, [&] { return workspace.run_ensemble(members, options); });
  while (reports.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
    watch.look(ended.load(), total, seconds());
    watch.warn(late.look(ended.load(), seconds()));
  }
  watch.look(ended.load(), total, seconds());
  return reports.get();
}

const char* word_of(RunStatus status) {
  return status == RunStatus::kComplete ? "complete"
         : status == RunStatus::kFailed ? "failed"
                                        : "interrupted";
}

// (members, most rows, columns); missing rows are NaN.
void fill_series(const std::vector<Series>& all, nb::dict& data) {
  std::size_t rows = 0;
  const Series* first = nullptr;
  for (const Series& series : all) {
    if (series.columns.empty()) continue;
    if (first == nullptr) first = &series;
    rows = std::max(rows, series.values.size() / series.columns.size());
  }
  const std::size_t columns = first == nullptr ? 0 : first->columns.size();
  Results values({static_cast<std::ptrdiff_t>(all.size())},
                 {static_cast<std::ptrdiff_t>(rows), static_cast<std::ptrdiff_t>(columns)});
  std::fill(values.values().begin(), values.values().end(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t k = 0; k < all.size(); ++k) {
    std::copy(all[k].values.begin(), all[k].values.end(), values.row(static_cast<int>(k)).begin());
  }
  data["columns"] = nb::cast(first == nullptr ? std::vector<std::string>() : first->columns);
  data["units"] = nb::cast(first == nullptr ? std::vector<std::string>() : first->units);
  data["series"] = values.release();
}

void fill_reports(const std::vector<RunReport>& reports, const Model& model, nb::dict& data) {
  const auto count = static_cast<std::ptrdiff_t>(reports.size());
  Results q({count}, {model.nq()}), u({count}, {model.nu()});
  Results numbers({count}, {4});
  nb::list status, reasons;
  for (std::size_t k = 0; k < reports.size(); ++k) {
    const RunReport& report = reports[k];
    const auto copy = [&](const std::vector<double>& from, std::span<double> to) {
      std::fill(to.begin(), to.end(), std::numeric_limits<double>::quiet_NaN());
      if (from.size() == to.size()) std::copy(from.begin(), from.end(), to.begin());
    };
    copy(report.final_state.q, q.row(static_cast<int>(k)));
    copy(report.final_state.u, u.row(static_cast<int>(k)));
    const std::span<double> row = numbers.row(static_cast<int>(k));
    row[0] = report.t;
    row[1] = report.energy_drift;
    row[2] = static_cast<double>(report.steps.steps);
    row[3] = report.lanes;
    status.append(word_of(report.status));
    reasons.append(report.failure.c_str());
  }
  data["q"] = q.release();
  data["u"] = u.release();
  data["numbers"] = numbers.release();
  data["status"] = status;
  data["reasons"] = reasons;
}

nb::dict run_ensemble(const System& system, const std::vector<std::string>& names, nb::handle parameters,
                      nb::handle q, nb::handle u, nb::handle duration,
                      const std::optional<std::vector<std::string>>& record, bool lanes,
                      std::optional<int> threads, nb::object progress, std::optional<long> max_steps,
                      std::optional<double> max_wall) {
  const Workspace workspace(system);
  for (const std::string& name : names) workspace.check_parameter(name);
  const std::vector<std::string> wanted = record.value_or(std::vector<std::string>());
  if (record) check_columns(workspace, wanted);
  const std::vector<EnsembleMember> members =
      to_members(workspace.model(), names, parameters, q, u, duration);
  std::vector<Series> series(record ? members.size() : 0);
  Watch watch(std::move(progress));
  EnsembleOptions options;
  options.threads = threads.value_or(0);
  options.lanes = lanes;
  options.limits = limits_of(max_steps, max_wall);
  options.interrupt = watch.interrupt();
  options.make_recorder = [&](std::size_t member) {
    return std::make_unique<SeriesRecorder>(record ? &series[member] : nullptr, wanted);
  };
  const std::vector<RunReport> reports = run(workspace, members, options, watch);
  watch.rethrow();
  nb::dict data;
  fill_reports(reports, workspace.model(), data);
  if (record) fill_series(series, data);
  return data;
}

}  // namespace

void bind_ensemble(nb::module_& module) {
  module.def(
      "_run_ensemble", run_ensemble, nb::arg("system"), nb::arg("names"), nb::arg("parameters"),
      nb::arg("q").none(), nb::arg("u").none(), nb::arg("duration").none(), nb::arg("record").none(),
      nb::arg("lanes"), nb::arg("threads").none(), nb::arg("progress").none(), nb::arg("max_steps").none(),
      nb::arg("max_wall").none(),
      nb::sig(
          "def _run_ensemble(system: System, names: collections.abc.Sequence[str], parameters: "
          "numpy.typing.ArrayLike, q: numpy.typing.ArrayLike | None, u: numpy.typing.ArrayLike | None, "
          "duration: numpy.typing.ArrayLike | None, record: collections.abc.Sequence[str] | None, lanes: "
          "bool, threads: int | None, progress: collections.abc.Callable[[int, int, float], object] | None, "
          "max_steps: int | None, max_wall: float | None) -> dict[str, "
          "typing.Any]"));
}

}  // namespace sestina::python
