#include "sestina/simulation/weight_potential.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sestina/base/error.h"
#include "sestina/symbolic/mechanics.h"
#include "sestina/symbolic/point_tree.h"
#include "sestina/symbolic/polynomial.h"
#include "sestina/symbolic/simplify.h"

namespace sestina::symbolic {
namespace {

struct Weight {
  const Force* load;
  Vector force;  // the load, or its part that is the weight
  Expression potential;
};

std::vector<Expr> symbols_of(Mechanics& mechanics, const std::vector<Expression>& expressions) {
  std::vector<Expr> nodes;
  for (const Expression& e : expressions) nodes.push_back(e.in(mechanics.graph()));
  return mechanics.graph().free_symbols(nodes);
}

bool is_constant(Mechanics& mechanics, const Expression& expression) {
  return std::ranges::none_of(symbols_of(mechanics, {expression}), [&](Expr symbol) {
    return mechanics.variables().is_variable(symbol) || symbol == mechanics.time().in(mechanics.graph());
  });
}

// Returns the sum of the terms that are constant and hold a symbol of the mass, as a weight does but the
// constant part of a spring's force does not.
Expression find_weight_terms(Mechanics& mechanics, const Expression& component, const Expression& mass) {
  Graph& graph = mechanics.graph();
  const std::vector<Expr> of_mass = symbols_of(mechanics, {mass});
  const Expr sum = expand(mechanics, component).in(graph);
  std::vector<Expr> terms = {sum};
  if (graph.op(sum) == Op::kSum) terms.assign(graph.operands(sum).begin(), graph.operands(sum).end());
  Expression found = 0;
  for (const Expr term : terms) {
    const Expression own(graph, term);
    const std::vector<Expr> symbols = symbols_of(mechanics, {own});
    const bool has_mass = std::ranges::find_first_of(symbols, of_mass) != symbols.end();
    if (has_mass && is_constant(mechanics, own)) found += own;
  }
  return found;
}

// The weight in a force at the mass centre of a body: the whole force if it is constant in the frame,
// whatever axes it is written in.
Vector find_weight(const ReferenceFrame& frame, const Vector& force, const Body& body) {
  Mechanics& mechanics = frame.mechanics();
  Triple xyz = force.to_matrix(frame);
  const auto is_same = [&](const Expression& e) { return is_constant(mechanics, e); };
  if (std::ranges::all_of(xyz, is_same)) return force;
  for (Expression& e : xyz) {
    if (!is_same(e)) e = simplify(mechanics, e);
  }
  if (std::ranges::all_of(xyz, is_same)) return Vector(frame, xyz);
  for (Expression& e : xyz) e = find_weight_terms(mechanics, e, mass_of(body));
  return Vector(frame, xyz);
}

std::vector<Weight> find_weights(const ReferenceFrame& frame, std::span<const Body> bodies,
                                 std::span<const Load> loads) {
  Mechanics& mechanics = frame.mechanics();
  std::vector<Weight> weights;
  for (const Load& load : loads) {
    const auto* force = std::get_if<Force>(&load);
    if (force == nullptr || force->force.is_zero()) continue;
    const auto body = std::ranges::find_if(
        bodies, [&](const Body& own) { return masscenter_of(own).index() == force->point.index(); });
    if (body == bodies.end()) continue;
    const Vector weight = find_weight(frame, force->force, *body);
    if (weight.is_zero()) continue;
    const auto position = mechanics.points().position_from_rest(force->point.index(), frame.index());
    if (!position) {
      throw InputError(
          fmt::format("{0}, {1}, is constant in {2}, as a weight is, but no point at rest in {2} is "
                      "connected with its point, "
                      "from which its potential energy would count: set it as the body's potential_energy",
                      describe(load), weight.to_text(), frame.name()));
    }
    weights.push_back({force, weight, -weight.dot(*position)});
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
    std::vector<Expr> own = symbols_of(mechanics, elements_of(weight.force));
    std::erase_if(own, [&](Expr e) { return std::ranges::find(of_masses, e) != of_masses.end(); });
    if (own.empty()) {
      throw InputError(
          fmt::format("{}, {}, is constant in {}, as a weight is, and the bodies have a potential energy, "
                      "{}, that may or may "
                      "not hold that of the weight: write the weight with a symbol, such as g, or set the "
                      "potential_energy "
                      "of its body",
                      describe(*weight.load), weight.force.to_text(), frame.name(), to_text(given)));
    }
    if (std::ranges::find_first_of(own, of_given) == own.end()) missing += weight.potential;
  }
  return missing;
}

}  // namespace sestina::symbolic
