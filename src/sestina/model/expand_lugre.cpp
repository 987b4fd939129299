#include "sestina/model/expand_lugre.h"

#include <algorithm>

#include "sestina/joints/joint_info.h"

namespace sestina {
namespace {

bool is_lugre(const ForceSpec& force) { return force.type == "lugre_friction"; }

}  // namespace

bool has_lugre_friction(const System& system) { return std::ranges::any_of(system.forces, is_lugre); }

void expand_lugre(ExpandedSystem& expanded) {
  System& system = expanded.system;
  for (std::size_t i = 0; i < system.forces.size(); ++i) {
    const ForceSpec& force = system.forces[i];
    if (!is_lugre(force)) continue;
    const auto joint = std::ranges::find_if(
        system.joints, [&](const JointSpec& spec) { return spec.name.text == force.joint.text; });
    if (joint == system.joints.end()) continue;
    const std::optional<JointType> type = joint_type_from_keyword(joint->type.text);
    if (!type || joint_info(*type).nq != joint_info(*type).nu) continue;
    const JointInfo& info = joint_info(*type);
    expanded.lugres.push_back({static_cast<int>(i), static_cast<int>(system.states.size())});
    for (int k = 0; k < info.nu; ++k) {
      StateSpec& state = system.add_state(
          force.name.text + ".bristle" + (info.nu == 1 ? "" : "_" + std::to_string(k)), 0, Number(0));
      state.unit = info.q_units[static_cast<std::size_t>(k)];
      state.mark = force.mark;
    }
  }
}

}  // namespace sestina
