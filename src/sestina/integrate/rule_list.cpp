#include "sestina/integrate/rule_list.h"

#include <fmt/format.h>

#include <vector>

#include "sestina/base/error.h"
#include "sestina/base/suggest.h"
#include "sestina/integrate/explicit_runge_kutta.h"
#include "sestina/integrate/velocity_verlet.h"

namespace sestina {

std::span<const std::string> integration_rule_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const ButcherTableau& tableau : explicit_tableaus()) list.push_back(tableau.name);
    list.push_back(VelocityVerlet().name());
    return list;
  }();
  return names;
}

std::span<const std::string> names_of_rules_with_error_estimate() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const std::string& name : integration_rule_names()) {
      if (make_integration_rule(name)->error_order() > 0) list.push_back(name);
    }
    return list;
  }();
  return names;
}

std::unique_ptr<IntegrationRule> make_integration_rule(std::string_view name) {
  for (const ButcherTableau& tableau : explicit_tableaus()) {
    if (tableau.name == name) return std::make_unique<ExplicitRungeKutta>(tableau);
  }
  auto verlet = std::make_unique<VelocityVerlet>();
  if (verlet->name() == name) return verlet;
  throw InputError(
      fmt::format("unknown integration rule '{}'{}", name, suggestion(name, integration_rule_names())));
}

}  // namespace sestina
