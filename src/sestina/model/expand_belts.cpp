#include "sestina/model/expand_belts.h"

#include <algorithm>

#include "sestina/model/number_collector.h"

namespace sestina {
namespace {

constexpr double kMostBristles = 1e6;

}  // namespace

void expand_belts(ExpandedSystem& expanded) {
  System& system = expanded.system;
  Graph graph;
  FaultList ignored;
  NumberCollector numbers(graph, ignored);
  numbers.define_parameters(system.parameters);
  for (std::size_t i = 0; i < system.forces.size(); ++i) {
    const ForceSpec& force = system.forces[i];
    if (force.type != "belt_contact" || !force.friction_coefficient) continue;
    const auto cable = std::ranges::find(expanded.beams, force.cable.text, &BeamLayout::name);
    if (cable == expanded.beams.end() || !cable->is_cable) continue;
    const double segments = numbers.add(force.segments, "");
    const double count = segments * static_cast<double>(cable->stations.size() - 1);
    if (!(count >= 1.0 && count <= kMostBristles)) continue;
    expanded.belts.push_back(
        {static_cast<int>(i), static_cast<int>(system.states.size()), static_cast<int>(count)});
    for (int k = 0; k < static_cast<int>(count); ++k) {
      StateSpec& state = system.add_state(force.name.text + ".bristle_" + std::to_string(k), 0, Number(0));
      state.unit = "m";
      state.mark = force.mark;
    }
  }
}

}  // namespace sestina
