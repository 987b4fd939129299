#include "sestina/model/expand_second_order.h"

#include <algorithm>

namespace sestina {
namespace {

bool is_second_order(const ForceSpec& force) { return force.type == "second_order"; }

}  // namespace

bool has_second_orders(const System& system) { return std::ranges::any_of(system.forces, is_second_order); }

void expand_second_orders(ExpandedSystem& expanded) {
  System& system = expanded.system;
  for (std::size_t i = 0; i < system.forces.size(); ++i) {
    const ForceSpec& force = system.forces[i];
    if (!is_second_order(force)) continue;
    const auto first = static_cast<int>(system.states.size());
    expanded.second_orders.push_back(
        {static_cast<int>(i), first, static_cast<int>(force.coordinates.size())});
    const auto add_states = [&](const Numbers& start, const char* suffix, const std::string& unit) {
      for (std::size_t k = 0; k < force.coordinates.size(); ++k) {
        StateSpec& state = system.add_state(force.name.text + "." + force.coordinates[k].text + suffix, 0,
                                            k < start.size() ? start[k] : Number(0));
        state.unit = unit;
        state.mark = force.mark;
      }
    };
    add_states(force.initial, "", force.unit.text);
    add_states(force.initial_rates, ".rate", force.unit.text + "/s");
  }
}

}  // namespace sestina
