// How a System is simulated, and when rows are recorded.
#include <fmt/format.h>

#include "bind.h"
#include "casters.h"
#include "describe.h"
#include "part.h"
#include "sestina/model/analysis.h"
#include "sestina/model/system.h"
#include "views.h"

namespace sestina::python {

namespace {

// Assigns another group, or a dictionary, to a group of keys; keys missing in the dictionary take their
// defaults. A refused assignment changes nothing.
template <class Spec>
Spec to_group(const std::string& place, nb::handle given, const std::string& allowed) {
  if (Spec* other = nullptr; nb::try_cast(given, other) && other != nullptr) return *other;
  const nb::object group = nb::cast(Spec());
  set_keys(group, to_dictionary(place, given, allowed));
  return nb::cast<Spec&>(group);
}

}  // namespace

IntegratorSpec to_integrator(nb::handle given) {
  IntegratorSpec rule;
  if (nb::try_cast(given, rule.name)) return rule;
  return to_group<IntegratorSpec>(
      "analysis.integrator", given,
      "the name of a rule, such as 'rk4', or a dictionary with name, stages, form, spectral_radius");
}

namespace {

void bind_integrator_and_step(nb::module_& module) {
  nb::class_<IntegratorSpec>(module, "Integrator", nb::type_slots(plain_described_slots),
                             "The integration rule of a run.")
      .def_rw("name", &IntegratorSpec::name,
              "A name of integrator_names(); empty: radau_iia where there are flexible bodies, moreau where "
              "there "
              "are\ncontacts, else dormand_prince_54.")
      .def_rw("stages", &IntegratorSpec::stages, "Of lobatto_iiia_iiib: 2 or 3.")
      .def_rw("form", &IntegratorSpec::form, "Of lobatto_iiia_iiib: `velocity` or `momentum`.")
      .def_rw("spectral_radius", &IntegratorSpec::spectral_radius,
              "Of generalized_alpha: the factor of a step for vibrations at infinite frequency, from 0 to 1; "
              "None: 0.9.")
      .def("__repr__", [](const IntegratorSpec& rule) {
        return fmt::format("<sestina.Integrator {}>", rule.name.empty() ? "standard" : rule.name.text);
      });
  nb::class_<StepSpec>(module, "Step", nb::type_slots(plain_described_slots),
                       "How long the steps of a run are.")
      .def_rw("driver", &StepSpec::driver, "`variable` or `fixed`.")
      .def_rw("dt", &StepSpec::dt, "Of the fixed driver: s")
      .def_rw("rtol", &StepSpec::rtol, "Of the variable driver: relative tolerance of a step.")
      .def_rw("atol", &StepSpec::atol,
              "Of the variable driver: absolute tolerance, in the unit of each "
              "coordinate and speed.")
      .def_rw(
          "max_step", &StepSpec::max_step,
          "Of the variable driver: s; None: a tenth of the duration, a hundredth where a force or an event "
          "depends on the time.")
      .def_rw("control", &StepSpec::control, "Of the variable driver: `pi` or `pid`.")
      .def_rw("land_on_output", &StepSpec::land_on_output, "Whether steps end at the output's instants.");
}

void bind_limits(nb::module_& module) {
  nb::class_<RunLimitsSpec>(module, "RunLimits", nb::type_slots(plain_described_slots),
                            "Limits of one run. A run that reaches one fails and keeps its rows.")
      .def_rw("steps", &RunLimitsSpec::steps, "Steps, or elements in time; None: any number.")
      .def_rw("wall_time", &RunLimitsSpec::wall_time, "s of the wall clock; None: any.");
}

void bind_frequencies(nb::module_& module) {
  nb::class_<FrequenciesSpec>(module, "Frequencies", nb::type_slots(plain_described_slots),
                              "The frequencies of a response, equally spaced on a logarithmic scale.")
      .def_rw("from_", &FrequenciesSpec::from, "Hz; None: a tenth of the lowest natural frequency.")
      .def_rw("to", &FrequenciesSpec::to, "Hz; None: ten times the highest natural frequency.")
      .def_rw("points", &FrequenciesSpec::points, "How many.");
}

using TimeElements = Part<TimeElementsSpec>;

template <class Member>
void def_time_elements_key(nb::class_<TimeElements>& type, const char* name, Member TimeElementsSpec::*member,
                           const char* doc) {
  type.def_prop_rw(
      name, [member](const TimeElements& part) -> const Member& { return part.spec().*member; },
      [member](TimeElements& part, const Member& given) { part.spec().*member = given; }, doc);
}

void bind_time_elements(nb::module_& module) {
  nb::class_<TimeElements> type(module, "TimeElements",
                                nb::type_slots(described_slots<traverse_part<TimeElementsSpec>>),
                                "Elements in time, for coordinates `state_time`.");
  type.def("__init__", [](TimeElements* self) { new (self) TimeElements(); });
  def_time_elements_key(type, "elements", &TimeElementsSpec::elements, "How many.");
  def_time_elements_key(type, "pair", &TimeElementsSpec::pair,
                        "Of polynomials: LQ, QC, P3P4, ... P7P8, or auto.");
  def_time_elements_key(type, "tests", &TimeElementsSpec::tests, "`natural` or `upwind`.");
  def_time_elements_key(type, "scheme", &TimeElementsSpec::scheme, "`newton` or `linear_quadratic`.");
  def_time_elements_key(type, "windows", &TimeElementsSpec::windows, "At most as many as elements.");
  def_time_elements_key(type, "tolerance", &TimeElementsSpec::tolerance,
                        "Of the error that an element adds, relative; None: elements of one length.");
  def_time_elements_key(type, "stretches", &TimeElementsSpec::stretches,
                        "Parts of a window that are solved in parallel; None: one for each process.");
}

// Replaces the TimeElements of the analysis by the given one; the former becomes an independent object. A
// TimeElements of another analysis is copied.
void set_time_elements(nb::handle self, nb::handle given) {
  std::optional<TimeElementsSpec>& place = nb::cast<AnalysisSpec&>(self).time_elements;
  TimeElements* part = nullptr;
  std::optional<TimeElementsSpec> copied;
  if (!given.is_none() && !(nb::try_cast(given, part) && part != nullptr)) {
    const nb::object group = nb::cast(new TimeElements(), nb::rv_policy::take_ownership);
    set_keys(group, to_dictionary("analysis.time_elements", given, "a TimeElements, a dictionary or None"));
    copied = nb::cast<TimeElements&>(group).take();
  } else if (part != nullptr && !part->is_free()) {
    if (part->owner().is(self)) return;
    copied = part->spec();
  }
  if (place) {
    if (TimeElements* before = TimeElements::of(*place)) before->detach();
  }
  if (given.is_none()) {
    place.reset();
  } else if (copied) {
    place = std::move(copied);
  } else {
    place = part->take();
    part->attach(self, *place);
  }
}

void bind_output(nb::module_& module) {
  nb::class_<OutputSpec> output(module, "Output", nb::type_slots(plain_described_slots),
                                "The rows and columns of a result.");
  output.def_rw("every", &OutputSpec::every, "s; None: a hundredth of the duration.")
      .def_rw("max_rows", &OutputSpec::max_rows, "A run with more rows is refused.");
  def_view(output, ViewKind::kMap,
           {"columns", "sestina.views.MapView[typing.Any]",
            "collections.abc.Mapping[str, float | str | collections.abc.Mapping[str, typing.Any]]",
            "Columns in addition to the ones of every result: {'power': 'drive.value*hip.u', 'work': "
            "{'value': 'drive.value*hip.u', 'unit': 'J', 'integrate': True}}.\n"
            "\n"
            "Expressions of t, parameters, other columns, positions BODY.POINT.x and FORCE.value. "
            "Integrals start from zero."},
           {.read = [](nb::handle self) { return from_columns(nb::cast<OutputSpec&>(self).columns); },
            .write =
                [](nb::handle self, nb::handle given) {
                  nb::cast<OutputSpec&>(self).columns = to_columns("output.columns", given);
                },
            .place = [](nb::handle) { return std::string("output.columns"); }});
}

void bind_formulation(nb::class_<AnalysisSpec>& analysis) {
  analysis
      .def_rw("type", &AnalysisSpec::type,
              "`dynamics`, `kinematics`, `statics`, `modes` or `frequency_response`.")
      .def_rw("coordinates", &AnalysisSpec::coordinates, "`relative`, `cartesian` or `state_time`.")
      .def_prop_rw(
          "time_elements",
          [](nb::handle self) {
            auto& elements = nb::cast<AnalysisSpec&>(self).time_elements;
            return elements ? TimeElements::in(self, *elements) : nb::none();
          },
          set_time_elements, nb::for_getter(nb::sig("def time_elements(self) -> TimeElements | None")),
          nb::for_setter(nb::sig("def time_elements(self, value: TimeElements | "
                                 "collections.abc.Mapping[str, typing.Any] | None, /) -> None")),
          nb::for_setter(nb::arg("value").none()),
          "For coordinates `state_time`; None: the default elements.")
      .def_rw("solver", &AnalysisSpec::solver)
      .def_prop_rw(
          "integrator", [](AnalysisSpec& spec) -> IntegratorSpec& { return spec.integrator; },
          [](AnalysisSpec& analysis, nb::handle given) { analysis.integrator = to_integrator(given); },
          nb::rv_policy::reference_internal, nb::for_getter(nb::sig("def integrator(self) -> Integrator")),
          nb::for_setter(nb::arg("value").none()),
          nb::for_setter(nb::sig("def integrator(self, value: str | Integrator | "
                                 "collections.abc.Mapping[str, typing.Any], /) -> None")),
          "One of integrator_names(), or {'name': .., 'stages': .., 'form': .., 'spectral_radius': ..}.");
}

void bind_run(nb::class_<AnalysisSpec>& analysis) {
  analysis
      .def_prop_rw(
          "step", [](AnalysisSpec& analysis) -> StepSpec& { return analysis.step; },
          [](AnalysisSpec& analysis, nb::handle given) {
            analysis.step = to_group<StepSpec>("analysis.step", given,
                                               "a dictionary, such as {'driver': 'fixed', 'dt': 1e-3}");
          },
          nb::rv_policy::reference_internal, nb::for_getter(nb::sig("def step(self) -> Step")),
          nb::for_setter(
              nb::sig("def step(self, value: Step | collections.abc.Mapping[str, typing.Any], /) -> None")),
          "Also a dictionary, {'driver': 'fixed', 'dt': 1e-3}.")
      .def_prop_rw(
          "limits", [](AnalysisSpec& analysis) -> RunLimitsSpec& { return analysis.limits; },
          [](AnalysisSpec& analysis, nb::handle given) {
            analysis.limits =
                to_group<RunLimitsSpec>("analysis.limits", given, "a dictionary, such as {'steps': 100000}");
          },
          nb::rv_policy::reference_internal, nb::for_getter(nb::sig("def limits(self) -> RunLimits")),
          nb::for_setter(nb::sig(
              "def limits(self, value: RunLimits | collections.abc.Mapping[str, typing.Any], /) -> None")),
          "Also a dictionary, {'steps': 100000, 'wall_time': 60}.")
      .def_rw("duration", &AnalysisSpec::duration, "s")
      .def_rw("load_steps", &AnalysisSpec::load_steps,
              "Of statics: number of equal steps in which gravity and the given forces are applied.")
      .def_rw("arc_length", &AnalysisSpec::arc_length,
              "Of statics: whether the path of equilibria is followed past points where the load is largest.")
      .def_rw("about", &AnalysisSpec::about, "Of modes and frequency_response: `equilibrium` or `initial`.")
      .def_rw("input", &AnalysisSpec::input, "Of frequency_response: the parameter that oscillates.")
      .def_prop_rw(
          "frequencies", [](AnalysisSpec& analysis) -> FrequenciesSpec& { return analysis.frequencies; },
          [](AnalysisSpec& analysis, nb::handle given) {
            analysis.frequencies = to_group<FrequenciesSpec>("analysis.frequencies", given,
                                                             "a dictionary, such as {'from_': 1, 'to': 100}");
          },
          nb::rv_policy::reference_internal, nb::for_getter(nb::sig("def frequencies(self) -> Frequencies")),
          nb::for_setter(nb::sig("def frequencies(self, value: Frequencies | "
                                 "collections.abc.Mapping[str, typing.Any], /) -> None")),
          "Also a dictionary, {'from_': 1, 'to': 100, 'points': 50}; Hz.");
}

}  // namespace

void bind_analysis(nb::module_& module) {
  bind_integrator_and_step(module);
  bind_time_elements(module);
  bind_limits(module);
  bind_frequencies(module);
  nb::class_<AnalysisSpec> analysis(module, "Analysis", nb::type_slots(plain_described_slots),
                                    "How a System is simulated.");
  bind_formulation(analysis);
  bind_run(analysis);
  bind_output(module);
}

}  // namespace sestina::python
