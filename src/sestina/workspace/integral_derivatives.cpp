#include "sestina/workspace/integral_derivatives.h"

#include <algorithm>
#include <cmath>

namespace sestina {

IntegralDerivatives::At::At(const Workspace& workspace, const std::vector<double>& parameters)
    : dynamics(workspace.shared_model(), calc_properties<double>(workspace.model(), parameters), "recursive"),
      equations(dynamics) {}

IntegralDerivatives::IntegralDerivatives(const Workspace& workspace, std::span<const DerivativeBy> by)
    : own_(std::make_unique<At>(workspace, workspace.properties().parameters)) {
  for (const DerivativeBy& one : by) {
    scales_.push_back(one.scale);
    for (const double width : {-kColumnWidth, kColumnWidth}) {
      std::vector<double> values = workspace.properties().parameters;
      if (one.place >= 0) values[static_cast<std::size_t>(one.place)] += width * one.scale;
      moved_parameters_.push_back(one.place < 0 ? nullptr : std::make_unique<At>(workspace, values));
    }
  }
  const StateSizes sizes = own_->equations.sizes();
  displacement_.resize(static_cast<std::size_t>(sizes.nu));
  udot_.resize(displacement_.size());
  xdot_.resize(static_cast<std::size_t>(sizes.nx));
  less_.resize(static_cast<std::size_t>(sizes.nz));
  more_.resize(less_.size());
  unit_.resize(2 * udot_.size() + xdot_.size());
}

void IntegralDerivatives::calc(At& at, const State<double>& state, std::span<double> zdot) {
  at.equations.calc_derivatives(state, {.udot = udot_, .xdot = xdot_, .zdot = zdot});
}

// Sets moved_ to the state displaced by width times s.
void IntegralDerivatives::move(const State<double>& state, std::span<const double> s, double width) {
  const std::size_t nu = udot_.size();
  moved_ = state;
  std::ranges::transform(s.first(nu), displacement_.begin(), [&](double x) { return width * x; });
  own_->equations.plus(state.q, displacement_, moved_.q);
  for (std::size_t i = 0; i < nu; ++i) moved_.u[i] += width * s[nu + i];
  for (std::size_t i = 0; i < xdot_.size(); ++i) moved_.x[i] += width * s[2 * nu + i];
}

void IntegralDerivatives::calc_along(const State<double>& state, std::span<const double> s, std::size_t k,
                                     std::span<double> zdot_by) {
  double largest = 1.0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const double size = i < 2 * udot_.size() ? 1.0 : size_of_state(state.x[i - 2 * udot_.size()]);
    largest = std::max(largest, std::abs(s[i]) / size);
  }
  const double width = kColumnWidth / largest;
  move(state, s, -width);
  calc(*own_, moved_, less_);
  move(state, s, width);
  calc(*own_, moved_, more_);
  for (std::size_t i = 0; i < zdot_by.size(); ++i) zdot_by[i] = (more_[i] - less_[i]) / (2.0 * width);
  if (moved_parameters_[2 * k] == nullptr) return;
  calc(*moved_parameters_[2 * k], state, less_);
  calc(*moved_parameters_[2 * k + 1], state, more_);
  for (std::size_t i = 0; i < zdot_by.size(); ++i) zdot_by[i] += (more_[i] - less_[i]) / (2.0 * kColumnWidth);
}

void IntegralDerivatives::add_transposed(const State<double>& state, std::span<const double> weights,
                                         std::span<double> by_state, std::span<double> by_parameters) {
  if (std::ranges::all_of(weights, [](double weight) { return weight == 0.0; })) return;
  const auto weighted_change = [&] {
    double sum = 0.0;
    for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * (more_[i] - less_[i]);
    return sum / (2.0 * kColumnWidth);
  };
  for (std::size_t j = 0; j < unit_.size(); ++j) {
    const double size = j < 2 * udot_.size() ? 1.0 : size_of_state(state.x[j - 2 * udot_.size()]);
    unit_[j] = size;
    move(state, unit_, -kColumnWidth);
    calc(*own_, moved_, less_);
    move(state, unit_, kColumnWidth);
    calc(*own_, moved_, more_);
    unit_[j] = 0.0;
    by_state[j] += weighted_change() / size;
  }
  std::size_t parameter = 0;
  for (std::size_t k = 0; k < scales_.size(); ++k) {
    if (moved_parameters_[2 * k] == nullptr) continue;
    calc(*moved_parameters_[2 * k], state, less_);
    calc(*moved_parameters_[2 * k + 1], state, more_);
    by_parameters[parameter++] += weighted_change() / scales_[k];
  }
}

}  // namespace sestina
