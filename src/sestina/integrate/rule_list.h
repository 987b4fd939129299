// The integration rules by the names that a model file gives them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "sestina/integrate/integration_rule.h"

namespace sestina {

std::span<const std::string> integration_rule_names();
// Those that estimate their error, as a driver of variable step needs.
std::span<const std::string> names_of_rules_with_error_estimate();
// Throws InputError for a name that is none of these.
std::unique_ptr<IntegrationRule> make_integration_rule(std::string_view name);

}  // namespace sestina
