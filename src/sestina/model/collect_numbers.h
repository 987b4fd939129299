// The numbers of one force listed in the table of force_numbers.h, for the parts of freeze() that collect
// forces.
#pragma once

#include <fmt/format.h>

#include "sestina/forces/force_numbers.h"
#include "sestina/model/freezer.h"

namespace sestina {

template <template <class> class Element>
ForceNumbers<Slot> Freezer::collect_numbers(const ForceSpec& spec, const std::string& path) {
  const ForceNumbers<bool> has = numbers_of_force<Element>();
  ForceNumbers<Slot> slots;
  for_each_force_number([&](const NumberInfo& number, auto of) {
    const std::optional<Number>& given = of(spec);
    if (!given) return;
    const std::string place = fmt::format("{}.{}", path, number.name);
    if (of(has)) {
      of(slots) = collect_number(*given, number, place);
    } else {
      fail(given->mark, place, fmt::format("a {} has none", spec.type.text));
    }
  });
  return slots;
}

}  // namespace sestina
