#include "sestina/workspace/state_time_options.h"

#include <fmt/format.h>

#include <map>

#include "sestina/base/memory.h"
#include "sestina/state_time/closing_conditions.h"
#include "sestina/state_time/memory_estimate.h"
#include "sestina/workspace/integrator_options.h"

namespace sestina {

bool is_state_time(const Analysis& analysis) { return analysis.coordinates == "state_time"; }

StateTimeOptions state_time_options(const Analysis& analysis) {
  StateTimeOptions options;
  options.elements = analysis.elements;
  options.pair = analysis.pair;
  options.tests = analysis.tests == "upwind" ? TestFunctions::kUpwind : TestFunctions::kNatural;
  options.scheme =
      analysis.scheme == "linear_quadratic" ? StateTimeScheme::kLinearQuadratic : StateTimeScheme::kNewton;
  options.windows = analysis.windows;
  options.tolerance = analysis.tolerance;
  options.stretches = analysis.stretches;
  return options;
}

std::string elements_in_words(const Analysis& analysis) {
  const std::string elements =
      analysis.tolerance > 0.0
          ? fmt::format("elements {} for a tolerance of {}",
                        analysis.pair == kAutomaticPair ? "of any degree" : analysis.pair, analysis.tolerance)
          : fmt::format("{} {} {}", analysis.elements, analysis.elements == 1 ? "element" : "elements",
                        analysis.pair);
  return fmt::format("{} in {} {}, {} tests{}{}", elements, analysis.windows,
                     analysis.windows == 1 ? "window" : "windows", analysis.tests,
                     analysis.scheme == "linear_quadratic" ? ", linear-quadratic scheme" : "",
                     analysis.stretches > 1 ? fmt::format(", {} stretches", analysis.stretches) : "");
}

std::string step_of_elements(const Analysis& analysis) {
  if (analysis.tolerance > 0.0) return fmt::format("elements within {}", analysis.tolerance);
  return fmt::format("elements of {} s", analysis.duration / analysis.elements);
}

namespace {

// Checked before memory is taken. The refinement that the tolerance requires is not known yet.
void add_memory_fault(const System& system, const Model& model, const Analysis& analysis,
                      const Properties<double>& properties, FaultList& faults) {
  const std::optional<double> available = available_memory();
  if (!available) return;
  const StateTimeMemory memory = estimate_memory(model, properties, state_time_options(analysis));
  const double wanted = memory.total(analysis.elements, analysis.windows);
  if (wanted <= *available) return;
  constexpr double kShare = 0.5;  // of the available memory, for the suggested windows
  const int windows = windows_within(memory, analysis.elements, kShare * *available);
  const Mark mark = system.analysis.time_elements ? system.analysis.time_elements->elements.mark : Mark{};
  faults.add({mark, "analysis.integrator.elements"},
             fmt::format("{} elements in {} {} take {} of memory, and {} are available: {}",
                         analysis.elements, analysis.windows, analysis.windows == 1 ? "window" : "windows",
                         bytes_in_words(wanted), bytes_in_words(*available),
                         windows > 0 ? fmt::format("windows: {} would take {}", windows,
                                                   bytes_in_words(memory.total(analysis.elements, windows)))
                                     : fmt::format("their motion alone takes {}",
                                                   bytes_in_words(analysis.elements * memory.of_run))));
}

}  // namespace

void add_state_time_faults(const System& system, const Model& model, const Analysis& analysis,
                           FaultList& faults) {
  const Properties<double> properties = calc_properties(model);
  for (std::size_t i = 0; i < system.joints.size(); ++i) {
    const JointSpec& joint = system.joints[i];
    for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) {
      if (model.bodies()[b].joint_name != joint.name.text || properties.bodies[b].armature == 0.0) continue;
      faults.add({joint.armature->mark, fmt::format("joints[{}].armature", i)},
                 fmt::format("{} is not 0: state_time has no equations for armatures",
                             properties.bodies[b].armature));
    }
  }
  const FaultList of_conditions = find_conditions_without_equations(model, properties);
  for (Fault fault : of_conditions.faults()) {
    if (fault.place.path == "analysis.coordinates") fault.place.mark = system.analysis.coordinates.mark;
    faults.add(std::move(fault.place), std::move(fault.message));
  }
  if (model.nx() > 0) {
    faults.add(place_of_states(system, model),
               fmt::format("state_time does not support states with a rate, such as {}",
                           model.states().front().name));
  }
  for (const UserForceInfo& user : model.user_forces()) {
    const ForceSpec& force = system.forces[static_cast<std::size_t>(user.index.value())];
    faults.add({force.mark, fmt::format("forces[{}]", user.index.value())},
               "state_time needs derivatives, which a user force does not have");
  }
  if (!model.beams().empty()) {
    faults.add(
        {system.analysis.coordinates.mark, "analysis.coordinates"},
        fmt::format("state_time does not support beams: the model has {}", model.beams().front().name));
  } else if (!model.plan().connectors.empty()) {
    const int index = model.plan().connectors.first().value();
    const ForceSpec& force = system.forces[static_cast<std::size_t>(index)];
    faults.add({force.mark, fmt::format("forces[{}]", index)},
               fmt::format("state_time has no derivatives of a {}", force.type.text));
  }
  for (std::size_t i = 0; i < system.events.size(); ++i) {
    faults.add({system.events[i].mark, fmt::format("events[{}]", i)},
               fmt::format("state_time has no events such as {}", system.events[i].name.text));
  }
  if (faults.empty()) add_memory_fault(system, model, analysis, properties, faults);
}

InputError at_keys_of_elements(const InputError& error, const System& system) {
  const TimeElementsSpec elements = system.analysis.time_elements.value_or(TimeElementsSpec{});
  const Mark stretches = elements.stretches ? elements.stretches->mark : Mark{};
  const std::map<std::string, Mark> marks{{"elements", elements.elements.mark},
                                          {"windows", elements.windows.mark},
                                          {"scheme", elements.scheme.mark},
                                          {"stretches", stretches}};
  std::vector<Fault> faults = error.faults();
  for (Fault& fault : faults) {
    const auto found = marks.find(fault.place.path);
    if (found != marks.end()) fault.place = {found->second, "analysis.integrator." + found->first};
  }
  return InputError(std::move(faults));
}

}  // namespace sestina
