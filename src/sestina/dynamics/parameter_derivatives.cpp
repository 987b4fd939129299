#include "sestina/dynamics/parameter_derivatives.h"

#include <fmt/format.h>

#include <algorithm>

#include "sestina/base/error.h"
#include "sestina/base/memory.h"
#include "sestina/model/properties.h"
#include "sestina/numerics/copy_state.h"

namespace sestina {
namespace {

// Checks the memory for each parameter: numbers of bodies and points with derivatives, and two rows of
// results.
void check_room(const Model& model, const Properties<double>& properties) {
  const auto count = static_cast<double>(properties.parameters.size());
  const double of_one = static_cast<double>(properties.bodies.size()) * sizeof(BodyProperties<Dual>) +
                        static_cast<double>(properties.points.size()) * sizeof(Marker<Dual>) +
                        count * sizeof(Dual) + 2.0 * model.nu() * sizeof(double);
  check_memory(count * of_one,
               fmt::format("the set of derivatives by {} parameters for {} speeds", count, model.nu()));
}

}  // namespace

int find_parameter(const Model& model, std::string_view name) {
  const std::vector<ParameterInfo>& list = model.parameters();
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const ParameterInfo& info) { return info.name == name; });
  if (found != list.end()) return static_cast<int>(found - list.begin());
  std::string names;
  for (const ParameterInfo& info : list) names += (names.empty() ? "" : ", ") + info.name;
  throw InputError(
      fmt::format("there is no free parameter '{}'; there are: {}", name, names.empty() ? "none" : names));
}

ParameterDerivatives::ParameterDerivatives(const Model& model, const Properties<double>& properties)
    : model_(model),
      kinematics_(model),
      forces_(model),
      solver_(model),
      inverse_(model),
      dual_udot_(static_cast<std::size_t>(model.nu())) {
  model.refuse_constraints("the derivative by parameters");
  if (!model.user_forces().empty()) {
    throw InputError(fmt::format("{}: a user force has no derivatives",
                                 model.forces()[model.user_forces().front().index].name));
  }
  check_room(model, properties);
  std::vector<Dual> parameters(properties.parameters.begin(), properties.parameters.end());
  for (Dual& parameter : parameters) {
    parameter.d = 1.0;
    by_parameter_.push_back(calc_properties<Dual>(model, parameters));
    parameter.d = 0.0;
  }
  udot_.resize(parameters.size() * dual_udot_.size());
  residual_.resize(udot_.size());
  state_.q.resize(static_cast<std::size_t>(model.nq()));
  state_.u.resize(dual_udot_.size());
  state_.x.resize(static_cast<std::size_t>(model.nx()));
  state_.d.resize(static_cast<std::size_t>(model.nd()));
}

void ParameterDerivatives::update_motion(const Properties<Dual>& properties) {
  update_kinematics(model_, properties, state_, kinematics_);
  update_applied_forces(model_, properties, state_, kinematics_, forces_);
}

SolveReport<Dual> ParameterDerivatives::update(const State<double>& state) {
  copy_state(state, state_);
  SolveReport<Dual> report;
  auto to = udot_.begin();
  for (const Properties<Dual>& properties : by_parameter_) {
    update_motion(properties);
    report = solver_.solve(properties, kinematics_, forces_, dual_udot_);  // (1)
    for (const Dual& x : dual_udot_) *to++ = x.d;
  }
  return report;
}

void ParameterDerivatives::update_inverse(const State<double>& state, std::span<const double> udot) {
  copy_state(state, state_);
  std::copy(udot.begin(), udot.end(), dual_udot_.begin());
  for (int i = 0; i < static_cast<int>(by_parameter_.size()); ++i) set_residual_by(i);
}

void ParameterDerivatives::update_inverse(const State<double>& state, std::span<const double> udot,
                                          int parameter) {
  copy_state(state, state_);
  std::copy(udot.begin(), udot.end(), dual_udot_.begin());
  set_residual_by(parameter);
}

void ParameterDerivatives::set_residual_by(int parameter) {
  const Properties<Dual>& properties = by_parameter_[static_cast<std::size_t>(parameter)];
  update_motion(properties);
  update_inverse_dynamics<Dual>(model_, properties, kinematics_, forces_, dual_udot_, inverse_);  // (2)
  double* to = residual_.data() + static_cast<std::size_t>(parameter) * dual_udot_.size();
  for (const Dual& x : inverse_.residual) *to++ = x.d;
}

std::span<const double> ParameterDerivatives::row(const std::vector<double>& rows, int parameter) const {
  return std::span(rows).subspan(static_cast<std::size_t>(parameter) * dual_udot_.size(), dual_udot_.size());
}

std::span<const double> ParameterDerivatives::udot_by(std::string_view parameter) const {
  return udot_by(find_parameter(model_, parameter));
}
std::span<const double> ParameterDerivatives::residual_by(std::string_view parameter) const {
  return residual_by(find_parameter(model_, parameter));
}

}  // namespace sestina
