// Runs of a system, and their rows.
#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "arrays.h"
#include "bind.h"
#include "casters.h"
#include "fixed.h"
#include "frozen_model.h"
#include "limits.h"
#include "python_force.h"
#include "sestina/base/error.h"
#include "sestina/io/column_expression.h"
#include "sestina/io/file_uses.h"
#include "sestina/io/plot.h"
#include "sestina/workspace/checkpoint.h"
#include "sestina/workspace/run_origin.h"
#include "sestina/workspace/workspace.h"
#include "views.h"
#include "watch.h"

namespace sestina::python {

namespace {

constexpr const char* kOfResult = "what a run left behind stays as it is";
constexpr const char* kProvenance = "Program, solver, integrator and step: pairs of names and texts.";

// The rows of a run in memory. Their origin (the text of the model, the provenance) is made on demand, since
// that takes as long as a short run.
class RunTable : public ResultTable {
 public:
  RunTable(std::shared_ptr<const System> system, Analysis analysis)
      : system_(std::move(system)), analysis_(std::move(analysis)) {}
  // The interpreter's lock is held.
  const ResultHeader& full_header() const {
    if (!full_header_) {
      full_header_ = header();
      if (full_header_->model_text.empty()) add_origin(*system_, analysis_, *full_header_);
    }
    return *full_header_;
  }
  // Throws InputError where the path is a file that the model was read from.
  void check_output(const std::filesystem::path& path) const {
    FileUses files;
    files.add_inputs_of(*system_);
    files.add_output("the result", path);
    files.check();
  }

 private:
  std::shared_ptr<const System> system_;
  Analysis analysis_;
  mutable std::optional<ResultHeader> full_header_;
};

// Keeps the rows in a table that outlives the run.
class TableRecorder final : public Recorder {
 public:
  TableRecorder(std::shared_ptr<ResultTable> table, bool keeps_origin)
      : table_(std::move(table)), keeps_origin_(keeps_origin) {}
  bool keeps_origin() const override { return keeps_origin_; }
  void begin(const ResultHeader& header) override { *table_ = ResultTable(header); }
  void record(std::span<const double> row) override { table_->append_row(row); }
  void flush() override {}
  void end() override {}

 private:
  std::shared_ptr<ResultTable> table_;
  bool keeps_origin_;
};

struct SimulateOptions {
  bool reactions = false;
  std::optional<std::filesystem::path> out, checkpoint;
  std::optional<int> threads;
  std::optional<double> every_wall, real_time;
  bool trace = false;
  RunLimits limits;
};

// The initial q (nq), u (nu) and x (nx) of a run.
using InitialState = std::tuple<std::vector<double>, std::vector<double>, std::vector<double>>;

void configure(Workspace& workspace, const SimulateOptions& options, Watch& watch) {
  if (options.reactions) workspace.record_reactions();
  if (options.threads) workspace.set_threads(*options.threads);
  if (options.real_time) workspace.set_real_time(*options.real_time);
  if (options.trace) workspace.record_trace();
  workspace.set_limits(options.limits);
  workspace.set_interrupt(watch.interrupt());
  workspace.on_progress([&watch](const RunProgress& progress) {
    watch.look(progress.t, progress.duration, progress.wall_seconds, progress.steps);
  });
}

// Uses the model that was frozen from the system before its analysis was edited, if there is one.
std::unique_ptr<Workspace> make_workspace(const std::shared_ptr<const System>& system,
                                          const FrozenModel* frozen) {
  if (frozen == nullptr || !frozen->has_described_values()) return std::make_unique<Workspace>(system);
  return std::make_unique<Workspace>(system, frozen->shared_model());
}

// A table for the rows, and whether the run must store their origin at once: always if there are Python
// forces, which the garbage collector would not find in it.
std::pair<std::shared_ptr<ResultTable>, bool> make_table(const std::shared_ptr<const System>& system,
                                                         const Workspace& workspace) {
  if (!workspace.model().user_forces().empty()) return {std::make_shared<ResultTable>(), true};
  return {std::make_shared<RunTable>(system, workspace.analysis()), false};
}

// The system is the caller's own: nobody changes it any more.
nb::tuple simulate(const std::shared_ptr<System>& system, const FrozenModel* frozen, nb::object progress,
                   bool reactions, std::optional<std::filesystem::path> out, std::optional<int> threads,
                   std::optional<std::filesystem::path> checkpoint, std::optional<double> every_wall,
                   std::optional<double> real_time, bool trace, std::optional<InitialState> initial,
                   std::optional<long> max_steps, std::optional<double> max_wall) {
  const SimulateOptions options{reactions, std::move(out), std::move(checkpoint),         threads, every_wall,
                                real_time, trace,          limits_of(max_steps, max_wall)};
  if (options.every_wall && !options.checkpoint)
    throw InputError("every_wall: there is no checkpoint to write");
  Watch watch(std::move(progress));
  std::shared_ptr<ResultTable> table;
  bool keeps_origin = false;
  RunReport report;
  forget_callback_error();
  {
    nb::gil_scoped_release release;
    const std::unique_ptr<Workspace> made = make_workspace(system, frozen);
    Workspace& workspace = *made;
    configure(workspace, options, watch);
    if (initial) {
      auto& [q, u, x] = *initial;
      workspace.set_initial_state(std::move(q), std::move(u), std::move(x));
    }
    std::tie(table, keeps_origin) = make_table(system, workspace);
    workspace.add_recorder(std::make_unique<TableRecorder>(table, keeps_origin));
    if (options.checkpoint) {
      workspace.set_checkpoint({.path = *options.checkpoint,
                                .every_wall = options.every_wall.value_or(CheckpointOptions{}.every_wall),
                                .result_file = options.out.value_or("")});
    }
    report = options.out ? workspace.run(*options.out) : workspace.run();
    watch.look(report.t, workspace.analysis().duration, report.wall_seconds, report.steps.steps);
  }
  watch.rethrow();
  nb::object raised = take_callback_exception();
  // Ctrl-C during a callback.
  if (PyErr_GivenExceptionMatches(raised.ptr(), PyExc_KeyboardInterrupt) != 0) {
    report.status = RunStatus::kInterrupted;
    report.failure.clear();
    raised = nb::none();
  }
  // nanobind does not detect that a table is a RunTable.
  nb::object rows = keeps_origin ? nb::cast(table) : nb::cast(std::static_pointer_cast<RunTable>(table));
  return nb::make_tuple(std::move(rows), report, raised);
}

nb::tuple resume(const std::filesystem::path& path, nb::object progress,
                 std::optional<std::filesystem::path> out, std::optional<int> threads,
                 std::optional<double> every_wall, std::optional<double> real_time, bool trace,
                 std::optional<long> max_steps, std::optional<double> max_wall) {
  SimulateOptions options{false,      std::move(out), path,  threads,
                          every_wall, real_time,      trace, limits_of(max_steps, max_wall)};
  Watch watch(std::move(progress));
  auto table = std::make_shared<ResultTable>();
  RunReport report;
  System system;
  {
    nb::gil_scoped_release release;
    const Checkpoint checkpoint = read_checkpoint(path);
    if (!options.out && !checkpoint.result_file.empty()) options.out = checkpoint.result_file;
    options.reactions = checkpoint.reactions;
    system = read_model_of(checkpoint);
    Workspace workspace(system);
    configure(workspace, options, watch);
    workspace.set_checkpoint({.path = path,
                              .every_wall = every_wall.value_or(checkpoint.every_wall),
                              .model_file = checkpoint.model_file,
                              .result_file = options.out.value_or("")});
    if (options.out) {
      report = workspace.resume(checkpoint, *options.out);
      *table = read_result(*options.out);
    } else {
      workspace.add_recorder(std::make_unique<TableRecorder>(table, true));
      report = workspace.resume(checkpoint);
    }
  }
  watch.rethrow();
  return nb::make_tuple(std::move(system), table, report);
}

nb::object column(nb::handle self, const std::string& name) {
  const auto& table = nb::cast<const ResultTable&>(self);
  const std::size_t index = table.column_index(name);
  return view(table.values().data() + index, {static_cast<std::ptrdiff_t>(table.rows())},
              {static_cast<std::ptrdiff_t>(table.columns())}, self);
}

// The unit and the values (rows).
nb::tuple calc_column_of_text(const ResultTable& table, const std::string& text) {
  const CalculatedColumn calculated = calc_column(table, text);
  return nb::make_tuple(calculated.column.unit, new_array(calculated.values));
}

nb::object all_values(nb::handle self) {
  const auto& table = nb::cast<const ResultTable&>(self);
  const auto rows = static_cast<std::ptrdiff_t>(table.rows()),
             columns = static_cast<std::ptrdiff_t>(table.columns());
  return view(table.values().data(), {rows, columns}, {columns, 1}, self);
}

void save(const ResultTable& table, const ResultHeader& header, const std::filesystem::path& path) {
  const nb::gil_scoped_release release;
  const auto recorder = make_recorder(path);
  recorder->begin(header);
  for (std::size_t i = 0; i < table.rows(); ++i) recorder->record(table.row(i));
  recorder->end();
}

// Pictures and expressions of columns.
void bind_pictures(nb::class_<ResultTable>& table_type) {
  table_type
      .def(
          "draw",
          [](const ResultTable& table, const std::filesystem::path& path,
             const std::vector<std::string>& columns, const std::string& x, const std::string& title,
             double width, double height) {
            plot_result(table, {.columns = columns,
                                .x = x,
                                .title = title,
                                .width = width,
                                .height = height,
                                .output = path});
          },
          nb::arg("path"), nb::arg("columns") = std::vector<std::string>(), nb::arg("x") = "t",
          nb::arg("title") = "", nb::arg("width") = 160.0, nb::arg("height") = 0.0,
          nb::call_guard<nb::gil_scoped_release>(),
          nb::sig("def draw(self, path: str | os.PathLike[str], columns: collections.abc.Sequence[str] = (), "
                  "x: str = "
                  "'t', title: str = '', width: float = 160, height: float = 0) -> None"),
          "Draws columns (`*` matches any letters) as .png, .svg or .pdf, like `sestina plot`; width, "
          "height in mm.")
      .def(
          "select",
          [](const ResultTable& table, const std::vector<std::string>& columns) {
            PlotOptions options;
            options.columns = columns;
            return select_columns(table, options);
          },
          nb::arg("columns"),
          "The names that match the patterns, and expressions of columns unchanged; by default the "
          "first\n"
          "coordinates and the energies.")
      .def("_calculate", calc_column_of_text, nb::arg("expression"),
           nb::sig("def _calculate(self, expression: str) -> tuple[str, "
                   "numpy.typing.NDArray[numpy.float64]]"));
}

void bind_table(nb::module_& module) {
  nb::class_<ResultTable> table_type(module, "Table", nb::type_slots(plain_described_slots),
                                     "The rows of a run: a matrix (rows, columns) whose columns have names.");
  table_type
      .def("__getitem__", column, nb::arg("name"),
           nb::sig("def __getitem__(self, name: str) -> numpy.typing.NDArray[numpy.float64]"),
           "(rows) The column, without a copy, read-only. InputError with the nearest name.")
      .def("__contains__",
           [](const ResultTable& table, const std::string& name) { return table.has_column(name); })
      .def("__len__", &ResultTable::rows)
      .def_prop_ro("values", all_values, nb::sig("def values(self) -> numpy.typing.NDArray[numpy.float64]"),
                   "(rows, columns) Everything, without a copy, read-only.")
      .def(
          "unit", [](const ResultTable& table, const std::string& name) { return table.unit(name); },
          nb::arg("name"), "The column's unit, such as `rad/s`; `1` for a pure number.")
      .def_prop_ro("model_name", [](const ResultTable& table) { return table.header().model_name; })
      .def_prop_ro(
          "model_text", [](const ResultTable& table) { return table.header().model_text; },
          "The model file of the run.")
      .def(
          "save",
          [](const ResultTable& table, const std::filesystem::path& path) {
            save(table, table.header(), path);
          },
          nb::arg("path"), nb::sig("def save(self, path: str | os.PathLike[str]) -> None"),
          "Writes a result file (.csv, .h5).");
  def_fixed_tuple<ResultTable>(table_type, "columns", "str", kOfResult,
                               [](const ResultTable& table) { return table.header().names(); });
  def_fixed_tuple<ResultTable>(
      table_type, "provenance", "tuple[str, str]", kOfResult,
      [](const ResultTable& table) { return table.header().provenance; }, kProvenance);
  bind_pictures(table_type);
}

void bind_run_table(nb::module_& module) {
  nb::class_<RunTable, ResultTable> type(module, "RunTable", "The rows of a run that was simulated here.");
  def_fixed_tuple<RunTable>(
      type, "provenance", "tuple[str, str]", kOfResult,
      [](const RunTable& table) { return table.full_header().provenance; }, kProvenance);
  type.def_prop_ro(
          "model_text", [](const RunTable& table) { return table.full_header().model_text; },
          "The model file of the run.")
      .def(
          "save",
          [](const RunTable& table, const std::filesystem::path& path) {
            table.check_output(path);
            save(table, table.full_header(), path);
          },
          nb::arg("path"), nb::sig("def save(self, path: str | os.PathLike[str]) -> None"),
          "Writes a result file (.csv, .h5).");
}

void bind_steps(nb::module_& module) {
  nb::class_<StepStatistics>(module, "Steps", nb::type_slots(plain_described_slots), "The steps of a run.")
      .def_ro("steps", &StepStatistics::steps, "Accepted.")
      .def_ro("rejected", &StepStatistics::rejected)
      .def_ro("evaluations", &StepStatistics::evaluations, "Of the accelerations.")
      .def_ro("smallest_step", &StepStatistics::smallest_step, "s")
      .def_ro("largest_step", &StepStatistics::largest_step, "s");
}

void bind_lists_of_report(nb::class_<RunReport>& type) {
  def_fixed_tuple<RunReport>(
      type, "remarks", "str", kOfResult, [](const RunReport& r) { return r.remarks; },
      "Remarks on the result, such as that an equilibrium is not stable.");
  def_fixed_tuple<RunReport>(
      type, "event_counts", "int", kOfResult, [](const RunReport& r) { return r.event_counts; },
      "How often each event of the model took place.");
  def_fixed_tuple<RunReport>(
      type, "trace", "tuple[str, float, int]", kOfResult,
      [](const RunReport& report) {
        std::vector<std::tuple<std::string, double, long>> phases;
        for (const PhaseTime& phase : report.trace) {
          phases.emplace_back(phase.name, phase.seconds, phase.entries);
        }
        return phases;
      },
      "Where the time went: name, seconds, calls.");
  type.def_prop_ro(
      "final_state",
      [](const RunReport& report) {
        const State<double>& state = report.final_state;
        return nb::make_tuple(state.t, fixed_array(state.q, kOfResult), fixed_array(state.u, kOfResult),
                              fixed_array(state.d, kOfResult));
      },
      nb::sig("def final_state(self) -> tuple[float, numpy.typing.NDArray[numpy.float64], "
              "numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]"),
      "t (s), q (nq), u (nu), d (nd) where the run ended.");
}

void bind_report(nb::module_& module) {
  nb::class_<RunReport> type(module, "Report", nb::type_slots(plain_described_slots),
                             "The report at the end of a run.");
  bind_lists_of_report(type);
  type.def_prop_ro(
          "status",
          [](const RunReport& report) {
            return report.status == RunStatus::kComplete ? "complete"
                   : report.status == RunStatus::kFailed ? "failed"
                                                         : "interrupted";
          },
          "`complete`, `interrupted` or `failed`.")
      .def_ro("failure", &RunReport::failure,
              "The time, the joint or force and the reason of a failure; empty when complete.")
      .def_ro("t", &RunReport::t, "s, how far the run came.")
      .def_ro("rows", &RunReport::rows)
      .def_ro("steps", &RunReport::steps)
      .def_ro("wall_seconds", &RunReport::wall_seconds)
      .def_ro("energy_drift", &RunReport::energy_drift,
              "J, the largest deviation of kinetic + potential - supplied + dissipated energy from its "
              "initial value.")
      .def_ro("kinetic_energy", &RunReport::kinetic_energy,
              "J, the largest energy, to compare the drift with.")
      .def_ro("hint", &RunReport::hint, "Why the run makes so little progress, or empty.")
      .def_ro("ended_by", &RunReport::ended_by, "The event that ended the run, or empty.")
      .def_ro("resumed_at", &RunReport::resumed_at, "s, the time at which a resumed run continued.")
      .def_ro("checkpoints", &RunReport::checkpoints, "How many were written.")
      .def_ro("checkpoint_failure", &RunReport::checkpoint_failure,
              "Why the last checkpoint could not be written, or empty.")
      .def("__repr__", [](nb::handle self) {
        const auto& report = nb::cast<const RunReport&>(self);
        return fmt::format("<sestina.Report {}: t = {} s, {} rows, {} steps{}{}>",
                           nb::cast<std::string>(self.attr("status")), report.t, report.rows,
                           report.steps.steps, report.remarks.empty() ? "" : "; ",
                           fmt::join(report.remarks, "; "));
      });
}

}  // namespace

void bind_simulate(nb::module_& module) {
  bind_table(module);
  bind_run_table(module);
  bind_steps(module);
  bind_report(module);
  module.def(
      "_simulate", simulate, nb::arg("system"), nb::arg("model").none(), nb::arg("progress").none(),
      nb::arg("reactions"), nb::arg("out").none(), nb::arg("threads").none(), nb::arg("checkpoint").none(),
      nb::arg("every_wall").none(), nb::arg("real_time").none(), nb::arg("trace"), nb::arg("initial").none(),
      nb::arg("max_steps").none(), nb::arg("max_wall").none(),
      nb::sig("def _simulate(system: System, model: Model | None, progress: collections.abc.Callable[[float, "
              "float, float, int], "
              "object] | None, reactions: bool, out: str | os.PathLike[str] | None, threads: int | None, "
              "checkpoint: str | os.PathLike[str] | None, every_wall: float | None, real_time: float | None, "
              "trace: bool, initial: tuple[collections.abc.Sequence[float], collections.abc.Sequence[float], "
              "collections.abc.Sequence[float]] | None, max_steps: int | None, max_wall: float | None) "
              "-> tuple[Table, Report, BaseException | None]"));
  module.def(
      "_resume", resume, nb::arg("checkpoint"), nb::arg("progress").none(), nb::arg("out").none(),
      nb::arg("threads").none(), nb::arg("every_wall").none(), nb::arg("real_time").none(), nb::arg("trace"),
      nb::arg("max_steps").none(), nb::arg("max_wall").none(),
      nb::sig(
          "def _resume(checkpoint: str | os.PathLike[str], progress: collections.abc.Callable[[float, float, "
          "float, int], object] | None, out: str | os.PathLike[str] | None, threads: int | None, every_wall: "
          "float | None, real_time: float | None, trace: bool, max_steps: int | None, max_wall: float | "
          "None) -> tuple[System, Table, Report]"));
  module.def(
      "_read_result",
      [](const std::filesystem::path& path) { return std::make_shared<ResultTable>(read_result(path)); },
      nb::arg("path"), nb::call_guard<nb::gil_scoped_release>(),
      nb::sig("def _read_result(path: str | os.PathLike[str]) -> Table"));
}

}  // namespace sestina::python
