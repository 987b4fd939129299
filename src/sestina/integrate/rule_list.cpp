#include "sestina/integrate/rule_list.h"

#include <fmt/format.h>

#include <vector>

#include "sestina/base/error.h"
#include "sestina/base/suggest.h"
#include "sestina/integrate/adams_bashforth_moulton.h"
#include "sestina/integrate/cvode_rule.h"
#include "sestina/integrate/explicit_runge_kutta.h"
#include "sestina/integrate/generalized_alpha.h"
#include "sestina/integrate/lobatto_pair.h"
#include "sestina/integrate/moreau.h"
#include "sestina/integrate/munthe_kaas.h"
#include "sestina/integrate/radau_iia.h"
#include "sestina/integrate/time_stepping.h"
#include "sestina/integrate/velocity_verlet.h"
#include "sestina/integrate/verlet.h"

namespace sestina {
namespace {

void add_fault_of_stages(const RuleOptions& options, FaultList& faults) {
  if (options.stages == 2 || options.stages == 3) return;
  faults.add({{}, "stages"}, fmt::format("{} is not 2 or 3", options.stages));
}

std::unique_ptr<IntegrationRule> make_lobatto_pair(const RuleOptions& options) {
  static const std::vector<std::string> forms = {"velocity", "momentum"};
  FaultList faults;
  add_fault_of_stages(options, faults);
  if (options.form != forms[0] && options.form != forms[1]) {
    faults.add({{}, "form"}, fmt::format("'{}' is unknown{}", options.form, suggestion(options.form, forms)));
  }
  faults.throw_if_any();
  return std::make_unique<LobattoPair>(
      options.stages, options.form == forms[0] ? LobattoPair::Form::kVelocity : LobattoPair::Form::kMomentum);
}

std::unique_ptr<IntegrationRule> make_radau(const RuleOptions& options) {
  FaultList faults;
  add_fault_of_stages(options, faults);
  faults.throw_if_any();
  return std::make_unique<RadauIIA>(options.stages);
}

std::unique_ptr<IntegrationRule> make_generalized_alpha(const RuleOptions& options) {
  return std::make_unique<GeneralizedAlpha>(generalized_alpha_coefficients(options.spectral_radius));
}

std::unique_ptr<IntegrationRule> make_trapezoidal(const RuleOptions&) {
  return std::make_unique<GeneralizedAlpha>(trapezoidal_coefficients());
}

template <class Rule>
std::unique_ptr<IntegrationRule> make(const RuleOptions&) {
  return std::make_unique<Rule>();
}

template <CvodeMethod kMethod>
std::unique_ptr<IntegrationRule> make_cvode(const RuleOptions&) {
  return std::make_unique<CvodeRule>(kMethod);
}

struct Entry {
  std::string name;
  std::unique_ptr<IntegrationRule> (*make)(const RuleOptions&);
};

// The rules that are not explicit Runge-Kutta tableaus.
const std::vector<Entry>& other_rules() {
  static const std::vector<Entry> entries = {
      {"adams_bashforth_moulton", make<AdamsBashforthMoulton>},
      {"munthe_kaas_4", make<MuntheKaas>},
      {"verlet", make<Verlet>},
      {"velocity_verlet", make<VelocityVerlet>},
      {"lobatto_iiia_iiib", make_lobatto_pair},
      {"moreau", make<Moreau>},
      {"time_stepping", make<TimeStepping>},
      {"radau_iia", make_radau},
      {"generalized_alpha", make_generalized_alpha},
      {"trapezoidal", make_trapezoidal},
      {"cvode_bdf", make_cvode<CvodeMethod::kBdf>},
      {"cvode_adams", make_cvode<CvodeMethod::kAdams>},
  };
  return entries;
}

}  // namespace

std::span<const std::string> integration_rule_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const ButcherTableau& tableau : explicit_tableaus()) list.push_back(tableau.name);
    for (const Entry& entry : other_rules()) list.push_back(entry.name);
    return list;
  }();
  return names;
}

std::span<const std::string> names_of_rules_with_error_estimate() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const std::string& name : integration_rule_names()) {
      const auto rule = make_integration_rule(name);
      if (rule->error_order() > 0 || rule->chooses_its_steps()) list.push_back(name);
    }
    return list;
  }();
  return names;
}

std::unique_ptr<IntegrationRule> make_integration_rule(const RuleOptions& options) {
  for (const ButcherTableau& tableau : explicit_tableaus()) {
    if (tableau.name == options.name) return std::make_unique<ExplicitRungeKutta>(tableau);
  }
  for (const Entry& entry : other_rules()) {
    if (entry.name == options.name) return entry.make(options);
  }
  throw InputError(fmt::format("unknown integration rule '{}'{}", options.name,
                               suggestion(options.name, integration_rule_names())));
}

std::unique_ptr<IntegrationRule> make_integration_rule(std::string_view name) {
  return make_integration_rule(RuleOptions{.name = std::string(name)});
}

}  // namespace sestina
