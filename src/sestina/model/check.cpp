#include "sestina/model/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sestina/base/error.h"
#include "sestina/expression/evaluate.h"
#include "sestina/model/properties.h"

namespace sestina {
namespace {

template <class... T>
bool are_finite(T... values) {
  return (std::isfinite(values) && ...);
}
bool is_finite(const Vec3<double>& v) { return are_finite(v.x, v.y, v.z); }
bool is_finite(const SymMat3<double>& J) { return are_finite(J.xx, J.yy, J.zz, J.xy, J.xz, J.yz); }

std::vector<double> calc_numbers(const Model& model, std::span<const double> parameters) {
  const Tape& tape = model.number_tape();
  std::vector<double> numbers(tape.output_count()), scratch(tape.scratch_size());
  tape.evaluate<double>(parameters, numbers, scratch);
  return numbers;
}

// Adds a fault for each number that is not finite, with its place and reason. Faults caused by a parameter
// are reported at the parameter.
void add_faults_of_numbers(const Model& model, std::span<const double> parameters,
                           std::span<const double> numbers, FaultList& faults) {
  Evaluator values(model.graph());
  std::vector<Expr> reported;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Expr symbol = model.graph().find_symbol(model.parameters()[i].name);
    values.bind(symbol, parameters[i]);
    if (std::isfinite(parameters[i])) continue;
    faults.add({{}, "parameters." + model.parameters()[i].name},
               fmt::format("{} is not finite", parameters[i]));
    reported.push_back(symbol);
  }
  for (const NumberSource& source : model.number_sources()) {
    const auto slot = static_cast<std::size_t>(source.slot.first);
    if (std::isfinite(numbers[slot])) continue;
    const auto reason = values.find_non_finite(model.numbers()[slot]);
    if (reason && std::ranges::find(reported, reason->where) != reported.end()) continue;
    if (source.place.path.starts_with("parameters.") && reason) reported.push_back(reason->where);
    faults.add(source.place, describe_value(source.expression, numbers[slot]) + " is not finite" +
                                 (reason ? ": " + reason->message : ""));
  }
}

void add_faults_of_range(const Model& model, const Properties<double>& properties, FaultList& faults) {
  double mass = 0.0;
  const double g = norm(properties.gravity);
  for (BodyIndex b{1}; b.value() < properties.bodies.size(); ++b) {
    const BodyInfo& info = model.bodies()[b];
    const BodyProperties<double>& body = properties.bodies[b];
    const Place place{info.mark, fmt::format("bodies[{}]", info.position)};
    if (!is_finite(body.X_PF.p) || !is_finite(body.X_MB.p) || !is_finite(body.M.c)) {
      faults.add(place, "its lengths are too large: places on it, seen from its joint, are not finite");
    } else if (!is_finite(body.M.J)) {
      faults.add(place,
                 fmt::format("its inertia about the joint is not finite: its mass of {} kg is {} m away",
                             body.M.mass, norm(body.M.c)));
    } else if (!are_finite(body.M.mass * g, body.M.mass * norm(body.M.c))) {
      faults.add(place, fmt::format("its mass of {} kg is too large: its weight with gravity of {} m/s^2, or "
                                    "its first moment of mass, is not finite",
                                    body.M.mass, g));
    }
    mass += body.M.mass;
  }
  if (!std::isfinite(mass) && faults.empty())
    faults.add({{}, "bodies"}, "their masses together are not finite");
}

}  // namespace

void check(const Model& model, const Properties<double>& properties) {
  FaultList faults;
  const std::vector<double> numbers = calc_numbers(model, properties.parameters);
  const auto is_finite_number = [](double x) { return std::isfinite(x); };
  if (!std::ranges::all_of(numbers, is_finite_number) ||
      !std::ranges::all_of(properties.parameters, is_finite_number)) {
    add_faults_of_numbers(model, properties.parameters, numbers, faults);
  }
  for (const ValueRule& rule : model.value_rules()) {
    std::string fault = find_fault(rule, numbers);
    if (!fault.empty()) faults.add(rule.place, std::move(fault));
  }
  if (faults.empty()) add_faults_of_range(model, properties, faults);
  faults.throw_if_any();
}

void check_range(const Model& model, const Properties<double>& properties) {
  FaultList faults;
  add_faults_of_range(model, properties, faults);
  faults.throw_if_any();
}

}  // namespace sestina
