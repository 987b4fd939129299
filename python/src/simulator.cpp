// Steps of a model from outside: Simulator, and Model.step.
#include "sestina/workspace/simulator.h"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bind.h"
#include "fixed.h"
#include "part.h"
#include "python_force.h"
#include "sestina/base/text.h"
#include "sestina/dynamics/assembly.h"
#include "sestina/model/freeze_analysis.h"
#include "sestina/workspace/integrator_options.h"
#include "states.h"
#include "views.h"

namespace sestina::python {

namespace {

// Speeds, times the evaluations of a step, above which other Python threads may run during a step.
constexpr int kLong = 1000;

constexpr const char* kOfSimulator =
    "Simulator.reset(q=..., u=...) and set_state() set the state, step(dt, tau) the forces";
constexpr const char* kOfSnapshot =
    "a Snapshot stays as it was; Simulator.restore() takes it and set_state() changes the state";

// A rule by its name, or with options in the form of `analysis.integrator`.
RuleOptions to_rule(nb::handle given, const Model& model) {
  RuleOptions rule;
  if (given.is_none()) return {.name = ""};
  if (nb::try_cast(given, rule.name)) return rule;
  System system;
  system.analysis.integrator = to_integrator(given);
  return rule_options(freeze_analysis(system, model));
}

SimulatorOptions options_of(const Model& model, nb::handle integrator, int substeps,
                            const std::string& solver, std::optional<double> rtol,
                            std::optional<double> atol) {
  SimulatorOptions options{.solver = solver, .rule = to_rule(integrator, model), .substeps = substeps};
  if (rtol || atol) {
    ErrorTolerances tolerances;
    if (rtol) tolerances.rtol = *rtol;
    if (atol) tolerances.atol = *atol;
    options.tolerances = tolerances;
  }
  return with_rule(model, options);
}

// A Simulator in Python, with the objects that it refers to.
class Stepper {
 public:
  Stepper(nb::object model, const SimulatorOptions& options)
      : model_(std::move(model)), simulator_(frozen().shared_model(), frozen().properties(), options) {}

  FrozenModel& frozen() const { return nb::cast<FrozenModel&>(model_); }
  nb::handle model() const { return model_; }
  nb::handle law() const { return law_; }
  Simulator& at_rest() {
    if (is_at_work_)
      throw InputError("the simulator is in the middle of a step, in which it cannot be changed");
    return simulator_;
  }
  const Simulator& simulator() const { return simulator_; }

  void step(double dt) {
    Simulator& simulator = at_rest();
    forget_callback_error();
    const AtWork at_work(is_at_work_);
    const int cost = simulator.model().nu() * simulator.options().substeps;
    if (cost < kLong && !simulator.options().tolerances) {
      simulator.step(dt);
    } else {
      const nb::gil_scoped_release release;
      simulator.step(dt);
    }
  }
  void set_law(nb::object law, SamplingOptions options) {
    const bool has_memory = !options.memory.empty();
    at_rest().set_controller(
        [this, has_memory](const State<double>& state, std::span<double> memory, std::span<double> tau) {
          call_back(state.t, "the controller", [&] { ask(state, has_memory, memory, tau); });
        },
        std::move(options));
    law_ = std::move(law);
  }
  void remove_law() {
    at_rest().remove_controller();
    law_.reset();
  }
  // For the garbage collector.
  void clear() {
    law_.reset();
    model_.reset();
  }

 private:
  class AtWork {
   public:
    explicit AtWork(bool& flag) : flag_(flag) { flag_ = true; }
    ~AtWork() { flag_ = false; }
    AtWork(const AtWork&) = delete;
    AtWork& operator=(const AtWork&) = delete;

   private:
    bool& flag_;
  };

  void ask(const State<double>& state, bool has_memory, std::span<double> memory,
           std::span<double> tau) const {
    nb::object returned;
    if (has_memory) {
      const nb::object own = new_array(memory);
      returned = law_(state.t, read_only_array(state.q), read_only_array(state.u), own);
      std::ranges::copy(std::span<const double>(Vector("memory", own, static_cast<int>(memory.size()))),
                        memory.begin());
    } else {
      returned = law_(state.t, read_only_array(state.q), read_only_array(state.u));
    }
    if (returned.is_none()) throw InputError("None; allowed are generalised forces (nu)");
    if (tau.size() == 1 && (PyFloat_Check(returned.ptr()) || PyLong_Check(returned.ptr()))) {
      tau[0] = nb::cast<double>(returned);
      return;
    }
    std::ranges::copy(std::span<const double>(Vector("tau", returned, static_cast<int>(tau.size()))),
                      tau.begin());
  }

  nb::object model_;
  nb::object law_;
  Simulator simulator_;
  bool is_at_work_ = false;
};

nb::object step(Stepper& self, double dt, nb::handle tau, nb::handle out) {
  Simulator& simulator = self.at_rest();
  const auto given = outs<2>(out);
  Results q("out[0]", given[0], {}, {simulator.model().nq()});
  Results u("out[1]", given[1], {}, {simulator.model().nu()});
  if (!tau.is_none()) simulator.set_tau(Vector("tau", tau, simulator.model().nu()));
  self.step(dt);
  std::ranges::copy(simulator.state().q, q.data());
  std::ranges::copy(simulator.state().u, u.data());
  return nb::make_tuple(q.release(), u.release());
}

void reset(Stepper& self, nb::handle q, nb::handle u, double t, nb::handle d, nb::handle x) {
  Simulator& simulator = self.at_rest();
  const Model& model = simulator.model();
  const State<double> initial = calc_assembled_state(model, simulator.properties());
  const auto take = [](const char* name, nb::handle given, const std::vector<double>& otherwise) {
    if (given.is_none()) return otherwise;
    return Vector(name, given, static_cast<int>(otherwise.size())).copy();
  };
  simulator.reset(t, take("q", q, initial.q), take("u", u, initial.u), take("d", d, initial.d),
                  take("x", x, initial.x));
}

void set_state(Stepper& self, nb::handle q, nb::handle u, nb::handle x) {
  Simulator& simulator = self.at_rest();
  const State<double>& state = simulator.state();
  const auto take = [](const char* name, nb::handle given, const std::vector<double>& otherwise) {
    if (given.is_none()) return otherwise;
    return Vector(name, given, static_cast<int>(otherwise.size())).copy();
  };
  const std::vector<double> new_q = take("q", q, state.q), new_u = take("u", u, state.u),
                            new_x = take("x", x, state.x);
  simulator.set_state(new_q, new_u, new_x);
}

double push(Stepper& self, nb::handle impulse) {
  Simulator& simulator = self.at_rest();
  return simulator.push(Vector("impulse", impulse, simulator.model().nu()).copy());
}

void set_controller(Stepper& self, nb::object law, double period, nb::handle delay_samples, double delay,
                    nb::handle memory) {
  if (!PyCallable_Check(law.ptr())) {
    throw InputError(fmt::format("controller: {} cannot be called", nb::cast<std::string>(nb::repr(law))));
  }
  SamplingOptions options{.period = period, .delay = delay};
  if (!nb::try_cast(delay_samples, options.delay_samples)) {
    throw InputError(fmt::format("delay_samples: {} is not a whole number",
                                 nb::cast<std::string>(nb::repr(delay_samples))));
  }
  if (!memory.is_none()) options.memory = Vector("memory", memory).copy();
  self.set_law(std::move(law), std::move(options));
}

// ---- Model.step -----------------------------------------------------------------------------------------

// Names the first number that is not finite.
void check_finite(const States& states, const char* name, std::span<const double> numbers, int width) {
  const int bad = first_not_finite(numbers);
  if (bad < 0) return;
  throw InputError(fmt::format("{}: {}[{}] is {}; allowed is a finite number", states.name_of(bad / width),
                               name, bad % width, numbers[static_cast<std::size_t>(bad)]));
}

// Uses SIMD lanes, on the shared threads.
void step_in_lanes(FrozenModel& self, const States& states, double dt, const SimulatorOptions& options,
                   bool check, Results& next_q, Results& next_u) {
  Failures failures;
  {
    const nb::gil_scoped_release release;
    StateArrays arrays = states.arrays();
    arrays.tau = states.extras();
    const int nu = self.model().nu();
    check_finite(states, "q", arrays.q, self.model().nq());
    check_finite(states, "u", arrays.u, nu);
    check_finite(states, "tau", arrays.tau, nu);
    check_finite(states, "t", arrays.t, 1);
    check_finite(states, "d", arrays.d, self.model().nd());
    auto scratch = self.stepper(options);
    for (const StateFailure& failure : scratch->stepper.step(arrays, dt, next_q.values(), next_u.values())) {
      failures.add(failure.state, failure.reason);
    }
  }
  failures.tell(states, check);
}

nb::object step_states(FrozenModel& self, nb::handle q, nb::handle u, nb::handle tau, double dt, nb::handle t,
                       nb::handle d, nb::handle integrator, int substeps, const std::string& solver,
                       std::optional<double> rtol, std::optional<double> atol, nb::handle out, bool check) {
  if (!self.model().events().empty()) {
    throw InputError(
        fmt::format("the model has events ({}), and Model.step has no memory for them between steps: "
                    "take a Simulator",
                    self.model().events().front().name));
  }
  self.model().refuse_states("Model.step, which has no memory for them between steps (a Simulator has),");
  States states(self, q, u, t, d);
  states.add("tau", tau, true);
  states.broadcast();
  const SimulatorOptions options = options_of(self.model(), integrator, substeps, solver, rtol, atol);
  const auto given = outs<2>(out);
  Results next_q("out[0]", given[0], states.arguments(), {self.model().nq()});
  Results next_u("out[1]", given[1], states.arguments(), {self.model().nu()});
  if (!states.is_single() && explain_no_batch_steps(self.model(), options).empty()) {
    step_in_lanes(self, states, dt, options, check, next_q, next_u);
    return nb::make_tuple(next_q.release(), next_u.release());
  }
  for_each_state(
      states, check,
      [&](Scratch& scratch, int k) {
        Simulator& simulator = scratch.simulator(options);
        states.load(k, scratch.state);
        const State<double>& from = scratch.state;
        try {
          simulator.reset(from.t, from.q, from.u, from.d);
          if (!tau.is_none()) simulator.set_tau(states.extra(k));
          simulator.step(dt);
        } catch (const InputError& error) {
          if (states.is_single()) throw;
          throw InputError(fmt::format("{}: {}", states.name_of(k), error.what()));
        }
        std::ranges::copy(simulator.state().q, next_q.row(k).begin());
        std::ranges::copy(simulator.state().u, next_u.row(k).begin());
      },
      [&](int k) {
        fill_with_nan(next_q.row(k));
        fill_with_nan(next_u.row(k));
      });
  return nb::make_tuple(next_q.release(), next_u.release());
}

// ---- bindings -------------------------------------------------------------------------------------------

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  const Stepper& stepper = *nb::inst_ptr<Stepper>(self);
  Py_VISIT(stepper.model().ptr());
  Py_VISIT(stepper.law().ptr());
  return 0;
}

int clear(PyObject* self) {
  if (nb::inst_ready(self)) nb::inst_ptr<Stepper>(self)->clear();
  return 0;
}

PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(traverse)},
                       {Py_tp_clear, reinterpret_cast<void*>(clear)},
                       {Py_tp_getattro, reinterpret_cast<void*>(get_attribute)},
                       {Py_tp_setattro, reinterpret_cast<void*>(set_attribute)},
                       {0, nullptr}};

void bind_snapshot(nb::module_& module) {
  using Snapshot = Simulator::Snapshot;
  nb::class_<Snapshot>(module, "Snapshot", nb::type_slots(plain_described_slots),
                       "The state of a Simulator at an instant, with its controller's memory; returned "
                       "by Simulator.save().")
      .def_prop_ro(
          "t", [](const Snapshot& self) { return self.state.t; }, "s")
      .def_prop_ro(
          "q", [](const Snapshot& self) { return fixed_array(self.state.q, kOfSnapshot); },
          nb::sig("def q(self) -> numpy.typing.NDArray[numpy.float64]"), "(nq) A read-only copy.")
      .def_prop_ro(
          "u", [](const Snapshot& self) { return fixed_array(self.state.u, kOfSnapshot); },
          nb::sig("def u(self) -> numpy.typing.NDArray[numpy.float64]"), "(nu) A read-only copy.")
      .def("__repr__", [](const Snapshot& self) {
        return fmt::format("<sestina.Snapshot t = {} s, nq = {}, nu = {}>", self.state.t, self.state.q.size(),
                           self.state.u.size());
      });
}

template <class Get>
void add_array(nb::class_<Stepper>& simulator, const char* name, const char* signature, const Get& get,
               const char* documentation) {
  simulator.def_prop_ro(
      name, [get](const Stepper& self) { return fixed_array(get(self.simulator()), kOfSimulator); },
      nb::sig(signature), documentation);
}

void bind_state(nb::class_<Stepper>& simulator) {
  simulator.def_prop_ro(
      "model", [](const Stepper& self) { return nb::borrow(self.model()); },
      nb::sig("def model(self) -> Model"));
  simulator.def_prop_ro(
      "t", [](const Stepper& self) { return self.simulator().t(); }, "s");
  add_array(
      simulator, "q", "def q(self) -> numpy.typing.NDArray[numpy.float64]",
      [](const Simulator& s) { return std::span<const double>(s.state().q); }, "(nq) A read-only copy.");
  add_array(
      simulator, "u", "def u(self) -> numpy.typing.NDArray[numpy.float64]",
      [](const Simulator& s) { return std::span<const double>(s.state().u); }, "(nu) A read-only copy.");
  add_array(
      simulator, "d", "def d(self) -> numpy.typing.NDArray[numpy.float64]",
      [](const Simulator& s) { return std::span<const double>(s.state().d); },
      "(nd) The discrete variables: a read-only copy.");
  add_array(
      simulator, "x", "def x(self) -> numpy.typing.NDArray[numpy.float64]",
      [](const Simulator& s) { return std::span<const double>(s.state().x); },
      "(nx) The states with a rate: a read-only copy.");
  add_array(
      simulator, "tau", "def tau(self) -> numpy.typing.NDArray[numpy.float64]",
      [](const Simulator& s) { return s.tau(); },
      "(nu) The generalised forces at the end of the last step (N m, N): the given ones plus the "
      "controller's. A read-only copy.");
  add_array(
      simulator, "memory", "def memory(self) -> numpy.typing.NDArray[numpy.float64]",
      [](const Simulator& s) {
        return s.controller() == nullptr ? std::span<const double>()
                                         : std::span<const double>(s.controller()->memory().own);
      },
      "The controller's memory: a read-only copy, empty without a controller.");
}

void bind_sums(nb::class_<Stepper>& simulator) {
  simulator
      .def_prop_ro(
          "supplied", [](const Stepper& self) { return self.simulator().state().z[0]; },
          "J, the work supplied by given forces and by tau since the reset.")
      .def_prop_ro(
          "dissipated", [](const Stepper& self) { return self.simulator().state().z[1]; },
          "J, the work dissipated in dampers since the reset.")
      .def_prop_ro(
          "steps", [](const Stepper& self) { return self.simulator().statistics(); },
          "The rule's steps since the reset.")
      .def_prop_ro(
          "event_counts",
          [](const Stepper& self) {
            std::vector<long> counts;
            for (const double count : self.simulator().event_counts()) counts.push_back(std::lround(count));
            return fixed_tuple(counts, "Simulator.reset() restarts the count");
          },
          nb::sig("def event_counts(self) -> tuple[int, ...]"),
          "How often each event of the model took place since the reset.")
      .def_prop_ro(
          "ended_by", [](const Stepper& self) { return self.simulator().ended_by(); },
          "The terminal event that ended the motion, or empty.")
      .def("__repr__", [](const Stepper& self) {
        const Simulator& s = self.simulator();
        return fmt::format("<sestina.Simulator of {}: t = {} s, {}>",
                           s.model().name().empty() ? "a model without a name"
                                                    : escape_controls(s.model().name(), LineBreaks::kEscape),
                           s.t(), s.options().rule.name);
      });
}

void bind_push(nb::class_<Stepper>& simulator) {
  simulator.def(
      "push", push, nb::arg("impulse"), nb::sig("def push(self, impulse: numpy.typing.ArrayLike) -> float"),
      "Changes the speeds by generalised impulses (nu; N m s, N s), those of constraints included. "
      "Returns\n"
      "their work (J), impulse . (u before + u after)/2; the energy that the motion gains counts as "
      "supplied.");
}

void bind_steps(nb::class_<Stepper>& simulator) {
  simulator
      .def(
          "step", step, nb::arg("dt"), nb::arg("tau") = nb::none(), nb::kw_only(),
          nb::arg("out") = nb::none(),
          nb::sig("def step(self, dt: float, tau: numpy.typing.ArrayLike | None = None, *, out: "
                  "tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]] | None = "
                  "None) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]"),
          "Steps from t to t + dt (s); returns q (nq) and u (nu) there, in new arrays or in `out`.\n"
          "\n"
          "tau (nu; N m, N) is added to the generalised forces of the model and held: over this step, "
          "and those after\n"
          "it, until another one is given. ComputationError if the step cannot be completed; the state "
          "is then\n"
          "the last one that could be computed.")
      .def("reset", reset, nb::arg("q") = nb::none(), nb::arg("u") = nb::none(), nb::arg("t") = 0.0,
           nb::arg("d") = nb::none(), nb::arg("x") = nb::none(),
           nb::sig(
               "def reset(self, q: numpy.typing.ArrayLike | None = None, u: numpy.typing.ArrayLike | None "
               "= None, t: float = 0.0, d: numpy.typing.ArrayLike | None = None, x: numpy.typing.ArrayLike "
               "| None = None) -> None"),
           "Restarts at q (nq), u (nu), d (nd), states x (nx) and t (s); by default the model's initial "
           "state.\n"
           "\n"
           "tau becomes zero, the controller starts at t, and counts of events and steps become zero.")
      .def("set_state", set_state, nb::arg("q") = nb::none(), nb::arg("u") = nb::none(), nb::kw_only(),
           nb::arg("x") = nb::none(),
           nb::sig("def set_state(self, q: numpy.typing.ArrayLike | None = None, u: numpy.typing.ArrayLike | "
                   "None = None, *, x: numpy.typing.ArrayLike | None = None) -> None"),
           "Sets q (nq), u (nu) or x (nx) at the present time, after a push or a measurement. Nothing "
           "else changes.")
      .def(
          "save", [](Stepper& self) { return self.at_rest().save(); },
          "Returns the whole state of the simulator, including the controller's memory and delayed forces.")
      .def(
          "restore", [](Stepper& self, const Simulator::Snapshot& saved) { self.at_rest().restore(saved); },
          nb::arg("snapshot"),
          "Continues from a snapshot, bit for bit. InputError if its model or controller differs.")
      .def("set_controller", set_controller, nb::arg("controller"), nb::arg("period"), nb::kw_only(),
           nb::arg("delay_samples") = 0, nb::arg("delay") = 0.0, nb::arg("memory") = nb::none(),
           nb::sig(
               "def set_controller(self, controller: collections.abc.Callable[..., numpy.typing.ArrayLike], "
               "period: float, *, delay_samples: int = 0, delay: float = 0.0, memory: "
               "numpy.typing.ArrayLike | None = None) -> None"),
           "Sets a controller, called once in each period (s), starting now.\n"
           "\n"
           "controller(t, q, u) is given the time (s) and copies of q (nq) and u (nu), and returns tau "
           "(nu; N m, N),\n"
           "which is held until the next sample and added to the tau of step(). With `memory`, an array "
           "of initial\n"
           "numbers, it is called as controller(t, q, u, memory) and may change that array in place: "
           "save() and\n"
           "restore() include it. A sample acts `delay_samples` periods later, or `delay` s; before the "
           "first\n"
           "sample acts, tau is zero. An exception in the controller ends the step and is raised there.")
      .def("remove_controller", &Stepper::remove_law,
           "Removes the controller: from now on only the tau given to step() acts.");
}

void bind_steps_of_states(nb::module_& module) {
  module.def(
      "_explain_no_batch_steps",
      [](const FrozenModel& model, nb::handle integrator) {
        return explain_no_batch_steps(model.model(), {.rule = to_rule(integrator, model.model())});
      },
      nb::arg("model"), nb::arg("integrator"),
      "Why many states cannot be stepped in lanes; empty if they can.");
  nb::borrow<nb::class_<FrozenModel>>(module.attr("Model"))
      .def("step", step_states, nb::arg("q"), nb::arg("u"), nb::arg("tau").none(), nb::arg("dt"),
           nb::kw_only(), nb::arg("t") = nb::none(), nb::arg("d") = nb::none(),
           nb::arg("integrator") = nb::none(), nb::arg("substeps") = 1, nb::arg("solver") = "recursive",
           nb::arg("rtol") = nb::none(), nb::arg("atol") = nb::none(), nb::arg("out") = nb::none(),
           nb::arg("check") = true,
           nb::sig("def step(self, q: numpy.typing.ArrayLike, u: numpy.typing.ArrayLike, tau: "
                   "numpy.typing.ArrayLike | None, dt: float, *, t: numpy.typing.ArrayLike = 0.0, d: "
                   "numpy.typing.ArrayLike | None = None, integrator: str | Integrator | "
                   "collections.abc.Mapping[str, object] | None = None, substeps: int = 1, solver: str = "
                   "'recursive', rtol: float | None = None, atol: float | None = None, out: "
                   "tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]] | None = "
                   "None, check: bool = True) -> tuple[numpy.typing.NDArray[numpy.float64], "
                   "numpy.typing.NDArray[numpy.float64]]"),
           "q (..., nq) and u (..., nu) dt (s) later, from q (..., nq), u (..., nu) at t (...; s).\n"
           "\n"
           "tau (..., nu; N m, N), held over the step, is added to the generalised forces of the model; "
           "None: zero.\n"
           "d (..., nd): discrete variables, default the initial ones. integrator, substeps, solver, "
           "rtol, atol: see\n"
           "Simulator. Many states are computed in SIMD lanes and threads with forward_euler, rk4,\n"
           "rkf45 and dormand_prince_54. Stores no state, so models with events are refused. A state "
           "whose step cannot\n"
           "be completed raises ComputationError, which names it; with check=False its rows are NaN.");
}

}  // namespace

void bind_simulator(nb::module_& module) {
  bind_snapshot(module);
  nb::class_<Stepper> simulator(
      module, "Simulator", nb::type_slots(slots),
      "A model that is stepped by the caller, such as a control loop or reinforcement learning.\n"
      "\n"
      "simulator = sestina.Simulator(model)\n"
      "q, u = simulator.step(1e-3, tau)\n"
      "\n"
      "model       a Model, or a System, which is frozen\n"
      "integrator  one of integrator_names(), or with options, such as {'name': 'generalized_alpha',\n"
      "            'spectral_radius': 0.5}; the rule restarts in each step. None: moreau where the "
      "model\n"
      "            has contacts or enforced limits, otherwise rk4 (dormand_prince_54 with rtol or atol)\n"
      "substeps    equal steps of the rule in one step\n"
      "solver      one of solver_names()\n"
      "rtol, atol  tolerances of steps of variable length, instead of sub-steps\n"
      "\n"
      "A step depends only on the state, on tau and on its length. Events of the model take place within "
      "steps; a\n"
      "terminal one ends the step there, and no more steps are made until reset() or restore(). An "
      "object must not be\n"
      "used by several threads at once.");
  simulator.def(
      "__init__",
      [](Stepper* self, nb::object model, nb::handle integrator, int substeps, const std::string& solver,
         std::optional<double> rtol, std::optional<double> atol) {
        if (nb::isinstance<System>(model)) model = model.attr("freeze")();
        if (!nb::isinstance<FrozenModel>(model)) {
          throw InputError(fmt::format("model is of type {}; allowed is a Model or a System",
                                       nb::cast<std::string>(nb::inst_name(model))));
        }
        const SimulatorOptions options =
            options_of(nb::cast<FrozenModel&>(model).model(), integrator, substeps, solver, rtol, atol);
        new (self) Stepper(std::move(model), options);
      },
      nb::arg("model"), nb::kw_only(), nb::arg("integrator") = nb::none(), nb::arg("substeps") = 1,
      nb::arg("solver") = "recursive", nb::arg("rtol") = nb::none(), nb::arg("atol") = nb::none(),
      nb::sig(
          "def __init__(self, model: Model | System, *, integrator: str | Integrator | "
          "collections.abc.Mapping[str, object] | None = None, substeps: int = 1, solver: str = 'recursive', "
          "rtol: float | None = None, atol: float | None = None) -> None"));
  bind_state(simulator);
  bind_sums(simulator);
  bind_steps(simulator);
  bind_push(simulator);
  bind_steps_of_states(module);
}

}  // namespace sestina::python
