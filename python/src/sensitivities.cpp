// The derivatives of a run, integrated beside it.
#include <nanobind/stl/vector.h>

#include <chrono>
#include <future>

#include "arrays.h"
#include "bind.h"
#include "casters.h"
#include "sestina/io/plot.h"
#include "sestina/workspace/analysis_run.h"
#include "sestina/workspace/run_sensitivities.h"
#include "watch.h"

namespace sestina::python {

namespace {

// The columns that the patterns select, t first.
std::vector<std::string> select(const Workspace& workspace, const std::vector<std::string>& wanted) {
  ResultHeader header;
  header.columns = run_columns(workspace.model(), workspace.analysis(), false);
  PlotOptions options;
  options.columns = wanted;
  std::vector<std::string> columns{"t"};
  for (const std::string& name : select_columns(ResultTable(header), options)) {
    if (name != "t") columns.push_back(name);
  }
  return columns;
}

nb::object array_of(const std::vector<double>& values, std::initializer_list<std::ptrdiff_t> shape) {
  Results results({}, Shape(shape));
  std::copy(values.begin(), values.end(), results.values().begin());
  return results.release();
}

// Runs on a separate thread, while this one checks for Ctrl-C.
nb::dict run_sensitivities(const System& system, const std::vector<std::string>& by,
                           const std::vector<std::string>& record) {
  const Workspace workspace(system);
  Watch watch{nb::none()};
  SensitivityOptions options{.by = by, .columns = select(workspace, record), .interrupt = watch.interrupt()};
  RunSensitivities run;
  {
    const nb::gil_scoped_release release;
    auto waiting = std::async(std::launch::async, [&] { return calc_run_sensitivities(workspace, options); });
    while (waiting.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
      watch.look_for_signals();
    }
    run = waiting.get();
  }
  watch.rethrow();
  const auto rows = static_cast<std::ptrdiff_t>(run.t.size()),
             columns = static_cast<std::ptrdiff_t>(run.columns.size());
  nb::dict told;
  told["columns"] = nb::cast(options.columns);
  told["values"] = array_of(run.values, {rows, columns});
  told["by"] = array_of(run.by, {static_cast<std::ptrdiff_t>(by.size()), rows, columns});
  return told;
}

}  // namespace

void bind_sensitivities(nb::module_& module) {
  module.def("_run_sensitivities", run_sensitivities, nb::arg("system"), nb::arg("by"), nb::arg("record"),
             nb::sig("def _run_sensitivities(system: System, by: collections.abc.Sequence[str], record: "
                     "collections.abc.Sequence[str]) -> dict[str, typing.Any]"));
}

}  // namespace sestina::python
