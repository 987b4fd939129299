// Every integration rule with every choice of its options, by labels that are allowed in the name
// of a test.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sestina/integrate/rule_list.h"

namespace sestina::test {

inline const std::map<std::string, RuleOptions>& labelled_rules() {
  static const std::map<std::string, RuleOptions> rules = [] {
    std::map<std::string, RuleOptions> map;
    for (const std::string& name : integration_rule_names()) {
      if (name == "radau_iia") {
        for (const int stages : {2, 3}) {
          map[name + "_" + std::to_string(stages)] = {.name = name, .stages = stages};
        }
        continue;
      }
      if (name != "lobatto_iiia_iiib") {
        map[name] = {.name = name};
        continue;
      }
      for (const int stages : {2, 3}) {
        for (const char* form : {"velocity", "momentum"}) {
          map[name + "_" + std::to_string(stages) + "_" + form] = {name, stages, form};
        }
      }
    }
    return map;
  }();
  return rules;
}

inline std::unique_ptr<IntegrationRule> make_rule(const std::string& label) {
  return make_integration_rule(labelled_rules().at(label));
}

inline std::vector<std::string> rule_labels() {
  std::vector<std::string> labels;
  for (const auto& [label, options] : labelled_rules()) labels.push_back(label);
  return labels;
}

// Without those that choose their steps: the accuracy of the rest follows from the length of the step.
inline std::vector<std::string> labels_of_rules_of_given_step() {
  std::vector<std::string> labels = rule_labels();
  std::erase_if(labels, [](const std::string& label) { return make_rule(label)->chooses_its_steps(); });
  return labels;
}

}  // namespace sestina::test
