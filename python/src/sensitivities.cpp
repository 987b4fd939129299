// The derivatives of a run, integrated forward with the run, or backward.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <future>

#include "arrays.h"
#include "bind.h"
#include "casters.h"
#include "sestina/io/plot.h"
#include "sestina/workspace/analysis_run.h"
#include "sestina/workspace/run_gradient.h"
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

// Computes on a separate thread, while this one checks for Ctrl-C.
template <class Work>
auto compute(Watch& watch, Work work) {
  const nb::gil_scoped_release release;
  auto waiting = std::async(std::launch::async, work);
  while (waiting.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
    watch.look_for_signals();
  }
  return waiting.get();
}

nb::dict run_sensitivities(const System& system, const std::vector<std::string>& by,
                           const std::vector<std::string>& record) {
  const Workspace workspace(system);
  Watch watch{nb::none()};
  SensitivityOptions options{.by = by, .columns = select(workspace, record), .interrupt = watch.interrupt()};
  const RunSensitivities run = compute(watch, [&] { return calc_run_sensitivities(workspace, options); });
  watch.rethrow();
  const auto rows = static_cast<std::ptrdiff_t>(run.t.size()),
             columns = static_cast<std::ptrdiff_t>(run.columns.size());
  nb::dict data;
  data["columns"] = nb::cast(options.columns);
  data["values"] = array_of(run.values, {rows, columns});
  data["by"] = array_of(run.by, {static_cast<std::ptrdiff_t>(by.size()), rows, columns});
  return data;
}

// The function of Python, given the times and the values (rows, columns), returns the cost and its
// derivatives.
double call_cost(const nb::object& function, std::size_t columns, std::span<const double> t,
                 std::span<const double> values, std::span<double> by_values) {
  const nb::gil_scoped_acquire acquire;
  const std::ptrdiff_t rows = static_cast<std::ptrdiff_t>(t.size()),
                       width = static_cast<std::ptrdiff_t>(columns);
  const nb::object data = function(array_of({t.begin(), t.end()}, {rows}),
                                   array_of({values.begin(), values.end()}, {rows, width}));
  const auto pair = nb::cast<std::pair<double, std::vector<double>>>(data);
  std::ranges::copy(pair.second, by_values.begin());
  return pair.first;
}

nb::dict run_gradient(const System& system, const std::vector<std::string>& by,
                      const std::vector<std::string>& record, const nb::object& cost) {
  const Workspace workspace(system);
  Watch watch{nb::none()};
  std::vector<std::string> columns = select(workspace, record);
  columns.erase(columns.begin());  // t
  GradientOptions options{.by = by, .columns = columns, .interrupt = watch.interrupt()};
  if (!cost.is_none()) {
    options.cost = [&](std::span<const double> t, std::span<const double> values,
                       std::span<double> by_values) {
      return call_cost(cost, columns.size(), t, values, by_values);
    };
  }
  RunGradient run;
  try {
    run = compute(watch, [&] { return calc_run_gradient(workspace, options); });
  } catch (const ComputationError&) {
    watch.rethrow();
    if (!watch.interrupt()->load()) throw;
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    nb::raise_python_error();
  }
  watch.rethrow();
  const auto rows = static_cast<std::ptrdiff_t>(run.t.size());
  nb::dict data;
  data["columns"] = nb::cast(columns);
  data["cost"] = run.cost;
  data["by"] = array_of(run.by, {static_cast<std::ptrdiff_t>(by.size())});
  data["t"] = array_of(run.t, {rows});
  data["values"] = array_of(run.values, {rows, static_cast<std::ptrdiff_t>(columns.size())});
  return data;
}

}  // namespace

void bind_sensitivities(nb::module_& module) {
  module.def("_run_sensitivities", run_sensitivities, nb::arg("system"), nb::arg("by"), nb::arg("record"),
             nb::sig("def _run_sensitivities(system: System, by: collections.abc.Sequence[str], record: "
                     "collections.abc.Sequence[str]) -> dict[str, typing.Any]"));
  module.def("_run_gradient", run_gradient, nb::arg("system"), nb::arg("by"), nb::arg("record"),
             nb::arg("cost").none(),
             nb::sig("def _run_gradient(system: System, by: collections.abc.Sequence[str], record: "
                     "collections.abc.Sequence[str], cost: collections.abc.Callable[..., tuple[float, "
                     "list[float]]] | None) -> dict[str, typing.Any]"));
}

}  // namespace sestina::python
