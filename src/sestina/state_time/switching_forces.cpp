#include "sestina/state_time/switching_forces.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "sestina/base/suggest.h"

namespace sestina {
namespace {

// Number of operands of a node that determine where it jumps; these operands come first.
std::size_t conditions_of(Op op) {
  if (op == Op::kSign || op == Op::kStep) return 1;
  return op == Op::kIfLess || op == Op::kIfLessEqual ? 2 : 0;
}

std::set<std::string> names_of_coordinates(const Model& model) {
  std::set<std::string> names(model.q_names().begin(), model.q_names().end());
  names.insert(model.u_names().begin(), model.u_names().end());
  return names;
}

// Finds the coordinates and speeds at whose values an expression jumps.
std::set<std::string> find_switches(const Graph& graph, Expr expression,
                                    const std::set<std::string>& coordinates) {
  std::set<std::string> switches;
  for (const Expr node : graph.reachable(std::span(&expression, 1))) {
    const auto conditions = graph.operands(node).first(conditions_of(graph.op(node)));
    for (const Expr symbol : graph.free_symbols(conditions)) {
      const std::string& name = graph.name_of(symbol);
      if (coordinates.contains(name)) switches.insert(name);
    }
  }
  return switches;
}

// Maps expressions of the model to their forces.
std::map<int, ForceIndex> forces_of_expressions(const Model& model) {
  std::map<int, ForceIndex> forces;
  for (const JointForcePlan& plan : model.plan().joint_forces) forces.emplace(plan.expression, plan.index);
  for (const PointForcePlan& plan : model.plan().point_forces) {
    for (int i = 0; i < 3; ++i) forces.emplace(plan.expression + i, plan.index);
  }
  return forces;
}

}  // namespace

std::string describe_switching_forces(const Model& model) {
  const std::set<std::string> coordinates = names_of_coordinates(model);
  std::map<int, std::set<std::string>> switches;  // by ForceIndex
  for (const auto& [expression, force] : forces_of_expressions(model)) {
    const Expr expr = model.force_expressions()[static_cast<std::size_t>(expression)];
    switches[force.value()].merge(find_switches(model.graph(), expr, coordinates));
  }
  std::vector<std::string> texts;
  for (const auto& [force, by] : switches) {
    if (by.empty()) continue;
    texts.push_back(fmt::format("the force {} jumps with {}", model.forces()[ForceIndex(force)].name,
                                join_words(std::vector<std::string>(by.begin(), by.end()))));
  }
  return join_words(texts);
}

}  // namespace sestina
