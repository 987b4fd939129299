// The integration rules by their names in a model file.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "sestina/integrate/integration_rule.h"

namespace sestina {

// A rule and its options. Options that the rule does not have are ignored.
struct RuleOptions {
  std::string name = "dormand_prince_54";
  int stages = 3;                 // lobatto_iiia_iiib, radau_iia: 2 or 3
  std::string form = "momentum";  // lobatto_iiia_iiib: velocity or momentum
  double spectral_radius = 0.9;   // generalized_alpha: at infinite frequency, from 0 to 1

  friend bool operator==(const RuleOptions&, const RuleOptions&) = default;
};

std::span<const std::string> integration_rule_names();
// The rules that estimate or control their error, as required by a driver of variable step.
std::span<const std::string> names_of_rules_with_error_estimate();
// Throws InputError for a name that is none of these, or for an invalid option.
std::unique_ptr<IntegrationRule> make_integration_rule(const RuleOptions& options);
std::unique_ptr<IntegrationRule> make_integration_rule(std::string_view name);

}  // namespace sestina
