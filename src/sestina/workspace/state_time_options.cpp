#include "sestina/workspace/state_time_options.h"

#include <fmt/format.h>

namespace sestina {

bool is_state_time(const Analysis& analysis) { return analysis.coordinates == "state_time"; }

StateTimeOptions state_time_options(const Analysis& analysis) {
  StateTimeOptions options;
  options.elements = analysis.elements;
  options.pair = analysis.pair;
  options.tests = analysis.tests == "upwind" ? TestFunctions::kUpwind : TestFunctions::kNatural;
  options.windows = analysis.windows;
  return options;
}

std::string elements_in_words(const Analysis& analysis) {
  return fmt::format("{} {} {} in {} {}, {} tests", analysis.elements,
                     analysis.elements == 1 ? "element" : "elements", analysis.pair, analysis.windows,
                     analysis.windows == 1 ? "window" : "windows", analysis.tests);
}

void add_state_time_faults(const System& system, const Model& model, FaultList& faults) {
  const Properties<double> properties = calc_properties(model);
  for (std::size_t i = 0; i < system.joints.size(); ++i) {
    const JointSpec& joint = system.joints[i];
    if (joint.type == "screw") {
      faults.add({joint.type.mark, fmt::format("joints[{}].type", i)},
                 "state_time has no equations of screw joints");
    }
    for (BodyIndex b{1}; b.value() < model.bodies().size(); ++b) {
      if (model.bodies()[b].joint_name != joint.name.text || properties.bodies[b].armature == 0.0) continue;
      faults.add({joint.armature->mark, fmt::format("joints[{}].armature", i)},
                 "state_time has no equations of armatures");
    }
  }
  for (const UserForceInfo& user : model.user_forces()) {
    const ForceSpec& force = system.forces[static_cast<std::size_t>(user.index.value())];
    faults.add({force.mark, fmt::format("forces[{}]", user.index.value())},
               "state_time needs derivatives, which a user force does not have");
  }
  for (std::size_t i = 0; i < system.events.size(); ++i) {
    faults.add({system.events[i].mark, fmt::format("events[{}]", i)}, "state_time has no events");
  }
}

}  // namespace sestina
