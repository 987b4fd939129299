#include "sestina/simulation/weight_potential.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sestina/base/error.h"
#include "sestina/symbolic/mechanics.h"
#include "sestina/symbolic/point_tree.h"

namespace sestina::symbolic {
namespace {

struct Weight {
  const Force* load;
  Expression potential;
};

std::vector<Expr> symbols_of(Mechanics& mechanics, const std::vector<Expression>& expressions) {
  std::vector<Expr> nodes;
  for (const Expression& e : expressions) nodes.push_back(e.in(mechanics.graph()));
  return mechanics.graph().free_symbols(nodes);
}

bool is_constant(Mechanics& mechanics, const Triple& xyz) {
  return std::ranges::none_of(symbols_of(mechanics, {xyz.begin(), xyz.end()}), [&](Expr symbol) {
    return mechanics.variables().is_variable(symbol) || symbol == mechanics.time().in(mechanics.graph());
  });
}

std::vector<Weight> find_weights(const ReferenceFrame& frame, std::span<const Body> bodies,
                                 std::span<const Load> loads) {
  Mechanics& mechanics = frame.mechanics();
  std::vector<Weight> weights;
  for (const Load& load : loads) {
    const auto* force = std::get_if<Force>(&load);
    const auto is_there = [&](const Body& body) {
      return masscenter_of(body).index() == force->point.index();
    };
    if (force == nullptr || force->force.is_zero() || std::ranges::none_of(bodies, is_there)) continue;
    if (!is_constant(mechanics, force->force.to_matrix(frame))) continue;
    const auto position = mechanics.points().position_from_rest(force->point.index(), frame.index());
    if (!position) {
      throw InputError(
          fmt::format("{0}, {1}, is constant in {2}, as a weight is, but no point at rest in {2} is "
                      "connected with its point, "
                      "from which its potential energy would count: set it as the body's potential_energy",
                      describe(load), force->force.to_text(), frame.name()));
    }
    weights.push_back({force, -force->force.dot(*position)});
  }
  return weights;
}

bool have_same_gradient(Mechanics& mechanics, const Expression& a, const Expression& b) {
  Graph& graph = mechanics.graph();
  const Expr difference = (a - b).in(graph);
  return std::ranges::all_of(graph.free_symbols(difference), [&](Expr symbol) {
    return !mechanics.variables().is_variable(symbol) ||
           mechanics.identities().is_zero(graph.diff(difference, symbol));
  });
}

}  // namespace

Expression calc_weight_potential(const ReferenceFrame& frame, std::span<const Body> bodies,
                                 std::span<const Load> loads) {
  Mechanics& mechanics = frame.mechanics();
  const std::vector<Weight> weights = find_weights(frame, bodies, loads);
  Expression all = 0;
  for (const Weight& weight : weights) all += weight.potential;
  const Expression given = potential_energy(bodies);
  if (given.is_zero()) return all;
  if (have_same_gradient(mechanics, given, all)) return 0;
  std::vector<Expression> masses;
  for (const Body& body : bodies) masses.push_back(mass_of(body));
  const std::vector<Expr> of_masses = symbols_of(mechanics, masses),
                          of_given = symbols_of(mechanics, {given});
  Expression missing = 0;
  for (const Weight& weight : weights) {
    std::vector<Expr> own = symbols_of(mechanics, elements_of(weight.load->force));
    std::erase_if(own, [&](Expr e) { return std::ranges::find(of_masses, e) != of_masses.end(); });
    if (own.empty()) {
      throw InputError(
          fmt::format("{}, {}, is constant in {}, as a weight is, and the bodies have a potential energy, "
                      "{}, that may or may "
                      "not hold that of the weight: write the weight with a symbol, such as g, or set the "
                      "potential_energy "
                      "of its body",
                      describe(*weight.load), weight.load->force.to_text(), frame.name(), to_text(given)));
    }
    if (std::ranges::find_first_of(own, of_given) == own.end()) missing += weight.potential;
  }
  return missing;
}

}  // namespace sestina::symbolic
