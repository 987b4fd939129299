#include "sestina/model/expand_bristles.h"

#include <algorithm>

namespace sestina {
namespace {

// The name is that of a shape, of a body, or of the ground; Freezer::find_shapes finds as many.
std::ptrdiff_t count_shapes(const System& system, const Name& name) {
  const auto count = [&](const std::string& body, const std::vector<ShapeSpec>& shapes) {
    return std::ranges::count_if(shapes, [&](const ShapeSpec& shape) {
      return name == body || (!shape.name.empty() && shape.name.text == name.text);
    });
  };
  std::ptrdiff_t sum = count("ground", system.ground_shapes);
  for (const BodySpec& body : system.bodies) sum += count(body.name.text, body.shapes);
  return sum;
}

}  // namespace

bool has_bristles(const System& system) {
  return std::ranges::any_of(
      system.contacts, [](const ContactSpec& contact) { return contact.bristle_stiffness.has_value(); });
}

void expand_bristles(ExpandedSystem& expanded) {
  System& system = expanded.system;
  for (const ContactSpec& contact : system.contacts) {
    if (!contact.bristle_stiffness || contact.between.size() != 2) continue;
    const std::ptrdiff_t pairs =
        count_shapes(system, contact.between[0]) * count_shapes(system, contact.between[1]);
    expanded.bristles.push_back({contact.name.text, static_cast<int>(system.states.size())});
    for (std::ptrdiff_t k = 0; k < 3 * pairs; ++k) {
      StateSpec& state = system.add_state(contact.name.text + ".bristle_" + std::to_string(k), 0, Number(0));
      state.unit = "m";
      state.mark = contact.mark;
    }
  }
}

}  // namespace sestina
