#include "sestina/model/check_flexible.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sestina/base/error.h"

namespace sestina {
namespace {

bool is_flexible(const BodySpec& body) { return body.type == "beam" || body.type == "reduced"; }

bool is_zero(const Number& number) { return !number.is_expression() && number.value() == 0.0; }

bool has_inertia(const InertiaSpec& I) {
  const Number* const elements[] = {&I.xx, &I.yy, &I.zz, &I.xy, &I.xz, &I.yz};
  return !std::ranges::all_of(elements, [](const Number* number) { return is_zero(*number); });
}

void check_body(const BodySpec& body, const std::string& path, FaultList& faults) {
  const auto refuse = [&](bool is_given, const char* key, const Mark& mark) {
    if (!is_given) return;
    faults.add({mark.line > 0 ? mark : body.mark, path + "." + key},
               fmt::format("does not fit a body of type {}", body.type.text));
  };
  refuse(body.mass.has_value(), "mass", body.mass ? body.mass->mark : body.mark);
  refuse(!std::ranges::all_of(body.center_of_mass, is_zero), "center_of_mass", body.center_of_mass[0].mark);
  refuse(has_inertia(body.inertia), "inertia", body.inertia.mark);
  refuse(!body.inertia_check, "inertia_check", body.mark);
  refuse(!body.shapes.empty(), "shapes", body.mark);
  if (body.type == "reduced" && !body.points.empty()) {
    faults.add({body.mark, path + ".points"},
               "does not fit a body of type reduced: its points are its interfaces");
  }
}

}  // namespace

void check_flexible_bodies(const System& system) {
  FaultList faults;
  std::map<std::string, std::size_t> taken;
  for (std::size_t i = 0; i < system.bodies.size(); ++i) {
    const BodySpec& body = system.bodies[i];
    if (!is_flexible(body)) continue;
    const std::string path = fmt::format("bodies[{}]", i);
    check_body(body, path, faults);
    const auto [other, is_new] = taken.emplace(body.name.text, i);
    if (is_new) continue;
    faults.add({body.name.mark.line > 0 ? body.name.mark : body.mark, path + ".name"},
               fmt::format("the name '{}' is taken by bodies[{}].name", body.name.text, other->second));
  }
  faults.throw_if_any();
}

}  // namespace sestina
