// Runs of systems derived by Kane's or Lagrange's method.
#include "sestina/simulation/symbolic_system.h"
#include "sestina/io/column_expression.h"

#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>

#include <cmath>
#include <optional>

#include "arrays.h"
#include "fixed.h"
#include "limits.h"
#include "python_force.h"
#include "sestina/base/error.h"
#include "sestina/io/result_file.h"
#include "symbolic.h"
#include "views.h"
#include "watch.h"

namespace sestina::python {

using symbolic::SimulationReport;
using symbolic::SymbolicEvent;
using E = Of<Expression>;

namespace {

// During a run, which reads the system without the interpreter's lock, nothing may change it.
class RunnableSystem {
 public:
  explicit RunnableSystem(const Of<symbolic::MotionEquations>& motion)
      : owner_(motion.owner), system_(motion.value) {}

  const Owner& owner() const { return owner_; }
  const symbolic::SymbolicSystem& system() const { return system_; }
  symbolic::SymbolicSystem& to_change() {
    if (runs_ > 0) throw InputError("the system cannot be changed while it is being simulated");
    return system_;
  }
  // Throws InputError unless the arguments belong to its derivation; returns the derivation.
  template <class... Things>
  Owner check(const Things&... things) const {
    Owner owner = owner_;
    (join(owner, things.owner), ...);
    return owner;
  }

  // Python functions for inputs; a later value of an input replaces them. They are stored here for the
  // garbage collector, since they may refer to the system.
  void set_function(const Expression& input, symbolic::InputFunction value,
                    std::shared_ptr<nb::object> function) {
    to_change().set_input(input, std::move(value));
    forget_function(input);
    functions_.emplace_back(input, std::move(function));
  }
  void forget_function(const Expression& input) {
    std::erase_if(functions_, [&](const auto& one) { return one.first == input; });
  }
  int visit_functions(visitproc visit, void* arg) const {
    for (const auto& [input, function] : functions_) Py_VISIT(function->ptr());
    return 0;
  }
  void clear_functions() {
    for (const auto& [input, function] : functions_) function->reset();
  }

  class Running {
   public:
    explicit Running(RunnableSystem& system) : runs_(system.runs_) { ++runs_; }
    ~Running() { --runs_; }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

   private:
    int& runs_;
  };

 private:
  Owner owner_;
  symbolic::SymbolicSystem system_;
  std::vector<std::pair<Expression, std::shared_ptr<nb::object>>> functions_;
  int runs_ = 0;
};

// Stores the rows in a table, and in a file if wanted. The interpreter's lock is released from the first row
// to the last, during which no expression is read.
class RunRecorder final : public Recorder {
 public:
  RunRecorder(std::shared_ptr<ResultTable> table, std::unique_ptr<Recorder> file)
      : table_(std::move(table)), file_(std::move(file)) {}

  void begin(const ResultHeader& header) override {
    *table_ = ResultTable(header);
    if (file_) file_->begin(header);
    release_.emplace();
  }
  void record(std::span<const double> row) override {
    table_->append_row(row);
    if (file_) file_->record(row);
  }
  void record_between(std::span<const double> row) override {
    table_->append_row(row);
    if (file_) file_->record_between(row);
  }
  void flush() override {}
  void end() override {
    if (file_) file_->end();
    release_.reset();
  }

 private:
  std::shared_ptr<ResultTable> table_;
  std::unique_ptr<Recorder> file_;
  std::optional<nb::gil_scoped_release> release_;
};

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return nb::inst_ready(self) ? nb::inst_ptr<RunnableSystem>(self)->visit_functions(visit, arg) : 0;
}
int clear(PyObject* self) {
  if (nb::inst_ready(self)) nb::inst_ptr<RunnableSystem>(self)->clear_functions();
  return 0;
}
PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse)},
                       {Py_tp_clear, reinterpret_cast<void*>(clear)},
                       {0, nullptr}};

void set_input_function(RunnableSystem& self, const E& input, nb::object given, bool takes_state,
                        std::vector<double> knots) {
  self.check(input);
  auto function = std::make_shared<nb::object>(std::move(given));
  const std::string name = to_text(input.value), what = "the function of the input " + name;
  symbolic::InputFunction value;
  value.knots = std::move(knots);
  value.value = [function, name, what, takes_state](double t, std::span<const double> q,
                                                    std::span<const double> u) {
    double number = 0.0;
    int size = 0;
    call_back(t, what, [&] {
      if (!*function) throw InputError("nothing: it has been collected as garbage");
      nb::object returned =
          takes_state ? (*function)(t, read_only_array(q), read_only_array(u)) : (*function)(t);
      // An array of one element, such as -K @ x, is a number.
      if (nb::hasattr(returned, "size") && nb::try_cast(returned.attr("size"), size) && size == 1) {
        returned = returned.attr("item")();
      }
      if (!nb::try_cast(returned, number)) {
        throw InputError(name + ": " + nb::cast<std::string>(nb::repr(returned)) + ", which is not a number");
      }
    });
    return number;
  };
  self.set_function(input.value, std::move(value), std::move(function));
}

symbolic::SimulationOptions options_of(double start, double duration, double every,
                                       const std::optional<std::string>& integrator,
                                       const std::optional<double>& rtol, const std::optional<double>& atol,
                                       const std::optional<double>& dt) {
  symbolic::SimulationOptions options;
  options.start = start;
  options.duration = duration;
  options.output_every = every;
  if (integrator) options.rule.name = *integrator;
  if (rtol) options.step.rtol = *rtol;
  if (atol) options.step.atol = *atol;
  if (dt) {
    options.step.driver = "fixed";
    options.step.dt = *dt;
  }
  return options;
}

nb::tuple simulate(RunnableSystem& self, double start, double duration, double every,
                   std::vector<double> times, const std::optional<std::string>& integrator,
                   const std::optional<double>& rtol, const std::optional<double>& atol,
                   const std::optional<double>& dt, nb::object progress,
                   const std::optional<std::filesystem::path>& out, std::optional<long> max_steps,
                   std::optional<double> max_wall, std::optional<double> max_rows) {
  symbolic::SimulationOptions options = options_of(start, duration, every, integrator, rtol, atol, dt);
  options.output_at = std::move(times);
  options.limits = limits_of(max_steps, max_wall);
  if (max_rows) options.max_rows = *max_rows;
  Watch watch(std::move(progress));
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  options.go_on = [&](double t, long steps) {
    watch.look(t - start, duration, std::chrono::duration<double>(Clock::now() - begin).count(), steps);
    return !watch.interrupt()->load();
  };
  auto table = std::make_shared<ResultTable>();
  const RunnableSystem::Running running(self);
  SimulationReport report;
  forget_callback_error();
  {
    RunRecorder recorder(table, out ? make_recorder(*out) : nullptr);
    report = self.system().run(options, recorder);
  }
  watch.rethrow();
  nb::object raised = take_callback_exception();
  // Ctrl-C during the function of an input.
  if (PyErr_GivenExceptionMatches(raised.ptr(), PyExc_KeyboardInterrupt) != 0) {
    report.is_interrupted = true;
    report.failure.clear();
    report.reason.clear();
    raised = nb::none();
  }
  return nb::make_tuple(table, report, raised);
}

void bind_report(nb::module_& module) {
  nb::class_<SimulationReport> type(module, "SimulationReport", nb::type_slots(plain_described_slots),
                                    "The report at the end of a run of a SymbolicSystem.");
  const char* hint = "what a run left behind stays as it is";
  def_fixed_tuple<SimulationReport>(
      type, "event_counts", "int", hint, [](const SimulationReport& r) { return r.event_counts; },
      "How often each event took place, in the order in which they were added.");
  def_fixed_tuple<SimulationReport>(
      type, "redundant", "int", hint, [](const SimulationReport& r) { return r.redundant; },
      "Velocity constraints, counted from 0, that follow from the others at the "
      "start and were left out.");
  type.def_prop_ro(
          "status",
          [](const SimulationReport& report) {
            return report.is_complete ? "complete" : report.is_interrupted ? "interrupted" : "failed";
          },
          "`complete`, `interrupted` or `failed`.")
      .def_ro("failure", &SimulationReport::failure,
              "The time and the reason of a failure; empty when complete.")
      .def_ro("reason", &SimulationReport::reason, "The failure without the time.")
      .def_ro("t", &SimulationReport::t, "s, how far the run came.")
      .def_ro("rows", &SimulationReport::rows)
      .def_ro("steps", &SimulationReport::steps)
      .def_ro("ended_by", &SimulationReport::ended_by, "The terminal event that took place, or empty.")
      .def_ro("configuration_residual", &SimulationReport::configuration_residual,
              "The largest error of a configuration constraint in any row, in the constraint's unit.")
      .def_ro("velocity_residual", &SimulationReport::velocity_residual,
              "The largest error of a velocity constraint in any row, in the constraint's unit.")
      .def_ro("drift", &SimulationReport::drift,
              "The largest error of a configuration constraint after a step, before coordinates were "
              "corrected.")
      .def("__repr__", [](const SimulationReport& report) {
        return fmt::format("<sestina.symbolic.SimulationReport {}: t = {} s, {} rows, {} steps>",
                           report.is_complete      ? "complete"
                           : report.is_interrupted ? "interrupted"
                                                   : "failed",
                           report.t, report.rows, report.steps.steps);
      });
}

CrossingDirection direction_of(const std::string& word) {
  if (word == "rising") return CrossingDirection::kRising;
  if (word == "falling") return CrossingDirection::kFalling;
  if (word == "both") return CrossingDirection::kBoth;
  throw InputError(fmt::format("direction: '{}'; allowed are rising, falling and both", word));
}

void add_event(RunnableSystem& self, const std::string& name, const Scalar& when,
               const std::string& direction, nb::handle set, bool terminal, double tolerance) {
  if (name.empty()) throw InputError("an event needs a name");
  if (!(tolerance >= 0.0) || !std::isfinite(tolerance)) {
    throw InputError(fmt::format("event {}: the tolerance {} s; allowed is 0 or more", name, tolerance));
  }
  Owner owner = self.check(when);
  SymbolicEvent event{name,     when.value, direction_of(direction), to_replacements(set, owner),
                      terminal, tolerance};
  self.to_change().add_event(std::move(event));
}

nb::dict initial_state(const RunnableSystem& self, double t) {
  if (!std::isfinite(t)) throw InputError(fmt::format("t = {} is not finite", t));
  const State<double> state = self.system().calc_initial_state(t);
  const symbolic::MotionEquations& motion = self.system().motion();
  nb::dict values;
  const auto put = [&](const std::vector<Expression>& symbols, const std::vector<double>& numbers) {
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      values[nb::cast(owned(self.owner(), symbols[i]))] = numbers[i];
    }
  };
  put(motion.q, state.q);
  put(motion.u, state.u);
  return values;
}

template <class T>
void bind_inputs(T& type) {
  type.def(
          "set_input",
          [](RunnableSystem& self, const E& input, const Scalar& value) {
            self.check(input, value);
            self.to_change().set_input(input.value, value.value);
            self.forget_function(input.value);
          },
          nb::arg("input"), nb::arg("value"))
      .def("set_input_function", set_input_function, nb::arg("input"), nb::arg("function"),
           nb::arg("takes_state"), nb::arg("knots"))
      .def(
          "set_input_table",
          [](RunnableSystem& self, const E& input, std::vector<double> times, std::vector<double> values) {
            self.check(input);
            self.to_change().set_input(input.value,
                                       symbolic::make_input_table(std::move(times), std::move(values)));
            self.forget_function(input.value);
          },
          nb::arg("input"), nb::arg("times"), nb::arg("values"));
}

template <class T>
void bind_description(T& type) {
  type.def(
          "set",
          [](RunnableSystem& self, nb::handle given) {
            Owner owner = self.owner();
            const auto values = to_values("parameters", given, owner);
            self.to_change().set(values);
          },
          nb::arg("parameters"))
      .def(
          "set_initial",
          [](RunnableSystem& self, nb::handle given) {
            Owner owner = self.owner();
            const auto values = to_replacements(given, owner);
            self.to_change().set_initial(values);
          },
          nb::arg("values"))
      .def(
          "set_guess",
          [](RunnableSystem& self, nb::handle given) {
            Owner owner = self.owner();
            const auto values = to_replacements(given, owner);
            self.to_change().set_guess(values);
          },
          nb::arg("values"))
      .def(
          "add_invariant",
          [](RunnableSystem& self, const E& invariant) {
            self.check(invariant);
            self.to_change().add_invariant(invariant.value);
          },
          nb::arg("invariant"))
      .def(
          "add_output",
          [](RunnableSystem& self, const std::string& name, const Scalar& value, const std::string& unit) {
            self.check(value);
            self.to_change().add_output(name, value.value, unit);
          },
          nb::arg("name"), nb::arg("value"), nb::arg("unit"))
      .def(
          "add_energies",
          [](RunnableSystem& self, const Of<symbolic::ReferenceFrame>& frame, nb::handle bodies) {
            Owner owner = self.check(frame);
            const std::vector<symbolic::Body> all = to_bodies(bodies, owner);
            if (all.empty()) throw InputError("bodies: there are none, whose energies these would be");
            self.to_change().add_energies(frame.value, all);
          },
          nb::arg("frame"), nb::arg("bodies"))
      .def("add_event", add_event, nb::arg("name"), nb::arg("when"), nb::arg("direction"),
           nb::arg("set").none(), nb::arg("terminal"), nb::arg("tolerance"));
}

nb::object evaluate_at_start(const RunnableSystem& self, const std::vector<Scalar>& expressions) {
  for (const Scalar& e : expressions) self.check(e);
  if (expressions.empty()) return new_array({});
  forget_callback_error();
  try {
    return new_array(self.system().evaluate_at_start(values_of<Expression>(expressions)));
  } catch (const ComputationError&) {
    throw_callback_error();
    throw;
  }
}

// The unit and the values (rows) of an expression of a result's columns and of parameters with numbers.
nb::tuple calculate(const ResultTable& table, const Scalar& expression, nb::handle parameters) {
  Graph* const graph = expression.value.graph();
  if (graph == nullptr) {
    const std::vector<double> values(table.rows(), expression.value.number().value());
    return nb::make_tuple("", new_array(values));
  }
  std::vector<std::pair<std::string, double>> constants;
  for (const auto& [symbol, value] : nb::cast<nb::dict>(parameters)) {
    constants.emplace_back(nb::cast<std::string>(nb::str(symbol)), nb::cast<double>(value));
  }
  const CalculatedColumn calculated = calc_column(table, *graph, expression.value.in(*graph), "", constants);
  return nb::make_tuple(calculated.column.unit, new_array(calculated.values));
}

}  // namespace

void bind_symbolic_system(nb::module_& module) {
  bind_report(module);
  nb::class_<RunnableSystem> type(module, "_SymbolicSystem", nb::type_slots(slots));
  type.def(nb::init<const Of<symbolic::MotionEquations>&>(), nb::arg("motion"))
      .def_prop_ro("q", [](const RunnableSystem& s) { return owned_all(s.owner(), s.system().motion().q); })
      .def_prop_ro("u", [](const RunnableSystem& s) { return owned_all(s.owner(), s.system().motion().u); })
      .def_prop_ro(
          "multipliers",
          [](const RunnableSystem& s) { return owned_all(s.owner(), s.system().motion().multipliers); })
      .def("initial_state", initial_state, nb::arg("t"),
           nb::sig("def initial_state(self, t: float) -> dict[Expression, float]"))
      .def("evaluate_at_start", evaluate_at_start, nb::arg("expressions"),
           nb::sig("def evaluate_at_start(self, expressions: collections.abc.Sequence[Expression | float]) "
                   "-> numpy.typing.NDArray[numpy.float64]"))
      .def("simulate", simulate, nb::arg("start"), nb::arg("duration"), nb::arg("every"), nb::arg("times"),
           nb::arg("integrator").none(), nb::arg("rtol").none(), nb::arg("atol").none(), nb::arg("dt").none(),
           nb::arg("progress").none(), nb::arg("out").none(), nb::arg("max_steps").none(),
           nb::arg("max_wall").none(), nb::arg("max_rows").none(),
           nb::sig("def simulate(self, start: float, duration: float, every: float, times: "
                   "collections.abc.Sequence[float], integrator: str | None, "
                   "rtol: float | None, atol: float | None, dt: float | None, progress: "
                   "collections.abc.Callable[[float, float, float, int], object] | None, out: str | "
                   "os.PathLike[str] | None, max_steps: int | None, max_wall: float | None, "
                   "max_rows: float | None) -> tuple[Table, "
                   "SimulationReport, BaseException | None]"));
  bind_description(type);
  bind_inputs(type);
  module.def("_calculate", calculate, nb::arg("table"), nb::arg("expression"), nb::arg("parameters"),
             nb::sig("def _calculate(table: Table, expression: Expression, parameters: dict[Expression, "
                     "float]) -> tuple[str, numpy.typing.NDArray[numpy.float64]]"));
}

}  // namespace sestina::python
