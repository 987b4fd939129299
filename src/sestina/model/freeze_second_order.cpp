// Second-order equations: the coordinates they are coupled to, their matrices, and the equations with
// symbols.
#include <fmt/format.h>

#include <algorithm>

#include "sestina/expression/expression.h"
#include "sestina/forces/second_order.h"
#include "sestina/model/expand_second_order.h"
#include "sestina/model/freezer.h"

namespace sestina {
namespace {

constexpr std::size_t kMostCoordinates = 200;

}  // namespace

void Freezer::collect_second_order(const ForceSpec& spec, ForceIndex index, const std::string& path) {
  const std::size_t faults = faults_.size();
  check_second_order_names(spec, path);
  const CoupledCoordinates coupled = find_coupled_coordinates(spec, path);
  const auto n = static_cast<int>(spec.coordinates.size());
  const auto rows = static_cast<int>(spec.coupled_to.size()) + n;
  if (faults_.size() > faults) return;

  SecondOrder<double> law;
  law.n = n;
  collect_matrix(spec.mass_matrix, n, true, spec.mass_matrix_mark, path + ".mass_matrix", &law.M);
  if (spec.mass_matrix.empty())
    fail(spec.mark, path + ".mass_matrix", fmt::format("is missing: expected {} numbers", n * n));
  collect_matrix(spec.stiffness_matrix, rows, true, spec.stiffness_matrix_mark, path + ".stiffness_matrix");
  collect_matrix(spec.damping_matrix, rows, false, spec.damping_matrix_mark, path + ".damping_matrix");
  if (faults_.size() > faults) return;
  const std::vector<double> pivots = law.pivots();
  if (!std::ranges::all_of(pivots, [](double pivot) { return pivot > 0.0; })) {
    fail(spec.mass_matrix_mark, path + ".mass_matrix", "is not positive definite");
  }
  const bool has_values = spec.table || !spec.value.empty();
  const int first = has_values ? collect_values(spec, index, rows, path) : -1;
  const auto layout = std::ranges::find(second_orders_, index.value(), &SecondOrderLayout::force);
  if (faults_.size() > faults || layout == second_orders_.end()) return;
  add_second_order_equations(spec, *layout, index, coupled, first);
}

void Freezer::check_second_order_names(const ForceSpec& spec, const std::string& path) {
  const std::size_t n = spec.coordinates.size();
  if (n == 0) fail(spec.mark, path + ".coordinates", "is missing: expected names of its own coordinates");
  if (n + spec.coupled_to.size() > kMostCoordinates) {
    fail(spec.mark, path,
         fmt::format("has {} coordinates with those of joints; expected at most {}",
                     n + spec.coupled_to.size(), kMostCoordinates));
  }
  std::map<std::string, std::string> taken;
  for (std::size_t i = 0; i < n; ++i) {
    Name name = spec.coordinates[i];
    if (name.mark.line == 0) name.mark = spec.mark;
    check_name(name, fmt::format("{}.coordinates[{}]", path, i), taken);
  }
  const auto check_starts = [&](const Numbers& given, const Mark& mark, const char* key) {
    if (given.empty() || given.size() == n) return;
    fail(mark, fmt::format("{}.{}", path, key),
         fmt::format("has {} numbers; expected {}, one for each of `coordinates`", given.size(), n));
  };
  check_starts(spec.initial, spec.initial_mark, "initial");
  check_starts(spec.initial_rates, spec.initial_rates_mark, "initial_rates");
}

Freezer::CoupledCoordinates Freezer::find_coupled_coordinates(const ForceSpec& spec,
                                                              const std::string& path) {
  CoupledCoordinates coupled;
  for (std::size_t i = 0; i < spec.coupled_to.size(); ++i) {
    const Name& name = spec.coupled_to[i];
    const auto refuse = [&](std::string message) {
      fail(name.mark.line > 0 ? name.mark : spec.mark, fmt::format("{}.coupled_to[{}]", path, i),
           std::move(message));
    };
    if (name.text.find('.') == std::string::npos) {
      refuse(fmt::format("'{}' is not a coordinate of a joint: expected JOINT.q or JOINT.q[i]", name.text));
      continue;
    }
    const auto found = find_coordinate(name.text);
    if (const auto* fault = std::get_if<std::string>(&found)) {
      refuse(*fault);
      continue;
    }
    const auto& reference = std::get<CoordinateReference>(found);
    if (!reference.joint) continue;
    const FoundJoint& joint = *reference.joint;
    if (!reference.is_q) {
      refuse(fmt::format("'{}' is a speed: expected a coordinate, JOINT.q or JOINT.q[i]", name.text));
      continue;
    }
    const Expr rate = rate_of_coordinate(joint, reference.index - joint.q_start);
    int u = joint.u_start;
    while (u < joint.u_start + joint.nu && graph_->symbol(u_name(u)) != rate) ++u;
    if (u == joint.u_start + joint.nu) {
      refuse(fmt::format("'{}' is an Euler parameter: the rate of no coordinate of an orientation is a speed",
                         name.text));
    } else if (std::ranges::count(coupled.u, u) > 0) {
      refuse(fmt::format("'{}' is listed already", name.text));
    }
    coupled.u.push_back(u);
    coupled.q.push_back(graph_->symbol(q_name(reference.index)));
    coupled.rates.push_back(rate);
  }
  return coupled;
}

// Adds the rates of the states, and as force expressions the inputs of SecondOrderForce.
void Freezer::add_second_order_equations(const ForceSpec& spec, const SecondOrderLayout& layout,
                                         ForceIndex index, const CoupledCoordinates& coupled,
                                         int first_value) {
  const auto constants = [&](const Numbers& given) {
    std::vector<Expression> values;
    for (const Number& number : given) {
      values.emplace_back(*graph_, numbers_.parse_text(number, "", [](std::string_view) { return Expr(); }));
    }
    return values;
  };
  SecondOrder<Expression> law;
  law.b = static_cast<int>(coupled.u.size()), law.n = layout.n;
  law.M = constants(spec.mass_matrix);
  law.K = constants(spec.stiffness_matrix), law.D = constants(spec.damping_matrix);

  SecondOrder<Expression>::Input in;
  for (const Expr q : coupled.q) in.x.emplace_back(*graph_, q);
  for (const Expr rate : coupled.rates) in.v.emplace_back(*graph_, rate);
  for (int k = 0; k < layout.n; ++k) {
    const auto state = [&](int i) {
      return symbol(*graph_, data_.states[static_cast<std::size_t>(layout.state + i)].name);
    };
    in.x.push_back(state(k)), in.v.push_back(state(layout.n + k));
  }
  in.f.resize(in.x.size());
  for (std::size_t i = 0; i < in.f.size() && first_value >= 0; ++i) {
    in.f[i] = Expression(*graph_, data_.force_expressions.exprs[static_cast<std::size_t>(first_value) + i]);
  }
  const auto out = law.evaluate(in);
  for (int k = 0; k < layout.n; ++k) {
    const auto i = static_cast<std::size_t>(k);
    element_rates_.emplace(layout.state + k, in.v[coupled.u.size() + i].in(*graph_));
    element_rates_.emplace(layout.state + layout.n + k, out.acceleration[i].in(*graph_));
  }
  data_.plan.connectors.second_orders.push_back(
      {index, coupled.u, static_cast<int>(data_.force_expressions.exprs.size())});
  const auto add = [&](const Expression& value) {
    data_.force_expressions.add(value.in(*graph_));
    data_.force_of_expression.push_back(index);
  };
  std::ranges::for_each(out.tau, add);
  add(out.kinetic), add(out.potential), add(out.supplied), add(out.dissipated);
}

}  // namespace sestina
